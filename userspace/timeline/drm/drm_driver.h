/* SPDX-License-Identifier: MIT */
/* What GPU drivers tell by tracepoints of their own: causes, and times of drm_sched's jobs
 * (docs/driver-events.md). */
#ifndef LANE_TIMELINE_DRM_DRIVER_H
#define LANE_TIMELINE_DRM_DRIVER_H

#include "timeline/drm/drm_state.h"

/* Reads an event of a GPU driver. */
void timeline_driver_event(struct lane_timeline *tl, const struct lane_event *event);

#endif
