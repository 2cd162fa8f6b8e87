// SPDX-License-Identifier: MIT
// The simulation's clock, timers, random numbers and memory, and the loop that runs it.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "drmsched.h"

/* Everything the world allocates hangs in one list and goes with it. */
struct memory {
	struct memory *next;
	max_align_t bytes[];
};

static void *hang(struct world *w, struct memory *m)
{
	if (!m)
		longjmp(w->oom, 1);
	m->next = w->memory;
	w->memory = m;
	return m->bytes;
}

void *world_alloc(struct world *w, size_t bytes)
{
	return hang(w, calloc(1, sizeof(struct memory) + bytes));
}

void *world_grow(struct world *w, void *old, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 8;
	void *fresh = hang(w, malloc(sizeof(struct memory) + more * size));

	if (n)
		memcpy(fresh, old, n * size);
	*room = more;
	return fresh;
}

uint64_t world_below(struct world *w, uint64_t bound)
{
	return random_bits(&w->rng) % bound;
}

uint64_t world_draw(struct world *w, struct range range)
{
	return range.lo + (range.hi > range.lo ? world_below(w, range.hi - range.lo + 1) : 0);
}

static bool timer_before(const struct timer *a, const struct timer *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

void world_after(struct world *w, uint64_t delay_ns, timer_fn *fn, void *arg, uint64_t gen)
{
	struct timer t = { w->now + delay_ns, w->orders++, fn, arg, gen };
	uint32_t at;

	vec_push(w, w->timers) = t;
	for (at = w->timers.n - 1; at && timer_before(&t, &w->timers.v[(at - 1) / 2]);
	     at = (at - 1) / 2)
		w->timers.v[at] = w->timers.v[(at - 1) / 2];
	w->timers.v[at] = t;
}

static struct timer timer_pop(struct world *w)
{
	struct timer first = w->timers.v[0];
	struct timer last = w->timers.v[--w->timers.n];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < w->timers.n) {
		if (child + 1 < w->timers.n &&
		    timer_before(&w->timers.v[child + 1], &w->timers.v[child]))
			child++;
		if (!timer_before(&w->timers.v[child], &last))
			break;
		w->timers.v[at] = w->timers.v[child];
		at = child;
	}
	w->timers.v[at] = last;
	return first;
}

/* True if this kind is in the trace of this scenario's tracer. */
static bool visible(const struct sim_scenario *sc, enum lane_kind kind)
{
	switch (kind) {
	case LANE_RQ_IN:
	case LANE_RQ_OUT:
		return !sc->stock;
	case LANE_PORTS:
		return sc->submission == LANE_SUBMISSION_EXECLISTS && !sc->no_unsubmit &&
		       !sc->no_ports;
	case LANE_RQ_UNSUBMIT:
		return sc->submission != LANE_SUBMISSION_PER_REQUEST && !sc->no_unsubmit;
	default:
		return true;
	}
}

static enum lane_origin origin(const struct sim_scenario *sc, enum lane_kind kind)
{
	switch (kind) {
	case LANE_RQ_SUBMIT:
	case LANE_RQ_EXECUTE:
		return sc->stock ? LANE_ORIGIN_FUNCTION : LANE_ORIGIN_TRACEPOINT;
	case LANE_RQ_UNSUBMIT:
		return LANE_ORIGIN_FUNCTION;
	case LANE_PORTS:
		return LANE_ORIGIN_STATE;
	case LANE_STATEDUMP:
		return LANE_ORIGIN_SNAPSHOT;
	default:
		return LANE_ORIGIN_TRACEPOINT;
	}
}

/* The breadcrumb work signals, and that submits and wakes; with GuC a submit goes straight through.
 */
static bool of_breadcrumbs(const struct sim_scenario *sc, enum lane_kind kind)
{
	switch (kind) {
	case LANE_FENCE_SIGNALED:
	case LANE_RQ_SUBMIT:
	case LANE_WAKING:
	case LANE_MIGRATE:
	case LANE_WAKEUP:
		return true;
	case LANE_RQ_EXECUTE:
	case LANE_RQ_IN:
	case LANE_RQ_GUC_SUBMIT:
		return sc->submission == LANE_SUBMISSION_GUC;
	default:
		return false;
	}
}

/* From one event of a breadcrumb work to its next, as it seems. */
#define WORK_NS 10000

static void note_work(struct cpu *cpu, bool of_breadcrumbs, uint64_t now)
{
	cpu->events += !of_breadcrumbs;
	if (!cpu->work_ns || now > cpu->work_last_ns + WORK_NS)
		cpu->work_ns = now;
	if (!of_breadcrumbs)
		cpu->work_ns = 0;
	cpu->work_last_ns = now;
}

/* The events outlive the world. */
static struct lane_event *next_event(struct world *w)
{
	if (w->events.n == w->events.room) {
		uint32_t room = w->events.room * 2;
		struct lane_event *more = reallocarray(w->events.v, room, sizeof(*more));

		if (!more)
			longjmp(w->oom, 1);
		w->events.v = more;
		w->events.room = room;
	}
	return &w->events.v[w->events.n++];
}

/*
 * A new event on this CPU, in the context of the thread there; the clock moves on to its time. The
 * caller fills the payload at once. An event the tracer does not have takes its time too.
 */
struct lane_event *world_emit(struct world *w, enum lane_kind kind, int cpu)
{
	const struct thread *cur = w->cpus[cpu].cur;
	struct lane_event *event = &w->hidden;

	w->now += world_draw(w, w->sc->step);
	if (visible(w->sc, kind)) {
		note_work(&w->cpus[cpu],
			  of_breadcrumbs(w->sc, kind) && !w->cpus[cpu].in_guc_tasklet, w->now);
		w->cpus[cpu].submitted = NULL;
		event = next_event(w);
	}
	memset(event, 0, sizeof(*event));
	event->wire.ts_ns = w->now;
	event->wire.kind = kind;
	event->wire.tid = cur ? cur->tid : 0;
	event->wire.pid = cur ? cur->pid : 0;
	event->wire.origin = origin(w->sc, kind);
	event->cpu = cpu;
	return event;
}

/* The same with the fields that all request events have, and the tail where there is one. */
struct lane_event *world_emit_rq(struct world *w, enum lane_kind kind, const struct rq *rq, int cpu)
{
	struct lane_event *event = world_emit(w, kind, cpu);

	if (kind == LANE_RQ_SUBMIT)
		w->cpus[cpu].submitted = rq;
	event->u.rq.ctx = rq->ctx->id;
	event->u.rq.dev = rq->engine->id.dev;
	event->u.rq.seqno = rq->seqno;
	event->u.rq.class = rq->engine->id.class;
	event->u.rq.instance = rq->engine->id.instance;
	if (kind != LANE_RQ_QUEUE && kind != LANE_RQ_WAIT_BEGIN && kind != LANE_RQ_IN &&
	    kind != LANE_RQ_OUT)
		event->u.i915_request_add.tail = rq->tail;
	return event;
}

static void make_engines(struct world *w)
{
	w->n_engines = w->sc->n_engines;
	w->engines = world_alloc(w, w->n_engines * sizeof(*w->engines));
	for (uint32_t i = 0; i < w->n_engines; i++) {
		const struct sc_engine *sc = &w->sc->engines[i];
		struct engine *e = &w->engines[i];

		e->index = i;
		e->id = (struct sim_engine){ .dev = sc->dev,
					     .class = sc->class,
					     .instance = sc->instance };
		e->n_siblings = sc->n_siblings;
		for (uint32_t s = 0; s < sc->n_siblings; s++)
			e->siblings[s] = &w->engines[sc->siblings[s]];
		e->heartbeat_ns = sc->heartbeat_ns;
		e->hint = INT64_MIN;
		e->hwack = true;
	}
}

/* A virtual engine belongs to one context: each gets its own, of the same name. */
static struct engine *engine_of(struct world *w, struct context *ctx, struct engine *named)
{
	struct engine *own = named;

	if (named->n_siblings) {
		own = world_alloc(w, sizeof(*own));
		*own = *named;
		own->kernel_ctx = ctx;
	}
	return own;
}

static void make_contexts(struct world *w)
{
	uint32_t kernels = 0;
	uint64_t id = 1 + world_below(w, 1000);

	for (uint32_t i = 0; i < w->n_engines; i++)
		kernels += w->engines[i].heartbeat_ns != 0;
	w->contexts = world_alloc(w, (w->sc->n_contexts + kernels) * sizeof(*w->contexts));
	for (uint32_t i = 0; i < w->sc->n_contexts + kernels; i++) {
		struct context *ctx = &w->contexts[w->n_contexts++];

		ctx->index = i;
		ctx->id = id += 1 + world_below(w, 5);
		ctx->last_ran_on = SIM_NO;
		if (i >= w->sc->n_contexts)
			continue;
		ctx->engine = engine_of(w, ctx, &w->engines[w->sc->contexts[i].engine]);
		ctx->prio = w->sc->contexts[i].prio;
		ctx->kernel = w->sc->contexts[i].kernel;
	}
	kernels = w->sc->n_contexts;
	for (uint32_t i = 0; i < w->n_engines; i++) {
		struct engine *e = &w->engines[i];

		if (!e->heartbeat_ns)
			continue;
		e->kernel_ctx = &w->contexts[kernels++];
		e->kernel_ctx->engine = e;
		e->kernel_ctx->prio = -1023;
		e->kernel_ctx->kernel = true;
		world_after(w, e->heartbeat_ns, rq_heartbeat, e, 0);
	}
}

static void retire_periodically(struct world *w, void *arg, uint64_t gen)
{
	(void)arg;
	for (uint32_t i = 0; i < w->n_threads; i++) {
		struct thread *t = &w->threads[i];

		if (!t->worker)
			continue;
		t->work = true;
		cpu_wake(w, t, t->cpu);
	}
	world_after(w, w->sc->retire_ns, retire_periodically, NULL, gen);
}

static void run(struct world *w)
{
	make_engines(w);
	make_contexts(w);
	w->locks = world_alloc(w, (w->sc->n_locks + 1) * sizeof(*w->locks));
	if (w->sc->is_sched)
		sched_begin(w);
	cpu_begin(w);
	if (w->sc->retire_ns && !w->sched)
		world_after(w, w->sc->retire_ns, retire_periodically, NULL, 0);
	while (w->timers.n && w->timers.v[0].due < w->end && w->now < w->end) {
		struct timer t = timer_pop(w);

		if (t.due > w->now)
			w->now = t.due;
		t.fn(w, t.arg, t.gen);
		tasklets_run(w);
		cpu_reschedule(w);
	}
	w->end = (w->now < w->end ? w->end : w->now) + 1;
	for (uint32_t i = 0; i < w->n_threads; i++)
		if (w->threads[i].alive) {
			w->now = w->end;
			cpu_flush(w, &w->threads[i]);
		}
}

static void free_world(struct world **world)
{
	struct memory *m = *world ? (*world)->memory : NULL, *next;

	for (; m; m = next) {
		next = m->next;
		free(m);
	}
	if (*world)
		free((*world)->events.v);
	free(*world);
}

struct lane_error *sim_run(const struct sim_scenario *scenario, uint64_t seed,
			   struct lane_event **events, size_t *n, struct sim_truth **truth)
{
	LANE_CLEANUP(free_world) struct world *w = calloc(1, sizeof(*w));
	LANE_CLEANUP(sim_drop_truth) struct sim_truth *t = calloc(1, sizeof(*t));
	struct lane_error *err;

	if (!w || !t)
		return &lane_enomem;
	w->events.room = 1024;
	w->events.v = malloc(w->events.room * sizeof(*w->events.v));
	if (!w->events.v)
		return &lane_enomem;
	w->sc = scenario;
	w->truth = t;
	w->rng = seed ? seed : scenario->seed;
	if (setjmp(w->oom))
		return &lane_enomem;
	w->begin = w->now = 1000000000 + world_below(w, 1000000000);
	w->end = w->begin + scenario->duration_ns;
	run(w);
	err = truth_make(w, t);
	if (err)
		return err;
	*n = w->events.n;
	*events = LANE_TAKE(w->events.v);
	*truth = LANE_TAKE(t);
	return NULL;
}
