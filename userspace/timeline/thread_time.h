/* SPDX-License-Identifier: MIT */
/* What the time of a thread counts as. */
#ifndef LANE_TIMELINE_THREAD_TIME_H
#define LANE_TIMELINE_THREAD_TIME_H

#include "timeline/state.h"

/* How long thr could run and did not, up to now_ns. */
uint64_t timeline_thread_runnable(const struct lane_thr *thr, uint64_t now_ns);
/* What the thread's time counts as for an engine that idles meanwhile. */
enum lane_clock timeline_thread_clock(const struct lane_thr *thr);
/* What thr has done since its last change, up to now_ns, cannot be told. */
bool timeline_thread_is_untold(const struct lane_timeline *tl, const struct lane_thr *thr,
			       uint64_t now_ns);

#endif
