/* SPDX-License-Identifier: MIT */
/*
 * The histories of one request that the events allow, at most two: in one it goes on, in the other
 * it is complete and nothing has told of it. Histories that come to the same are made one, with
 * the bounds of both. No other file changes them.
 */
#ifndef LANE_TIMELINE_WORLD_H
#define LANE_TIMELINE_WORLD_H

#include "timeline/state.h"

/* rq was incomplete then, if the listening that began then did not find it complete. */
void timeline_world_seems_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* The listening that began last found rq complete after all. */
void timeline_world_not_alive(struct lane_timeline *tl, struct lane_rq *rq);
/* rq was incomplete then. */
void timeline_world_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* rq was incomplete then, before somebody began to listen to it, whatever that found. */
void timeline_world_was_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* The same, by a look of the driver's, behind all that has been read. */
void timeline_world_looked_at(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
/* Whether the listening that began last found rq complete does not matter any more. */
void timeline_world_settle(struct lane_timeline *tl, struct lane_rq *rq);

/* It has the engine from a time in `at` on; no sooner, whenever that was heard of. */
void timeline_world_begin(struct lane_rq *rq, struct lane_span at, uint64_t no_sooner_ns);
/* Its run is over at a time in *at: both that and its begin are made consistent. */
void timeline_world_fit(struct lane_rq *rq, struct lane_span *at);
/* Its run is over, at a time in `at`: it goes on without the engine. */
void timeline_world_leave(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span at);
/* It had the engine until a time in `at`, or did not: then it is as it was before. */
void timeline_world_void(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span at);
/* It was taken off sooner than its last run is told to have ended, at a time in `at`. */
void timeline_world_left_sooner(struct lane_rq *rq, struct lane_span at);
/* What is behind rq was complete at by_ns: so may rq be. is_reported: the hardware told the driver,
 * before it looks for work again. */
void timeline_world_overtaken(struct lane_rq *rq, uint64_t by_ns, bool is_reported);
/* What is behind rq was so at by_ns exactly: what follows both began no sooner, where rq is over.
 */
void timeline_world_followed(struct lane_rq *rq, uint64_t by_ns);
/* rq may have had the engine after all, and be complete, by a time in `at`. */
void timeline_world_passed(struct lane_rq *rq, struct lane_span at);
/* It left its port incomplete at at_ns. */
void timeline_world_left_incomplete(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);

/* What is known of it by now goes into its public part; it runs since then, if that is not 0. */
void timeline_world_publish(struct lane_rq *rq, struct lane_span runs_since);

/* How a request's story ends; the sum of what is possible. */
enum lane_world_set {
	LANE_WORLD_NOW = 1 << 0,   /* it ends where it runs, */
	LANE_WORLD_OFF = 1 << 1,   /* or while it is off, */
	LANE_WORLD_AGAIN = 1 << 2, /* or it has run again unseen; */
	LANE_WORLD_OVER = 1 << 3,  /* or it was complete, unheard */
};

/* rq ended at a time in `end`, in one of these ways: its times are what they have in common. The
 * end's bounds come back. */
struct lane_span timeline_world_end(struct lane_rq *rq, struct lane_span end, uint32_t ways);

#endif
