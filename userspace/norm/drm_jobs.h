/* SPDX-License-Identifier: MIT */
/*
 * drm_sched's events of all kernels become those of Linux 6.17, which name a job by its fence's
 * context and sequence number. Before, a job is named by addresses, which are used again, and by
 * its number in its ring's scheduler (docs/normalise.md). No allocation after set-up but for what
 * is open, and that is bounded.
 */
#ifndef LANE_NORM_DRM_JOBS_H
#define LANE_NORM_DRM_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"
#include "norm/foresight.h"

struct lane_drm;

/*
 * has_lost: events were lost before; follows_some: only some processes' were recorded. NULL when
 * there is no memory. norm_drm_destroy frees it (NULL is allowed).
 */
struct lane_drm *norm_drm_create(bool has_lost, bool follows_some);
void norm_drm_destroy(struct lane_drm *drm);

/*
 * Losses of that host are known beforehand from now on. What they could make wrong is not concluded
 * then; else the events' raw parts say by when nothing may have been lost.
 */
void norm_drm_foresee(struct lane_drm *drm, struct lane_foresight *foresight, uint32_t host);

enum lane_drm_fixed {
	LANE_DRM_FIXED,
	LANE_DRM_NOBODYS, /* of a job that nothing names: it tells nothing */
	LANE_DRM_VAGUE,	  /* of one of several jobs: as good as lost */
	LANE_DRM_REFUSED, /* of a generation that is not known: *field is what is missing */
	LANE_DRM_NO_MEMORY,
};

/* Makes an event of drm_sched today's. */
enum lane_drm_fixed norm_drm_event(struct lane_drm *drm, struct lane_event *event,
				   const char **field);

/* Events were lost: what was armed is not known any more. */
void norm_drm_lost(struct lane_drm *drm);

/* A dma_fence_init: of a job's fences, or of the one that its ring will signal. */
void norm_drm_fence(struct lane_drm *drm, const struct lane_event *event);

/* A dma_fence_signaled: where it is that of the thread's job, as scheduled, run_job() is over. What
 * the thread makes from then on is not for that job: a reset runs others' again. */
void norm_drm_signal(struct lane_drm *drm, const struct lane_event *event);

/* A driver's own event, in the thread that queues its job next: the job by its number, and its
 * fence. */
void norm_drm_named(struct lane_drm *drm, const struct lane_event *event);

#endif
