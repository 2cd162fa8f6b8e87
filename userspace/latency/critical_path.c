// SPDX-License-Identifier: MIT
// The walk back along the critical path: from a thread to what woke it, from a request to what it
// waited for.
#include "latency/critical_internal.h"

#include <string.h>

/* Steps without the time going back: an edge may lead to another at the same time, not for ever. */
#define MAX_EDGES 256

struct walk {
	struct lane_critical *c;
	const struct lane_timeline *timeline;
	uint64_t at_ns;				 /* the path is known from here on */
	int32_t tid;				 /* where it is: a thread, or */
	const struct lane_crit_request *request; /* a request */
	unsigned int edges;
};

static uint32_t client_of_context(const struct walk *w, uint32_t context)
{
	const struct lane_context *ctx = lane_timeline_context(w->timeline, context);

	return ctx ? ctx->client->id : LANE_CRITICAL_NONE;
}

static uint32_t client_of_thread(const struct walk *w, int32_t tid, char comm[16])
{
	const struct lane_thread *thread = lane_timeline_thread(w->timeline, tid);

	if (!thread)
		return LANE_CRITICAL_NONE;
	memcpy(comm, thread->comm, sizeof(thread->comm));
	return thread->client ? thread->client->id : LANE_CRITICAL_NONE;
}

/* A piece from begin_ns (not before the interval) to where the path is known from; NULL: it is
 * empty. */
static struct lane_critical_segment *piece(struct walk *w, uint64_t begin_ns,
					   enum lane_critical_kind kind)
{
	struct lane_critical_segment *segment;
	uint64_t end_ns = w->at_ns;

	if (begin_ns < w->c->from_ns)
		begin_ns = w->c->from_ns;
	if (begin_ns >= end_ns)
		return NULL;
	w->at_ns = begin_ns;
	w->edges = 0;
	segment = lane_crit_push(w->c, &w->c->segments, sizeof(*segment));
	if (!segment)
		return NULL;
	*segment = (struct lane_critical_segment){
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.kind = kind,
		.tid = w->request ? -1 : w->tid,
		.by_tid = -1,
		.context = w->request ? w->request->context : LANE_CRITICAL_NONE,
		.seqno = w->request ? w->request->seqno : 0,
		.engine = LANE_CRITICAL_NONE,
		.by_context = LANE_CRITICAL_NONE,
		.client =
			w->request ? client_of_context(w, w->request->context) : LANE_CRITICAL_NONE,
	};
	if (!w->request)
		segment->client = client_of_thread(w, w->tid, segment->comm);
	return segment;
}

/* The last of a thread's states that begins before `at`, NULL: none. */
static const struct lane_crit_state *state_before(const struct lane_critical *c, int32_t tid,
						  uint64_t at_ns)
{
	size_t low = 0, high = c->states.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct lane_crit_state *s = &c->states.v[middle];

		if (s->tid < tid || (s->tid == tid && s->begin_ns < at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->states.v[low - 1].tid == tid ? &c->states.v[low - 1] : NULL;
}

static const struct lane_crit_slice *slice_before(const struct lane_critical *c, int32_t tid,
						  uint64_t at_ns)
{
	size_t low = 0, high = c->slices.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct lane_crit_slice *s = &c->slices.v[middle];

		if (s->victim < tid || (s->victim == tid && s->begin_ns < at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->slices.v[low - 1].victim == tid ? &c->slices.v[low - 1] : NULL;
}

/* The last run of an engine that begins before `at`, NULL: none. */
static const struct lane_crit_run *run_before(const struct lane_critical *c, uint32_t engine,
					      uint64_t at_ns)
{
	size_t low = 0, high = c->runs.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct lane_crit_run *r = &c->runs.v[middle];

		if (r->engine < engine || (r->engine == engine && r->begin_ns < at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->runs.v[low - 1].engine == engine ? &c->runs.v[low - 1] : NULL;
}

static const struct lane_crit_request *request_of(const struct lane_critical *c, uint32_t context,
						  uint32_t seqno)
{
	uintptr_t at = (uintptr_t)lane_table_get(&c->by_request, context, seqno);

	return at ? &c->requests.v[at - 1] : NULL;
}

static void unknown(struct walk *w, uint64_t begin_ns)
{
	piece(w, begin_ns, LANE_CRITICAL_UNKNOWN);
}

/* A thread that could run, back to begin_ns: cut wherever who had its CPU changes. */
static void runqueue(struct walk *w, uint64_t begin_ns)
{
	while (w->at_ns > begin_ns && w->at_ns > w->c->from_ns) {
		const struct lane_crit_slice *slice = slice_before(w->c, w->tid, w->at_ns);
		bool covers = slice && slice->end_ns >= w->at_ns;
		uint64_t from_ns = begin_ns;
		struct lane_critical_segment *segment;

		if (covers && slice->begin_ns > from_ns)
			from_ns = slice->begin_ns;
		else if (slice && !covers && slice->end_ns > from_ns)
			from_ns = slice->end_ns;
		segment = piece(w, from_ns, LANE_CRITICAL_RUNQUEUE);
		if (!segment)
			return;
		segment->by_tid = covers ? slice->tid : -1;
		if (covers) {
			char comm[16] = "";

			segment->client = client_of_thread(w, slice->tid, comm);
			memcpy(segment->comm, slice->comm, sizeof(segment->comm));
		}
	}
}

/* A blocked thread: on with the request it waited for, or with who woke it. */
static void blocked(struct walk *w, const struct lane_crit_state *state)
{
	const struct lane_crit_request *rq =
		state->wait_context == LANE_CRITICAL_NONE
			? NULL
			: request_of(w->c, state->wait_context, state->wait_seqno);
	const struct lane_crit_state *waker;

	if (rq && rq->signal_ns > state->begin_ns && rq->signal_ns <= w->at_ns) {
		piece(w, rq->signal_ns, LANE_CRITICAL_WAKE);
		w->request = rq;
		return;
	}
	if (rq && (!rq->signal_ns || rq->signal_ns > w->at_ns)) { /* it still waits */
		w->request = rq;
		return;
	}
	if (!rq && state->waker > 0 && state->waker != w->tid && state->end_ns == w->at_ns) {
		waker = state_before(w->c, state->waker, w->at_ns);
		if (waker && waker->end_ns >= w->at_ns && waker->state == LANE_THREAD_RUNNING) {
			w->tid = state->waker;
			return;
		}
	}
	piece(w, state->begin_ns, LANE_CRITICAL_BLOCKED);
}

static void thread_step(struct walk *w)
{
	const struct lane_crit_state *state = state_before(w->c, w->tid, w->at_ns);

	if (!state) {
		unknown(w, w->c->from_ns);
		return;
	}
	if (state->end_ns < w->at_ns) {
		unknown(w, state->end_ns);
		return;
	}
	switch (state->state) {
	case LANE_THREAD_RUNNING:
		piece(w, state->begin_ns, LANE_CRITICAL_COMPUTING);
		break;
	case LANE_THREAD_RUNNABLE:
		runqueue(w, state->begin_ns);
		break;
	case LANE_THREAD_BLOCKED:
		blocked(w, state);
		break;
	default:
		unknown(w, state->begin_ns);
	}
}

/* Back to begin_ns along what the request's engine did meanwhile. */
static void along_engine(struct walk *w, uint64_t begin_ns, enum lane_critical_kind kind)
{
	const struct lane_crit_request *rq = w->request;

	while (w->at_ns > begin_ns && w->at_ns > w->c->from_ns) {
		const struct lane_crit_run *run = run_before(w->c, rq->engine, w->at_ns);
		bool covers = run && run->end_ns >= w->at_ns;
		bool own = covers && run->context == rq->context && run->seqno == rq->seqno;
		uint64_t from_ns = begin_ns;
		enum lane_critical_kind what = kind;
		struct lane_critical_segment *segment;

		if (covers && run->begin_ns > from_ns)
			from_ns = run->begin_ns;
		else if (run && !covers && run->end_ns > from_ns)
			from_ns = run->end_ns;
		if (own)
			what = LANE_CRITICAL_RUNNING;
		else if (kind == LANE_CRITICAL_DEVICE_QUEUE && rq->start_ns &&
			 w->at_ns > rq->start_ns)
			what = LANE_CRITICAL_PREEMPTED;
		segment = piece(w, from_ns, what);
		if (!segment)
			return;
		segment->engine = rq->engine;
		if (covers && !own) {
			segment->by_context = run->context;
			segment->by_seqno = run->seqno;
			segment->client = client_of_context(w, run->context);
		}
	}
}

/* What the submit came out of, NULL: not known. */
static const struct lane_crit_request *dependency_of(const struct walk *w)
{
	const struct lane_crit_request *rq = w->request;
	const struct lane_context *ctx = lane_timeline_context(w->timeline, rq->context);
	uintptr_t at = (uintptr_t)lane_table_get(&w->c->by_dep, ctx->ctx,
						 (uint64_t)ctx->dev << 32 | rq->seqno);
	const struct lane_crit_dep *dep = at ? &w->c->deps.v[at - 1] : NULL;
	uintptr_t on =
		dep ? (uintptr_t)lane_table_get(&w->c->by_fence, dep->on_ctx, dep->on_seqno) : 0;

	return on && &w->c->requests.v[on - 1] != rq ? &w->c->requests.v[on - 1] : NULL;
}

static void to_thread(struct walk *w)
{
	w->tid = w->request->tid;
	w->request = NULL;
}

static void request_step(struct walk *w)
{
	const struct lane_crit_request *rq = w->request, *on;

	if (rq->end_ns && w->at_ns > rq->end_ns) {
		piece(w, rq->end_ns, LANE_CRITICAL_SIGNAL);
	} else if (rq->execute_ns && w->at_ns > rq->execute_ns) {
		along_engine(w, rq->execute_ns, LANE_CRITICAL_DEVICE_QUEUE);
	} else if (rq->submit_ns && w->at_ns > rq->submit_ns) {
		along_engine(w, rq->submit_ns, LANE_CRITICAL_HOST_QUEUE);
	} else if (rq->add_ns && w->at_ns > rq->add_ns) {
		on = dependency_of(w);
		if (on && on->signal_ns > rq->add_ns && on->signal_ns <= w->at_ns) {
			piece(w, on->signal_ns, LANE_CRITICAL_DEPENDENCY);
			w->request = on;
		} else {
			piece(w, rq->add_ns, LANE_CRITICAL_DEPENDENCY);
		}
	} else if (rq->tid > 0) {
		to_thread(w);
	} else {
		unknown(w, w->c->from_ns);
	}
}

static bool find_end(struct walk *w, const struct lane_critical_end *end)
{
	w->tid = end->tid;
	if (end->tid >= 0)
		return true;
	for (size_t i = 0; i < w->c->requests.n; i++) {
		const struct lane_crit_request *rq = &w->c->requests.v[i];
		const struct lane_context *ctx = lane_timeline_context(w->timeline, rq->context);

		if (rq->seqno == end->seqno && ctx->ctx == end->ctx && ctx->dev == end->dev)
			w->request = rq;
	}
	return w->request != NULL;
}

bool lane_critical_walk(struct lane_critical *c, const struct lane_timeline *timeline,
			const struct lane_critical_end *end)
{
	struct walk w = { .c = c, .timeline = timeline, .at_ns = c->to_ns };

	c->segments.n = 0;
	if (!find_end(&w, end))
		return false;
	while (w.at_ns > c->from_ns) {
		if (c->no_memory || c->full)
			return false;
		if (++w.edges > MAX_EDGES) {
			unknown(&w, c->from_ns);
			break;
		}
		if (w.request)
			request_step(&w);
		else
			thread_step(&w);
	}
	return !c->no_memory && !c->full;
}
