/* SPDX-License-Identifier: MIT */
/* One run of a request on its engine: when it begins and ends, and who preempts the request. */
#ifndef LANE_TIMELINE_RUN_H
#define LANE_TIMELINE_RUN_H

#include "timeline/state.h"

/* rq starts, or starts again, at a time in `at`. */
void timeline_run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_bounds at);
/* The run of what runs is over at a time in *at. Makes *at consistent with the start of the run.
 * has_ended: the request ends with it. */
void timeline_run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bounds *at,
			bool has_ended);
/* rq left the engine at a time in `at`, incomplete or not. The next request to start there is the
 * culprit, if it was incomplete. */
void timeline_run_left(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       struct lane_bounds at);
/* rq left the engine at a time in `at` to what has it now, unless the request ahead of rq ended in
 * a time of unless_ns: then rq had not begun. 0 (timeline_pause_unless()): does nothing. */
void timeline_run_nearly_preempted(const struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_rq *rq, struct lane_bounds at, uint64_t unless_ns);
/* What has the engine until a time in `at` may have stood behind the driver's pause all the time,
 * and never begun. */
void timeline_run_unsure(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bounds at);
/* rq was off its engine until a time in `until`. Tells the preemption if it is certain. */
void timeline_run_tell_preemption(const struct lane_timeline *tl, struct lane_rq *rq,
				  const struct lane_bounds *until);

#endif
