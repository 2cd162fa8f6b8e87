// SPDX-License-Identifier: MIT
/* The jobs of drm_sched: which job an event is about (docs/analysis.md, drm_sched). The scheduler's
 * source is drivers/gpu/drm/scheduler of Linux 6.1, 6.12 and 6.17. */
#include "timeline/drm/drm.h"
#include "timeline/command/command_events.h"
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_end.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/drm/drm_run.h"
#include "timeline/sched/idle.h"
#include "timeline/objects.h"
#include "timeline/tell.h"
#include "timeline/sched/actor.h"
#include "timeline/sched/thread.h"

#include <string.h>

/* An interrupt's thread that has its CPU within this time, ns, is as good as the interrupt. */
#define PROMPT_NS 10000

static void on_queue(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_ring_get(tl, &event->u.drm_sched_job_queue);
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_thr *thr;
	struct lane_rq *rq;

	rq = eng ? timeline_job_find(tl, eng->pub.dev, event, true) : NULL;
	if (!rq || rq->pub.seen)
		return;
	timeline_ring_learn_driver(tl, eng, event);
	rq->pub.seen = LANE_SEEN_ADD | LANE_SEEN_SUBMIT;
	rq->pub.add_ns = rq->pub.submit_ns = now_ns;
	rq->pub.by.add = rq->pub.by.submit = tl->now.event;
	rq->job->add_cpu = event->cpu;
	timeline_job_learn_queue(rq, event->u.drm_sched_job_queue.queue_flags);
	rq->pub.drm_client = event->u.drm_sched_job_queue.client_id;
	tl->jobs->has_clients |= rq->pub.drm_client != 0;
	timeline_job_settle(rq, eng);
	thr = timeline_thread_submits(tl, rq, event);
	if (thr && tl->idle_mask)
		timeline_idle_note(tl, rq, thr, now_ns);
	timeline_request_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, now_ns);
	tl->jobs->fresh = rq;
	tl->queues_tid = event->wire.tid;
	timeline_command_job(tl, event, rq);
}

/* The ring's fence is the last one that run_job() makes, in the thread that has just told of the
 * job. */
static void on_init(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_dma_fence_init *init = &event->u.dma_fence_init;
	struct lane_drm_jobs *all = tl->jobs;
	struct lane_rq *rq = event->wire.tid < 0
				     ? NULL
				     : lane_table_get(&all->jobs, (uint32_t)event->wire.tid, 1);
	struct lane_job *job = rq ? rq->job : NULL;

	if (!job || job->is_scheduled || timeline_request_has_ended(rq) ||
	    !strcmp(init->driver, "drm_sched") || timeline_job_is_lossy(tl, rq))
		return;
	if (job->hw_context && lane_table_get(&all->hw, job->hw_context, job->hw_seqno) == rq)
		lane_table_del(&all->hw, job->hw_context, job->hw_seqno);
	job->hw_context = init->context;
	job->hw_seqno = init->seqno;
	((struct lane_ctx *)rq->pub.context)->hw_context = init->context;
	timeline_ring_see_maker(tl, timeline_job_ring(rq), init->context);
	timeline_ring_has_fences(tl, (struct lane_eng *)rq->pub.engine, init->context);
	lane_table_del(&all->hw, init->context, init->seqno);
	if (!lane_table_put(&all->hw, init->context, init->seqno, rq))
		tl->no_memory = true;
}

/* That interrupt is rq's: rq is the only job on its device's rings, whose last signals the thread
 * has seen to before it was woken. Only of a serial ring: a firmware's interrupts may tell
 * something else. */
static bool is_its_interrupt(const struct lane_timeline *tl, const struct lane_rq *rq, int32_t tid,
			     uint64_t woken_ns)
{
	uint32_t n = 0;

	if (woken_ns <= rq->pub.execute_ns || timeline_job_ring(rq)->each != LANE_RING_SERIAL)
		return false;
	for (uint32_t i = 0; i < tl->n_engines; i++) {
		const struct lane_drm_ring *ring = tl->engine_by_id[i]->ring;

		if (!ring || tl->engine_by_id[i]->pub.dev != rq->pub.engine->dev)
			continue;
		n += ring->n;
		if (ring->signal.ns && (ring->signal_tid != tid || ring->signal.ns >= woken_ns))
			return false;
	}
	return n == 1;
}

/* R40. The thread that signals the ring's fence of rq is an interrupt's, and another task had its
 * CPU. */
static void see_irq_thread(struct lane_timeline *tl, struct lane_rq *rq,
			   const struct lane_event *event)
{
	struct lane_bound woken = timeline_actor_irq_since(tl, event->wire.tid);
	struct lane_actor_wait wait = { 0 };

	if (!woken.ns)
		return;
	timeline_actor_waited(tl, event->wire.tid, woken.ns, &wait);
	if (wait.by.tid <= 0 || wait.by.ns < PROMPT_NS)
		return;
	rq->job->irq_thread = woken;
	rq->job->is_irq_sure = is_its_interrupt(tl, rq, event->wire.tid, woken.ns);
	if (rq->job->is_irq_sure)
		rq->job->actors[LANE_ACTOR_SIGNAL] = wait;
}

static bool on_any_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t context = event->u.fence.context, seqno = event->u.fence.seqno;
	struct lane_ctx *ctx = timeline_job_context(tl, context + 1);
	const struct lane_eng *eng = lane_table_get(&tl->jobs->rings, context, 0);
	bool same_work = false, is_late = false;
	struct lane_rq *rq = lane_table_get(&tl->jobs->hw, context, seqno);

	timeline_job_note_signal(tl, event);
	if (rq && rq->job && !rq->job->hw.ns && rq->job->is_given)
		see_irq_thread(tl, rq, event);
	if (eng) {
		is_late = seqno < eng->ring->last_seqno;
		if (!is_late)
			eng->ring->last_seqno = seqno;
		same_work = timeline_ring_is_same_work(tl, eng->ring, event);
		timeline_ring_signalled(eng->ring, event->wire.ts_ns, event);
	}
	if (rq && rq->job && !rq->job->hw.ns) {
		rq->job->hw =
			timeline_bound(event->wire.ts_ns, LANE_RULE_RING_SIGNAL, tl->now.event);
		rq->job->is_same_work = same_work;
		rq->job->is_late |= is_late;
	}
	/* It may be the job's `scheduled` fence: its ring has the job, and run_job() is over. */
	rq = ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)seqno) : NULL;
	if (rq && rq->job) {
		rq->job->is_scheduled = true;
		rq->job->scheduled_ns = event->wire.ts_ns;
	}
	/* For a job whose fences have no known names, this may be that signal. */
	rq = timeline_job_of_thread(tl, event->wire.tid);
	if (rq && rq->pub.context->ctx >= LANE_OWN_CONTEXT)
		rq->job->is_scheduled = true;
	return same_work;
}

/* Remembers the last signal of each CPU. */
static void note_cpu(struct lane_timeline *tl, const struct lane_event *event, bool same_work)
{
	struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	if (!cpu)
		return;
	cpu->fence = timeline_bound(event->wire.ts_ns, LANE_RULE_RING_SIGNAL, tl->now.event);
	cpu->fence_tid = event->wire.tid;
	cpu->fence_ctx = event->u.fence.context;
	cpu->fence_seqno = event->u.fence.seqno;
	cpu->is_fence_same_work = same_work;
}

void timeline_job_wait(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_rq *before;

	if (event->wire.kind == LANE_FENCE_WAIT_END || event->wire.kind == LANE_SYNCOBJ_WAITED) {
		if (timeline_wait_end(tl, rq, event))
			timeline_job_unwaited(tl, rq);
		return;
	}
	before = timeline_wait_missed(tl, event->wire.tid);
	if (before && before->job && before != rq)
		timeline_job_unwaited(tl, before);
	timeline_wait_begin(tl, rq, event);
}

/* The first event of drm_sched is the making of a job's fences; xe's queues have one before their
 * first job. False: it is not that, or there is no memory. */
static bool drm_begins(struct lane_timeline *tl, const struct lane_event *event)
{
	const char *driver = event->u.dma_fence_init.driver;

	return event->wire.kind == LANE_FENCE_INIT &&
	       (!strcmp(driver, "drm_sched") || !strcmp(driver, "xe")) && timeline_jobs_get(tl);
}

bool timeline_job_fence_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	bool same_work = false;
	struct lane_rq *rq;

	if (!tl->jobs && !drm_begins(tl, event))
		return false;
	tl->jobs->cpu = event->cpu;
	if (kind == LANE_FENCE_INIT) {
		timeline_job_note_maker(tl, event);
		on_init(tl, event);
		return false;
	}
	if (kind == LANE_FENCE_SIGNALED)
		same_work = on_any_signal(tl, event);
	if (kind == LANE_FENCE_SIGNALED)
		timeline_job_overtakes(tl, event);
	rq = timeline_request_by_fence(tl, event);
	if (rq && !rq->job)
		rq = NULL;
	if (rq && kind == LANE_FENCE_SIGNALED)
		timeline_job_is_signalled(tl, rq, event);
	else if (rq && kind != LANE_FENCE_ENABLE_SIGNAL)
		timeline_job_wait(tl, rq, event);
	if (kind == LANE_FENCE_SIGNALED)
		note_cpu(tl, event, same_work);
	return rq || timeline_job_context(tl, event->u.fence.context);
}

/* The event's names rest on earlier events, some of which may have been lost. */
static bool is_unsure(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_raw *raw = &event->raw;

	return (raw->named_since_ns &&
		timeline_jobs_are_lossy(tl, raw->named_since_ns, raw->named_by_ns)) ||
	       (raw->known_ns && timeline_jobs_are_lossy(tl, raw->known_ns, event->wire.ts_ns));
}

/* The ring was given a job, and it is not known which. What the thread does next is of that job. */
static void miss_run(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_ring_get(tl, &event->u.drm_sched_job_queue);

	timeline_job_forget_thread(tl, event->wire.tid);
	if (!eng)
		return;
	eng->ring->run.ns = 0;
	timeline_idle_cut(tl, eng, event->wire.ts_ns);
	timeline_engine_doubt(eng, event->wire.ts_ns);
}

void timeline_job_event(struct lane_timeline *tl, const struct lane_event *event)
{
	if (!timeline_jobs_get(tl))
		return;
	tl->jobs->cpu = event->cpu;
	if (event->wire.kind != LANE_DRM_ADD_DEP)
		timeline_job_no_dependency(tl);
	if (is_unsure(tl, event)) {
		if (event->wire.kind == LANE_DRM_RUN)
			miss_run(tl, event);
		return;
	}
	switch (event->wire.kind) {
	case LANE_DRM_QUEUE:
		on_queue(tl, event);
		break;
	case LANE_DRM_ADD_DEP:
	case LANE_DRM_UNSCHEDULABLE:
		timeline_job_depends(tl, event);
		break;
	case LANE_DRM_RUN:
		timeline_job_run(tl, event);
		break;
	default:
		timeline_job_is_done(tl, event);
		break;
	}
}
