/* SPDX-License-Identifier: MIT */
/*
 * A request that waits for one of another engine on its own engine. From Linux 5.1 on i915 writes
 * MI_SEMAPHORE_WAIT at the request's begin, hands it over as soon as the other one has been, and
 * the engine spins (emit_semaphore_wait() of i915_request.c, 6.1). No event tells of it. But the
 * thread that builds the request begins to listen to the other one, and the request is submitted
 * though that one is not signalled.
 */
#ifndef LANE_TIMELINE_SEMAPHORE_H
#define LANE_TIMELINE_SEMAPHORE_H

#include "timeline/state.h"

/* Thread tid begins to listen to rq. */
void timeline_semaphore_listened(struct lane_timeline *tl, const struct lane_rq *rq, int32_t tid);
/* rq has been queued or added, by thread tid, for the first time. */
void timeline_semaphore_built(struct lane_timeline *tl, struct lane_rq *rq, int32_t tid);
/* rq has been submitted: whom it waits for, if that is so, is noted. */
void timeline_semaphore_submitted(struct lane_rq *rq);
/* rq has been signalled at now_ns: who waits for it goes on. */
void timeline_semaphore_signalled(struct lane_rq *rq, uint64_t now_ns);

#endif
