/* SPDX-License-Identifier: MIT */
/* A job's interval on its ring. */
#ifndef LANE_TIMELINE_DRM_RUN_H
#define LANE_TIMELINE_DRM_RUN_H

#include "timeline/drm_state.h"

/* What the end of a job is told by. */
struct lane_job_ending {
	struct lane_span at;
	bool is_known;	/* it was in the hardware, and ended in `at` */
	bool is_seen;	/* its ring's fence was seen to be signalled */
	bool is_breath; /* together with another one of the ring */
};

/* The scheduler gives it to its ring. */
void timeline_job_run(struct lane_timeline *tl, const struct lane_event *event);
/* rq's time on its ring is over; what is behind it goes on. */
void timeline_job_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_job_ending ending);
/* What was given to a serial ring before rq is over, since rq is. */
void timeline_job_end_before(struct lane_timeline *tl, struct lane_rq *rq, uint64_t by_ns);

#endif
