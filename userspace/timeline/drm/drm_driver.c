// SPDX-License-Identifier: MIT
/*
 * What GPU drivers tell by tracepoints of their own (docs/driver-events.md). Each event is told
 * with the job that it is about, where that is known. The drivers' sources are
 * drivers/gpu/drm/{xe,amd/amdgpu,lima,msm,v3d} of Linux 6.1, 6.12 and 7.3.
 */
#include "timeline/drm/drm_driver.h"
#include "timeline/drm/drm_alone.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/drm/drm_run.h"
#include "timeline/drm/drm_userq.h"
#include "timeline/fault.h"
#include "timeline/objects.h"
#include "timeline/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The CPU's clock and the GPU's differ in speed by this at most: adjtime() slews by 500 ppm. */
#define DRIFT_PPM 600
/* msm's GPUs count at 19.2 MHz (retire_submit() of msm_gpu.c). */
#define TICK_UP	   625
#define TICK_DOWN  12
#define TICK_NS	   53
#define MAX_TICKS  (1ull << 40) /* half a day: no job takes so long */
#define PAGE_BYTES 4096
/* The events of the registers that are dumped as a GPU is reset come within this time, ns. */
#define RESET_NS 100000000

/* ---- causes ---- */

/* Fills in whose job rq was. rq NULL: nothing is known. */
static void drm_driver_blame(struct lane_fault *fault, const struct lane_rq *rq)
{
	if (!rq)
		return;
	fault->context = rq->pub.context;
	fault->seqno = rq->pub.seqno;
	fault->client = timeline_client_of(&rq->pub);
	if (rq->pub.engine)
		fault->engine = rq->pub.engine;
}

/* Tells a fault that is of rq's (NULL: not known) and of this device (NULL: it is not named). */
static void drm_driver_tell(struct lane_timeline *tl, const struct lane_event *event,
			    struct lane_fault fault, const struct lane_rq *rq, const char dev[32])
{
	char device[33];

	drm_driver_blame(&fault, rq);
	snprintf(device, sizeof(device), "%.32s", dev ? dev : "");
	fault.kind = event->wire.kind;
	fault.driver = timeline_driver_of(event);
	fault.until_ns = event->wire.ts_ns;
	if (!fault.at_ns)
		fault.at_ns = event->wire.ts_ns;
	fault.device = device;
	if (rq && (fault.cause == LANE_FAULT_TIMEOUT || fault.cause == LANE_FAULT_RESET))
		fault.given_up_ns = event->wire.ts_ns;
	if (!*device && fault.engine && fault.engine->device)
		fault.device = fault.engine->device;
	if (tl->hooks.fault)
		tl->hooks.fault(tl->hooks.arg, &fault);
}

/* The first job that the ring was given and that has not ended; NULL: it is not certain which. */
static struct lane_rq *first_of(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	struct lane_rq *first = eng->ring->first;

	/* An unseen job may have been given before it. */
	if (!first || eng->ring->is_two || !first->job->is_linked ||
	    timeline_job_is_lossy(tl, first))
		return NULL;
	return first;
}

/* The job that was in the GPU as the event's driver reset it: only one ring of that driver has a
 * job, and this is its first. NULL: not known. */
static struct lane_rq *only_job(const struct lane_timeline *tl, const struct lane_event *event)
{
	const char *driver = timeline_driver_of(event);
	struct lane_rq *only = NULL;

	for (uint32_t i = 0; i < tl->n_engines; i++) {
		const struct lane_eng *eng = tl->engine_by_id[i];

		if (!eng->ring || strcmp(eng->ring->driver, driver) != 0 || !eng->ring->first)
			continue;
		if (only)
			return NULL;
		only = first_of(tl, eng);
		if (!only)
			return NULL;
	}
	return only;
}

/* The GPU was reset, with the one job that it had: that was lost or begun again. */
static void tell_reset(struct lane_timeline *tl, const struct lane_event *event,
		       struct lane_fault fault)
{
	struct lane_rq *rq = only_job(tl, event);

	/* Another ring may have a job from before the recording: the scheduler's time-out names
	 * the one that hangs, where that is recorded. */
	if (rq && rq->pub.fault != LANE_FAULT_OVERDUE && tl->figures.by_kind[LANE_RESET])
		rq = NULL;
	if (rq)
		timeline_fault_in_reset(tl, rq);
	drm_driver_tell(tl, event, fault, rq, NULL);
}

static bool is_of_device(const struct lane_eng *eng, const char dev[32])
{
	return !*dev || !*eng->ring->device || !strncmp(eng->ring->device, dev, 32);
}

/* The number at the end of a ring's name that begins with `begin` (NULL: with anything); -1: the
 * name is another. */
static long drm_driver_number_of(const char *name, const char *begin)
{
	size_t length = begin ? strlen(begin) : strcspn(name, "0123456789");
	char *end;
	long number;

	if ((begin && strncmp(name, begin, length) != 0) || name[length] < '0' ||
	    name[length] > '9')
		return -1;
	number = strtol(name + length, &end, 10);
	return *end ? -1 : number;
}

/* The ring of one of xe's queues. Its name is the class of its engines and the firmware's number
 * for it (xe_exec_queue_assign_name()). NULL: there is none, or there are several. */
static struct lane_eng *queue_of(const struct lane_timeline *tl, const char *class, uint32_t guc_id,
				 const char dev[32])
{
	struct lane_eng *only = NULL;

	for (uint32_t i = 0; i < tl->n_engines; i++) {
		struct lane_eng *eng = tl->engine_by_id[i];

		if (!eng->ring || !is_of_device(eng, dev) ||
		    (*eng->ring->driver && eng->ring->each != LANE_RING_LONG) ||
		    drm_driver_number_of(eng->ring->name, class) != (long)guc_id)
			continue;
		if (only)
			return NULL;
		only = eng;
	}
	return only;
}

/* xe gives up a job, or bans its queue. The event names the job, or it is the first of its queue
 * (guc_submit.c). */
static void on_xe_job(struct lane_timeline *tl, const struct lane_event *event, unsigned int cause)
{
	const struct lane_p_xe_sched_job_timedout *job = &event->u.xe_sched_job_timedout;
	struct lane_fault fault = { .cause = (uint8_t)cause };
	const struct lane_eng *eng;
	const struct lane_ctx *ctx;
	struct lane_rq *rq = NULL;

	if (!job->fence_context) {
		eng = queue_of(tl, NULL, job->guc_id, job->dev);
		rq = eng ? first_of(tl, eng) : NULL;
		fault.engine = eng ? &eng->pub : NULL;
	} else if ((ctx = timeline_context_by_fence(tl, job->fence_context))) {
		rq = lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)job->fence_seqno);
		fault.engine = ctx->engine;
		fault.context = &ctx->pub; /* where the job has been told already */
		fault.seqno = (uint32_t)job->fence_seqno;
		fault.client = ctx->pub.client;
	}
	if (rq)
		timeline_fault_is_told(tl, rq, cause);
	drm_driver_tell(tl, event, fault, rq, job->dev);
}

/*
 * xe sets the error of a job's fence. Linux 6.12 does so as it hands over a job of a long-running
 * queue, too: -95, -EOPNOTSUPP (guc_exec_queue_run_job(), xe_guc_submit.c). Of others' traces the
 * queue's number must fit the job that the thread is giving to its ring.
 */
static void on_xe_error(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_xe_sched_job_set_error *job = &event->u.xe_sched_job_set_error;
	struct lane_drm_ring *ring;
	struct lane_rq *rq;

	(void)what;
	if (job->error != -95) {
		rq = timeline_request_of_fence(tl, job->fence_context, job->fence_seqno);
		if (rq)
			timeline_fault_has_error(tl, rq, job->error);
		return;
	}
	rq = timeline_job_of_thread(tl, event->wire.tid);
	if (!rq || timeline_job_ring(rq)->each == LANE_RING_SERIAL ||
	    (job->fence_context
		     ? job->fence_context != rq->pub.context->ctx
		     : drm_driver_number_of(timeline_job_ring(rq)->name, NULL) != job->guc_id))
		return;
	timeline_job_learn_queue(rq, LANE_QUEUE_KNOWN | LANE_QUEUE_LONG_RUNNING);
	timeline_job_bursts(tl, rq, event->wire.ts_ns);
	ring = timeline_job_ring(rq);
	ring->burst_client = timeline_client_of(&rq->pub);
	ring->burst = (struct lane_job_time){ rq->pub.execute_ns, rq->job->run_cpu };
	memcpy(ring->burst_dev, job->dev, sizeof(ring->burst_dev));
}

/*
 * Whose queue it is that has the number of this ring. No two queues of a tile have it at a time,
 * and who has it was given the last job: the firmware resets what it has been given. NULL: it is
 * not certain.
 */
static struct lane_client *last_on(const struct lane_timeline *tl, const struct lane_drm_ring *ring,
				   const char dev[32])
{
	if (!*dev || tl->has_tiles || ring->is_two || tl->info.follows_some ||
	    ring->run.ns != ring->burst.ns ||
	    memcmp(ring->burst_dev, dev, sizeof(ring->burst_dev)) != 0 ||
	    timeline_jobs_are_lossy_since(tl, ring->burst))
		return NULL;
	return ring->burst_client;
}

static void on_xe_queue(struct lane_timeline *tl, const struct lane_event *event,
			unsigned int cause)
{
	static const char *const classes[] = { "rcs", "vcs", "vecs", "bcs", "gsccs", "ccs" };
	const struct lane_p_xe_exec_queue_reset *queue = &event->u.xe_exec_queue_reset;
	struct lane_fault fault = { .cause = (uint8_t)cause };
	const struct lane_eng *eng = NULL;
	const struct lane_rq *rq = NULL;

	/* The second GT of a tile has the video engines alone. */
	tl->has_tiles |= queue->gt_id > 1 || (queue->gt_id && queue->class != 1 &&
					      queue->class != 2 && queue->class != 4);
	if (queue->class < sizeof(classes) / sizeof(classes[0]))
		eng = queue_of(tl, classes[queue->class], queue->guc_id, queue->dev);
	if (eng) {
		fault.engine = &eng->pub;
		fault.client = last_on(tl, eng->ring, queue->dev);
		rq = first_of(tl, eng);
	}
	drm_driver_tell(tl, event, fault, rq, queue->dev);
}

/* A page fault is handled by a worker of the driver. */
static void on_xe_pagefault(struct lane_timeline *tl, const struct lane_event *event,
			    unsigned int cause)
{
	struct lane_fault fault = { .cause = (uint8_t)cause };

	drm_driver_tell(tl, event, fault, NULL, event->u.xe_vma_pagefault.dev);
}

/* Memory is moved out of the GPU's memory, or taken back, in the thread that needs room. */
static void evicted(struct lane_timeline *tl, const struct lane_event *event, uint64_t bytes,
		    const char dev[32])
{
	struct lane_fault fault = { .cause = LANE_FAULT_EVICTION, .bytes = bytes };

	if (event->wire.pid > 0)
		fault.client = timeline_client_get(tl, event->wire.pid);
	drm_driver_tell(tl, event, fault, NULL, dev);
}

static void on_xe_evict(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_xe_vma_evict *vma = &event->u.xe_vma_evict;

	(void)what;
	evicted(tl, event, vma->end >= vma->start ? vma->end - vma->start + 1 : 0, vma->dev);
}

static void on_move(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_amdgpu_bo_move *move = &event->u.amdgpu_bo_move;

	(void)what;
	/* TTM_PL_VRAM is 2, TTM_PL_TT 1, TTM_PL_SYSTEM 0 (include/drm/ttm/ttm_placement.h). */
	if (move->old_placement == 2 && move->new_placement < 2)
		evicted(tl, event, move->bo_size, NULL);
}

static void on_shrink(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_msm_gem_shrink *s = &event->u.msm_gem_shrink;
	uint64_t pages = (uint64_t)s->purged + s->evicted + s->active_purged + s->active_evicted;

	(void)what;
	if (pages)
		evicted(tl, event, pages * PAGE_BYTES, NULL);
}

static void on_amd_reset(struct lane_timeline *tl, const struct lane_event *event,
			 unsigned int cause)
{
	uint64_t *last_ns = &tl->jobs->amd_reset_ns;
	bool is_more = *last_ns && event->wire.ts_ns < *last_ns + RESET_NS;

	*last_ns = event->wire.ts_ns;
	if (!is_more)
		tell_reset(tl, event, (struct lane_fault){ .cause = (uint8_t)cause });
}

static void on_v3d_reset_begin(struct lane_timeline *tl, const struct lane_event *event,
			       unsigned int what)
{
	(void)what;
	/* What this thread starts from now on was started before. */
	timeline_job_forget_thread(tl, event->wire.tid);
	tl->jobs->v3d_reset_ns = event->wire.ts_ns;
	tl->jobs->v3d_reset_dev = event->u.v3d_reset_begin.dev;
}

static void on_v3d_reset_end(struct lane_timeline *tl, const struct lane_event *event,
			     unsigned int cause)
{
	struct lane_fault fault = { .cause = (uint8_t)cause };

	if (tl->jobs->v3d_reset_dev == event->u.v3d_reset_end.dev)
		fault.at_ns = tl->jobs->v3d_reset_ns;
	tl->jobs->v3d_reset_ns = 0;
	tell_reset(tl, event, fault);
}

/* ---- v3d's interrupts ---- */

/* v3d_submit_* has the same layout. */
static void on_v3d_submit(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int sequence)
{
	const struct lane_p_v3d_bcl_irq *fence = &event->u.v3d_bcl_irq;

	if (event->wire.kind == LANE_V3D_SUBMIT_CL && event->u.v3d_submit_cl.is_render)
		sequence = LANE_V3D_RENDER;
	timeline_alone_v3d(tl, event, LANE_DRM_RUN, sequence);
	timeline_alone_number(tl, event, timeline_alone_key(sequence, fence->dev), fence->seqno);
}

/* R35. The interrupt is being handled: the ring's fence is signalled next (v3d_irq.c). */
static void on_v3d_irq(struct lane_timeline *tl, const struct lane_event *event,
		       unsigned int sequence)
{
	const struct lane_p_v3d_bcl_irq *fence = &event->u.v3d_bcl_irq;
	struct lane_rq *rq = lane_table_get(&tl->jobs->told,
					    timeline_alone_key(sequence, fence->dev), fence->seqno);

	if (rq && !timeline_request_has_ended(rq) && !rq->job->irq.ns &&
	    !timeline_job_is_lossy(tl, rq))
		rq->job->irq =
			timeline_bound(event->wire.ts_ns, LANE_RULE_DRIVER_IRQ, tl->now.event);
	timeline_alone_v3d(tl, event, LANE_DRM_DONE, sequence);
}

/* ---- msm's clock ---- */

/* R36. The GPU's clock was read between drm_sched_job_run and this event (a6xx_submit(),
 * a6xx_gpu.c). */
static void on_flush(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_msm_gpu_submit_flush *flush = &event->u.msm_gpu_submit_flush;
	struct lane_rq *rq;

	(void)what;
	timeline_alone_msm(tl, event);
	rq = timeline_alone_number(tl, event,
				   timeline_alone_key(LANE_MSM_RING + (flush->ringid & 0xffff), 0),
				   flush->seqno);
	if (!rq)
		return;
	rq->job->ticks = flush->ticks;
	rq->job->ticks_ns = event->wire.ts_ns;
}

static uint64_t ns_of(uint64_t ticks)
{
	return ticks * TICK_UP / TICK_DOWN;
}

/* By so much ns of the GPU's clock may be wrong in the CPU's. */
static uint64_t error_of(uint64_t ns)
{
	return ns / 1000000 * DRIFT_PPM + TICK_NS;
}

/* R36. The time of the GPU's clock that is `ticks` after the reading of both clocks for the job. */
static struct lane_bounds time_of(const struct lane_timeline *tl, const struct lane_rq *rq,
				  uint64_t ticks)
{
	uint64_t ns = ns_of(ticks), error = error_of(ns);

	return timeline_bounds(
		timeline_bound(rq->pub.execute_ns + (ns > error ? ns - error : 0), LANE_RULE_TICKS,
			       tl->now.event),
		timeline_bound(rq->job->ticks_ns + ns + error, LANE_RULE_TICKS, tl->now.event));
}

/* The driver's times of rq are of one clock, from the reading on. */
static bool has_ticks(const struct lane_rq *rq, const struct lane_p_msm_gpu_submit_retired *r)
{
	return rq->job->ticks_ns && !rq->job->ticks_void && r->start_ticks >= rq->job->ticks &&
	       r->end_ticks >= r->start_ticks && r->end_ticks - rq->job->ticks < MAX_TICKS;
}

/* Another ring may have had the GPU since rq was handed over. */
static bool may_be_preempted(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	if (timeline_job_is_lossy(tl, rq))
		return true;
	if (tl->info.presence[LANE_MSM_PREEMPT] == LANE_PRESENCE_RECORDED)
		return tl->jobs->msm_preempt_ns >= rq->pub.execute_ns;
	/* Only to another ring that has a job: of those that it got before rq none is preferred to
	 * rq, which began. */
	for (uint32_t i = 0; i < tl->n_engines; i++) {
		const struct lane_drm_ring *ring = tl->engine_by_id[i]->ring;

		if (ring && ring != timeline_job_ring(rq) && ring->run.ns > rq->pub.execute_ns)
			return true;
	}
	return !tl->jobs->is_stood_for;
}

/*
 * R36. Without drm_sched's events nothing comes before the reading. But the ring gets the job after
 * the event of the reading (a6xx_flush()), so that no job begins before. That bounds the time of
 * the GPU's clock from below, at this job and at all that begin later.
 */
static bool bound_by_ticks(struct lane_timeline *tl, const struct lane_rq *rq,
			   const struct lane_p_msm_gpu_submit_retired *r, struct lane_bounds *start)
{
	struct lane_drm_jobs *all = tl->jobs;
	uint64_t ns = ns_of(r->start_ticks - rq->job->ticks), since_ns;

	timeline_bounds_cut(start, timeline_bound(rq->job->ticks_ns + ns + error_of(ns),
						  LANE_RULE_TICKS, tl->now.event));
	if (all->msm_since_ns && r->start_ticks >= all->msm_since_ticks &&
	    r->start_ticks - all->msm_since_ticks < MAX_TICKS) {
		since_ns = ns_of(r->start_ticks - all->msm_since_ticks);
		timeline_bounds_raise(
			start, timeline_bound(all->msm_since_ns + since_ns - error_of(since_ns),
					      LANE_RULE_TICKS, tl->now.event));
	}
	all->msm_since_ticks = r->start_ticks;
	all->msm_since_ns = start->lo <= start->hi ? start->lo : 0; /* 0: it began anew */
	return all->msm_since_ns;
}

/* rq, of which no event of drm_sched's is recorded, has ended: when, the GPU's clock tells. */
static void end_alone(struct lane_timeline *tl, struct lane_rq *rq,
		      const struct lane_p_msm_gpu_submit_retired *r)
{
	struct lane_bound now = timeline_bound(tl->now.ns, LANE_RULE_DONE, tl->now.event);
	struct lane_bounds start = timeline_bounds(timeline_job_given(rq), now), whole = start;
	struct lane_job_ending ending = { .at = start, .is_known = true };
	uint64_t ran_ns = ns_of(r->end_ticks - r->start_ticks), error_ns = error_of(ran_ns);
	struct lane_span ran = { ran_ns > error_ns ? ran_ns - error_ns : 0, ran_ns + error_ns };

	if (timeline_has_started(&rq->pub))
		timeline_bounds_raise(
			&start, (struct lane_bound){ rq->pub.start.lo, rq->pub.start_why.lo });
	if (!has_ticks(rq, r) || timeline_job_is_lossy(tl, rq) ||
	    !bound_by_ticks(tl, rq, r, &start)) {
		timeline_job_end(tl, rq, ending);
		return;
	}
	timeline_request_set_start(rq, &start);
	whole = timeline_bounds(timeline_bound(start.lo + ran.lo, LANE_RULE_TICKS, tl->now.event),
				timeline_bound(start.hi + ran.hi, LANE_RULE_TICKS, tl->now.event));
	ending.is_seen = true;
	timeline_bounds_raise(&ending.at, timeline_bounds_lo(&whole));
	timeline_bounds_cut(&ending.at, timeline_bounds_hi(&whole));
	timeline_job_end(tl, rq, ending);
	rq->pub.running = may_be_preempted(tl, rq) ? (struct lane_span){ 0, ran.hi } : ran;
	rq->pub.preempted = (struct lane_span){ 0, may_be_preempted(tl, rq) ? ran.hi : 0 };
}

/*
 * R36. The start of an ended job is known better by now, from the GPU's clock. Before, a job that
 * followed another one had its start by the other's signal, which comes a little later than the
 * end.
 */
static void tighten_start(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds at)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	uint64_t before_ns = rq->pub.start.lo;
	struct lane_span whole;

	timeline_bounds_raise(&at, timeline_job_given(rq));
	timeline_bounds_cut(&at, (struct lane_bound){ rq->pub.end.hi, rq->pub.end_why.hi });
	if (at.lo > at.hi || at.hi - at.lo >= rq->pub.start.hi - rq->pub.start.lo)
		return; /* the GPU's clock was restarted, or tells no more than is known */
	timeline_request_set_start(rq, &at);
	if (at.lo != before_ns) {
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, before_ns);
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, at.lo);
	}
	whole = timeline_span_between(rq->pub.start, rq->pub.end);
	rq->pub.running = may_be_preempted(tl, rq) ? (struct lane_span){ 0, whole.hi } : whole;
	rq->pub.preempted = (struct lane_span){ 0, may_be_preempted(tl, rq) ? whole.hi : 0 };
}

/* The driver cleans up in a worker, after the signal: the job has ended (msm_gpu.c). */
static void on_retired(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	const struct lane_p_msm_gpu_submit_retired *r = &event->u.msm_gpu_submit_retired;
	struct lane_rq *rq = lane_table_get(
		&tl->jobs->told, timeline_alone_key(LANE_MSM_RING + (r->ringid & 0xffff), 0),
		r->seqno);

	(void)what;
	if (!rq)
		return;
	if (!timeline_request_has_ended(rq) && tl->jobs->is_stood_for) {
		end_alone(tl, rq, r);
		timeline_job_release(rq);
		timeline_job_over(tl, rq);
		return;
	}
	if (timeline_request_has_ended(rq) && timeline_has_started(&rq->pub) && has_ticks(rq, r) &&
	    !(rq->pub.doubt & (LANE_DOUBT_DEVICE | LANE_DOUBT_END)) &&
	    !timeline_job_is_lossy(tl, rq))
		tighten_start(tl, rq, time_of(tl, rq, r->start_ticks - rq->job->ticks));
	timeline_job_release(rq);
	timeline_job_unwaited(tl, rq);
}

static void on_preempt(struct lane_timeline *tl, const struct lane_event *event, unsigned int what)
{
	(void)what;
	tl->jobs->msm_preempt_ns = event->wire.ts_ns;
}

/* ---- */

/* Who reads an event, and what it tells: a cause, a sequence, or the event that it stands for. */
static const struct {
	void (*on)(struct lane_timeline *tl, const struct lane_event *event, unsigned int what);
	unsigned int what;
} readers[LANE_KIND_COUNT] = {
	[LANE_XE_TIMEDOUT] = { on_xe_job, LANE_FAULT_TIMEOUT },
	[LANE_XE_BAN] = { on_xe_job, LANE_FAULT_BAN },
	[LANE_XE_ERROR] = { on_xe_error, 0 },
	[LANE_XE_RESET] = { on_xe_queue, LANE_FAULT_RESET },
	[LANE_XE_CAT_ERROR] = { on_xe_queue, LANE_FAULT_MEMORY },
	[LANE_XE_PAGEFAULT] = { on_xe_pagefault, LANE_FAULT_PAGE },
	[LANE_XE_EVICT] = { on_xe_evict, 0 },
	[LANE_XE_JOB_QUEUE] = { timeline_alone_xe, LANE_DRM_QUEUE },
	[LANE_XE_JOB_RUN] = { timeline_alone_xe, LANE_DRM_RUN },
	[LANE_XE_JOB_FREE] = { timeline_alone_xe, LANE_DRM_DONE },
	[LANE_XE_FENCE_SIGNAL] = { timeline_alone_xe, LANE_DRM_DONE },
	[LANE_AMD_SUBMIT] = { timeline_alone_named, LANE_DRM_QUEUE },
	[LANE_AMD_RUN] = { timeline_alone_named, LANE_DRM_RUN },
	[LANE_AMD_MOVE] = { on_move, 0 },
	[LANE_AMD_RESET] = { on_amd_reset, LANE_FAULT_RESET },
	[LANE_AMD_USERQ_EMIT] = { timeline_userq_emits, 0 },
	[LANE_AMD_USERQ_WAIT] = { timeline_userq_waits, 0 },
	[LANE_LIMA_SUBMIT] = { timeline_alone_named, LANE_DRM_QUEUE },
	[LANE_LIMA_RUN] = { timeline_alone_named, LANE_DRM_RUN },
	[LANE_MSM_FLUSH] = { on_flush, 0 },
	[LANE_MSM_RETIRED] = { on_retired, 0 },
	[LANE_MSM_PREEMPT] = { on_preempt, 0 },
	[LANE_MSM_SHRINK] = { on_shrink, 0 },
	[LANE_V3D_SUBMIT_CL] = { on_v3d_submit, LANE_V3D_BIN },
	[LANE_V3D_SUBMIT_TFU] = { on_v3d_submit, LANE_V3D_TFU },
	[LANE_V3D_SUBMIT_CSD] = { on_v3d_submit, LANE_V3D_CSD },
	[LANE_V3D_BCL_IRQ] = { on_v3d_irq, LANE_V3D_BIN },
	[LANE_V3D_RCL_IRQ] = { on_v3d_irq, LANE_V3D_RENDER },
	[LANE_V3D_TFU_IRQ] = { on_v3d_irq, LANE_V3D_TFU },
	[LANE_V3D_CSD_IRQ] = { on_v3d_irq, LANE_V3D_CSD },
	[LANE_V3D_RESET_BEGIN] = { on_v3d_reset_begin, 0 },
	[LANE_V3D_RESET_END] = { on_v3d_reset_end, LANE_FAULT_RESET },
};

void timeline_driver_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;

	if (!timeline_jobs_get(tl))
		return;
	tl->jobs->cpu = event->cpu;
	readers[kind].on(tl, event, readers[kind].what);
}
