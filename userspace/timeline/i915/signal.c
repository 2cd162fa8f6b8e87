// SPDX-License-Identifier: MIT
// A request from its fence's events: who listens, and what its signal tells.
#include "timeline/i915/signal.h"
#include "timeline/i915/chain.h"
#include "timeline/i915/listening.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/i915/order.h"
#include "timeline/i915/request.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/semaphore.h"
#include "timeline/i915/tasklet.h"
#include "timeline/i915/tasklet_parts.h"
#include "timeline/sched/thread.h"

/* rq is taken back, by what has been read or is held, or was handed over again at since_ns or
 * later. */
static bool is_back(const struct lane_timeline *tl, const struct lane_rq *rq, uint64_t since_ns)
{
	const struct lane_eng *eng = timeline_tasklet_of(tl, rq);

	if (eng)
		return timeline_tasklet_is_back(tl, eng, rq, since_ns);
	return rq->handed.back != LANE_BACK_NOT ||
	       (rq->pub.executes > 1 && rq->handed.execute_ns >= since_ns);
}

/* A request that was handed over again before this time, ns, had its listeners back by the event.
 */
static uint64_t listeners_back(const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;

	return now_ns > LANE_LOOK_NS ? now_ns - LANE_LOOK_NS : 0;
}

/*
 * A virtual engine's request loses its listeners as its context leaves the ports, and is signalled
 * then if it is complete. Where no `out` is seen, such a signal comes straight after a tasklet's
 * event on that CPU, also of another engine.
 */
static bool may_be_leaving(const struct lane_timeline *tl, const struct lane_rq *rq,
			   const struct lane_event *event)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);
	const struct lane_engine *host = rq->pub.host_engine;

	return eng && eng->model->is_hooked && (!host || timeline_engine_is_virtual(host)) && cpu &&
	       cpu->event == cpu->tasklet_event;
}

/* A retire that signals comes straight before the signal. It may have been lost. */
static bool may_be_retiring(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);
	uint64_t now_ns = event->wire.ts_ns, before_ns = cpu ? cpu->before_ns : now_ns;

	if (before_ns == now_ns) { /* both events are of one time: a loss of that time may lie
				    * between */
		before_ns--;
		now_ns++;
	}
	return tl->n_losses && timeline_loss_between(tl, before_ns, now_ns);
}

/* The signal comes in a thread that waits for rq and has kept its CPU: the thread polls. */
static bool is_by_poller(const struct lane_timeline *tl, const struct lane_rq *rq,
			 const struct lane_event *event)
{
	for (const struct lane_waiter *waiter = rq->waiters; waiter; waiter = waiter->next)
		if (waiter->thr->pub.tid == event->wire.tid && timeline_wait_looks(tl, waiter))
			return true;
	return false;
}

/*
 * Where `unsubmit` is not recorded: a dequeue that no event shows may have taken rq back, found it
 * complete as it came to hand it over again, and had it signalled. Anything else that it took back,
 * and anything that waits for the engine, it would have handed over, and that would show. So the
 * driver looked because of a virtual engine's request (needs_timeslice(), need_preempt() of
 * gt/intel_execlists_submission.c, 6.1).
 */
static bool may_have_been_passed_over(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) &&
	       timeline_engine_is_shared(tl, eng);
}

/*
 * R2. True when the signal is prompt: somebody was listening, and neither the retiring nor the
 * listening itself signalled the request. __dma_fence_enable_signaling() signals a fence that it
 * finds complete from within the call: then the signal comes straight after, in the same thread. A
 * waiter first polls, in its own thread, as long as it keeps its CPU. A request that was taken back
 * has lost its listeners, and the poller's CPU was busy with the taking back. It is looked at
 * before they are put back (__i915_request_submit() of i915_request.c, 6.1): it may be complete by
 * then, and whoever else looks at it signals it.
 */
static bool is_prompt(const struct lane_timeline *tl, const struct lane_rq *rq,
		      const struct lane_event *event)
{
	if (may_be_retiring(tl, event) || is_back(tl, rq, listeners_back(event)) ||
	    timeline_tasklet_may_pass_over(tl, rq, event->cpu, event->wire.ts_ns))
		return false;
	/* R8. A dequeue before the listening had shown it complete. */
	if (rq->known.hi && rq->listen.ns >= rq->known.hi)
		return false;
	if (is_by_poller(tl, rq, event))
		return true;
	/* Where the retire is not recorded, the retiring may have signalled it. */
	return rq->listen.ns && !may_be_leaving(tl, rq, event) &&
	       !timeline_is_absent(tl, LANE_RQ_RETIRE);
}

/* R2. The bounds of rq's end, which a prompt signal at now_ns tells. */
static struct lane_bounds end_by_signal(struct lane_timeline *tl, const struct lane_rq *rq,
					uint64_t now_ns)
{
	struct lane_bound began = timeline_request_not_over_before(rq),
			  prompt = timeline_r02_prompt(tl);

	if (!may_have_been_passed_over(tl, rq))
		return timeline_bounds_exact(prompt);
	if (now_ns > LANE_DEQUEUE_NS)
		began = timeline_bound_later(began, timeline_bound_bare(now_ns - LANE_DEQUEUE_NS));
	return timeline_bounds(timeline_bound_sooner(began, prompt),
			       timeline_r04_signalled(now_ns, tl->now.event));
}

static void on_signaled(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	uint64_t now_ns = event->wire.ts_ns;
	bool is_open, is_by_listening;
	struct lane_bounds end;

	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		return;
	rq->pub.seen |= LANE_SEEN_SIGNAL;
	rq->pub.signal_ns = now_ns;
	rq->pub.by.signal = tl->now.event;
	if (!ctx->signalled || (int32_t)(rq->pub.seqno - ctx->signalled_seqno) > 0)
		ctx->signalled_seqno = rq->pub.seqno;
	ctx->signalled = true;
	rq->pub.is_unasked = (rq->pub.seen & LANE_SEEN_RETIRE) && timeline_request_is_born(rq) &&
			     !tl->info.follows_some && !timeline_request_may_have_listener(tl, rq);
	timeline_listening_signaled(tl, rq, event);
	timeline_wait_signalled(tl, rq, now_ns);
	timeline_semaphore_signalled(rq, now_ns);
	is_open = !timeline_request_has_ended(rq) && !(rq->pub.seen & LANE_SEEN_RETIRE);
	is_by_listening = is_open && timeline_listening_signals(tl, rq, event);
	if (is_by_listening)
		rq->listen.how = LANE_LISTENING_UNSURE;
	if (is_open && !is_by_listening && is_prompt(tl, rq, event)) {
		end = end_by_signal(tl, rq, now_ns);
		timeline_chain_end_told(tl, rq, &end, event->cpu);
	} else {
		timeline_request_ended_by(tl, rq, timeline_r04_signalled(now_ns, tl->now.event),
					  event->cpu);
	}
	if ((rq->pub.seen & LANE_SEEN_RETIRE) ||
	    tl->info.presence[LANE_RQ_RETIRE] == LANE_PRESENCE_ABSENT)
		timeline_request_over(tl, rq);
}

/* R6. A request that is not known is signalled: those before it in its context are complete,
 * too. */
static void on_unseen_signaled(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_ctx *ctx = timeline_context_by_fence(tl, event->u.fence.context);
	struct lane_rq *before, *next;

	for (before = ctx ? ctx->live : NULL;
	     before && (int32_t)(before->pub.seqno - (uint32_t)event->u.fence.seqno) < 0;
	     before = next) {
		next = before->next;
		timeline_request_ended_by(tl, before,
					  timeline_r06_later(timeline_r04_signalled(
						  event->wire.ts_ns, tl->now.event)),
					  event->cpu);
	}
}

/* Somebody begins to listen to rq. Whoever listens to a request that is taken back does not look
 * whether it is complete. */
static void on_enable_signal(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_event *event)
{
	bool is_active = rq->is_on_device || timeline_tasklet_of(tl, rq) ||
			 (rq->pub.seen & LANE_SEEN_EXECUTE) ||
			 timeline_is_absent(tl, LANE_RQ_EXECUTE) || timeline_loss_hides(tl, rq);

	timeline_semaphore_listened(tl, rq, event->wire.tid);
	rq->listen = (struct lane_listener){
		.ns = event->wire.ts_ns,
		.event = tl->now.event,
		.tid = event->wire.tid,
		.cpu = event->cpu,
		.how = !is_active		     ? LANE_LISTENING_EARLY
		       : is_back(tl, rq, LANE_NEVER) ? LANE_LISTENING_UNSURE
						     : LANE_LISTENING_LOOKS,
	};
}

void timeline_fence_event(struct lane_timeline *tl, const struct lane_event *event)
{
	bool is_signal = event->wire.kind == LANE_FENCE_SIGNALED;
	struct lane_rq *rq;

	/* R11. Where no signals are recorded, nothing tells whether a listening found its request
	 * complete. */
	if (!is_signal && (event->wire.kind != LANE_FENCE_ENABLE_SIGNAL ||
			   timeline_is_absent(tl, LANE_FENCE_SIGNALED)))
		return;
	rq = timeline_request_by_fence(tl, event);
	if (!rq && tl->tasklets) {
		timeline_tasklet_meet(tl, event->u.fence.context, (uint32_t)event->u.fence.seqno);
		rq = timeline_request_by_fence(tl, event);
	}
	if (rq && is_signal)
		on_signaled(tl, rq, event);
	else if (rq)
		on_enable_signal(tl, rq, event);
	else if (is_signal)
		on_unseen_signaled(tl, event);
}
