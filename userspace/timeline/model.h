/* SPDX-License-Identifier: MIT */
/*
 * A way of submitting for which every history that the events allow is followed: what becomes of an
 * engine's requests by each kind of event. Engines without one are execlists' (engine.c, dequeue.c,
 * run.c).
 */
#ifndef LANE_TIMELINE_MODEL_H
#define LANE_TIMELINE_MODEL_H

#include "timeline/state.h"

struct lane_model {
	bool is_handed_over_once; /* an `execute` is the only one of its request */
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
static inline void timeline_engine_becomes(struct lane_timeline *tl, struct lane_eng *eng,
					   enum lane_mode mode)
{
	if (eng->model)
		eng->model->settle(tl, eng, NULL);
	eng->mode = (uint8_t)mode;
	eng->model = tl->models[mode];
	if (eng->model)
		eng->model->adopt(tl, eng);
}

#endif
