/* SPDX-License-Identifier: MIT */
/* Threads that wait in the kernel, and have not come back. */
#ifndef LANE_TIMELINE_KERNEL_WAIT_H
#define LANE_TIMELINE_KERNEL_WAIT_H

#include "timeline/state.h"

/* A thread begins to wait for syncobjs, or waits for them no more. */
void timeline_kernel_wait_event(struct lane_timeline *tl, const struct lane_event *event);
/* The trace ends: tells who still waits. */
void timeline_kernel_wait_finish(struct lane_timeline *tl);

#endif
