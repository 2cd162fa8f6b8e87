/* SPDX-License-Identifier: MIT */
/* The jobs of drm_sched by the numbers that their drivers' own events have for them, and the jobs
 * whose drivers have yet to tell their times. */
#ifndef LANE_TIMELINE_DRM_TOLD_H
#define LANE_TIMELINE_DRM_TOLD_H

#include "timeline/drm/drm_state.h"

#define LANE_TOLD_HELD 64 /* most jobs that are kept until their times come */

struct lane_told_jobs {
	struct lane_table jobs; /* by the key of a sequence, and the number in it */
	struct lane_rq *held[LANE_TOLD_HELD];
	uint32_t n_held;
	uint64_t v3d_reset_ns, amd_reset_ns, msm_preempt_ns;
	uint32_t v3d_reset_dev;
};

/* Made if needed. NULL: no memory. */
struct lane_told_jobs *timeline_told_get(struct lane_timeline *tl);
void timeline_told_free(struct lane_timeline *tl);
/* The job of this number; NULL: none is known. */
struct lane_rq *timeline_told_find(const struct lane_told_jobs *all, uint64_t key, uint64_t seqno);
/* The job has this number. */
void timeline_told_number(struct lane_timeline *tl, struct lane_rq *rq, uint64_t key,
			  uint64_t seqno);
/*
 * All events of the job have come but, perhaps, its driver's own. Returns the job that is to be
 * told now: this one or, if this one is kept until its driver tells its times, the one whose place
 * it takes. NULL: none.
 */
struct lane_rq *timeline_told_keep(struct lane_timeline *tl, struct lane_rq *rq);
/* The job is kept until its driver tells its times. */
bool timeline_told_holds(const struct lane_told_jobs *all, const struct lane_rq *rq);
/* The driver has told the job's times: it is not kept any more. False: it was not kept. */
bool timeline_told_release(struct lane_timeline *tl, const struct lane_rq *rq);
/* The job is about to be freed. */
void timeline_told_forget(struct lane_timeline *tl, struct lane_rq *rq);

#endif
