/* SPDX-License-Identifier: MIT */
/* The order in which the requests of an engine stand, and what of it is certain. */
#ifndef LANE_TIMELINE_ORDER_H
#define LANE_TIMELINE_ORDER_H

#include "timeline/state.h"

/* Links rq to the engine, with no place in its order; unlinks rq from its engine, if it is
 * linked. */
void timeline_request_link(struct lane_eng *eng, struct lane_rq *rq);
void timeline_request_unlink(struct lane_rq *rq);
/* rq gets the last place in the order. rq must be linked to eng. */
void timeline_order_append(struct lane_eng *eng, struct lane_rq *rq);
/* rq loses its place in the order: it was taken back, or its place is not known. */
void timeline_order_remove(struct lane_eng *eng, struct lane_rq *rq);
/* rq was handed over when nothing was in doubt any more. */
bool timeline_engine_is_fresh(const struct lane_eng *eng, const struct lane_rq *rq);
/* Somebody listens to rq, or may. */
bool timeline_request_may_have_listener(const struct lane_timeline *tl, const struct lane_rq *rq);
/* R8. rq has stood since before the last taking back, and so was complete by then. */
bool timeline_request_is_shown_complete(const struct lane_rq *rq);
/* The first that stands and is not known to be complete, NULL: there is none. */
struct lane_rq *timeline_engine_first_open(const struct lane_eng *eng);
/* No event of rq's own will tell its end, but its retire: nobody listens, and it is no port's
 * last. */
bool timeline_engine_no_end_to_come(const struct lane_timeline *tl, const struct lane_eng *eng,
				    const struct lane_rq *rq);
/* Makes the order of eng certain, if it can be. nothing_ahead: nothing hidden is ahead of the
 * requests that were seen. */
void timeline_engine_prove(struct lane_eng *eng, bool nothing_ahead);
/* The engine's events are read by the model of this mode from now on. */
void timeline_engine_becomes(struct lane_timeline *tl, struct lane_eng *eng, enum lane_mode mode);
/* True when a comes before b in the order, or may. */
bool timeline_request_is_ahead(const struct lane_rq *a, const struct lane_rq *b);

#endif
