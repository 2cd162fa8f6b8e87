/* SPDX-License-Identifier: MIT */
/* Frames of programs, by the marks that they write themselves. */
#ifndef LANE_TIMELINE_MARK_H
#define LANE_TIMELINE_MARK_H

#include "timeline/state.h"

/* Reads an event of the group `frame`. */
void timeline_mark_event(struct lane_timeline *tl, const struct lane_event *event);
void timeline_mark_free(struct lane_timeline *tl);

#endif
