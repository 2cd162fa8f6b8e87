// SPDX-License-Identifier: MIT
// Who waits in the kernel: for syncobjs, by their events; what other files know, as it is asked
// for.
#include "timeline/kernel_wait.h"

#include "timeline/command/command_events.h"
#include "timeline/drm/drm.h"
#include "timeline/i915/request.h"
#include "timeline/memory/stall.h"
#include "timeline/objects.h"
#include "timeline/sched/thread.h"
#include "timeline/sched/thread_time.h"

/* DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, include/uapi/drm/drm.h */
#define WAIT_ALL 1

static void kernel_wait_drop(struct lane_timeline *tl, struct lane_thr *thr)
{
	if (thr->kernel_wait)
		lane_pool_put(&tl->kernel_wait_pool, thr->kernel_wait);
	thr->kernel_wait = NULL;
}

static void kernel_wait_begin(struct lane_timeline *tl, struct lane_thr *thr,
			      const struct lane_event *event)
{
	const struct lane_p_gpulane_syncobj_wait *wait = &event->u.gpulane_syncobj_wait;

	timeline_thread_interesting(tl, thr);
	if (!thr->kernel_wait)
		thr->kernel_wait = lane_pool_get(&tl->kernel_wait_pool);
	if (!thr->kernel_wait) {
		tl->no_memory = true;
		return;
	}
	*thr->kernel_wait = (struct lane_kernel_wait){
		.how = LANE_KERNEL_WAIT_SYNCOBJ,
		.tid = event->wire.tid,
		.pid = event->wire.pid,
		.begin_ns = event->wire.ts_ns,
		.gives_up_ns = wait->until == INT64_MAX ? UINT64_MAX : (uint64_t)wait->until,
		.context = wait->context,
		.seqno = wait->seqno,
		.point = wait->point,
		.count = wait->count,
		.pending = wait->pending,
		.unsubmitted = wait->unsubmitted,
		.is_any = !(wait->flags & WAIT_ALL) && wait->count > 1,
	};
}

/* The wait is of the request whose fence it is for, too. */
void timeline_kernel_wait_event(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = timeline_request_by_fence(tl, event);
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);

	if (!thr)
		return;
	if (event->wire.kind == LANE_SYNCOBJ_WAIT)
		kernel_wait_begin(tl, thr, event);
	else
		kernel_wait_drop(tl, thr);
	if (rq && rq->job)
		timeline_job_wait(tl, rq, event);
	else if (rq)
		timeline_request_wait(tl, rq, event);
}

/* ---- who waits now ---- */

/* It may have run all the time. */
static struct lane_span ran_of(const struct lane_timeline *tl, const struct lane_thr *thr,
			       uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t since_ns = timeline_later(thr->pub.since_ns, begin_ns);
	uint64_t before_ns = since_ns - begin_ns;

	if (timeline_thread_is_unknown(tl, thr, now_ns))
		return (struct lane_span){ 0, now_ns - begin_ns };
	if (thr->pub.state == LANE_THREAD_RUNNING)
		return (struct lane_span){ now_ns - since_ns, now_ns - begin_ns };
	return (struct lane_span){ 0, before_ns };
}

struct telling {
	const struct lane_timeline *tl;
	uint64_t now_ns;
	void (*fn)(void *arg, const struct lane_unended *unended);
	void *arg;
};

/* Of a thread in a call of OpenCL's or Level Zero's the call is told. */
static void kernel_wait_tell(const struct telling *to, const struct lane_thr *thr,
			     struct lane_kernel_wait *wait)
{
	const struct lane_timeline *tl = to->tl;
	const struct lane_thread *first;
	const struct lane_rq *rq = thr->wait ? thr->wait->rq : NULL;
	struct lane_unended unended = { .wait = wait, .comm = "", .thread = &thr->pub };

	if (thr->is_dying || wait->begin_ns > to->now_ns ||
	    timeline_cl_is_in_call(tl, wait->tid, wait->pid))
		return;
	wait->ran = ran_of(tl, thr, wait->begin_ns, to->now_ns);
	first = wait->pid >= 0 ? timeline_thread(tl, wait->pid) : NULL;
	if (first)
		unended.comm = first->comm;
	else if (wait->pid < 0 || wait->pid == wait->tid)
		unended.comm = thr->pub.comm;
	if (!rq && wait->context)
		rq = timeline_request_of_fence(tl, wait->context, wait->seqno);
	if (rq)
		unended.request = &rq->pub;
	to->fn(to->arg, &unended);
}

static void tell_thread(const struct telling *to, const struct lane_thr *thr)
{
	struct lane_kernel_wait wait;

	if (thr->kernel_wait) {
		wait = *thr->kernel_wait;
	} else if (thr->wait) {
		wait = (struct lane_kernel_wait){ .how = LANE_KERNEL_WAIT_FENCE,
						  .tid = thr->pub.tid,
						  .pid = thr->pub.pid,
						  .begin_ns = thr->wait->begin_ns,
						  .context = thr->wait->rq->pub.context->ctx,
						  .seqno = thr->wait->rq->pub.seqno };
	} else {
		return;
	}
	kernel_wait_tell(to, thr, &wait);
}

static void tell_stall(void *arg, const struct lane_kernel_wait *open)
{
	const struct telling *to = arg;
	const struct lane_thr *thr = lane_table_get(&to->tl->threads, (uint32_t)open->tid, 0);
	struct lane_kernel_wait wait = *open;

	if (thr && !thr->kernel_wait && !thr->wait)
		kernel_wait_tell(to, thr, &wait);
}

static void tell_waits(const struct telling *to)
{
	const struct lane_table *threads = &to->tl->threads;

	for (size_t i = 0; threads->slots && i <= threads->mask; i++)
		if (threads->slots[i].value)
			tell_thread(to, threads->slots[i].value);
	timeline_stall_each_wait(to->tl, tell_stall, (void *)to);
}

void timeline_each_unended(const struct lane_timeline *tl, uint64_t now_ns,
			   void (*fn)(void *arg, const struct lane_unended *unended), void *arg)
{
	struct telling to = { .tl = tl, .now_ns = now_ns, .fn = fn, .arg = arg };

	timeline_cl_each_unended(tl, now_ns, fn, arg);
	tell_waits(&to);
}

void timeline_kernel_wait_finish(struct lane_timeline *tl)
{
	struct telling to = { .tl = tl,
			      .now_ns = timeline_later(tl->figures.end_ns, tl->info.stop_ns),
			      .fn = tl->hooks.unended,
			      .arg = tl->hooks.arg };

	if (to.fn)
		tell_waits(&to);
}
