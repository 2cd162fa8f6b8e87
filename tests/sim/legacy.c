// SPDX-License-Identifier: MIT
// Execlists up to Linux 5.3: in for every request, preemption by idling the engine, no time slices.
#include <string.h>

#include "internal.h"

static void shift(struct engine *e)
{
	memmove(&e->inflight[0], &e->inflight[1], SIM_PORTS * sizeof(e->inflight[0]));
}

static void port_out(struct world *w, struct engine *e, struct port *port, int cpu)
{
	struct rq *rq = port->rq;

	emit_out(w, e, rq, port, cpu);
	seen_fired(w, e);
	if (rq->ctx->ring.v[rq->ctx->ring.n - 1] == rq && rq->complete)
		rq_wants_retire(w, rq->ctx, cpu);
}

/* The engine is idle: every port gives its context back, everything incomplete is queued again. */
static void preempted(struct world *w, struct engine *e, int cpu)
{
	for (uint32_t i = 0; i < SIM_PORTS && e->inflight[i].rq; i++)
		port_out(w, e, &e->inflight[i], cpu);
	memset(e->inflight, 0, sizeof(e->inflight));
	seen_idled(w, e, queue_unwind(w, e, cpu));
	e->preempting = false;
	e->hwack = true;
}

/* A port's context is given back when the hardware has left it as often as it was written. */
static void process_csb(struct world *w, struct engine *e, int cpu)
{
	for (uint32_t i = 0; i < e->hw.csb.n; i++) {
		switch (e->hw.csb.v[i]) {
		case CSB_LITE:
			e->inflight[0].count--;
			e->hwack = true;
			break;
		case CSB_PROMOTE:
			e->hwack = true;
			break;
		case CSB_PREEMPTED:
			preempted(w, e, cpu);
			break;
		case CSB_COMPLETE:
			if (--e->inflight[0].count)
				break;
			port_out(w, e, &e->inflight[0], cpu);
			shift(e);
		}
	}
	e->hw.csb.n = 0;
}

static bool need_preempt(const struct engine *e, const struct rq *last)
{
	return queue_prio(e) > (last->prio > -1 ? last->prio : -1);
}

static void dequeue(struct world *w, struct engine *e, int cpu)
{
	struct rq *last = e->inflight[0].rq;
	uint32_t port = 0;
	bool submit = false;

	if (last) {
		if (!e->hwack)
			return;
		if (need_preempt(e, last)) {
			e->preempting = true;
			hw_preempt_to_idle(w, e);
			return;
		}
		if (e->inflight[1].rq)
			return;
	}
	while (e->queue.n) {
		struct rq *rq = e->queue.v[0];

		if (last && !rq->complete && rq->ctx != last->ctx && port++)
			break;
		vec_remove_at(e->queue, 0);
		if (!rq_execute(w, rq, cpu))
			continue;
		emit_in(w, rq, port, cpu);
		seen_fired(w, e);
		/* Only a port's last request has an out. */
		if (last && last->ctx == rq->ctx) {
			last->in_count = 0;
			w->truth->seen.coalesced++;
		}
		e->inflight[port].rq = last = rq;
		submit = true;
	}
	e->hint = queue_prio(e);
	if (!submit)
		return;
	e->sets++;
	memset(e->pending, 0, sizeof(e->pending));
	for (uint32_t i = 0; i < SIM_PORTS && e->inflight[i].rq; i++) {
		e->inflight[i].count++;
		e->inflight[i].set = e->sets;
		e->pending[i] = e->inflight[i];
	}
	e->hwack = false;
	hw_write_ports(w, e);
	if (e->irq_signaled.n)
		breadcrumb_work(w, e, cpu);
}

void legacy_tasklet(struct world *w, struct engine *e, int cpu)
{
	process_csb(w, e, cpu);
	if (!e->preempting)
		dequeue(w, e, cpu);
}
