// SPDX-License-Identifier: MIT
// Which fences a job of drm_sched waited for, and until when (R34).
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_job.h"
#include "timeline/objects.h"
#include "timeline/tell.h"

#include <string.h>

#define MAX_MAKERS 65536

/* Who made the fences of a context; only the addresses matter. */
static char scheduler_made, others_made;

void timeline_job_note_maker(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_dma_fence_init *init = &event->u.dma_fence_init;
	bool is_schedulers = !strcmp(init->driver, "drm_sched");
	struct lane_drm_jobs *all = tl->jobs;

	if (!*init->driver || all->n_makers == MAX_MAKERS ||
	    lane_table_get(&all->makers, init->context, 0))
		return;
	all->n_makers++;
	if (!lane_table_put(&all->makers, init->context, 0,
			    is_schedulers ? &scheduler_made : &others_made))
		tl->no_memory = true;
}

/* The fence may be of a job that no event names, perhaps of the same ring. Then the waiting job
 * waits only until the ring has that job. */
static bool may_be_a_jobs(const struct lane_timeline *tl, uint64_t context)
{
	const struct lane_ctx *ctx = timeline_context_by_fence(tl, context);

	if (ctx && !ctx->pub.is_drm)
		return false;
	/* The `scheduled` fence of a job that is known: the job waits for this very fence. */
	if (timeline_job_context(tl, context + 1))
		return false;
	return !ctx && lane_table_get(&tl->jobs->makers, context, 0) != &others_made;
}

/* Finds the ring of the job whose fence the dependency is. */
static void drm_dependency_place(const struct lane_timeline *tl, struct lane_dep *dep)
{
	const struct lane_ctx *ctx = timeline_job_context(tl, dep->context);
	const struct lane_rq *rq;

	if (!ctx)
		return;
	rq = lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)dep->seqno);
	dep->engine = rq ? rq->pub.engine : ctx->engine;
	dep->is_unsure = !rq && (dep->seqno < ctx->on_from || dep->seqno > ctx->on_last);
}

/* Adds to the job's dependency, if it is known already; false: it is not. is_awaited: the job waits
 * for this very fence. That may be the `scheduled` fence of a job whose last fence is the
 * dependency. */
static bool tell_again(struct lane_job *job, const struct lane_p_drm_sched_job_add_dep *dep,
		       bool is_awaited)
{
	for (uint64_t further = 0; further <= is_awaited; further++)
		for (uint32_t i = 0; i < job->n_deps; i++) {
			if (job->deps[i].context != dep->ctx + further ||
			    job->deps[i].seqno != dep->seqno)
				continue;
			job->deps[i].context = dep->ctx;
			job->deps[i].is_awaited |= is_awaited;
			return true;
		}
	return false;
}

static const struct lane_fence_signal *signal_of(const struct lane_drm_jobs *all, uint64_t context,
						 uint64_t seqno)
{
	return lane_table_get(&all->signals, context, seqno);
}

static bool is_own(const struct lane_rq *rq, const struct lane_dep *dep)
{
	uint64_t own = rq->pub.context->ctx;

	return dep->context == own || dep->context + 1 == own;
}

/* rq waits for a dependency, or may have: it is in no queue. */
static void wait_for_dependency(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (tl->jobs->fresh == rq)
		tl->jobs->fresh = NULL;
	if (rq->pub.state != LANE_RQ_STATE_HOST)
		return;
	timeline_queue_leave(tl, rq, rq->pub.add_ns);
	timeline_request_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, rq->pub.add_ns);
}

void timeline_job_depends(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_add_dep *dep = &event->u.drm_sched_job_add_dep;
	struct lane_rq *rq = timeline_job_find(tl, 0, event, false);
	struct lane_job *job = rq ? rq->job : NULL;

	if (!dep->fence_context)
		tl->jobs->unsure_ns = event->wire.ts_ns;
	if (!job || (rq->pub.seen & LANE_SEEN_EXECUTE))
		return;
	if (tell_again(job, dep, event->wire.kind == LANE_DRM_UNSCHEDULABLE))
		return;
	if (job->n_deps == LANE_JOB_DEPS) {
		job->has_more_deps = true;
		return;
	}
	job->deps[job->n_deps] =
		(struct lane_dep){ .context = dep->ctx,
				   .seqno = dep->seqno,
				   .is_awaited = event->wire.kind == LANE_DRM_UNSCHEDULABLE };
	drm_dependency_place(tl, &job->deps[job->n_deps]);
	if (!is_own(rq, &job->deps[job->n_deps]) && !signal_of(tl->jobs, dep->ctx, dep->seqno))
		wait_for_dependency(tl, rq);
	job->n_deps++;
}

void timeline_job_note_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_drm_jobs *all = tl->jobs;
	struct lane_fence_signal *signal = &all->signal[all->next_signal++ % LANE_FENCE_SIGNALS];
	const struct lane_rq *rq = timeline_request_by_fence(tl, event);

	if (signal->at_ns) {
		all->forgotten_ns = signal->at_ns;
		if (signal_of(all, signal->context, signal->seqno) == signal)
			lane_table_del(&all->signals, signal->context, signal->seqno);
	}
	*signal = (struct lane_fence_signal){ event->u.fence.context, event->u.fence.seqno,
					      event->wire.ts_ns, tl->now.event,
					      !event->wire.tid && rq && rq->pub.executes };
	if (signal_of(all, signal->context, signal->seqno))
		lane_table_del(&all->signals, signal->context, signal->seqno);
	if (!lane_table_put(&all->signals, signal->context, signal->seqno, signal))
		tl->no_memory = true;
}

bool timeline_job_is_free(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_job *job = rq->job;

	for (uint32_t i = 0; i < job->n_deps; i++)
		if (!is_own(rq, &job->deps[i]) &&
		    !signal_of(tl->jobs, job->deps[i].context, job->deps[i].seqno))
			return false;
	return !job->has_more_deps;
}

/* Before rq was queued, or rq did not wait for it; not known until when. */
static const struct lane_bounds before, unknown = { .hi = LANE_NEVER };

/* R34. When the fence was signalled; 0: before rq was queued. */
static struct lane_bound after_queue(const struct lane_rq *rq,
				     const struct lane_fence_signal *signal)
{
	return signal->at_ns > rq->pub.add_ns
		       ? timeline_bound(signal->at_ns, LANE_RULE_FULFILLED, signal->event)
		       : timeline_bound_bare(0);
}

/* rq had to wait for the fence until its signal at most: if none was seen, until now. */
static struct lane_bounds until_signal(const struct lane_timeline *tl, const struct lane_rq *rq,
				       const struct lane_dep *dep)
{
	const struct lane_fence_signal *signal = signal_of(tl->jobs, dep->context, dep->seqno);

	return signal ? timeline_bounds(timeline_bound_bare(0), after_queue(rq, signal)) : unknown;
}

/*
 * A job waits for another job of its own scheduler only until the ring has that job: until its
 * `scheduled` fence, whose context is one less (drm_sched_entity_add_dependency_cb(),
 * sched_entity.c). It waits for the other job's end if that one failed (from Linux 6.12 on), or if
 * its driver wants so (DRM_SCHED_FENCE_DONT_PIPELINE). Returns as fulfilled_at().
 */
static struct lane_bounds fulfilled_by_ring(const struct lane_timeline *tl,
					    const struct lane_rq *rq, const struct lane_dep *dep)
{
	const struct lane_fence_signal *given = signal_of(tl->jobs, dep->context - 1, dep->seqno);
	const struct lane_fence_signal *over = signal_of(tl->jobs, dep->context, dep->seqno);
	struct lane_bound given_at = given ? after_queue(rq, given) : timeline_bound_bare(0);

	if (over && after_queue(rq, over).ns && !over->is_sound)
		return timeline_bounds(given_at, after_queue(rq, over));
	if (!given && tl->jobs->forgotten_ns >= rq->pub.add_ns)
		return unknown;
	return timeline_bounds_exact(given_at);
}

/* The fence is a request's whose signal has not been seen. */
static bool drm_dependency_is_open(const struct lane_timeline *tl, const struct lane_dep *dep)
{
	const struct lane_ctx *ctx = timeline_context_by_fence(tl, dep->context);
	const struct lane_rq *rq =
		ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)dep->seqno) : NULL;

	return rq && !(rq->pub.seen & LANE_SEEN_SIGNAL);
}

/*
 * When the fence itself was signalled. The fence counts as signalled a moment before its event
 * (dma_fence_signal_timestamp_locked(), dma-fence.c): rq may be handed over in between. Returns as
 * fulfilled_at().
 */
static struct lane_bounds signalled_at(const struct lane_timeline *tl, const struct lane_rq *rq,
				       const struct lane_dep *dep)
{
	const struct lane_fence_signal *signal = signal_of(tl->jobs, dep->context, dep->seqno);

	if (signal && !after_queue(rq, signal).ns)
		return before;
	if (!dep->engine && !dep->is_awaited && may_be_a_jobs(tl, dep->context))
		return until_signal(tl, rq, dep);
	if (signal)
		return timeline_bounds_exact(after_queue(rq, signal));
	if (tl->jobs->forgotten_ns >= rq->pub.add_ns || drm_dependency_is_open(tl, dep))
		return unknown;
	return before;
}

/*
 * The dependency's job is on the ring of rq. Where the device is not named, another device may have
 * a ring of that name: then the fences that both entities' jobs got from the ring must be of one
 * context.
 */
static bool is_same_ring(const struct lane_timeline *tl, const struct lane_rq *rq,
			 const struct lane_dep *dep)
{
	const struct lane_ctx *own = (const struct lane_ctx *)rq->pub.context;
	const struct lane_ctx *other = timeline_job_context(tl, dep->context);

	return *timeline_job_ring(rq)->device ||
	       (other && own->hw_context && own->hw_context == other->hw_context);
}

/* Returns between which times, ns, the fence was signalled for which rq had to wait; 0: before rq
 * was queued, or rq did not wait for it. Fences of rq's own entity do not count. */
static struct lane_bounds fulfilled_at(const struct lane_timeline *tl, const struct lane_rq *rq,
				       const struct lane_dep *dep)
{
	if (is_own(rq, dep))
		return before;
	/* Of others' fences the signals are not recorded. */
	if (tl->info.follows_some && !signal_of(tl->jobs, dep->context, dep->seqno))
		return unknown;
	if (!timeline_sees(tl, LANE_FENCE_SIGNALED) || (dep->is_unsure && !dep->is_awaited))
		return until_signal(tl, rq, dep);
	/* Queues that a firmware schedules may have a scheduler each, or share one. */
	if (dep->engine && dep->engine == rq->pub.engine && !dep->is_awaited)
		return timeline_job_ring(rq)->discipline == LANE_RING_SERIAL &&
				       is_same_ring(tl, rq, dep)
			       ? fulfilled_by_ring(tl, rq, dep)
			       : until_signal(tl, rq, dep);
	return signalled_at(tl, rq, dep);
}

/* The dependency was the last that rq waited for: notes that. */
static void note_culprit(const struct lane_timeline *tl, struct lane_rq *rq,
			 const struct lane_dep *dep)
{
	struct lane_ctx *ctx = timeline_job_context(tl, dep->context);

	rq->pub.waited_ctx = dep->context;
	rq->pub.waited_seqno = dep->seqno;
	if (!ctx && dep->is_awaited)
		ctx = timeline_job_context(tl, dep->context + 1);
	if (!ctx)
		ctx = timeline_context_by_fence(tl, dep->context);
	rq->pub.after = ctx ? &ctx->pub : NULL;
	rq->pub.after_seqno = (uint32_t)dep->seqno;
}

/* Finds when rq had waited for all, and sets *last to whom it waited for until then (NULL: for
 * none). */
static struct lane_bounds free_at(const struct lane_timeline *tl, const struct lane_rq *rq,
				  struct lane_dep **last)
{
	struct lane_bounds at = timeline_bounds_exact(
		timeline_bound(rq->pub.add_ns, LANE_RULE_OWN, rq->pub.by.add));
	struct lane_job *job = rq->job;

	*last = NULL;
	for (uint32_t i = 0; i < job->n_deps; i++) {
		struct lane_bounds until;

		if (!job->deps[i].engine) /* its job's queueing was not seen: its ring is, by now */
			drm_dependency_place(tl, &job->deps[i]);
		until = fulfilled_at(tl, rq, &job->deps[i]);
		/* Fences of its own entity do not count, but it is not known which those are. */
		if (rq->pub.context->ctx >= LANE_OWN_CONTEXT)
			timeline_bounds_set_lo(&until, timeline_bound_bare(0));
		if (until.lo > at.lo)
			*last = &job->deps[i];
		timeline_bounds_raise(&at, timeline_bounds_lo(&until));
		timeline_bounds_widen(&at, timeline_bounds_hi(&until));
	}
	return at;
}

/* Events tell until when a job waits for others. */
static bool is_free_told(const struct lane_timeline *tl)
{
	return !timeline_is_absent(tl, LANE_DRM_ADD_DEP);
}

/* When rq had waited for all, as free_at(). */
static struct lane_bounds waited_until(const struct lane_timeline *tl, const struct lane_rq *rq,
				       struct lane_dep **last)
{
	*last = NULL;
	/* Rings of one name may have several jobs of one number (norm/drm_jobs.c). */
	if (!*timeline_job_ring(rq)->device && tl->jobs->unsure_ns >= rq->pub.add_ns)
		return unknown;
	if ((!is_free_told(tl) && !rq->job->is_own_queue) || rq->job->has_more_deps ||
	    timeline_jobs_are_lossy_since(
		    tl, (struct lane_job_time){ rq->pub.add_ns, rq->job->add_cpu }))
		return unknown;
	return free_at(tl, rq, last);
}

/* rq waits in its driver's queue since then. */
static void queue_from(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound since)
{
	rq->pub.submit_ns = since.ns;
	rq->pub.by.submit = since.why.event;
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		return;
	timeline_request_state(tl, rq, LANE_RQ_STATE_HOST, since.ns);
	timeline_queue_enter(tl, rq, since.ns);
}

void timeline_job_no_dependency(struct lane_timeline *tl)
{
	struct lane_rq *rq = tl->jobs->fresh;

	tl->jobs->fresh = NULL;
	/* It may be over: its process was killed, and a thread that waits for it keeps it. */
	if (rq && is_free_told(tl) && !timeline_request_has_ended(rq))
		queue_from(tl, rq, timeline_bound(rq->pub.add_ns, LANE_RULE_OWN, rq->pub.by.add));
}

/* Whatever was lost: it waited for those that are seen, as long as they are seen to last. */
static void note_held(const struct lane_timeline *tl, struct lane_rq *rq)
{
	for (uint32_t i = 0; i < rq->job->n_deps; i++) {
		const struct lane_dep *dep = &rq->job->deps[i];
		const struct lane_fence_signal *signal =
			signal_of(tl->jobs, dep->context, dep->seqno);

		/* The job of one ring waits for another only until that is given to the ring. */
		if (!signal ||
		    (dep->engine ? dep->engine == rq->pub.engine
				 : may_be_a_jobs(tl, dep->context)) ||
		    dep->is_unsure || is_own(rq, dep) ||
		    after_queue(rq, signal).ns <= rq->pub.held_ns)
			continue;
		rq->pub.held_ctx = dep->context;
		rq->pub.held_seqno = dep->seqno;
		rq->pub.held_ns = signal->at_ns;
	}
}

/* It is given to its ring now, so it had waited for all. It certainly was in the queue from the
 * later bound on. */
static void bound_freed(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds at)
{
	struct lane_bound by = timeline_bound(tl->now.ns, LANE_RULE_GIVEN, tl->now.event);

	if (at.hi == LANE_NEVER)
		return;
	if (at.hi > by.ns)
		timeline_bounds_set_hi(&at, by);
	if (at.lo > by.ns)
		timeline_bounds_set_lo(&at, by);
	rq->pub.freed_ns = at.lo;
	rq->pub.freed_event = timeline_bounds_lo(&at).why.event;
	queue_from(tl, rq, timeline_bounds_hi(&at));
}

void timeline_job_decide_submit(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_dep *last;
	struct lane_bounds at = waited_until(tl, rq, &last);

	if (last || at.lo != at.hi)
		wait_for_dependency(tl, rq);
	if (at.lo != at.hi) {
		rq->pub.seen &= (uint8_t)~LANE_SEEN_SUBMIT;
		bound_freed(tl, rq, at);
		note_held(tl, rq);
		return;
	}
	if (last)
		note_culprit(tl, rq, last);
	queue_from(tl, rq, timeline_bounds_lo(&at));
}

void timeline_job_settle_open(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_dep *last;
	struct lane_bounds at;

	if (rq->pub.state != LANE_RQ_STATE_DEPENDENCY)
		return;
	at = waited_until(tl, rq, &last);
	if (at.lo == at.hi && timeline_job_is_free(tl, rq))
		queue_from(tl, rq, timeline_bounds_lo(&at));
}

/* The request that rq, which is not free to run, may wait for by the dependency; NULL: none is
 * known. What is of its own entity is handed over before it; a job of its ring holds it up until
 * that is given to the ring, no longer. */
static const struct lane_rq *drm_dependency_awaited_by(const struct lane_timeline *tl,
						       const struct lane_rq *rq,
						       const struct lane_dep *dep)
{
	const struct lane_ctx *ctx = timeline_context_by_fence(tl, dep->context);
	const struct lane_rq *on;

	if (!ctx && dep->is_awaited) /* its `scheduled` fence */
		ctx = timeline_job_context(tl, dep->context + 1);
	on = ctx ? lane_table_get(&tl->requests, ctx->pub.id, (uint32_t)dep->seqno) : NULL;
	if (!on || timeline_request_has_ended(on) || dep->is_unsure || is_own(rq, dep))
		return NULL;
	return on->job && on->pub.engine == rq->pub.engine && on->pub.seen & LANE_SEEN_EXECUTE
		       ? NULL
		       : on;
}

void timeline_job_note_awaited(const struct lane_timeline *tl, struct lane_rq *rq)
{
	bool is_sure = false;

	for (uint32_t i = 0; rq->pub.state == LANE_RQ_STATE_DEPENDENCY && i < rq->job->n_deps;
	     i++) {
		const struct lane_dep *dep = &rq->job->deps[i];
		const struct lane_rq *on = is_sure ? NULL : drm_dependency_awaited_by(tl, rq, dep);

		if (!on || (rq->pub.waited_ctx && !dep->is_awaited))
			continue;
		rq->pub.waited_ctx = on->pub.context->ctx;
		rq->pub.waited_seqno = on->pub.seqno;
		is_sure = dep->is_awaited;
	}
}
