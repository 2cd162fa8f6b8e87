/* SPDX-License-Identifier: MIT */
/*
 * A boundary: the end of one request and the earliest start of the next, as one time within a span.
 * Boundaries are concluded in their order. So no boundary is before the one before it, or behind
 * the one behind it.
 */
#ifndef LANE_TIMELINE_BOUNDARY_H
#define LANE_TIMELINE_BOUNDARY_H

#include "timeline/i915/ending.h"
#include "timeline/state.h"

/* rq is complete at a time in `end`, by its own events or by those of what follows it. */
void timeline_boundary_note_known(struct lane_rq *rq, struct lane_bounds end);
/* rq is known to be complete. When it ended is not concluded yet. */
static inline bool timeline_boundary_is_known(const struct lane_rq *rq)
{
	return rq->known.hi != 0;
}

/* No event that is to come tells more of rq's end. */
bool timeline_boundary_is_settled(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Returns when rq ended. The one before rq ended at or after `follows`, and rq no sooner. */
struct lane_end_told timeline_boundary_conclude(struct lane_timeline *tl, struct lane_rq *rq,
						struct lane_bound follows);
/* rq ended at a time in `end`. Releases rq if nothing else keeps it. */
void timeline_boundary_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end);
/* Tells the subscriber of a run: rq had the engine from a time in `begin` to one in `end`. follows:
 * it began as the run before it ended. */
void timeline_boundary_tell_run(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_rq *rq, struct lane_bounds begin,
				struct lane_bounds end, bool follows);

#endif
