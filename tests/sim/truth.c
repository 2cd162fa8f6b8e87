// SPDX-License-Identifier: MIT
// The truth in its final form: stages, queue lengths, wake-ups.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "drmsched.h"

static uint64_t between(uint64_t from, uint64_t to)
{
	return from == SIM_NONE || to == SIM_NONE ? SIM_NONE : to - from;
}

/* By context, in the hardware's order. */
static int by_context(const void *a, const void *b, void *arg)
{
	const struct world *w = arg;
	const struct sim_span *x = a, *y = b;
	uint64_t left = w->requests.v[x->request].ctx, right = w->requests.v[y->request].ctx;

	if (left != right)
		return left < right ? -1 : 1;
	if (x->hw_start != y->hw_start)
		return x->hw_start < y->hw_start ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static int by_engine(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	if (x->engine != y->engine)
		return x->engine < y->engine ? -1 : 1;
	if (x->hw_start != y->hw_start)
		return x->hw_start < y->hw_start ? -1 : 1;
	return x->hw_end < y->hw_end ? -1 : x->hw_end > y->hw_end;
}

static int by_start(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/*
 * An end is its signal if that stamps it, and no signal of a later request of its context came
 * first: then it is not after the end of that one.
 */
static void guc_ends(struct world *w, struct sim_span *v, uint32_t n)
{
	const struct context *ctx = NULL;
	uint64_t first = 0, limit = 0; /* the earliest signal of a later request, that one's end */

	for (uint32_t i = n; i--;) {
		const struct rq *rq = w->rqs.v[v[i].request];

		if (rq->ctx != ctx)
			first = UINT64_MAX;
		ctx = rq->ctx;
		if (v[i].complete && rq->stamped) {
			v[i].end = w->requests.v[v[i].request].signaled;
			v[i].end_exact = first > rq->signal_no;
		}
		if (v[i].end > limit && first < rq->signal_no)
			v[i].end = limit;
		if (v[i].complete && rq->signal_no && rq->signal_no < first) {
			first = rq->signal_no;
			limit = w->requests.v[v[i].request].signaled;
		}
	}
}

/* A start is not before the end of what ran before in its context. */
static void guc_starts(struct world *w, struct sim_span *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct sim_request *t = &w->requests.v[v[i].request];

		if (i && w->rqs.v[v[i - 1].request]->ctx == w->rqs.v[v[i].request]->ctx &&
		    v[i].start < v[i - 1].end)
			v[i].start = v[i - 1].end;
		if (v[i].start > v[i].end && v[i].end_exact)
			v[i].start = v[i].end;
		else if (v[i].start > v[i].end)
			v[i].end = v[i].start;
		if (t->start == SIM_NONE)
			t->start = v[i].start;
		if (v[i].complete) {
			t->end = v[i].end;
			t->end_exact = v[i].end_exact;
		} else if (v[i].end != SIM_NONE) {
			t->preemptions++;
			w->truth->seen.preemptions++;
		}
	}
}

/*
 * GuC's spans so far are the hardware's. The driver sees no more of the firmware's order than that
 * a context's requests run one after another.
 */
static void guc_spans(struct world *w)
{
	struct sim_span *v = w->spans.v;
	uint32_t n = w->spans.n;

	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_engine);
	for (uint32_t i = 0; i + 1 < n; i++)
		if (v[i + 1].engine == v[i].engine && !v[i].complete)
			v[i].culprit = v[i + 1].request;
	qsort_r(v, n, sizeof(*v), by_context, w);
	guc_ends(w, v, n);
	guc_starts(w, v, n);
}

/* A change of an engine's queues. */
struct delta {
	uint64_t at;
	uint32_t order;
	uint32_t engine;
	int host;
	int device;
	int busy;
};

struct deltas {
	struct world *w;
	VEC(struct delta) list;
};

static void change(struct deltas *d, uint64_t at, uint32_t engine, int host, int device, int busy)
{
	if (at == SIM_NONE)
		return;
	vec_push(d->w, d->list) = (struct delta){ at, d->list.n, engine, host, device, busy };
}

static int by_time(const void *a, const void *b)
{
	const struct delta *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->engine != y->engine)
		return x->engine < y->engine ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Adds up the spans, which are in order of start; last: each request's last span, SIM_NO so far. */
static void add_spans(struct world *w, struct deltas *d, uint32_t *last)
{
	for (uint32_t i = 0; i < w->spans.n; i++) {
		const struct sim_span *s = &w->spans.v[i];
		struct sim_request *t = &w->requests.v[s->request];
		const struct sim_span *before =
			last[s->request] == SIM_NO ? NULL : &w->spans.v[last[s->request]];

		if (before) {
			t->stage_ns[SIM_PREEMPTED] += s->start - before->end;
			change(d, s->start, before->engine, -1, 0, 0);
		}
		change(d, s->start, s->engine, 0, 0, 1);
		change(d, s->end, s->engine, 0, 0, -1);
		if (s->end != SIM_NONE && !s->complete)
			change(d, s->end, s->engine, 1, 0, 0);
		if (s->end != SIM_NONE)
			t->stage_ns[SIM_RUNNING] += s->end - s->start;
		last[s->request] = i;
	}
}

static void make_stages(struct world *w, struct deltas *d)
{
	uint32_t *last = world_alloc(w, (w->requests.n + 1) * sizeof(*last));

	memset(last, 0xff, w->requests.n * sizeof(*last));
	add_spans(w, d, last);
	for (uint32_t i = 0; i < w->requests.n; i++) {
		struct sim_request *t = &w->requests.v[i];
		uint32_t engine = w->rqs.v[i]->first_engine;

		t->stage_ns[SIM_PREPARE] = between(t->queue, t->add);
		t->stage_ns[SIM_DEPENDENCY] = between(t->add, t->submit);
		t->stage_ns[SIM_HOST_QUEUE] = between(t->submit, t->execute);
		t->stage_ns[SIM_DEVICE_QUEUE] = between(t->execute, t->start);
		t->stage_ns[SIM_SIGNAL] = between(t->end, t->signaled);
		if (t->end == SIM_NONE)
			t->stage_ns[SIM_RUNNING] = t->stage_ns[SIM_PREEMPTED] = SIM_NONE;
		change(d, t->submit, t->engine, 1, 0, 0);
		if (t->execute != SIM_NONE) {
			change(d, t->execute, t->engine, -1, 0, 0);
			change(d, t->execute, engine, 0, 1, 0);
		}
		change(d, t->start, engine, 0, -1, 0);
	}
}

static void make_steps(struct world *w, struct deltas *d, struct sim_truth *truth)
{
	struct sim_step *now = world_alloc(w, w->n_engines * sizeof(*now));
	struct sim_step *steps = truth->steps;
	size_t n = 0;

	if (d->list.n)
		qsort(d->list.v, d->list.n, sizeof(*d->list.v), by_time);
	for (uint32_t i = 0; i < d->list.n; i++) {
		const struct delta *delta = &d->list.v[i];
		struct sim_step *step = &now[delta->engine];

		step->at = delta->at;
		step->engine = delta->engine;
		step->host += (uint32_t)delta->host;
		step->device += (uint32_t)delta->device;
		step->busy += (uint32_t)delta->busy;
		if (i + 1 < d->list.n && d->list.v[i + 1].at == delta->at &&
		    d->list.v[i + 1].engine == delta->engine)
			continue;
		steps[n++] = *step;
	}
	truth->n_steps = n;
}

static int by_thread(const void *a, const void *b)
{
	const struct sim_state *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_from(const void *a, const void *b)
{
	const struct sim_state *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* How long thread tid was runnable in [from, to); states are sorted by thread. */
static uint64_t runnable(const struct sim_state *v, uint32_t n, int32_t tid, uint64_t from,
			 uint64_t to)
{
	uint64_t sum = 0;
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (v[mid].tid < tid || (v[mid].tid == tid && v[mid].to <= from))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n && v[low].tid == tid && v[low].from < to; low++) {
		uint64_t a = v[low].from > from ? v[low].from : from;
		uint64_t b = v[low].to < to ? v[low].to : to;

		if (v[low].state == SIM_RUNNABLE && b > a)
			sum += b - a;
	}
	return sum;
}

static void make_waits(struct world *w)
{
	if (w->states.n)
		qsort(w->states.v, w->states.n, sizeof(*w->states.v), by_thread);
	for (uint32_t i = 0; i < w->waits.n; i++) {
		struct sim_wait *wait = &w->waits.v[i];
		uint64_t from = w->requests.v[wait->request].signaled;

		wait->wake_ns = wait->wake_runqueue_ns = wait->wake_cpu_ns = SIM_NONE;
		if (wait->end == SIM_NONE)
			continue;
		if (from < wait->begin)
			from = wait->begin;
		wait->wake_ns = wait->end - from;
		wait->wake_runqueue_ns =
			runnable(w->states.v, w->states.n, wait->tid, from, wait->end);
		wait->wake_cpu_ns = wait->wake_ns - wait->wake_runqueue_ns;
	}
	if (w->states.n)
		qsort(w->states.v, w->states.n, sizeof(*w->states.v), by_from);
}

static void make_info(struct world *w, struct lane_trace_info *info)
{
	const struct sim_scenario *sc = w->sc;
	bool old = sc->submission == LANE_SUBMISSION_PER_REQUEST;
	bool guc = sc->submission == LANE_SUBMISSION_GUC;

	strcpy(info->host, "simulated");
	strcpy(info->release, old ? "5.2.0-sim" : "6.1.0-sim");
	strcpy(info->clock_uuid, "00000000-0000-4000-8000-000000000001");
	strcpy(info->tracer, old || sc->no_unsubmit ? "lttng" : "bpf");
	info->begin_ns = w->begin;
	info->end_ns = w->end;
	info->submission = sc->submission;
	memset(info->presence, LANE_PRESENCE_ABSENT, sizeof(info->presence));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_request((unsigned int)kind) ||
		    (kind >= LANE_FENCE_ENABLE_SIGNAL && kind <= LANE_STATEDUMP))
			info->presence[kind] = LANE_PRESENCE_RECORDED;
	info->presence[LANE_EXEC] = LANE_PRESENCE_RECORDED;
	info->presence[LANE_PORTS] = LANE_PRESENCE_ABSENT;
	if (!guc)
		info->presence[LANE_RQ_GUC_SUBMIT] = LANE_PRESENCE_ABSENT;
	if (guc)
		info->presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
	if (sc->stock)
		info->presence[LANE_RQ_IN] = info->presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
	if (w->sched)
		struth_info(w, info);
	else if (old || sc->no_unsubmit)
		info->presence[LANE_RQ_UNSUBMIT] = LANE_PRESENCE_ABSENT;
	else if (!guc)
		info->presence[LANE_PORTS] = LANE_PRESENCE_RECORDED;
}

static bool copy_out(void **to, size_t *n, const void *from, uint32_t count, size_t size)
{
	*to = malloc(count * size + 1);
	if (!*to)
		return false;
	if (count)
		memcpy(*to, from, count * size);
	*n = count;
	return true;
}

#define COPY(field, vec)                                                                           \
	copy_out((void **)&truth->field, &truth->n_##field, (vec).v, (vec).n, sizeof(*(vec).v))

struct lane_error *truth_make(struct world *w, struct sim_truth *truth)
{
	struct deltas d = { .w = w };

	if (w->sched)
		struth_make(w);
	else if (w->sc->submission == LANE_SUBMISSION_GUC)
		guc_spans(w);
	else
		seen_spans(w);
	if (w->spans.n)
		qsort(w->spans.v, w->spans.n, sizeof(*w->spans.v), by_start);
	make_stages(w, &d);
	make_waits(w);
	make_info(w, &truth->info);
	truth->cpus = w->sc->cpus;
	truth->is_sched = w->sched != NULL;
	truth->begin_ns = w->begin;
	truth->end_ns = w->end;
	truth->steps = malloc((d.list.n + 1) * sizeof(*truth->steps));
	truth->engines = malloc((w->n_engines + 1) * sizeof(*truth->engines));
	if (!truth->steps || !truth->engines || !COPY(requests, w->requests) ||
	    !COPY(spans, w->spans) || !COPY(waits, w->waits) || !COPY(threads, w->thread_truth) ||
	    !COPY(states, w->states))
		return &lane_enomem;
	truth->n_engines = w->n_engines;
	for (uint32_t i = 0; i < w->n_engines; i++) {
		const struct sc_ring *ring = &w->sc->engines[i].ring;

		truth->engines[i] = w->engines[i].id;
		memcpy(truth->engines[i].name, ring->name, sizeof(ring->name));
		if (w->sc->kernel == SIM_LINUX_6_17)
			memcpy(truth->engines[i].device, ring->device, sizeof(ring->device));
	}
	make_steps(w, &d, truth);
	return NULL;
}

void sim_truth_free(struct sim_truth *truth)
{
	if (!truth)
		return;
	free(truth->engines);
	free(truth->requests);
	free(truth->spans);
	free(truth->waits);
	free(truth->steps);
	free(truth->threads);
	free(truth->states);
	free(truth);
}
