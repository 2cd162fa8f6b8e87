/* SPDX-License-Identifier: MIT */
/* Frames and ranges of programs, by the marks that they write themselves. */
#ifndef LANE_TIMELINE_MARK_H
#define LANE_TIMELINE_MARK_H

#include "timeline/state.h"

/* Reads an event of a frame. */
void timeline_mark_event(struct lane_timeline *tl, const struct lane_event *event);
/* Reads an event of a range. */
void timeline_range_event(struct lane_timeline *tl, const struct lane_event *event);
/* The thread has ended: so have its ranges. */
void timeline_range_exit(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns);
void timeline_mark_free(struct lane_timeline *tl);

#endif
