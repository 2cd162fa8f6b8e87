/* SPDX-License-Identifier: MIT */
/*
 * What the timeline tells, as events in time order (group gpulane of base/events.def). It tells
 * some of it late: a run when it is over, an end when the fence is signalled; so the events go
 * through a spool and come out when all is known.
 */
#ifndef LANE_SHOW_FINDINGS_H
#define LANE_SHOW_FINDINGS_H

#include "latency/latency.h"

struct lane_findings;

/*
 * *hooks becomes what is to be subscribed; dir is where what does not fit memory goes. info must
 * outlive the findings. *findings is the caller's.
 */
struct lane_error *show_findings_create(int dir_fd, const struct lane_trace_info *info,
					struct lane_hooks *hooks,
					struct lane_findings **findings) LANE_MUST_CHECK;

/* The time of the recording's events, which the timeline is then given. Returns what went wrong in
 * a hook. */
struct lane_error *show_findings_now(struct lane_findings *findings,
				     uint64_t now_ns) LANE_MUST_CHECK;

/*
 * Adds an event of the recording that belongs to no CPU; a loss (LANE_LOST) comes out at its begin.
 */
struct lane_error *show_findings_add(struct lane_findings *findings,
				     const struct lane_event *event) LANE_MUST_CHECK;

/*
 * After the timeline has been finished: the next event in order of time, NULL at the end. Owned by
 * the findings, valid until the next call.
 */
struct lane_error *show_findings_next(struct lane_findings *findings,
				      const struct lane_wire **record) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void show_findings_destroy(struct lane_findings *findings);

#endif
