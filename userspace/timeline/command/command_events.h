/* SPDX-License-Identifier: MIT */
/* What the timeline tells the files about OpenCL. */
#ifndef LANE_TIMELINE_COMMAND_EVENTS_H
#define LANE_TIMELINE_COMMAND_EVENTS_H

#include "timeline/state.h"

/* The first event of OpenCL: from now on timeline_command_event() reads all events. */
void timeline_command_begin(struct lane_timeline *tl, const struct lane_event *event);
/* Reads an event of any kind. Only after timeline_command_begin(). */
void timeline_command_event(struct lane_timeline *tl, const struct lane_event *event);
/* A job of drm_sched is queued, in the thread that submits it; command_match.c. */
void timeline_command_job(struct lane_timeline *tl, const struct lane_event *event,
			  struct lane_rq *rq);
/* A request is told; command_match.c. */
void timeline_command_request(struct lane_timeline *tl, const struct lane_request *rq);
/* A request was preempted. */
void timeline_command_preempted(const struct lane_timeline *tl, const struct lane_preemption *told);
/* True when commands have been told by a device's clock that later ones bound further. */
bool timeline_is_clock_unforeseen(const struct lane_timeline *tl);
/* Calls fn for what is open at now_ns, calls first; command_open.c. */
void timeline_cl_each_unended(const struct lane_timeline *tl, uint64_t now_ns,
			      void (*fn)(void *arg, const struct lane_unended *unended), void *arg);
/* The thread is in a call; command_open.c. */
bool timeline_cl_is_in_call(const struct lane_timeline *tl, int32_t tid, int32_t pid);
/* The trace ends: tells what is open. */
void timeline_command_finish(struct lane_timeline *tl);
/* Frees all that is kept of OpenCL. */
void timeline_command_free(struct lane_timeline *tl);

#endif
