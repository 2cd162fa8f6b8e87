/* SPDX-License-Identifier: MIT */
/* Where threads are as they submit, and as they go to sleep. */
#ifndef LANE_TIMELINE_STACK_H
#define LANE_TIMELINE_STACK_H

#include "timeline/state.h"

/* Reads a stack, a frame of one, or that a thread waits for a mutex. */
void timeline_stack_event(struct lane_timeline *tl, const struct lane_event *event);
/* The stack that came straight before the thread's event at now_ns, which is of that kind; it is
 * the event's alone. */
struct lane_stack_id timeline_stack_take(struct lane_thr *thr, enum lane_stack_why why,
					 uint64_t now_ns);

/* The thread goes to sleep at now_ns: sets where, and for whose mutex if it has just begun to wait
 * for one. */
void timeline_stack_sleeps(const struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns);

#endif
