// SPDX-License-Identifier: MIT
// The walk back along the critical path: from a thread to its waker or its request, from a request
// to the request or thread that it waited for.
#include "latency/critical_internal.h"

#include <string.h>

#include "base/sort.h"

/* Most steps at one time. Steps of no length can lead around in a circle. */
#define MAX_EDGES 256

struct critical_walk {
	struct lane_critical *c;
	const struct lane_timeline *timeline;
	uint64_t from_ns;
	struct lane_span at;			 /* the path is found from here to its end */
	int32_t tid;				 /* the thread at `at`, if request is NULL */
	const struct lane_crit_request *request; /* the request at `at`, NULL: a thread */
	uint32_t engine;			 /* request: its engine at that time */
	int above, below;    /* request: known points after and before `at`, or NO_POINT */
	uint32_t client;     /* thread: client of the request it built, if its state is not known */
	uint64_t prepare_ns; /* thread: builds a request from then on; LANE_NEVER: builds none */
	bool is_summed;	     /* the sums by kind have the next pieces already */
	unsigned int edges;  /* steps without the time going back */
};

#define NO_POINT (-1)

/* Cuts a time to the part of the interval that is not walked yet. */
static struct lane_span on_path(const struct critical_walk *w, struct lane_span time)
{
	time.lo = time.lo > w->from_ns ? time.lo : w->from_ns;
	time.hi = time.hi > w->from_ns ? time.hi : w->from_ns;
	time.lo = time.lo < w->at.lo ? time.lo : w->at.lo;
	time.hi = time.hi < w->at.hi ? time.hi : w->at.hi;
	return time;
}

static void add_kind(struct critical_walk *w, enum lane_critical_kind kind, struct lane_span lasted)
{
	struct lane_span *kinds = w->c->kinds;

	if (kind == LANE_CRITICAL_ON_AND_OFF) {
		kinds[LANE_CRITICAL_RUNNING].hi += lasted.hi;
		kinds[LANE_CRITICAL_PREEMPTED].hi += lasted.hi;
		return;
	}
	timeline_span_add(&kinds[kind], lasted);
}

static void set_owner(struct critical_walk *w, struct lane_critical_segment *segment);

/* Adds the piece from begin to `at`, and moves `at` back. NULL: the piece is empty. */
static struct lane_critical_segment *piece(struct critical_walk *w, struct lane_span begin,
					   enum lane_critical_kind kind)
{
	struct lane_critical_segment *segment;
	struct lane_span end = w->at, lasted;

	begin = on_path(w, begin);
	lasted = timeline_span_between(begin, end);
	w->at = begin;
	if (!lasted.hi)
		return NULL;
	if (begin.hi < end.hi)
		w->edges = 0;
	if (!w->is_summed)
		add_kind(w, kind, lasted);
	if (begin.hi >= end.hi && !lasted.lo && kind == LANE_CRITICAL_RUNNING)
		return NULL; /* at the latest possible times the run has no length */
	segment = LANE_CRIT_PUSH(w->c, segments);
	if (!segment)
		return NULL;
	*segment = (struct lane_critical_segment){
		.begin_ns = begin.hi,
		.end_ns = end.hi,
		.begin = begin,
		.end = end,
		.lasted = lasted,
		.kind = kind,
		.tid = w->request ? -1 : w->tid,
		.by_tid = -1,
		.context = w->request ? w->request->context : LANE_CRITICAL_NONE,
		.seqno = w->request ? w->request->seqno : 0,
		.engine = LANE_CRITICAL_NONE,
		.by_context = LANE_CRITICAL_NONE,
	};
	set_owner(w, segment);
	return segment;
}

/* The number of states before (tid, at_ns) in the sorted order (by_thread of critical.c). */
static size_t states_before(const struct lane_critical *c, int32_t tid, uint64_t at_ns)
{
	const struct lane_crit_state *s = c->states.v;

	return LANE_BEFORE(c->states.n, i,
			   s[i].tid < tid || (s[i].tid == tid && s[i].begin_ns < at_ns));
}

/* The last state of a thread that begins before at_ns, NULL: none. */
static const struct lane_crit_state *state_before(const struct lane_critical *c, int32_t tid,
						  uint64_t at_ns)
{
	size_t n = states_before(c, tid, at_ns);

	return n && c->states.v[n - 1].tid == tid ? &c->states.v[n - 1] : NULL;
}

/* state_before, or the thread's first state. */
static const struct lane_crit_state *state_near(const struct lane_critical *c, int32_t tid,
						uint64_t at_ns)
{
	const struct lane_crit_state *before = state_before(c, tid, at_ns);
	size_t n = states_before(c, tid, at_ns);

	if (before)
		return before;
	return n < c->states.n && c->states.v[n].tid == tid ? &c->states.v[n] : NULL;
}

static const struct lane_crit_slice *slice_before(const struct lane_critical *c, int32_t tid,
						  uint64_t at_ns)
{
	const struct lane_crit_slice *s = c->slices.v;
	size_t n = LANE_BEFORE(c->slices.n, i,
			       s[i].victim < tid || (s[i].victim == tid && s[i].begin_ns < at_ns));

	return n && s[n - 1].victim == tid ? &s[n - 1] : NULL;
}

/* The last run of an engine that begins before at_ns, NULL: none. */
static const struct lane_crit_run *run_before(const struct lane_critical *c, uint32_t engine,
					      uint64_t at_ns)
{
	const struct lane_crit_run *r = c->runs.v;
	size_t n = LANE_BEFORE(c->runs.n, i,
			       r[i].engine < engine ||
				       (r[i].engine == engine && r[i].begin.hi < at_ns));

	return n && r[n - 1].engine == engine ? &r[n - 1] : NULL;
}

static const struct lane_crit_request *critical_path_request_of(const struct lane_critical *c,
								uint32_t context, uint32_t seqno)
{
	uintptr_t at = (uintptr_t)lane_table_get(&c->by_request, context, seqno);

	return at ? &c->requests.v[at - 1] : NULL;
}

/* Sets the client of the segment, and the thread's name at that time. */
static void set_owner(struct critical_walk *w, struct lane_critical_segment *segment)
{
	const struct lane_crit_state *state;
	const struct lane_thread *thread;

	if (w->request) {
		segment->client = w->request->client;
		return;
	}
	state = state_near(w->c, w->tid, segment->end_ns);
	thread = timeline_thread(w->timeline, w->tid);
	segment->client = state ? state->client : w->client;
	if (state)
		memcpy(segment->comm, state->comm, sizeof(segment->comm));
	else if (thread)
		memcpy(segment->comm, thread->comm, sizeof(segment->comm));
}

/* Adds a piece of which no state is known. A thread that built a request then gets `prepare`. */
static void critical_path_unknown(struct critical_walk *w, uint64_t begin_ns)
{
	if (!w->request && w->prepare_ns < w->at.hi)
		piece(w, timeline_span_exact(begin_ns > w->prepare_ns ? begin_ns : w->prepare_ns),
		      LANE_CRITICAL_PREPARE);
	else
		piece(w, timeline_span_exact(begin_ns), LANE_CRITICAL_UNKNOWN);
}

static void to_thread(struct critical_walk *w, int32_t tid, uint32_t client, uint64_t prepare_ns)
{
	w->request = NULL;
	w->tid = tid;
	w->client = client;
	w->prepare_ns = prepare_ns;
}

static int known_below(const struct lane_crit_request *rq, int point)
{
	while (--point >= 0)
		if (rq->points.known[point])
			return point;
	return NO_POINT;
}

static void to_request(struct critical_walk *w, const struct lane_crit_request *rq)
{
	w->request = rq;
	w->engine = rq->engine;
	w->above = NO_POINT;
	w->below = known_below(rq, LANE_POINT_COUNT);
	while (w->below != NO_POINT && rq->points.at[w->below].hi > w->at.hi) {
		w->above = w->below;
		w->below = known_below(rq, w->below);
	}
	/* `at` is the last time of the request: the path gets the bounds of that time. */
	if (w->above == NO_POINT && w->below != NO_POINT &&
	    rq->points.at[w->below].hi == w->at.hi) {
		w->at = rq->points.at[w->below];
		w->above = w->below;
		w->below = known_below(rq, w->below);
	}
}

/* A runnable thread, back to begin_ns: a piece for each thread that had its CPU. */
static void runqueue(struct critical_walk *w, uint64_t begin_ns)
{
	while (w->at.hi > begin_ns && w->at.hi > w->from_ns) {
		uint64_t at_ns = w->at.hi;
		const struct lane_crit_slice *slice = slice_before(w->c, w->tid, at_ns);
		bool covers = slice && slice->end_ns >= at_ns;
		const struct lane_crit_state *state;
		uint64_t from_ns = begin_ns;
		struct lane_critical_segment *segment;

		if (covers && slice->begin_ns > from_ns)
			from_ns = slice->begin_ns;
		else if (slice && !covers && slice->end_ns > from_ns)
			from_ns = slice->end_ns;
		segment = piece(w, timeline_span_exact(from_ns), LANE_CRITICAL_RUNQUEUE);
		if (!segment)
			return;
		segment->by_tid = covers ? slice->tid : -1;
		if (!covers)
			continue;
		memcpy(segment->by_comm, slice->comm, sizeof(segment->by_comm));
		state = state_before(w->c, slice->tid, at_ns);
		segment->client =
			state && state->end_ns >= at_ns ? state->client : LANE_CRITICAL_NONE;
	}
}

static uint64_t signal_of(const struct lane_crit_request *rq)
{
	return rq->points.known[LANE_POINT_SIGNALLED] && !rq->points.is_only_done
		       ? rq->points.at[LANE_POINT_SIGNALLED].hi
		       : 0;
}

/* A blocked thread: on with the request that it waited for, or with its waker. */
static void blocked(struct critical_walk *w, const struct lane_crit_state *state)
{
	const struct lane_crit_request *rq =
		state->wait_context == LANE_CRITICAL_NONE
			? NULL
			: critical_path_request_of(w->c, state->wait_context, state->wait_seqno);
	uint64_t signal_ns = rq ? signal_of(rq) : 0, at_ns = w->at.hi;
	const struct lane_crit_state *waker;

	if (rq && signal_ns > state->begin_ns && signal_ns <= at_ns) {
		piece(w, timeline_span_exact(signal_ns), LANE_CRITICAL_WAKE);
		to_request(w, rq);
		return;
	}
	if (rq && (!signal_ns || signal_ns > at_ns)) { /* the thread still waits at `at` */
		to_request(w, rq);
		return;
	}
	if (!rq && state->waker > 0 && state->waker != w->tid && state->end_ns == at_ns) {
		waker = state_before(w->c, state->waker, at_ns);
		if (waker && waker->end_ns >= at_ns && waker->state == LANE_THREAD_RUNNING) {
			to_thread(w, state->waker, LANE_CRITICAL_NONE, LANE_NEVER);
			return;
		}
	}
	piece(w, timeline_span_exact(state->begin_ns), LANE_CRITICAL_BLOCKED);
}

static void thread_step(struct critical_walk *w)
{
	const struct lane_crit_state *state = state_before(w->c, w->tid, w->at.hi);

	if (!state) {
		critical_path_unknown(w, w->from_ns);
		return;
	}
	if (state->end_ns < w->at.hi) {
		critical_path_unknown(w, state->end_ns);
		return;
	}
	switch (state->state) {
	case LANE_THREAD_RUNNING:
		piece(w, timeline_span_exact(state->begin_ns), LANE_CRITICAL_COMPUTING);
		break;
	case LANE_THREAD_RUNNABLE:
		runqueue(w, state->begin_ns);
		break;
	case LANE_THREAD_BLOCKED:
		blocked(w, state);
		break;
	default:
		critical_path_unknown(w, state->begin_ns);
	}
}

/* For half of the request's piece or longer the thread that had to act had no CPU. */
static void note_actor(struct critical_walk *w, struct lane_critical_segment *segment,
		       enum lane_actor actor)
{
	const struct lane_cpu_culprit *by = &w->request->starved_by[actor];

	if (!segment || by->tid <= 0 || by->ns < segment->lasted.hi / 2)
		return;
	segment->by_tid = by->tid;
	segment->client = LANE_CRITICAL_NONE;
	memcpy(segment->by_comm, by->comm, sizeof(segment->by_comm));
}

/* Adds a piece back to begin, with the run that had the engine. run NULL: not known. */
static void critical_path_behind(struct critical_walk *w, struct lane_span begin,
				 enum lane_critical_kind kind, const struct lane_crit_run *run)
{
	const struct lane_crit_request *rq = w->request;
	struct lane_critical_segment *segment = piece(w, begin, kind);

	if (!segment)
		return;
	segment->engine = w->engine;
	if (!run && kind == LANE_CRITICAL_HOST_QUEUE)
		note_actor(w, segment, LANE_ACTOR_HAND_OVER);
	if (!run || (run->context == rq->context && run->seqno == rq->seqno))
		return;
	segment->by_context = run->context;
	segment->by_seqno = run->seqno;
	segment->client = run->client;
}

/* Back to begin: a piece for each run of the request's engine. */
static void along_engine(struct critical_walk *w, struct lane_span begin,
			 enum lane_critical_kind kind)
{
	for (;;) {
		const struct lane_crit_run *run = run_before(w->c, w->engine, w->at.hi);
		bool covers = run && run->end.hi >= w->at.hi;
		struct lane_span cut = begin;

		if (covers && run->begin.hi > begin.hi)
			cut = run->begin;
		else if (run && !covers && run->end.hi > begin.hi)
			cut = run->end;
		if (cut.lo < begin.lo)
			cut.lo = begin.lo;
		critical_path_behind(w, cut, kind, covers ? run : NULL);
		if (cut.hi <= begin.hi || w->at.hi <= w->from_ns || w->c->no_memory ||
		    w->c->is_full)
			return;
	}
}

/* The preemptions of a request, by time; *n: their number. */
static const struct lane_crit_preemption *
preemptions_of(const struct lane_critical *c, const struct lane_crit_request *rq, size_t *n)
{
	const struct lane_crit_preemption *p = c->preemptions.v;
	size_t first = LANE_BEFORE(c->preemptions.n, i,
				   p[i].context < rq->context ||
					   (p[i].context == rq->context && p[i].seqno < rq->seqno));

	for (*n = 0; first + *n < c->preemptions.n && p[first + *n].context == rq->context &&
		     p[first + *n].seqno == rq->seqno;)
		++*n;
	return &p[first];
}

static bool critical_path_same(struct lane_span a, struct lane_span b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

/* The preemptions add up to the request's stage `preempted`. */
static bool add_up(const struct lane_crit_request *rq,
		   const struct lane_crit_preemption *preemptions, size_t n)
{
	struct lane_span sum = { 0, 0 };

	for (size_t i = 0; i < n; i++)
		timeline_span_add(&sum, preemptions[i].lasted);
	return critical_path_same(sum, rq->preempted);
}

/* When the request ran again: from the begin and the length of its preemption. */
static struct lane_span resumed_at(const struct lane_crit_preemption *preemption)
{
	struct lane_span back = { preemption->at.lo, preemption->at.lo + preemption->lasted.hi };

	if (preemption->lasted.lo)
		back.lo = preemption->at.hi + preemption->lasted.lo;
	return back;
}

/* From the end of a request back to its first execute. is_whole: all of that is on the path. */
static void on_hardware(struct critical_walk *w, bool is_whole)
{
	const struct lane_crit_request *rq = w->request;
	const struct lane_crit_preemption *preemptions;
	size_t n;

	if (is_whole) {
		timeline_span_add(&w->c->kinds[LANE_CRITICAL_DEVICE_QUEUE], rq->device);
		timeline_span_add(&w->c->kinds[LANE_CRITICAL_RUNNING], rq->running);
		timeline_span_add(&w->c->kinds[LANE_CRITICAL_PREEMPTED], rq->preempted);
	}
	w->is_summed = is_whole;
	preemptions = preemptions_of(w->c, rq, &n);
	if (add_up(rq, preemptions, n)) {
		while (n--) {
			critical_path_behind(w, resumed_at(&preemptions[n]), LANE_CRITICAL_RUNNING,
					     NULL);
			w->engine = preemptions[n].engine;
			along_engine(w, preemptions[n].at, LANE_CRITICAL_PREEMPTED);
		}
		critical_path_behind(w, rq->start, LANE_CRITICAL_RUNNING, NULL);
	} else {
		critical_path_behind(w, rq->start, LANE_CRITICAL_ON_AND_OFF, NULL);
	}
	along_engine(w, rq->points.at[LANE_POINT_EXECUTE], LANE_CRITICAL_DEVICE_QUEUE);
	w->is_summed = false;
}

/* From the first execute back to the submit. is_whole: all of that is on the path. */
static void on_host(struct critical_walk *w, bool is_whole)
{
	struct lane_span submit = w->request->points.at[LANE_POINT_SUBMIT];

	if (is_whole)
		add_kind(w, LANE_CRITICAL_HOST_QUEUE, timeline_span_between(submit, w->at));
	w->is_summed = is_whole;
	along_engine(w, submit, LANE_CRITICAL_HOST_QUEUE);
	w->is_summed = false;
}

/* A request that waits for fences: on with the request whose signal caused the submit. */
static void dependency_step(struct critical_walk *w)
{
	const struct lane_crit_request *rq = w->request;
	uint64_t add_ns = rq->points.at[LANE_POINT_ADD].hi;
	const struct lane_crit_request *on =
		rq->after == LANE_CRITICAL_NONE
			? NULL
			: critical_path_request_of(w->c, rq->after, rq->after_seqno);
	uint64_t signal_ns = on && on != rq ? signal_of(on) : 0;

	if (signal_ns > add_ns && signal_ns <= w->at.hi) {
		piece(w, timeline_span_exact(signal_ns), LANE_CRITICAL_DEPENDENCY);
		to_request(w, on);
		return;
	}
	piece(w, timeline_span_exact(add_ns), LANE_CRITICAL_DEPENDENCY);
}

/* Before the first known time of a request: on with the thread that built the request. */
static void to_builder(struct critical_walk *w)
{
	const struct lane_crit_request *rq = w->request;

	if ((w->above == LANE_POINT_ADD || w->above == LANE_POINT_QUEUE) && rq->tid > 0)
		to_thread(w, rq->tid, rq->client, LANE_NEVER);
	else
		critical_path_unknown(w, w->from_ns);
}

static void request_step(struct critical_walk *w)
{
	const struct lane_crit_request *rq = w->request;
	int from = w->below, to = w->above;
	bool is_whole;

	if (from == NO_POINT) {
		to_builder(w);
		return;
	}
	is_whole = to != NO_POINT && critical_path_same(w->at, rq->points.at[to]) &&
		   rq->points.at[from].lo >= w->from_ns;
	w->above = from;
	w->below = known_below(rq, from);
	if (to != from + 1 || (from == LANE_POINT_EXECUTE && !rq->has_run) ||
	    (from == LANE_POINT_END && rq->points.is_only_done))
		piece(w, rq->points.at[from], LANE_CRITICAL_UNKNOWN);
	else if (from == LANE_POINT_END)
		note_actor(w, piece(w, rq->points.at[from], LANE_CRITICAL_SIGNAL),
			   LANE_ACTOR_SIGNAL);
	else if (from == LANE_POINT_EXECUTE)
		on_hardware(w, is_whole);
	else if (from == LANE_POINT_SUBMIT)
		on_host(w, is_whole);
	else if (from == LANE_POINT_ADD)
		dependency_step(w);
	else if (rq->tid > 0)
		to_thread(w, rq->tid, rq->client, rq->points.at[LANE_POINT_QUEUE].hi);
	else
		piece(w, rq->points.at[from], LANE_CRITICAL_PREPARE);
}

static bool find_end(struct critical_walk *w, const struct lane_critical_end *end)
{
	if (end->tid >= 0) {
		to_thread(w, end->tid, LANE_CRITICAL_NONE, LANE_NEVER);
		return true;
	}
	for (size_t i = 0; i < w->c->requests.n; i++) {
		const struct lane_crit_request *rq = &w->c->requests.v[i];
		const struct lane_context *ctx = timeline_context(w->timeline, rq->context);

		if (rq->seqno == end->seqno && ctx->ctx == end->ctx &&
		    (ctx->dev == end->dev || end->dev == LANE_CRITICAL_NONE)) {
			to_request(w, rq);
			return true;
		}
	}
	return false;
}

bool latency_critical_walk(struct lane_critical *c, const struct lane_timeline *timeline,
			   uint64_t from_ns, uint64_t to_ns, const struct lane_critical_end *end)
{
	struct critical_walk w = {
		.c = c, .timeline = timeline, .from_ns = from_ns, .at = timeline_span_exact(to_ns)
	};

	c->segments.n = 0;
	memset(c->kinds, 0, sizeof(c->kinds));
	if (!find_end(&w, end))
		return false;
	while (w.at.hi > from_ns) {
		if (c->no_memory || c->is_full)
			return false;
		if (++w.edges > MAX_EDGES) {
			piece(&w, timeline_span_exact(from_ns), LANE_CRITICAL_UNKNOWN);
			break;
		}
		if (w.request)
			request_step(&w);
		else
			thread_step(&w);
	}
	return !c->no_memory && !c->is_full;
}
