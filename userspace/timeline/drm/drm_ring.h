/* SPDX-License-Identifier: MIT */
/* The rings of drm_sched. */
#ifndef LANE_TIMELINE_DRM_RING_H
#define LANE_TIMELINE_DRM_RING_H

#include "timeline/drm/drm_state.h"

/* The ring of a job, made if needed; NULL: no memory, or there are too many. */
struct lane_eng *timeline_ring_get(struct lane_timeline *tl,
				   const struct lane_p_drm_sched_job_queue *job);
/* Learns the ring's driver, and what it does with jobs, from a job's event. */
void timeline_ring_learn_driver(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event);
/* The ring makes its fences in this context. */
void timeline_ring_has_fences(struct lane_timeline *tl, struct lane_eng *eng, uint64_t context);
/* A job of the ring is done. The fence that was signalled last on this CPU may be the ring's:
 * counts that. */
void timeline_ring_learn_fences(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event);
/* A fence of this context was made for a job of the ring. Two contexts show that the ring is
 * two. */
void timeline_ring_see_maker(struct lane_timeline *tl, struct lane_drm_ring *ring,
			     uint64_t context);
/* Two devices have a ring of this name. Does nothing if an event names the device. */
void timeline_ring_is_two(struct lane_timeline *tl, struct lane_drm_ring *ring);
/* A fence of the ring was signalled at ns, on the CPU and in the thread of the event. */
void timeline_ring_signalled(struct lane_drm_ring *ring, uint64_t ns,
			     const struct lane_event *event);
/* Another fence of the ring was signalled by the work that is at work on the event's CPU, or may
 * have been by the same reset. */
bool timeline_ring_is_same_work(const struct lane_timeline *tl, const struct lane_drm_ring *ring,
				const struct lane_event *event);
/* Drivers' own events have told of jobs so far, and none of drm_sched's. */
bool timeline_jobs_by_driver(const struct lane_timeline *tl);
#endif
