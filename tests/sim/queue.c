// SPDX-License-Identifier: MIT
// What the execlists back ends share: the priority queue, the list of executed requests, tasklets.
#include <string.h>

#include "internal.h"

/* front: before, else behind, the others of its priority. */
void queue_insert(struct world *w, struct engine *e, struct rq *rq, bool front)
{
	uint32_t at = 0;

	while (at < e->queue.n &&
	       (e->queue.v[at]->prio > rq->prio || (!front && e->queue.v[at]->prio == rq->prio)))
		at++;
	vec_insert_at(w, e->queue, at, rq);
	rq->queued = true;
}

int64_t queue_prio(const struct engine *e)
{
	return e->queue.n ? e->queue.v[0]->prio : INT64_MIN;
}

/* execlists_submit_request(): the tasklet is kicked only for what may change the ports. */
void queue_submit(struct world *w, struct rq *rq, int cpu)
{
	struct engine *e = rq->engine;

	queue_insert(w, e, rq, false);
	if (rq->prio > e->hint) {
		e->hint = rq->prio;
		tasklet_schedule(w, e, cpu);
	}
}

/*
 * __unwind_incomplete_requests(): everything incomplete goes back to the head of its priority,
 * newest first. Returns the oldest, NULL if there was none.
 */
struct rq *queue_unwind(struct world *w, struct engine *e, int cpu)
{
	struct rq *oldest = NULL;

	for (uint32_t i = e->requests.n; i--;) {
		struct rq *rq = e->requests.v[i];

		vec_remove_at(e->requests, i);
		if (rq->complete)
			continue;
		rq_unsubmit(w, rq, cpu);
		queue_insert(w, e, rq, true);
		oldest = rq;
	}
	return oldest;
}

/* A retired request is in no list any more. */
void queue_retired(struct world *w, struct rq *rq)
{
	(void)w;
	vec_drop(rq->engine->requests, rq);
	vec_drop(rq->engine->queue, rq);
	if (rq->engine->request == rq)
		rq->engine->request = NULL;
	rq->queued = false;
	rq->active = true;
}

static void not_bare(struct engine *e, const struct context *ctx)
{
	for (uint32_t i = 0; i < e->requests.n; i++)
		if (e->requests.v[i]->ctx == ctx)
			e->requests.v[i]->bare_execute = false;
}

void emit_in(struct world *w, struct rq *rq, uint32_t port, int cpu)
{
	struct lane_event *event = world_emit_rq(w, LANE_RQ_IN, rq, cpu);

	event->u.i915_request_in.port = port;
	event->u.i915_request_in.prio = rq->prio;
	if (rq->in_count++)
		w->truth->seen.double_in++;
	not_bare(rq->engine, rq->ctx);
	rq->in = seen_now(w, true);
}

void emit_out(struct world *w, struct engine *e, struct rq *rq, const struct port *port, int cpu)
{
	struct lane_event *event = world_emit_rq(w, LANE_RQ_OUT, rq, cpu);

	event->u.i915_request_out.completed = rq->complete;
	if (e->pending[0].rq && w->sc->submission == LANE_SUBMISSION_EXECLISTS)
		w->truth->seen.start_before_out++;
	rq->in_count--;
	not_bare(e, rq->ctx);
	seen_out(w, e, rq, port);
}

void tasklet_schedule(struct world *w, struct engine *e, int cpu)
{
	if (e->tasklet)
		return;
	e->tasklet = true;
	e->tasklet_cpu = cpu;
	vec_push(w, w->tasklets) = e;
}

/* Runs the tasklets that are scheduled, and those they schedule. */
void tasklets_run(struct world *w)
{
	while (w->tasklets.n) {
		struct engine *e = w->tasklets.v[0];

		vec_remove_at(w->tasklets, 0);
		e->tasklet = false;
		if (w->sc->submission == LANE_SUBMISSION_GUC)
			guc_tasklet(w, e, e->tasklet_cpu);
		else if (e->n_siblings)
			virtual_tasklet(w, e, e->tasklet_cpu);
		else if (w->sc->submission == LANE_SUBMISSION_PER_REQUEST)
			legacy_tasklet(w, e, e->tasklet_cpu);
		else
			execlists_tasklet(w, e, e->tasklet_cpu);
	}
}
