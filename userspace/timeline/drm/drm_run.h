/* SPDX-License-Identifier: MIT */
/* A job on its ring: given to it, begun, ended. */
#ifndef LANE_TIMELINE_DRM_RUN_H
#define LANE_TIMELINE_DRM_RUN_H

#include "timeline/drm/drm_state.h"

/* How a job ended, and how that is known. */
struct lane_job_ending {
	struct lane_bounds at;
	bool is_known;	   /* it was in the hardware, and ended at a time in `at` */
	bool is_seen;	   /* the ring's fence was seen to be signalled */
	bool is_same_work; /* by the same work as another fence of the ring */
};

/* R30. The scheduler gives the job of the event to its ring. */
void timeline_job_run(struct lane_timeline *tl, const struct lane_event *event);
/* rq has been handed over and is a burst: nobody knows what the GPU does until it is over. */
void timeline_job_bursts(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns);
/* rq ended as `ending` says; the next job of its ring starts. */
void timeline_job_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_job_ending ending);
/* R39. The thread that gives rq to its ring has woken the device, just now. */
void timeline_job_woke(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns);
/* R31. rq ended: on a serial ring the jobs that were given to it before rq ended by then, too. */
void timeline_job_end_before(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound by);

#endif
