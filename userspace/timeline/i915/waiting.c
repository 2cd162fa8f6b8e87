// SPDX-License-Identifier: MIT
// The requests that wait in an engine's queue.
#include "timeline/i915/waiting.h"
#include "timeline/losses.h"

void timeline_waiting_add(struct lane_eng *eng, struct lane_rq *rq)
{
	if (rq->waits_for)
		return;
	rq->waits_for = eng;
	eng->waiting.n++;
}

void timeline_waiting_handed_over(struct lane_rq *rq)
{
	if (!rq->waits_for)
		return;
	rq->waits_for->waiting.n--;
	rq->waits_for = NULL;
}

/*
 * A request that was taken back and completes leaves the queue in a dequeue that finds it complete
 * (__i915_request_submit() of i915_request.c, 6.1). No event shows that. A request that is retired
 * before leaves an empty list of its priority behind, which counts as something that waits
 * (i915_sched_engine_is_empty() of i915_scheduler.h).
 */
void timeline_waiting_over(struct lane_rq *rq)
{
	if (!rq->waits_for)
		return;
	rq->waits_for->waiting.all_since_ns = 0;
	timeline_waiting_handed_over(rq);
}

/* A dequeue with a free port goes through the whole queue (execlists_dequeue() of
 * gt/intel_execlists_submission.c, 6.1). Here the dequeue left both ports free. */
void timeline_waiting_run_over(struct lane_eng *eng)
{
	if (eng->ports.n || eng->order.first || timeline_engine_unproven(eng))
		return;
	eng->waiting.all_since_ns = timeline_not_before(eng->dequeue.before_ns, 1);
}

bool timeline_waiting_yields_to_ports(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	return tl->needs_yielding && eng->waiting.all_since_ns && !eng->waiting.n &&
	       !timeline_engine_is_shared(tl, eng) && !timeline_engine_unproven(eng) &&
	       !tl->info.follows_some && !tl->ports_hide &&
	       tl->info.presence[LANE_RQ_SUBMIT] == LANE_PRESENCE_RECORDED &&
	       !timeline_loss_between(tl, eng->waiting.all_since_ns, tl->now_ns);
}
