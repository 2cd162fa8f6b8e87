/* SPDX-License-Identifier: MIT */
/* A request's life, from its own events and its fence's. */
#ifndef LANE_TIMELINE_REQUEST_H
#define LANE_TIMELINE_REQUEST_H

#include "timeline/tasklet.h"

extern const struct lane_tasklet_reader lane_rq_reader;
void timeline_request_event(struct lane_timeline *tl, const struct lane_event *event);
void timeline_fence_event(struct lane_timeline *tl, const struct lane_event *event);
void timeline_request_done(struct lane_timeline *tl, struct lane_rq *rq);

/* The retire that this CPU is at has done what it does: event is next there, NULL: nothing is. */
void timeline_request_goes_on(struct lane_timeline *tl, struct lane_cpu *cpu,
			      const struct lane_event *event);

#endif
