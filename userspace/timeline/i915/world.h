/* SPDX-License-Identifier: MIT */
/*
 * The worlds of one request: the histories that the events allow. In `now` the request goes on. In
 * `complete` it is complete, and nothing has told of it. Two worlds `complete` are merged into one,
 * with the bounds of both. No other file changes the worlds.
 */
#ifndef LANE_TIMELINE_WORLD_H
#define LANE_TIMELINE_WORLD_H

#include "timeline/state.h"

/* It is not known when rq ran. From `at` on (NEVER: not at all) its end may have been told, unseen.
 */
void timeline_world_doubt(struct lane_rq *rq, struct lane_bound at);

/* A sign of life: rq was incomplete at `at`, for certain. An older one than the last adds nothing.
 * The world `complete` goes if its end lies before that. */
void timeline_world_alive(struct lane_rq *rq, struct lane_bound at);

/* rq has the engine from a time in `at` on, and no sooner than `no_sooner`, whenever its start was
 * heard of. */
void timeline_world_begin(struct lane_rq *rq, struct lane_bounds at, struct lane_bound no_sooner);
/* rq's run is over at a time in *at. Makes *at and the begin of the run consistent. */
void timeline_world_fit(struct lane_rq *rq, struct lane_bounds *at);
/* rq leaves the engine at a time in `at`. It may have been complete then: that is its world
 * `complete`. */
void timeline_world_leave(struct lane_rq *rq, struct lane_bounds at);
/* It is not known whether rq had the engine until a time in `at`. The world `now` takes in both.
 * The world `complete` says that rq ran then, and was complete. */
void timeline_world_unsure(struct lane_rq *rq, struct lane_bounds at);
/* R7. A request behind rq was complete by `by`: so may rq be. */
void timeline_world_overtaken(struct lane_rq *rq, struct lane_bound by);

/* Writes what is known of rq by now into rq->pub. runs_since: rq runs since then; NULL: it does not
 * run. */
void timeline_world_publish(struct lane_rq *rq, const struct lane_bounds *runs_since);

/* The ways in which a request can have ended; a set of those that are possible. */
enum lane_world_set {
	LANE_WORLD_NOW = 1 << 0,       /* it ended in this run */
	LANE_WORLD_PREEMPTED = 1 << 1, /* it ended while off the engine */
	LANE_WORLD_AGAIN = 1 << 2,     /* it ran again, unseen */
	LANE_WORLD_COMPLETE = 1 << 3,  /* it was complete, and nothing had told of it */
};

/* rq ended at a time in `end`, in one of these ways (enum lane_world_set). Its times take in all of
 * them; fate.c may widen the sums afterwards. Returns the bounds of its end. */
struct lane_bounds timeline_world_end(struct lane_rq *rq, struct lane_bounds end, uint32_t ways);

#endif
