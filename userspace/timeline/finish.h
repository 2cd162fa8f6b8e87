/* SPDX-License-Identifier: MIT */
/* A request's story with the hardware is over, or goes on without its engine. */
#ifndef LANE_TIMELINE_FINISH_H
#define LANE_TIMELINE_FINISH_H

#include "timeline/state.h"

/* rq ended at a time in `end`. */
void timeline_finish_request(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* rq is out of the way, ended or not: its own events will tell. */
void timeline_finish_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* When rq ran and ended is not known from at_ns on. */
void timeline_finish_doubt(struct lane_rq *rq, uint64_t at_ns);
/* The same of all that stands in the order, since at_ns or, if that is later, its execute. */
void timeline_finish_doubt_order(struct lane_eng *eng, uint64_t at_ns);

#endif
