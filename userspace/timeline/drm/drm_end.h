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
/*
 * R6. The fence that the event names is signalled, or its job done: so are all of its entity that
 * have lower numbers. An entity's jobs are given out in their order (drm_sched_entity_pop_job(),
 * sched_entity.c), and another ring gets one when all before are over
 * (drm_sched_entity_select_rq()). The ends of some may not be seen: a CPU's buffer may begin later
 * than another one's.
 */
void timeline_job_overtakes(struct lane_timeline *tl, const struct lane_event *event);
/* The recording ends: so for rq. */
void timeline_job_settle_overtaken(struct lane_timeline *tl, struct lane_rq *rq);

#endif
