/* SPDX-License-Identifier: MIT */
/* Why an engine idled: the division of its idle time by cause. */
#ifndef LANE_TIMELINE_IDLE_H
#define LANE_TIMELINE_IDLE_H

#include "timeline/state.h"

/* Sets eng->pub.idle_until_ns, if it is certain by now that nothing had the engine before its first
 * request. */
void timeline_idle_lead(struct lane_timeline *tl, struct lane_eng *eng);
/* The engine is in doubt from at_ns on. If it was idle up to then, the idle time is told. */
void timeline_idle_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns);
/* Nothing has the engine from at_ns on. */
void timeline_idle_begin(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns);
/* The idle time of the engine ends at at_ns: rq starts (NULL: not known who). Tells it, if one was
 * known. doubtful: it is not certain that the engine was idle. */
void timeline_idle_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       uint64_t at_ns, bool doubtful);
/* It is not known any more whether the engine is idle. */
void timeline_idle_forget(struct lane_timeline *tl, struct lane_eng *eng);
/* thr adds rq at now_ns. If an engine idles on which rq may be the next to run, notes what thr has
 * done since it became idle. */
void timeline_idle_note(struct lane_timeline *tl, struct lane_rq *rq, struct lane_thr *thr,
			uint64_t now_ns);
/* Before thr's clocks move on: remembers, for each idle engine, what they showed as it became idle.
 * is_unsure: it is not known what thr did since its last change, so the idle times cannot be
 * divided by what thr did. */
void timeline_idle_snapshot(struct lane_timeline *tl, struct lane_thr *thr, bool is_unsure);
/* thr was blocked up to now_ns: notes, for each idle engine, where. */
void timeline_idle_at(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns);
/* thr is seen with this stack at now_ns: told if it runs. */
void timeline_idle_sample(struct lane_timeline *tl, const struct lane_thr *thr,
			  struct lane_stack_id stack, uint64_t now_ns);
/* thr was starved in slice: notes, for each idle engine, who ran meanwhile. */
void timeline_idle_starved(struct lane_timeline *tl, struct lane_thr *thr,
			   const struct lane_starvation *slice);

#endif
