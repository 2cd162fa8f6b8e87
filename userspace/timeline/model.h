/* SPDX-License-Identifier: MIT */
/*
 * A way of submitting for which every history that the events allow is followed: what becomes of an
 * engine's requests by each kind of event. Engines without one are execlists' (engine.c, dequeue.c,
 * run.c).
 *
 * What is open is a boundary: the end of a request, which for what follows it is the earliest time
 * at which it can have begun. It is one variable, known within a span, and concluded in the order
 * of the boundaries: so no boundary is before the one before it, or behind the one behind it.
 */
#ifndef LANE_TIMELINE_MODEL_H
#define LANE_TIMELINE_MODEL_H

#include "timeline/state.h"

struct lane_model {
	bool hands_over_once; /* an `execute` is the only one of its request */
	/* The engine's events are read by this model from now on. */
	void (*adopt)(struct lane_timeline *tl, struct lane_eng *eng);
	/* rq, which is with the engine, has been handed over at now_ns. */
	void (*execute)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			uint64_t now_ns);
	/* rq, which is with the engine, was complete at a time in `end`, as its own events say. */
	void (*end)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_span end);
	/* No more is to come, of rq, or if that is NULL of the engine, that tells when what is
	 * complete has ended. */
	void (*settle)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
	/* Events are missing from now on, until until_ns. */
	void (*doubt)(struct lane_timeline *tl, struct lane_eng *eng, uint64_t until_ns);
};

extern const struct lane_model lane_model_ring, lane_model_guc;

/* The engine's events are read by this mode from now on. */
void timeline_engine_becomes(struct lane_timeline *tl, struct lane_eng *eng, enum lane_mode mode);

/* ---- boundaries ---- */

/* rq is complete by end.hi, by its own events or by those of what follows it. */
void timeline_boundary_known(struct lane_rq *rq, struct lane_span end);
static inline bool timeline_boundary_is_known(const struct lane_rq *rq)
{
	return rq->over.hi != 0;
}

/* Nothing that is to come tells more of it. */
bool timeline_boundary_is_settled(const struct lane_timeline *tl, const struct lane_rq *rq);
/* When rq was over, no sooner than what it follows, which was over at a time from then on. */
struct lane_span timeline_boundary_of(struct lane_timeline *tl, struct lane_rq *rq,
				      uint64_t follows_ns);
/* rq's story with the hardware is over. */
void timeline_boundary_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* rq had the engine, or was to, from a time in `begin` to one in `end`: that is told. */
void timeline_boundary_tell_run(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_rq *rq, struct lane_span begin,
				struct lane_span end, bool follows);

#endif
