/* SPDX-License-Identifier: MIT */
/*
 * The driver pauses the ring, takes requests back, and goes on when it has seen the hardware take
 * the new set (ring_set_paused() in execlists_dequeue() and process_csb() of
 * gt/intel_execlists_submission.c, 6.1). What completes behind the pause is followed by nothing
 * until then.
 */
#ifndef LANE_TIMELINE_PAUSE_H
#define LANE_TIMELINE_PAUSE_H

#include "timeline/state.h"

/* The first request is taken back at at_ns: straight before, the ring was paused. */
void timeline_pause_begin(struct lane_eng *eng, uint64_t at_ns);
/* A run of the tasklet is over. If it saw the set taken that was written last, the ring goes on. */
void timeline_pause_over(struct lane_eng *eng);
/* The ring of ctx may wait for the end of a pause, even if a set with that ring is taken. */
bool timeline_pause_holds(const struct lane_eng *eng, const struct lane_ctx *ctx);
/* rq, which had the engine, ended at a time in `end`: notes what holds what is next. was_leaver: rq
 * was to leave. */
void timeline_pause_note_end(struct lane_eng *eng, const struct lane_rq *rq,
			     const struct lane_bounds *end, bool was_leaver);
/* rq had begun before the driver paused the ring for its last taking back. */
bool timeline_pause_had_begun(const struct lane_eng *eng, const struct lane_rq *rq);
/* The length, ns, of the time in which the request ahead of rq must have ended, if rq had not begun
 * before that pause; 0: that time is long, or rq had begun for certain. */
uint64_t timeline_pause_unless(const struct lane_eng *eng, const struct lane_rq *rq);

#endif
