// SPDX-License-Identifier: MIT
// The hardware: an engine that runs the rings of the contexts on its ports, and its interrupts.
#include <string.h>

#include "internal.h"

static void next(struct world *w, struct engine *e, bool after_breadcrumb);

static void interrupt_handler(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	int cpu = (int)w->sc->irq_cpu;
	bool cs = e->irq_cs;

	(void)gen;
	e->irq_pending = e->irq_cs = false;
	breadcrumb_work(w, e, cpu);
	if (cs)
		tasklet_schedule(w, e, cpu);
}

/* A breadcrumb was written (cs: a context switch reported): the handler runs after the delay. */
void hw_interrupt(struct world *w, struct engine *e, bool cs)
{
	e->irq_cs |= cs;
	if (e->irq_pending)
		return;
	e->irq_pending = true;
	world_after(w, world_draw(w, w->sc->irq_delay), interrupt_handler, e, 0);
}

static void done(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct rq *rq = e->hw.rq;

	if (gen != e->hw.gen)
		return;
	rq->complete = true;
	hw_stop(w, e);
	if (w->sc->submission == LANE_SUBMISSION_GUC)
		w->spans.v[e->hw.span].complete = true;
	rq_truth(w, rq)->hw_end = w->now;
	hw_interrupt(w, e, false);
	program_completed(w, rq);
	if (w->sc->submission == LANE_SUBMISSION_GUC) {
		guc_completed(w, e, rq);
		return;
	}
	next(w, e, true);
}

void hw_start(struct world *w, struct engine *e, struct rq *rq)
{
	e->hw.rq = rq;
	e->hw.since = w->now;
	e->hw.gen++;
	rq->started = true;
	rq->hw_start = w->now;
	if (rq_truth(w, rq)->hw_start == SIM_NONE)
		rq_truth(w, rq)->hw_start = w->now;
	if (w->sc->submission == LANE_SUBMISSION_GUC) {
		struct sim_span *span = &vec_push(w, w->spans);

		memset(span, 0, sizeof(*span));
		*span = (struct sim_span){ .request = rq->index, .engine = e->index };
		span->start = span->hw_start = w->now;
		span->end = span->hw_end = SIM_NONE;
		span->culprit = SIM_NO;
		e->hw.span = w->spans.n - 1;
	} else {
		seen_start(w, e, rq,
			   w->sc->submission == LANE_SUBMISSION_PER_REQUEST ? rq->in
									    : e->hw.load_in[0]);
	}
	world_after(w, rq->left_ns, done, e, e->hw.gen);
}

/* What runs, if anything does, stops here, complete or not. */
void hw_stop(struct world *w, struct engine *e)
{
	struct rq *rq = e->hw.rq;
	uint64_t ran = w->now - e->hw.since;

	if (!rq)
		return;
	rq->left_ns = rq->left_ns > ran ? rq->left_ns - ran : 0;
	rq->hw_stop = w->now;
	e->hw.rq = NULL;
	e->hw.gen++;
	if (w->sc->submission == LANE_SUBMISSION_GUC) {
		struct sim_span *span = &w->spans.v[e->hw.span];

		span->end = span->hw_end = w->now;
	} else {
		seen_stop(w, e, rq->complete);
	}
}

/* The first incomplete request on the ring that is read, up to the tail that the hardware has. */
static struct rq *at_head(struct engine *e)
{
	struct context *ctx = e->hw.ctx;
	struct rq *rq;

	while (ctx->first_todo < ctx->ring.n && ctx->ring.v[ctx->first_todo]->complete)
		ctx->first_todo++;
	rq = ctx->first_todo < ctx->ring.n ? ctx->ring.v[ctx->first_todo] : NULL;
	return rq && rq->seqno <= e->hw.load[0]->seqno ? rq : NULL;
}

/* The context on port 0 has reached its tail and is saved; port 1's takes its place. */
static void changed(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct hw *hw = &e->hw;

	if (gen != hw->gen)
		return;
	hw->gen++;
	hw->changing = false;
	vec_push(w, hw->csb) = CSB_COMPLETE;
	hw_interrupt(w, e, true);
	hw->load[0] = hw->load[1];
	hw->load_in[0] = hw->load_in[1];
	hw->load[1] = NULL;
	hw->ctx = hw->load[0] ? hw->load[0]->ctx : NULL;
	if (hw->ctx)
		next(w, e, false);
}

/*
 * Goes on with the ring. Each request ends in a wait on the preempt semaphore: while the driver has
 * the ring paused nothing begins after it.
 */
static void next(struct world *w, struct engine *e, bool after_breadcrumb)
{
	struct hw *hw = &e->hw;
	struct rq *rq = at_head(e);
	uint64_t delay;

	if (after_breadcrumb && e->paused) {
		hw->stalled = true;
		return;
	}
	if (rq) {
		hw_start(w, e, rq);
		return;
	}
	hw->changing = true;
	delay = world_draw(w, w->sc->change);
	if (delay)
		world_after(w, delay, changed, e, hw->gen);
	else
		changed(w, e, hw->gen);
}

void hw_resume(struct world *w, struct engine *e)
{
	if (!e->hw.stalled)
		return;
	e->hw.stalled = false;
	next(w, e, true);
}

/* The hardware takes the set of ports that was written. */
static void take_ports(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct hw *hw = &e->hw;
	bool loaded, same;

	(void)gen;
	while (hw->changing)
		changed(w, e, hw->gen);
	loaded = hw->ctx != NULL;
	same = loaded && hw->elsp[0]->ctx == hw->ctx;
	vec_push(w, hw->csb) =
		loaded && w->sc->submission == LANE_SUBMISSION_PER_REQUEST ? CSB_LITE : CSB_PROMOTE;
	memcpy(hw->load, hw->elsp, sizeof(hw->load));
	memcpy(hw->load_in, hw->elsp_in, sizeof(hw->load_in));
	hw->elsp_full = false;
	if (!same)
		hw_stop(w, e);
	if (loaded && !same)
		seen_replaced(w, e);
	hw->load_set = hw->elsp_set;
	if (!same) {
		hw->stalled = false;
		hw->ctx = hw->load[0]->ctx;
		next(w, e, false);
	}
	hw_interrupt(w, e, true);
}

/* execlists_submit_ports(): what is in e->pending. */
void hw_write_ports(struct world *w, struct engine *e)
{
	for (int i = 0; i < SIM_PORTS; i++) {
		e->hw.elsp[i] = e->pending[i].rq;
		e->hw.elsp_in[i] = e->pending[i].in;
	}
	e->hw.elsp_set = e->sets;
	if (!e->pending[0].rq || !e->pending[1].rq)
		e->hw.elsp[1] = NULL;
	e->hw.elsp_full = true;
	world_after(w, world_draw(w, w->sc->ack), take_ports, e, 0);
}

static void go_idle(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct hw *hw = &e->hw;

	(void)gen;
	while (hw->changing)
		changed(w, e, hw->gen);
	hw_stop(w, e);
	if (hw->ctx)
		seen_replaced(w, e);
	hw->gen++;
	hw->changing = hw->stalled = false;
	hw->ctx = NULL;
	hw->load[0] = hw->load[1] = NULL;
	vec_push(w, hw->csb) = CSB_PREEMPTED;
	hw_interrupt(w, e, true);
}

/* Up to 5.3: the preempt context is written, the engine idles. */
void hw_preempt_to_idle(struct world *w, struct engine *e)
{
	world_after(w, world_draw(w, w->sc->ack), go_idle, e, 0);
}
