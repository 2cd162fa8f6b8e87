/* SPDX-License-Identifier: MIT */
/*
 * The simulation against itself: times in the order of a request's life, one run at a time on an
 * engine, every event possible where it stands.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "gpu.h"
#include "output.h"

static unsigned n_faults;

static void fault(const struct request *rq, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fault(const struct request *rq, const char *format, ...)
{
	va_list args;

	n_faults++;
	if (n_faults > 20)
		return;
	fprintf(stderr, "gpulane-oracle: ");
	if (rq)
		fprintf(stderr, "%" PRIu64 ":%u: ", rq->context->id, rq->seqno);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* -- A request's life -- */

static void check_order(const struct request *rq)
{
	const uint64_t times[] = { rq->queue_at,	  rq->add_at, rq->submit_at, rq->execute_at,
				   rq->runs[0].begin->at, rq->end->at };
	static const char *const names[] = { "queue", "add", "submit", "execute", "start", "end" };
	uint64_t before = 0;

	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (!times[i])
			continue;
		if (times[i] < before)
			fault(rq, "%s comes too early", names[i]);
		before = times[i];
	}
	if (rq->signal_at < rq->end->at || rq->retire_at < rq->end->at)
		fault(rq, "signalled or retired before its end");
	if (rq->is_user != (rq->queue_at != 0))
		fault(rq, "a queue event where there is none, or none");
}

/* Stages add up: the runs and the gaps between them fill the time from start to end. */
static void check_runs(const struct request *rq)
{
	for (int i = 0; i < rq->n_runs; i++) {
		const struct run *run = &rq->runs[i];

		if (!run->end || run->end->at < run->begin->at)
			fault(rq, "run %d has no end", i);
		else if (i && run->begin->at < rq->runs[i - 1].end->at)
			fault(rq, "run %d begins in the one before", i);
	}
	if (rq->runs[rq->n_runs - 1].end != rq->end)
		fault(rq, "its last run does not end with it");
	if (rq->n_preemptions != rq->n_runs - 1)
		fault(rq, "%d runs and %d preemptions", rq->n_runs, rq->n_preemptions);
	for (int i = 0; i < rq->n_preemptions; i++)
		if (rq->preemptions[i].moment != rq->runs[i].end)
			fault(rq, "preemption %d is not where run %d ends", i, i);
}

static bool is_whole(const struct request *rq)
{
	if (rq->n_runs && rq->end && rq->signal_at && rq->retire_at && rq->submit_at &&
	    rq->execute_at)
		return true;
	fault(rq, "has not gone all its way");
	return false;
}

/* -- An engine -- */

static int by_begin(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a, *y = *(const struct run *const *)b;

	if (x->begin->at != y->begin->at)
		return x->begin->at < y->begin->at ? -1 : 1;
	if (x->end->at != y->end->at)
		return x->end->at < y->end->at ? -1 : 1;
	return 0;
}

static void check_engine(const struct engine *engine)
{
	const struct run **runs = NULL;
	size_t n = 0;

	for (struct request *rq = gpu.requests; rq; rq = rq->all_next)
		n += (size_t)rq->n_runs;
	runs = allocate((n + 1) * sizeof(*runs));
	n = 0;
	for (struct request *rq = gpu.requests; rq; rq = rq->all_next)
		for (int i = 0; i < rq->n_runs; i++)
			if (rq->runs[i].engine == engine)
				runs[n++] = &rq->runs[i];
	if (n)
		qsort(runs, n, sizeof(*runs), by_begin);
	for (size_t i = 1; i < n; i++)
		if (runs[i]->begin->at < runs[i - 1]->end->at)
			fault(NULL, "two requests run on engine %d at %" PRIu64, engine->id,
			      runs[i]->begin->at);
}

/* -- Events -- */

struct seen {
	bool is_created, is_queued, is_added, is_submitted, is_out, is_listened, is_signaled,
		is_retired;
	unsigned n_executes, n_unsubmits, n_ins, n_outs;
};

/* By context and seqno; a context's id is its place, plus five. */
static struct seen *seen_of(struct seen *all, size_t stride, const struct event *e)
{
	return &all[(e->ctx - 5) * stride + e->seqno];
}

static const char *execution_fault(struct seen *s, const struct event *e)
{
	switch (e->kind) {
	case TRACE_EXECUTE:
		if (s->n_executes++ != s->n_unsubmits)
			return "executed twice";
		return s->is_submitted ? NULL : "executed before its submission";
	case TRACE_UNSUBMIT:
		return ++s->n_unsubmits == s->n_executes ? NULL : "taken back and not handed over";
	case TRACE_IN:
		s->n_ins++;
		return s->n_executes > s->n_unsubmits ? NULL : "in while it is not handed over";
	default:
		return ++s->n_outs <= s->n_ins ? NULL : "out and not in";
	}
}

static const char *once(bool *flag, bool may)
{
	if (*flag)
		return "comes twice";
	*flag = true;
	return may ? NULL : "comes too early";
}

static const char *event_fault(struct seen *s, const struct event *e)
{
	switch (e->kind) {
	case TRACE_FENCE_INIT:
		return once(&s->is_created, true);
	case TRACE_QUEUE:
		return once(&s->is_queued, s->is_created);
	case TRACE_ADD:
		return once(&s->is_added, s->is_created);
	case TRACE_SUBMIT:
		return once(&s->is_submitted, s->is_created);
	case TRACE_ENABLE_SIGNAL:
		return once(&s->is_listened, s->is_created && !s->is_signaled);
	case TRACE_SIGNALED:
		return once(&s->is_signaled, s->n_executes);
	case TRACE_RETIRE:
		return once(&s->is_retired, s->n_executes);
	case TRACE_EXECUTE:
	case TRACE_UNSUBMIT:
	case TRACE_IN:
	case TRACE_OUT:
		return execution_fault(s, e);
	default:
		return s->is_created || e->kind == TRACE_PORTS ? NULL : "of no request";
	}
}

static void check_events(void)
{
	size_t stride = (size_t)gpu.n_requests * 2 + 4;
	struct seen *all = allocate((size_t)gpu.n_contexts * stride * sizeof(*all));

	for (size_t i = 0; i < n_events; i++) {
		const struct event *e = &events[i];
		const char *what;

		if (i && e->at < events[i - 1].at)
			fault(NULL, "the clock runs back at event %zu", i);
		if (e->kind == TRACE_PORTS)
			continue;
		what = event_fault(seen_of(all, stride, e), e);
		if (what)
			fault(NULL, "%s of %" PRIu64 ":%u at %" PRIu64 ": %s", trace_names[e->kind],
			      e->ctx, e->seqno, e->at, what);
	}
}

/* What is given to a port comes back; up to Linux 5.3 for the last request of each port alone. */
static void check_ports(void)
{
	long ins = 0, outs = 0;

	if (gpu.mode == MODE_GUC || gpu.mode == MODE_RING || gpu.mode == MODE_LEGACY)
		return;
	for (size_t i = 0; i < n_events; i++) {
		ins += events[i].kind == TRACE_IN;
		outs += events[i].kind == TRACE_OUT;
	}
	if (ins != outs)
		fault(NULL, "%ld in, %ld out", ins, outs);
}

unsigned self_check(void)
{
	n_faults = 0;
	for (const struct request *rq = gpu.requests; rq; rq = rq->all_next) {
		if (!is_whole(rq))
			continue;
		check_order(rq);
		check_runs(rq);
	}
	if (n_faults)
		return n_faults;
	for (int i = 0; i < gpu.n_engines; i++)
		check_engine(&gpu.engines[i]);
	check_events();
	check_ports();
	return n_faults;
}
