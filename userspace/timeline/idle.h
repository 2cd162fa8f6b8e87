/* SPDX-License-Identifier: MIT */
/* The division of an engine's idle time. */
#ifndef LANE_TIMELINE_IDLE_H
#define LANE_TIMELINE_IDLE_H

#include "timeline/state.h"

/* Tells in eng->pub since when nothing had it, if that is certain by now. */
void timeline_idle_lead(struct lane_eng *eng);
/* The engine is about to be in doubt from at_ns on: if it was idle up to then, that is told. */
void timeline_idle_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns);
void timeline_idle_begin(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns);
void timeline_idle_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       uint64_t at_ns, bool doubtful);
/* The engine is not known to be idle any more, nor since when. */
void timeline_idle_forget(struct lane_timeline *tl, struct lane_eng *eng);
void timeline_idle_note(struct lane_timeline *tl, struct lane_rq *rq, struct lane_thr *thr,
			uint64_t now_ns);
void timeline_idle_snapshot(struct lane_timeline *tl, struct lane_thr *thr);
/* What thr did since its last change cannot be told: nor how idle times are to be divided by it. */
void timeline_idle_unsure(struct lane_timeline *tl, struct lane_thr *thr);
void timeline_idle_starved(struct lane_timeline *tl, struct lane_thr *thr,
			   const struct lane_starvation *slice);

#endif
