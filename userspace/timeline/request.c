// SPDX-License-Identifier: MIT
// A request's life, from its own events and its fence's.
#include "timeline/request.h"
#include "timeline/boundary.h"
#include "timeline/chain.h"
#include "timeline/command_events.h"
#include "timeline/finish.h"
#include "timeline/given.h"
#include "timeline/handover.h"
#include "timeline/idle.h"
#include "timeline/listening.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/order.h"
#include "timeline/port_back.h"
#include "timeline/state.h"
#include "timeline/tasklet.h"
#include "timeline/tasklet_parts.h"
#include "timeline/tell.h"
#include "timeline/thread.h"
#include "timeline/waiting.h"
#include "timeline/world.h"

#include <string.h>

/* Of a context, where no event has ever shown what the others wait for. */
#define MAX_NEVER_RETIRING 256

/* The last event of this CPU before; 0: it has none, or no number. */
static uint64_t before_here(const struct lane_timeline *tl, const struct lane_event *event)
{
	return event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus ? tl->cpus[event->cpu].before_ns
								    : 0;
}

static void on_queue(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_QUEUE)
		return;
	rq->pub.seen |= LANE_SEEN_QUEUE;
	rq->pub.queue_ns = event->wire.ts_ns;
	timeline_thread_submits(tl, rq, event);
	((struct lane_ctx *)rq->pub.context)->pub.is_user = true;
}

/* rq ended at some time from when it was handed over, or began to run, to now. */
static void ended_by(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns, int32_t cpu)
{
	if (!rq->ended)
		timeline_chain_end_told(
			tl, rq, (struct lane_span){ timeline_request_began(rq), now_ns }, cpu);
}

static bool is_recorded(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->info.presence[kind] == LANE_PRESENCE_RECORDED;
}

/*
 * So many requests of a context are kept: with those that have not been seen to end, and without.
 * What would show an end may be yet to come, as where a recording begins with many requests.
 */
static uint32_t most_open(const struct lane_timeline *tl, bool ended)
{
	const uint64_t *seen = tl->figures.by_kind;

	if (seen[LANE_RQ_RETIRE] || (!ended && (seen[LANE_FENCE_SIGNALED] || seen[LANE_RQ_OUT])))
		return LANE_MAX_UNRETIRED;
	if (!ended && tl->figures.open_requests <= LANE_MAX_UNRETIRED &&
	    (is_recorded(tl, LANE_RQ_RETIRE) || is_recorded(tl, LANE_FENCE_SIGNALED) ||
	     is_recorded(tl, LANE_RQ_OUT)))
		return LANE_MAX_UNRETIRED;
	return MAX_NEVER_RETIRING;
}

/* The oldest requests of newest's context make room for it; newest itself stays. */
static void make_room(struct lane_timeline *tl, const struct lane_rq *newest)
{
	struct lane_ctx *ctx = (struct lane_ctx *)newest->pub.context;
	struct lane_rq *rq;

	while (ctx->open > most_open(tl, true) && ctx->first != newest) {
		timeline_tasklets_settle(tl, tl->now_ns);
		rq = ctx->first;
		/* A context runs in order: what is before one that is over is over. */
		if (!rq->ended && ctx->signalled &&
		    (int32_t)(rq->pub.seqno - ctx->signalled_seqno) <= 0)
			ended_by(tl, rq, tl->now_ns, -1);
		if (!rq->ended) {
			if (ctx->open <= most_open(tl, false))
				return;
			/* It is over by now, its ring holds no more; nothing tells since when, nor
			 * who has the engine. */
			rq->pub.doubt |= LANE_DOUBT_DEVICE | LANE_DOUBT_END;
			rq->doubt.is_hit = true;
			if (rq->is_on_device &&
			    ((struct lane_eng *)rq->pub.engine)->model->has_tasklet)
				timeline_finish_detach(tl, (struct lane_eng *)rq->pub.engine, rq);
			ended_by(tl, rq, tl->now_ns, -1);
		}
		rq->wait_cut |= rq->waiters != NULL;
		while (rq->waiters)
			timeline_wait_drop(tl, rq->waiters);
		ctx->has_forgotten = true;
		ctx->forgot_seqno = rq->pub.seqno;
		timeline_request_done(tl, rq);
	}
}

static void on_add(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng;
	struct lane_thr *thr;

	if (rq->pub.seen & LANE_SEEN_ADD)
		return;
	rq->pub.seen |= LANE_SEEN_ADD;
	rq->pub.add_ns = event->wire.ts_ns;
	thr = timeline_thread_submits(tl, rq, event);
	eng = timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);
	if (!rq->pub.engine && eng)
		rq->pub.engine = &eng->pub;
	if (thr && tl->idle_mask)
		timeline_idle_note(tl, rq, thr, event->wire.ts_ns);
	if (rq->pub.state == LANE_RQ_STATE_NEW)
		timeline_request_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, event->wire.ts_ns);
}

/* What the submit came straight out of. */
static void submitted_after(struct lane_timeline *tl, struct lane_rq *rq,
			    const struct lane_event *event)
{
	const struct lane_cpu *cpu = NULL;
	struct lane_ctx *ctx;

	if (event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus)
		cpu = &tl->cpus[event->cpu];
	if (!cpu || !cpu->signal_ctx)
		return;
	ctx = lane_table_get(&tl->by_fence, cpu->signal_ctx, 0);
	if (!ctx || (&ctx->pub == rq->pub.context && cpu->signal_seqno == rq->pub.seqno))
		return;
	rq->pub.after = &ctx->pub;
	rq->pub.after_seqno = cpu->signal_seqno;
}

static void on_submit(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng;

	if (rq->pub.seen & LANE_SEEN_SUBMIT)
		return;
	eng = timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);
	if (!eng)
		return;
	rq->pub.seen |= LANE_SEEN_SUBMIT;
	rq->pub.submit_ns = event->wire.ts_ns;
	submitted_after(tl, rq, event);
	if (rq->pub.state > LANE_RQ_STATE_DEPENDENCY)
		return;
	rq->pub.engine = &eng->pub;
	rq->pub.host_engine = &eng->pub;
	if (timeline_engine_is_virtual(&eng->pub)) {
		tl->shared |= 1ull << (eng->pub.class % 64);
		timeline_engine_virtuals(tl, &eng->pub)->open++;
		rq->is_virtual = true;
	} else {
		timeline_waiting_add(eng, rq);
	}
	timeline_request_state(tl, rq, LANE_RQ_STATE_HOST, event->wire.ts_ns);
	timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, 1, event->wire.ts_ns);
}

/* An execute that would have made the one seen the second may hide in a loss. */
static bool execute_may_be_late(const struct lane_timeline *tl, const struct lane_rq *rq,
				uint64_t now_ns)
{
	bool taking_back_is_seen = tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED;
	uint64_t since_ns = rq->pub.seen & LANE_SEEN_SUBMIT ? rq->pub.submit_ns
			    : rq->pub.seen & LANE_SEEN_ADD  ? rq->pub.add_ns
							    : rq->pub.queue_ns;

	if (!(rq->pub.seen & (LANE_SEEN_SUBMIT | LANE_SEEN_ADD | LANE_SEEN_QUEUE)))
		return true;
	return timeline_loss_between(tl, since_ns, now_ns) > (taking_back_is_seen ? 1 : 0);
}

/*
 * R10. The driver looks whether rq is complete, and then takes it back or hands it over once more
 * (__unwind_incomplete_requests(), __i915_request_submit() of 6.1), while the hardware may have it:
 * rq may be complete by that event. The event before it on that CPU came before the look.
 */
static uint64_t looked_at(const struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns)
{
	uint64_t ns = at_ns > LANE_LOOK_NS ? at_ns - LANE_LOOK_NS : 0;

	ns = timeline_not_before(tl->looked_ns < at_ns ? tl->looked_ns : at_ns, ns);
	return timeline_not_before(ns, rq->alive.ns);
}

static void on_execute(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng =
		timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);

	rq->pub.executes++;
	if (eng && eng->model->has_tasklet)
		timeline_chain_pass_over(tl, eng, rq);
	rq->handed.is_taken_back = false;
	rq->handed.execute_ns = event->wire.ts_ns;
	rq->handed.cpu = event->cpu;
	timeline_listening_handed_over(tl, rq);
	timeline_world_looked_at(tl, rq,
				 rq->pub.executes > 1 && (!eng || rq->pub.engine == &eng->pub)
					 ? looked_at(tl, rq, event->wire.ts_ns)
					 : event->wire.ts_ns);
	if (!eng || rq->ended)
		return;
	if (rq->is_virtual)
		timeline_engine_virtuals(tl, rq->pub.host_engine)->changed_ns = event->wire.ts_ns;
	if (!(rq->pub.seen & LANE_SEEN_EXECUTE)) {
		if (rq->is_on_device || (!eng->model->is_handed_over_once &&
					 execute_may_be_late(tl, rq, event->wire.ts_ns)))
			rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
		rq->pub.seen |= LANE_SEEN_EXECUTE;
		rq->pub.execute_ns = event->wire.ts_ns;
	}
	timeline_engine_execute(tl, eng, rq, event);
}

/* Its model has not concluded yet when it ended: it is released then. */
static bool is_being_concluded(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return !rq->ended && rq->is_on_device && !eng->model->has_tasklet &&
	       timeline_boundary_is_known(rq);
}

/* It has been retired, and the driver has it on a port still: `in` and `out` of it may come. */
static bool is_on_port(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && eng->model->has_ports && timeline_ports_is_last(eng, rq);
}

/* rq's story is over, once nothing that is held is about it. */
static void release(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (is_being_concluded(rq) || is_on_port(rq))
		return;
	if (tl->reading) /* somebody may be at work on rq */
		timeline_tasklet_release_later(tl, rq);
	else if (!timeline_tasklet_names(tl, rq))
		timeline_request_done(tl, rq);
}

/* All that can come of rq's own has come; waiters, and what is held of it, may still keep it. */
static void over(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->is_over = true;
	if (!rq->waiters)
		release(tl, rq);
}

static bool signal_can_come(const struct lane_timeline *tl)
{
	return tl->info.presence[LANE_FENCE_SIGNALED] != LANE_PRESENCE_ABSENT &&
	       (tl->figures.by_kind[LANE_FENCE_SIGNALED] ||
		tl->info.presence[LANE_FENCE_SIGNALED] == LANE_PRESENCE_RECORDED);
}

/* The consequences of rq's retiring. */
static void retired(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before, *next;

	ended_by(tl, rq, rq->pub.retire_ns, -1);
	/* A context's requests retire in order: those before are gone, whatever was not seen of it.
	 */
	for (before = ctx->first; before && before != rq; before = next) {
		next = before->next;
		ended_by(tl, before, rq->pub.retire_ns, -1);
		over(tl, before);
	}
	if ((rq->pub.seen & LANE_SEEN_SIGNAL) || !signal_can_come(tl))
		over(tl, rq);
}

/*
 * Who retires an incomplete request's listener signals it next, on this CPU
 * (i915_request_retire()). So what comes next tells whether the listening found it complete.
 */
static bool waits_for_signal(const struct lane_timeline *tl, const struct lane_rq *rq,
			     const struct lane_event *event)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return !(rq->pub.seen & LANE_SEEN_SIGNAL) && !rq->ended && !tl->n_losses &&
	       !(eng && !eng->model->has_tasklet) && /* its model waits for it */
	       timeline_request_listened_late(rq, event->wire.ts_ns) &&
	       timeline_listening_is_past(tl, rq, event->cpu) && signal_can_come(tl);
}

static void on_retire(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_RETIRE)
		return;
	rq->pub.seen |= LANE_SEEN_RETIRE;
	rq->pub.retire_ns = event->wire.ts_ns;
	rq->listen.retire_tid = event->wire.tid;
	if (timeline_tasklet_holds_retire(tl, rq, event))
		return;
	if (waits_for_signal(tl, rq, event)) {
		tl->cpus[event->cpu].retiring = rq;
		return;
	}
	ended_by(tl, rq, rq->pub.retire_ns, event->cpu);
	retired(tl, rq);
}

void timeline_request_goes_on(struct lane_timeline *tl, struct lane_cpu *cpu,
			      const struct lane_event *event)
{
	struct lane_rq *rq = cpu->retiring;

	if (event && event->wire.kind == LANE_FENCE_SIGNALED &&
	    event->u.fence.context == rq->pub.context->ctx &&
	    (uint32_t)event->u.fence.seqno == rq->pub.seqno)
		return;
	cpu->retiring = NULL;
	retired(tl, rq);
}

/* Its retire waits for what is next on the CPU of that. */
static struct lane_cpu *retires_on(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	int32_t cpu = rq->listen.cpu;

	return cpu >= 0 && (uint32_t)cpu < tl->n_cpus && tl->cpus[cpu].retiring == rq
		       ? &tl->cpus[cpu]
		       : NULL;
}

static void on_unsubmit(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_eng *eng =
		timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);

	if (!(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
	rq->handed.is_taken_back = true;
	timeline_world_looked_at(tl, rq, looked_at(tl, rq, event->wire.ts_ns));
	if (eng && !rq->ended)
		timeline_engine_unsubmit(tl, eng, rq, event);
}

static void on_port(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng =
		timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);
	int32_t prio;

	if (!eng)
		return;
	if (event->wire.kind == LANE_RQ_OUT) {
		rq->pub.seen |= LANE_SEEN_OUT;
		rq->pub.out_ns = event->wire.ts_ns;
		timeline_engine_out(tl, eng, rq, event);
		return;
	}
	if (!(rq->pub.seen & LANE_SEEN_IN))
		rq->pub.in_ns = event->wire.ts_ns;
	rq->pub.seen |= LANE_SEEN_IN;
	prio = rq->pub.prio;
	rq->pub.prio = event->u.i915_request_in.prio;
	timeline_engine_in(tl, eng, rq, event);
	if (rq->handed.prio_no != eng->dequeue.no)
		rq->handed.prio_before = prio;
	rq->handed.prio_no = eng->dequeue.no;
}

static void on_wait_begin(struct lane_timeline *tl, struct lane_rq *rq,
			  const struct lane_event *event)
{
	struct lane_rq *before = timeline_wait_missed(tl, event->wire.tid);

	if (before && !before->job && before->is_over && before != rq && !before->waiters)
		release(tl, before);
	timeline_wait_begin(tl, rq, event);
}

static void on_wait_end(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	if (timeline_wait_end(tl, rq, event) && rq->is_over)
		release(tl, rq);
}

/* What an event of a request does; the last two may free it. */
static void (*const on_kind[LANE_KIND_COUNT])(struct lane_timeline *tl, struct lane_rq *rq,
					      const struct lane_event *event) = {
	[LANE_RQ_QUEUE] = on_queue,	  [LANE_RQ_ADD] = on_add,
	[LANE_RQ_SUBMIT] = on_submit,	  [LANE_RQ_EXECUTE] = on_execute,
	[LANE_RQ_UNSUBMIT] = on_unsubmit, [LANE_RQ_IN] = on_port,
	[LANE_RQ_OUT] = on_port,	  [LANE_RQ_WAIT_BEGIN] = on_wait_begin,
	[LANE_RQ_WAIT_END] = on_wait_end, [LANE_RQ_RETIRE] = on_retire,
};

/* The tasklet fires this kind. */
static bool is_of_tasklet(uint32_t kind)
{
	return kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT || kind == LANE_RQ_IN ||
	       kind == LANE_RQ_OUT;
}

/* An `out` of a request that has not been met: of before the recording, or it is over. */
static void on_unmet_out(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng =
		timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);

	if (eng)
		timeline_engine_out(tl, eng, NULL, event);
}

/* An event that is not held, or not any more. */
static void on_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	struct lane_rq *rq = timeline_request_find(tl, event);

	if (!rq && kind != LANE_RQ_WAIT_END && kind != LANE_RQ_OUT) {
		rq = timeline_request_new(tl, event);
		if (rq)
			make_room(tl, rq);
		tl->last_rq = rq;
	}
	if (rq && on_kind[kind])
		on_kind[kind](tl, rq, event);
	else if (!rq && kind == LANE_RQ_OUT)
		on_unmet_out(tl, event);
}

void timeline_request_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;

	/* Preempted or complete: nobody knows. Traces that have such ones say that they have none.
	 */
	if (kind == LANE_RQ_OUT && event->u.i915_request_out.completed == LANE_COMPLETED_UNKNOWN)
		return;
	if (is_of_tasklet(kind) && timeline_tasklet_takes(tl, event))
		return;
	tl->looked_ns = before_here(tl, event);
	on_event(tl, event);
}

/* rq is taken back, by what has been read or is held. */
static bool is_back(struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_eng *eng = timeline_tasklet_of(tl, rq);

	return eng ? timeline_tasklet_is_back(tl, eng, rq) : timeline_request_is_back(rq);
}

/*
 * A virtual engine's request loses its listeners as its context leaves the ports, and is signalled
 * then if it is complete: where no `out` is seen, by what comes straight after a tasklet's events,
 * be they of another engine.
 */
static bool may_be_leaving(const struct lane_timeline *tl, const struct lane_rq *rq,
			   const struct lane_event *event)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && eng->model->is_hooked && rq->pub.host_engine != rq->pub.engine &&
	       event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus &&
	       tl->cpus[event->cpu].events == tl->cpus[event->cpu].tasklet_event;
}

/* The retiring that signals comes straight before: it may have been lost. */
static bool may_be_retiring(const struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns, before_ns = now_ns;

	if (event->cpu >= 0 && (uint32_t)event->cpu < tl->n_cpus)
		before_ns = tl->cpus[event->cpu].before_ns;
	if (before_ns == now_ns) { /* of what is of one time it may be either side of a loss */
		before_ns--;
		now_ns++;
	}
	return tl->n_losses && timeline_loss_between(tl, before_ns, now_ns);
}

/* The signal comes in a thread that waits for rq and has kept its CPU. */
static bool is_by_poller(const struct lane_timeline *tl, const struct lane_rq *rq,
			 const struct lane_event *event)
{
	for (const struct lane_waiter *waiter = rq->waiters; waiter; waiter = waiter->next)
		if (waiter->thr->pub.tid == event->wire.tid && timeline_wait_looks(tl, waiter))
			return true;
	return false;
}

/* Something that has been handed over to rq's engine for the first time is behind rq. */
static bool is_followed(const struct lane_rq *rq)
{
	for (const struct lane_rq *behind = rq->dev_next; rq->order && behind;
	     behind = behind->dev_next)
		if (behind->pub.executes == 1)
			return true;
	return false;
}

/*
 * Where taking back is not recorded: a dequeue that no event shows may have taken rq back, found it
 * complete as it came to hand it over again, and had it signalled. What else it took back it hands
 * over again, and what waits for the engine it hands over: both show. So it was the request of a
 * virtual engine that made the driver look (needs_timeslice(), need_preempt() of
 * gt/intel_execlists_submission.c, 6.1): one that waits, or that another engine has been given
 * since this one's last dequeue (first_virtual_engine()).
 */
static bool may_be_passed(struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	const struct lane_virtuals *virtuals;

	if (!eng || !eng->model->has_sets || timeline_engine_sees_unsubmit(tl) ||
	    !timeline_engine_is_shared(tl, eng) || is_followed(rq))
		return false;
	virtuals = timeline_engine_virtuals(tl, &eng->pub);
	return virtuals->open > rq->is_virtual || virtuals->changed_ns >= eng->tasklet.in_ns;
}

/*
 * R2. True when the signal stamps the end: somebody was listening, and neither the retiring nor the
 * listening itself is what signalled it. __dma_fence_enable_signaling() signals a fence that it
 * finds complete from within the call; then the event comes straight after, in the same thread. A
 * waiter first polls, in its own thread, as long as it has its CPU; a request that has been taken
 * back has lost its breadcrumb, and who polls stood still while that thread did the taking back.
 */
static bool is_prompt(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_RETIRE)
		return false;
	if (timeline_listening_signals(tl, rq, event)) {
		timeline_world_not_alive(tl, rq);
		timeline_tasklet_not_alive(tl, rq);
		return false;
	}
	if (may_be_retiring(tl, event) || is_back(tl, rq) ||
	    timeline_tasklet_may_have_passed(tl, rq, event->cpu, event->wire.ts_ns))
		return false;
	/* A dequeue before the listening left it standing: it was complete by then. */
	if (rq->known.hi && rq->listen.ns >= rq->known.hi)
		return false;
	if (is_by_poller(tl, rq, event))
		return true;
	/* Where retiring is not seen it may be what signals. */
	return rq->listen.ns && !may_be_leaving(tl, rq, event) &&
	       !timeline_is_absent(tl, LANE_RQ_RETIRE);
}

/* A prompt signal tells that rq has ended. */
static struct lane_span end_by_signal(struct lane_timeline *tl, const struct lane_rq *rq,
				      uint64_t now_ns)
{
	uint64_t began_ns = timeline_request_began(rq);

	if (!may_be_passed(tl, rq))
		return timeline_span_exact(now_ns);
	if (now_ns > LANE_DEQUEUE_NS)
		began_ns = timeline_not_before(now_ns - LANE_DEQUEUE_NS, began_ns);
	return (struct lane_span){ began_ns < now_ns ? began_ns : now_ns, now_ns };
}

static void on_signaled(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_cpu *retiring = retires_on(tl, rq);
	uint64_t now_ns = event->wire.ts_ns;

	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		return;
	rq->pub.seen |= LANE_SEEN_SIGNAL;
	rq->pub.signal_ns = now_ns;
	if (!ctx->signalled || (int32_t)(rq->pub.seqno - ctx->signalled_seqno) > 0)
		ctx->signalled_seqno = rq->pub.seqno;
	ctx->signalled = true;
	timeline_listening_signaled(tl, rq, event);
	timeline_wait_signalled(tl, rq, now_ns);
	if (retiring) {
		retiring->retiring = NULL;
		retired(tl, rq);
		return;
	}
	if (!rq->ended && is_prompt(tl, rq, event))
		timeline_chain_end_told(tl, rq, end_by_signal(tl, rq, now_ns), event->cpu);
	else
		ended_by(tl, rq, now_ns, event->cpu);
	if ((rq->pub.seen & LANE_SEEN_RETIRE) ||
	    tl->info.presence[LANE_RQ_RETIRE] == LANE_PRESENCE_ABSENT)
		over(tl, rq);
}

/* A request of before the recording is signalled: what is before it in its context is over, too. */
static void on_unseen_signaled(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_ctx *ctx = lane_table_get(&tl->by_fence, event->u.fence.context, 0);
	struct lane_rq *before, *next;

	for (before = ctx ? ctx->live : NULL;
	     before && (int32_t)(before->pub.seqno - (uint32_t)event->u.fence.seqno) < 0;
	     before = next) {
		next = before->next;
		ended_by(tl, before, event->wire.ts_ns, event->cpu);
	}
}

/* Somebody asks to be told of rq's end. */
static void on_enable_signal(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_event *event)
{
	/* What has been taken back is not looked at. */
	if (!is_back(tl, rq) && !timeline_tasklet_holds_alive(tl, rq, event))
		timeline_world_seems_alive(tl, rq, event->wire.ts_ns);
	timeline_listening_begins(tl, rq, event,
				  rq->is_on_device || timeline_tasklet_of(tl, rq) ||
					  (rq->pub.seen & LANE_SEEN_EXECUTE) ||
					  timeline_is_absent(tl, LANE_RQ_EXECUTE) ||
					  timeline_loss_hides(tl, rq));
}

void timeline_fence_event(struct lane_timeline *tl, const struct lane_event *event)
{
	bool is_signal = event->wire.kind == LANE_FENCE_SIGNALED;
	struct lane_rq *rq;

	if (!is_signal && event->wire.kind != LANE_FENCE_ENABLE_SIGNAL)
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

/* What follows from all that came of rq, or from its stages: not where some of that is missing. */
static void hold_back(const struct lane_timeline *tl, struct lane_rq *rq)
{
	const uint8_t doubts = LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE | LANE_DOUBT_END;
	struct lane_request *pub = &rq->pub;

	/* A longer wait may have begun before the recording did, or in a loss, or not be over. */
	pub->wake_known =
		(pub->seen & LANE_SEEN_SIGNAL) && !rq->wait_cut && !timeline_loss_hides(tl, rq);
	if ((pub->doubt & doubts) || !(pub->seen & LANE_SEEN_EXECUTE) ||
	    pub->state != LANE_RQ_STATE_ENDED || pub->end.hi == LANE_NEVER)
		pub->behind = NULL;
}

/* rq leaves all that knows it. */
static void leave(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->is_on_device && !tl->is_finishing)
		eng->model->settle(tl, eng, rq);
	timeline_tasklet_forget(tl, rq);
	if (retires_on(tl, rq))
		retires_on(tl, rq)->retiring = NULL;
	timeline_request_not_virtual(tl, rq);
	timeline_waiting_over(rq);
	if (!rq->ended && rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1,
				       tl->now_ns);
	if (rq->is_on_device && eng) {
		/* The trace is over: what runs, runs on. */
		if (eng->running == rq)
			eng->running = NULL;
		timeline_request_unlink(rq);
	}
	if (rq->left.from && rq->left.from->victim == rq)
		rq->left.from->victim = NULL;
}

/* What is not known of rq, now that nothing more is to come of it. */
static uint8_t last_doubts(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	bool device = rq->doubt.is_device_unsure;

	if (rq->doubt.epoch && eng)
		device |= eng->proof.proven_epoch < rq->doubt.epoch ||
			  rq->pub.start.lo < eng->proof.hidden_ns;
	/* Something unseen may have the engine yet, or it has run before, unseen. */
	if (!rq->ended)
		device |= rq->pub.start.hi == LANE_NEVER ||
			  (!rq->now.has_begun && timeline_request_may_be_over(rq));
	return (device ? LANE_DOUBT_DEVICE : 0) | (rq->ended ? 0 : LANE_DOUBT_END);
}

void timeline_request_done(struct lane_timeline *tl, struct lane_rq *rq)
{
	leave(tl, rq);
	rq->pub.doubt |= last_doubts(rq);
	hold_back(tl, rq);
	if (tl->hooks.request)
		tl->hooks.request(tl->hooks.arg, &rq->pub);
	timeline_command_request(tl, &rq->pub);
	timeline_request_free(tl, rq);
}

static void run_is_over(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!eng->running && eng->model->has_tasklet)
		timeline_chain_update(tl, eng);
	if (eng->model->has_sets) {
		timeline_ports_unpause(eng);
		timeline_waiting_run_over(eng);
	}
}

const struct lane_tasklet_reader lane_rq_reader = {
	.event = on_event,
	.end = timeline_chain_end,
	.alive = timeline_world_seems_alive,
	.retired = retired,
	.dequeued = timeline_engine_dequeued,
	.over = run_is_over,
	.release = release,
};
