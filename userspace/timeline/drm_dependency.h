/* SPDX-License-Identifier: MIT */
/* Whom a job of drm_sched waited for. */
#ifndef LANE_TIMELINE_DRM_DEPENDENCY_H
#define LANE_TIMELINE_DRM_DEPENDENCY_H

#include "timeline/drm_state.h"

/* It has a dependency, or waits for one. */
void timeline_job_depends(struct lane_timeline *tl, const struct lane_event *event);
/* A fence was made: of that context are the scheduler's own, or others. */
void timeline_job_note_maker(struct lane_timeline *tl, const struct lane_event *event);
/* A fence was signalled, whosoever. */
void timeline_job_note_signal(struct lane_timeline *tl, const struct lane_event *event);
/* Its ring is about to get it: all that it waited for is known by now, or will not be. */
void timeline_job_decide_submit(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns);

#endif
