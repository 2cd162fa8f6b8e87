// SPDX-License-Identifier: MIT
// The critical path of simulated traces held against the truth: it adds up, and each piece is what
// it says.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "latency/latency.h"

struct checker {
	const struct sim_truth *truth;
	struct sim_verdict *verdict;
	const char *name;
	FILE *log;
	unsigned int shout;
	enum sim_demand demand;
	const struct lane_trace_info *info;
	struct lane_timeline *timeline;
	struct lane_hooks hooks;   /* the critical path's own */
	struct lane_request *told; /* every request */
	size_t n_told, room;
	bool no_memory;
};

static void wrong(struct checker *c, const struct lane_critical_segment *s, const char *why)
{
	c->verdict->wrong++;
	if (!c->shout)
		return;
	c->shout--;
	fprintf(c->log, "%s: critical path, %s in %" PRIu64 "..%" PRIu64 ": %s\n", c->name,
		lane_critical_kind_names[s->kind], s->begin_ns, s->end_ns, why);
}

/* The thread is in that state all the time. */
static bool is_in_state(const struct sim_truth *t, int32_t tid, enum sim_thread_state state,
			const struct lane_critical_segment *s)
{
	for (size_t i = 0; i < t->n_states; i++) {
		const struct sim_state *is = &t->states[i];

		if (is->tid == tid && is->from < s->end_ns && is->to > s->begin_ns &&
		    is->state != state)
			return false;
	}
	return true;
}

/* The time in which a run of the truth is sure to have been; false: there is none. Of a job, what
 * events tell of its ring and what the hardware did are both right. */
static bool sure_run(const struct sim_truth *t, const struct sim_span *span, uint64_t *from,
		     uint64_t *to)
{
	*from = span->start;
	*to = span->end;
	if (!t->is_sched)
		return span->start_exact && span->end_exact;
	if (span->hw_start > *from)
		*from = span->hw_start;
	if (span->hw_end < *to)
		*to = span->hw_end;
	return *from < *to;
}

/* The request of the truth that was told under that name. */
static uint32_t request_told(const struct checker *c, uint32_t context, uint32_t seqno)
{
	for (size_t i = 0; i < c->n_told; i++)
		if (c->told[i].context->id == context && c->told[i].seqno == seqno)
			return sim_request_of(c->truth, &c->told[i]);
	return sim_request_named(c->truth, timeline_context(c->timeline, context), seqno);
}

/* No request runs in that time that is not the one named, as far as the piece is sure to reach and
 * the truth's times are exact. A piece that may have lasted no time says nothing. */
static bool runs(const struct checker *c, uint32_t context, uint32_t seqno, uint32_t engine,
		 const struct lane_critical_segment *s)
{
	uint32_t ring = sim_engine_of(c->truth, timeline_engine(c->timeline, engine));
	uint32_t named = request_told(c, context, seqno);
	const struct sim_truth *t = c->truth;
	uint64_t from, to;

	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *span = &t->spans[i];

		if (span->engine != ring || span->request == named)
			continue;
		if (s->lasted.lo && sure_run(t, span, &from, &to) &&
		    from < s->begin_ns + s->lasted.lo && to > s->begin_ns)
			return false;
	}
	return true;
}

static void check_piece(struct checker *c, const struct lane_critical_segment *s)
{
	c->verdict->values++;
	if (!c->truth)
		return;
	if (s->kind == LANE_CRITICAL_COMPUTING &&
	    !is_in_state(c->truth, s->tid, SIM_RUNNING_ON_CPU, s))
		wrong(c, s, "the thread does not run");
	if (s->kind == LANE_CRITICAL_RUNQUEUE && !is_in_state(c->truth, s->tid, SIM_RUNNABLE, s))
		wrong(c, s, "the thread is not runnable");
	if ((s->kind == LANE_CRITICAL_BLOCKED || s->kind == LANE_CRITICAL_WAKE) &&
	    !is_in_state(c->truth, s->tid, SIM_BLOCKED, s))
		wrong(c, s, "the thread is not blocked");
	if (s->kind == LANE_CRITICAL_RUNNING && !runs(c, s->context, s->seqno, s->engine, s))
		wrong(c, s, "another request runs");
	if (s->by_context != LANE_CRITICAL_NONE &&
	    !runs(c, s->by_context, s->by_seqno, s->engine, s))
		wrong(c, s, "another request than the one named runs");
}

/* The longest request of the truth, or if by_thread the whole of the thread that submitted it. */
static bool choose(const struct checker *c, bool by_thread, struct lane_critical_end *end,
		   uint64_t *from_ns, uint64_t *to_ns)
{
	const struct sim_truth *t = c->truth;
	const struct sim_request *longest = NULL;

	for (size_t i = 0; i < t->n_requests; i++) {
		const struct sim_request *r = &t->requests[i];

		if (r->add == SIM_NONE || r->signaled == SIM_NONE || r->tid <= 0)
			continue;
		if (!longest || r->signaled - r->add > longest->signaled - longest->add)
			longest = r;
	}
	if (!longest)
		return false;
	*from_ns = by_thread ? t->begin_ns : longest->add;
	*to_ns = by_thread ? t->end_ns : longest->signaled;
	*end = (struct lane_critical_end){ by_thread ? longest->tid : -1, longest->ctx,
					   longest->dev, longest->seqno };
	/* A job's context may be a number of gpulane's own, and its device has one. */
	for (size_t i = 0; t->is_sched && !by_thread && i < c->n_told; i++)
		if (sim_request_of(t, &c->told[i]) == (uint32_t)(longest - t->requests)) {
			end->ctx = c->told[i].context->ctx;
			end->dev = c->told[i].context->dev;
			end->seqno = c->told[i].seqno;
		}
	return *from_ns < *to_ns;
}

static void check_path(struct checker *c, const struct lane_critical_path *path)
{
	uint64_t at = path->from_ns;

	for (size_t i = 0; i < path->n_segments; i++) {
		const struct lane_critical_segment *s = &path->segments[i];

		if (s->begin_ns != at || s->end_ns < s->begin_ns || !s->lasted.hi ||
		    s->lasted.lo > s->end_ns - s->begin_ns ||
		    s->lasted.hi < s->end_ns - s->begin_ns)
			wrong(c, s, "it does not begin where the one before ends");
		at = s->end_ns;
		check_piece(c, s);
	}
	if (at != path->to_ns) {
		c->verdict->wrong++;
		fprintf(c->log, "%s: critical path: ends at %" PRIu64 ", not %" PRIu64 "\n",
			c->name, at, path->to_ns);
	}
}

/* The kinds that are stages of a request, without prepare: there its thread is followed. */
static const struct {
	enum lane_critical_kind kind;
	enum lane_stage stage;
} kinds[] = {
	{ LANE_CRITICAL_DEPENDENCY, LANE_STAGE_DEPENDENCY },
	{ LANE_CRITICAL_HOST_QUEUE, LANE_STAGE_HOST_QUEUE },
	{ LANE_CRITICAL_DEVICE_QUEUE, LANE_STAGE_DEVICE_QUEUE },
	{ LANE_CRITICAL_RUNNING, LANE_STAGE_RUNNING },
	{ LANE_CRITICAL_PREEMPTED, LANE_STAGE_PREEMPTED },
	{ LANE_CRITICAL_SIGNAL, LANE_STAGE_SIGNAL },
};

static void differs(struct checker *c, const struct lane_request *rq, const char *what,
		    struct lane_span path, struct lane_span stage)
{
	c->verdict->values++;
	if (path.lo == stage.lo && path.hi == stage.hi)
		return;
	c->verdict->wrong++;
	if (!c->shout)
		return;
	c->shout--;
	fprintf(c->log,
		"%s: critical path of %u/%" PRIu64 "/%u: %s is %" PRIu64 "..%" PRIu64
		", the request's %" PRIu64 "..%" PRIu64 "\n",
		c->name, rq->context->dev, rq->context->ctx, rq->seqno, what, path.lo, path.hi,
		stage.lo, stage.hi);
}

/* Where the request's own path begins: its submit, if that came out of another's signal; not
 * before its add. */
static int first_own(const struct lane_request *rq, const struct lane_points *p)
{
	int first = rq->after ? LANE_POINT_SUBMIT : LANE_POINT_ADD;

	while (first < LANE_POINT_COUNT && !p->known[first])
		first++;
	return first;
}

/* The sums by kind of the path of a request are its stages; what is unknown of it is unknown. */
static struct lane_error *check_sums(struct checker *c, struct lane_critical *critical,
				     const struct lane_request *rq)
{
	struct lane_critical_end end = { -1, rq->context->ctx, rq->context->dev, rq->seqno };
	struct lane_critical_path path;
	struct lane_span unknown = { 0, 0 };
	struct lane_stages stages;
	struct lane_points p;
	struct lane_error *err;
	int first, last = LANE_POINT_COUNT - 1;
	enum lane_stage from_stage;

	latency_points_of(c->info, rq, &p);
	latency_stages_of(c->info, rq, &stages);
	first = first_own(rq, &p);
	while (last > first && !p.known[last])
		last--;
	if (first >= last || p.at[first].lo >= p.at[last].hi)
		return NULL;
	from_stage = first == LANE_POINT_END ? LANE_STAGE_SIGNAL : (enum lane_stage)first;
	/* The path begins at the first possible time; from there to the end is not known. */
	unknown.hi = p.at[first].hi - p.at[first].lo;
	err = latency_critical_solve(critical, c->timeline, p.at[first].lo, p.at[last].hi, &end,
				     &path);
	if (err)
		return err;
	check_path(c, &path);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].stage >= from_stage)
			differs(c, rq, lane_critical_kind_names[kinds[i].kind],
				path.kinds[kinds[i].kind], stages.ns[kinds[i].stage]);
	for (unsigned int i = 0; i < stages.n_gaps; i++)
		if (stages.gaps[i].stages >> from_stage)
			timeline_span_add(&unknown, stages.gaps[i].ns);
	differs(c, rq, "unknown", path.kinds[LANE_CRITICAL_UNKNOWN], unknown);
	latency_critical_path_free(&path);
	return NULL;
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct checker *c = arg;
	struct lane_request *more;

	c->hooks.request(c->hooks.arg, rq);
	c->verdict->requests++;
	if (c->n_told == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		more = realloc(c->told, c->room * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->told = more;
	}
	c->told[c->n_told++] = *rq;
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct checker *c = arg;

	c->hooks.run(c->hooks.arg, run);
}

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	struct checker *c = arg;

	c->hooks.preemption(c->hooks.arg, preemption);
}

static void on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct checker *c = arg;

	c->hooks.thread(c->hooks.arg, interval);
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct checker *c = arg;

	c->hooks.starvation(c->hooks.arg, starvation);
}

/* The path of the longest request, or of its thread. */
static struct lane_error *check_longest(struct checker *c, struct lane_critical *critical,
					bool by_thread)
{
	struct lane_critical_path path = { 0 };
	struct lane_critical_end end;
	uint64_t from_ns, to_ns;
	struct lane_error *err;

	if (!choose(c, by_thread, &end, &from_ns, &to_ns))
		return NULL;
	err = latency_critical_solve(critical, c->timeline, from_ns, to_ns, &end, &path);
	if (err && c->demand == SIM_SOUND) { /* it was lost */
		lane_error_free(err);
		return NULL;
	}
	if (!err)
		check_path(c, &path);
	latency_critical_path_free(&path);
	return err;
}

static struct lane_error *check_all(struct checker *c, struct lane_critical *critical)
{
	struct lane_error *err = c->truth ? check_longest(c, critical, false) : NULL;

	if (!err && c->truth)
		err = check_longest(c, critical, true);
	for (size_t i = 0; !err && i < c->n_told; i++)
		err = check_sums(c, critical, &c->told[i]);
	return err;
}

struct lane_error *sim_check_critical(const char *name, const struct sim_truth *truth,
				      const struct lane_trace_info *info,
				      const struct lane_event *events, size_t n,
				      enum sim_demand demand, struct sim_verdict *verdict,
				      FILE *log, unsigned int shout)
{
	struct checker c = { .truth = truth,
			     .info = info,
			     .verdict = verdict,
			     .demand = demand,
			     .name = name,
			     .log = log,
			     .shout = shout };
	struct lane_critical *critical = NULL;
	struct lane_hooks hooks = { .arg = &c,
				    .request = on_request,
				    .run = on_run,
				    .preemption = on_preemption,
				    .thread = on_thread,
				    .starvation = on_starvation };
	struct lane_error *err = latency_critical_create(info, 0, UINT64_MAX, &critical);

	if (!err) {
		c.hooks = latency_critical_hooks(critical);
		err = sim_feed(info, events, n, &hooks, &c.timeline);
	}
	if (!err)
		err = c.no_memory ? &lane_enomem : check_all(&c, critical);
	free(c.told);
	latency_critical_destroy(critical);
	timeline_destroy(c.timeline);
	return err;
}
