// SPDX-License-Identifier: MIT
// The life of one request: each time with its evidence, what is unknown, whom it stood behind.
#include "show/explain_text.h"

#include <inttypes.h>

#include "base/plural.h"
#include "show/json.h"
#include "show/report.h"
#include "show/sentence.h"
#include "show/stacks_text.h"

#define NAME_SIZE LANE_SHOW_ENGINE

/* The rules that have been named. */
struct legend {
	bool is_used[LANE_RULE_COUNT];
};

/* "R16 dma_fence_signaled of 1018:3 on CPU 2" */
static void write_evidence(FILE *to, const struct lane_explained *of, const struct lane_evidence *e,
			   struct legend *legend)
{
	if (e->rule == LANE_RULE_NONE) {
		fputs("no single event shows it: it follows from other times\n", to);
		return;
	}
	legend->is_used[e->rule] = true;
	fprintf(to, "R%-2d  %s", e->rule, lane_kinds[e->of.kind].name);
	if (e->of.by_request && (e->of.ctx != of->context.ctx || e->of.seqno != of->request.seqno))
		fprintf(to, " of %" PRIu64 ":%u", e->of.ctx, e->of.seqno);
	if (e->of.cpu >= 0)
		fprintf(to, " on CPU %d", e->of.cpu);
	fputc('\n', to);
}

/* A column's left edge in ms, for a request's time. */
static double ms(const struct lane_explained *of, uint64_t at_ns)
{
	return ((double)at_ns - (double)of->from_ns) / 1e6;
}

/* What was not completed is over. So is a burst: whether what user space submitted in it is
 * complete the kernel does not know. */
static const char *moment_name(const struct lane_explained *of, const struct lane_moment *m)
{
	return m->what == LANE_MOMENT_COMPLETE &&
			       (of->request.fault || (of->request.doubt & LANE_DOUBT_BURST))
		       ? "over"
		       : lane_moment_names[m->what];
}

static void write_moment(FILE *to, const struct lane_explained *of, const struct lane_moment *m,
			 struct legend *legend)
{
	bool exact = m->at.lo == m->at.hi;

	if (exact) {
		fprintf(to, "%14.6f  %-12s  ", ms(of, m->at.lo), moment_name(of, m));
		write_evidence(to, of, &m->hi, legend);
	} else {
		fprintf(to, "%14.6f  %-12s  not before:  ", ms(of, m->at.lo), moment_name(of, m));
		write_evidence(to, of, &m->lo, legend);
		fprintf(to, "%14.6f  %-12s  not after:   ", ms(of, m->at.hi), "");
		write_evidence(to, of, &m->hi, legend);
	}
	if (m->what != LANE_MOMENT_PREEMPTED)
		return;
	fprintf(to, "%30s", "");
	if (m->has_culprit)
		fprintf(to, "by %" PRIu64 ":%u, ", m->culprit_ctx, m->culprit_seqno);
	else
		fputs("by whom is not known, ", to);
	fprintf(to, "off the engine for %s, reason: %s\n", SHOW_SPAN(m->lasted),
		lane_preemption_why_names[m->why]);
	if (m->unless_ns)
		fprintf(to,
			"%30sunless the request ahead ended in the %s in which the driver took "
			"requests back: then it had not begun\n",
			"", SHOW_DURATION(m->unless_ns));
}

static void write_legend(FILE *to, const struct legend *legend)
{
	fputs("\nThe rules (docs/analysis.md):\n", to);
	for (int rule = 1; rule < LANE_RULE_COUNT; rule++)
		if (legend->is_used[rule])
			fprintf(to, "  R%-2d  %s\n", rule, lane_rule_sentences[rule]);
}

/* The stages of a set that are unknown, and why. */
static void write_unknown(FILE *to, unsigned int stages, const char *why)
{
	const char *between = "Unknown: ";

	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (stages >> i & 1) {
			fprintf(to, "%s%s", between, lane_stage_names[i]);
			between = ", ";
		}
	if (stages)
		fprintf(to, ", because %s.\n", why);
}

void show_explain_stages(FILE *to, const struct lane_explained *of)
{
	const struct lane_stages *stages = &of->stages;
	const char *between = "";

	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		if (!(stages->known >> i & 1))
			continue;
		fprintf(to, "%s%s %s", between, lane_stage_names[i], SHOW_SPAN(stages->ns[i]));
		between = ", ";
	}
	fputs(*between ? ".\n" : "none is known.\n", to);
}

static void write_stages(FILE *to, const struct lane_explain *x, const struct lane_explained *of)
{
	const struct lane_stages *stages = &of->stages;

	fputs("Stages: ", to);
	show_explain_stages(to, of);
	write_unknown(to, stages->unknown & ((1u << LANE_STAGE_PATH) - 1),
		      latency_explain_unknown(x, of, SHOW_ROOM(128)));
	write_unknown(to, stages->unknown & ~((1u << LANE_STAGE_PATH) - 1),
		      latency_explain_unknown_after(x, of));
	if ((of->request.doubt & LANE_DOUBT_DEVICE) && stages->known >> LANE_STAGE_RUNNING & 1)
		fputs("When it started is unknown: it may never have been in the hardware.\n", to);
}

static void write_behind(FILE *to, const struct lane_explained *of)
{
	for (uint32_t i = 0; i < of->n_stood_behind; i++) {
		const struct lane_behind *b = &of->stood_behind[i];

		fprintf(to, "It stood behind context %" PRIu64 " of %s, which had the engine",
			b->ctx, b->process);
		if (b->host.hi)
			fprintf(to, " for %s of its host_queue", SHOW_SPAN(b->host));
		if (b->device.hi)
			fprintf(to, "%s for %s of its device_queue", b->host.hi ? " and" : "",
				SHOW_SPAN(b->device));
		fputs(".\n", to);
	}
	if (of->unknown_host_ns + of->unknown_device_ns)
		fprintf(to, "Who had the engine for %s of the time in these queues is not known.\n",
			SHOW_DURATION(of->unknown_host_ns + of->unknown_device_ns));
	if (of->others_behind.hi)
		fprintf(to, "It stood behind further contexts for %s.\n",
			SHOW_SPAN(of->others_behind));
	if (of->request.after)
		fprintf(to,
			"It was submitted as the fence of %" PRIu64 ":%u was signalled, which it "
			"had waited for.\n",
			of->after.ctx, of->request.after_seqno);
}

static void write_losses(FILE *to, const struct lane_explained *of, uint64_t begin_ns)
{
	for (uint32_t i = 0; i < of->n_losses; i++) {
		const struct lane_loss *loss = &of->losses[i];
		double from = ((double)loss->begin_ns - (double)begin_ns) / 1e9;
		double upto = ((double)loss->end_ns - (double)begin_ns) / 1e9;

		fputs(loss->is_ambiguous ? "Ambiguous in its life: " : "Lost in its life: ", to);
		if (loss->count)
			fprintf(to, "%" PRIu64 " event%s", loss->count, lane_s(loss->count));
		else
			fputs("events of unknown number", to);
		if (loss->cpu >= 0)
			fprintf(to, " on CPU %d", loss->cpu);
		fprintf(to, ", from %.6f to %.6f s of the recording.\n", from, upto);
	}
	if (of->more_losses)
		fprintf(to, "More losses: %u.\n", of->more_losses);
}

static void write_told(FILE *to, const struct lane_explained *of, struct legend *legend)
{
	for (uint32_t i = 0; i < of->n_told; i++) {
		const struct lane_told *told = &of->told[i];

		fprintf(to, "%14.6f  %-12s  %s", ms(of, told->at_ns), "told",
			lane_fault_names[told->cause]);
		if (told->is_own)
			fputs(" of this request", to);
		else if (told->has_job)
			fprintf(to, " of %" PRIu64 ":%u on its engine", told->ctx, told->seqno);
		else
			fputs(" on its engine", to);
		fprintf(to, ": %s (R%d)\n", lane_kinds[told->kind].name, LANE_RULE_TOLD);
		legend->is_used[LANE_RULE_TOLD] = true;
	}
	if (of->more_told)
		fprintf(to, "And %u more that its driver told of.\n", of->more_told);
}

void show_explain_write_text(FILE *to, const struct lane_explain *x,
			     const struct lane_explained *of, const struct lane_latency *latency)
{
	const struct lane_request *rq = &of->request;
	uint64_t begin_ns = latency->figures.begin_ns;
	struct lane_sentences why;
	struct legend legend = { 0 };

	fprintf(to, "Request %" PRIu64 ":%u of %s", of->context.ctx, rq->seqno,
		show_client_name(&of->client, SHOW_ROOM(NAME_SIZE)));
	if (rq->tid >= 0)
		fprintf(to, ", submitted by thread %s", SHOW_TASK(rq->tid, of->comm));
	if (rq->engine)
		fprintf(to, ", engine %s", SHOW_ENGINE(rq->engine));
	fprintf(to, ".\nIts first time is %.9f s of the recording; times are ms from there.\n\n",
		((double)of->from_ns - (double)begin_ns) / 1e9);
	for (uint32_t i = 0; i < of->n_moments; i++)
		write_moment(to, of, &of->moments[i], &legend);
	if (of->left_out)
		fprintf(to, "Further times, left out: %u.\n", of->left_out);
	write_told(to, of, &legend);
	fputc('\n', to);
	show_sentences_of_request(&why, latency);
	show_sentences_write(to, &why, false);
	write_stages(to, x, of);
	show_stacks_of_request(to, latency, rq);
	write_behind(to, of);
	write_losses(to, of, begin_ns);
	write_legend(to, &legend);
}

/* ---- JSON ---- */

static void span_json(struct json_object *to, const char *key, struct lane_span ns)
{
	struct json_object *span = show_json_object(to, key);

	show_json_uint(span, "min", ns.lo);
	show_json_uint(span, "max", ns.hi);
}

static void request_json(struct json_object *to, const char *key, uint64_t ctx, uint32_t seqno)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 ":%u", ctx, seqno);
	show_json_text(to, key, text);
}

static void evidence_json(struct json_object *to, const char *key, const struct lane_evidence *e,
			  uint64_t origin_ns)
{
	struct json_object *evidence;

	if (e->rule == LANE_RULE_NONE) {
		show_json_null(to, key);
		return;
	}
	evidence = show_json_object(to, key);
	show_json_int(evidence, "rule", e->rule);
	show_json_text(evidence, "sentence", lane_rule_sentences[e->rule]);
	show_json_text(evidence, "event", lane_kinds[e->of.kind].name);
	show_json_uint(evidence, "at_ns", e->of.at_ns - origin_ns);
	if (e->of.cpu >= 0)
		show_json_int(evidence, "cpu", e->of.cpu);
	if (e->of.by_request)
		request_json(evidence, "request", e->of.ctx, e->of.seqno);
}

static void moment_json(struct json_object *list, const struct lane_explained *of,
			const struct lane_moment *m, uint64_t origin_ns)
{
	struct json_object *row = show_json_row(list);

	show_json_text(row, "what", moment_name(of, m));
	span_json(row, "at_ns", (struct lane_span){ m->at.lo - origin_ns, m->at.hi - origin_ns });
	evidence_json(row, "not_before", &m->lo, origin_ns);
	evidence_json(row, "not_after", &m->hi, origin_ns);
	if (m->what != LANE_MOMENT_PREEMPTED)
		return;
	if (m->has_culprit)
		request_json(row, "culprit", m->culprit_ctx, m->culprit_seqno);
	else
		show_json_null(row, "culprit");
	show_json_text(row, "why", lane_preemption_why_names[m->why]);
	span_json(row, "lasted_ns", m->lasted);
	if (m->unless_ns)
		show_json_uint(row, "unless_ns", m->unless_ns);
}

static void stages_json(struct json_object *to, const struct lane_explain *x,
			const struct lane_explained *of)
{
	struct json_object *stages = show_json_object(to, "stages"), *unknown;
	char text[128];

	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (of->stages.known >> i & 1)
			span_json(stages, lane_stage_names[i], of->stages.ns[i]);
	unknown = show_json_list(to, "unknown");
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (of->stages.unknown >> i & 1)
			show_json_item(unknown, lane_stage_names[i]);
	if (*latency_explain_unknown(x, of, text, sizeof(text)))
		show_json_text(to, "unknown_because", text);
	if (*latency_explain_unknown_after(x, of))
		show_json_text(to, "unknown_after_because", latency_explain_unknown_after(x, of));
}

/* Of a stage that is not known nothing is said. */
static void stage_json(struct json_object *to, const char *key, const struct lane_explained *of,
		       enum lane_stage stage, struct lane_span ns)
{
	if (of->stages.known >> stage & 1)
		span_json(to, key, ns);
	else
		show_json_null(to, key);
}

static void behind_json(struct json_object *to, const struct lane_explained *of)
{
	struct json_object *list = show_json_list(to, "behind");

	for (uint32_t i = 0; i < of->n_stood_behind; i++) {
		struct json_object *row = show_json_row(list);

		show_json_uint(row, "context", of->stood_behind[i].ctx);
		show_json_text(row, "process", of->stood_behind[i].process);
		stage_json(row, "host_queue_ns", of, LANE_STAGE_HOST_QUEUE,
			   of->stood_behind[i].host);
		stage_json(row, "device_queue_ns", of, LANE_STAGE_DEVICE_QUEUE,
			   of->stood_behind[i].device);
	}
	show_json_uint(to, "behind_unknown_ns", of->unknown_host_ns + of->unknown_device_ns);
	span_json(to, "behind_others_ns", of->others_behind);
}

static void losses_json(struct json_object *to, const struct lane_explained *of, uint64_t origin_ns)
{
	struct json_object *list = show_json_list(to, "losses");

	for (uint32_t i = 0; i < of->n_losses; i++) {
		struct json_object *row = show_json_row(list);

		show_json_uint(row, "begin_ns", of->losses[i].begin_ns - origin_ns);
		show_json_uint(row, "end_ns", of->losses[i].end_ns - origin_ns);
		show_json_uint(row, "count", of->losses[i].count);
		if (of->losses[i].cpu >= 0)
			show_json_int(row, "cpu", of->losses[i].cpu);
	}
	show_json_uint(to, "more_losses", of->more_losses);
}

static void told_json(struct json_object *to, const struct lane_explained *of, uint64_t origin_ns)
{
	struct json_object *list;

	if (!of->n_told)
		return;
	list = show_json_list(to, "told");
	for (uint32_t i = 0; i < of->n_told; i++) {
		const struct lane_told *told = &of->told[i];
		struct json_object *row = show_json_row(list);

		show_json_text(row, "cause", lane_fault_names[told->cause]);
		show_json_text(row, "event", lane_kinds[told->kind].name);
		show_json_uint(row, "rule", LANE_RULE_TOLD);
		show_json_bool(row, "own", told->is_own);
		show_json_uint(row, "begin_ns", told->at_ns - origin_ns);
		show_json_uint(row, "end_ns", told->until_ns - origin_ns);
	}
	show_json_uint(to, "more_told", of->more_told);
}

struct json_object *show_explain_tree(const struct lane_explain *x, const struct lane_explained *of,
				      uint64_t origin_ns)
{
	struct json_object *object = json_object_new_object();
	const struct lane_request *rq = &of->request;
	struct json_object *moments;

	if (!object)
		return NULL;
	show_json_uint(object, "device", of->context.dev);
	show_json_uint(object, "context", of->context.ctx);
	show_json_uint(object, "seqno", rq->seqno);
	show_json_text(object, "process", show_client_name(&of->client, SHOW_ROOM(NAME_SIZE)));
	if (rq->tid >= 0)
		show_json_text(object, "thread", SHOW_TASK(rq->tid, of->comm));
	if (rq->engine)
		show_json_text(object, "engine", SHOW_ENGINE(rq->engine));
	moments = show_json_list(object, "times");
	for (uint32_t i = 0; i < of->n_moments; i++)
		moment_json(moments, of, &of->moments[i], origin_ns);
	show_json_uint(object, "times_left_out", of->left_out);
	stages_json(object, x, of);
	behind_json(object, of);
	if (rq->after)
		request_json(object, "submitted_after", of->after.ctx, rq->after_seqno);
	told_json(object, of, origin_ns);
	losses_json(object, of, origin_ns);
	return object;
}

struct lane_error *show_explain_write_json(FILE *to, const struct lane_explain *x,
					   const struct lane_explained *of,
					   const struct lane_latency *latency)
{
	struct json_object *object = show_explain_tree(x, of, 0);
	struct lane_sentences why;

	if (!object)
		return &lane_enomem;
	show_stacks_of_request_json(object, latency, &of->request);
	show_sentences_of_request(&why, latency);
	show_answers_tree(&why, object);
	show_json_write(to, object, JSON_C_TO_STRING_PLAIN);
	return NULL;
}
