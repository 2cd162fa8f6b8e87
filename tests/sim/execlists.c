// SPDX-License-Identifier: MIT
// Execlists from Linux 5.4 on: gt/intel_execlists_submission.c of 6.1, function by function.
#include <string.h>

#include "internal.h"

#define MAX_POST (2 * SIM_PORTS + 2)

/* process_csb(): what the hardware reports; *n entries that have left it, in post. */
static void process_csb(struct world *w, struct engine *e, struct port *post, uint32_t *n)
{
	const struct rq *prev, *now;

	for (uint32_t i = 0; i < e->hw.csb.n; i++) {
		if (e->hw.csb.v[i] == CSB_COMPLETE) {
			post[(*n)++] = e->inflight[e->active++];
			continue;
		}
		while (e->inflight[e->active].rq)
			post[(*n)++] = e->inflight[e->active++];
		for (uint32_t k = 0; k < *n; k++)
			post[k].replaced = true;
		memcpy(e->inflight, e->pending, sizeof(e->pending));
		e->active = 0;
		e->pending[0].rq = NULL;
		e->taken = seen_now(w, false);
		e->paused = false;
		hw_resume(w, e);
	}
	if (!e->hw.csb.n)
		return;
	e->hw.csb.n = 0;
	prev = *n ? post[0].rq : NULL;
	now = e->inflight[e->active].rq;
	if (prev != now) { /* new_timeslice() */
		e->slice_armed = e->slice_expired = false;
		e->slice_gen++;
	}
}

static bool is_last(const struct engine *e, const struct rq *rq)
{
	return e->requests.n && e->requests.v[e->requests.n - 1] == rq;
}

static int64_t virtual_prio(const struct engine *e)
{
	return e->virtuals.n && e->virtuals.v[0]->request ? e->virtuals.v[0]->request->prio
							  : INT64_MIN;
}

static bool need_preempt(const struct engine *e, const struct rq *rq)
{
	int64_t last = rq->prio > -1 ? rq->prio : -1;
	uint32_t at;

	if (e->hint <= last)
		return false;
	at = vec_find(e->requests, rq);
	if (at != SIM_NO && at + 1 < e->requests.n && e->requests.v[at + 1]->prio > last)
		return true;
	return queue_prio(e) > last || virtual_prio(e) > last;
}

static bool needs_timeslice(const struct world *w, const struct engine *e, const struct rq *rq)
{
	if (!w->sc->timeslice_ns || !rq || rq->complete || e->pending[0].rq)
		return false;
	return !is_last(e, rq) || e->queue.n || e->virtuals.n;
}

static void slice_over(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;

	if (gen != e->slice_gen || !e->slice_armed)
		return;
	e->slice_expired = true;
	tasklet_schedule(w, e, (int)w->sc->irq_cpu);
}

static void start_timeslice(struct world *w, struct engine *e)
{
	if (!needs_timeslice(w, e, e->inflight[e->active].rq)) {
		e->slice_armed = e->slice_expired = false;
		e->slice_gen++;
	} else if (!e->slice_armed) {
		e->slice_armed = true;
		e->slice_gen++;
		world_after(w, w->sc->timeslice_ns, slice_over, e, e->slice_gen);
	} else if (e->slice_expired) {
		world_after(w, 0, slice_over, e, e->slice_gen);
	}
}

/* What is to be moved: a request that is in what is still to do moves to its end, no more. */
static void move_later(struct world *w, rq_vec *list, uint32_t done, struct rq *rq)
{
	for (uint32_t i = done + 1; i < list->n; i++)
		if (list->v[i] == rq) {
			vec_remove_at(*list, i);
			break;
		}
	vec_push(w, *list) = rq;
}

/* defer_request(): to the back of its priority, and behind it what has to run after it. */
static void defer(struct world *w, struct engine *e, struct rq *first)
{
	rq_vec list = { 0 };

	vec_push(w, list) = first;
	for (uint32_t i = 0; i < list.n; i++) {
		struct rq *rq = list.v[i];

		vec_drop(e->queue, rq);
		queue_insert(w, e, rq, false);
		for (uint32_t k = 0; k < rq->waiters.n; k++) {
			struct rq *waiter = rq->waiters.v[k];

			if (waiter->engine == e && waiter->queued && waiter->prio >= rq->prio)
				move_later(w, &list, i, waiter);
		}
	}
}

static bool can_merge(const struct rq *prev, const struct rq *rq)
{
	return rq->complete || prev->ctx == rq->ctx;
}

/* What a dequeue makes: the ports, their number less one, the last request so far. */
struct dequeue {
	struct rq *port[SIM_PORTS];
	uint32_t at;
	struct rq *last;
	bool submit;
	bool full; /* leave without looking any further */
};

static struct engine *first_virtual(struct engine *e)
{
	while (e->virtuals.n) {
		struct engine *ve = e->virtuals.v[0];
		struct engine *inflight = ve->kernel_ctx->inflight;

		if (ve->request && (!inflight || inflight == e))
			return ve;
		vec_remove_at(e->virtuals, 0);
	}
	return NULL;
}

static void prefer_sibling(struct engine *ve, struct engine *e)
{
	for (uint32_t i = 1; i < ve->n_siblings; i++)
		if (ve->siblings[i] == e) {
			ve->siblings[i] = ve->siblings[0];
			ve->siblings[0] = e;
		}
}

/* Virtual engines come first; at most one of their requests is taken, and only for port 0. */
static void take_virtual(struct world *w, struct engine *e, struct dequeue *d, int cpu)
{
	struct engine *ve;
	struct rq *rq;

	while (!d->submit && (ve = first_virtual(e))) {
		rq = ve->request;
		if (rq->prio < queue_prio(e))
			return;
		if (d->last && !can_merge(d->last, rq)) {
			d->full = true;
			return;
		}
		ve->request = NULL;
		ve->hint = INT64_MIN;
		vec_drop(e->virtuals, ve);
		rq->engine = e;
		if (rq_execute(w, rq, cpu)) {
			prefer_sibling(ve, e);
			d->submit = true;
			d->last = rq;
		}
	}
}

static void take_queued(struct world *w, struct engine *e, struct dequeue *d, int cpu)
{
	while (e->queue.n) {
		struct rq *rq = e->queue.v[0];
		bool merge = !d->last || can_merge(d->last, rq);

		if (!merge && (d->at == SIM_PORTS - 1 || d->last->ctx == rq->ctx ||
			       rq->ctx->engine->n_siblings))
			return;
		vec_remove_at(e->queue, 0);
		if (!rq_execute(w, rq, cpu))
			continue;
		if (!merge)
			d->port[d->at++] = d->last;
		else if (d->last)
			w->truth->seen.coalesced++;
		d->submit = true;
		d->last = rq;
	}
}

static void schedule_in(struct world *w, struct engine *e, struct rq *rq, uint32_t port, int cpu)
{
	emit_in(w, rq, port, cpu);
	e->pending[port].in = rq->in;
	rq->ctx->inflight = e;
	rq->ctx->inflight_count++;
}

/* The new set is written to the hardware, unless it is the one that is there already. */
static void submit_ports(struct world *w, struct engine *e, struct dequeue *d, uint32_t active,
			 int cpu)
{
	uint32_t n = d->at + 1, same = 0;

	d->port[d->at] = d->last;
	while (same < n && e->inflight[active + same].rq == d->port[same])
		same++;
	if (d->submit && same < n) {
		e->sets++;
		memset(e->pending, 0, sizeof(e->pending));
		for (uint32_t i = 0; i < n; i++)
			e->pending[i] = (struct port){ .rq = d->port[i], .set = e->sets };
		e->pending[0].again =
			rq_truth(w, d->port[0])->executes > 1 || d->port[0]->handed != w->section;
		for (uint32_t i = n; i--;)
			schedule_in(w, e, d->port[i], i, cpu);
		hw_write_ports(w, e);
	} else {
		e->paused = false;
		hw_resume(w, e);
	}
}

/* execlists_dequeue() */
static void dequeue(struct world *w, struct engine *e, int cpu)
{
	struct dequeue d = { 0 };
	uint32_t active = e->active;

	while (e->inflight[active].rq && e->inflight[active].rq->complete)
		active++;
	d.last = e->inflight[active].rq;
	if (d.last) {
		if (need_preempt(e, d.last)) {
			e->paused = true;
			seen_paused(w, e, queue_unwind(w, e, cpu));
			d.last = NULL;
		} else if (needs_timeslice(w, e, d.last) && e->slice_expired) {
			struct rq *oldest;

			e->slice_armed = e->slice_expired = false;
			e->slice_gen++;
			e->paused = true;
			w->truth->seen.timeslices++;
			oldest = queue_unwind(w, e, cpu);
			seen_paused(w, e, oldest);
			if (oldest)
				defer(w, e, oldest);
			d.last = NULL;
		} else if (e->inflight[active + 1].rq) {
			return;
		}
	}
	take_virtual(w, e, &d, cpu);
	if (d.full)
		return;
	take_queued(w, e, &d, cpu);
	e->hint = queue_prio(e);
	submit_ports(w, e, &d, active, cpu);
	if (e->irq_signaled.n)
		breadcrumb_work(w, e, cpu);
}

/* kick_siblings(): the virtual context has left this engine, another may take what it had. */
static void kick_siblings(struct world *w, struct engine *e, struct rq *rq, int cpu)
{
	struct engine *ve = rq->ctx->engine;

	breadcrumb_forget(w, rq->ctx);
	if (e->irq_signaled.n)
		breadcrumb_work(w, e, cpu);
	if (rq->queued && rq->engine == e) {
		vec_drop(e->queue, rq);
		rq->queued = false;
		rq->engine = ve;
		virtual_submit(w, rq, cpu);
	}
	if (ve->request)
		tasklet_schedule(w, ve, cpu);
}

static void schedule_out(struct world *w, struct engine *e, struct port *port, int cpu)
{
	struct rq *rq = port->rq;
	struct context *ctx = rq->ctx;

	emit_out(w, e, rq, port, cpu);
	if (--ctx->inflight_count)
		return;
	if (ctx->ring.v[ctx->ring.n - 1] == rq && rq->complete)
		rq_wants_retire(w, ctx, cpu);
	if (ctx->engine->n_siblings)
		kick_siblings(w, e, rq, cpu);
	ctx->inflight = NULL;
}

/* What the hardware is known to have, if it has changed since the last time it was recorded. */
static void emit_ports(struct world *w, struct engine *e, int cpu)
{
	struct lane_p_i915_engine_ports now = { .dev = e->id.dev,
						.class = e->id.class,
						.instance = e->id.instance };
	const struct rq *p0 = e->inflight[e->active].rq;
	const struct rq *p1 = p0 ? e->inflight[e->active + 1].rq : NULL;

	now.ctx0 = p0 ? p0->ctx->id : 0;
	now.seqno0 = p0 ? p0->seqno : 0;
	now.ctx1 = p1 ? p1->ctx->id : 0;
	now.seqno1 = p1 ? p1->seqno : 0;
	if (now.ctx0 == e->ports.ctx0 && now.seqno0 == e->ports.seqno0 &&
	    now.ctx1 == e->ports.ctx1 && now.seqno1 == e->ports.seqno1)
		return;
	world_emit(w, LANE_PORTS, cpu)->u.i915_engine_ports = now;
	if (!w->sc->no_ports) {
		seen_changed_over(w, e);
		seen_off_ports(w, e, &now);
	}
	e->ports = now;
}

/* execlists_submission_tasklet() */
void execlists_tasklet(struct world *w, struct engine *e, int cpu)
{
	struct port post[MAX_POST] = { 0 };
	uint32_t n = 0;

	w->section = ++w->sections;
	process_csb(w, e, post, &n);
	if (!e->pending[0].rq) {
		dequeue(w, e, cpu);
		start_timeslice(w, e);
	}
	for (uint32_t i = 0; i < n; i++)
		schedule_out(w, e, &post[i], cpu);
	emit_ports(w, e, cpu);
	w->section = 0;
}

/* virtual_submit_request(): the virtual engine has one request at a time. */
void virtual_submit(struct world *w, struct rq *rq, int cpu)
{
	struct engine *ve = rq->ctx->engine;

	if (rq->complete) {
		rq_execute(w, rq, cpu);
		if (rq->engine->irq_signaled.n)
			breadcrumb_work(w, rq->engine, cpu);
		return;
	}
	ve->hint = rq->prio;
	ve->request = rq;
	rq->queued = true;
	tasklet_schedule(w, ve, cpu);
}

/* virtual_submission_tasklet(): every sibling learns of the request. */
void virtual_tasklet(struct world *w, struct engine *ve, int cpu)
{
	for (uint32_t i = 0; i < ve->n_siblings && ve->request; i++) {
		struct engine *e = ve->siblings[i];
		uint32_t at = 0;

		vec_drop(e->virtuals, ve);
		while (at < e->virtuals.n && e->virtuals.v[at]->request &&
		       e->virtuals.v[at]->request->prio >= ve->request->prio)
			at++;
		vec_insert_at(w, e->virtuals, at, ve);
		if (!at && ve->hint > e->hint)
			tasklet_schedule(w, e, cpu);
		if (ve->kernel_ctx->inflight)
			break;
	}
}
