/* SPDX-License-Identifier: MIT */
/* What a request's other events make of an end that was told: R4, R5, R10 to R13, and R7 where the
 * order is uncertain. */
#ifndef LANE_TIMELINE_ENDING_H
#define LANE_TIMELINE_ENDING_H

#include "timeline/state.h"

/* When a request ended, by its own events. */
struct lane_end_told {
	struct lane_bounds end;
	struct lane_bound no_sooner; /* it was incomplete until then, whenever its end was told */
	bool is_end_hidden;	     /* a loss may hide what showed its end earlier */
};

/* One event tells that rq was complete at a time in `told`. Returns what rq's other events make of
 * that. */
struct lane_end_told timeline_ending_conclude(struct lane_timeline *tl, struct lane_rq *rq,
					      const struct lane_bounds *told);
/* True when the absence of events shows nothing of rq: an event is missing, or may be. */
bool timeline_ending_is_unsure(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *rq);

#endif
