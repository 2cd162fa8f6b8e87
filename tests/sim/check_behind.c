// SPDX-License-Identifier: MIT
// Whom a request stood behind, held against the truth: in the device's queue behind what ran before
// it on its engine, in the driver's behind what ran there meanwhile.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "latency/latency.h"

struct checker {
	const struct sim_truth *truth;
	const struct lane_trace_info *info;
	struct sim_verdict *verdict;
	enum sim_demand demand;
	const char *name;
	FILE *log;
	unsigned int shout;
	struct lane_latency *latency;
	struct lane_hooks adds_up; /* the latency's own */
	struct lane_timeline *timeline;
	struct job {
		const struct lane_context *context; /* it was told of, NULL: it was not */
		bool is_known;			    /* when it ran */
		bool has_stood;			    /* in the driver's queue, for a known time */
	} * jobs;				    /* by request, of drm_sched's */
	uint32_t *victims; /* by request: the client that it left the driver's queue as */
};

/* A sum over the requests of a client that stood in the driver's queue while a context ran on an
 * engine. */
struct stood {
	uint64_t victim, context; /* ids of the timeline */
	uint32_t engine;	  /* index in the truth */
	uint64_t requests, ns, most_ns;
	uint32_t
		last; /* the request that stood last, and for how long behind one run at the most */
	uint64_t last_ns;
	bool vague; /* the truth does not know, or the timeline cannot */
};

struct sums {
	struct stood *v;
	size_t n, cap;
	bool no_memory;
};

static bool shouts(struct checker *c)
{
	if (!c->shout)
		return false;
	c->shout--;
	return true;
}

static const struct sim_span *first_span(const struct sim_truth *t, uint32_t request)
{
	for (size_t i = 0; i < t->n_spans; i++)
		if (t->spans[i].request == request)
			return &t->spans[i];
	return NULL;
}

/* What ran on its engine before it; NULL: nothing did. */
static const struct sim_span *span_before(const struct sim_truth *t, const struct sim_span *span)
{
	for (size_t i = (size_t)(span - t->spans); i--;)
		if (t->spans[i].engine == span->engine)
			return &t->spans[i];
	return NULL;
}

static bool is_of(const struct sim_truth *t, const struct sim_span *span,
		  const struct lane_context *context)
{
	const struct sim_request *r = &t->requests[span->request];

	return r->ctx == context->ctx && r->dev == context->dev;
}

/*
 * What had left the engine, incomplete or over and unheard, and is over as the span begins may have
 * run again straight before it: nothing tells.
 */
static bool another_may_have_run(const struct sim_truth *t, const struct sim_span *before,
				 const struct sim_span *span)
{
	for (const struct sim_span *left = t->spans; left < span; left++)
		if (left->engine == span->engine && left != before &&
		    (!left->complete || !left->end_exact) &&
		    t->requests[left->request].end <= span->start &&
		    t->requests[left->request].executes > 1)
			return true;
	/* Nor whether what was taken back behind a pause of the ring had begun. */
	for (size_t i = 0; i < t->n_requests; i++)
		if (t->requests[i].unsure && t->requests[i].ran_on == span->engine &&
		    t->requests[i].execute <= span->start)
			return true;
	return false;
}

/*
 * A job of drm_sched in its ring: behind the one that the ring had before. Own numbers of gpulane's
 * are of no context of the truth: then it is the process. NULL: that is right.
 */
static const char *job_fault(const struct sim_truth *t, uint32_t request,
			     const struct lane_request *rq)
{
	const struct sim_request *r = &t->requests[request];
	const struct sim_request *before = r->before == SIM_NO ? NULL : &t->requests[r->before];
	const struct lane_context *told = rq->behind;

	if (!told)
		return NULL;
	if (!before)
		return "nothing ran before it";
	if (told->ctx < LANE_OWN_CONTEXT
		    ? told->ctx != before->ctx
		    : told->client->pid >= 0 && told->client->pid != before->pid)
		return "another context ran before it";
	/* By events it is over at its signal, which the hardware was before. */
	if (before->end != SIM_NONE && before->end <= r->execute)
		return "the ring was free";
	return NULL;
}

/* Whom it stood behind can be seen: when both ran is known. */
static bool job_must_be_behind(const struct checker *c, uint32_t request,
			       const struct lane_request *rq)
{
	const struct sim_request *r = &c->truth->requests[request];
	const struct sim_request *before =
		r->before == SIM_NO ? NULL : &c->truth->requests[r->before];

	if (c->demand != SIM_FULL || !before || !timeline_has_started(rq) ||
	    rq->start.lo != rq->start.hi || rq->start.lo <= r->execute ||
	    !c->jobs[r->before].is_known)
		return false;
	/* What the ring was given between the two and never ran may have, for all that is known. */
	for (size_t i = 0; i < c->truth->n_requests; i++) {
		const struct sim_request *other = &c->truth->requests[i];

		if (other->engine == r->engine && other->execute != SIM_NONE &&
		    other->execute > before->execute && other->execute < r->execute &&
		    !c->jobs[i].is_known)
			return false;
	}
	return true;
}

static void check_job(struct checker *c, uint32_t request, const struct lane_request *rq,
		      const struct lane_stages *stages)
{
	const char *why = job_fault(c->truth, request, rq);

	c->jobs[request] = (struct job){
		.context = rq->context,
		.is_known = timeline_has_started(rq) && rq->state == LANE_RQ_STATE_ENDED &&
			    !(rq->doubt & LANE_DOUBT_END),
		.has_stood = stages->known >> LANE_STAGE_HOST_QUEUE & 1,
	};
	if (!(stages->known & 1u << LANE_STAGE_DEVICE_QUEUE))
		return;
	c->verdict->values++;
	if (why) {
		c->verdict->wrong++;
	} else if (!rq->behind && job_must_be_behind(c, request, rq)) {
		why = "nobody is said to be ahead of it";
		c->verdict->missing++;
	}
	if (why && shouts(c))
		fprintf(c->log, "%s: job %" PRIu64 ".%u behind context %" PRIu64 ": %s\n", c->name,
			rq->context->ctx, rq->seqno, rq->behind ? rq->behind->ctx : 0, why);
}

/* The device's queue. Only what report uses is held against the truth: the stage must be known. */
static void check_device(struct checker *c, const struct lane_request *rq)
{
	const struct sim_truth *t = c->truth;
	uint32_t request = sim_request_of(t, rq);
	const struct sim_span *span = request != SIM_NO ? first_span(t, request) : NULL;
	const struct sim_span *before = span ? span_before(t, span) : NULL;
	bool exact = before && span->start_exact && before->end_exact;
	const char *why = NULL;
	struct lane_stages stages;

	latency_stages_of(c->info, rq, &stages);
	if (t->is_sched && request != SIM_NO)
		check_job(c, request, rq, &stages);
	if (t->is_sched || !span || !(stages.known & 1u << LANE_STAGE_DEVICE_QUEUE))
		return;
	c->verdict->values++;
	if (rq->behind && !before)
		why = "nothing ran before it";
	else if (rq->behind && !is_of(t, before, rq->behind))
		why = "another context ran before it";
	else if (rq->behind && exact && before->end <= t->requests[request].execute)
		why = "the engine was free";
	if (why) {
		c->verdict->wrong++;
	} else if (!rq->behind && exact && c->demand == SIM_FULL && rq->start.lo == rq->start.hi &&
		   t->info.submission != LANE_SUBMISSION_GUC &&
		   before->end > t->requests[request].execute &&
		   !another_may_have_run(t, before, span)) {
		why = "nobody is said to be ahead of it";
		c->verdict->missing++;
	}
	if (why && shouts(c))
		fprintf(c->log, "%s: request %" PRIu64 ".%u behind context %" PRIu64 ": %s\n",
			c->name, rq->context->ctx, rq->seqno, rq->behind ? rq->behind->ctx : 0,
			why);
}

/* The latency is told of everything. */
LANE_HOOKS(SIM_TELL)

static void on_request(void *arg, const struct lane_request *rq)
{
	struct checker *c = arg;

	c->verdict->requests++;
	tell_request(arg, rq);
	check_device(c, rq);
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t at_ns)
{
	struct checker *c = arg;

	tell_state(arg, rq, from, at_ns);
	if (from == LANE_RQ_STATE_HOST && rq->state == LANE_RQ_STATE_DEVICE) {
		uint32_t request = sim_request_of(c->truth, rq);

		if (request != SIM_NO)
			c->victims[request] = timeline_client_of(rq)->id;
	}
}

static const struct lane_context *find_context(const struct checker *c, uint32_t request)
{
	const struct sim_request *r = &c->truth->requests[request];
	const struct lane_context *context;

	if (c->truth->is_sched) /* one of the truth may be told as several */
		return c->jobs[request].context;
	for (uint32_t i = 0; (context = timeline_context(c->timeline, i)); i++)
		if (context->ctx == r->ctx && context->dev == r->dev)
			return context;
	return NULL;
}

static struct stood *sum_of(struct sums *sums, uint64_t victim, uint64_t context, uint32_t engine)
{
	for (size_t i = 0; i < sums->n; i++)
		if (sums->v[i].victim == victim && sums->v[i].context == context &&
		    sums->v[i].engine == engine)
			return &sums->v[i];
	if (sums->n == sums->cap) {
		size_t cap = sums->cap ? 2 * sums->cap : 64;
		struct stood *more = realloc(sums->v, cap * sizeof(*more));

		if (!more) {
			sums->no_memory = true;
			return NULL;
		}
		sums->v = more;
		sums->cap = cap;
	}
	sums->v[sums->n] = (struct stood){ .victim = victim, .context = context, .engine = engine };
	return &sums->v[sums->n++];
}

static bool is_virtual(const struct sim_truth *t, uint32_t engine)
{
	return t->engines[engine].instance == SIM_VIRTUAL_INSTANCE;
}

/* So many runs of an engine are remembered: the rest is blamed on nobody. */
#define REMEMBERED 1000

static uint64_t overlap(const struct sim_request *r, uint64_t from, uint64_t to)
{
	from = from > r->submit ? from : r->submit;
	to = to < r->execute ? to : r->execute;
	return to > from ? to - from : 0;
}

/*
 * For how long a run had the engine while the request stood in the driver's queue. Of a job, by
 * events or by the hardware. One that is reset has its ring until its fence is signalled: others
 * stand behind it as long, though the hardware has stopped.
 */
static uint64_t meanwhile(const struct sim_truth *t, const struct sim_span *span,
			  const struct sim_request *r, uint64_t *most_ns)
{
	const struct sim_request *of = &t->requests[span->request];
	bool is_late = span->hw_start > span->start, is_long = span->hw_end > span->end;
	uint64_t to;

	*most_ns = overlap(r, span->start, span->end);
	if (!t->is_sched)
		return *most_ns;
	to = is_long ? span->hw_end : span->end;
	if (of->status == SIM_WAS_RESET && of->signaled > to)
		to = of->signaled;
	*most_ns = overlap(r, is_late ? span->start : span->hw_start, to);
	return overlap(r, is_late ? span->hw_start : span->start,
		       is_long ? span->end : span->hw_end);
}

/* A ring of which nobody knows how it works may have several jobs at a time. */
static bool has_overlaps(const struct sim_truth *t, uint32_t engine)
{
	for (size_t i = 0; t->is_sched && i < t->n_spans; i++)
		for (size_t k = 0; k < i && t->spans[i].engine == engine; k++)
			if (t->spans[k].engine == engine &&
			    t->spans[k].hw_start < t->spans[i].hw_end &&
			    t->spans[i].hw_start < t->spans[k].hw_end)
				return true;
	return false;
}

/* Nothing is said of such a ring. */
static bool is_unordered(const struct checker *c, uint32_t engine)
{
	const struct lane_engine *told;

	for (uint32_t i = 0; (told = timeline_engine(c->timeline, i)); i++)
		if (told->is_unordered && sim_engine_of(c->truth, told) == engine)
			return true;
	return false;
}

/* Runs at one time count once: then it is the longest, at least. */
static void add_run(struct stood *sum, uint32_t request, uint64_t ns, bool overlaps)
{
	if (sum->last != request + 1)
		sum->last_ns = 0;
	sum->last = request + 1;
	if (!overlaps) {
		sum->ns += ns;
	} else if (ns > sum->last_ns) {
		sum->ns += ns - sum->last_ns;
		sum->last_ns = ns;
	}
}

/* Adds what ran on its engine while a request stood in the driver's queue. */
static void add_request(const struct checker *c, uint32_t request, struct sums *sums)
{
	const struct sim_truth *t = c->truth;
	const struct sim_request *r = &t->requests[request];
	uint32_t engine = is_virtual(t, r->engine) || (t->is_sched && r->executed_on != SIM_NO)
				  ? r->executed_on
				  : r->engine;
	bool vague, overlaps;
	size_t runs = 0;

	if (engine == SIM_NO || r->submit == SIM_NONE || r->execute == SIM_NONE)
		return;
	for (size_t i = 0; i < t->n_spans; i++)
		runs += t->spans[i].engine == engine && t->spans[i].start < r->execute &&
			t->spans[i].end > r->submit;
	/* What was never in the hardware looks as if it may have been. */
	for (size_t i = 0; t->is_sched && i < t->n_requests; i++)
		runs += t->requests[i].engine == engine && t->requests[i].hw_start == SIM_NONE &&
			t->requests[i].execute != SIM_NONE && t->requests[i].execute > r->submit &&
			t->requests[i].execute < r->execute;
	vague = runs > REMEMBERED || sim_has_twin(t, engine) || is_unordered(c, engine);
	overlaps = has_overlaps(t, engine);
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *span = &t->spans[i];
		uint64_t most_ns, ns = meanwhile(t, span, r, &most_ns);
		const struct lane_context *other;
		struct stood *sum;

		if (span->engine != engine)
			continue;
		if ((t->is_sched || (span->start_exact && span->end_exact)) && !most_ns)
			continue;
		other = find_context(c, span->request);
		sum = other ? sum_of(sums, c->victims[request], other->id, engine) : NULL;
		if (!sum)
			continue;
		sum->vague |= vague || (!t->is_sched && (!span->start_exact || !span->end_exact));
		if (!t->is_sched || (c->jobs[span->request].is_known && c->jobs[request].has_stood))
			add_run(sum, request, ns, overlaps);
		sum->most_ns += most_ns;
	}
}

/* What is told of the same victim, context and engine, from the i-th on: of a context of several
 * processes it is told of each. */
static struct lane_span told_of(const struct lane_latency *l, uint32_t i)
{
	const struct lane_blame *first = &l->host_blames[i];
	struct lane_span ns = { 0 };

	for (; i < l->n_host_blames; i++)
		if (l->host_blames[i].victim == first->victim &&
		    l->host_blames[i].context == first->context &&
		    l->host_blames[i].engine == first->engine)
			timeline_span_add(&ns, l->host_blames[i].ns);
	return ns;
}

/* The driver's queue; vague sums are passed over. */
static void check_host(struct checker *c, struct sums *sums)
{
	const struct lane_latency *l = c->latency;

	for (uint32_t i = 0; i < l->n_host_blames; i++) {
		const struct lane_blame *told = &l->host_blames[i];
		struct lane_span ns = told_of(l, i);
		struct stood *sum =
			sum_of(sums, told->victim, told->context,
			       sim_engine_of(c->truth, timeline_engine(c->timeline, told->engine)));

		if (!sum || sum->vague)
			continue;
		c->verdict->values++;
		sum->vague = true; /* seen to */
		if (ns.lo <= sum->most_ns && ns.hi >= sum->ns)
			continue;
		c->verdict->wrong++;
		if (shouts(c))
			fprintf(c->log,
				"%s: client %u behind context %u on engine %u: %" PRIu64
				"..%" PRIu64 " ns, is %" PRIu64 "..%" PRIu64 "\n",
				c->name, told->victim, told->context, told->engine, ns.lo, ns.hi,
				sum->ns, sum->most_ns);
	}
	for (size_t i = 0; i < sums->n; i++) {
		if (sums->v[i].vague || !sums->v[i].ns)
			continue;
		c->verdict->missing++;
		if (shouts(c))
			fprintf(c->log,
				"%s: client %" PRIu64 " behind context %" PRIu64 ": %" PRIu64
				" ns are not said\n",
				c->name, sums->v[i].victim, sums->v[i].context, sums->v[i].ns);
	}
}

static struct lane_error *read_all(struct checker *c, const struct lane_event *events, size_t n)
{
	struct lane_hooks hooks = { .arg = c };
	struct lane_error *err;

#define H(name, parameters, arguments) hooks.name = tell_##name;
	LANE_HOOKS(H)
#undef H
	hooks.request = on_request;
	hooks.state = on_state;
	err = sim_feed(c->info, events, n, &hooks, &c->timeline);
	return err ? err : latency_finish(c->latency, c->timeline);
}

struct lane_error *sim_check_behind(const char *name, const struct sim_truth *truth,
				    const struct lane_trace_info *info,
				    const struct lane_event *events, size_t n,
				    enum sim_demand demand, struct sim_verdict *verdict, FILE *log,
				    unsigned int shout)
{
	static const struct lane_select everything;
	struct lane_latency latency;
	struct checker c = { .truth = truth,
			     .info = info,
			     .verdict = verdict,
			     .demand = demand,
			     .name = name,
			     .log = log,
			     .shout = shout,
			     .latency = &latency };
	struct sums sums = { 0 };
	struct lane_error *err = latency_init(&latency, info, &everything);

	if (err)
		return err;
	c.victims = calloc(truth->n_requests + 1, sizeof(*c.victims));
	c.jobs = calloc(truth->n_requests + 1, sizeof(*c.jobs));
	c.adds_up = latency_hooks(&latency);
	err = c.victims && c.jobs ? read_all(&c, events, n) : &lane_enomem;
	/* A sum over all requests is true only where all events are there. */
	if (!err && demand == SIM_FULL && truth->info.submission != LANE_SUBMISSION_GUC) {
		for (uint32_t i = 0; i < truth->n_requests; i++)
			add_request(&c, i, &sums);
		check_host(&c, &sums);
		if (sums.no_memory)
			err = &lane_enomem;
	}
	free(c.victims);
	free(c.jobs);
	free(sums.v);
	latency_deinit(&latency);
	timeline_destroy(c.timeline);
	return err;
}
