// SPDX-License-Identifier: MIT
// A job on its ring: given to it, begun (R30, R31), ended.
#include "timeline/drm/drm_run.h"
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/sched/actor.h"
#include "timeline/sched/idle.h"
#include "timeline/sched/work.h"
#include "timeline/tell.h"

/* Several schedulers have this name; or, up to Linux 6.16, where no event names the device, may
 * have it. */
static bool may_be_two(const struct lane_drm_ring *ring)
{
	return ring->is_two || (!*ring->device && ring->discipline == LANE_RING_UNKNOWN);
}

/* What the job before rq says of rq, which began at a time in `at`. */
static void drm_run_follow(const struct lane_drm_ring *ring, struct lane_rq *rq,
			   const struct lane_bounds *at)
{
	/* free_by is NULL if it is not known how the job before ended. */
	rq->job->is_behind_unknown = !ring->free_by;
	rq->job->follows = ring->free_by && at->lo == ring->free.lo && at->hi == ring->free.hi;
	if (ring->discipline != LANE_RING_UNKNOWN && rq->pub.execute_ns < ring->free.lo &&
	    ring->free_by && !rq->job->is_behind_gone)
		rq->pub.behind = &ring->free_by->pub;
}

/* rq, the first job of the ring, starts: when the job before it ended (ring->free), or as it was
 * given to the ring. */
static void drm_run_start(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_drm_ring *ring = eng->ring;
	struct lane_job *job = rq->job;
	struct lane_bounds at = timeline_bounds_exact(timeline_job_given(rq));
	bool waited = job->is_linked && ring->free.hi > at.lo;

	if (waited) {
		timeline_bounds_raise(
			&at, timeline_bound_of_next(timeline_bounds_lo(&ring->free), false));
		timeline_bounds_widen(
			&at, timeline_bound_of_next(timeline_bounds_hi(&ring->free), true));
	}
	if (eng->idle.since_ns)
		timeline_idle_end(tl, eng, rq, at.lo,
				  !job->is_linked || timeline_engine_unproven(eng));
	if (!job->is_linked || ring->discipline != LANE_RING_SERIAL)
		/* an unseen job may run before it, or a firmware decides */
		timeline_bounds_set_hi(&at, timeline_bound_bare(LANE_NEVER));
	if (ring->discipline == LANE_RING_UNKNOWN)
		timeline_bounds_set_lo(&at, timeline_job_given(rq));
	if (waited)
		drm_run_follow(ring, rq, &at);
	timeline_request_set_start(rq, &at);
	eng->running = rq;
	timeline_queue_leave(tl, rq, timeline_not_before(at.lo, rq->pub.execute_ns));
	timeline_request_state(tl, rq, LANE_RQ_STATE_RUNNING,
			       timeline_not_before(at.lo, rq->pub.execute_ns));
}

static void start_next(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *first = eng->ring->first;

	if (first && !timeline_has_started(&first->pub) && !(first->pub.doubt & LANE_DOUBT_BURST))
		drm_run_start(tl, eng, first);
}

/* The thread is giving rq to its ring, and no earlier job any more. */
static void note_thread(struct lane_timeline *tl, struct lane_rq *rq, int32_t tid)
{
	rq->job->run_tid = tid;
	if (tid < 0)
		return;
	lane_table_del(&tl->jobs->jobs, (uint32_t)tid, 1);
	if (!lane_table_put(&tl->jobs->jobs, (uint32_t)tid, 1, rq))
		tl->no_memory = true;
}

/*
 * The scheduler counts one job, but others are on the ring. They ended, unseen; or they are of
 * another scheduler, whose ring has the same name. A job whose fence has been signalled is not
 * counted any more, even before its `done` comes (drm_sched_job_done(), sched_main.c).
 */
static void see_others(struct lane_timeline *tl, struct lane_drm_ring *ring, uint64_t now_ns)
{
	const struct lane_rq *first = ring->first;

	if (!timeline_job_is_lossy(tl, first)) {
		if (!*ring->device && timeline_sees(tl, LANE_FENCE_SIGNALED) && !first->job->hw.ns)
			timeline_ring_is_two(tl, ring);
		return;
	}
	while (ring->first && !ring->is_two) {
		struct lane_rq *rq = ring->first;

		rq->pub.doubt |= LANE_DOUBT_END;
		timeline_job_end(tl, rq,
				 (struct lane_job_ending){
					 .at = timeline_bounds(timeline_job_given(rq),
							       timeline_bound_bare(now_ns)) });
	}
}

void timeline_job_bursts(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	timeline_queue_leave(tl, rq, now_ns);
	if (eng->running == rq)
		eng->running = NULL;
	rq->pub.start = (struct lane_span){ 0 };
	timeline_idle_cut(tl, eng, now_ns); /* whether it idles nobody knows from now on */
	timeline_request_state(tl, rq, LANE_RQ_STATE_BURST, now_ns);
}

/* For so long the first job of rq's queue waited for that context's request. */
static void add_head(struct lane_head *heads, struct lane_context *after, uint64_t ns)
{
	for (uint32_t i = 0; i < LANE_HEADS; i++) {
		if (heads[i].after && heads[i].after != after)
			continue;
		heads[i].after = after;
		heads[i].ns += ns;
		return;
	}
}

/* An entity's jobs are given to their ring in order. A job is the first of its queue since the one
 * before it was; rq's wait as the first keeps those behind it. */
static void see_heads(struct lane_timeline *tl, struct lane_ctx *ctx, struct lane_rq *rq,
		      uint64_t now_ns)
{
	uint64_t first_ns = timeline_later(ctx->run_ns, rq->pub.add_ns);
	struct lane_head_waits *heads = ctx->heads;

	for (uint32_t i = 0; heads && i < LANE_HEAD_WAITS && i < heads->n; i++) {
		uint64_t from_ns = timeline_later(heads->all[i].from_ns, rq->pub.submit_ns);
		uint64_t to_ns = timeline_sooner(heads->all[i].to_ns, now_ns);

		if (from_ns < to_ns)
			add_head(rq->job->heads, heads->all[i].after, to_ns - from_ns);
	}
	if (!rq->pub.after || rq->pub.submit_ns <= first_ns)
		return;
	if (!heads)
		heads = ctx->heads = lane_pool_get(&tl->heads_pool);
	if (heads)
		heads->all[heads->n++ % LANE_HEAD_WAITS] =
			(struct lane_head_wait){ rq->pub.after, first_ns, rq->pub.submit_ns };
}

/*
 * The thread gives rq to its ring now. It could have done so as soon as it had a CPU: from when rq
 * and all jobs of its entity before it were free to run, and the ring had a place. It has had one
 * since it last held as many jobs as it was ever seen to hold; where jobs count more than once
 * (credits, from Linux 6.8 on), since a job left it.
 */
static void see_hand_over(struct lane_timeline *tl, struct lane_drm_ring *ring, struct lane_rq *rq,
			  const struct lane_event *event)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	uint32_t counted = (uint32_t)event->u.drm_sched_job_run.hw_job_count;
	bool is_counted = counted == ring->n + 1 && !ring->is_full;
	int32_t tid = event->wire.tid;
	uint64_t from_ns;

	if (rq->pub.seen & LANE_SEEN_SUBMIT) {
		see_heads(tl, ctx, rq, event->wire.ts_ns);
		ctx->free_ns = timeline_later(ctx->free_ns, rq->pub.submit_ns);
	} else { /* when it was free is not known: by now it was */
		ctx->free_ns = event->wire.ts_ns;
	}
	ctx->run_ns = event->wire.ts_ns;
	if (tid > 0 && tid != rq->pub.tid && !ring->is_two && rq->pub.seen & LANE_SEEN_SUBMIT) {
		from_ns = timeline_later(ctx->free_ns, is_counted ? ring->place_ns : ring->left_ns);
		timeline_actor_waited(tl, tid, from_ns, &rq->job->actors[LANE_ACTOR_HAND_OVER]);
		timeline_work_waited(tl, tid, from_ns, &rq->job->actors[LANE_ACTOR_HAND_OVER],
				     &rq->job->actors[LANE_ACTOR_ITEM]);
		timeline_actor_learn(tl, tid);
	}
	if (counted > ring->most)
		ring->most = counted;
	ring->is_full = counted >= ring->most;
}

void timeline_job_run(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_run *run = &event->u.drm_sched_job_run;
	struct lane_eng *eng =
		timeline_ring_get(tl, (const struct lane_p_drm_sched_job_queue *)run);
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_drm_ring *ring;
	struct lane_rq *rq;
	bool is_alone;

	rq = eng ? timeline_job_find(tl, eng->pub.dev, event, true) : NULL;
	if (!rq || timeline_request_has_ended(rq) || (rq->pub.seen & LANE_SEEN_EXECUTE))
		return;
	timeline_ring_learn_driver(tl, eng, event);
	ring = eng->ring;
	timeline_job_settle(rq, eng);
	if (rq->pub.seen & LANE_SEEN_ADD)
		timeline_job_decide_submit(tl, rq);
	rq->pub.seen |= LANE_SEEN_EXECUTE;
	rq->pub.execute_ns = now_ns;
	rq->pub.executes = 1;
	rq->pub.by.execute = tl->now.event;
	rq->job->run_cpu = event->cpu;
	note_thread(tl, rq, event->wire.tid);
	if (run->hw_job_count == 1 && ring->first)
		see_others(tl, ring, now_ns);
	/* The scheduler counts this job already, so 1 says that there is no other (sched_main.c).
	 * If several schedulers have this name, the count is that of one of them. */
	is_alone = run->hw_job_count == 1;
	if (is_alone && !may_be_two(ring))
		eng->proof.proven_epoch = eng->proof.epoch;
	rq->job->is_linked = is_alone || (ring->run.ns && !ring->is_two && !tl->info.follows_some &&
					  !timeline_jobs_are_lossy_since(tl, ring->run));
	ring->run = (struct lane_job_time){ now_ns, event->cpu };
	see_hand_over(tl, ring, rq, event);
	timeline_job_learn_queue(rq, run->queue_flags);
	if (rq->pub.doubt & LANE_DOUBT_BURST) {
		timeline_job_bursts(tl, rq, now_ns);
	} else {
		timeline_queue_leave(tl, rq, now_ns);
		timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, now_ns);
		timeline_queue_enter(tl, rq, now_ns);
	}
	timeline_job_link(ring, rq);
	start_next(tl, eng);
}

void timeline_job_woke(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_bound by = timeline_bound(now_ns, LANE_RULE_AWAKE, tl->now.event);
	struct lane_bounds at = { rq->pub.start.lo, rq->pub.start.hi, rq->pub.start_why.lo,
				  rq->pub.start_why.hi };
	uint64_t before_ns = at.lo;

	if (!timeline_has_started(&rq->pub) || before_ns >= now_ns)
		return;
	timeline_bounds_set_lo(&at, by);
	if (at.hi < now_ns)
		timeline_bounds_set_hi(&at, by);
	timeline_request_set_start(rq, &at);
	timeline_queue_changes(tl, rq->pub.engine, LANE_QUEUE_DEVICE, rq, 1, before_ns);
	timeline_queue_changes(tl, rq->pub.engine, LANE_QUEUE_DEVICE, rq, -1, now_ns);
}

/* Tells the time that the job had the ring for, if it was ever in the hardware. */
static void tell_maybe_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_job_ending *ending)
{
	struct lane_run run = { .engine = &eng->pub,
				.request = &rq->pub,
				.begin = rq->pub.start,
				.end = timeline_bounds_span(&ending->at),
				.is_unsure = timeline_engine_unproven(eng) };

	if (tl->hooks.maybe_run && timeline_has_started(&rq->pub))
		tl->hooks.maybe_run(tl->hooks.arg, &run);
}

/* rq had the ring for sure. */
static bool had_ring(const struct lane_rq *rq, const struct lane_job_ending *ending)
{
	return ending->is_known ||
	       (timeline_has_started(&rq->pub) && ending->at.lo > rq->pub.start.hi);
}

/* It began at some time since it was given to the ring. */
static void set_start(struct lane_rq *rq, struct lane_bound by)
{
	struct lane_bounds start = timeline_bounds(timeline_job_given(rq), by);

	timeline_request_set_start(rq, &start);
}

/* How long the job ran. If it is not known to have had the ring, it may have begun at any time. */
static void sum_up(struct lane_rq *rq, const struct lane_job_ending *ending)
{
	bool is_serial = timeline_job_ring(rq)->discipline == LANE_RING_SERIAL;
	struct lane_span whole;

	if (!had_ring(rq, ending))
		set_start(rq, timeline_bounds_hi(&ending->at));
	whole = timeline_span_between(rq->pub.start, timeline_bounds_span(&ending->at));
	rq->pub.running = (struct lane_span){ is_serial ? whole.lo : 0, whole.hi };
	rq->pub.preempted = (struct lane_span){ 0, is_serial ? 0 : whole.hi };
}

/* Tells the job's run on the ring. */
static void tell_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		     const struct lane_job_ending *ending)
{
	struct lane_run run = { .engine = &eng->pub,
				.request = &rq->pub,
				.begin = rq->pub.start,
				.begin_why = rq->pub.start_why,
				.end = timeline_bounds_span(&ending->at),
				.end_why = timeline_bounds_whys(&ending->at),
				.is_unsure = timeline_engine_unproven(eng) ||
					     (rq->pub.doubt & LANE_DOUBT_DEVICE),
				.follows = rq->job->follows,
				.sure_until_ns = ending->at.lo };

	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}

/* R39. The thread that gave rq to its ring may have woken the device, by events that are lost. */
static bool may_have_woken(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return rq->job->is_given && timeline_sees(tl, LANE_RESUME_END) &&
	       timeline_job_is_lossy(tl, rq);
}

/* Makes the end and the start of rq consistent. */
static void fit(const struct lane_timeline *tl, struct lane_rq *rq, struct lane_job_ending *ending)
{
	uint64_t in_time_ns;

	if (may_have_woken(tl, rq) && timeline_has_started(&rq->pub))
		timeline_request_start_by(rq, timeline_bounds_hi(&ending->at));
	/* Where jobs overlap, others that are on the ring do not keep rq from starting. */
	if (!timeline_has_started(&rq->pub) && rq->job->is_given &&
	    timeline_job_ring(rq)->discipline != LANE_RING_SERIAL)
		set_start(rq, timeline_bound_bare(LANE_NEVER));
	ending->is_known &= timeline_has_started(&rq->pub);
	if (!had_ring(rq, ending))
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (!timeline_has_started(&rq->pub))
		return;
	/* Its fence's signal was not seen, and interrupts are late: it may have begun before the
	 * end of the job before it was told. */
	in_time_ns = rq->pub.start.hi == LANE_NEVER || rq->pub.start.hi < LANE_INTERRUPT_NS
			     ? 0
			     : rq->pub.start.hi - LANE_INTERRUPT_NS;
	if (!ending->is_seen && in_time_ns < rq->pub.start.lo)
		timeline_request_start_since(rq,
					     timeline_bound_later(timeline_job_given(rq),
								  timeline_bound_bare(in_time_ns)));
	timeline_bounds_raise(&ending->at,
			      (struct lane_bound){ rq->pub.start.lo, rq->pub.start_why.lo });
	timeline_bounds_widen(&ending->at, timeline_bounds_lo(&ending->at));
	if (rq->pub.start.hi > ending->at.hi)
		timeline_request_start_by(rq, timeline_bounds_hi(&ending->at));
}

/* rq leaves the ring's list. If its end is not known, it may have run between the jobs before and
 * behind it; and if it was never in the hardware, it tells nothing of the jobs before it: what was
 * not known before rq is not known before the next job either. */
static void leave_ring(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       const struct lane_job_ending *ending)
{
	if (rq->job->is_given) {
		if (!ending->is_known && rq->job->before)
			*(rq->job->behind ? &rq->job->behind->job->is_behind_gone
					  : &eng->ring->is_gone) = true;
		if (!rq->job->is_linked && !ending->is_known) {
			if (rq->job->behind)
				rq->job->behind->job->is_linked = false;
			else
				eng->ring->run.ns = 0;
		}
		timeline_job_unlink(eng->ring, rq);
		eng->ring->left_ns = tl->now.ns;
		if (eng->ring->is_full)
			eng->ring->place_ns = tl->now.ns;
		eng->ring->is_full = false;
		if (rq->pub.state == LANE_RQ_STATE_DEVICE)
			timeline_queue_leave(tl, rq, ending->at.hi);
		if (had_ring(rq, ending))
			tell_run(tl, eng, rq, ending);
		else
			tell_maybe_run(tl, eng, rq, ending);
		sum_up(rq, ending);
	}
	if (eng->running == rq)
		eng->running = NULL;
}

/* rq had the ring and ended, so the jobs ahead of it ended, too. No unseen job is ahead of the next
 * one, unless a loss since may hide one that was given after rq. */
static void prove(const struct lane_timeline *tl, struct lane_eng *eng, const struct lane_rq *rq,
		  const struct lane_job_ending *ending)
{
	if (rq->pub.executes && ending->is_known && eng->ring->discipline != LANE_RING_UNKNOWN &&
	    rq->pub.execute_ns > eng->proof.doubt_until_ns && !timeline_job_is_lossy(tl, rq))
		eng->proof.proven_epoch = eng->proof.epoch;
}

void timeline_job_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_job_ending ending)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_drm_ring *ring = eng->ring;
	bool was_first = ring->first == rq, was_last = ring->last == rq;

	fit(tl, rq, &ending);
	leave_ring(tl, eng, rq, &ending);
	timeline_request_set_end(rq, &ending.at);
	timeline_request_state(tl, rq, LANE_RQ_STATE_ENDED, ending.at.hi);
	while (ctx->live && timeline_request_has_ended(ctx->live))
		ctx->live = ctx->live->next;
	ring->free = ending.at;
	ring->free_by = ending.is_known ? ctx : NULL;
	if (was_first)
		prove(tl, eng, rq, &ending);
	start_next(tl, eng);
	if (was_last && was_first && (ending.is_known || ring->discipline == LANE_RING_SERIAL) &&
	    !may_be_two(ring) && !timeline_engine_unproven(eng) && !eng->idle.since_ns &&
	    tl->now.ns >= eng->proof.doubt_until_ns) /* not while events are being lost */
		timeline_idle_begin(tl, eng, ending.at.hi);
}

void timeline_job_end_before(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound by)
{
	struct lane_drm_ring *ring = timeline_job_ring(rq);

	if (!rq->job->is_given || ring->discipline != LANE_RING_SERIAL)
		return;
	while (ring->first != rq) {
		struct lane_rq *before = ring->first;
		/* It may have been cancelled long ago, if events that tell so may be missing. */
		bool known = !timeline_job_is_lossy(tl, before) &&
			     (!timeline_is_absent(tl, LANE_DRM_DONE) ||
			      before->pub.context->ctx < LANE_OWN_CONTEXT);

		timeline_job_end(tl, before,
				 (struct lane_job_ending){
					 .at = timeline_bounds(timeline_job_given(before), by),
					 .is_known = known });
	}
}
