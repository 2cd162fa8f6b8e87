// SPDX-License-Identifier: MIT
// A run of a request on its engine: when it begins and ends, whom it makes way for.
#include "timeline/run.h"
#include "timeline/idle.h"
#include "timeline/ports.h"
#include "timeline/state.h"
#include "timeline/tell.h"

const char *const lane_preemption_why_names[LANE_PREEMPTION_WHY_COUNT] = {
#define W(id, name) [LANE_PREEMPTION_##id] = name,
	LANE_PREEMPTION_WHYS(W)
#undef W
};

static void tell_preemption(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_preemption preemption = {
		.engine = &rq->left.from->pub,
		.victim = &rq->pub,
		.culprit = rq->left.culprit ? &rq->left.culprit->pub : NULL,
		.culprit_seqno = rq->left.culprit_seqno,
		.at = rq->left.at,
		.lasted = rq->left.away,
		.why = rq->left.why,
	};

	rq->left.is_due = false;
	if (rq->maybe.less) /* it may have run again soon */
		preemption.lasted.lo = 0;
	if (tl->hooks.preemption && !(rq->pub.doubt & LANE_DOUBT_DEVICE))
		tl->hooks.preemption(tl->hooks.arg, &preemption);
}

void timeline_run_tell_preemption(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->left.is_untold = false;
	rq->left.is_due = true;
	if (rq->is_ending && rq != ((struct lane_eng *)rq->pub.engine)->running)
		tell_preemption(tl, rq);
}

void timeline_run_away_until(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span until)
{
	rq->left.at = rq->since;
	rq->left.away = timeline_span_between(rq->since, until);
	rq->left.is_open = until.hi == LANE_NEVER;
	if (rq->left.is_open)
		rq->left.away.hi = rq->left.away.lo;
	rq->left.away.lo -= rq->maybe.less < rq->left.away.lo ? rq->maybe.less : rq->left.away.lo;
	rq->left.is_untold = true;
	timeline_span_add(&rq->pub.preempted, rq->left.away);
	if (timeline_request_alive_since_left(rq) || rq->left.is_told)
		timeline_run_tell_preemption(tl, rq);
}

/* How long rq has been away at least, at that time: what has its place may be over, unheard, and rq
 * may have run meanwhile. */
static uint64_t away_at_least(const struct lane_rq *rq, uint64_t at_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	const struct lane_rq *front = eng ? eng->running : NULL;
	uint64_t until_ns = front && front->alive.at_ns < at_ns ? front->alive.at_ns : at_ns;

	uint64_t away_ns = front && until_ns > rq->since.hi ? until_ns - rq->since.hi : 0;

	return away_ns > rq->maybe.less ? away_ns - rq->maybe.less : 0;
}

void timeline_engine_seems_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	uint64_t more = at_ns > rq->since.hi ? at_ns - rq->since.hi : 0;

	rq->alive_before = rq->alive;
	rq->alive.at_ns = at_ns;
	/* What is heard of late and was before it left is no sign of life since. */
	if (at_ns >= rq->left.ns)
		rq->alive.step = ++tl->steps;
	else if (rq->alive.step < rq->left.step)
		rq->alive.step = rq->left.step;
	rq->alive.running = rq->pub.running.lo;
	rq->alive.preempted = rq->pub.preempted.lo;
	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		rq->alive.running += more;
	else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
		rq->alive.preempted += away_at_least(rq, at_ns);
}

void timeline_engine_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	timeline_engine_seems_alive(tl, rq, at_ns);
	if (rq->left.is_untold && timeline_request_alive_since_left(rq))
		timeline_run_tell_preemption(tl, rq);
}

void timeline_engine_looked_at(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	timeline_engine_seems_alive(tl, rq, at_ns);
	rq->alive.step = ++tl->steps;
	if (rq->left.is_untold)
		timeline_run_tell_preemption(tl, rq);
}

void timeline_engine_not_alive(struct lane_rq *rq)
{
	rq->alive = rq->alive_before;
	if (rq->left.is_due && !rq->left.is_told && !timeline_request_alive_since_left(rq)) {
		rq->left.is_due = false;
		rq->left.is_untold = true;
	}
}

void timeline_run_taken_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    struct lane_span at)
{
	rq->since = at;
	rq->left.is_told = false;
	rq->maybe.less = 0;
	rq->left.step = tl->steps;
	rq->left.ns = at.hi;
	rq->pub.preemptions++;
	rq->left.from = eng;
	rq->left.culprit = NULL;
	timeline_request_state(tl, rq, LANE_RQ_STATE_PREEMPTED, at.lo);
	timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_HOST, rq, 1, at.lo);
	eng->victim = rq;
}

/* The victim's priority as it was known before the dequeue that told the culprit's: in between it
 * may have been raised. */
static int32_t prio_before(const struct lane_rq *victim, const struct lane_rq *culprit)
{
	return victim->handed.prio_no == culprit->handed.prio_no ? victim->handed.prio_before
								 : victim->pub.prio;
}

/*
 * A higher priority preempts at once if it is at least the ordinary one, 0 (need_preempt() of
 * gt/intel_execlists_submission.c, 6.1: I915_PRIORITY_NORMAL - 1); else a time slice must have run
 * out. Only a request's own `in` says its priority, and what waits for the request may raise it
 * later (i915_schedule()): a priority is known by an `in` of the dequeue that preempted, else only
 * from below. Where a virtual engine can use the engine, its waiting requests have a say that no
 * event shows. What stood on the ports already has been raised since: if that was before the victim
 * had the engine, nobody was told (kick_execlists()), and a time slice may have ended it.
 */
static enum lane_preemption_why why_of(const struct lane_timeline *tl, const struct lane_eng *eng,
				       const struct lane_rq *victim, const struct lane_rq *culprit)
{
	if (eng->mode == LANE_MODE_PER_REQUEST)
		return LANE_PREEMPTION_PRIORITY; /* time slices came with 5.4 */
	if (victim->pub.prio == INT32_MIN || culprit->pub.prio == INT32_MIN ||
	    timeline_engine_is_shared(tl, eng))
		return LANE_PREEMPTION_UNKNOWN;
	if (culprit->handed.prio_no != culprit->handed.no)
		return LANE_PREEMPTION_UNKNOWN;
	if (culprit->pub.prio == prio_before(victim, culprit) ||
	    (culprit->pub.prio > victim->pub.prio && culprit->pub.prio < 0))
		return LANE_PREEMPTION_TIMESLICE;
	return culprit->pub.prio > victim->pub.prio &&
			       victim->handed.prio_no == culprit->handed.prio_no &&
			       culprit->handed.back_no != culprit->handed.no
		       ? LANE_PREEMPTION_PRIORITY
		       : LANE_PREEMPTION_UNKNOWN;
}

/* Unless it was handed over behind another context's. */
static bool is_first_of_dequeue(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->handed.no != eng->dequeue.no || rq->pub.context->ctx == eng->dequeue.first_ctx;
}

/*
 * The new set takes the victim off: whose port was given after the victim can have left, or behind
 * another's, is not the culprit, but somebody of whom nothing has been seen to run, and who may
 * have.
 */
static void blame(const struct lane_timeline *tl, struct lane_eng *eng,
		  const struct lane_rq *culprit)
{
	struct lane_rq *victim = eng->victim;

	eng->victim = NULL;
	if (victim == culprit || eng->dequeue.is_mixed ||
	    (eng->mode == LANE_MODE_PORTS &&
	     (culprit->handed.in.lo > victim->since.lo || !is_first_of_dequeue(eng, culprit))))
		return;
	victim->left.culprit = (struct lane_ctx *)culprit->pub.context;
	victim->left.culprit_seqno = culprit->pub.seqno;
	victim->left.why = why_of(tl, eng, victim, culprit);
}

/* What comes before rq in its context is known, or was over as rq began. User's seqnos go in twos.
 */
static bool follows_known(const struct lane_rq *rq, uint64_t began_ns)
{
	const struct lane_ctx *ctx = (const struct lane_ctx *)rq->pub.context;
	const struct lane_rq *before = rq->prev;
	uint32_t step = ctx->pub.is_user ? 2 : 1;

	if (rq->pub.seqno <= step ||
	    (ctx->is_over && ctx->over_ns <= began_ns && rq->pub.seqno - ctx->over_seqno <= step))
		return true;
	return before && rq->pub.seqno - before->pub.seqno <= step &&
	       ((before->ended && before->pub.end.hi <= began_ns) || before->is_on_device);
}

/* Why it may not be rq that begins to run, or not then. */
static uint8_t doubts_of(const struct lane_timeline *tl, const struct lane_eng *eng,
			 const struct lane_rq *rq, uint64_t began_ns)
{
	bool doubtful = rq->maybe.has_run || (tl->ports_hide && timeline_engine_has_ports(eng)) ||
			timeline_engine_is_blind(tl, eng);

	/* What came before it in its context was handed over before the recording: it may have run
	 * first. */
	if (timeline_engine_unproven(eng))
		doubtful |= !follows_known(rq, began_ns) || eng->proof.epoch > 1;
	return doubtful ? LANE_DOUBT_DEVICE : 0;
}

/* rq runs for the first time that is certain. */
static void start(const struct lane_eng *eng, struct lane_rq *rq, struct lane_span at)
{
	rq->pub.started = true;
	rq->pub.start = at;
	if (rq->maybe.at.hi) {
		rq->pub.start.lo = rq->maybe.at.lo;
		if (at.hi == LANE_NEVER)
			rq->maybe.is_away = true;
		else
			rq->pub.preempted.hi += at.hi - rq->maybe.at.lo;
	} else if (rq->pub.execute_ns < eng->free.lo && eng->last_ctx) {
		rq->pub.behind = &eng->last_ctx->pub;
	}
}

static struct lane_begun begun_at(const struct lane_timeline *tl, const struct lane_eng *eng,
				  const struct lane_rq *rq, struct lane_span at)
{
	uint64_t in_ns = rq == eng->leaver ? eng->leaver_in.lo : rq->handed.in.lo;
	uint64_t no_sooner_ns = timeline_not_before(in_ns, eng->free_no_sooner_ns);
	struct lane_begun begun = { .ns = at.lo,
				    .no_sooner_ns = no_sooner_ns < at.lo ? no_sooner_ns : at.lo,
				    .is_taken = timeline_ports_taken_before(tl, eng),
				    .epoch = rq->begun.epoch };

	begun.is_unsure = rq == eng->leaver && eng->mode != LANE_MODE_PER_REQUEST &&
			  eng->dequeue.pause_ns &&
			  (at.hi > eng->dequeue.pause_ns || !begun.is_taken);
	if (timeline_engine_unproven(eng) && timeline_engine_has_ports(eng))
		begun.epoch = eng->proof.epoch;
	return begun;
}

void timeline_run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_span at)
{
	bool sure_order = !timeline_engine_unproven(eng);
	struct lane_span in = rq == eng->leaver ? eng->leaver_in : rq->handed.in;

	/* It was on its port when the one before it ended. */
	eng->follows = in.hi <= eng->free.lo && at.lo == eng->free.lo &&
		       at.hi - eng->gap_ns == eng->free.hi;
	at.lo = timeline_not_before(at.lo, rq->pub.execute_ns);
	at.hi = timeline_not_before(at.hi, at.lo);
	if (!sure_order && !timeline_engine_has_ports(eng))
		at.hi = LANE_NEVER; /* something unseen may have run before it */
	if (eng->idle.is_known)
		timeline_idle_end(tl, eng, rq, at.lo, !sure_order);
	rq->begun = begun_at(tl, eng, rq, at);
	rq->pub.doubt |= doubts_of(tl, eng, rq, at.hi);
	if (!rq->pub.started)
		start(eng, rq, at);
	else if (rq->left.from)
		timeline_run_away_until(tl, rq, at);
	if (rq->pub.state == LANE_RQ_STATE_DEVICE)
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, at.lo);
	else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
		timeline_queue_changes(tl, &rq->left.from->pub, LANE_QUEUE_HOST, rq, -1, at.lo);
	rq->since = at;
	eng->running = rq;
	timeline_request_state(tl, rq, LANE_RQ_STATE_RUNNING, at.lo);
	if (eng->victim)
		blame(tl, eng, rq);
}

/*
 * The ring whose last request met the driver's pause waits for the end of that, be a set with it
 * taken. With another context the hardware leaves it.
 */
void timeline_run_is_reported(struct lane_eng *eng, struct lane_rq *rq)
{
	const struct lane_ctx *ctx = (const struct lane_ctx *)rq->pub.context;

	rq->begun.is_reported = !eng->paused || ctx->paused != eng->paused;
	if (rq->begun.is_reported)
		eng->paused = 0;
}

/*
 * The driver pauses the ring, takes back what is not complete, and looks at the oldest last
 * (ring_set_paused() and __unwind_incomplete_requests() of gt/intel_execlists_submission.c, 6.1).
 * What completes behind the pause is followed by nothing: the oldest that is taken back then never
 * began.
 */
bool timeline_run_had_begun(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->begun.is_reported || !eng->dequeue.pause_ns ||
	       ((rq->begun.is_taken || (rq->begun.taken_ns && rq->begun.taken_ns + LANE_SWITCH_NS <=
								      eng->dequeue.pause_ns)) &&
		rq->since.hi <= eng->dequeue.pause_ns);
}

/* What runs stops at a time in *at: both that and its begin are made consistent. */
static void fit(struct lane_rq *rq, struct lane_span *at)
{
	at->lo = timeline_not_before(at->lo,
				     at->lo == at->hi ? rq->since.lo : rq->begun.no_sooner_ns);
	at->hi = timeline_not_before(at->hi, rq->since.lo);
	if (rq->since.hi > at->hi)
		rq->since.hi = at->hi;
	if (rq->pub.start.hi > at->hi)
		rq->pub.start.hi = at->hi;
	if (rq->left.is_open) {
		uint64_t away_ns = timeline_span_between(rq->left.at, rq->since).hi;

		if (away_ns > rq->left.away.hi) {
			rq->pub.preempted.hi += away_ns - rq->left.away.hi;
			rq->left.away.hi = away_ns;
		}
		rq->left.is_open = false;
	}
}

void timeline_run_void(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at)
{
	struct lane_rq *rq = eng->running;
	uint64_t since_ns = rq->since.lo, most;

	fit(rq, &at);
	most = at.hi - since_ns;
	rq->begun.is_unsure = false;
	rq->maybe.at =
		(struct lane_span){ rq->maybe.at.hi && !rq->left.from ? rq->maybe.at.lo : since_ns,
				    at.hi };
	rq->pub.running.hi += most;
	if (rq->left.from) {
		if (rq->left.is_untold || rq->left.is_due) {
			rq->pub.preempted.lo -= rq->left.away.lo;
			rq->pub.preempted.hi -= rq->left.away.hi;
			rq->maybe.less += most;
		} else { /* it has been told that it was preempted up to then */
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
		}
		rq->left.is_untold = rq->left.is_due = false;
		rq->since = rq->left.at;
		timeline_request_state(tl, rq, LANE_RQ_STATE_PREEMPTED, since_ns);
		timeline_queue_changes(tl, &rq->left.from->pub, LANE_QUEUE_HOST, rq, 1, since_ns);
	} else {
		rq->pub.started = rq->maybe.is_away = false;
		rq->pub.behind = NULL;
		timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, since_ns);
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, since_ns);
	}
	timeline_request_doubt_alive(rq, at.hi, !rq->pub.started);
	rq->unheard.was_passed = true;
	eng->running = NULL;
	if (eng->last_ctx != (struct lane_ctx *)rq->pub.context)
		eng->last_ctx = NULL;
	eng->free = at;
}

/* A run is told behind the one before it, and ends no sooner than it began, as these were told. */
static void put_behind(struct lane_eng *eng, struct lane_run *run)
{
	if (run->begin.lo < eng->told_until_ns && run->begin.hi >= eng->told_until_ns &&
	    run->end.hi >= eng->told_until_ns)
		run->begin.lo = eng->told_until_ns;
	run->end.lo = timeline_not_before(run->end.lo, run->begin.lo);
	eng->told_until_ns = run->end.lo;
}

void timeline_run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span *at)
{
	struct lane_rq *rq = eng->running;
	struct lane_run run = { .engine = &eng->pub, .request = &rq->pub };

	fit(rq, at);
	if (rq->maybe.is_away)
		rq->pub.preempted.hi += rq->since.hi - rq->maybe.at.lo;
	rq->maybe.is_away = false;
	timeline_span_add(&rq->pub.running, timeline_span_between(rq->since, *at));
	run.begin = rq->since;
	run.end = *at;
	put_behind(eng, &run);
	run.follows = eng->follows;
	run.gap_ns = eng->gap_ns;
	run.sure_until_ns = rq->is_ending || rq->alive.at_ns > at->lo ? at->lo : rq->alive.at_ns;
	run.is_doubtful = rq->begun.epoch > eng->proof.proven_epoch ||
			  (rq->pub.doubt & LANE_DOUBT_DEVICE) ||
			  (rq->left.is_untold && !timeline_request_alive_since_left(rq)) ||
			  timeline_request_may_be_over(rq);
	eng->running = NULL;
	if (rq->left.is_due)
		tell_preemption(tl, rq);
	/* It may have ended before it left, and not run again; or another has run since. */
	if (rq->left.is_untold && !timeline_request_alive_since_left(rq) &&
	    (at->hi > rq->since.lo || eng->last_ctx != (struct lane_ctx *)rq->pub.context))
		eng->last_ctx = NULL;
	else if (timeline_request_may_be_over(rq))
		eng->last_ctx = NULL;
	else
		eng->last_ctx = (struct lane_ctx *)rq->pub.context;
	eng->free = *at;
	eng->free_no_sooner_ns = 0; /* the ports' `in` says more */
	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}
