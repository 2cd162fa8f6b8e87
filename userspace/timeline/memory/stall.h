/* SPDX-License-Identifier: MIT */
/* What the kernel does about memory and power: intervals, with whom they hold up. */
#ifndef LANE_TIMELINE_STALL_H
#define LANE_TIMELINE_STALL_H

#include "timeline/state.h"

/* Reads an event of memory's or power's, or a GPU's page fault. */
void timeline_stall_event(struct lane_timeline *tl, const struct lane_event *event);
/* A job of drm_sched is queued: it may copy memory that is moved, and names its address space. */
void timeline_stall_job(struct lane_timeline *tl, const struct lane_event *event);
/* An event of a fence: perhaps of one of xe's preempt fences, or the end of a worker's wait. */
void timeline_stall_fence(struct lane_timeline *tl, const struct lane_event *event);
/* A thread goes to sleep; memory's events have come. */
void timeline_stall_sleeps(struct lane_timeline *tl, int32_t tid);
/* The event's thread has woken a device. rq: the job that it gives to a ring, NULL: none. Returns
 * whether that waited for it. */
bool timeline_stall_resumed(struct lane_timeline *tl, const struct lane_event *event,
			    const struct lane_rq *rq);
/* Calls fn for each thread that is in one of xe's functions that may wait for long. */
void timeline_stall_each_wait(const struct lane_timeline *tl,
			      void (*fn)(void *arg, const struct lane_kernel_wait *wait),
			      void *arg);
/* The trace ends: tells what is over. What is open is not known to last. */
void timeline_stall_finish(struct lane_timeline *tl);
void timeline_stall_free(struct lane_timeline *tl);

#endif
