// SPDX-License-Identifier: MIT
// One request's life: its times, and the events and rules that show them (docs/analysis.md).
#include "latency/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/vector.h"

#define MOST_CPUS 65536
#define MOST_TOLD 16384

const char *const lane_rule_sentences[LANE_RULE_COUNT] = {
	[LANE_RULE_NONE] = "",
#define RULE(number, name, sentence) [LANE_RULE_##name] = sentence,
#include "latency/rules.def"
#undef RULE
};

const char *const lane_moment_names[LANE_MOMENT_COUNT] = {
	[LANE_MOMENT_QUEUED] = "queued",       [LANE_MOMENT_ADDED] = "added",
	[LANE_MOMENT_SUBMITTED] = "submitted", [LANE_MOMENT_EXECUTED] = "handed over",
	[LANE_MOMENT_STARTED] = "started",     [LANE_MOMENT_PREEMPTED] = "preempted",
	[LANE_MOMENT_RESUMED] = "resumed",     [LANE_MOMENT_COMPLETE] = "complete",
	[LANE_MOMENT_SIGNALLED] = "signalled", [LANE_MOMENT_RETIRED] = "retired",
};

/* A run or a preemption of a request that has not been told yet. */
struct lane_preemption_note {
	uint64_t ctx;
	uint32_t dev, seqno;
	bool is_run;
	struct lane_span begin, end; /* of the run; a preemption began in `begin` */
	struct lane_span lasted;
	enum lane_preemption_why why;
	bool has_culprit;
	uint64_t culprit_ctx;
	uint32_t culprit_seqno;
};

struct lane_wanted {
	uint64_t at_ns;
	struct lane_evidence *evidence;
	const struct lane_explained *of;
	enum lane_moment_what what;
	bool is_upper, is_exact;
	int rank; /* of what has been found */
};

/* ---- the first reading ---- */

struct lane_error *latency_explain_add(struct lane_explain *x, uint64_t ctx, uint32_t seqno)
{
	if (lane_table_get(&x->names, ctx, seqno) || lane_table_put(&x->names, ctx, seqno, x))
		return NULL;
	return &lane_enomem;
}

static void drop_explained(struct lane_explain *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->of[i].moments);
	x->n = 0;
}

void latency_explain_begin(struct lane_explain *x, const struct lane_trace_info *info)
{
	drop_explained(x);
	x->info = *info;
	x->n_notes = 0;
	x->n_told = 0;
}

static bool is_meant(const struct lane_explain *x, const struct lane_request *rq)
{
	return lane_table_get(&x->names, rq->context->ctx, rq->seqno);
}

static bool is_note_of(const struct lane_preemption_note *note, const struct lane_request *rq)
{
	return note->seqno == rq->seqno && note->ctx == rq->context->ctx &&
	       note->dev == rq->context->dev;
}

static void note(struct lane_explain *x, const struct lane_preemption_note *note)
{
	if (!LANE_GROW(x->notes, x->cap_notes, x->n_notes + 1)) {
		x->no_memory = true;
		return;
	}
	x->notes[x->n_notes++] = *note;
}

static void note_run(void *arg, const struct lane_run *run)
{
	if (is_meant(arg, run->request))
		note(arg, &(struct lane_preemption_note){ .ctx = run->request->context->ctx,
							  .dev = run->request->context->dev,
							  .seqno = run->request->seqno,
							  .is_run = true,
							  .begin = run->begin,
							  .end = run->end });
}

static void note_preemption(void *arg, const struct lane_preemption *p)
{
	if (is_meant(arg, p->victim))
		note(arg, &(struct lane_preemption_note){ .ctx = p->victim->context->ctx,
							  .dev = p->victim->context->dev,
							  .seqno = p->victim->seqno,
							  .begin = p->at,
							  .lasted = p->lasted,
							  .why = p->why,
							  .has_culprit = p->culprit != NULL,
							  .culprit_ctx =
								  p->culprit ? p->culprit->ctx : 0,
							  .culprit_seqno = p->culprit_seqno });
}

static struct lane_moment *add_moment(struct lane_explain *x, struct lane_explained *of,
				      enum lane_moment_what what, struct lane_span at)
{
	struct lane_moment *moment;

	if (of->n_moments == LANE_EXPLAIN_MOMENTS) {
		of->left_out++;
		return NULL;
	}
	if (!LANE_GROW(of->moments, of->cap_moments, of->n_moments + 1)) {
		x->no_memory = true;
		return NULL;
	}
	moment = &of->moments[of->n_moments++];
	*moment = (struct lane_moment){ .what = what, .at = at };
	return moment;
}

static void add_exact(struct lane_explain *x, struct lane_explained *of, enum lane_moment_what what,
		      bool known, uint64_t at_ns)
{
	if (known)
		add_moment(x, of, what, timeline_span_exact(at_ns));
}

/* The run behind the one that a preemption ended; NULL: it is not known. */
static const struct lane_preemption_note *
run_after(const struct lane_explain *x, const struct lane_request *rq, struct lane_span at)
{
	bool ended = false;

	for (size_t i = 0; i < x->n_notes; i++) {
		const struct lane_preemption_note *run = &x->notes[i];

		if (!run->is_run || !is_note_of(run, rq))
			continue;
		if (ended)
			return run;
		ended = run->end.lo == at.lo && run->end.hi == at.hi;
	}
	return NULL;
}

static void add_preemptions(struct lane_explain *x, struct lane_explained *of)
{
	for (size_t i = 0; i < x->n_notes; i++) {
		const struct lane_preemption_note *p = &x->notes[i], *next;
		struct lane_moment *moment;

		if (p->is_run || !is_note_of(p, &of->request))
			continue;
		moment = add_moment(x, of, LANE_MOMENT_PREEMPTED, p->begin);
		if (!moment)
			continue;
		moment->has_culprit = p->has_culprit;
		moment->culprit_ctx = p->culprit_ctx;
		moment->culprit_seqno = p->culprit_seqno;
		moment->why = p->why;
		moment->lasted = p->lasted;
		next = run_after(x, &of->request, p->begin);
		if (next)
			add_moment(x, of, LANE_MOMENT_RESUMED, next->begin);
	}
}

/* The times of a request whose story is over, in the order of its life. */
static void add_moments(struct lane_explain *x, struct lane_explained *of)
{
	const struct lane_request *rq = &of->request;
	bool on_engine = rq->started && !(rq->doubt & LANE_DOUBT_DEVICE);
	struct lane_stages stages = of->stages;
	struct lane_span start;
	struct lane_points points;

	latency_points_of(&x->info, rq, &points);
	add_exact(x, of, LANE_MOMENT_QUEUED, points.known[LANE_POINT_QUEUE], rq->queue_ns);
	add_exact(x, of, LANE_MOMENT_ADDED, points.known[LANE_POINT_ADD], rq->add_ns);
	add_exact(x, of, LANE_MOMENT_SUBMITTED, points.known[LANE_POINT_SUBMIT], rq->submit_ns);
	add_exact(x, of, LANE_MOMENT_EXECUTED, points.known[LANE_POINT_EXECUTE], rq->execute_ns);
	if (on_engine && rq->start.hi != LANE_NEVER) {
		add_moment(x, of, LANE_MOMENT_STARTED, rq->start);
		add_preemptions(x, of);
	} else if (latency_bound_device(&x->info, rq, &stages, &start)) {
		add_moment(x, of, LANE_MOMENT_STARTED, start);
		add_preemptions(x, of);
	}
	if (points.known[LANE_POINT_END])
		add_moment(x, of, LANE_MOMENT_COMPLETE, points.at[LANE_POINT_END]);
	add_exact(x, of, LANE_MOMENT_SIGNALLED, points.known[LANE_POINT_SIGNALLED], rq->signal_ns);
	add_exact(x, of, LANE_MOMENT_RETIRED, rq->seen & LANE_SEEN_RETIRE, rq->retire_ns);
}

/* What has been noted of a request that has been told is not needed any more. */
static void drop_notes(struct lane_explain *x, const struct lane_request *rq)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->n_notes; i++)
		if (!is_note_of(&x->notes[i], rq))
			x->notes[kept++] = x->notes[i];
	x->n_notes = kept;
}

static void keep_request(void *arg, const struct lane_request *rq)
{
	struct lane_explain *x = arg;
	struct lane_explained *of;

	if (!is_meant(x, rq))
		return;
	if (!LANE_GROW(x->of, x->cap, x->n + 1)) {
		x->no_memory = true;
		return;
	}
	of = &x->of[x->n++];
	memset(of, 0, sizeof(*of));
	of->request = *rq;
	of->context = *rq->context;
	if (rq->context->client)
		of->client = *rq->context->client;
	if (rq->engine)
		of->engine = *rq->engine;
	if (rq->behind)
		of->behind = *rq->behind;
	if (rq->after)
		of->after = *rq->after;
	latency_stages_of(&x->info, rq, &of->stages);
	add_moments(x, of);
	drop_notes(x, rq);
}

/* All that drivers tell is kept, up to a most: whose life it falls in shows later. */
static void keep_told(void *arg, const struct lane_fault *fault)
{
	struct lane_explain *x = arg;

	if (x->n_told == MOST_TOLD)
		return;
	if (x->n_told == x->cap_told) {
		size_t cap = x->cap_told ? 2 * x->cap_told : 16;
		struct lane_told *more = reallocarray(x->told, cap, sizeof(*more));

		if (!more) {
			x->no_memory = true;
			return;
		}
		x->told = more;
		x->cap_told = cap;
	}
	x->told[x->n_told++] =
		(struct lane_told){ .cause = fault->cause,
				    .kind = fault->kind,
				    .has_job = fault->context != NULL,
				    .ctx = fault->context ? fault->context->ctx : 0,
				    .seqno = fault->seqno,
				    .engine = fault->engine ? fault->engine->id : UINT32_MAX,
				    .at_ns = fault->at_ns,
				    .until_ns = fault->until_ns };
}

struct lane_hooks latency_explain_hooks(struct lane_explain *x)
{
	return (struct lane_hooks){ .arg = x,
				    .request = keep_request,
				    .run = note_run,
				    .preemption = note_preemption,
				    .fault = keep_told };
}

/* ---- between the readings ---- */

static void set_pointers(struct lane_explained *of)
{
	struct lane_request *rq = &of->request;

	of->context.client = of->context.client ? &of->client : NULL;
	rq->context = &of->context;
	rq->engine = rq->engine ? &of->engine : NULL;
	rq->host_engine = NULL;
	rq->behind = rq->behind ? &of->behind : NULL;
	rq->after = rq->after ? &of->after : NULL;
}

/* What drivers told of the request, or of its engine in its life. */
static void set_told(const struct lane_explain *x, struct lane_explained *of)
{
	for (size_t i = 0; i < x->n_told; i++) {
		struct lane_told told = x->told[i];

		told.is_own = told.has_job && told.ctx == of->context.ctx &&
			      told.seqno == of->request.seqno;
		if (!told.is_own && (!of->request.engine || told.engine != of->engine.id ||
				     told.until_ns < of->from_ns || told.at_ns > of->to_ns))
			continue;
		if (of->n_told < LANE_EXPLAIN_TOLD)
			of->told[of->n_told++] = told;
		else
			of->more_told++;
	}
}

static void set_life(struct lane_explained *of, const struct lane_timeline *timeline)
{
	struct lane_timeline_figures figures;
	const struct lane_loss *losses;
	size_t n;

	timeline_figures(timeline, &figures);
	of->from_ns = of->n_moments ? of->moments[0].at.lo : figures.begin_ns;
	of->to_ns = of->n_moments ? of->moments[of->n_moments - 1].at.hi : figures.end_ns;
	if (of->request.doubt & LANE_DOUBT_GONE)
		of->to_ns = figures.end_ns;
	losses = timeline_losses(timeline, &n);
	for (size_t i = 0; i < n; i++) {
		if (losses[i].end_ns < of->from_ns || losses[i].begin_ns > of->to_ns)
			continue;
		if (of->n_losses < LANE_EXPLAIN_LOSSES)
			of->losses[of->n_losses++] = losses[i];
		else
			of->more_losses++;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct lane_wanted *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void want(struct lane_explain *x, struct lane_explained *of, struct lane_moment *moment)
{
	bool exact = moment->at.lo == moment->at.hi;

	if (!exact)
		x->wanted[x->n_wanted++] = (struct lane_wanted){ .at_ns = moment->at.lo,
								 .evidence = &moment->lo,
								 .of = of,
								 .what = moment->what };
	x->wanted[x->n_wanted++] = (struct lane_wanted){ .at_ns = moment->at.hi,
							 .evidence = &moment->hi,
							 .of = of,
							 .what = moment->what,
							 .is_upper = true,
							 .is_exact = exact };
}

struct lane_error *latency_explain_search(struct lane_explain *x,
					  const struct lane_timeline *timeline)
{
	size_t n = 0;

	if (x->no_memory)
		return &lane_enomem;
	for (size_t i = 0; i < x->n; i++) {
		const struct lane_thread *thread = timeline_thread(timeline, x->of[i].request.tid);

		if (thread)
			memcpy(x->of[i].comm, thread->comm, sizeof(thread->comm));
		set_pointers(&x->of[i]);
		set_life(&x->of[i], timeline);
		set_told(x, &x->of[i]);
		n += 2 * (size_t)x->of[i].n_moments;
	}
	x->wanted = calloc(n + 1, sizeof(*x->wanted));
	if (!x->wanted)
		return &lane_enomem;
	for (size_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < x->of[i].n_moments; k++)
			want(x, &x->of[i], &x->of[i].moments[k]);
	if (x->n_wanted > 0)
		qsort(x->wanted, x->n_wanted, sizeof(*x->wanted), by_time);
	return NULL;
}

/* ---- the second reading ---- */

void latency_explain_begin_search(struct lane_explain *x)
{
	for (size_t i = 0; i < x->n_wanted; i++) {
		x->wanted[i].rank = 0;
		*x->wanted[i].evidence = (struct lane_evidence){ .rule = LANE_RULE_NONE };
	}
	for (size_t i = 0; i < x->n; i++) {
		x->of[i].n_stood_behind = 0;
		x->of[i].others_behind = (struct lane_span){ 0 };
	}
	if (x->n_cpus)
		memset(x->cpus, 0, x->n_cpus * sizeof(*x->cpus));
}

/* How an event stands to the request. */
enum relation {
	IS_OWN,
	IS_CONTEXTS, /* of another request of its context */
	IS_ENGINES,  /* of another context's request on its engine, or of the engine's ports */
	IS_OTHER,
	RELATIONS
};

static bool is_fence(uint32_t kind)
{
	return kind >= LANE_FENCE_INIT && kind <= LANE_FENCE_WAIT_END;
}

static enum relation relation_of(const struct lane_explained *of, const struct lane_event *event)
{
	const struct lane_request *rq = &of->request;
	uint32_t kind = event->wire.kind;

	if (kind == LANE_PORTS)
		return rq->engine && event->u.i915_engine_ports.dev == of->engine.dev &&
				       event->u.i915_engine_ports.class == of->engine.class &&
				       event->u.i915_engine_ports.instance == of->engine.instance
			       ? IS_ENGINES
			       : IS_OTHER;
	if (is_fence(kind)) {
		if (event->u.fence.context != of->context.ctx)
			return IS_OTHER;
		return (uint32_t)event->u.fence.seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	}
	if (lane_is_drm(kind)) {
		if (event->u.drm.fence_context != of->context.ctx)
			return IS_OTHER;
		return (uint32_t)event->u.drm.fence_seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	}
	if (!lane_is_request(kind) || event->u.rq.dev != of->context.dev)
		return IS_OTHER;
	if (event->u.rq.ctx == of->context.ctx)
		return event->u.rq.seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	return rq->engine && event->u.rq.class == of->engine.class &&
			       event->u.rq.instance == of->engine.instance
		       ? IS_ENGINES
		       : IS_OTHER;
}

/* Events, by what they show. */
enum shows {
	SHOWS_NOTHING,
	SHOWS_QUEUE,
	SHOWS_ADD,
	SHOWS_SUBMIT,
	SHOWS_EXECUTE,
	SHOWS_UNSUBMIT,
	SHOWS_IN,
	SHOWS_OUT,  /* complete */
	SHOWS_LEFT, /* incomplete */
	SHOWS_SIGNAL,
	SHOWS_LISTEN,
	SHOWS_RETIRE,
	SHOWS_PORTS,
	SHOWS_DONE,
	SHOWS_IRQ, /* of a driver's own */
	SHOWS
};

static enum shows shows(const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_RQ_QUEUE:
		return SHOWS_QUEUE;
	case LANE_RQ_ADD:
		return SHOWS_ADD;
	case LANE_RQ_SUBMIT:
		return SHOWS_SUBMIT;
	case LANE_RQ_EXECUTE:
	case LANE_RQ_GUC_SUBMIT:
		return SHOWS_EXECUTE;
	case LANE_RQ_UNSUBMIT:
		return SHOWS_UNSUBMIT;
	case LANE_RQ_IN:
		return SHOWS_IN;
	case LANE_RQ_OUT:
		return event->u.i915_request_out.completed == 1 ? SHOWS_OUT : SHOWS_LEFT;
	case LANE_RQ_RETIRE:
		return SHOWS_RETIRE;
	case LANE_FENCE_SIGNALED:
		return SHOWS_SIGNAL;
	case LANE_FENCE_ENABLE_SIGNAL:
		return SHOWS_LISTEN;
	case LANE_PORTS:
		return SHOWS_PORTS;
	case LANE_DRM_QUEUE:
		return SHOWS_ADD;
	case LANE_DRM_RUN:
		return SHOWS_EXECUTE;
	case LANE_DRM_DONE:
		return SHOWS_DONE;
	case LANE_V3D_BCL_IRQ:
	case LANE_V3D_RCL_IRQ:
	case LANE_V3D_TFU_IRQ:
	case LANE_V3D_CSD_IRQ:
		return SHOWS_IRQ;
	default:
		return SHOWS_NOTHING;
	}
}

/* The bounds that are looked for. */
enum bound {
	BOUND_START_LO,
	BOUND_START_HI,
	BOUND_OFF_LO,
	BOUND_OFF_HI,
	BOUND_END_LO,
	BOUND_END_HI,
	BOUNDS
};

/* By which rule an event of a relation shows a bound, and how well compared with others. */
static const struct judgement {
	uint8_t rule, rank;
} judgements[BOUNDS][RELATIONS][SHOWS] = {
#define J(rule_, rank_)                                                                            \
	{                                                                                          \
		.rule = LANE_RULE_##rule_, .rank = rank_                                           \
	}
	[BOUND_START_LO] = {
		[IS_OWN] = { [SHOWS_IN] = J(WRITTEN, 90), [SHOWS_EXECUTE] = J(HANDED, 80),
			     [SHOWS_UNSUBMIT] = J(AHEAD, 34), [SHOWS_LISTEN] = J(AHEAD, 33),
			     [SHOWS_OUT] = J(ENDED, 20), [SHOWS_SIGNAL] = J(ENDED, 20),
			     [SHOWS_LEFT] = J(CHANGEOVER, 50) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(FREED, 72), [SHOWS_OUT] = J(FREED, 76),
				  [SHOWS_LEFT] = J(CHANGEOVER, 75), [SHOWS_RETIRE] = J(FREED, 60),
				  [SHOWS_IN] = J(WRITTEN, 65), [SHOWS_EXECUTE] = J(AHEAD, 32),
				  [SHOWS_UNSUBMIT] = J(AHEAD, 31), [SHOWS_LISTEN] = J(AHEAD, 35) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(FREED, 74), [SHOWS_LEFT] = J(CHANGEOVER, 77),
				 [SHOWS_PORTS] = J(CHANGEOVER, 50), [SHOWS_RETIRE] = J(FREED, 59),
				 [SHOWS_IN] = J(NEW_SET, 40), [SHOWS_EXECUTE] = J(AHEAD, 30),
				 [SHOWS_UNSUBMIT] = J(AHEAD, 29) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(FREED, 70), [SHOWS_LISTEN] = J(AHEAD, 28) },
	},
	[BOUND_START_HI] = {
		[IS_OWN] = { [SHOWS_IN] = J(WRITTEN, 90), [SHOWS_EXECUTE] = J(HANDED, 80),
			     [SHOWS_SIGNAL] = J(ENDED, 65), [SHOWS_OUT] = J(ENDED, 66),
			     [SHOWS_RETIRE] = J(ENDED, 64), [SHOWS_LEFT] = J(ENDED, 63),
			     [SHOWS_UNSUBMIT] = J(DEQUEUED, 50) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(FREED, 72), [SHOWS_OUT] = J(FREED, 76),
				  [SHOWS_LEFT] = J(CHANGEOVER, 75), [SHOWS_RETIRE] = J(FREED, 56),
				  [SHOWS_IN] = J(WRITTEN, 65), [SHOWS_EXECUTE] = J(DEQUEUED, 48),
				  [SHOWS_UNSUBMIT] = J(DEQUEUED, 49) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(FREED, 74), [SHOWS_LEFT] = J(CHANGEOVER, 77),
				 [SHOWS_PORTS] = J(CHANGEOVER, 60), [SHOWS_RETIRE] = J(FREED, 55),
				 [SHOWS_IN] = J(DEQUEUED, 45), [SHOWS_EXECUTE] = J(DEQUEUED, 47),
				 [SHOWS_UNSUBMIT] = J(DEQUEUED, 46) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(FREED, 70), [SHOWS_RETIRE] = J(FREED, 20) },
	},
	[BOUND_OFF_LO] = {
		[IS_OWN] = { [SHOWS_LEFT] = J(LEFT, 91), [SHOWS_EXECUTE] = J(NEW_SET, 41) },
		[IS_CONTEXTS] = { [SHOWS_LEFT] = J(LEFT, 90), [SHOWS_EXECUTE] = J(NEW_SET, 40) },
		[IS_ENGINES] = { [SHOWS_LEFT] = J(CHANGEOVER, 85), [SHOWS_IN] = J(NEW_SET, 80),
				 [SHOWS_EXECUTE] = J(NEW_SET, 50), [SHOWS_OUT] = J(CHANGEOVER, 60),
				 [SHOWS_PORTS] = J(CHANGEOVER, 55) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(AHEAD, 30) },
	},
	[BOUND_OFF_HI] = {
		[IS_OWN] = { [SHOWS_LEFT] = J(LEFT, 91), [SHOWS_EXECUTE] = J(DEQUEUED, 69),
			     [SHOWS_UNSUBMIT] = J(DEQUEUED, 68) },
		[IS_CONTEXTS] = { [SHOWS_LEFT] = J(LEFT, 90), [SHOWS_EXECUTE] = J(DEQUEUED, 67),
				  [SHOWS_UNSUBMIT] = J(DEQUEUED, 66) },
		[IS_ENGINES] = { [SHOWS_LEFT] = J(CHANGEOVER, 85), [SHOWS_PORTS] = J(CHANGEOVER, 80),
				 [SHOWS_EXECUTE] = J(DEQUEUED, 70), [SHOWS_UNSUBMIT] = J(DEQUEUED, 71),
				 [SHOWS_IN] = J(DEQUEUED, 65), [SHOWS_OUT] = J(BEHIND, 75) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEHIND, 60) },
	},
	[BOUND_END_LO] = {
		[IS_OWN] = { [SHOWS_OUT] = J(OUT, 95), [SHOWS_SIGNAL] = J(PROMPT, 94),
			     [SHOWS_LEFT] = J(LEFT, 85), [SHOWS_LISTEN] = J(LISTENED, 80),
			     [SHOWS_EXECUTE] = J(LOOKED, 75), [SHOWS_UNSUBMIT] = J(LOOKED, 76),
			     [SHOWS_IN] = J(BEGAN, 70), [SHOWS_SUBMIT] = J(BEGAN, 21),
			     [SHOWS_ADD] = J(BEGAN, 20), [SHOWS_QUEUE] = J(BEGAN, 19) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(BEGAN, 52), [SHOWS_OUT] = J(BEGAN, 53),
				  [SHOWS_LEFT] = J(BEGAN, 51), [SHOWS_IN] = J(BEGAN, 50),
				  [SHOWS_EXECUTE] = J(BEGAN, 30), [SHOWS_UNSUBMIT] = J(BEGAN, 29),
				  [SHOWS_LISTEN] = J(BEGAN, 31), [SHOWS_RETIRE] = J(BEGAN, 35) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(BEGAN, 47), [SHOWS_LEFT] = J(BEGAN, 46),
				 [SHOWS_IN] = J(BEGAN, 28), [SHOWS_EXECUTE] = J(BEGAN, 27),
				 [SHOWS_UNSUBMIT] = J(BEGAN, 26), [SHOWS_PORTS] = J(BEGAN, 36),
				 [SHOWS_RETIRE] = J(BEGAN, 34) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEGAN, 45), [SHOWS_LISTEN] = J(BEGAN, 25) },
	},
	[BOUND_END_HI] = {
		[IS_OWN] = { [SHOWS_OUT] = J(OUT, 95), [SHOWS_SIGNAL] = J(SIGNALLED, 94),
			     [SHOWS_RETIRE] = J(RETIRED, 85), [SHOWS_LEFT] = J(CHANGEOVER, 50),
			     [SHOWS_UNSUBMIT] = J(CENSUS, 30) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(LATER, 72), [SHOWS_OUT] = J(LATER, 73),
				  [SHOWS_RETIRE] = J(LATER, 71), [SHOWS_LEFT] = J(LATER, 62),
				  [SHOWS_EXECUTE] = J(CENSUS, 52), [SHOWS_UNSUBMIT] = J(CENSUS, 51),
				  [SHOWS_IN] = J(CENSUS, 44) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(BEHIND, 61), [SHOWS_LEFT] = J(CHANGEOVER, 60),
				 [SHOWS_PORTS] = J(OFF_PORTS, 65), [SHOWS_EXECUTE] = J(CENSUS, 50),
				 [SHOWS_UNSUBMIT] = J(CENSUS, 49), [SHOWS_IN] = J(CENSUS, 45),
				 [SHOWS_RETIRE] = J(BEHIND, 46) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEHIND, 55) },
	},
#undef J
};

static enum bound bound_of(const struct lane_wanted *w)
{
	switch (w->what) {
	case LANE_MOMENT_STARTED:
	case LANE_MOMENT_RESUMED:
		return w->is_upper ? BOUND_START_HI : BOUND_START_LO;
	case LANE_MOMENT_PREEMPTED:
		return w->is_upper ? BOUND_OFF_HI : BOUND_OFF_LO;
	case LANE_MOMENT_COMPLETE:
		return w->is_upper ? BOUND_END_HI : BOUND_END_LO;
	default:
		return BOUNDS;
	}
}

/* The events that are themselves a time of the request's. */
static enum shows own_event(enum lane_moment_what what)
{
	static const uint8_t events[LANE_MOMENT_COUNT] = {
		[LANE_MOMENT_QUEUED] = SHOWS_QUEUE,	[LANE_MOMENT_ADDED] = SHOWS_ADD,
		[LANE_MOMENT_SUBMITTED] = SHOWS_SUBMIT, [LANE_MOMENT_EXECUTED] = SHOWS_EXECUTE,
		[LANE_MOMENT_SIGNALLED] = SHOWS_SIGNAL, [LANE_MOMENT_RETIRED] = SHOWS_RETIRE,
	};

	return events[what];
}

static struct judgement judge(const struct lane_explain *x, const struct lane_wanted *w,
			      enum relation relation, enum shows what)
{
	enum bound bound = bound_of(w);
	struct judgement judgement;

	if (bound == BOUNDS)
		return relation == IS_OWN && what == own_event(w->what)
			       ? (struct judgement){ LANE_RULE_OWN, 100 }
			       : (struct judgement){ LANE_RULE_NONE, 0 };
	judgement = judgements[bound][relation][what];
	/* Where `in` is not recorded, whatever comes next on the CPU bounds it. */
	if (bound == BOUND_START_HI && !judgement.rule &&
	    x->info.presence[LANE_RQ_IN] == LANE_PRESENCE_ABSENT)
		return (struct judgement){ LANE_RULE_SECTION, 5 };
	if (judgement.rule == LANE_RULE_SIGNALLED && w->is_exact)
		judgement.rule = LANE_RULE_PROMPT;
	return judgement;
}

/* Of what a job of drm_sched ran on. */
static struct judgement judge_ring(const struct lane_wanted *w, enum relation relation,
				   enum shows what)
{
	static const struct judgement started[SHOWS] = {
		[SHOWS_EXECUTE] = { LANE_RULE_GIVEN, 90 },
		[SHOWS_SIGNAL] = { LANE_RULE_ENDED, 20 },
		[SHOWS_DONE] = { LANE_RULE_ENDED, 30 },
	};
	static const struct judgement complete[SHOWS] = {
		[SHOWS_EXECUTE] = { LANE_RULE_BEGAN, 80 },
		[SHOWS_SIGNAL] = { LANE_RULE_SIGNALLED, 30 },
		[SHOWS_DONE] = { LANE_RULE_DONE, 90 },
	};
	bool is_end = w->what == LANE_MOMENT_COMPLETE;

	if (relation == IS_OWN)
		return (is_end ? complete : started)[what];
	if (what == SHOWS_IRQ)
		return is_end && w->is_upper ? (struct judgement){ LANE_RULE_DRIVER_IRQ, 60 }
		       : !is_end	     ? (struct judgement){ LANE_RULE_RING_FREE, 60 }
					     : (struct judgement){ LANE_RULE_BEGAN, 30 };
	if (what != SHOWS_SIGNAL)
		return (struct judgement){ LANE_RULE_NONE, 0 };
	if (is_end)
		return w->is_upper ? (struct judgement){ LANE_RULE_RING_SIGNAL, 70 }
				   : (struct judgement){ LANE_RULE_BEGAN, 40 };
	return w->is_upper && !w->is_exact ? (struct judgement){ LANE_RULE_ENDED, 40 }
					   : (struct judgement){ LANE_RULE_RING_FREE, 70 };
}

/* The same of a time of a job of drm_sched. */
static struct judgement judge_job(const struct lane_wanted *w, const struct lane_event *event,
				  enum relation relation, enum shows what)
{
	const struct lane_request *rq = &w->of->request;

	if (bound_of(w) != BOUNDS)
		return judge_ring(w, relation, what);
	if (relation == IS_OWN && what == own_event(w->what))
		return (struct judgement){ LANE_RULE_OWN, 100 };
	if (w->what != LANE_MOMENT_SUBMITTED)
		return (struct judgement){ LANE_RULE_NONE, 0 };
	/* It was free when it was queued, or by the signal of what it waited for. */
	if (relation == IS_OWN && what == SHOWS_ADD && !rq->waited_ctx)
		return (struct judgement){ LANE_RULE_OWN, 100 };
	if (what == SHOWS_SIGNAL && rq->waited_ctx)
		return (struct judgement){ LANE_RULE_FULFILLED,
					   event->u.fence.context == rq->waited_ctx ? 90 : 80 };
	return (struct judgement){ LANE_RULE_NONE, 0 };
}

static void offer(struct lane_wanted *w, const struct lane_event *event, struct judgement judgement)
{
	struct lane_evidence *e = w->evidence;
	uint32_t kind = event->wire.kind;

	if (judgement.rank <= w->rank)
		return;
	w->rank = judgement.rank;
	*e = (struct lane_evidence){
		.rule = judgement.rule, .kind = kind, .cpu = event->cpu, .at_ns = event->wire.ts_ns
	};
	if (lane_is_drm(kind)) {
		e->by_request = true;
		e->ctx = event->u.drm.fence_context;
		e->seqno = (uint32_t)event->u.drm.fence_seqno;
	} else if (lane_is_request(kind) || is_fence(kind)) {
		e->by_request = true;
		e->ctx = is_fence(kind) ? event->u.fence.context : event->u.rq.ctx;
		e->seqno = is_fence(kind) ? (uint32_t)event->u.fence.seqno : event->u.rq.seqno;
	}
}

/* The first of those wanted at that time; n_wanted: none is. */
static size_t first_at(const struct lane_explain *x, uint64_t at_ns)
{
	size_t low = 0, high = x->n_wanted;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (x->wanted[middle].at_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->n_wanted && x->wanted[low].at_ns == at_ns ? low : x->n_wanted;
}

static void look_at(struct lane_explain *x, const struct lane_event *event)
{
	enum shows what = shows(event);

	for (size_t i = first_at(x, event->wire.ts_ns);
	     i < x->n_wanted && x->wanted[i].at_ns == event->wire.ts_ns; i++) {
		struct lane_wanted *w = &x->wanted[i];
		enum relation relation = relation_of(w->of, event);

		offer(w, event,
		      w->of->context.is_drm ? judge_job(w, event, relation, what)
					    : judge(x, w, relation, what));
	}
}

/* What an event says of a time before it: the driver looked then, or nothing was heard since. */
static void look_back(struct lane_explain *x, const struct lane_event *event, uint64_t at_ns,
		      enum lane_rule rule)
{
	for (size_t i = first_at(x, at_ns); i < x->n_wanted && x->wanted[i].at_ns == at_ns; i++) {
		struct lane_wanted *w = &x->wanted[i];
		enum relation relation = relation_of(w->of, event);

		if (w->of->context.is_drm)
			continue;
		if (w->is_upper && !w->is_exact && w->what != LANE_MOMENT_COMPLETE &&
		    w->what != LANE_MOMENT_PREEMPTED)
			continue;
		if (w->what == LANE_MOMENT_COMPLETE && !w->is_upper)
			offer(w, event,
			      (struct judgement){ relation == IS_OWN ? rule : LANE_RULE_BEGAN,
						  relation == IS_OWN ? 60 : 15 });
		else if (bound_of(w) != BOUNDS)
			offer(w, event, (struct judgement){ LANE_RULE_AHEAD, 12 });
	}
}

/* A start may be bounded by a dequeue that paused the ring: it goes on soon after that. */
static void look_ahead(struct lane_explain *x, const struct lane_event *event, uint64_t at_ns)
{
	for (size_t i = first_at(x, at_ns); i < x->n_wanted && x->wanted[i].at_ns == at_ns; i++) {
		struct lane_wanted *w = &x->wanted[i];

		if (!w->of->context.is_drm && bound_of(w) == BOUND_START_HI && !w->is_exact &&
		    relation_of(w->of, event) != IS_OTHER)
			offer(w, event, (struct judgement){ LANE_RULE_GOES_ON, 11 });
	}
}

static struct lane_explain_cpu *cpu_of(struct lane_explain *x, int32_t cpu)
{
	uint32_t n = x->n_cpus;
	struct lane_explain_cpu *more;

	if (cpu < 0 || cpu >= MOST_CPUS)
		return NULL;
	if ((uint32_t)cpu >= n) {
		more = reallocarray(x->cpus, (size_t)cpu + 1, sizeof(*more));
		if (!more) {
			x->no_memory = true;
			return NULL;
		}
		memset(more + n, 0, ((size_t)cpu + 1 - n) * sizeof(*more));
		x->cpus = more;
		x->n_cpus = (uint32_t)cpu + 1;
	}
	return &x->cpus[cpu];
}

/* The event by which the GPU's own clock told when a request began: the bounds lie before it. */
static void look_at_clock(struct lane_explain *x, const struct lane_event *event)
{
	for (size_t i = 0; i < x->n_wanted; i++)
		if (x->wanted[i].what == LANE_MOMENT_STARTED &&
		    x->wanted[i].of->request.clock_ns == event->wire.ts_ns)
			offer(&x->wanted[i], event, (struct judgement){ LANE_RULE_TICKS, 95 });
}

struct lane_error *latency_explain_event(struct lane_explain *x, const struct lane_event *event)
{
	struct lane_explain_cpu *cpu = cpu_of(x, event->cpu);
	uint64_t at_ns = event->wire.ts_ns;
	uint32_t kind = event->wire.kind;

	if (event->wire.kind == LANE_LOST || !x->n_wanted)
		return x->no_memory ? &lane_enomem : NULL;
	if (cpu) {
		cpu->before_ns = cpu->at_ns;
		cpu->at_ns = at_ns;
	}
	look_at(x, event);
	if (kind == LANE_MSM_RETIRED)
		look_at_clock(x, event);
	if (kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT) {
		if (cpu && cpu->before_ns != at_ns)
			look_back(x, event, cpu->before_ns, LANE_RULE_LOOKED);
		if (at_ns > LANE_LOOK_NS)
			look_back(x, event, at_ns - LANE_LOOK_NS, LANE_RULE_LOOKED);
	}
	if (at_ns > LANE_INTERRUPT_NS)
		look_back(x, event, at_ns - LANE_INTERRUPT_NS, LANE_RULE_UNHEARD);
	look_ahead(x, event, at_ns + LANE_SWITCH_NS);
	look_ahead(x, event, at_ns + LANE_SWITCH_NS + LANE_INTERRUPT_NS);
	return x->no_memory ? &lane_enomem : NULL;
}

/* How long [begin, end] and [from_ns, to_ns] have in common. */
static struct lane_span common(const struct lane_run *run, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t lo_from = run->begin.hi > from_ns ? run->begin.hi : from_ns;
	uint64_t lo_to = run->end.lo < to_ns ? run->end.lo : to_ns;
	uint64_t hi_from = run->begin.lo > from_ns ? run->begin.lo : from_ns;
	uint64_t hi_to = run->end.hi < to_ns ? run->end.hi : to_ns;

	return (struct lane_span){ lo_to > lo_from ? lo_to - lo_from : 0,
				   hi_to > hi_from ? hi_to - hi_from : 0 };
}

static void name_process(const struct lane_context *context, char *name, size_t size)
{
	const struct lane_client *client = context->client;

	if (!client || client->pid < 0)
		snprintf(name, size, "unknown");
	else if (client->comm[0])
		snprintf(name, size, "%.16s[%d]", client->comm, client->pid);
	else
		snprintf(name, size, "%d", client->pid);
	lane_clean(name, LANE_CLEAN_LINE);
}

static void add_behind(struct lane_explained *of, const struct lane_context *context,
		       struct lane_span host, struct lane_span device)
{
	struct lane_behind *behind = NULL;

	for (uint32_t i = 0; i < of->n_stood_behind && !behind; i++)
		if (of->stood_behind[i].ctx == context->ctx)
			behind = &of->stood_behind[i];
	if (!behind && of->n_stood_behind == LANE_EXPLAIN_BEHIND) {
		timeline_span_add(&of->others_behind, host);
		timeline_span_add(&of->others_behind, device);
		return;
	}
	if (!behind) {
		behind = &of->stood_behind[of->n_stood_behind++];
		behind->ctx = context->ctx;
		name_process(context, behind->process, sizeof(behind->process));
	}
	timeline_span_add(&behind->host, host);
	timeline_span_add(&behind->device, device);
}

void latency_explain_run(void *arg, const struct lane_run *run)
{
	struct lane_explain *x = arg;

	for (size_t i = 0; i < x->n; i++) {
		struct lane_explained *of = &x->of[i];
		const struct lane_request *rq = &of->request;
		uint16_t known = of->stages.known;
		struct lane_span host = { 0 }, device = { 0 };

		if (!rq->engine || run->engine->dev != of->engine.dev ||
		    run->engine->class != of->engine.class ||
		    run->engine->instance != of->engine.instance || run->is_doubtful ||
		    (run->request->seqno == rq->seqno &&
		     run->request->context->ctx == of->context.ctx))
			continue;
		if (known >> LANE_STAGE_HOST_QUEUE & 1)
			host = common(run, rq->submit_ns, rq->execute_ns);
		if (known >> LANE_STAGE_DEVICE_QUEUE & 1) {
			device = common(run, rq->execute_ns, rq->start.hi);
			if (run->end.lo > rq->start.lo || device.lo > rq->start.lo - rq->execute_ns)
				device.lo = common(run, rq->execute_ns, rq->start.lo).lo;
		}
		if (host.hi || device.hi)
			add_behind(of, run->request->context, host, device);
	}
}

/* ---- what is unknown ---- */

static const enum lane_kind needed_of_jobs[] = { LANE_DRM_QUEUE, LANE_DRM_RUN, LANE_DRM_DONE,
						 LANE_FENCE_SIGNALED };
static const enum lane_kind needed[] = { LANE_RQ_SUBMIT, LANE_RQ_EXECUTE,  LANE_RQ_IN,
					 LANE_RQ_OUT,	 LANE_RQ_UNSUBMIT, LANE_FENCE_SIGNALED };

/* The first kind of event that would tell, and that the recording does not have. */
static const char *absent_kind(const struct lane_explain *x, const struct lane_explained *of)
{
	bool in_firmware = of->engine.submission == LANE_SUBMISSION_GUC;

	for (size_t i = 0;
	     of->context.is_drm && i < sizeof(needed_of_jobs) / sizeof(needed_of_jobs[0]); i++)
		if (x->info.presence[needed_of_jobs[i]] == LANE_PRESENCE_ABSENT)
			return lane_kinds[needed_of_jobs[i]].name;
	if (of->context.is_drm)
		return NULL;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		bool of_ports = needed[i] == LANE_RQ_IN || needed[i] == LANE_RQ_OUT ||
				needed[i] == LANE_RQ_UNSUBMIT;

		if (x->info.presence[needed[i]] == LANE_PRESENCE_ABSENT &&
		    !(of_ports && (in_firmware || of->engine.submission == LANE_SUBMISSION_RING)))
			return lane_kinds[needed[i]].name;
	}
	return NULL;
}

const char *latency_explain_unknown(const struct lane_explain *x, const struct lane_explained *of,
				    char *buffer, size_t size)
{
	const struct lane_request *rq = &of->request;
	const char *absent = absent_kind(x, of);

	buffer[0] = 0;
	if (!(of->stages.unknown & ((1u << LANE_STAGE_PATH) - 1)))
		return buffer;
	if (of->n_losses)
		snprintf(buffer, size, "events were lost in its life");
	else if (!(rq->seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD | LANE_SEEN_SUBMIT)))
		snprintf(buffer, size, "it was there before the recording began");
	else if ((rq->doubt & LANE_DOUBT_GONE) && rq->state != LANE_RQ_STATE_ENDED)
		snprintf(buffer, size, "the recording ended before it was seen to end");
	else if (absent)
		snprintf(buffer, size, "the recording has no %s", absent);
	else
		snprintf(buffer, size, "no event of the recording bounds them");
	return buffer;
}

const char *latency_explain_unknown_after(const struct lane_explain *x,
					  const struct lane_explained *of)
{
	const enum lane_kind sched[] = { LANE_SWITCH, LANE_WAKING };

	if (!(of->stages.unknown >> LANE_STAGE_PATH))
		return "";
	if (of->n_losses)
		return "events were lost in its life";
	for (size_t i = 0; i < sizeof(sched) / sizeof(sched[0]); i++)
		if (x->info.presence[sched[i]] != LANE_PRESENCE_RECORDED)
			return "the recording does not have all of the scheduler's events";
	if (!(of->request.seen & LANE_SEEN_SIGNAL))
		return "its fence was not seen to be signalled";
	return "not all of it was recorded";
}

const struct lane_explained *latency_explain_find(const struct lane_explain *x, uint64_t ctx,
						  uint32_t seqno, size_t *i)
{
	for (; *i < x->n; (*i)++)
		if (x->of[*i].context.ctx == ctx && x->of[*i].request.seqno == seqno)
			return &x->of[(*i)++];
	return NULL;
}

void latency_explain_deinit(struct lane_explain *x)
{
	drop_explained(x);
	lane_table_free(&x->names);
	free(x->of);
	free(x->notes);
	free(x->told);
	free(x->wanted);
	free(x->cpus);
	*x = (struct lane_explain){ 0 };
}
