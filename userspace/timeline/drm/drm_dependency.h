/* SPDX-License-Identifier: MIT */
/* Which fences a job of drm_sched waited for (R34). */
#ifndef LANE_TIMELINE_DRM_DEPENDENCY_H
#define LANE_TIMELINE_DRM_DEPENDENCY_H

#include "timeline/drm/drm_state.h"

/* The job of the event has a dependency, or waits for one. */
void timeline_job_depends(struct lane_timeline *tl, const struct lane_event *event);
/* A fence was made: notes whether the fences of its context are the scheduler's or another
 * driver's. */
void timeline_job_note_maker(struct lane_timeline *tl, const struct lane_event *event);
/* A fence was signalled, of a job or not: notes that. */
void timeline_job_note_signal(struct lane_timeline *tl, const struct lane_event *event);
/* R34. rq's ring gets rq. Sets when the last dependency was signalled; if that is not known, takes
 * LANE_SEEN_SUBMIT from rq. */
void timeline_job_decide_submit(struct lane_timeline *tl, struct lane_rq *rq);
/* The recording ends, and no ring has got rq. If its last dependency was seen to be signalled, it
 * is in its driver's queue since then. */
void timeline_job_settle_open(struct lane_timeline *tl, struct lane_rq *rq);
/* The job that was queued last has told all its dependencies (drm_sched_entity_push_job(),
 * sched_entity.c): if it waits for none, it is in its driver's queue. */
void timeline_job_no_dependency(struct lane_timeline *tl);
/* What rq is known to wait for was signalled, all of it. */
bool timeline_job_is_free(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Notes a job that is not over and that rq, which is open, waits for. */
void timeline_job_note_awaited(const struct lane_timeline *tl, struct lane_rq *rq);
#endif
