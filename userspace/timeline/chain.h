/* SPDX-License-Identifier: MIT */
/* Which turn follows which on an engine, and what is in doubt. */
#ifndef LANE_TIMELINE_CHAIN_H
#define LANE_TIMELINE_CHAIN_H

#include "timeline/state.h"

void timeline_chain_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* R6. A context runs in order: what is before rq is over. */
void timeline_chain_end_before(struct lane_timeline *tl, struct lane_rq *rq, uint64_t by_ns);
/* rq has ended, by what has not been seen of it. */
void timeline_chain_infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_span end);
/* The next set has taken the engine from what was taken back with the last one, at a time in `at`.
 */
void timeline_chain_change_over(struct lane_timeline *tl, struct lane_eng *eng,
				struct lane_span at);
/* The same where no event marks it: since the set was written. */
void timeline_chain_change_over_by(struct lane_timeline *tl, struct lane_eng *eng, uint64_t by_ns);
void timeline_chain_contradiction(struct lane_timeline *tl, struct lane_eng *eng);
/* What was taken for a ring has ports. */
void timeline_chain_becomes_ported(struct lane_timeline *tl, struct lane_eng *eng);
/* The engine is free since eng->free: what is next by the order starts, or it is idle. */
void timeline_chain_update(struct lane_timeline *tl, struct lane_eng *eng);
/* Has rq running, so that it can end: what stands before it is over by `by_ns`. */
void timeline_chain_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_rq *rq, uint64_t by_ns);
/* rq is about to be executed: what of its context had to be before it, and was not, has ended. */
void timeline_chain_pass_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* rq has ended at a time in `end`, by an event of this CPU, -1: of another kind than a signal. */
void timeline_chain_end_told(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
			     int32_t cpu);
/* Nothing that is concluded from absence holds for this engine from now to until_ns. */
void timeline_chain_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  uint64_t until_ns);
/* The first port is given back, or its `out` will not come: nothing keeps its request any more. */
void timeline_chain_drop_port(struct lane_timeline *tl, struct lane_eng *eng);
/* What the models with a tasklet have in common (model.h). */
void timeline_chain_adopt(struct lane_timeline *tl, struct lane_eng *eng);
void timeline_chain_settle(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);

#endif
