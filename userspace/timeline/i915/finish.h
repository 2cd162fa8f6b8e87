/* SPDX-License-Identifier: MIT */
/* The end of a request, and a request whose engine goes on without it. */
#ifndef LANE_TIMELINE_FINISH_H
#define LANE_TIMELINE_FINISH_H

#include "timeline/state.h"

/* rq ended at a time in `end`. */
void timeline_finish_request(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_bounds *end);
/* Takes rq out of its engine's order, ended or not: only rq's own events can tell its end. */
void timeline_finish_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* The order may be another one, from at_ns or each request's execute on, whichever is later. */
void timeline_finish_doubt_order(struct lane_eng *eng, uint64_t at_ns);
/* What has no place in the order may have ended since its last sign of life: what shows as wrong
 * now has been wrong for some time already. */
void timeline_finish_doubt_unplaced(struct lane_eng *eng);

#endif
