/* SPDX-License-Identifier: MIT */
/* In which of its worlds a request has ended. */
#ifndef LANE_TIMELINE_FATE_H
#define LANE_TIMELINE_FATE_H

#include "timeline/i915/ending.h"

/* rq, which is complete, does not run, and may have been complete already when what took its place
 * was to run. */
bool timeline_fate_may_have_passed(const struct lane_rq *rq);
/* rq, which runs, ends as `ending` says. Sets eng->free, the time at which the engine is free. */
void timeline_fate_end_run(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   const struct lane_end_told *ending);
/* rq ended as `ending` says. It had left the engine and was not seen to run again. */
void timeline_fate_end_preempted(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
				 const struct lane_end_told *ending);
/* rq ended as `ending` says, in the last run that it may have had. */
void timeline_fate_end_as_it_left(struct lane_timeline *tl, const struct lane_eng *eng,
				  struct lane_rq *rq, const struct lane_end_told *ending);
/* rq ended at a time in `end`, and was not seen to have the engine. Returns the bounds of its
 * end. */
struct lane_bounds timeline_fate_take_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
						  struct lane_bounds end);

#endif
