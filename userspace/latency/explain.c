// SPDX-License-Identifier: MIT
// One request's life: its times, and the events and rules that show them (docs/analysis.md).
#include "latency/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/vector.h"
#include "latency/explain_internal.h"

#define MOST_TOLD 16384

const char *const lane_rule_sentences[LANE_RULE_COUNT] = {
	[LANE_RULE_NONE] = "",
#define RULE(number, name, sentence, ...) [LANE_RULE_##name] = sentence,
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

/* The last runs of an engine, or of a context at a GuC, the last one first. */
struct lane_explain_line {
	struct lane_explain_run last[LANE_EXPLAIN_AHEAD];
	uint32_t n;
};

/* A run or a preemption of a request that has not been told yet. */
struct lane_preemption_note {
	uint64_t ctx;
	uint32_t dev, seqno;
	bool is_run;
	struct lane_explain_turn turn; /* of a run */
	struct lane_span begin;	       /* of a preemption */
	struct lane_span lasted;
	enum lane_preemption_why why;
	bool has_culprit;
	uint64_t culprit_ctx;
	uint32_t culprit_seqno;
	uint64_t unless_ns; /* as lane_preemption's */
};

/* ---- the first reading ---- */

struct lane_error *latency_explain_add(struct lane_explain *x, uint64_t ctx, uint32_t seqno)
{
	if (!lane_table_get(&x->names, ctx, seqno) && !lane_table_put(&x->names, ctx, seqno, x))
		return &lane_enomem;
	if (!lane_table_get(&x->contexts, ctx, 0) && !lane_table_put(&x->contexts, ctx, 0, x))
		return &lane_enomem;
	return NULL;
}

static void drop_explained(struct lane_explain *x)
{
	for (size_t i = 0; i < x->n; i++) {
		free(x->of[i].turns);
		free(x->of[i].moments);
	}
	x->n = 0;
	free(x->lines);
	x->lines = NULL;
	x->n_lines = 0;
	for (size_t i = 0; x->firmware_lines.slots && i <= x->firmware_lines.mask; i++)
		free(x->firmware_lines.slots[i].value);
	lane_table_free(&x->firmware_lines);
	latency_ahead_deinit(&x->ahead);
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

/* The last runs of an engine; NULL: there is no memory. */
static struct lane_explain_line *line_of_engine(struct lane_explain *x, uint32_t id)
{
	struct lane_explain_line *more;
	size_t most = (size_t)id + 1 + id / 2;

	if (id >= x->n_lines) {
		more = reallocarray(x->lines, most, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + x->n_lines, 0, (most - x->n_lines) * sizeof(*more));
		x->lines = more;
		x->n_lines = most;
	}
	return &x->lines[id];
}

/* The same of a context at a GuC. */
static struct lane_explain_line *line_of_context(struct lane_explain *x,
						 const struct lane_context *context)
{
	struct lane_explain_line *line =
		lane_table_get(&x->firmware_lines, context->ctx, context->dev);

	if (line)
		return line;
	line = calloc(1, sizeof(*line));
	if (line && lane_table_put(&x->firmware_lines, context->ctx, context->dev, line))
		return line;
	free(line);
	return NULL;
}

/* The run is the next one behind those that are open and have none yet. */
static void note_next(struct lane_explain *x, const struct lane_explain_line *line,
		      const struct lane_explain_run *run)
{
	for (size_t i = 0; i < x->n_notes; i++) {
		struct lane_explain_turn *turn = &x->notes[i].turn;

		if (!x->notes[i].is_run || turn->has_after || !line->n ||
		    turn->own.ctx != line->last[0].ctx || turn->own.seqno != line->last[0].seqno ||
		    turn->own.dev != line->last[0].dev || turn->own.end.hi != line->last[0].end.hi)
			continue;
		turn->has_after = true;
		turn->after = *run;
	}
}

static void note_run(void *arg, const struct lane_run *run)
{
	struct lane_explain *x = arg;
	struct lane_explain_line *line;
	struct lane_explain_run own = { .ctx = run->request->context->ctx,
					.dev = run->request->context->dev,
					.seqno = run->request->seqno,
					.begin = run->begin,
					.end = run->end };
	struct lane_preemption_note of = {
		.ctx = own.ctx, .dev = own.dev, .seqno = own.seqno, .is_run = true
	};

	latency_ahead_run(&x->ahead, run);
	if (run->engine->submission != LANE_SUBMISSION_GUC)
		line = line_of_engine(x, run->engine->id);
	else if (lane_table_get(&x->contexts, own.ctx, 0))
		line = line_of_context(x, run->request->context);
	else
		return;
	if (!line) {
		x->no_memory = true;
		return;
	}
	note_next(x, line, &own);
	if (is_meant(x, run->request)) {
		of.turn.own = own;
		of.turn.n_ahead = line->n;
		memcpy(of.turn.ahead, line->last, sizeof(line->last));
		note(x, &of);
	}
	memmove(line->last + 1, line->last, sizeof(line->last) - sizeof(line->last[0]));
	line->last[0] = own;
	line->n += line->n < LANE_EXPLAIN_AHEAD;
}

static void note_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		       uint64_t now_ns)
{
	(void)from;
	latency_ahead_state(&((struct lane_explain *)arg)->ahead, rq, now_ns);
}

static void note_maybe_run(void *arg, const struct lane_run *run)
{
	latency_ahead_maybe_run(&((struct lane_explain *)arg)->ahead, run);
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
		note(arg, &(struct lane_preemption_note){ .ctx = p->victim->context->ctx,
							  .dev = p->victim->context->dev,
							  .seqno = p->victim->seqno,
							  .begin = p->at,
							  .lasted = p->lasted,
							  .why = p->why,
							  .has_culprit = p->culprit != NULL,
							  .culprit_ctx =
								  p->culprit ? p->culprit->ctx : 0,
							  .culprit_seqno = p->culprit_seqno,
							  .unless_ns = p->unless_ns });
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

/* The number of the run that a preemption ended, from 1; 0: it is not known. */
static uint32_t turn_before(const struct lane_explained *of, struct lane_span at)
{
	for (uint32_t i = 0; i < of->n_turns; i++)
		if (of->turns[i].own.end.lo == at.lo && of->turns[i].own.end.hi == at.hi)
			return i + 1;
	return 0;
}

/* It goes on as its next run begins. It may have had a run before that, which is not told: then its
 * preemption may be shorter. */
static struct lane_span resumed_at(const struct lane_preemption_note *p, struct lane_span begin)
{
	if (p->begin.hi + p->lasted.lo < begin.lo)
		begin.lo = p->begin.lo + p->lasted.lo;
	return begin;
}

static void add_preemptions(struct lane_explain *x, struct lane_explained *of)
{
	for (size_t i = 0; i < x->n_notes; i++) {
		const struct lane_preemption_note *p = &x->notes[i];
		struct lane_moment *moment;
		uint32_t turn;

		if (p->is_run || !is_note_of(p, &of->request))
			continue;
		moment = add_moment(x, of, LANE_MOMENT_PREEMPTED, p->begin);
		if (!moment)
			continue;
		turn = turn_before(of, p->begin);
		moment->turn = turn;
		moment->has_culprit = p->has_culprit;
		moment->culprit_ctx = p->culprit_ctx;
		moment->culprit_seqno = p->culprit_seqno;
		moment->unless_ns = p->unless_ns;
		moment->why = p->why;
		moment->lasted = p->lasted;
		if (!turn || turn == of->n_turns)
			continue;
		moment = add_moment(x, of, LANE_MOMENT_RESUMED,
				    resumed_at(p, of->turns[turn].own.begin));
		if (moment)
			moment->turn = turn + 1;
	}
}

/* Its runs, as they were noted. */
static void add_turns(struct lane_explain *x, struct lane_explained *of)
{
	for (size_t i = 0; i < x->n_notes && of->n_turns < LANE_EXPLAIN_MOMENTS; i++) {
		if (!x->notes[i].is_run || !is_note_of(&x->notes[i], &of->request))
			continue;
		if (!LANE_GROW(of->turns, of->cap_turns, of->n_turns + 1)) {
			x->no_memory = true;
			return;
		}
		of->turns[of->n_turns++] = x->notes[i].turn;
	}
}

static void add_start(struct lane_explain *x, struct lane_explained *of, struct lane_span at)
{
	struct lane_moment *moment = add_moment(x, of, LANE_MOMENT_STARTED, at);

	if (moment)
		moment->turn = of->n_turns ? 1 : 0;
	add_preemptions(x, of);
}

/* The times of a request whose story is over, in the order of its life. */
static void add_moments(struct lane_explain *x, struct lane_explained *of)
{
	const struct lane_request *rq = &of->request;
	bool on_engine = timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE);
	struct lane_stages stages = of->stages;
	struct lane_moment *moment = NULL;
	struct lane_span start;
	struct lane_points points;

	latency_points_of(&x->info, rq, &points);
	add_exact(x, of, LANE_MOMENT_QUEUED, points.known[LANE_POINT_QUEUE], rq->queue_ns);
	add_exact(x, of, LANE_MOMENT_ADDED, points.known[LANE_POINT_ADD], rq->add_ns);
	add_exact(x, of, LANE_MOMENT_SUBMITTED, points.known[LANE_POINT_SUBMIT], rq->submit_ns);
	add_exact(x, of, LANE_MOMENT_EXECUTED, points.known[LANE_POINT_EXECUTE], rq->execute_ns);
	if (on_engine && rq->start.hi != LANE_NEVER)
		add_start(x, of, rq->start);
	else if (latency_bound_device(&x->info, rq, &stages, &start))
		add_start(x, of, start);
	if (timeline_burst_is_over(rq))
		moment = add_moment(x, of, LANE_MOMENT_COMPLETE, timeline_span_exact(rq->end.hi));
	else if (points.known[LANE_POINT_END])
		moment = add_moment(x, of, LANE_MOMENT_COMPLETE, points.at[LANE_POINT_END]);
	if (moment)
		moment->turn = of->n_turns;
	add_exact(x, of, LANE_MOMENT_SIGNALLED, timeline_signal_is_known(rq), rq->signal_ns);
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
static void add_behind(struct lane_explain *x, struct lane_explained *of,
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
	latency_ahead_of(&x->ahead, rq, is_host ? rq->submit_ns : rq->execute_ns,
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
	add_behind(x, of, rq, LANE_STAGE_HOST_QUEUE);
	add_behind(x, of, rq, LANE_STAGE_DEVICE_QUEUE);
	add_turns(x, of);
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
				    .state = note_state,
				    .run = note_run,
				    .maybe_run = note_maybe_run,
				    .idle = note_idle,
				    .loss = note_loss,
				    .preemption = note_preemption,
				    .fault = keep_told };
}

/* ---- between the readings ---- */

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

static int by_time(const void *a, const void *b)
{
	const struct lane_wanted *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void want(struct lane_explain *x, struct lane_explained *of, struct lane_moment *moment)
{
	const struct lane_explain_turn *turn = moment->turn ? &of->turns[moment->turn - 1] : NULL;
	bool exact = moment->at.lo == moment->at.hi;

	if (!exact)
		x->wanted[x->n_wanted++] = (struct lane_wanted){ .at_ns = moment->at.lo,
								 .evidence = &moment->lo,
								 .of = of,
								 .turn = turn,
								 .what = moment->what };
	x->wanted[x->n_wanted++] = (struct lane_wanted){ .at_ns = moment->at.hi,
							 .evidence = &moment->hi,
							 .of = of,
							 .turn = turn,
							 .what = moment->what,
							 .is_upper = true,
							 .is_exact = exact };
}

/* Finds the requests by their names. False: no memory. */
static bool name_all(struct lane_explain *x)
{
	lane_table_free(&x->by_name);
	for (size_t i = 0; i < x->n; i++) {
		struct lane_explained *of = &x->of[i];
		struct lane_explained *first =
			lane_table_get(&x->by_name, of->context.ctx, of->request.seqno);

		if (!first && !lane_table_put(&x->by_name, of->context.ctx, of->request.seqno, of))
			return false;
		if (first) {
			of->same_name = first->same_name;
			first->same_name = of;
		}
	}
	return true;
}

struct lane_error *latency_explain_search(struct lane_explain *x,
					  const struct lane_timeline *timeline)
{
	size_t n = 0;

	if (x->no_memory || x->ahead.no_memory)
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
	if (!x->wanted || !name_all(x))
		return &lane_enomem;
	for (size_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < x->of[i].n_moments; k++)
			want(x, &x->of[i], &x->of[i].moments[k]);
	if (x->n_wanted > 0)
		qsort(x->wanted, x->n_wanted, sizeof(*x->wanted), by_time);
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
	lane_table_free(&x->contexts);
	lane_table_free(&x->by_name);
	free(x->of);
	free(x->notes);
	free(x->told);
	free(x->wanted);
	free(x->cpus);
	*x = (struct lane_explain){ 0 };
}
