/* SPDX-License-Identifier: MIT */
/* What the subscriber is told of a request and of queues. */
#ifndef LANE_TIMELINE_TELL_H
#define LANE_TIMELINE_TELL_H

#include "timeline/state.h"

/* What is told of a request never goes back in time, whatever its bounds are. */
void timeline_request_state(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_request_state state, uint64_t at_ns);
void timeline_queue_changes(struct lane_timeline *tl, struct lane_engine *engine,
			    enum lane_queue queue, const struct lane_rq *rq, int delta,
			    uint64_t at_ns);

#endif
