/* SPDX-License-Identifier: MIT */
/* What the time of a thread counts as. */
#ifndef LANE_TIMELINE_THREAD_TIME_H
#define LANE_TIMELINE_THREAD_TIME_H

#include "timeline/losses.h"

/* How long thr has been runnable without running, up to now_ns, in ns. */
static inline uint64_t timeline_thread_runnable(const struct lane_thr *thr, uint64_t now_ns)
{
	return thr->clock[LANE_DOING_RUNNABLE] +
	       (thr->pub.state == LANE_THREAD_RUNNABLE ? now_ns - thr->pub.since_ns : 0);
}

/* The engine of the request that the thread waits for; NULL: none is known. */
static inline const struct lane_engine *timeline_thread_waits_on(const struct lane_thr *thr)
{
	if (thr->wait)
		return thr->wait->rq->pub.engine;
	return thr->woken_for ? thr->woken_for->engine : NULL;
}

/* What the thread's time counts as for an engine that is idle meanwhile. */
static inline enum lane_doing timeline_thread_doing(const struct lane_thr *thr)
{
	switch (thr->pub.state) {
	case LANE_THREAD_RUNNING:
		return LANE_DOING_RUNNING;
	case LANE_THREAD_RUNNABLE:
		return LANE_DOING_RUNNABLE;
	case LANE_THREAD_BLOCKED:
		/* A request that is not added yet has no engine: the thread waits for none. */
		return timeline_thread_waits_on(thr) ? LANE_DOING_WAITING : LANE_DOING_BLOCKED;
	default:
		return LANE_DOING_UNKNOWN;
	}
}

/* No event of this CPU has come: it is not recorded. number -1: no CPU is meant. */
static inline bool timeline_cpu_is_unrecorded(const struct lane_timeline *tl, int32_t number)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, number);

	return number >= 0 && !(cpu && cpu->at_ns);
}

/* Losses do not show that thr did what it did last up to now_ns. Nobody comes to a CPU or leaves it
 * without a switch there. */
static inline bool timeline_thread_may_have_moved(const struct lane_timeline *tl,
						  const struct lane_thr *thr, uint64_t now_ns)
{
	return thr->pub.state != LANE_THREAD_RUNNING ||
	       timeline_loss_of_cpu(tl, thr->pub.cpu, thr->pub.since_ns, now_ns);
}

/* It is not known what thr has done since its last change, up to now_ns. */
static inline bool timeline_thread_is_unknown(const struct lane_timeline *tl,
					      const struct lane_thr *thr, uint64_t now_ns)
{
	bool is_blocked = thr->pub.state == LANE_THREAD_BLOCKED;
	/* One lost event can hide a wake-up; two can hide that the thread was elsewhere
	 * meanwhile. */
	uint64_t enough = is_blocked ? 0 : 1;

	return timeline_is_absent(tl, LANE_SWITCH) || thr->is_unknown ||
	       timeline_is_stranger(tl, thr) ||
	       (thr->pub.state == LANE_THREAD_RUNNABLE &&
		timeline_cpu_is_unrecorded(tl, thr->pub.cpu)) ||
	       (is_blocked && !timeline_sees(tl, LANE_WAKING) &&
		!(tl->follows_all && timeline_sees(tl, LANE_WAKEUP))) ||
	       (tl->n_losses && timeline_loss_between(tl, thr->pub.since_ns, now_ns) > enough &&
		timeline_thread_may_have_moved(tl, thr, now_ns));
}

#endif
