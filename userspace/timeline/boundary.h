/* SPDX-License-Identifier: MIT */
/*
 * What is open in a model: a boundary, the end of a request, which for what follows it is the
 * earliest time at which it can have begun. It is one variable, known within a span, and concluded
 * in the order of the boundaries: so no boundary is before the one before it, or behind the one
 * behind it.
 */
#ifndef LANE_TIMELINE_BOUNDARY_H
#define LANE_TIMELINE_BOUNDARY_H

#include "timeline/ending.h"
#include "timeline/state.h"

/* rq is complete by end.hi, by its own events or by those of what follows it. */
void timeline_boundary_known(struct lane_rq *rq, struct lane_span end);
static inline bool timeline_boundary_is_known(const struct lane_rq *rq)
{
	return rq->known.hi != 0;
}

/* Nothing that is to come tells more of it. */
bool timeline_boundary_is_settled(const struct lane_timeline *tl, const struct lane_rq *rq);
/* When rq was over, no sooner than what it follows, which was over at a time from then on. */
struct lane_end_told timeline_boundary_of(struct lane_timeline *tl, struct lane_rq *rq,
					  uint64_t follows_ns);
/* rq's story with the hardware is over. */
void timeline_boundary_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* rq had the engine, or was to, from a time in `begin` to one in `end`: that is told. */
void timeline_boundary_tell_run(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_rq *rq, struct lane_span begin,
				struct lane_span end, bool follows);

#endif
