/* SPDX-License-Identifier: MIT */
/* A dequeue of the driver: what it takes back, hands over and writes to the ports. */
#ifndef LANE_TIMELINE_HANDOVER_H
#define LANE_TIMELINE_HANDOVER_H

#include "timeline/state.h"

/* rq is linked to eng at at_ns, and so are the earlier requests of its context that were not seen
 * to be handed over. */
void timeline_engine_gets(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			  uint64_t at_ns);
/* Reads an `execute` of rq: the driver hands rq over to eng. */
void timeline_engine_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     const struct lane_event *event);
/* Reads an `unsubmit` of rq: the driver takes rq back from eng. */
void timeline_engine_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			      const struct lane_event *event);
/* Reads an `in` of rq: the driver writes a port of eng with rq as its last request. */
void timeline_engine_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			const struct lane_event *event);
/* A dequeue is over: concludes what it shows. Does nothing if none is open. */
void timeline_engine_dequeued(struct lane_timeline *tl, struct lane_eng *eng,
			      struct lane_bound now);
/* Puts a port into the FIFO of those whose `out` is to come. */
void timeline_handover_give(struct lane_timeline *tl, struct lane_eng *eng,
			    struct lane_entry entry);

#endif
