/* SPDX-License-Identifier: MIT */
/* How a request has ended, by what has been seen of it. */
#ifndef LANE_TIMELINE_END_H
#define LANE_TIMELINE_END_H

#include "timeline/state.h"

/* The bounds of an end as far as what has been seen of rq itself bears them; *alive_away: it has
 * been incomplete since it left its engine. */
struct lane_span timeline_end_bounds(struct lane_timeline *tl, struct lane_rq *rq,
				     struct lane_span end, bool *alive_away);
/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
bool timeline_end_is_shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
			   const struct lane_rq *rq);
/* It is over, as is seen now, and may have been, unheard, when what took its place was to run. */
bool timeline_end_left_or_over(const struct lane_rq *rq, struct lane_span end);
/* The story of rq with the hardware is over. */
void timeline_end_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* What runs ends: eng->free says when the engine is free. */
void timeline_end_running(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_span end);
/* The end of what was taken off its engine and has not been seen to run again. */
void timeline_end_away(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       struct lane_span end);
/* rq has ended when it may have run. */
void timeline_end_as_it_left(struct lane_timeline *tl, const struct lane_eng *eng,
			     struct lane_rq *rq, struct lane_span end);
/* The bounds of an end of what has not been seen to have its turn. */
struct lane_span timeline_end_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
					  struct lane_span end);
/* rq is out of the way, ended or not: its own events will tell. */
void timeline_end_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* When rq ran and ended is not known from at_ns on. */
void timeline_end_doubt(struct lane_rq *rq, uint64_t at_ns);
/* The same of all that stands in the order, since at_ns or, if that is later, its execute. */
void timeline_end_doubt_order(struct lane_eng *eng, uint64_t at_ns);

#endif
