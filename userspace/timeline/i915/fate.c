// SPDX-License-Identifier: MIT
// How a request has ended: what is known of it as its end is told, and what that means.
#include "timeline/i915/fate.h"
#include "timeline/i915/ending.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/losses.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet.h"
#include "timeline/i915/run.h"
#include "timeline/i915/world.h"

/* R7. rq's end is told while others stand ahead of it. They may be complete: they get a world
 * `complete`. */
static void those_ahead_may_be_complete(struct lane_eng *eng, const struct lane_rq *rq,
					struct lane_bounds end)
{
	for (struct lane_rq *other = eng->order.first; other; other = other->dev_next) {
		bool waits = other->pub.state == LANE_RQ_STATE_DEVICE ||
			     (other->pub.state == LANE_RQ_STATE_PREEMPTED && eng->model->is_hooked);

		if ((other != eng->running && !waits) || !timeline_request_is_ahead(other, rq) ||
		    (timeline_tasklet_tells_end(eng) && timeline_ports_await_out(eng, other)))
			continue; /* its own `out` would have come first */
		timeline_world_overtaken(other, timeline_r07_behind(timeline_bounds_hi(&end)));
	}
}

/* ---- how it ended ---- */

/* What is known of a request as its end is told. */
enum fact {
	HAS_ENGINE = 1 << 0,	  /* it has the engine */
	IS_OFF = 1 << 1,	  /* it left the engine, and was not seen to have it again */
	HAS_PLACE = 1 << 2,	  /* it stands in the order */
	IS_TAKEN_BACK = 1 << 3,	  /* its `unsubmit` came, and no `execute` since */
	WAS_PREEMPTED = 1 << 4,	  /* it was seen incomplete as it left, or since */
	MAY_BE_COMPLETE = 1 << 5, /* it has a world `complete`: */
	IN_UNSURE_RUN = 1 << 6,	  /* in a run that it may not have had */
	MAY_HAVE_RUN = 1 << 7,	  /* it may have had a run since it left, or was handed over */
	IS_EXACT = 1 << 8,	  /* what tells its end came as it ended */
	IS_UNSURE = 1 << 9,	  /* the absence of events shows nothing of it */
	IS_LEFT_OUT = 1 << 10,	  /* a dequeue showed it complete (R8) */
};

/*
 * The first line whose facts all hold (`is`), and none of the others (`is_not`). Most requests
 * match the first: by now chain.c has put the request whose turn it is on the engine.
 */
static const struct {
	uint32_t is, is_not;
	enum lane_way_ended way;
} ways[] = {
	{ HAS_ENGINE, 0, LANE_ENDED_RUNNING },
	/* The last that it can have had was the run behind the pause. */
	{ MAY_HAVE_RUN | MAY_BE_COMPLETE, HAS_PLACE, LANE_ENDED_IN_MAYBE_RUN },
	{ 0, IS_OFF, LANE_ENDED_OUT_OF_TURN },
	{ IN_UNSURE_RUN, 0, LANE_ENDED_BEHIND_OTHERS },
	/* It was incomplete as it was taken back, and its end was told late: it may have been
	 * handed over meanwhile, unseen. */
	{ WAS_PREEMPTED | IS_TAKEN_BACK, HAS_PLACE | IS_EXACT, LANE_ENDED_PREEMPTED_OR_AGAIN },
	{ WAS_PREEMPTED, 0, LANE_ENDED_PREEMPTED },
	/* The driver hands over again what it took back incomplete, and not this. */
	{ IS_TAKEN_BACK | MAY_BE_COMPLETE, HAS_PLACE | IS_UNSURE, LANE_ENDED_BEFORE },
	/* It stood behind an incomplete one, was taken back before, and has not run since. */
	{ IS_LEFT_OUT | MAY_BE_COMPLETE, HAS_PLACE | IS_UNSURE, LANE_ENDED_BEFORE },
	/* Somebody was told at once: then it has just run, in its place or before. */
	{ IS_EXACT, 0, LANE_ENDED_BEHIND_OTHERS },
	{ IS_UNSURE, 0, LANE_ENDED_WITH_SOMETHING_MISSING },
	{ HAS_PLACE, 0, LANE_ENDED_BEHIND_OTHERS },
	{ 0, 0, LANE_ENDED_PREEMPTED_OR_AGAIN },
};

static uint32_t facts_of(const struct lane_timeline *tl, const struct lane_eng *eng,
			 const struct lane_rq *rq, const struct lane_end_told *ending)
{
	if (eng->running == rq)
		return HAS_ENGINE;
	return (rq->pub.state == LANE_RQ_STATE_PREEMPTED ? IS_OFF : 0) |
	       (rq->order ? HAS_PLACE : 0) |
	       (rq->handed.back == LANE_BACK_SEEN ? IS_TAKEN_BACK : 0) |
	       (timeline_request_was_preempted(rq) ? WAS_PREEMPTED : 0) |
	       (timeline_request_may_be_complete(rq) ? MAY_BE_COMPLETE : 0) |
	       (rq->complete.how == LANE_COMPLETE_MAYBE_RUN ? IN_UNSURE_RUN : 0) |
	       (rq->now.maybe.hi ? MAY_HAVE_RUN : 0) | (rq->known.hi ? IS_LEFT_OUT : 0) |
	       (timeline_bounds_are_exact(&ending->end) ? IS_EXACT : 0) |
	       (timeline_ending_is_unsure(tl, eng, rq) ? IS_UNSURE : 0);
}

enum lane_way_ended timeline_fate_of(const struct lane_timeline *tl, const struct lane_eng *eng,
				     const struct lane_rq *rq, const struct lane_end_told *ending)
{
	uint32_t facts = facts_of(tl, eng, rq, ending), i = 0;

	while ((ways[i].is & ~facts) || (ways[i].is_not & facts))
		i++;
	return ways[i].way;
}

/* The ways (enum lane_world_set) in which what is off the engine may have ended. */
static uint32_t worlds_of(enum lane_way_ended way)
{
	switch (way) {
	case LANE_ENDED_PREEMPTED:
		return LANE_WORLD_PREEMPTED;
	case LANE_ENDED_BEFORE:
		return LANE_WORLD_COMPLETE;
	default:
		return LANE_WORLD_AGAIN | LANE_WORLD_COMPLETE;
	}
}

/* ---- off the engine ---- */

/* Tells the preemption that is pending, if it is certain. */
static void tell_preemption(struct lane_timeline *tl, struct lane_rq *rq, enum lane_way_ended way,
			    struct lane_bounds end)
{
	if (way == LANE_ENDED_PREEMPTED)
		timeline_run_tell_preemption(tl, rq, &end);
	else if (rq->left.tell == LANE_LEAVE_SURELY)
		timeline_run_tell_preemption(
			tl, rq,
			&(struct lane_bounds){ .lo = rq->complete.world.since.lo, .hi = end.hi });
}

/* The bounds of its end, no sooner than its last sign of life; told are those that its worlds
 * allow. */
static struct lane_bounds since_alive(const struct lane_rq *rq, enum lane_way_ended way,
				      const struct lane_end_told *ending, struct lane_bounds told)
{
	struct lane_bound from = timeline_bounds_lo(&ending->end);

	if (way == LANE_ENDED_WITH_SOMETHING_MISSING)
		timeline_bounds_set_lo(&told, ending->is_end_hidden
						      ? from
						      : timeline_bound_sooner(rq->alive, from));
	else if (way == LANE_ENDED_BEFORE && ending->is_end_hidden)
		timeline_bounds_lower(&told, from);
	else if (worlds_of(way) & LANE_WORLD_AGAIN)
		timeline_bounds_lower(&told, rq->alive);
	return told;
}

void timeline_fate_end_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_end_told *ending, enum lane_way_ended way)
{
	struct lane_bounds end = ending->end;
	struct lane_bounds told =
		way == LANE_ENDED_PREEMPTED ? end : timeline_bounds_exact(timeline_bounds_hi(&end));

	if (way == LANE_ENDED_BEHIND_OTHERS ||
	    (way == LANE_ENDED_WITH_SOMETHING_MISSING && rq->order))
		those_ahead_may_be_complete(eng, rq, end);
	if (way == LANE_ENDED_WITH_SOMETHING_MISSING)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	rq->pub.preemptions -= way == LANE_ENDED_BEFORE;
	tell_preemption(tl, rq, way, end);
	told = timeline_world_end(rq, told, worlds_of(way));
	told = since_alive(rq, way, ending, told);
	timeline_finish_request(tl, rq, &told);
}

void timeline_fate_end_in_maybe_run(struct lane_timeline *tl, const struct lane_eng *eng,
				    struct lane_rq *rq, const struct lane_end_told *ending)
{
	struct lane_bounds end = ending->end, told;

	if (ending->is_end_hidden ||
	    timeline_ending_is_unsure(tl, eng, rq)) { /* an execute of rq since then may be lost */
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		timeline_bounds_lower(&end, rq->alive);
		timeline_finish_request(tl, rq, &end);
		return;
	}
	timeline_run_tell_preemption(tl, rq, &rq->complete.world.since);
	told = timeline_world_end(rq, end, LANE_WORLD_COMPLETE);
	/* A set that was written since may have taken the engine from rq, and rq may have had it
	 * again. */
	if (eng->model->has_sets && rq->handed.in.lo > rq->complete.world.since.hi &&
	    rq->alive.ns >= rq->handed.in.lo && rq->handed.in.lo < told.hi)
		rq->pub.preempted.hi += told.hi - rq->handed.in.lo;
	timeline_finish_request(tl, rq, &told);
}

/* ---- running ---- */

/* Since when rq ran is not certain: only its own events say that it had not ended. */
static bool start_is_unsure(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->doubt.epoch > eng->proof.proven_epoch || (rq->pub.doubt & LANE_DOUBT_DEVICE);
}

/*
 * What is to leave has ended by an event that does not say whether it had left and come again. That
 * is so where no `out` is seen; where the `out` says how the request was as the `out` was fired;
 * and for a signal behind another dequeue, for which the hardware had taken the set before (R20).
 */
static bool may_have_come_again(const struct lane_eng *eng, const struct lane_bounds *end)
{
	return eng->model->is_hooked ||
	       (eng->model->has_sets &&
		((timeline_tasklet_tells_end(eng) && !timeline_bounds_are_exact(end)) ||
		 timeline_tasklet_dequeued_before(eng)));
}

/*
 * No `out` tells of the changeover. What is to leave, rq, stands again behind others. Either rq
 * ended before them; or they had the engine and are complete, and rq ended when it had the engine
 * again. The bounds take in both.
 */
static void left_or_stayed(struct lane_eng *eng, struct lane_rq *rq, struct lane_bounds end)
{
	const struct lane_rq *first = timeline_engine_first_open(eng);
	uint64_t away_ns;

	if (!rq->order || !first || first == rq)
		return;
	away_ns = timeline_not_before(first->handed.in.lo, rq->now.since.lo);
	away_ns = end.hi > away_ns ? end.hi - away_ns : 0;
	rq->pub.running.lo -= away_ns < rq->pub.running.lo ? away_ns : rq->pub.running.lo;
	rq->pub.preempted.hi += away_ns;
	/* It may have begun only as it came again. */
	if (eng->run.is_unsure && !rq->left.from && end.hi > rq->pub.start.hi)
		timeline_request_start_by(rq, timeline_bounds_hi(&end));
	those_ahead_may_be_complete(eng, rq, end);
}

/* The bounds of rq's end, whose run is closed. In *free comes when the engine
 * was free: earlier if rq may have ended in another world. */
static void end_of_run(const struct lane_eng *eng, struct lane_rq *rq, bool is_end_hidden,
		       struct lane_bounds *end, struct lane_bounds *free)
{
	struct lane_bounds hull =
		timeline_world_end(rq, *free, LANE_WORLD_NOW | LANE_WORLD_COMPLETE);

	if (is_end_hidden)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	else if (!start_is_unsure(eng, rq))
		*end = *free;
	else if (!timeline_bounds_are_exact(end))
		timeline_bounds_lower(end, rq->alive);
	if (timeline_request_may_be_complete(rq)) {
		timeline_bounds_lower(end, timeline_bounds_lo(&hull));
		timeline_bounds_set_lo(free, rq->no_sooner);
	}
}

/* rq was not handed over before ns. */
static bool was_handed_over_since(const struct lane_rq *rq, uint64_t ns)
{
	const struct lane_request *pub = &rq->pub;

	if (!(pub->seen & LANE_SEEN_EXECUTE) || pub->execute_ns < ns)
		return false;
	return ((pub->seen & LANE_SEEN_SUBMIT) && pub->submit_ns >= ns) ||
	       ((pub->seen & LANE_SEEN_ADD) && pub->add_ns >= ns) ||
	       ((pub->seen & LANE_SEEN_QUEUE) && pub->queue_ns >= ns);
}

/* Where no ports are seen: nothing hidden was ahead of rq if rq was handed over after the doubt. */
static void prove_by_end(struct lane_eng *eng, const struct lane_rq *rq)
{
	if (timeline_engine_unproven(eng) && !eng->model->has_ports &&
	    was_handed_over_since(rq, eng->proof.doubt_until_ns))
		timeline_engine_prove(eng, true);
}

void timeline_fate_end_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_end_told *ending)
{
	struct lane_bounds end = ending->end, free = end;
	struct lane_bound since = timeline_bounds_hi(&rq->now.since);
	bool was_leaver = rq == eng->leaver;
	/* Late evidence can put rq's start after its end, or R8 has proved it complete before its
	 * end's event. Either way the engine was free earlier than the bounds say, and requests
	 * behind rq may be complete, too. Not so for a request that is still to leave. */
	bool was_over_before = end.hi < rq->now.since.lo ||
			       (rq->known.hi && rq->known.hi < end.lo && !eng->leaver);

	if (timeline_bounds_are_exact(&end) && end.lo < rq->now.since.lo)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	timeline_run_close(tl, eng, &free, true);
	end_of_run(eng, rq, ending->is_end_hidden, &end, &free);
	if (was_leaver && may_have_come_again(eng, &ending->end))
		left_or_stayed(eng, rq, ending->end);
	timeline_finish_request(tl, rq, &end);
	prove_by_end(eng, rq);
	if (was_over_before) { /* rq had no run: the engine is free as it was before */
		timeline_bounds_set_lo(&free, ending->no_sooner);
		timeline_bounds_widen(&free, since);
	} else {
		timeline_bounds_raise(&free, timeline_bounds_are_exact(&free)
						     ? timeline_bounds_lo(&rq->now.since)
						     : rq->no_sooner);
	}
	eng->free.at = free;
	eng->free.no_sooner = ending->no_sooner;
	timeline_pause_note_end(eng, rq, &ending->end, was_leaver);
}

struct lane_bounds timeline_fate_bound_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
						   struct lane_bounds end)
{
	bool is_in_maybe_run = rq->complete.how == LANE_COMPLETE_MAYBE_RUN;

	if (is_in_maybe_run && rq->order)
		eng->dequeue.is_mixed = true;
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (is_in_maybe_run)
		those_ahead_may_be_complete(eng, rq, end);
	if (rq->handed.back == LANE_BACK_MAYBE || is_in_maybe_run) /* it may have ended before */
		timeline_bounds_lower(&end, rq->alive);
	return end;
}
