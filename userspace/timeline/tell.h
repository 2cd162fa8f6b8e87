/* SPDX-License-Identifier: MIT */
/* What the subscriber is told of a request and of queues. */
#ifndef LANE_TIMELINE_TELL_H
#define LANE_TIMELINE_TELL_H

#include "timeline/state.h"

/* Whose rq is, before anything is told of it, where its context does not say. */
void timeline_request_settle_client(struct lane_timeline *tl, struct lane_rq *rq);

/* rq is in `state` from at_ns on. at_ns is moved so that no state of rq is told before the one
 * before it. */
void timeline_request_state(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_request_state state, uint64_t at_ns);
/* rq comes to the queue in which it waits by its state, at at_ns; it leaves it. Other states have
 * no queue. */
void timeline_queue_enter(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns);
void timeline_queue_leave(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns);
/* Fences' signals are recorded, and it is known which one is rq's. */
bool timeline_request_has_signals(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Tells all of rq and frees it. is_wait_cut: somebody waited for it still as its events ended. */
void timeline_request_tell(struct lane_timeline *tl, struct lane_rq *rq, bool is_wait_cut);
/* The queue of the engine grows by delta at at_ns, because of rq. at_ns is moved as by
 * timeline_request_state(), unless rq has ended. */
void timeline_queue_changes(struct lane_timeline *tl, struct lane_engine *engine,
			    enum lane_queue queue, const struct lane_rq *rq, int delta,
			    uint64_t at_ns);

#endif
