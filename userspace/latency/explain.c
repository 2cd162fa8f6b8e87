// SPDX-License-Identifier: MIT
// One request's life: its times, and the events and rules that show them (docs/analysis.md).
#include "latency/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/vector.h"

#define MOST_TOLD 16384

/* The most events that are kept of the lives of requests to explain. */
#define MOST_EVENTS (1u << 22)

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
	struct lane_span begin, end; /* of a run: both; of a preemption: its begin */
	struct lane_reasons why;     /* of begin */
	struct lane_span lasted;
	enum lane_preemption_why cause;
	bool has_culprit;
	uint64_t culprit_ctx;
	uint32_t culprit_seqno;
	uint64_t unless_ns; /* as lane_preemption's */
};

/* ---- the reading ---- */

struct lane_error *latency_explain_add(struct lane_explain *x, uint64_t ctx, uint32_t seqno)
{
	if (!lane_table_get(&x->names, ctx, seqno) && !lane_table_put(&x->names, ctx, seqno, x))
		return &lane_enomem;
	return NULL;
}

static void drop_explained(struct lane_explain *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->of[i].moments);
	x->n = 0;
	lane_table_free(&x->open);
	x->may_be_open = false;
	x->n_events = 0;
	latency_ahead_deinit(&x->ahead);
}

void latency_explain_begin(struct lane_explain *x, const struct lane_trace_info *info)
{
	drop_explained(x);
	x->info = *info;
	x->n_notes = 0;
	x->n_told = 0;
	x->number = 0;
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

static void explain_note(struct lane_explain *x, const struct lane_preemption_note *note)
{
	if (!LANE_GROW(x->notes, x->cap_notes, x->n_notes + 1)) {
		x->no_memory = true;
		return;
	}
	x->notes[x->n_notes++] = *note;
}

static void explain_note_run(void *arg, const struct lane_run *run)
{
	struct lane_explain *x = arg;

	latency_ahead_run(&x->ahead, run, false);
	if (is_meant(x, run->request))
		explain_note(x, &(struct lane_preemption_note){ .ctx = run->request->context->ctx,
								.dev = run->request->context->dev,
								.seqno = run->request->seqno,
								.is_run = true,
								.begin = run->begin,
								.why = run->begin_why,
								.end = run->end });
}

static void note_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		       uint64_t now_ns)
{
	latency_ahead_state(&((struct lane_explain *)arg)->ahead, rq, from, now_ns);
}

static void note_maybe_run(void *arg, const struct lane_run *run)
{
	latency_ahead_run(&((struct lane_explain *)arg)->ahead, run, true);
}

static void note_loss(void *arg, const struct lane_loss *loss)
{
	latency_ahead_loss(&((struct lane_explain *)arg)->ahead, loss);
}

static void note_idle(void *arg, const struct lane_idle *idle)
{
	latency_ahead_idle(&((struct lane_explain *)arg)->ahead, idle);
}

static void note_preemption(void *arg, const struct lane_preemption *p)
{
	if (is_meant(arg, p->victim))
		explain_note(arg, &(struct lane_preemption_note){
					  .ctx = p->victim->context->ctx,
					  .dev = p->victim->context->dev,
					  .seqno = p->victim->seqno,
					  .begin = p->at,
					  .why = p->at_why,
					  .lasted = p->lasted,
					  .cause = p->why,
					  .has_culprit = p->culprit != NULL,
					  .culprit_ctx = p->culprit ? p->culprit->ctx : 0,
					  .culprit_seqno = p->culprit_seqno,
					  .unless_ns = p->unless_ns });
}

/* ---- evidence ---- */

/* The event is of a kind with which a request may begin. */
static bool begins_request(uint32_t kind)
{
	return (lane_is_request(kind) && kind != LANE_RQ_WAIT_BEGIN && kind != LANE_RQ_WAIT_END) ||
	       kind == LANE_DRM_QUEUE || kind == LANE_DRM_RUN || lane_is_named_job(kind);
}

static struct lane_explain_event record_of(const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	struct lane_explain_event of = { .at_ns = event->wire.ts_ns,
					 .kind = (uint16_t)kind,
					 .cpu = event->cpu,
					 .by_request = true };

	if (lane_is_drm(kind) || lane_is_named_job(kind)) {
		of.ctx = event->u.drm.fence_context;
		of.seqno = (uint32_t)event->u.drm.fence_seqno;
	} else if (lane_is_fence(kind)) {
		of.ctx = event->u.fence.context;
		of.seqno = (uint32_t)event->u.fence.seqno;
	} else if (lane_is_request(kind)) {
		of.ctx = event->u.rq.ctx;
		of.seqno = event->u.rq.seqno;
	} else {
		of.by_request = false;
	}
	return of;
}

/* The events are kept as long as a request to explain is there: what bounds its times came in its
 * life. */
struct lane_error *latency_explain_event(struct lane_explain *x, const struct lane_event *event)
{
	struct lane_explain_event of = record_of(event);

	x->number++;
	if (begins_request(event->wire.kind) && lane_table_get(&x->names, of.ctx, of.seqno) &&
	    !lane_table_get(&x->open, of.ctx, of.seqno) &&
	    !lane_table_put(&x->open, of.ctx, of.seqno, x))
		return &lane_enomem;
	x->may_be_open |= lane_is_numbered_job(event->wire.kind);
	if (!x->open.used && !x->may_be_open)
		return x->no_memory ? &lane_enomem : NULL;
	if (x->n_events == MOST_EVENTS) {
		x->n_events /= 2;
		memmove(x->events, x->events + x->n_events, x->n_events * sizeof(*x->events));
	}
	if (!LANE_GROW(x->events, x->cap_events, x->n_events + 1))
		return &lane_enomem;
	x->events[x->n_events++] = of;
	return x->no_memory ? &lane_enomem : NULL;
}

/* These rules are about another request than that whose time is bounded. */
static bool is_of_another(enum lane_rule rule)
{
	return rule == LANE_RULE_LATER || rule == LANE_RULE_BEHIND || rule == LANE_RULE_CENSUS ||
	       rule == LANE_RULE_GONE || rule == LANE_RULE_FREED;
}

/* The evidence of a time of `of`, by the rule and the event that the timeline told. Where the rule
 * is about another request, and the event is of this one, it is by own_rule. */
static struct lane_evidence evidence_of(const struct lane_explain *x,
					const struct lane_explained *of, enum lane_rule rule,
					uint64_t number, enum lane_rule own_rule)
{
	struct lane_evidence evidence = { .rule = LANE_RULE_NONE };
	uint64_t back = x->number - number;
	bool is_own;

	if (rule == LANE_RULE_NONE || !number || back >= x->n_events)
		return evidence;
	evidence.of = x->events[x->n_events - 1 - back];
	is_own = evidence.of.by_request && evidence.of.ctx == of->context.ctx &&
		 evidence.of.seqno == of->request.seqno;
	evidence.rule = is_own && is_of_another(rule) ? own_rule : rule;
	return evidence;
}

/* ---- its times ---- */

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

/* Adds a time that an event gives, by this rule. */
static void add_exact(struct lane_explain *x, struct lane_explained *of, enum lane_moment_what what,
		      bool known, uint64_t at_ns, enum lane_rule rule, uint64_t number)
{
	struct lane_moment *moment =
		known ? add_moment(x, of, what, timeline_span_exact(at_ns)) : NULL;

	if (moment)
		moment->lo = moment->hi = evidence_of(x, of, rule, number, LANE_RULE_NONE);
}

/* Adds a time that has bounds. */
static struct lane_moment *add_bounds(struct lane_explain *x, struct lane_explained *of,
				      enum lane_moment_what what, struct lane_span at,
				      struct lane_reasons why)
{
	enum lane_bound_of kind = what == LANE_MOMENT_PREEMPTED	 ? LANE_BOUND_LEFT
				  : what == LANE_MOMENT_COMPLETE ? LANE_BOUND_END
								 : LANE_BOUND_START;
	enum lane_rule lo = timeline_bound_rule(why.lo.rule, kind, false),
		       hi = timeline_bound_rule(why.hi.rule, kind, true);
	struct lane_moment *moment = add_moment(x, of, what, at);

	if (!moment)
		return NULL;
	moment->lo = evidence_of(x, of, lo, why.lo.event, LANE_RULE_NONE);
	moment->hi = evidence_of(x, of, hi, why.hi.event,
				 kind == LANE_BOUND_START ? LANE_RULE_ENDED : LANE_RULE_NONE);
	if (at.lo == at.hi && !moment->hi.rule)
		moment->hi = moment->lo;
	return moment;
}

/* The request's run that follows one that ended then; NULL: none, or it is not known. */
static const struct lane_preemption_note *
run_after(const struct lane_explain *x, const struct lane_explained *of, struct lane_span end)
{
	bool has_ended = false;

	for (size_t i = 0; i < x->n_notes; i++) {
		const struct lane_preemption_note *run = &x->notes[i];

		if (!run->is_run || !is_note_of(run, &of->request))
			continue;
		if (has_ended)
			return run;
		has_ended = run->end.lo == end.lo && run->end.hi == end.hi;
	}
	return NULL;
}

/* It goes on as its next run begins. It may have had a run before that, which is not told: then its
 * preemption may be shorter. */
static void add_resumed(struct lane_explain *x, struct lane_explained *of,
			const struct lane_preemption_note *p)
{
	const struct lane_preemption_note *run = run_after(x, of, p->begin);
	struct lane_reasons why;
	struct lane_span at;

	if (!run)
		return;
	at = run->begin;
	why = run->why;
	if (p->begin.hi + p->lasted.lo < at.lo) {
		at.lo = p->begin.lo + p->lasted.lo;
		why.lo = p->lasted.lo ? (struct lane_reason){ 0 } : p->why.lo;
	}
	add_bounds(x, of, LANE_MOMENT_RESUMED, at, why);
}

static void add_preemptions(struct lane_explain *x, struct lane_explained *of)
{
	for (size_t i = 0; i < x->n_notes; i++) {
		const struct lane_preemption_note *p = &x->notes[i];
		struct lane_moment *moment;

		if (p->is_run || !is_note_of(p, &of->request))
			continue;
		moment = add_bounds(x, of, LANE_MOMENT_PREEMPTED, p->begin, p->why);
		if (!moment)
			continue;
		moment->has_culprit = p->has_culprit;
		moment->culprit_ctx = p->culprit_ctx;
		moment->culprit_seqno = p->culprit_seqno;
		moment->unless_ns = p->unless_ns;
		moment->why = p->cause;
		moment->lasted = p->lasted;
		add_resumed(x, of, p);
	}
}

static void add_start(struct lane_explain *x, struct lane_explained *of, struct lane_span at,
		      struct lane_reasons why)
{
	add_bounds(x, of, LANE_MOMENT_STARTED, at, why);
	add_preemptions(x, of);
}

/* Its end. It comes after its own events (latency_points_of()): the last of them may bound it. */
static void add_end(struct lane_explain *x, struct lane_explained *of, struct lane_span at)
{
	const struct lane_request *rq = &of->request;
	struct lane_reasons why = rq->end_why;

	if (at.lo != rq->end.lo)
		why.lo = (struct lane_reason){ LANE_RULE_BEGAN,
					       at.lo == rq->execute_ns	? rq->by.execute
					       : at.lo == rq->submit_ns ? rq->by.submit
					       : at.lo == rq->add_ns	? rq->by.add
									: rq->by.queue };
	add_bounds(x, of, LANE_MOMENT_COMPLETE, at, why);
}

/* The times of a request whose story is over, in the order of its life. */
/* A job's last dependency was over at a time that has bounds. */
static void add_freed(struct lane_explain *x, struct lane_explained *of)
{
	const struct lane_request *rq = &of->request;
	struct lane_moment *moment =
		add_moment(x, of, LANE_MOMENT_SUBMITTED, timeline_submitted(rq));

	if (!moment)
		return;
	moment->lo =
		evidence_of(x, of, rq->freed_ns == rq->add_ns ? LANE_RULE_OWN : LANE_RULE_FULFILLED,
			    rq->freed_event, LANE_RULE_NONE);
	moment->hi = evidence_of(
		x, of, rq->submit_ns == rq->execute_ns ? LANE_RULE_GIVEN : LANE_RULE_FULFILLED,
		rq->by.submit, LANE_RULE_NONE);
}

static void add_moments(struct lane_explain *x, struct lane_explained *of)
{
	const struct lane_request *rq = &of->request;
	bool on_engine = timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE);
	bool is_free_at_once = !of->context.is_drm || rq->by.submit == rq->by.add;
	bool retired_first = rq->seen & LANE_SEEN_RETIRE && timeline_signal_is_known(rq) &&
			     rq->retire_ns < rq->signal_ns;
	struct lane_stages stages = of->stages;
	struct lane_span start;
	struct lane_points points;

	latency_points_of(&x->info, rq, &points);
	add_exact(x, of, LANE_MOMENT_QUEUED, points.known[LANE_POINT_QUEUE], rq->queue_ns,
		  LANE_RULE_OWN, rq->by.queue);
	add_exact(x, of, LANE_MOMENT_ADDED, points.known[LANE_POINT_ADD], rq->add_ns, LANE_RULE_OWN,
		  rq->by.add);
	add_exact(x, of, LANE_MOMENT_SUBMITTED, points.known[LANE_POINT_SUBMIT] && !rq->freed_ns,
		  rq->submit_ns, is_free_at_once ? LANE_RULE_OWN : LANE_RULE_FULFILLED,
		  rq->by.submit);
	if (rq->freed_ns)
		add_freed(x, of);
	add_exact(x, of, LANE_MOMENT_EXECUTED, points.known[LANE_POINT_EXECUTE], rq->execute_ns,
		  LANE_RULE_OWN, rq->by.execute);
	if (on_engine && rq->start.hi != LANE_NEVER)
		add_start(x, of, rq->start, rq->start_why);
	else if (latency_bound_device(&x->info, rq, &stages, &start))
		add_start(x, of, start,
			  (struct lane_reasons){ { LANE_RULE_HANDED, rq->by.execute },
						 rq->end_why.hi });
	if (timeline_burst_is_over(rq))
		add_bounds(x, of, LANE_MOMENT_COMPLETE, timeline_span_exact(rq->end.hi),
			   (struct lane_reasons){ rq->end_why.hi, rq->end_why.hi });
	else if (points.known[LANE_POINT_END])
		add_end(x, of, points.at[LANE_POINT_END]);
	if (retired_first)
		add_exact(x, of, LANE_MOMENT_RETIRED, true, rq->retire_ns, LANE_RULE_OWN,
			  rq->by.retire);
	add_exact(x, of, LANE_MOMENT_SIGNALLED, timeline_signal_is_known(rq), rq->signal_ns,
		  LANE_RULE_OWN, rq->by.signal);
	if (!retired_first)
		add_exact(x, of, LANE_MOMENT_RETIRED, rq->seen & LANE_SEEN_RETIRE, rq->retire_ns,
			  LANE_RULE_OWN, rq->by.retire);
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

static void name_process(const struct lane_ahead_part *part, char *name, size_t size)
{
	const struct lane_client *client = part->client ? part->client : part->context->client;

	if (part->context->is_shared && !part->client)
		snprintf(name, size, "several processes");
	else if (client->pid < 0)
		snprintf(name, size, "unknown");
	else if (client->comm[0])
		snprintf(name, size, "%.16s[%d]", client->comm, client->pid);
	else
		snprintf(name, size, "%d", client->pid);
	lane_clean(name, LANE_CLEAN_LINE);
}

/* What is known of a context that it stood behind; NULL: there are too many. */
static struct lane_behind *behind_of(struct lane_explained *of, const struct lane_ahead_part *part)
{
	struct lane_behind *behind;

	for (uint32_t i = 0; i < of->n_stood_behind; i++)
		if (of->stood_behind[i].ctx == part->context->ctx &&
		    of->stood_behind[i].client == part->client)
			return &of->stood_behind[i];
	if (of->n_stood_behind == LANE_EXPLAIN_BEHIND)
		return NULL;
	behind = &of->stood_behind[of->n_stood_behind++];
	behind->ctx = part->context->ctx;
	behind->client = part->client;
	name_process(part, behind->process, sizeof(behind->process));
	return behind;
}

/* Whom it stood behind in a stage that is known. */
static void explain_add_behind(struct lane_explain *x, struct lane_explained *of,
			       const struct lane_request *rq, enum lane_stage stage)
{
	bool is_host = stage == LANE_STAGE_HOST_QUEUE;
	struct lane_ahead_sum sum;

	if (!(of->stages.known >> stage & 1))
		return;
	/* It may have been handed to another engine before it began. */
	if (!is_host && rq->first_engine && rq->first_engine != rq->engine) {
		of->unknown_device_ns = of->stages.ns[stage].hi;
		return;
	}
	latency_ahead_of(&x->ahead, rq,
			 is_host ? timeline_submitted(rq) : timeline_span_exact(rq->execute_ns),
			 is_host ? timeline_span_exact(rq->execute_ns) : rq->start, &sum);
	*(is_host ? &of->unknown_host_ns : &of->unknown_device_ns) = sum.unknown_ns;
	for (uint32_t i = 0; i < sum.n; i++) {
		struct lane_behind *behind = behind_of(of, &sum.parts[i]);

		if (behind)
			*(is_host ? &behind->host : &behind->device) = sum.parts[i].ns;
		else
			timeline_span_add(&of->others_behind, sum.parts[i].ns);
	}
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
	of->client = *timeline_client_of(rq);
	if (rq->engine)
		of->engine = *rq->engine;
	if (rq->behind)
		of->behind = *rq->behind;
	if (rq->after)
		of->after = *rq->after;
	latency_stages_of(&x->info, rq, &of->stages);
	explain_add_behind(x, of, rq, LANE_STAGE_HOST_QUEUE);
	explain_add_behind(x, of, rq, LANE_STAGE_DEVICE_QUEUE);
	add_moments(x, of);
	drop_notes(x, rq);
	lane_table_del(&x->open, of->context.ctx, rq->seqno);
	if (!x->open.used && !x->may_be_open)
		x->n_events = 0;
}

/* All that drivers tell is kept, up to a most: whose life it falls in shows later. */
static void keep_told(void *arg, const struct lane_fault *fault)
{
	struct lane_explain *x = arg;

	if (x->n_told == MOST_TOLD)
		return;
	if (!LANE_GROW(x->told, x->cap_told, x->n_told + 1)) {
		x->no_memory = true;
		return;
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
				    .state = note_state,
				    .run = explain_note_run,
				    .maybe_run = note_maybe_run,
				    .idle = note_idle,
				    .loss = note_loss,
				    .preemption = note_preemption,
				    .fault = keep_told };
}

/* ---- when all has been read ---- */

static void set_pointers(struct lane_explained *of)
{
	struct lane_request *rq = &of->request;

	rq->client = &of->client;
	rq->context = &of->context;
	rq->engine = rq->engine ? &of->engine : NULL;
	rq->host_engine = rq->first_engine = NULL;
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

struct lane_error *latency_explain_end(struct lane_explain *x, const struct lane_timeline *timeline)
{
	if (x->no_memory || x->ahead.no_memory)
		return &lane_enomem;
	for (size_t i = 0; i < x->n; i++) {
		const struct lane_thread *thread = timeline_thread(timeline, x->of[i].request.tid);

		if (thread)
			memcpy(x->of[i].comm, thread->comm, sizeof(thread->comm));
		set_pointers(&x->of[i]);
		set_life(&x->of[i], timeline);
		set_told(x, &x->of[i]);
	}
	return NULL;
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

		/* Up to Linux 5.3 an `out` says what is taken back. */
		if (needed[i] == LANE_RQ_UNSUBMIT &&
		    of->engine.submission == LANE_SUBMISSION_PER_REQUEST)
			continue;
		if (x->info.presence[needed[i]] == LANE_PRESENCE_ABSENT &&
		    !(of_ports && (in_firmware || of->engine.submission == LANE_SUBMISSION_RING)))
			return lane_kinds[needed[i]].name;
	}
	return NULL;
}

/* What keeps times of its life unknown, though the events are recorded; NULL: nothing. */
static const char *loss_in_life(const struct lane_explained *of)
{
	bool is_ambiguous = true;

	for (uint32_t i = 0; i < of->n_losses; i++)
		is_ambiguous &= of->losses[i].is_ambiguous;
	if (!of->n_losses)
		return NULL;
	return is_ambiguous ? "fence events in its life tell 32 bits of their context, which "
			      "several contexts share"
			    : "events were lost in its life";
}

const char *latency_explain_unknown(const struct lane_explain *x, const struct lane_explained *of,
				    char *buffer, size_t size)
{
	const struct lane_request *rq = &of->request;
	const char *absent = absent_kind(x, of);

	buffer[0] = 0;
	if (!(of->stages.unknown & ((1u << LANE_STAGE_PATH) - 1)))
		return buffer;
	if (loss_in_life(of))
		snprintf(buffer, size, "%s", loss_in_life(of));
	else if (rq->doubt & LANE_DOUBT_BURST)
		snprintf(buffer, size,
			 "it %s a burst of a long-running queue: user "
			 "space submits in it, unseen by the kernel",
			 rq->context->is_long_running ? "is" : "may be");
	else if (!(rq->seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD | LANE_SEEN_SUBMIT)))
		snprintf(buffer, size, "%s",
			 of->context.is_drm ? "no event shows when it was queued"
					    : "it was there before the recording began");
	else if ((rq->doubt & LANE_DOUBT_GONE) && rq->state != LANE_RQ_STATE_ENDED)
		snprintf(buffer, size, "the recording ended before it was seen to end");
	else if ((of->stages.unknown & ((1u << LANE_STAGE_PATH) - 1)) == 1u << LANE_STAGE_SIGNAL &&
		 !(rq->seen & LANE_SEEN_SIGNAL))
		snprintf(buffer, size, "the recording has no dma_fence_signaled of it");
	else if (absent)
		snprintf(buffer, size, "the recording has no %s", absent);
	else if (rq->is_overtaken)
		snprintf(buffer, size,
			 "a later job of its context was over, and no event shows "
			 "its own end");
	else if (of->context.is_drm && !rq->executes && !(rq->seen & LANE_SEEN_SIGNAL))
		snprintf(buffer, size, "no event shows when it was given to its ring");
	else if (of->context.is_drm && !rq->executes)
		snprintf(buffer, size, "it was signalled without having been given to its ring");
	else if (of->stages.unknown >> LANE_STAGE_RUNNING & 1)
		snprintf(buffer, size, "no event shows when it had the engine");
	else if (of->stages.unknown >> LANE_STAGE_DEPENDENCY & 1)
		snprintf(buffer, size, "no event shows until when it waited for others");
	else if (!(rq->seen & LANE_SEEN_SIGNAL))
		snprintf(buffer, size, "its fence was not seen to be signalled");
	else
		snprintf(buffer, size, "not all of it was recorded");
	return buffer;
}

const char *latency_explain_unknown_after(const struct lane_explain *x,
					  const struct lane_explained *of)
{
	const enum lane_kind sched[] = { LANE_SWITCH, LANE_WAKING };

	if (!(of->stages.unknown >> LANE_STAGE_PATH))
		return "";
	if (loss_in_life(of))
		return loss_in_life(of);
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
	free(x->events);
	*x = (struct lane_explain){ 0 };
}
