/* SPDX-License-Identifier: MIT */
/* Which run follows which on an engine, and what is in doubt. */
#ifndef LANE_TIMELINE_CHAIN_H
#define LANE_TIMELINE_CHAIN_H

#include "timeline/state.h"

/* rq ended at a time in `end`. Concludes that, and the ends that follow from it. Does nothing if rq
 * has ended already. */
void timeline_chain_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end);
/* R6. A context runs in order: rq was complete by `by`, and so were those before it in its context.
 * Those end whose number in the order is `from` or more. */
void timeline_chain_end_before(struct lane_timeline *tl, const struct lane_rq *rq,
			       struct lane_bound by, uint64_t from);
/* Likewise, all of them, at the next timeline_chain_end_due(). */
void timeline_chain_end_before_later(struct lane_timeline *tl, const struct lane_rq *rq,
				     struct lane_bound by);
/* Concludes the ends that wait for another one to be concluded, unless one is being concluded. */
void timeline_chain_end_due(struct lane_timeline *tl);
/* rq has ended at a time in `end`, as the absence of events shows. Where absence shows nothing
 * (timeline_ending_is_unsure()), rq is detached instead: its own events will tell its end. */
void timeline_chain_infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_bounds end);
/* The changeover, at a time in `at`: the hardware takes the written set, and eng->leaver, which is
 * not NULL, leaves. */
void timeline_chain_change_over(struct lane_timeline *tl, struct lane_eng *eng,
				struct lane_bounds at);
/* R19. The changeover, where no event marks it: at some time since the set was written, by
 * `by`. */
void timeline_chain_change_over_by(struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_bound by);
/* The events of eng contradict each other: nothing is certain of eng from now on. */
void timeline_chain_contradiction(struct lane_timeline *tl, struct lane_eng *eng);
/* eng, which was taken for a ring, turns out to have ports, or a GuC. */
void timeline_chain_becomes_ported(struct lane_timeline *tl, struct lane_eng *eng);
/* If nothing has the engine, the next request of the order starts, at eng->free; if there is none,
 * the engine is idle. */
void timeline_chain_update(struct lane_timeline *tl, struct lane_eng *eng);
/* R7. Makes rq the one that runs, so that it can end: what stands ahead of it has ended by
 * `by`. */
void timeline_chain_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_rq *rq, struct lane_bound by);
/* rq is about to be handed over. Earlier requests of its context that the driver should have handed
 * over before it, and did not, have ended. */
void timeline_chain_pass_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* rq has ended at a time in `end`, as an event of this CPU tells. cpu -1: that is not held; a run
 * of the tasklet that is held is read first. */
void timeline_chain_end_told(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_bounds *end, int32_t cpu);
/* From now_ns on it is not known which requests eng has, who has it, and who comes next: only their
 * own events tell. */
void timeline_chain_lose_order(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
/* The driver has taken back some of what eng has at now_ns, and no `unsubmit` tells which. When
 * those run and end only their own events tell. */
void timeline_chain_take_back_unseen(struct lane_timeline *tl, struct lane_eng *eng,
				     uint64_t now_ns);
/* The absence of events shows nothing of this engine from now_ns to until_ns. */
void timeline_chain_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  uint64_t until_ns);
/* The driver has reset the engine at now_ns: what it has is begun again, or is held. Which requests
 * those are, and which are complete, only their own events tell. */
void timeline_chain_reset(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
/* The first port is given back, or its `out` will not come. Drops the port, and what it kept of its
 * request. */
void timeline_chain_drop_port(struct lane_timeline *tl, struct lane_eng *eng);

#endif
