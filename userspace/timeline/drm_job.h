/* SPDX-License-Identifier: MIT */
/* The jobs of drm_sched, and their place in a ring's list. */
#ifndef LANE_TIMELINE_DRM_JOB_H
#define LANE_TIMELINE_DRM_JOB_H

#include "timeline/drm_state.h"

/* What is kept of drm_sched; NULL: no memory. */
struct lane_drm_jobs *timeline_jobs_get(struct lane_timeline *tl);
void timeline_jobs_free(struct lane_timeline *tl);
/* The signals of fences are recorded, and some have come. */
bool timeline_jobs_hear_fences(const struct lane_timeline *tl);
/* The entity whose jobs' fences have this context, NULL: none is known. */
struct lane_ctx *timeline_job_context(const struct lane_timeline *tl, uint64_t context);
/* The job of that name; where create says so it is made. NULL: there is none. */
struct lane_rq *timeline_job_find(struct lane_timeline *tl, uint32_t dev,
				  const struct lane_event *event, bool create);
/* It is of that ring: its scheduler was chosen when it was armed. */
void timeline_job_settle(struct lane_rq *rq, struct lane_eng *eng);
/* Given to the ring, and not over: in that order. */
void timeline_job_link(struct lane_drm_ring *ring, struct lane_rq *rq);
void timeline_job_unlink(struct lane_drm_ring *ring, struct lane_rq *rq);
/* A wait for the job is over: if it was the last that kept it, the job is told. */
void timeline_job_unwaited(struct lane_timeline *tl, struct lane_rq *rq);
/* The ring had it, and it came to run: a fence was made for it, and what was before it is known to
 * be over. */
bool timeline_job_has_begun(const struct lane_rq *rq);
/* The job's story is told; who waits for it may keep it. */
void timeline_job_over(struct lane_timeline *tl, struct lane_rq *rq);
/* The job that the thread has given to its ring last and whose run_job() is not known to be over;
 * NULL: none. */
struct lane_rq *timeline_job_of_thread(struct lane_timeline *tl, int32_t tid);
/* What the thread does from now on is of no job. */
void timeline_job_forget_thread(struct lane_timeline *tl, int32_t tid);
/* Tells the job's story, and forgets the job. */
void timeline_job_done(struct lane_timeline *tl, struct lane_rq *rq);

#endif
