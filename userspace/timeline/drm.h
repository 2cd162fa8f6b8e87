/* SPDX-License-Identifier: MIT */
/* The jobs of drm_sched: which events say something of them. */
#ifndef LANE_TIMELINE_DRM_H
#define LANE_TIMELINE_DRM_H

#include "timeline/state.h"

void timeline_job_event(struct lane_timeline *tl, const struct lane_event *event);
/* True when a fence's event is of drm_sched's jobs, and of nobody else. */
bool timeline_job_fence_event(struct lane_timeline *tl, const struct lane_event *event);

#endif
