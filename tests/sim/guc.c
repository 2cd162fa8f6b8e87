// SPDX-License-Identifier: MIT
// GuC submission: gt/uc/intel_guc_submission.c of 6.1, and a firmware that schedules contexts.
#include <string.h>

#include "internal.h"

static void pick(struct world *w, struct engine *e);

static struct rq *first_ready(struct context *ctx)
{
	struct rq *rq;

	while (ctx->first_todo < ctx->ring.n && ctx->ring.v[ctx->first_todo]->complete)
		ctx->first_todo++;
	rq = ctx->first_todo < ctx->ring.n ? ctx->ring.v[ctx->first_todo] : NULL;
	return rq && rq->active ? rq : NULL;
}

static void quantum_over(struct world *w, void *arg, uint64_t gen)
{
	struct engine *e = arg;
	struct context *ctx;

	if (gen != e->quantum_gen || !e->hw.rq)
		return;
	/* To the back; the next of the same priority, or itself, goes on. */
	ctx = e->hw.rq->ctx;
	vec_drop(e->run_queue, ctx);
	vec_push(w, e->run_queue) = ctx;
	pick(w, e);
}

/* The context of the highest priority that has work, the one that came first among equals. */
static struct context *best(struct engine *e)
{
	struct context *found = NULL;

	for (uint32_t i = 0; i < e->run_queue.n; i++) {
		struct context *ctx = e->run_queue.v[i];

		if (first_ready(ctx) && (!found || ctx->prio > found->prio))
			found = ctx;
	}
	return found;
}

static void pick(struct world *w, struct engine *e)
{
	struct context *ctx = best(e);

	if (!ctx || (e->hw.rq && e->hw.rq->ctx == ctx))
		return;
	hw_stop(w, e);
	hw_start(w, e, first_ready(ctx));
	if (w->sc->timeslice_ns)
		world_after(w, w->sc->timeslice_ns, quantum_over, e, ++e->quantum_gen);
}

static void firmware(struct world *w, void *arg, uint64_t gen)
{
	struct context *ctx = arg;
	struct engine *e = ctx->engine;

	(void)gen;
	if (vec_find(e->run_queue, ctx) == SIM_NO)
		vec_push(w, e->run_queue) = ctx;
	/* Only a higher priority takes the engine from what runs before its quantum is over. */
	if (!e->hw.rq || (best(e) && best(e)->prio > e->hw.rq->prio))
		pick(w, e);
}

void guc_completed(struct world *w, struct engine *e, struct rq *rq)
{
	struct rq *follower = first_ready(rq->ctx);
	struct context *ctx = best(e);

	if (follower && ctx->prio <= rq->prio) {
		hw_start(w, e, follower);
		return;
	}
	pick(w, e);
}

/* guc_add_request(): the firmware is told of the context's new tail. */
static void tell(struct world *w, struct rq *last, int cpu)
{
	world_emit_rq(w, LANE_RQ_GUC_SUBMIT, last, cpu);
	world_after(w, world_draw(w, w->sc->ack), firmware, last->ctx, 0);
}

static void hand_over(struct world *w, struct rq *rq, int cpu)
{
	struct lane_event *event;

	rq_execute(w, rq, cpu);
	event = world_emit_rq(w, LANE_RQ_IN, rq, cpu);
	event->u.i915_request_in.port = 0;
	event->u.i915_request_in.prio = rq->prio;
}

/* All engines of a device share one queue: that of the device's first engine. */
static struct engine *queue_of(struct world *w, const struct engine *e)
{
	for (uint32_t i = 0; i < w->n_engines; i++)
		if (w->engines[i].id.dev == e->id.dev)
			return &w->engines[i];
	return NULL;
}

/* guc_submit_request(): straight through, unless others are queued or the context is new to GuC. */
void guc_submit(struct world *w, struct rq *rq, int cpu)
{
	struct engine *shared = queue_of(w, rq->engine);

	if (shared->queue.n || !rq->ctx->registered) {
		queue_insert(w, shared, rq, false);
		tasklet_schedule(w, shared, cpu);
		return;
	}
	hand_over(w, rq, cpu);
	tell(w, rq, cpu);
}

/*
 * guc_submission_tasklet(): context by context until the queue is empty. What it hands over
 * straight behind the request's own submit looks like guc_submit_request().
 */
void guc_tasklet(struct world *w, struct engine *shared, int cpu)
{
	bool *in_tasklet = &w->cpus[cpu].in_guc_tasklet;

	while (shared->queue.n) {
		struct rq *last = shared->queue.v[0];

		do {
			last = shared->queue.v[0];
			vec_remove_at(shared->queue, 0);
			*in_tasklet = w->cpus[cpu].submitted != last;
			hand_over(w, last, cpu);
		} while (shared->queue.n && shared->queue.v[0]->ctx == last->ctx);
		last->ctx->registered = true;
		tell(w, last, cpu);
	}
	*in_tasklet = false;
}
