/* SPDX-License-Identifier: MIT */
/* A request's turn on its engine: when it begins and is over, whom it makes way for. */
#ifndef LANE_TIMELINE_TURN_H
#define LANE_TIMELINE_TURN_H

#include "timeline/state.h"

/* rq starts, or starts again, at a time in `at`; up to gap_ns of that may be the driver's pause. */
void timeline_turn_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 struct lane_span at, uint64_t gap_ns);
/* What runs stops, at a time in *at, which is made consistent with its start. */
void timeline_turn_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span *at);
/* It is off the engine, incomplete: the next to start there is the culprit. */
void timeline_turn_taken_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     struct lane_span at);
/* The hardware has reported that it has taken a set that begins with rq. */
void timeline_turn_is_reported(struct lane_eng *eng, const struct lane_rq *rq);
/* rq had begun before the driver paused the ring for its last taking back. */
bool timeline_turn_had_begun(const struct lane_eng *eng, const struct lane_rq *rq);
/* What has the engine until a time in `at` may have stood behind the driver's pause of the ring,
 * and never begun. */
void timeline_turn_void(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at);
/* rq has been off its engine until a time in `until`: if that is certain, it is told. */
void timeline_turn_tell_preemption(struct lane_timeline *tl, struct lane_rq *rq,
				   struct lane_span until);

#endif
