// SPDX-License-Identifier: MIT
// What the time of a thread counts as.
#include "timeline/thread_time.h"

uint64_t timeline_thread_runnable(const struct lane_thr *thr, uint64_t now_ns)
{
	uint64_t ns = thr->clock[LANE_CLOCK_RUNNABLE];

	if (thr->pub.state == LANE_THREAD_RUNNABLE)
		ns += now_ns - thr->pub.since_ns;
	return ns;
}
