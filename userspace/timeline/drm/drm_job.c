// SPDX-License-Identifier: MIT
// The jobs of drm_sched: found by their fence's context and number, told when all their events have
// come.
#include "timeline/drm/drm_job.h"
#include "timeline/objects.h"
#include "timeline/fault.h"
#include "timeline/tell.h"
#include "timeline/command/command_events.h"
#include "timeline/sched/thread.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPEN 4096 /* most open jobs of one entity */

struct lane_drm_jobs *timeline_jobs_get(struct lane_timeline *tl)
{
	struct lane_drm_jobs *all = tl->jobs;

	if (all)
		return all;
	all = calloc(1, sizeof(*all));
	if (!all) {
		tl->no_memory = true;
		return NULL;
	}
	all->job_pool.size = sizeof(struct lane_job);
	all->ring_pool.size = sizeof(struct lane_drm_ring);
	tl->jobs = all;
	return all;
}

void timeline_jobs_free(struct lane_timeline *tl)
{
	struct lane_drm_jobs *all = tl->jobs;

	if (!all)
		return;
	lane_table_free(&all->jobs);
	lane_table_free(&all->hw);
	lane_table_free(&all->rings);
	lane_table_free(&all->signals);
	lane_table_free(&all->makers);
	lane_table_free(&all->told);
	lane_pool_free(&all->job_pool);
	lane_pool_free(&all->ring_pool);
	free(all->userq);
	free(all);
	tl->jobs = NULL;
}

struct lane_ctx *timeline_job_context(const struct lane_timeline *tl, uint64_t context)
{
	struct lane_ctx *ctx = timeline_context_by_fence(tl, context);

	return ctx && ctx->pub.is_drm ? ctx : NULL;
}

void timeline_job_link(struct lane_drm_ring *ring, struct lane_rq *rq)
{
	struct lane_job *job = rq->job;

	job->before = ring->last;
	job->behind = NULL;
	*(ring->last ? &ring->last->job->behind : &ring->first) = rq;
	ring->last = rq;
	ring->n++;
	job->is_given = true;
	job->is_behind_gone = ring->is_gone;
	ring->is_gone = false;
}

void timeline_job_unlink(struct lane_drm_ring *ring, struct lane_rq *rq)
{
	struct lane_job *job = rq->job;

	if (!job->is_given)
		return;
	*(job->before ? &job->before->job->behind : &ring->first) = job->behind;
	*(job->behind ? &job->behind->job->before : &ring->last) = job->before;
	ring->n--;
	job->is_given = false;
}

static void drm_job_forget(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_drm_jobs *all = tl->jobs;
	struct lane_job *job = rq->job;

	if (all->fresh == rq)
		all->fresh = NULL;
	timeline_job_release(rq);
	if (job->own_key)
		lane_table_del(&all->told, job->own_key, job->own_seqno);
	if (job->is_given)
		timeline_job_unlink(timeline_job_ring(rq), rq);
	if (job->run_tid >= 0 && lane_table_get(&all->jobs, (uint32_t)job->run_tid, 1) == rq)
		lane_table_del(&all->jobs, (uint32_t)job->run_tid, 1);
	if (job->hw_context && lane_table_get(&all->hw, job->hw_context, job->hw_seqno) == rq)
		lane_table_del(&all->hw, job->hw_context, job->hw_seqno);
	lane_pool_put(&all->job_pool, job);
	rq->job = NULL;
}

bool timeline_job_has_begun(const struct lane_rq *rq)
{
	/* A fence that was signalled together with another one of its ring may be a reset's. */
	return timeline_has_started(&rq->pub) && rq->pub.start.hi != LANE_NEVER &&
	       rq->job->hw_context && !rq->job->is_same_work && !rq->job->is_behind_unknown;
}

bool timeline_ring_may_be_at_reset(const struct lane_timeline *tl, const struct lane_drm_ring *ring)
{
	return ring->signal_tid && (ring->is_two || ring->signal.ns > ring->run.ns) &&
	       timeline_thread_may_be_at(tl, ring->signal_tid, ring->signal.ns) &&
	       timeline_thread_may_be_worker(tl, ring->signal_tid);
}

void timeline_job_done(struct lane_timeline *tl, struct lane_rq *rq)
{
	bool is_wait_cut = timeline_wait_cut(tl, rq);
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_actor_wait actors[LANE_ACTORS];
	struct lane_head heads[LANE_HEADS];

	if (rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_leave(tl, rq, tl->now.ns);
	if (eng && eng->running == rq)
		eng->running = NULL;
	if (!rq->pub.executes) /* it is not known what it waited for */
		rq->pub.seen &= (uint8_t)~LANE_SEEN_SUBMIT;
	if (!timeline_request_has_ended(rq)) {
		rq->pub.doubt |= LANE_DOUBT_END;
		/* Its driver may never have given it to the hardware, or its end may have been
		 * lost. */
		if (!timeline_job_has_begun(rq) || timeline_job_is_lossy(tl, rq) ||
		    timeline_ring_may_be_at_reset(tl, timeline_job_ring(rq)))
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
	}
	if (rq->pub.fault || tl->n_errors)
		timeline_fault_settle(tl, rq);
	memcpy(actors, rq->job->actors, sizeof(actors));
	memcpy(heads, rq->job->heads, sizeof(heads));
	drm_job_forget(tl, rq);
	rq->pub.actors = actors;
	rq->pub.heads = heads;
	timeline_request_tell(tl, rq, is_wait_cut);
}

void timeline_job_release(struct lane_rq *rq)
{
	if (rq->job->held)
		*rq->job->held = NULL;
	rq->job->held = NULL;
}

/* Keeps rq until its driver tells its times. Returns the job whose place it takes; NULL: none. */
static struct lane_rq *drm_job_hold(struct lane_drm_jobs *all, struct lane_rq *rq)
{
	struct lane_rq **place = &all->held[all->next_held++ % LANE_JOBS_HELD];
	struct lane_rq *oldest = *place;

	if (oldest)
		timeline_job_release(oldest);
	*place = rq;
	rq->job->held = place;
	return oldest;
}

void timeline_job_over(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->release.is_due = true;
	if (rq->job->held)
		return;
	if (!tl->is_finishing && rq->job->ticks_ns && !rq->job->ticks_void &&
	    !timeline_is_absent(tl, LANE_MSM_RETIRED))
		rq = drm_job_hold(tl->jobs, rq);
	if (rq)
		timeline_job_unwaited(tl, rq);
}

void timeline_job_unwaited(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (rq->release.is_due && !rq->waiters && !rq->job->held)
		timeline_job_done(tl, rq);
}

struct lane_rq *timeline_job_of_thread(const struct lane_timeline *tl, int32_t tid)
{
	struct lane_rq *rq =
		tid < 0 || !tl->jobs ? NULL : lane_table_get(&tl->jobs->jobs, (uint32_t)tid, 1);

	return rq && rq->job && !rq->job->is_scheduled ? rq : NULL;
}

void timeline_job_forget_thread(struct lane_timeline *tl, int32_t tid)
{
	if (tid >= 0 && tl->jobs)
		lane_table_del(&tl->jobs->jobs, (uint32_t)tid, 1);
}

/* rq is given up, for want of room: what was not seen of it by now is not waited for. */
static void drm_job_give_up(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (!timeline_request_has_ended(rq)) {
		rq->pub.doubt |= LANE_DOUBT_DEVICE | LANE_DOUBT_END | LANE_DOUBT_GONE;
		if (eng && rq->pub.state == LANE_RQ_STATE_DEVICE)
			timeline_queue_leave(tl, rq, tl->now.ns);
		if (eng && eng->running == rq)
			eng->running = NULL;
	}
	timeline_job_done(tl, rq);
}

static void drm_job_make_room(struct lane_timeline *tl, const struct lane_rq *newest)
{
	struct lane_ctx *ctx = (struct lane_ctx *)newest->pub.context;

	while (ctx->open > MAX_OPEN && ctx->first != newest) {
		ctx->has_forgotten = true;
		ctx->forgot_seqno = ctx->first->pub.seqno;
		drm_job_give_up(tl, ctx->first);
	}
}

struct lane_rq *timeline_job_find(struct lane_timeline *tl, uint32_t dev,
				  const struct lane_event *event, bool create)
{
	struct lane_event *key = &tl->jobs->key;
	struct lane_rq *rq;

	if (!create)
		return timeline_request_by_fence(tl, event);
	key->wire.kind = LANE_RQ_ADD;
	key->u.rq.ctx = event->u.drm.fence_context;
	key->u.rq.dev = dev;
	key->u.rq.seqno = (uint32_t)event->u.drm.fence_seqno;
	rq = timeline_request_find(tl, key);
	if (rq)
		return rq->job ? rq : NULL;
	rq = timeline_request_new(tl, key);
	if (!rq)
		return NULL;
	rq->job = lane_pool_get(&tl->jobs->job_pool);
	if (!rq->job) {
		tl->no_memory = true;
		return NULL;
	}
	rq->job->run_tid = -1;
	rq->pub.actors = rq->job->actors;
	rq->pub.heads = rq->job->heads;
	((struct lane_ctx *)rq->pub.context)->pub.is_drm = true;
	drm_job_make_room(tl, rq);
	return rq;
}

void timeline_job_learn_queue(struct lane_rq *rq, uint32_t queue_flags)
{
	struct lane_context *context = &((struct lane_ctx *)rq->pub.context)->pub;

	context->is_queue_known |= queue_flags & LANE_QUEUE_KNOWN;
	context->is_long_running |= (queue_flags & LANE_QUEUE_LONG_RUNNING) != 0;
	context->is_drivers_own |= (queue_flags & (LANE_QUEUE_KERNEL | LANE_QUEUE_BIND)) != 0;
	if (context->is_long_running)
		rq->pub.doubt |= LANE_DOUBT_BURST | LANE_DOUBT_DEVICE;
}

void timeline_job_settle(struct lane_rq *rq, struct lane_eng *eng)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	rq->pub.engine = rq->pub.host_engine = &eng->pub;
	if (ctx->engine && rq->pub.seqno <= ctx->on_last)
		return;
	/* An unseen job in between may have had another ring. */
	if (ctx->engine != &eng->pub || rq->pub.seqno != ctx->on_last + 1)
		ctx->on_from = rq->pub.seqno;
	ctx->on_last = rq->pub.seqno;
	ctx->engine = &eng->pub;
}
