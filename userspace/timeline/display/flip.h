/* SPDX-License-Identifier: MIT */
/* Commits that show another picture, from the asking to the refresh that shows it. */
#ifndef LANE_TIMELINE_FLIP_H
#define LANE_TIMELINE_FLIP_H

#include "timeline/state.h"

/* Reads an event of the group `frames`. */
void timeline_flip_event(struct lane_timeline *tl, const struct lane_event *event);
/* A fence is signalled: perhaps one that a commit waits for. */
void timeline_flip_signal(struct lane_timeline *tl, const struct lane_event *event);
/* The trace ends: tells what is open. */
void timeline_flip_finish(struct lane_timeline *tl);
void timeline_flip_free(struct lane_timeline *tl);

#endif
