/* SPDX-License-Identifier: MIT */
/* amdgpu's queues that programs fill themselves, from Linux 7.3 on (docs/driver-events.md). */
#ifndef LANE_TIMELINE_DRM_USERQ_H
#define LANE_TIMELINE_DRM_USERQ_H

#include "timeline/drm/drm_state.h"

/* The program has the fence of what it put into its queue: that is a job. */
void timeline_userq_emits(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int what);
/* The next job of the queue is to wait for a fence. */
void timeline_userq_waits(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int what);
/* A fence was signalled, and tl->jobs, which has such queues, has noted that: jobs that waited for
 * it alone may begin. */
void timeline_userq_signalled(struct lane_timeline *tl, const struct lane_event *event);

#endif
