// SPDX-License-Identifier: MIT
// The report's first screen: a bar of stages, a line for each engine, the worst requests.
#include "show/screen.h"

#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "show/cpu_text.h"

#define BAR	60 /* characters */
#define ENGINES 4  /* lines */
#define CAUSES	2  /* of an engine's idle time */
#define WORST	3
#define PARTS	3 /* of a request's time */
#define THREADS 5 /* of a recording without a GPU */

/* The letter of a stage in the bar. */
static const char letters[LANE_STAGE_PATH + 1] = {
	[LANE_STAGE_PREPARE] = 'p',    [LANE_STAGE_DEPENDENCY] = 'd',
	[LANE_STAGE_HOST_QUEUE] = 'h', [LANE_STAGE_DEVICE_QUEUE] = 'q',
	[LANE_STAGE_RUNNING] = '=',    [LANE_STAGE_PREEMPTED] = '!',
	[LANE_STAGE_SIGNAL] = 's',     [LANE_STAGE_PATH] = '?',
};

/* A stage's part of the whole, the unknown one's behind the last. */
static struct lane_span part_of(const struct lane_spent *spent, int stage)
{
	return stage == LANE_STAGE_PATH	 ? spent->unknown
	       : spent->stages[stage].hi ? latency_spent_in(spent, stage)
					 : (struct lane_span){ 0 };
}

static const char *name_of(int stage)
{
	return stage < LANE_STAGE_PATH ? lane_stage_names[stage] : "unknown";
}

/* The stages that certainly took most, first; how many took anything, or may have. */
static int by_time(const struct lane_spent *spent, int order[LANE_STAGE_PATH + 1])
{
	int n = 0;

	for (int stage = 0; stage <= LANE_STAGE_PATH; stage++) {
		struct lane_span part = part_of(spent, stage);
		int at = n;

		if (!part.hi)
			continue;
		for (; at && part_of(spent, order[at - 1]).lo < part.lo; at--)
			order[at] = order[at - 1];
		order[at] = stage;
		n++;
	}
	return n;
}

/* Fills a bar of BAR characters with what each stage certainly took; the rest is question marks. */
static void fill(char *bar, const struct lane_spent *spent, const int *order, int n)
{
	uint64_t sum = 0;
	int filled = 0;

	for (int i = 0; i < n; i++) {
		if (order[i] == LANE_STAGE_PATH)
			continue;
		sum += spent->stages[order[i]].lo;
		while (filled < BAR &&
		       (double)filled + 0.5 < (double)sum / (double)spent->total.hi * BAR)
			bar[filled++] = letters[order[i]];
	}
	memset(bar + filled, letters[LANE_STAGE_PATH], (size_t)(BAR - filled));
	bar[BAR] = 0;
}

void show_screen_bar(FILE *to, const struct lane_latency *latency)
{
	const struct lane_spent *spent = &latency->spent;
	int order[LANE_STAGE_PATH + 1];
	char bar[BAR + 1], text[64];
	int n;

	if (!spent->requests || !spent->total.hi)
		return;
	n = by_time(spent, order);
	fill(bar, spent, order, n);
	fprintf(to, "\nOn what %" PRIu64 " request%s spent %s%s\n  [%s]\n  ", spent->requests,
		spent->requests == 1 ? "" : "s", show_span_text(spent->total, text, sizeof(text)),
		latency_times_to_end(latency)
			? " up to their end (no dma_fence_signaled in the recording)"
			: "",
		bar);
	for (int i = 0; i < n; i++)
		fprintf(to, "%s%c %s %s", i ? "   " : "", letters[order[i]], name_of(order[i]),
			show_share_text(part_of(spent, order[i]), spent->total, text,
					sizeof(text)));
	if (strchr(bar, letters[LANE_STAGE_PATH]) && !spent->unknown.hi)
		fprintf(to, "   %c between the bounds", letters[LANE_STAGE_PATH]);
	fputc('\n', to);
}

/* They are told as one: of one engine and one cause, whichever thread ended the idle time. */
static bool is_one_cause(const struct lane_idle_sum *a, const struct lane_idle_sum *b)
{
	return a->engine == b->engine && a->cause == b->cause &&
	       (a->cause != LANE_IDLE_STARVED || a->culprit_tid == b->culprit_tid);
}

/* The idle time of all causes that are one with the i-th; 0: one before it is. */
static uint64_t idle_of_cause(const struct lane_latency *latency, uint32_t i)
{
	uint64_t ns = 0;

	for (uint32_t j = 0; j < latency->n_idles; j++) {
		if (!is_one_cause(&latency->idles[i], &latency->idles[j]))
			continue;
		if (j < i)
			return 0;
		ns += latency->idles[j].ns;
	}
	return ns;
}

/* What an engine's idle time was about, most first. */
static void idle_causes(FILE *to, const struct lane_latency *latency, uint32_t engine)
{
	char task[64], ns[32];
	int n = 0;

	for (uint32_t i = 0; i < latency->n_idles && n < CAUSES; i++) {
		const struct lane_idle_sum *sum = &latency->idles[i];
		uint64_t all_ns = sum->engine == engine ? idle_of_cause(latency, i) : 0;

		if (!all_ns)
			continue;
		fprintf(to, "%s%s %s", n++ ? ", " : " (", lane_idle_names[sum->cause],
			show_duration(all_ns, ns, sizeof(ns)));
		if (sum->cause == LANE_IDLE_STARVED)
			fprintf(to, " by %s",
				show_task_name(sum->culprit_tid, sum->culprit_comm, task,
					       sizeof(task)));
	}
	if (n)
		fputc(')', to);
}

static void engine_line(FILE *to, const struct lane_latency *latency, uint32_t id)
{
	const struct lane_engine_stats *engine = &latency->engines[id];
	uint64_t whole = latency->figures.end_ns - latency->figures.begin_ns;
	uint64_t most = engine->preemptions + engine->nearly_preemptions;
	char text[LANE_SHOW_ENGINE];

	fprintf(to, "  %-14s %" PRIu64 " request%s",
		show_engine_name(engine->engine, text, sizeof(text)), engine->requests,
		engine->requests == 1 ? "" : "s");
	if (timeline_engine_is_virtual(engine->engine)) {
		fputs(", each run by another engine\n", to);
		return;
	}
	if (engine->busy.lo || engine->busy.hi < whole) {
		fprintf(to, ", busy %s",
			show_share_text(engine->busy, timeline_span_exact(whole), text,
					sizeof(text)));
		fprintf(to, ", idle %s", show_span_text(engine->idle, text, sizeof(text)));
		idle_causes(to, latency, id);
	} else {
		fputs(", when it was busy is unknown", to);
	}
	if (most)
		fprintf(to, ", %s preemption%s",
			show_times(engine->preemptions, engine->nearly_preemptions, text,
				   sizeof(text)),
			lane_s(most));
	fputc('\n', to);
}

static void engines(FILE *to, const struct lane_latency *latency)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < latency->n_engines; i++)
		n += latency->engines[i].engine && latency->engines[i].requests;
	if (!n)
		return;
	fputs("\nEngines\n", to);
	n = 0;
	for (uint32_t i = 0; i < latency->n_engines; i++)
		if (latency->engines[i].engine && latency->engines[i].requests && n++ < ENGINES)
			engine_line(to, latency, i);
	if (n > ENGINES)
		fprintf(to, "  (%u more: --tables engines)\n", n - ENGINES);
}

/* The longest parts of a request's time, and who was ahead of it. */
static void worst_line(FILE *to, const struct lane_worst *worst)
{
	const struct lane_request *rq = &worst->request;
	bool told[LANE_STAGE_PATH] = { 0 };
	char text[64];

	fprintf(to, "  %" PRIu64 ":%u of %s", rq->context->ctx, rq->seqno,
		show_client_name(timeline_client_of(rq), text, sizeof(text)));
	fprintf(to, ": %s", show_span_text(worst->stages.total, text, sizeof(text)));
	for (int part = 0; part < PARTS; part++) {
		int most = -1;

		for (int s = 0; s < LANE_STAGE_PATH; s++)
			if ((worst->stages.known & 1u << s) && !told[s] && worst->stages.ns[s].hi &&
			    (most < 0 || worst->stages.ns[s].hi > worst->stages.ns[most].hi))
				most = s;
		if (most < 0)
			break;
		told[most] = true;
		fprintf(to, ", %s %s", lane_stage_names[most],
			show_span_text(worst->stages.ns[most], text, sizeof(text)));
		if (most == LANE_STAGE_DEVICE_QUEUE && rq->behind)
			fprintf(to, " behind %s",
				show_submitter_name(rq->behind, rq->behind_client, text,
						    sizeof(text)));
	}
	if (worst->stages.merged_known && worst->stages.merged.hi)
		fprintf(to, ", unknown %s",
			show_span_text(worst->stages.merged, text, sizeof(text)));
	fputc('\n', to);
}

static void worst(FILE *to, const struct lane_latency *latency)
{
	if (!latency->n_worst)
		return;
	fputs("\nThe worst requests, CONTEXT:SEQNO\n", to);
	for (uint32_t i = 0; i < latency->n_worst && i < WORST; i++)
		worst_line(to, &latency->worst[i]);
}

/* The recording as one can type it; a name that a shell would read otherwise is left to the reader.
 */
static const char *typed(const struct lane_report_options *options)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./+@%:=-";
	const char *path = options->path;

	return path && *path && *path != '-' && !path[strspn(path, plain)] ? path : "RECORDING";
}

static void how_to_go_on(FILE *to, const struct lane_latency *latency,
			 const struct lane_report_options *options)
{
	const char *path = typed(options);

	fputs("\nMore\n", to);
	fprintf(to, "  gpulane report --all %s  (or --tables stages,waits,...)\n", path);
	if (latency->n_worst) {
		fprintf(to, "  gpulane explain %s %" PRIu64 ":%u  the events behind its times\n",
			path, latency->worst[0].request.context->ctx,
			latency->worst[0].request.seqno);
		fprintf(to, "  gpulane report --critical %s  what it waited for, step by step\n",
			path);
	}
	fprintf(to, "  gpulane report --html page.html %s  the timeline, in a browser\n", path);
}

void show_screen_rest(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options)
{
	struct lane_report_options few = *options;

	few.rows = THREADS;
	engines(to, latency);
	worst(to, latency);
	show_cpu_threads(to, latency, &few);
	how_to_go_on(to, latency, options);
}
