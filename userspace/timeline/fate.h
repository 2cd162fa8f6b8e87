/* SPDX-License-Identifier: MIT */
/* In which of its histories a request has ended. */
#ifndef LANE_TIMELINE_FATE_H
#define LANE_TIMELINE_FATE_H

#include "timeline/ending.h"

/* It is over, as is seen now, and may have been, unheard, when what took its place was to run. */
bool timeline_fate_left_or_over(const struct lane_rq *rq, struct lane_span end);
/* What runs ends: eng->free says when the engine is free. */
void timeline_fate_end_turn(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    const struct lane_end_told *told);
/* The end of what was taken off its engine and has not been seen to run again. */
void timeline_fate_end_away(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    struct lane_span end);
/* rq has ended when it may have run. */
void timeline_fate_end_as_it_left(struct lane_timeline *tl, const struct lane_eng *eng,
				  struct lane_rq *rq, struct lane_span end);
/* The bounds of an end of what has not been seen to have its turn. */
struct lane_span timeline_fate_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
					   struct lane_span end);

#endif
