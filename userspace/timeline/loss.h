/* SPDX-License-Identifier: MIT */
/* What follows from a loss. */
#ifndef LANE_TIMELINE_LOSS_H
#define LANE_TIMELINE_LOSS_H

#include "timeline/state.h"

/* Applies the losses that begin before now_ns: from a loss on, the absence of events shows
 * nothing. */
void timeline_loss_advance(struct lane_timeline *tl, uint64_t now_ns);
/* Reads a gpulane_lost: tells the loss, and applies it. */
void timeline_loss_event(struct lane_timeline *tl, const struct lane_event *event);

#endif
