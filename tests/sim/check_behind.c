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
	uint32_t *victims; /* by request: the client that it left the driver's queue as */
};

/* A sum over the requests of a client that stood in the driver's queue while a context ran on an
 * engine. */
struct stood {
	uint64_t victim, context; /* ids of the timeline */
	uint32_t engine;	  /* index in the truth */
	uint64_t requests, ns;
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

static uint32_t find_request(const struct sim_truth *t, const struct lane_request *rq)
{
	for (uint32_t i = 0; i < t->n_requests; i++)
		if (t->requests[i].ctx == rq->context->ctx &&
		    t->requests[i].dev == rq->context->dev && t->requests[i].seqno == rq->seqno)
			return i;
	return SIM_NO;
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

/* The device's queue. Only what report uses is held against the truth: the stage must be known. */
static void check_device(struct checker *c, const struct lane_request *rq)
{
	const struct sim_truth *t = c->truth;
	uint32_t request = find_request(t, rq);
	const struct sim_span *span = request != SIM_NO ? first_span(t, request) : NULL;
	const struct sim_span *before = span ? span_before(t, span) : NULL;
	bool exact = before && span->start_exact && before->end_exact;
	const char *why = NULL;
	struct lane_stages stages;

	latency_stages_of(c->info, rq, &stages);
	if (!span || !(stages.known & 1u << LANE_STAGE_DEVICE_QUEUE))
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

static void on_request(void *arg, const struct lane_request *rq)
{
	struct checker *c = arg;

	c->verdict->requests++;
	c->adds_up.request(c->adds_up.arg, rq);
	check_device(c, rq);
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t at_ns)
{
	struct checker *c = arg;

	c->adds_up.state(c->adds_up.arg, rq, from, at_ns);
	if (from == LANE_RQ_STATE_HOST && rq->state == LANE_RQ_STATE_DEVICE) {
		uint32_t request = find_request(c->truth, rq);

		if (request != SIM_NO)
			c->victims[request] = rq->context->client->id;
	}
}

static const struct lane_context *find_context(const struct checker *c, uint32_t request)
{
	const struct sim_request *r = &c->truth->requests[request];
	const struct lane_context *context;

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
#define REMEMBERED 128

/* Adds what ran on its engine while a request stood in the driver's queue. */
static void add_request(const struct checker *c, uint32_t request, struct sums *sums)
{
	const struct sim_truth *t = c->truth;
	const struct sim_request *r = &t->requests[request];
	uint32_t engine = is_virtual(t, r->engine) ? r->executed_on : r->engine;
	bool vague;
	size_t runs = 0;

	if (engine == SIM_NO || r->submit == SIM_NONE || r->execute == SIM_NONE)
		return;
	for (size_t i = 0; i < t->n_spans; i++)
		runs += t->spans[i].engine == engine && t->spans[i].start < r->execute &&
			t->spans[i].end > r->submit;
	vague = runs > REMEMBERED;
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *span = &t->spans[i];
		uint64_t from = span->start > r->submit ? span->start : r->submit;
		uint64_t to = span->end < r->execute ? span->end : r->execute;
		const struct lane_context *other;
		struct stood *sum;

		if (span->engine != engine)
			continue;
		if (span->start_exact && span->end_exact && from >= to)
			continue;
		other = find_context(c, span->request);
		sum = other ? sum_of(sums, c->victims[request], other->id, engine) : NULL;
		if (!sum)
			continue;
		sum->vague |= vague || !span->start_exact || !span->end_exact;
		sum->ns += to > from ? to - from : 0;
	}
}

static uint32_t find_engine(const struct checker *c, uint32_t id)
{
	const struct lane_engine *engine = timeline_engine(c->timeline, id);
	const struct sim_truth *t = c->truth;

	for (uint32_t i = 0; i < t->n_engines; i++)
		if (t->engines[i].dev == engine->dev && t->engines[i].class == engine->class &&
		    t->engines[i].instance == engine->instance)
			return i;
	return SIM_NO;
}

/* The driver's queue; vague sums are passed over. */
static void check_host(struct checker *c, struct sums *sums)
{
	const struct lane_latency *l = c->latency;

	for (uint32_t i = 0; i < l->n_host_blames; i++) {
		const struct lane_blame *told = &l->host_blames[i];
		struct stood *sum =
			sum_of(sums, told->victim, told->context, find_engine(c, told->engine));

		if (!sum || sum->vague)
			continue;
		c->verdict->values++;
		if (told->ns.lo <= sum->ns && told->ns.hi >= sum->ns) {
			sum->vague = true; /* seen to */
			continue;
		}
		c->verdict->wrong++;
		sum->vague = true;
		if (shouts(c))
			fprintf(c->log,
				"%s: client %u behind context %u on engine %u: %" PRIu64
				"..%" PRIu64 " ns, is %" PRIu64 "\n",
				c->name, told->victim, told->context, told->engine, told->ns.lo,
				told->ns.hi, sum->ns);
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
	struct lane_hooks hooks = { .arg = c, .request = on_request, .state = on_state };
	struct lane_error *err = timeline_create(c->info, NULL, 0, &hooks, &c->timeline);

	for (size_t i = 0; !err && i < n; i++)
		err = timeline_push(c->timeline, &events[i]);
	if (!err)
		err = timeline_finish(c->timeline);
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
	c.adds_up = latency_hooks(&latency);
	err = c.victims ? read_all(&c, events, n) : &lane_enomem;
	/* A sum over all requests is true only where all events are there. */
	if (!err && demand == SIM_FULL && truth->info.submission != LANE_SUBMISSION_GUC) {
		for (uint32_t i = 0; i < truth->n_requests; i++)
			add_request(&c, i, &sums);
		check_host(&c, &sums);
		if (sums.no_memory)
			err = &lane_enomem;
	}
	free(c.victims);
	free(sums.v);
	latency_deinit(&latency);
	timeline_destroy(c.timeline);
	return err;
}
