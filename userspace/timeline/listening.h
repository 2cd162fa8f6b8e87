/* SPDX-License-Identifier: MIT */
/* Who listens to a request, and whether it was complete by then: what signals it, where and in
 * which order, tells. */
#ifndef LANE_TIMELINE_LISTENING_H
#define LANE_TIMELINE_LISTENING_H

#include "timeline/state.h"

/* Somebody begins to listen to rq; is_active: it may have been handed over by then. */
void timeline_listening_begins(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event, bool is_active);
/* rq has been handed over: the work that signals may have been asked for. */
void timeline_listening_handed_over(struct lane_timeline *tl, const struct lane_rq *rq);
/* rq is signalled by event: what that tells of the listening. */
void timeline_listening_signaled(struct lane_timeline *tl, struct lane_rq *rq,
				 const struct lane_event *event);
/* rq, which has been signalled, is yet to be told whether it was complete, by another's signal. */
bool timeline_listening_awaits(const struct lane_rq *rq);
/* The CPU that began to listen to rq is cpu, and has done something else since, interrupts on. */
bool timeline_listening_is_past(const struct lane_timeline *tl, const struct lane_rq *rq,
				int32_t cpu);
/* The listening itself has found rq complete and signals it. */
bool timeline_listening_signals(const struct lane_timeline *tl, const struct lane_rq *rq,
				const struct lane_event *event);

#endif
