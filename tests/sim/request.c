// SPDX-License-Identifier: MIT
// The life of a request in the driver, whatever takes it to the hardware: i915_request.c,
// dma-fence.c.
#include <string.h>

#include "internal.h"

struct rq *rq_create(struct world *w, struct context *ctx, uint64_t run_ns, const struct thread *by)
{
	struct rq *rq = world_alloc(w, sizeof(*rq));
	struct sim_request *t = &vec_push(w, w->requests);

	memset(t, 0, sizeof(*t));
	rq->index = w->requests.n - 1;
	rq->ctx = ctx;
	rq->engine = ctx->engine;
	/* User timelines have an initial breadcrumb: they count in twos. */
	rq->seqno = ctx->seqno += ctx->kernel ? 1 : 2;
	rq->tail = rq->seqno * 64 % 16384;
	rq->prio = ctx->prio;
	rq->left_ns = run_ns;
	rq->holds = 1; /* until it is committed */
	t->ctx = ctx->id;
	t->dev = ctx->engine->id.dev;
	t->seqno = rq->seqno;
	t->tid = by ? by->tid : 0;
	t->pid = by ? by->pid : 0;
	t->prio = ctx->prio;
	t->engine = ctx->engine->index;
	t->ran_on = t->executed_on = SIM_NO;
	t->queue = t->add = t->submit = t->execute = t->start = t->end = SIM_NONE;
	t->enable_signal = t->signaled = t->retire = t->hw_start = t->hw_end = t->skipped =
		SIM_NONE;
	vec_push(w, w->rqs) = rq;
	return rq;
}

static void await_fence(struct world *w, struct rq *rq, struct rq *on, int cpu)
{
	if (on->signaled)
		return;
	rq->holds++;
	vec_push(w, on->cbs) = (struct cb){ CB_SUBMIT, NULL, rq };
	rq_enable_signal(w, on, cpu);
}

/*
 * rq comes after `on`. On one engine the order of submission is enough, if priorities do not change
 * it; else rq waits for the completion. Complete requests are not listened to.
 */
void rq_depend(struct world *w, struct rq *rq, struct rq *on, int cpu)
{
	bool guc = w->sc->submission == LANE_SUBMISSION_GUC;

	if (on->complete)
		return;
	if (on->ctx->engine != rq->ctx->engine || on->prio != rq->prio ||
	    on->ctx->engine->n_siblings || guc) {
		await_fence(w, rq, on, cpu);
		return;
	}
	vec_push(w, on->waiters) = rq;
	if (!on->submitted) {
		rq->holds++;
		vec_push(w, on->submit_waiters) = rq;
	}
}

static void release(struct world *w, struct rq *rq, int cpu)
{
	if (!--rq->holds)
		rq_submit(w, rq, cpu);
}

/* i915_request_add() after its event: the timeline's order, then the first chance to be submitted.
 */
void rq_add(struct world *w, struct rq *rq, int cpu)
{
	struct context *ctx = rq->ctx;
	struct rq *prev = ctx->ring.n ? ctx->ring.v[ctx->ring.n - 1] : NULL;

	if (prev && !prev->complete) {
		if (ctx->engine->n_siblings) {
			await_fence(w, rq, prev, cpu);
		} else {
			vec_push(w, prev->waiters) = rq;
			if (!prev->submitted) {
				rq->holds++;
				vec_push(w, prev->submit_waiters) = rq;
			}
		}
	}
	vec_push(w, ctx->ring) = rq;
	release(w, rq, cpu);
}

/* submit_notify(), then whoever's submit follows this one. */
void rq_submit(struct world *w, struct rq *rq, int cpu)
{
	world_emit_rq(w, LANE_RQ_SUBMIT, rq, cpu);
	rq_truth(w, rq)->submit = w->now;
	rq->submitted = true;
	if (w->sc->submission == LANE_SUBMISSION_GUC)
		guc_submit(w, rq, cpu);
	else if (rq->engine->n_siblings)
		virtual_submit(w, rq, cpu);
	else
		queue_submit(w, rq, cpu);
	for (uint32_t i = 0; i < rq->submit_waiters.n; i++)
		release(w, rq->submit_waiters.v[i], cpu);
}

/* __i915_request_submit(): false if it was complete, then there is no event. */
bool rq_execute(struct world *w, struct rq *rq, int cpu)
{
	bool fresh = !rq->complete;
	struct sim_request *t;

	rq->queued = false;
	if (fresh) {
		world_emit_rq(w, LANE_RQ_EXECUTE, rq, cpu);
		seen_changed_over(w, rq->engine);
		t = rq_truth(w, rq);
		if (t->execute == SIM_NONE) {
			t->execute = w->now;
			rq->first_engine = rq->engine->index;
			t->executed_on = rq->engine->index;
		}
		if (t->executes++)
			rq->again_ns = w->now;
		t->ran_on = rq->engine->index;
		if (rq->ctx->engine->n_siblings && rq->ctx->last_ran_on != SIM_NO &&
		    rq->ctx->last_ran_on != rq->engine->index)
			w->truth->seen.virtual_moves++;
		rq->ctx->last_ran_on = rq->engine->index;
		if (rq->bare_execute)
			w->truth->seen.repeated_executes++;
		rq->bare_execute = true;
		rq->taken_back = false;
		rq->handed = rq->engine->dequeued = w->section;
		vec_push(w, rq->engine->requests) = rq;
	} else if (rq->taken_back) {
		w->truth->seen.ended_taken_back++;
	}
	rq->active = true;
	if (rq->enabled)
		breadcrumb_enable(w, rq, cpu);
	return fresh;
}

void rq_unsubmit(struct world *w, struct rq *rq, int cpu)
{
	world_emit_rq(w, LANE_RQ_UNSUBMIT, rq, cpu);
	seen_changed_over(w, rq->engine);
	rq_truth(w, rq)->unsubmits++;
	rq->active = false;
	rq->taken_back = true;
	rq->engine->dequeued = w->section;
	if (rq->enabled)
		breadcrumb_cancel(w, rq);
}

/* dma_fence_enable_sw_signaling(): the event is fired once. A complete request is signalled at
 * once. */
void rq_enable_signal(struct world *w, struct rq *rq, int cpu)
{
	struct lane_event *event;

	if (rq->signaled || rq->enabled)
		return;
	rq->enabled = true;
	event = world_emit(w, LANE_FENCE_ENABLE_SIGNAL, cpu);
	event->u.fence.context = rq->ctx->id;
	event->u.fence.seqno = rq->seqno;
	rq_truth(w, rq)->enable_signal = w->now;
	rq->enabled_active = rq->active;
	rq->enable_cpu = cpu;
	rq->enable_no = w->cpus[cpu].events;
	rq->enable_ns = w->now;
	if (!rq->active)
		return;
	breadcrumb_enable(w, rq, cpu);
	if (rq->complete)
		breadcrumb_work(w, rq->engine, cpu);
}

/* An interrupt that a CPU sends itself comes within this time. */
#define SELF_INTERRUPT_NS 2000

/* To an observer it may be the listening itself that signals: nothing else came between, on that
 * CPU. */
static bool looks_late(const struct world *w, const struct rq *rq, int cpu)
{
	return rq->enabled && rq->enabled_active && rq->enable_cpu == cpu &&
	       rq->enable_no == w->cpus[cpu].events;
}

/* Or the breadcrumb work is at it elsewhere, since the listening or before. */
static bool may_be_late(const struct world *w, const struct rq *rq, int cpu)
{
	return rq->enabled && rq->enabled_active &&
	       w->cpus[cpu].work_ns <= rq->enable_ns + SELF_INTERRUPT_NS;
}

/* From an `execute` to the putting back of the request's listeners. */
#define LOOK_NS 1000

/* It may have been complete before its listeners were put back, to whoever sees the events. */
static bool is_just_back(const struct world *w, const struct rq *rq)
{
	return rq->again_ns && w->now <= rq->again_ns + LOOK_NS;
}

/* The fence is signalled: its event, then its call-backs. */
void rq_signal(struct world *w, struct rq *rq, enum sim_signal by, int cpu)
{
	struct lane_event *event = world_emit(w, LANE_FENCE_SIGNALED, cpu);

	event->u.fence.context = rq->ctx->id;
	event->u.fence.seqno = rq->seqno;
	rq->signaled = true;
	rq_truth(w, rq)->signaled = w->now;
	rq_truth(w, rq)->signal_by = by;
	rq_truth(w, rq)->late_listener = may_be_late(w, rq, cpu);
	rq->signal_no = ++w->signals;
	rq->stamped = (by == SIM_SIGNAL_INTERRUPT || by == SIM_SIGNAL_POLL) && !rq->taken_back &&
		      !looks_late(w, rq, cpu) && !is_just_back(w, rq);
	if (!w->sc->no_signals)
		seen_complete(w, rq, rq->stamped);
	rq->due = false;
	for (uint32_t i = 0; i < rq->cbs.n; i++) {
		struct cb *cb = &rq->cbs.v[i];

		if (cb->kind == CB_WAKE)
			cpu_wake(w, cb->thread, cpu);
		else if (cb->kind == CB_SUBMIT)
			release(w, cb->rq, cpu);
	}
	rq->cbs.n = 0;
	if (rq->ctx->ring.v[rq->ctx->ring.n - 1] == rq && by == SIM_SIGNAL_INTERRUPT)
		rq_wants_retire(w, rq->ctx, cpu);
}

/* Somebody else signals it before the breadcrumb does. */
static void unlisten(struct world *w, struct rq *rq)
{
	if (!rq->listed)
		return;
	breadcrumb_cancel(w, rq);
	vec_drop(rq->engine->irq_signaled, rq);
}

/* dma_fence_is_signaled(): looking signals what is complete. */
bool rq_is_signaled(struct world *w, struct rq *rq, enum sim_signal by, int cpu)
{
	if (rq->signaled)
		return true;
	if (!rq->complete)
		return false;
	/* Who looks before the interrupt does somebody else's listening. */
	if (rq->listed)
		by = SIM_SIGNAL_POLL;
	unlisten(w, rq);
	rq_signal(w, rq, by, cpu);
	return true;
}

static void retire(struct world *w, struct rq *rq, int cpu)
{
	world_emit_rq(w, LANE_RQ_RETIRE, rq, cpu);
	if (!w->sc->no_retires)
		seen_complete(w, rq, false);
	rq_truth(w, rq)->retire = w->now;
	rq->retired = true;
	if (!rq->signaled) {
		unlisten(w, rq);
		w->truth->seen.retire_before_signal++;
		rq_signal(w, rq, SIM_SIGNAL_RETIRE, cpu);
	}
	if (rq->taken_back && rq->queued)
		w->truth->seen.ended_taken_back++;
	queue_retired(w, rq);
}

/* Retires what is complete, in order, up to `end` (not included; NULL: all). */
void rq_retire_context(struct world *w, struct context *ctx, const struct rq *end, int cpu)
{
	while (ctx->first_live < ctx->ring.n) {
		struct rq *rq = ctx->ring.v[ctx->first_live];

		if (rq == end || !rq->complete)
			return;
		ctx->first_live++;
		retire(w, rq, cpu);
	}
}

/* intel_engine_add_retire(): the worker will look at this context. */
void rq_wants_retire(struct world *w, struct context *ctx, int cpu)
{
	if (ctx->retire_queued)
		return;
	ctx->retire_queued = true;
	vec_push(w, w->to_retire) = ctx;
	for (uint32_t i = 0; i < w->n_threads; i++) {
		struct thread *t = &w->threads[i];

		if (!t->worker || t->dev != ctx->engine->id.dev)
			continue;
		if (t->state == SIM_BLOCKED)
			cpu_wake(w, t, cpu);
	}
}

/* A heartbeat: neither queue nor add, if the one before it has come through. */
void rq_heartbeat(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct context *ctx = e->kernel_ctx;
	struct rq *last = ctx->ring.n ? ctx->ring.v[ctx->ring.n - 1] : NULL;
	struct range run = { 500, 3000 };

	world_after(w, e->heartbeat_ns, rq_heartbeat, e, gen);
	if (last && !last->complete)
		return;
	rq_retire_context(w, ctx, NULL, w->sc->irq_cpu);
	last = rq_create(w, ctx, world_draw(w, run), NULL);
	last->heartbeat = true;
	rq_add(w, last, w->sc->irq_cpu);
}
