// SPDX-License-Identifier: MIT
// The critical path of simulated traces held against the truth: it adds up, and each piece is what
// it says.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "latency/critical.h"

struct checker {
	const struct sim_truth *truth;
	struct sim_verdict *verdict;
	const char *name;
	FILE *log;
	unsigned int shout;
	struct lane_timeline *timeline;
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

/* No request runs in that time that is not the one named; where the truth's times are exact. */
static bool runs(const struct checker *c, uint32_t context, uint32_t seqno, uint32_t engine,
		 const struct lane_critical_segment *s)
{
	const struct lane_context *ctx = lane_timeline_context(c->timeline, context);
	const struct lane_engine *eng = lane_timeline_engine(c->timeline, engine);
	const struct sim_truth *t = c->truth;

	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *span = &t->spans[i];
		const struct sim_request *rq = &t->requests[span->request];
		const struct sim_engine *id = &t->engines[span->engine];

		if (id->dev != eng->dev || id->class != eng->class || id->instance != eng->instance)
			continue;
		if (rq->ctx == ctx->ctx && rq->seqno == seqno)
			continue;
		if (span->start_exact && span->end_exact && span->start < s->end_ns &&
		    span->end > s->begin_ns)
			return false;
	}
	return true;
}

static void check_piece(struct checker *c, const struct lane_critical_segment *s)
{
	c->verdict->values++;
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

static struct lane_error *read_all(struct checker *c, const struct lane_trace_info *info,
				   const struct lane_event *events, size_t n,
				   struct lane_critical *critical)
{
	struct lane_hooks hooks = lane_critical_hooks(critical);
	struct lane_error *err = lane_timeline_create(info, NULL, 0, &hooks, &c->timeline);

	for (size_t i = 0; !err && i < n; i++) {
		lane_critical_event(critical, &events[i]);
		err = lane_timeline_push(c->timeline, &events[i]);
	}
	return err ? err : lane_timeline_finish(c->timeline);
}

/* The longest request of the truth, or if by_thread the whole of the thread that submitted it. */
static bool choose(const struct sim_truth *t, bool by_thread, struct lane_critical_end *end,
		   uint64_t *from_ns, uint64_t *to_ns)
{
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
	return *from_ns < *to_ns;
}

static void check_path(struct checker *c, const struct lane_critical_path *path)
{
	uint64_t at = path->from_ns;

	for (size_t i = 0; i < path->n_segments; i++) {
		const struct lane_critical_segment *s = &path->segments[i];

		if (s->begin_ns != at || s->end_ns <= s->begin_ns)
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

struct lane_error *sim_check_critical(const char *name, const struct sim_truth *truth,
				      const struct lane_trace_info *info,
				      const struct lane_event *events, size_t n, bool by_thread,
				      struct sim_verdict *verdict, FILE *log, unsigned int shout)
{
	struct checker c = { truth, verdict, name, log, shout, NULL };
	struct lane_critical *critical = NULL;
	struct lane_critical_path path = { 0 };
	struct lane_critical_end end;
	uint64_t from_ns, to_ns;
	struct lane_error *err;

	if (!choose(truth, by_thread, &end, &from_ns, &to_ns))
		return NULL;
	err = lane_critical_create(from_ns, to_ns, &critical);
	if (!err)
		err = read_all(&c, info, events, n, critical);
	if (!err)
		err = lane_critical_solve(critical, c.timeline, &end, &path);
	if (!err)
		check_path(&c, &path);
	lane_critical_path_free(&path);
	lane_critical_destroy(critical);
	lane_timeline_destroy(c.timeline);
	return err;
}
