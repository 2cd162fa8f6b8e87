/* SPDX-License-Identifier: MIT */
/* Drivers' own events, where none of drm_sched's is recorded: they stand for these
 * (docs/driver-events.md). */
#ifndef LANE_TIMELINE_DRM_ALONE_H
#define LANE_TIMELINE_DRM_ALONE_H

#include "timeline/drm/drm_state.h"

/* The sequence that a number in a driver's own events is of. */
enum lane_own_sequence {
	LANE_V3D_BIN,
	LANE_V3D_RENDER,
	LANE_V3D_TFU,
	LANE_V3D_CSD,
	LANE_MSM_RING, /* the first ring; one more for each ring */
};

/* The name of the driver whose event it is. */
const char *timeline_driver_of(const struct lane_event *event);
/* The key of a sequence's numbers. */
uint64_t timeline_alone_key(unsigned int sequence, uint32_t dev);
/*
 * The thread that has just given a job to its ring is in run_job(), where the driver gives the job
 * a number. It does so once: if the driver starts a job again after a reset, the job gets another
 * number, perhaps in the thread of another job. Returns the job; NULL: it is not known.
 */
struct lane_rq *timeline_alone_number(struct lane_timeline *tl, const struct lane_event *event,
				      uint64_t key, uint64_t seqno);
/* amdgpu's and lima's events name the job's fence. `kind`: of the event that this one stands for,
 * also below. */
void timeline_alone_named(struct lane_timeline *tl, const struct lane_event *event,
			  unsigned int kind);
/* v3d's name the number of the job on its ring. */
void timeline_alone_v3d(struct lane_timeline *tl, const struct lane_event *event, uint32_t kind,
			unsigned int sequence);
/* msm's likewise. */
void timeline_alone_msm(struct lane_timeline *tl, const struct lane_event *event);
/* xe's name the ring's fence by its address. */
void timeline_alone_xe(struct lane_timeline *tl, const struct lane_event *event, unsigned int kind);

#endif
