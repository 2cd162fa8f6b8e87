// SPDX-License-Identifier: MIT
// What the time of a thread counts as.
#include "timeline/thread_time.h"
#include "timeline/losses.h"
#include "timeline/state.h"

enum lane_clock timeline_thread_clock(const struct lane_thr *thr)
{
	switch (thr->pub.state) {
	case LANE_THREAD_RUNNING:
		return LANE_CLOCK_RUNNING;
	case LANE_THREAD_RUNNABLE:
		return LANE_CLOCK_RUNNABLE;
	case LANE_THREAD_BLOCKED:
		/* A request that is not added yet is on no engine: none is waited for. */
		return thr->wait && thr->wait->rq->pub.engine ? LANE_CLOCK_WAITING
							      : LANE_CLOCK_BLOCKED;
	default:
		return LANE_CLOCK_UNKNOWN;
	}
}

uint64_t timeline_thread_runnable(const struct lane_thr *thr, uint64_t now_ns)
{
	uint64_t ns = thr->clock[LANE_CLOCK_RUNNABLE];

	if (thr->pub.state == LANE_THREAD_RUNNABLE)
		ns += now_ns - thr->pub.since_ns;
	return ns;
}

bool timeline_thread_is_untold(const struct lane_timeline *tl, const struct lane_thr *thr,
			       uint64_t now_ns)
{
	/* Two lost events are enough to have been somewhere else meanwhile, one to have been woken.
	 */
	uint64_t enough = thr->pub.state == LANE_THREAD_BLOCKED ? 0 : 1;

	return timeline_is_absent(tl, LANE_SWITCH) || thr->is_untold ||
	       timeline_is_stranger(tl, thr) ||
	       (thr->pub.state == LANE_THREAD_BLOCKED && timeline_is_absent(tl, LANE_WAKING) &&
		!(tl->follows_all && !timeline_is_absent(tl, LANE_WAKEUP))) ||
	       (tl->n_losses && timeline_loss_between(tl, thr->pub.since_ns, now_ns) > enough);
}
