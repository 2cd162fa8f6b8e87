// SPDX-License-Identifier: MIT
// The tables of requests, engines and processes, with the keys of docs/report.md.
#include "base/clean.h"
#include "show/report_tables.h"

#include <inttypes.h>

#include "show/report_parts.h"
#include "show/report_rows.h"
#include "show/report_tables.def"

typedef struct json_object json;

static const char *engine_text(const struct lane_engine *engine, char *buffer, size_t size)
{
	return engine ? show_engine_name(engine, buffer, size) : NULL;
}

/* Of the timeline's, by its number. */
#define ENGINE(l, id) engine_text(timeline_engine((l)->timeline, id), SHOW_ROOM(LANE_SHOW_ENGINE))
#define CLIENT(l, id) SHOW_CLIENT(timeline_client((l)->timeline, id))

/* A part of an engine's time: unknown if it may be nothing as well as everything. Of a virtual one,
 * which only queues, there is none. */
static void engine_time(struct lane_cells *rows, int width, const char *key,
			const struct lane_engine *engine, struct lane_span ns, uint64_t whole)
{
	bool is_virtual = timeline_engine_is_virtual(engine);

	show_json_known_span(rows->json, key, ns, !is_virtual);
	show_cell(rows, width, "%s",
		  is_virtual			     ? "-"
		  : ns.lo || ns.hi < whole || !whole ? SHOW_SPAN(ns)
						     : "unknown");
}

static const char *busy_share(const struct lane_engine_stats *engine, uint64_t whole, char *buffer,
			      size_t size)
{
	if (timeline_engine_is_virtual(engine->engine) ||
	    (!engine->busy.lo && engine->busy.hi == whole))
		return "";
	return show_share_text(engine->busy, timeline_span_exact(whole), buffer, size);
}

static void idle_causes(json *to, const struct lane_engine_stats *engine)
{
	json *causes = show_json_object(to, "idle_causes");

	for (int c = 0; c < LANE_IDLE_CAUSE_COUNT; c++)
		show_json_ns(causes, lane_idle_names[c], engine->idle_cause_ns[c]);
}

SHOW_TABLE(report_tables_engines, ENGINES_TABLE, "engines", l->n_engines, "Engines")

static void culprit_members(json *to, const struct lane_idle_sum *idle, const char *culprit)
{
	show_json_text(to, "culprit", culprit);
	show_json_int(to, "culprit_tid", idle->culprit_tid);
	show_json_int(to, "cpu", idle->cpu);
}

SHOW_TABLE(idles, IDLE_TABLE, "idle", l->n_idles,
	   "Idle engines, by what the thread that ended it was doing")

static void stage_sums(json *to, const struct lane_stage_sum *sum)
{
	show_json_uint(to, "count", sum->count);
	show_json_uint(to, "bounded", sum->bounded);
	show_json_uint(to, "unknown", sum->unknown);
	show_json_span(to, "sum", sum->sum);
	show_json_span(to, "max", sum->max);
}

/* The sum of a stage; of requests none of which is known to have spent a time in it there is none.
 */
static void stage_cell(struct lane_cells *rows, int width, const struct lane_stage_sum *stage)
{
	show_cell(rows, width, "%s",
		  stage->unknown && !stage->count ? "unknown" : SHOW_SPAN(stage->sum));
}

/* What the sentences about processes are drawn from; the text has a table of it. */
static void spent_tree(json *to, const struct lane_spent *spent)
{
	json *stages;

	show_json_uint(to, "requests", spent->requests);
	show_json_span(to, "total", spent->total);
	show_json_span(to, "unknown", spent->unknown);
	stages = show_json_object(to, "stages");
	for (int s = 0; s < LANE_STAGE_PATH; s++)
		show_json_span(stages, lane_stage_names[s], spent->stages[s]);
	stages = show_json_object(to, "at_most_unknown_ns");
	for (int s = 0; s < LANE_STAGE_PATH; s++)
		show_json_uint(stages, lane_stage_names[s], spent->maybe_ns[s]);
}

static void stages_tree(json *to, const struct lane_stage_sum *stages)
{
	for (int s = 0; s < LANE_STAGE_COUNT; s++)
		stage_sums(show_json_object(to, lane_stage_names[s]), &stages[s]);
}

SHOW_TABLE(clients, CLIENTS_TABLE, "clients", l->n_clients, "Clients")

static void contexts(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows = show_table(t, "contexts", l->n_contexts, NULL, NULL);

	if (!t->tree)
		show_head(t, "Contexts",
			  "   context engine         process                   requests"
			  "            running             in all");
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_context_stats *c = &l->contexts[i];
		const char *engine = ENGINE(l, c->engine);
		bool is_told = c->engine < l->n_engines && l->engines[c->engine].engine;

		if (!c->context)
			continue;
		show_cell_uint(&rows, 10, "context", c->context->ctx);
		show_cell(&rows, -14, "%s", is_told ? engine : "-");
		show_json_uint(rows.json, "device", c->context->dev);
		show_cell_text(&rows, -24, "client", SHOW_OWNER(c->context));
		show_json_text(rows.json, "engine", engine);
		show_cell_uint(&rows, 9, "requests", c->requests);
		show_cell_span(&rows, 18, "running", c->running, c->n_running);
		show_cell_span(&rows, 18, "total", c->total, c->n_total);
	}
}

/* A time of a stage that requests have spent a known time in. */
static void stage_time(struct lane_cells *rows, const char *key, struct lane_span ns, bool is_known)
{
	if (key && is_known)
		show_json_span(rows->json, key, ns);
	show_cell(rows, 18, "%s", is_known ? SHOW_SPAN(ns) : "-");
}

static void report_tables_stages(const struct lane_tables *t)
{
	static const struct {
		const char *key;
		unsigned int permille;
	} percentiles[] = { { "p50", 500 }, { "p95", 950 }, { "p99", 990 } };
	struct lane_latency *l = t->latency;
	struct lane_cells rows =
		show_table(t, "stages", LANE_STAGE_COUNT, "Stages",
			   "stage             count               mean                p50"
			   "                p95                p99                max"
			   "                sum   unknown");

	rows.is_whole = true;
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_stage_sum *s = &l->stages[i];
		uint64_t n = s->count ? s->count : 1;

		if (!rows.json && !s->count && !s->unknown)
			continue;
		show_cell_text(&rows, -13, "stage", lane_stage_names[i]);
		stage_sums(rows.json, s);
		if (rows.json && l->requests.faulted)
			stage_sums(show_json_object(rows.json, "not_completed"), &l->faulted[i]);
		show_cell(&rows, 9, "%" PRIu64, s->count);
		stage_time(&rows, "mean", (struct lane_span){ s->sum.lo / n, s->sum.hi / n },
			   s->count);
		for (size_t p = 0; p < sizeof(percentiles) / sizeof(percentiles[0]); p++) {
			unsigned int permille = percentiles[p].permille;

			stage_time(&rows, percentiles[p].key,
				   (struct lane_span){
					   latency_histogram_percentile(&l->lo[i], permille),
					   latency_histogram_percentile(&l->hi[i], permille) },
				   s->count);
		}
		stage_time(&rows, NULL, s->max, s->count);
		stage_time(&rows, NULL, s->sum, s->count);
		show_cell(&rows, 9, "%" PRIu64, s->unknown);
	}
}

static void spent_row(const struct lane_tables *t, const struct lane_client_stats *c,
		      const char *stage, struct lane_span ns)
{
	fprintf(t->to, "  %-24s %-13s %9" PRIu64 " %20s %14s\n", SHOW_CLIENT(c->client), stage,
		c->spent.requests, SHOW_SPAN(ns), SHOW_SHARE(ns, c->spent.total));
}

/* What the sentences about processes are drawn from; in JSON it is in the clients' rows. */
static void spent(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint32_t row = 0;

	if (!l->spent.requests)
		return;
	show_title(t, "What the requests of each process spent their time on");
	fprintf(t->to, "  %-24s %-13s %9s %20s %14s\n", "process", "stage", "requests", "time",
		"share");
	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];

		if (!c->client || !c->spent.requests)
			continue;
		if (t->options->rows && row++ >= t->options->rows) {
			fprintf(t->to, "  (more; --rows 0 shows all)\n");
			return;
		}
		for (int s = 0; s < LANE_STAGE_PATH; s++)
			if (c->spent.stages[s].hi)
				spent_row(t, c, lane_stage_names[s],
					  latency_spent_in(&c->spent, s));
		if (c->spent.unknown.hi)
			spent_row(t, c, "unknown", c->spent.unknown);
	}
}

static void blames(const struct lane_tables *t, const char *key, const char *stage,
		   const struct lane_blame *blames, uint32_t n)
{
	struct lane_cells rows = show_table(t, key, n, NULL, NULL);

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_blame *b = &blames[i];
		const struct lane_context *context =
			timeline_context(t->latency->timeline, b->context);
		const char *engine = ENGINE(t->latency, b->engine);

		show_cell_text(&rows, -24, "client", CLIENT(t->latency, b->victim));
		show_cell(&rows, -13, "%s", stage);
		show_json_text(rows.json, "engine", engine);
		show_cell_uint(&rows, 10, "context", context->ctx);
		show_cell_text(&rows, -24, "owner", SHOW_SUBMITTER(context, b->client));
		show_cell(&rows, -14, "%s", engine);
		show_cell_uint(&rows, 9, "requests", b->requests);
		show_cell_span(&rows, 20, stage, b->ns, true);
	}
}

static void report_tables_behind(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	bool is_text = !t->tree;

	if (is_text && !l->n_fence_blames && !l->n_host_blames && !l->n_head_blames && !l->n_blames)
		return;
	if (is_text)
		show_head(t,
			  "Whom requests waited for: the context ahead in a queue, or whose fence "
			  "came last",
			  "process                  stage            context of process            "
			  "   "
			  "engine          requests                 time");
	else
		blames(t, "behind", "device_queue", l->blames, l->n_blames);
	blames(t, "dependencies", "dependency", l->fence_blames, l->n_fence_blames);
	blames(t, "host_behind", "host_queue", l->host_blames, l->n_host_blames);
	blames(t, "head_behind", is_text ? "own queue" : "host_queue", l->head_blames,
	       l->n_head_blames);
	if (is_text)
		blames(t, "behind", "device_queue", l->blames, l->n_blames);
}

SHOW_TABLE(preemptions, PREEMPTIONS_TABLE, "preemptions", l->n_preemptions, "GPU preemptions")

static void first_job(struct lane_cells *rows, int width, const struct lane_fault_sum *fault)
{
	if (!fault->context) {
		show_cell(rows, width, "-");
		return;
	}
	show_json_uint(rows->json, "context", fault->context->ctx);
	show_json_uint(rows->json, "seqno", fault->seqno);
	show_cell(rows, width, "%" PRIu64 ":%u", fault->context->ctx, fault->seqno);
}

SHOW_TABLE(faults, CAUSES_TABLE, "causes", show_most(t, l->n_faults),
	   "What the GPUs' drivers told of")

SHOW_TABLE(starved, STARVED_TABLE, "cpu_preemptions", l->n_starved,
	   "CPU preemption: threads that could run, and who ran")

/* A sum over the waits, of which so many are not known and not in it. */
static void wait_sum(struct lane_cells *rows, int width, const char *key, const char *unknown_key,
		     uint64_t ns, uint64_t unknown, uint64_t count)
{
	bool is_known = unknown < count;

	show_json_known(rows->json, key, ns, is_known);
	show_json_uint(rows->json, unknown_key, unknown);
	show_cell(rows, width, "%s%s", is_known && unknown ? ">= " : "",
		  is_known ? SHOW_DURATION(ns) : "unknown");
}

static void slept_cell(struct lane_cells *rows, int width, const struct lane_wait_sum *waits)
{
	show_json_known(rows->json, "slept", waits->slept, waits->slept_unknown < waits->count);
	show_json_uint(rows->json, "slept_unknown", waits->slept_unknown);
	if (waits->slept_unknown == waits->count)
		show_cell(rows, width, "unknown");
	else if (waits->slept_unknown)
		show_cell(rows, width, "%" PRIu64 "..%" PRIu64, waits->slept,
			  waits->slept + waits->slept_unknown);
	else
		show_cell(rows, width, "%" PRIu64, waits->slept);
}

SHOW_TABLE(report_tables_waits, WAITS_TABLE, "waits", l->n_waits, "Waits: who waited for whom")

/* A line of words for each. */
static void worst_line(FILE *to, const struct lane_latency *l, const struct lane_worst *w)
{
	fprintf(to, "  %" PRIu64 ":%u of %s on %s: %s =", w->request.context->ctx, w->request.seqno,
		SHOW_CLIENT(timeline_client_of(&w->request)),
		w->request.engine ? SHOW_ENGINE(w->request.engine) : "-",
		SHOW_SPAN(w->stages.total));
	for (int s = 0; s < LANE_STAGE_PATH; s++)
		if ((w->stages.known & 1u << s) && w->stages.ns[s].hi)
			fprintf(to, " %s %s", lane_stage_names[s], SHOW_SPAN(w->stages.ns[s]));
	if (w->stages.merged_known && w->stages.merged.hi)
		fprintf(to, " unknown %s", SHOW_SPAN(w->stages.merged));
	if (w->request.seen & LANE_SEEN_ADD)
		fprintf(to, ", added at %.9f s",
			(double)(w->request.add_ns - l->figures.begin_ns) / 1e9);
	fputc('\n', to);
}

static void worst_row(json *to, const struct lane_worst *w)
{
	json *ns;

	show_json_uint(to, "context", w->request.context->ctx);
	show_json_uint(to, "seqno", w->request.seqno);
	show_json_uint(to, "device", w->request.context->dev);
	show_json_text(to, "client", SHOW_CLIENT(timeline_client_of(&w->request)));
	show_json_text(to, "engine", w->request.engine ? SHOW_ENGINE(w->request.engine) : NULL);
	if (w->request.seen & LANE_SEEN_ADD)
		show_json_uint(to, "add_ns", w->request.add_ns);
	show_json_uint(to, "preemptions", w->request.preemptions);
	show_json_span(to, "total", w->stages.total);
	ns = show_json_object(to, "stages");
	for (int s = 0; s < LANE_STAGE_COUNT; s++)
		if ((w->stages.known | w->stages.unknown) & 1u << s)
			show_json_known_span(ns, lane_stage_names[s], w->stages.ns[s],
					     w->stages.known & 1u << s);
	if (w->stages.merged_known)
		show_json_span(to, "unknown", w->stages.merged);
}

static void report_tables_worst(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	json *list = t->tree ? show_json_list(t->tree, "worst") : NULL;

	if (!list && l->n_worst)
		show_title(t, "The worst requests, CONTEXT:SEQNO");
	for (uint32_t i = 0; i < l->n_worst; i++)
		if (list)
			worst_row(show_json_row(list), &l->worst[i]);
		else
			worst_line(t->to, l, &l->worst[i]);
	if (!list && l->n_worst)
		fputs("  `gpulane explain RECORDING CONTEXT:SEQNO` shows the events behind a "
		      "request's times.\n",
		      t->to);
}

const struct lane_table_writer lane_table_writers[LANE_TABLE_COUNT] = {
	[LANE_TABLE_ENGINES] = { report_tables_engines, false },
	[LANE_TABLE_IDLE] = { idles, false },
	[LANE_TABLE_CLIENTS] = { clients, true },
	[LANE_TABLE_CONTEXTS] = { contexts, true },
	[LANE_TABLE_STAGES] = { report_tables_stages, true },
	[LANE_TABLE_SPENT] = { spent, true },
	[LANE_TABLE_BEHIND] = { report_tables_behind, true },
	[LANE_TABLE_PREEMPTIONS] = { preemptions, false },
	[LANE_TABLE_FRAMES] = { show_frames_table, false },
	[LANE_TABLE_RANGES] = { show_ranges_table, false },
	[LANE_TABLE_OPEN] = { show_open_table, false },
	[LANE_TABLE_CAUSES] = { faults, false },
	[LANE_TABLE_MEMORY] = { show_memory_table, false },
	[LANE_TABLE_COUNTERS] = { show_counter_table, false },
	[LANE_TABLE_AWAKE] = { show_awake_table, false },
	[LANE_TABLE_STARVED] = { starved, false },
	[LANE_TABLE_WAITS] = { report_tables_waits, false },
	[LANE_TABLE_WORST] = { report_tables_worst, false },
	[LANE_TABLE_CPU] = { show_cpu_tables, false },
	[LANE_TABLE_OPENCL] = { show_opencl_tables, false },
	[LANE_TABLE_CALLS] = { show_calls_table, false },
};
