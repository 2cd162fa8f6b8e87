/* SPDX-License-Identifier: MIT */
/* An engine: what ends, what runs next, what is in doubt. */
#ifndef LANE_TIMELINE_ENGINE_H
#define LANE_TIMELINE_ENGINE_H

#include "timeline/state.h"

void lane_end_request(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* rq has ended, by what has not been seen of it. */
void lane_end_infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_span end);
/* The next set has taken the engine from what was taken back with the last one, at a time in `at`.
 */
void lane_eng_change_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at);
/* The same where no event marks it: since the set was written. */
void lane_eng_change_over_by(struct lane_timeline *tl, struct lane_eng *eng, uint64_t by_ns);
void lane_eng_contradiction(struct lane_timeline *tl, struct lane_eng *eng);
/* What was taken for a ring has ports. */
void lane_eng_becomes_ported(struct lane_timeline *tl, struct lane_eng *eng);
/* The engine is free since eng->free: what is next by the order starts, or it is idle. */
void lane_eng_update(struct lane_timeline *tl, struct lane_eng *eng);
/* Has rq running, so that it can end: what stands before it is over by `by_ns`. */
void lane_eng_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     uint64_t by_ns);
/* rq is about to be executed: what of its context had to be before it, and was not, has ended. */
void lane_eng_unheard(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* rq has ended at a time in `end`, by an event of this CPU, -1: of another kind than a signal. */
void lane_eng_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end, int32_t cpu);
/* Nothing that is concluded from absence holds for this engine from now to until_ns. */
void lane_eng_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
		    uint64_t until_ns);

#endif
