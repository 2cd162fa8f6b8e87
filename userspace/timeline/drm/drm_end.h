/* SPDX-License-Identifier: MIT */
/* What tells that a job of drm_sched has ended (R32, R33). */
#ifndef LANE_TIMELINE_DRM_END_H
#define LANE_TIMELINE_DRM_END_H

#include "timeline/drm/drm_state.h"

/* R33. A `done`: the scheduler was called back for the job of the event. */
void timeline_job_is_done(struct lane_timeline *tl, const struct lane_event *event);
/* The fence of rq that is signalled at the job's end is signalled by `event`. */
void timeline_job_is_signalled(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event);

#endif
