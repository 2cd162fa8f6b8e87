/* SPDX-License-Identifier: MIT */
/* A request from its own events and its fence's. */
#ifndef LANE_TIMELINE_REQUEST_H
#define LANE_TIMELINE_REQUEST_H

#include "timeline/i915/tasklet.h"

extern const struct lane_tasklet_reader lane_rq_reader;
/* Reads an event of a request, or holds it with a run of the tasklet. */
void timeline_request_event(struct lane_timeline *tl, const struct lane_event *event);
/* Reads an enable_signal or a signaled of a fence. */
void timeline_fence_event(struct lane_timeline *tl, const struct lane_event *event);
/* Tells rq to the subscriber, and frees it. */
void timeline_request_done(struct lane_timeline *tl, struct lane_rq *rq);

#endif
