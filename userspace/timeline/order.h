/* SPDX-License-Identifier: MIT */
/* The order in which the requests of an engine stand, and what of it is certain. */
#ifndef LANE_TIMELINE_ORDER_H
#define LANE_TIMELINE_ORDER_H

#include "timeline/state.h"

/* Into the engine's keeping, with no place in its order; out of it. */
void timeline_request_link(struct lane_eng *eng, struct lane_rq *rq);
void timeline_request_unlink(struct lane_rq *rq);
/* rq stands last from here on. */
void timeline_engine_stand(struct lane_eng *eng, struct lane_rq *rq);
/* It stands nowhere: taken back, or nobody knows where. */
void timeline_engine_put_away(struct lane_eng *eng, struct lane_rq *rq);
/* Nothing of the time before rq was handed over is in doubt. */
bool timeline_engine_is_fresh(const struct lane_eng *eng, const struct lane_rq *rq);
/* rq stands since before the last taking back, which shows that it was complete by then. */
bool timeline_engine_is_unheard(const struct lane_eng *eng, const struct lane_rq *rq);
/* Somebody listens, or has begun to before the recording did, or in a loss. */
bool timeline_engine_may_be_heard(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Nothing of its own will tell of its end. */
bool timeline_engine_is_silent(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *rq);
void timeline_engine_prove(struct lane_eng *eng, bool nothing_ahead);
/* The engine's events are read by this model from now on. */
void timeline_engine_becomes(struct lane_timeline *tl, struct lane_eng *eng, enum lane_mode mode);
/* True when a comes before b in the driver's order, or may. */
bool timeline_engine_is_ahead(const struct lane_rq *a, const struct lane_rq *b);

#endif
