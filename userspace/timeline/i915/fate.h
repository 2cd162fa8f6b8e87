/* SPDX-License-Identifier: MIT */
/* How a request has ended, and in which of its worlds. */
#ifndef LANE_TIMELINE_FATE_H
#define LANE_TIMELINE_FATE_H

#include "timeline/i915/ending.h"

/* How a request ended. */
enum lane_way_ended {
	LANE_ENDED_RUNNING,	 /* in the run that it has */
	LANE_ENDED_IN_MAYBE_RUN, /* in the last run that it may have had */
	LANE_ENDED_OUT_OF_TURN,	 /* it was not seen to have the engine */
	LANE_ENDED_PREEMPTED,	 /* it was off the engine, incomplete, until its end was told */
	LANE_ENDED_BEFORE,	 /* it was complete before it left */
	LANE_ENDED_PREEMPTED_OR_AGAIN, /* it was off the engine until its end, or ran again */
	LANE_ENDED_BEHIND_OTHERS,      /* the same, and those ahead of it may be complete, too */
	LANE_ENDED_WITH_SOMETHING_MISSING,
};

/* How rq ended, by what is known of it as its end is told. */
enum lane_way_ended timeline_fate_of(const struct lane_timeline *tl, const struct lane_eng *eng,
				     const struct lane_rq *rq, const struct lane_end_told *ending);
/* rq, which runs, ends as `ending` says. Sets eng->free, the time at which the engine is free. */
void timeline_fate_end_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_end_told *ending);
/* rq ended as `ending` says, in the last run that it may have had. */
void timeline_fate_end_in_maybe_run(struct lane_timeline *tl, const struct lane_eng *eng,
				    struct lane_rq *rq, const struct lane_end_told *ending);
/* The bounds of rq's end, which was told at a time in `end`: rq was not seen to have the engine. */
struct lane_bounds timeline_fate_bound_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
						   struct lane_bounds end);
/* rq ended as `ending` says, in one of the other ways: it had left the engine and was not seen to
 * run again. */
void timeline_fate_end_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_end_told *ending, enum lane_way_ended way);

#endif
