/* SPDX-License-Identifier: MIT */
/* A request from its own events. */
#ifndef LANE_TIMELINE_REQUEST_H
#define LANE_TIMELINE_REQUEST_H

#include "timeline/i915/tasklet.h"

extern const struct lane_tasklet_reader lane_rq_reader;
/* Reads an event of a request, or holds it with a run of the tasklet. */
void timeline_request_event(struct lane_timeline *tl, const struct lane_event *event);
/* The event's thread begins to wait for rq's syncobj, or waits for it no more. */
void timeline_request_wait(struct lane_timeline *tl, struct lane_rq *rq,
			   const struct lane_event *event);
/* rq ended at some time from its being handed over, or its start, to `by`. An event of `cpu` tells
 * it; -1: as of timeline_chain_end_told(). */
void timeline_request_ended_by(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound by,
			       int32_t cpu);
/* All events of rq's own have come. Waiters, and what is held about it, may still keep it. */
void timeline_request_over(struct lane_timeline *tl, struct lane_rq *rq);
/* Tells rq to the subscriber, and frees it. */
void timeline_request_done(struct lane_timeline *tl, struct lane_rq *rq);

#endif
