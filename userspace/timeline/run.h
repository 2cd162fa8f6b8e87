/* SPDX-License-Identifier: MIT */
/* A run of a request on its engine: when it begins and ends, whom it makes way for. */
#ifndef LANE_TIMELINE_RUN_H
#define LANE_TIMELINE_RUN_H

#include "timeline/state.h"

/* rq was not complete then, if the listening that began then did not find it so; tells nothing. */
void timeline_engine_seems_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* rq was not complete at that time. */
void timeline_engine_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* The same, by the driver's look for work. What the hardware reported before it is told after it,
 * with a later time. */
void timeline_engine_looked_at(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* The listening that began last found rq complete after all. */
void timeline_engine_not_alive(struct lane_rq *rq);
/* rq starts, or starts again, at a time in `at`. */
void timeline_run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_span at);
/* What runs stops, at a time in *at, which is made consistent with its start. */
void timeline_run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span *at);
/* It is off the engine, incomplete: the next to start there is the culprit. */
void timeline_run_taken_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    struct lane_span at);
/* A preempted request is back on an engine, or over. */
void timeline_run_away_until(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span until);
/* The hardware has reported that it has taken a set that begins with rq. */
void timeline_run_is_reported(struct lane_eng *eng, struct lane_rq *rq);
/* rq had begun before the driver paused the ring for its last taking back. */
bool timeline_run_had_begun(const struct lane_eng *eng, const struct lane_rq *rq);
/* What has the engine until a time in `at` may have stood behind the driver's pause of the ring,
 * and never begun. */
void timeline_run_void(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at);
/* rq was taken off its engine, and has been seen alive after that. */
void timeline_run_tell_preemption(struct lane_timeline *tl, struct lane_rq *rq);

#endif
