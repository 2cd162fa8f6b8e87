/* SPDX-License-Identifier: MIT */
/* What tells that a job of drm_sched is over. */
#ifndef LANE_TIMELINE_DRM_END_H
#define LANE_TIMELINE_DRM_END_H

#include "timeline/drm_state.h"

/* The scheduler was told that it is over. */
void timeline_job_is_done(struct lane_timeline *tl, const struct lane_event *event);
/* The fence that says that the job is over is signalled. */
void timeline_job_is_signalled(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event);

#endif
