/* SPDX-License-Identifier: MIT */
/* The jobs of drm_sched: which job an event is about. */
#ifndef LANE_TIMELINE_DRM_H
#define LANE_TIMELINE_DRM_H

#include "timeline/state.h"

/* Reads an event of drm_sched. */
void timeline_job_event(struct lane_timeline *tl, const struct lane_event *event);
/* Reads a fence's event. True: the fence is of a job of drm_sched, and no other file needs the
 * event. */
bool timeline_job_fence_event(struct lane_timeline *tl, const struct lane_event *event);
/* The event's thread begins to wait for rq, a job, or waits for it no more. */
void timeline_job_wait(struct lane_timeline *tl, struct lane_rq *rq,
		       const struct lane_event *event);

#endif
