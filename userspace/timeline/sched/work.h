/* SPDX-License-Identifier: MIT */
/* Work items of the kernel's: since when one was queued, and why its worker did not begin with it.
 */
#ifndef LANE_TIMELINE_WORK_H
#define LANE_TIMELINE_WORK_H

#include "timeline/state.h"

void timeline_work_event(struct lane_timeline *tl, const struct lane_event *event);
/* A thread is woken by the event: perhaps for the item that was queued just before it. */
void timeline_work_woken(struct lane_timeline *tl, const struct lane_event *event);
/*
 * The thread tid, which acts now, does so in a work item that a request waited for from from_ns on.
 * Where that item waited longer for another worker, which was woken for it, hand_over becomes that
 * wait; earlier: for how long the thread was busy with the item before.
 */
void timeline_work_waited(struct lane_timeline *tl, int32_t tid, uint64_t from_ns,
			  struct lane_actor_wait *hand_over, struct lane_actor_wait *earlier);
void timeline_work_free(struct lane_timeline *tl);

#endif
