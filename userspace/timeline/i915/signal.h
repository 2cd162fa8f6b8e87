/* SPDX-License-Identifier: MIT */
/* A request from its fence's events: who listens, and what its signal tells. */
#ifndef LANE_TIMELINE_SIGNAL_H
#define LANE_TIMELINE_SIGNAL_H

#include "timeline/state.h"

/* Reads an enable_signal or a signaled of a fence. */
void timeline_fence_event(struct lane_timeline *tl, const struct lane_event *event);

#endif
