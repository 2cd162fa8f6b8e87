/* SPDX-License-Identifier: MIT */
/* When a request ended, as far as its own events tell it: R2 to R13. */
#ifndef LANE_TIMELINE_ENDING_H
#define LANE_TIMELINE_ENDING_H

#include "timeline/state.h"

/* How a request ended, by its own events. */
struct lane_end_told {
	struct lane_span end;
	uint64_t no_sooner_ns; /* it was not over before, whenever that was heard of */
	bool is_alive_away;    /* it has been incomplete since it left its engine */
};

/* rq was complete at a time in `end`, as one event tells: what its other events make of that. */
struct lane_end_told timeline_ending_of(struct lane_timeline *tl, struct lane_rq *rq,
					struct lane_span end);
/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
bool timeline_ending_is_shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq);

#endif
