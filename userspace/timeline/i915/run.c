// SPDX-License-Identifier: MIT
// One run of a request on its engine: when it begins and ends, and who preempts the request.
#include "timeline/i915/run.h"
#include "timeline/command/command_events.h"
#include "timeline/i915/ports.h"
#include "timeline/sched/idle.h"
#include "timeline/i915/rules.h"
#include "timeline/tell.h"
#include "timeline/i915/world.h"

const char *const lane_preemption_why_names[LANE_PREEMPTION_WHY_COUNT] = {
#define W(id, name) [LANE_PREEMPTION_##id] = name,
	LANE_PREEMPTION_WHYS(W)
#undef W
};

/* Tells of the victim's preemption, unless another history may be the right one. */
static void run_tell(const struct lane_timeline *tl, const struct lane_rq *victim,
		     const struct lane_culprit *by, struct lane_preemption told)
{
	told.victim = &victim->pub;
	if (by->ctx) {
		told.culprit = &by->ctx->pub;
		/* NULL: who submitted the request was not seen. */
		told.culprit_client = by->client ? by->client : by->ctx->pub.client;
	}
	told.culprit_seqno = by->seqno;
	told.why = by->why;
	if (victim->pub.doubt & LANE_DOUBT_DEVICE)
		return;
	if (tl->hooks.preemption)
		tl->hooks.preemption(tl->hooks.arg, &told);
	timeline_command_preempted(tl, &told);
}

void timeline_run_tell_preemption(const struct lane_timeline *tl, struct lane_rq *rq,
				  const struct lane_bounds *until)
{
	const struct lane_bounds *at = &rq->now.preempted_since;
	struct lane_span lasted =
		timeline_span_between(timeline_bounds_span(at), timeline_bounds_span(until));

	if (rq->left.tell == LANE_LEAVE_NOTHING ||
	    (rq->left.tell == LANE_LEAVE_IF_SO && !timeline_request_was_preempted(rq)))
		return;
	rq->left.tell = LANE_LEAVE_NOTHING;
	if (rq->now.maybe.hi) /* it may have run again soon */
		lasted.lo = 0;
	run_tell(tl, rq, &rq->left.by,
		 (struct lane_preemption){ .engine = &rq->left.from->pub,
					   .at = timeline_bounds_span(at),
					   .at_why = timeline_bounds_whys(at),
					   .lasted = lasted });
}

void timeline_run_left(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       struct lane_bounds at)
{
	timeline_world_leave(rq, at);
	rq->pub.preemptions++;
	rq->left = (struct lane_leave){ .from = eng, .tell = LANE_LEAVE_IF_SO };
	timeline_world_publish(rq, NULL);
	timeline_request_state(tl, rq, LANE_RQ_STATE_PREEMPTED, at.lo);
	timeline_queue_enter(tl, rq, at.lo);
	eng->victim = rq;
}

/*
 * A request of higher priority preempts at once if its priority is at least the ordinary one, 0
 * (need_preempt() of gt/intel_execlists_submission.c, 6.1: I915_PRIORITY_NORMAL - 1). Otherwise a
 * time slice must have run out. Only a request's own `in` says its priority, and i915_schedule()
 * may raise it later for what waits for the request. So only an `in` of the dequeue that preempted
 * says the priority then; an older `in` bounds it from below. Where a virtual engine can use the
 * engine, its waiting requests have a say that no event shows. A culprit that stood on the ports
 * already has been raised since. If that was before the victim had the engine, nobody was told
 * (kick_execlists()), and a time slice may have ended the victim's run.
 */
static enum lane_preemption_why why_of(const struct lane_timeline *tl, const struct lane_eng *eng,
				       const struct lane_rq *victim, const struct lane_rq *culprit)
{
	if (victim->pub.prio == INT32_MIN || culprit->pub.prio == INT32_MIN ||
	    timeline_engine_is_shared(tl, eng))
		return LANE_PREEMPTION_UNKNOWN;
	if (culprit->handed.prio_no != culprit->handed.no)
		return LANE_PREEMPTION_UNKNOWN;
	if (culprit->pub.prio == victim->pub.prio ||
	    (culprit->pub.prio > victim->pub.prio && culprit->pub.prio < 0))
		return LANE_PREEMPTION_TIMESLICE;
	return culprit->pub.prio > victim->pub.prio &&
			       victim->handed.prio_no == culprit->handed.prio_no &&
			       culprit->pub.executes == 1
		       ? LANE_PREEMPTION_PRIORITY
		       : LANE_PREEMPTION_UNKNOWN;
}

/* False when the last dequeue handed rq over behind a request of another context. */
static bool is_first_of_dequeue(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->handed.no != eng->dequeue.no || rq->pub.context->ctx == eng->dequeue.first_ctx;
}

/*
 * A request is not the culprit if its port was given after the victim can have left, or behind a
 * port of another context. Then the culprit is another request, which was not seen to run.
 */
static bool is_culprit(const struct lane_eng *eng, const struct lane_rq *victim,
		       const struct lane_rq *rq, struct lane_bounds left)
{
	return victim != rq && !eng->dequeue.is_mixed &&
	       !(eng->model->has_sets &&
		 (rq->handed.in.lo > left.lo || !is_first_of_dequeue(eng, rq)));
}

static struct lane_culprit culprit_of(const struct lane_timeline *tl, const struct lane_eng *eng,
				      const struct lane_rq *victim, const struct lane_rq *culprit)
{
	return (struct lane_culprit){ .ctx = (struct lane_ctx *)culprit->pub.context,
				      .client = culprit->pub.client,
				      .seqno = culprit->pub.seqno,
				      .why = why_of(tl, eng, victim, culprit) };
}

/* The new set takes the engine from the victim. */
static void run_blame(const struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_rq *culprit)
{
	struct lane_rq *victim = eng->victim;

	eng->victim = NULL;
	if (is_culprit(eng, victim, culprit, victim->now.preempted_since))
		victim->left.by = culprit_of(tl, eng, victim, culprit);
}

/* The request before rq in its context is known, or was complete as rq began. The seqnos of user
 * contexts go in twos. */
static bool follows_known(const struct lane_rq *rq, uint64_t began_ns)
{
	const struct lane_ctx *ctx = (const struct lane_ctx *)rq->pub.context;
	const struct lane_rq *before = rq->prev;
	uint32_t step = ctx->pub.is_user ? 2 : 1;

	if (rq->pub.seqno <= step || (ctx->has_complete && ctx->complete_ns <= began_ns &&
				      rq->pub.seqno - ctx->complete_seqno <= step))
		return true;
	return before && rq->pub.seqno - before->pub.seqno <= step &&
	       ((timeline_request_has_ended(before) && before->pub.end.hi <= began_ns) ||
		before->is_on_device);
}

/* The doubts (enum lane_request_doubt) whether rq begins to run at began_ns. */
static uint8_t doubts_of(const struct lane_timeline *tl, const struct lane_eng *eng,
			 const struct lane_rq *rq, uint64_t began_ns)
{
	bool doubtful = (tl->is_without_ports && eng->model->has_ports) ||
			timeline_engine_is_unseen(tl, eng);

	/* The request before rq in its context was handed over before the recording: it may have
	 * run first. */
	if (timeline_engine_unproven(eng))
		doubtful |= !follows_known(rq, began_ns) || !timeline_engine_lost_nothing(eng);
	return doubtful ? LANE_DOUBT_DEVICE : 0;
}

/* rq waited for what ran before it, as far as is known, and never had the engine before. */
static bool waited_behind(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->last_ctx && !timeline_world_has_run(&rq->now) && !rq->now.maybe.hi &&
	       rq->pub.execute_ns < eng->free.at.lo;
}

void timeline_run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_bounds at)
{
	bool sure_order = !timeline_engine_unproven(eng);
	struct lane_bounds in = rq == eng->leaver ? eng->dequeue.oldest_in : rq->handed.in;
	/* rq was on its port when the one before it ended. */
	bool follows =
		in.hi <= eng->free.at.lo && at.lo == eng->free.at.lo && at.hi == eng->free.at.hi;

	timeline_bounds_raise(&at, timeline_r15_handed(timeline_request_executed(rq)));
	timeline_bounds_widen(&at, timeline_bounds_lo(&at));
	if (!sure_order && !eng->model->has_ports)
		/* an unseen request may have run before it */
		timeline_bounds_set_hi(&at, timeline_bound_bare(LANE_NEVER));
	if (eng->idle.since_ns)
		timeline_idle_end(tl, eng, rq, at.lo, !sure_order);
	eng->run = (struct lane_engine_run){ .has_set = timeline_ports_taken_before(tl, eng),
					     .follows = follows };
	eng->run.is_unsure = rq == eng->leaver && eng->dequeue.pause_ns &&
			     (at.hi > eng->dequeue.pause_ns || !eng->run.has_set);
	if (!sure_order && eng->model->has_ports)
		rq->doubt.epoch = eng->proof.epoch;
	rq->pub.doubt |= doubts_of(tl, eng, rq, at.hi);
	if (waited_behind(eng, rq)) {
		rq->pub.behind = &eng->last_ctx->pub;
		rq->pub.behind_client = eng->last_client;
	}
	timeline_world_begin(
		rq, at,
		timeline_bound_later(timeline_bounds_lo(&in),
				     timeline_bound_of_next(eng->free.no_sooner, false)));
	timeline_queue_leave(tl, rq, at.lo);
	eng->running = rq;
	timeline_world_publish(rq, &at);
	timeline_request_state(tl, rq, LANE_RQ_STATE_RUNNING, at.lo);
	if (eng->victim)
		run_blame(tl, eng, rq);
}

void timeline_run_nearly_preempted(const struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_rq *rq, struct lane_bounds at, uint64_t unless_ns)
{
	const struct lane_rq *culprit = eng->running;

	if (!unless_ns || !culprit || !is_culprit(eng, rq, culprit, at))
		return;
	rq->nearly = (struct lane_near_leave){ .by = culprit_of(tl, eng, rq, culprit),
					       .at = at,
					       .unless_ns = unless_ns };
}

/* rq, which left eng, has it again since a time in `until`. */
static void tell_nearly_preempted(const struct lane_timeline *tl, const struct lane_eng *eng,
				  struct lane_rq *rq, const struct lane_bounds *until)
{
	struct lane_span at = timeline_bounds_span(&rq->nearly.at);

	if (!rq->nearly.unless_ns || until->hi == LANE_NEVER ||
	    timeline_request_may_be_complete(rq))
		return;
	run_tell(tl, rq, &rq->nearly.by,
		 (struct lane_preemption){
			 .engine = &eng->pub,
			 .at = at,
			 .at_why = timeline_bounds_whys(&rq->nearly.at),
			 .lasted = { 0, timeline_span_between(at, timeline_bounds_span(until)).hi },
			 .unless_ns = rq->nearly.unless_ns });
	rq->nearly.unless_ns = 0;
}

void timeline_run_unsure(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bounds at)
{
	struct lane_rq *rq = eng->running;
	uint64_t since_ns = rq->now.since.lo;
	bool is_sure = rq->left.tell != LANE_LEAVE_NOTHING && timeline_request_was_preempted(rq);

	tell_nearly_preempted(tl, eng, rq, &rq->now.since);
	timeline_world_fit(rq, &at);
	if (tl->hooks.maybe_run)
		tl->hooks.maybe_run(
			tl->hooks.arg,
			&(struct lane_run){ .engine = &eng->pub,
					    .request = &rq->pub,
					    .begin = timeline_bounds_span(&rq->now.since),
					    .end = timeline_bounds_span(&at),
					    .is_unsure = true });
	timeline_world_unsure(rq, at);
	timeline_world_publish(rq, NULL);
	eng->running = NULL;
	if (rq->now.preempted_since.hi) {
		rq->left.tell = is_sure ? LANE_LEAVE_SURELY : LANE_LEAVE_NOTHING;
		timeline_request_state(tl, rq, LANE_RQ_STATE_PREEMPTED, since_ns);
	} else {
		rq->pub.behind = NULL;
		timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, since_ns);
	}
	timeline_queue_enter(tl, rq, since_ns);
	if (eng->last_ctx != (struct lane_ctx *)rq->pub.context)
		eng->last_ctx = NULL;
	if (eng->last_client != rq->pub.client)
		eng->last_client = NULL;
	eng->free.at = at;
}

/* Runs are told in order: a run begins no sooner than the one before it ended, and ends no sooner
 * than it began. */
static void put_behind(struct lane_eng *eng, struct lane_run *run)
{
	struct lane_bound until = eng->told_until;

	if (run->begin.lo < until.ns && run->begin.hi >= until.ns && run->end.hi >= until.ns) {
		run->begin.lo = until.ns;
		run->begin_why.lo = until.why;
	}
	if (run->end.lo < run->begin.lo) {
		run->end.lo = run->begin.lo;
		run->end_why.lo = run->begin_why.lo;
	}
	eng->told_until =
		timeline_bound_of_next((struct lane_bound){ run->end.lo, run->end_why.lo }, false);
}

void timeline_run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bounds *at,
			bool has_ended)
{
	struct lane_rq *rq = eng->running;
	struct lane_run run = { .engine = &eng->pub, .request = &rq->pub };
	bool may_be_over = timeline_request_may_be_complete(rq);

	timeline_world_fit(rq, at);
	tell_nearly_preempted(tl, eng, rq, &rq->now.since);
	timeline_run_tell_preemption(tl, rq, &rq->now.since);
	run.begin = timeline_bounds_span(&rq->now.since);
	run.begin_why = timeline_bounds_whys(&rq->now.since);
	run.end = timeline_bounds_span(at);
	run.end_why = timeline_bounds_whys(at);
	put_behind(eng, &run);
	run.follows = eng->run.follows;
	run.sure_until_ns = has_ended || rq->alive.ns > at->lo ? at->lo : rq->alive.ns;
	run.is_unsure = rq->doubt.epoch > eng->proof.proven_epoch ||
			(rq->pub.doubt & LANE_DOUBT_DEVICE) || may_be_over;
	eng->running = NULL;
	/* rq may have ended before this run, or another may have run since: nobody is known to have
	 * run last. */
	if (may_be_over &&
	    (rq->complete.how == LANE_COMPLETE_IN_PLACE || at->hi > rq->now.since.lo ||
	     eng->last_ctx != (struct lane_ctx *)rq->pub.context))
		eng->last_ctx = NULL;
	else
		eng->last_ctx = (struct lane_ctx *)rq->pub.context;
	if (!may_be_over)
		eng->last_client = rq->pub.client;
	else if (eng->last_client != rq->pub.client)
		eng->last_client = NULL;
	eng->free.at = *at;
	eng->free.no_sooner = timeline_bound_bare(0); /* the `in` of the ports says more */
	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}
