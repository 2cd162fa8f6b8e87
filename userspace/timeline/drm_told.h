/* SPDX-License-Identifier: MIT */
/* What drivers' own events name drm_sched's jobs by, and the jobs of which more is to come. */
#ifndef LANE_TIMELINE_DRM_TOLD_H
#define LANE_TIMELINE_DRM_TOLD_H

#include "timeline/drm_state.h"

#define LANE_TOLD_HELD 64 /* jobs whose times are still to come */

struct lane_told_jobs {
	struct lane_table jobs; /* by a sequence's key, and the number in it */
	struct lane_rq *held[LANE_TOLD_HELD];
	uint32_t n_held;
	uint64_t v3d_reset_ns, amd_reset_ns, msm_preempt_ns;
	uint32_t v3d_reset_dev;
};

/* NULL: no memory. */
struct lane_told_jobs *timeline_told_get(struct lane_timeline *tl);
void timeline_told_free(struct lane_timeline *tl);
/* The job of that number, NULL: none is known. */
struct lane_rq *timeline_told_find(const struct lane_told_jobs *all, uint64_t key, uint64_t seqno);
/* The job has that number. */
void timeline_told_number(struct lane_timeline *tl, struct lane_rq *rq, uint64_t key,
			  uint64_t seqno);
/*
 * The job's story is over. Returns the job that is to be told of now: this one; or, where its
 * driver is yet to tell its times, the one that it takes the place of, NULL: none.
 */
struct lane_rq *timeline_told_keep(struct lane_timeline *tl, struct lane_rq *rq);
/* The job is kept until its driver tells its times. */
bool timeline_told_holds(const struct lane_told_jobs *all, const struct lane_rq *rq);
/* Its driver has told the job's times; false: it was not kept for that. */
bool timeline_told_release(struct lane_timeline *tl, const struct lane_rq *rq);
/* The job is about to be freed. */
void timeline_told_forget(struct lane_timeline *tl, struct lane_rq *rq);

#endif
