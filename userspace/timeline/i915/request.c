// SPDX-License-Identifier: MIT
// A request from its own events.
#include "timeline/i915/request.h"
#include "timeline/i915/boundary.h"
#include "timeline/i915/chain.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/handover.h"
#include "timeline/sched/idle.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/i915/order.h"
#include "timeline/i915/port_back.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/semaphore.h"
#include "timeline/i915/tasklet.h"
#include "timeline/fault.h"
#include "timeline/tell.h"
#include "timeline/sched/thread.h"
#include "timeline/i915/world.h"

/* The most requests of a context that are kept where no event ever shows an end or a retire. */
#define MAX_NEVER_RETIRING 256

/* The time, ns, of the CPU's event before this one; 0: there is none, or the CPU has no number. */
static uint64_t before_here(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	return cpu ? cpu->before_ns : 0;
}

/* rq is for the engine. A virtual one shares the engines of its class from the first event on that
 * names it: the events that follow may be missing. */
static void meant_for(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng)
{
	if (!eng || !timeline_engine_is_virtual(&eng->pub) || rq->pub.host_engine ||
	    timeline_request_has_ended(rq))
		return;
	rq->pub.host_engine = &eng->pub;
	tl->shared |= 1ull << timeline_class_of(&eng->pub);
}

static void on_queue(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_QUEUE)
		return;
	meant_for(tl, rq, timeline_engine_of(tl, event));
	rq->pub.seen |= LANE_SEEN_QUEUE;
	rq->pub.queue_ns = event->wire.ts_ns;
	rq->pub.by.queue = tl->now.event;
	timeline_thread_submits(tl, rq, event);
	timeline_semaphore_built(tl, rq, event->wire.tid);
	((struct lane_ctx *)rq->pub.context)->pub.is_user = true;
}

void timeline_request_ended_by(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound by,
			       int32_t cpu)
{
	struct lane_bounds end;

	if (timeline_request_has_ended(rq))
		return;
	end = timeline_bounds(timeline_request_not_over_before(rq), by);
	if (end.lo > end.hi) /* it ended before it was told to have left its engine */
		timeline_bounds_set_lo(&end, timeline_bound_sooner(rq->alive, by));
	timeline_chain_end_told(tl, rq, &end, cpu);
}

static bool request_is_recorded(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->info.presence[kind] == LANE_PRESENCE_RECORDED;
}

/* Returns how many open requests of a context are kept. ended: the oldest of them has been seen to
 * end. What shows an end may be yet to come, as where a recording begins with many requests. */
static uint32_t most_open(const struct lane_timeline *tl, bool ended)
{
	const uint64_t *seen = tl->figures.by_kind;

	if (seen[LANE_RQ_RETIRE] || (!ended && (seen[LANE_FENCE_SIGNALED] || seen[LANE_RQ_OUT])))
		return LANE_MAX_UNRETIRED;
	if (!ended && tl->figures.open_requests <= LANE_MAX_UNRETIRED &&
	    (request_is_recorded(tl, LANE_RQ_RETIRE) ||
	     request_is_recorded(tl, LANE_FENCE_SIGNALED) || request_is_recorded(tl, LANE_RQ_OUT)))
		return LANE_MAX_UNRETIRED;
	return MAX_NEVER_RETIRING;
}

/* If its context has too many requests, the oldest are told and freed; newest itself stays. */
static void request_make_room(struct lane_timeline *tl, const struct lane_rq *newest)
{
	struct lane_ctx *ctx = (struct lane_ctx *)newest->pub.context;
	struct lane_rq *rq;

	while (ctx->open > most_open(tl, true) && ctx->first != newest) {
		timeline_tasklets_settle(tl, tl->now.ns);
		rq = ctx->first;
		/* R6. A context runs in order: what is before a complete request is complete. */
		if (!timeline_request_has_ended(rq) && ctx->signalled &&
		    (int32_t)(rq->pub.seqno - ctx->signalled_seqno) <= 0)
			timeline_request_ended_by(tl, rq, timeline_bound_bare(tl->now.ns), -1);
		if (!timeline_request_has_ended(rq)) {
			if (ctx->open <= most_open(tl, false))
				return;
			/* It is complete by now, as its ring holds no more; no event tells since
			 * when, nor who has the engine. */
			rq->pub.doubt |= LANE_DOUBT_DEVICE | LANE_DOUBT_END;
			rq->doubt.is_hidden = true;
			if (rq->is_on_device &&
			    ((struct lane_eng *)rq->pub.engine)->model->has_tasklet)
				timeline_finish_detach(tl, (struct lane_eng *)rq->pub.engine, rq);
			timeline_request_ended_by(tl, rq, timeline_bound_bare(tl->now.ns), -1);
		}
		ctx->has_forgotten = true;
		ctx->forgot_seqno = rq->pub.seqno;
		timeline_request_done(tl, rq);
	}
}

/* A context's requests are built and added one after the other (i915_request_create()): since the
 * one before rq was added, or since the recording began, rq's queue event is lost or was none. */
static void see_builder(struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	ctx->pub.is_kernel |=
		!ctx->pub.is_user && !timeline_loss_between(tl, ctx->added_ns, rq->pub.add_ns);
	ctx->added_ns = rq->pub.add_ns;
}

static void on_add(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng;
	struct lane_thr *thr;

	if (rq->pub.seen & LANE_SEEN_ADD)
		return;
	rq->pub.seen |= LANE_SEEN_ADD;
	rq->pub.add_ns = event->wire.ts_ns;
	rq->pub.by.add = tl->now.event;
	see_builder(tl, rq);
	thr = timeline_thread_submits(tl, rq, event);
	timeline_semaphore_built(tl, rq, event->wire.tid);
	eng = timeline_engine_of(tl, event);
	meant_for(tl, rq, eng);
	if (!rq->pub.engine && eng)
		rq->pub.engine = &eng->pub;
	if (thr && tl->idle_mask)
		timeline_idle_note(tl, rq, thr, event->wire.ts_ns);
	if (rq->pub.state == LANE_RQ_STATE_NEW)
		timeline_request_state(tl, rq, LANE_RQ_STATE_DEPENDENCY, event->wire.ts_ns);
}

/* Notes the request whose signal the submit came straight out of. Where only some processes are
 * recorded, the signal of another's may lie between. */
static void submitted_after(struct lane_timeline *tl, struct lane_rq *rq,
			    const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);
	const struct lane_rq *of;
	struct lane_ctx *ctx;

	if (!cpu || !cpu->signal_ctx || tl->info.follows_some)
		return;
	ctx = timeline_context_by_fence(tl, cpu->signal_ctx);
	if (!ctx || (&ctx->pub == rq->pub.context && cpu->signal_seqno == rq->pub.seqno))
		return;
	rq->pub.after = &ctx->pub;
	rq->pub.after_seqno = cpu->signal_seqno;
	of = lane_table_get(&tl->requests, ctx->pub.id, cpu->signal_seqno);
	rq->pub.after_client = of ? of->pub.client : NULL;
}

static void on_submit(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng;

	if (rq->pub.seen & LANE_SEEN_SUBMIT)
		return;
	eng = timeline_engine_of(tl, event);
	if (!eng)
		return;
	rq->pub.seen |= LANE_SEEN_SUBMIT;
	rq->pub.submit_ns = event->wire.ts_ns;
	rq->pub.by.submit = tl->now.event;
	submitted_after(tl, rq, event);
	timeline_semaphore_submitted(rq);
	if (rq->pub.state > LANE_RQ_STATE_DEPENDENCY)
		return;
	rq->pub.engine = &eng->pub;
	meant_for(tl, rq, eng);
	rq->pub.host_engine = &eng->pub;
	timeline_request_state(tl, rq, LANE_RQ_STATE_HOST, event->wire.ts_ns);
	timeline_queue_enter(tl, rq, event->wire.ts_ns);
}

/* An earlier `execute` than the one at now_ns may have been lost. */
static bool execute_may_be_late(const struct lane_timeline *tl, const struct lane_rq *rq,
				uint64_t now_ns)
{
	uint64_t since_ns = rq->pub.seen & LANE_SEEN_SUBMIT ? rq->pub.submit_ns
			    : rq->pub.seen & LANE_SEEN_ADD  ? rq->pub.add_ns
							    : rq->pub.queue_ns;

	if (!(rq->pub.seen & (LANE_SEEN_SUBMIT | LANE_SEEN_ADD | LANE_SEEN_QUEUE)))
		return true;
	return timeline_loss_between(tl, since_ns, now_ns) > timeline_engine_sees_unsubmit(tl);
}

/* The hardware may have rq as the driver executes it: it has been handed over before. is_late: an
 * earlier `execute` may have been lost. */
static bool may_be_again(const struct lane_eng *eng, const struct lane_rq *rq, bool is_late)
{
	return is_late || (rq->pub.executes > 1 && (!eng || rq->pub.engine == &eng->pub));
}

/*
 * R10. The driver looks whether rq is complete, and then takes rq back or hands it over, by the
 * event at at_ns (__unwind_incomplete_requests(), __i915_request_submit() of 6.1). may_run: the
 * hardware may have rq meanwhile, so rq may be complete by that event. The CPU's event before it
 * came before the look. Returns the earliest time of the look.
 */
static struct lane_bound request_look(const struct lane_timeline *tl, uint64_t at_ns, bool may_run)
{
	uint64_t ns = at_ns > LANE_LOOK_NS ? at_ns - LANE_LOOK_NS : 0;

	if (!may_run)
		return timeline_r10_looked(at_ns, tl->now.event);
	ns = timeline_not_before(tl->now.looked_ns < at_ns ? tl->now.looked_ns : at_ns, ns);
	return timeline_r10_looked(ns, tl->now.event);
}

static void on_execute(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_engine_of(tl, event);
	bool is_first = !(rq->pub.seen & LANE_SEEN_EXECUTE);
	bool is_late = is_first && (rq->is_on_device || rq->handed.back == LANE_BACK_SEEN ||
				    (!(eng && eng->model->is_handed_over_once) &&
				     execute_may_be_late(tl, rq, event->wire.ts_ns)));

	rq->pub.executes++;
	if (eng && eng->model->has_tasklet)
		timeline_chain_pass_over(tl, eng, rq);
	rq->handed.back = LANE_BACK_NOT;
	rq->handed.execute_ns = event->wire.ts_ns;
	timeline_world_alive(rq,
			     request_look(tl, event->wire.ts_ns, may_be_again(eng, rq, is_late)));
	if (!eng || timeline_request_has_ended(rq))
		return;
	if (is_first) {
		if (is_late)
			rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
		rq->pub.seen |= LANE_SEEN_EXECUTE;
		rq->pub.execute_ns = event->wire.ts_ns;
		rq->pub.by.execute = tl->now.event;
		rq->pub.first_engine = &eng->pub;
	}
	timeline_engine_execute(tl, eng, rq, event);
}

/* Its end is known, but not concluded yet: it is released after that. */
static bool is_being_concluded(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return !timeline_request_has_ended(rq) && rq->is_on_device && !eng->model->has_tasklet &&
	       timeline_boundary_is_known(rq);
}

/* The driver has it on a port still: its `in` and `out` may come. */
static bool awaits_out(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && eng->model->has_ports && timeline_ports_await_out(eng, rq);
}

/* Nothing more can come of rq: tells it and frees it, or lets that wait for what is held about
 * it. */
static void request_release(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (is_being_concluded(rq) || awaits_out(rq))
		return;
	if (tl->readings) /* somebody may be at work on rq */
		timeline_tasklet_release_later(tl, rq);
	else if (!timeline_tasklet_names(tl, rq))
		timeline_request_done(tl, rq);
}

void timeline_request_over(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->release.is_due = true;
	if (!rq->waiters)
		request_release(tl, rq);
}

/* R5. Concludes what follows from rq's retire. */
static void retired(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before, *next;
	struct lane_bound by = timeline_r05_retired(rq);

	timeline_request_ended_by(tl, rq, by, -1);
	/* A context's requests retire in order: those before rq are gone, whatever was not seen of
	 * them. */
	for (before = ctx->first; before && before != rq; before = next) {
		next = before->next;
		timeline_request_ended_by(tl, before, timeline_r06_later(by), -1);
		timeline_request_over(tl, before);
	}
	if ((rq->pub.seen & LANE_SEEN_SIGNAL) || !timeline_sees(tl, LANE_FENCE_SIGNALED))
		timeline_request_over(tl, rq);
}

/* R26. Numbers that the driver counts anew are no request's that came before. */
static void note_interrupts(struct lane_rq *rq, const struct lane_raw *raw)
{
	uint64_t since_ns = rq->pub.seen & LANE_SEEN_ADD ? rq->pub.add_ns : rq->pub.queue_ns;

	if (raw->reached_ns && raw->reached_ns < since_ns)
		return;
	if (raw->reached_ns && !rq->is_on_device)
		timeline_bounds_set_hi(&rq->known, timeline_r26_notified(raw->reached_ns, rq));
	if (raw->unreached_ns > since_ns)
		timeline_world_alive(rq, timeline_r26_notified(raw->unreached_ns, rq));
}

static void on_retire(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_RETIRE)
		return;
	rq->pub.seen |= LANE_SEEN_RETIRE;
	rq->pub.retire_ns = event->wire.ts_ns;
	rq->pub.by.retire = tl->now.event;
	note_interrupts(rq, &event->raw);
	if (timeline_tasklet_try_hold_retire(tl, rq, event))
		return;
	retired(tl, rq);
}

static void on_unsubmit(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_eng *eng = timeline_engine_of(tl, event);
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	if (!(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
	rq->handed.back = LANE_BACK_SEEN;
	if (!ctx->back || timeline_seqno_upto(rq->pub.seqno, ctx->back->pub.seqno))
		ctx->back = rq;
	timeline_world_alive(rq, request_look(tl, event->wire.ts_ns, true));
	if (eng && !timeline_request_has_ended(rq))
		timeline_engine_unsubmit(tl, eng, rq, event);
}

static void on_port(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_engine_of(tl, event);

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
	rq->pub.prio = event->u.i915_request_in.prio;
	timeline_engine_in(tl, eng, rq, event); /* may begin a dequeue, with a number of its own */
	rq->handed.prio_no = eng->dequeue.no;
}

static void on_wait_begin(struct lane_timeline *tl, struct lane_rq *rq,
			  const struct lane_event *event)
{
	struct lane_rq *before = timeline_wait_missed(tl, event->wire.tid);

	if (before && !before->job && before->release.is_due && before != rq && !before->waiters)
		request_release(tl, before);
	timeline_wait_begin(tl, rq, event);
}

static void on_wait_end(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_event *event)
{
	if (timeline_wait_end(tl, rq, event) && rq->release.is_due)
		request_release(tl, rq);
}

void timeline_request_wait(struct lane_timeline *tl, struct lane_rq *rq,
			   const struct lane_event *event)
{
	if (event->wire.kind == LANE_SYNCOBJ_WAITED)
		on_wait_end(tl, rq, event);
	else
		on_wait_begin(tl, rq, event);
}

/* What an event of each kind does to its request. A wait's end and a retire may free the
 * request. */
static void (*const on_kind[LANE_KIND_COUNT])(struct lane_timeline *tl, struct lane_rq *rq,
					      const struct lane_event *event) = {
	[LANE_RQ_QUEUE] = on_queue,	  [LANE_RQ_ADD] = on_add,
	[LANE_RQ_SUBMIT] = on_submit,	  [LANE_RQ_EXECUTE] = on_execute,
	[LANE_RQ_UNSUBMIT] = on_unsubmit, [LANE_RQ_IN] = on_port,
	[LANE_RQ_OUT] = on_port,	  [LANE_RQ_WAIT_BEGIN] = on_wait_begin,
	[LANE_RQ_WAIT_END] = on_wait_end, [LANE_RQ_RETIRE] = on_retire,
};

/* The submission tasklet fires events of this kind. */
static bool is_of_tasklet(uint32_t kind)
{
	return kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT || kind == LANE_RQ_IN ||
	       kind == LANE_RQ_OUT;
}

/* An `out` of a request that is not known: it is from before the recording, or was freed. */
static void on_unmet_out(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_engine_of(tl, event);

	if (eng)
		timeline_engine_out(tl, eng, NULL, event);
}

/* Reads an event whose request is not known. Not inlined: most are known. */
static __attribute__((noinline)) void request_meet(struct lane_timeline *tl,
						   const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	struct lane_rq *rq;

	if (kind == LANE_RQ_OUT)
		on_unmet_out(tl, event);
	if (kind == LANE_RQ_WAIT_END || kind == LANE_RQ_OUT)
		return;
	rq = timeline_request_new(tl, event);
	if (!rq)
		return;
	request_make_room(tl, rq);
	tl->last_rq = rq;
	if (on_kind[kind])
		on_kind[kind](tl, rq, event);
}

/* Reads an event that is not held, or is not held any more. */
static void on_event(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = timeline_request_find(tl, event);

	if (!rq) {
		request_meet(tl, event);
		return;
	}
	tl->last_rq = rq;
	if (on_kind[event->wire.kind])
		on_kind[event->wire.kind](tl, rq, event);
}

void timeline_request_event(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;

	/* It does not say whether the request was complete. A trace with such `out`s says that it
	 * has none. */
	if (kind == LANE_RQ_OUT && event->u.i915_request_out.completed == LANE_COMPLETED_UNKNOWN)
		return;
	if (is_of_tasklet(kind) && timeline_tasklet_try_hold(tl, event))
		return;
	tl->now.looked_ns = before_here(tl, event);
	on_event(tl, event);
}

/* Takes rq out of everything that refers to it. */
static void request_leave(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->is_on_device && !tl->is_finishing)
		timeline_engine_settle(tl, eng, rq);
	timeline_tasklet_forget(tl, rq);
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_leave(tl, rq, tl->now.ns);
	if (rq->is_on_device && eng) {
		/* The trace is over: rq runs on. */
		if (eng->running == rq)
			eng->running = NULL;
		timeline_request_unlink(rq);
	}
}

/* The doubts (enum lane_request_doubt) about rq that remain as nothing more can come of it. */
static uint8_t last_doubts(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	bool device = rq->doubt.epoch && eng &&
		      (eng->proof.proven_epoch < rq->doubt.epoch ||
		       rq->pub.start.lo < eng->proof.hidden_ns);

	/* An unseen request may have the engine yet, or rq has run before, unseen. */
	if (!timeline_request_has_ended(rq))
		device |= rq->pub.start.hi == LANE_NEVER || (!timeline_world_has_run(&rq->now) &&
							     timeline_request_may_be_complete(rq));
	return (device ? LANE_DOUBT_DEVICE : 0) |
	       (timeline_request_has_ended(rq) ? 0 : LANE_DOUBT_END);
}

/* R4, R5. Its end was concluded before it was signalled or retired, and the bounds allowed for a
 * later end. */
static void ended_by_then(struct lane_rq *rq)
{
	struct lane_request *pub = &rq->pub;
	struct lane_bound by = timeline_request_over_by(rq);

	if (by.ns < pub->end.hi && pub->end.lo <= by.ns) {
		pub->end.hi = by.ns;
		pub->end_why.hi = by.why;
	}
	if (pub->start.lo <= pub->end.hi && pub->start.hi > pub->end.hi)
		timeline_request_start_by(rq, (struct lane_bound){ pub->end.hi, pub->end_why.hi });
}

void timeline_request_done(struct lane_timeline *tl, struct lane_rq *rq)
{
	bool is_wait_cut = timeline_wait_cut(tl, rq);

	timeline_request_settle_client(tl, rq);
	request_leave(tl, rq);
	if (timeline_request_has_ended(rq))
		ended_by_then(rq);
	rq->pub.doubt |= last_doubts(rq);
	if (rq->pub.fault || tl->n_errors)
		timeline_fault_settle(tl, rq);
	timeline_request_tell(tl, rq, is_wait_cut);
}

static void run_is_over(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!eng->running && eng->model->has_tasklet)
		timeline_chain_update(tl, eng);
	if (eng->model->has_sets)
		timeline_pause_over(eng);
}

static void on_reset(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_event *event)
{
	struct lane_rq *rq =
		event->wire.kind == LANE_RQ_OUT ? timeline_request_find(tl, event) : NULL;

	if (rq && !event->u.i915_request_out.completed && !timeline_request_has_ended(rq))
		timeline_world_alive(rq, timeline_r12_left(tl));
	timeline_chain_reset(tl, eng, event->wire.ts_ns);
}

const struct lane_tasklet_reader lane_rq_reader = {
	.event = on_event,
	.end = timeline_chain_end,
	.retired = retired,
	.dequeued = timeline_engine_dequeued,
	.reset = on_reset,
	.over = run_is_over,
	.release = request_release,
};
