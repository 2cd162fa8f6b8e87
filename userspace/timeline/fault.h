/* SPDX-License-Identifier: MIT */
/* Requests that are over and not complete: what their fences and the kernel's resets say. */
#ifndef LANE_TIMELINE_FAULT_H
#define LANE_TIMELINE_FAULT_H

#include "timeline/state.h"

/* A fence is about to be signalled with an error; the GPU is reset, or a job has timed out. */
void timeline_fault_event(struct lane_timeline *tl, const struct lane_event *event);

/* rq's fence has this error, or will have it as it is signalled. */
void timeline_fault_has_error(const struct lane_timeline *tl, struct lane_rq *rq, int64_t error);

/* Its driver has said, by an event of its own, that rq is not complete. */
void timeline_fault_is_told(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_fault_cause cause);

/* The GPU was reset, and rq is the one job that it had: lost or begun again, as its fence's error
 * says. */
void timeline_fault_in_reset(struct lane_timeline *tl, struct lane_rq *rq);

/* rq is about to be told, and may not be complete: whether it is, and why not. */
void timeline_fault_settle(struct lane_timeline *tl, struct lane_rq *rq);

#endif
