/* SPDX-License-Identifier: MIT */
/* A dequeue of the driver: what it takes back, hands over and writes to the ports. */
#ifndef LANE_TIMELINE_HANDOVER_H
#define LANE_TIMELINE_HANDOVER_H

#include "timeline/state.h"

/* rq is with eng, and with it all of its context that is before it. */
void timeline_engine_gets(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			  uint64_t at_ns);
void timeline_engine_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     const struct lane_event *event);
void timeline_engine_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			      const struct lane_event *event);
void timeline_engine_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			const struct lane_event *event);
/* The driver has dequeued: what it took back and handed over is known. */
void timeline_engine_dequeued(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
/* A port is given; its `out` is to come. */
void timeline_handover_give(struct lane_timeline *tl, struct lane_eng *eng,
			    struct lane_entry entry);
/* rq is taken back; the oldest that is had the engine, or was to have it next. */
void timeline_handover_take_back(struct lane_eng *eng, struct lane_rq *rq);

#endif
