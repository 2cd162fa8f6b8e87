/* SPDX-License-Identifier: MIT */
/* Who listens to a request, and whether the request was complete by then (docs/analysis.md, Late
 * listener). */
#ifndef LANE_TIMELINE_LISTENING_H
#define LANE_TIMELINE_LISTENING_H

#include "timeline/state.h"

/* rq is signalled by `event`: notes what that tells of the listening. */
void timeline_listening_signaled(const struct lane_timeline *tl, struct lane_rq *rq,
				 const struct lane_event *event);
/* True when the listening itself found rq complete, and signals it by `event`. */
bool timeline_listening_signals(const struct lane_timeline *tl, const struct lane_rq *rq,
				const struct lane_event *event);

#endif
