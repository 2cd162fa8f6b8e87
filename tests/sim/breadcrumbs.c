// SPDX-License-Identifier: MIT
// Who listens to requests: i915's gt/intel_breadcrumbs.c.
#include <string.h>

#include "internal.h"

/* irq_signal_request(): complete already, signalled by the next run of the work. */
static void signal_soon(struct world *w, struct rq *rq)
{
	if (!rq->signaled) {
		rq->signaled = true;
		vec_push(w, rq->engine->irq_signaled) = rq;
	}
}

/* insert_breadcrumb(): the request is active and somebody listens to it. */
void breadcrumb_enable(struct world *w, struct rq *rq, int cpu)
{
	struct context *ctx = rq->ctx;
	uint32_t at = ctx->signals.n;

	if (rq->listed || rq->signaled)
		return;
	if (rq->complete) {
		signal_soon(w, rq);
		(void)cpu;
		return;
	}
	if (!ctx->signals.n || ctx->signal_engine != rq->engine) {
		if (ctx->signal_engine)
			vec_drop(ctx->signal_engine->signalers, ctx);
		vec_insert_at(w, rq->engine->signalers, 0, ctx);
		ctx->signal_engine = rq->engine;
	}
	while (at && ctx->signals.v[at - 1]->seqno > rq->seqno)
		at--;
	vec_insert_at(w, ctx->signals, at, rq);
	rq->listed = true;
}

static void unlist(struct rq *rq)
{
	struct context *ctx = rq->ctx;

	vec_drop(ctx->signals, rq);
	rq->listed = false;
	if (!ctx->signals.n && ctx->signal_engine) {
		vec_drop(ctx->signal_engine->signalers, ctx);
		ctx->signal_engine = NULL;
	}
}

/* i915_request_cancel_breadcrumb() */
void breadcrumb_cancel(struct world *w, struct rq *rq)
{
	if (!rq->listed)
		return;
	unlist(rq);
	if (rq->complete)
		signal_soon(w, rq);
}

/* intel_context_remove_breadcrumbs(): a virtual context may move to another engine. */
void breadcrumb_forget(struct world *w, struct context *ctx)
{
	while (ctx->signals.n && ctx->signals.v[0]->complete) {
		struct rq *rq = ctx->signals.v[0];

		unlist(rq);
		signal_soon(w, rq);
	}
}

/*
 * signal_irq_work(): what is complete is collected context by context, in order, each put before
 * the others (up to 5.3 behind them), and signalled then. prompt: collected from the listeners'
 * lists.
 */
void breadcrumb_work(struct world *w, struct engine *e, int cpu)
{
	bool newest_first = w->sc->submission != LANE_SUBMISSION_PER_REQUEST;
	rq_vec list = { 0 };
	uint32_t late = e->irq_signaled.n;

	for (uint32_t i = 0; i < late; i++)
		vec_push(w, list) = e->irq_signaled.v[i];
	e->irq_signaled.n = 0;
	for (uint32_t c = 0; c < e->signalers.n;) {
		struct context *ctx = e->signalers.v[c];

		while (ctx->signals.n && ctx->signals.v[0]->complete) {
			struct rq *rq = ctx->signals.v[0];

			unlist(rq);
			if (!rq->signaled) {
				rq->signaled = true;
				rq->due = true;
				vec_push(w, list) = rq;
			}
		}
		if (c < e->signalers.n && e->signalers.v[c] == ctx)
			c++;
	}
	if (newest_first && list.n - late > 1)
		w->truth->seen.newest_first++;
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t at = newest_first ? list.n - 1 - i : i;

		rq_signal(w, list.v[at], at < late ? SIM_SIGNAL_LATE : SIM_SIGNAL_INTERRUPT, cpu);
	}
}
