/* SPDX-License-Identifier: MIT */
/* The jobs of drm_sched, and their place in the list of their ring. */
#ifndef LANE_TIMELINE_DRM_JOB_H
#define LANE_TIMELINE_DRM_JOB_H

#include "timeline/drm/drm_state.h"

/* What is kept of drm_sched, made if needed; NULL: no memory. */
struct lane_drm_jobs *timeline_jobs_get(struct lane_timeline *tl);
void timeline_jobs_free(struct lane_timeline *tl);
/* The entity whose jobs' fences have this context; NULL: none is known. */
struct lane_ctx *timeline_job_context(const struct lane_timeline *tl, uint64_t context);
/* The job that the event names; made if `create`. NULL: there is none, or it cannot be made. */
struct lane_rq *timeline_job_find(struct lane_timeline *tl, uint32_t dev,
				  const struct lane_event *event, bool create);
/* rq is of this ring: its scheduler was chosen as the job was armed. */
void timeline_job_settle(struct lane_rq *rq, struct lane_eng *eng);
/* What the event tells of xe's queue: whether rq is a burst. */
void timeline_job_learn_queue(struct lane_rq *rq, uint32_t queue_flags);
/* Puts rq at the end of the ring's list of jobs that were given to it and have not ended; takes it
 * out. */
void timeline_job_link(struct lane_drm_ring *ring, struct lane_rq *rq);
void timeline_job_unlink(struct lane_drm_ring *ring, struct lane_rq *rq);
/* The driver's times of the job are not waited for any more. */
void timeline_job_release(struct lane_rq *rq);
/* A wait for the job is over. If nothing else keeps the job, it is told and freed. */
void timeline_job_unwaited(struct lane_timeline *tl, struct lane_rq *rq);
/* rq is known to have begun: the ring's fence was made for it, and the job before it is known to
 * have ended. */
bool timeline_job_has_begun(const struct lane_rq *rq);
/* The worker that signalled the ring's last fence may be at a reset, and signal more. The scheduler
 * gives the ring no job meanwhile (drm_sched_stop(), sched_main.c). */
bool timeline_ring_may_be_at_reset(const struct lane_timeline *tl,
				   const struct lane_drm_ring *ring);
/* All events of the job have come: it is told and freed, unless a waiter or its driver's times keep
 * it. */
void timeline_job_over(struct lane_timeline *tl, struct lane_rq *rq);
/* The job that the thread gave to its ring last and whose run_job() may not be over; NULL: none. */
struct lane_rq *timeline_job_of_thread(const struct lane_timeline *tl, int32_t tid);
/* What the thread does from now on is of no job that is known. */
void timeline_job_forget_thread(struct lane_timeline *tl, int32_t tid);
/* Tells the job, and frees it. */
void timeline_job_done(struct lane_timeline *tl, struct lane_rq *rq);

#endif
