/* SPDX-License-Identifier: MIT */
/* Who listens to a request, and whether the request was complete by then. The signals tell that, by
 * their CPU and order (docs/analysis.md, Late listener, Listened to in one go). */
#ifndef LANE_TIMELINE_LISTENING_H
#define LANE_TIMELINE_LISTENING_H

#include "timeline/state.h"

/* Somebody begins to listen to rq, by `event`. is_active: rq may have been handed over by then. */
void timeline_listening_begins(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event, bool is_active);
/* rq has been handed over. If it has a listener, its CPU may have asked for the breadcrumbs'
 * work. */
void timeline_listening_handed_over(struct lane_timeline *tl, const struct lane_rq *rq);
/* rq is signalled by `event`: notes what that tells of the listening. */
void timeline_listening_signaled(struct lane_timeline *tl, struct lane_rq *rq,
				 const struct lane_event *event);
/* True when rq has been signalled, and the signal of another request may yet tell whether rq was
 * complete as it was listened to. */
bool timeline_listening_awaits(const struct lane_rq *rq);
/* True when cpu began to listen to rq, and has done something else since with interrupts on. */
bool timeline_listening_is_past(const struct lane_timeline *tl, const struct lane_rq *rq,
				int32_t cpu);
/* Another CPU has signalled rq than the one that listened. */
static inline bool timeline_listening_is_elsewhere(const struct lane_rq *rq)
{
	return rq->listen.signal_cpu != rq->listen.cpu;
}
/* True when the listening itself found rq complete, and signals it by `event`. */
bool timeline_listening_signals(const struct lane_timeline *tl, const struct lane_rq *rq,
				const struct lane_event *event);

#endif
