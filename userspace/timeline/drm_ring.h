/* SPDX-License-Identifier: MIT */
/* The rings of drm_sched. */
#ifndef LANE_TIMELINE_DRM_RING_H
#define LANE_TIMELINE_DRM_RING_H

#include "timeline/drm_state.h"

/* The ring of a job; NULL: no memory, or there are too many. */
struct lane_eng *timeline_ring_get(struct lane_timeline *tl,
				   const struct lane_p_drm_sched_job_queue *job);
/* What the ring's driver is, and does. */
void timeline_ring_learn_driver(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event);
/* The fences of that context are the ring's. */
void timeline_ring_has_fences(struct lane_timeline *tl, struct lane_eng *eng, uint64_t context);
/* A job of the ring is done: perhaps the fence that was signalled last on this CPU is the ring's.
 */
void timeline_ring_learn_fences(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_event *event);
/* A fence of that context was made for a job of the ring. */
void timeline_ring_see_maker(struct lane_timeline *tl, struct lane_drm_ring *ring,
			     uint64_t context);
/* Where no event names the device: two have a ring of that name. */
void timeline_ring_is_two(struct lane_timeline *tl, struct lane_drm_ring *ring);
/* Another fence of the ring was signalled by the same work. */
bool timeline_ring_is_breath(const struct lane_timeline *tl, const struct lane_drm_ring *ring,
			     const struct lane_event *event);
/* The CPU's own record of its last signal of a ring's fence, NULL: the CPU is not known. */
const struct lane_cpu *timeline_ring_cpu(const struct lane_timeline *tl,
					 const struct lane_event *event);
/* Events were lost, until then: what the ring was given is not known. */
void timeline_ring_doubt(struct lane_eng *eng, uint64_t until_ns);

#endif
