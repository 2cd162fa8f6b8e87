// SPDX-License-Identifier: MIT
// The tables of requests, engines and processes, with the keys of docs/report.md.
#include "base/clean.h"
#include "show/report_tables.h"

#include <inttypes.h>

#include "show/report_parts.h"
#include "show/report_rows.h"

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
static void engine_time(struct lane_cells *rows, const char *key, const struct lane_engine *engine,
			struct lane_span ns, uint64_t whole)
{
	bool is_virtual = timeline_engine_is_virtual(engine);

	show_json_known_span(rows->json, key, ns, !is_virtual);
	show_cell(rows, 20, "%s",
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

static void report_tables_engines(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint64_t whole = latency_whole_ns(l);
	struct lane_cells rows =
		show_table(t, "engines", l->n_engines, "Engines",
			   "engine          requests                 busy            "
			   "                    idle   preempt  host max   dev max");

	rows.is_whole = true;
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_engine_stats *e = &l->engines[i];
		json *causes;

		if (!e->engine)
			continue;
		show_cell_text(&rows, -14, "engine", SHOW_ENGINE(e->engine));
		show_json_uint(rows.json, "device", e->engine->dev);
		show_json_uint(rows.json, "class", e->engine->class);
		show_json_uint(rows.json, "instance", e->engine->instance);
		show_cell_uint(&rows, 9, "requests", e->requests);
		show_json_uint(rows.json, "runs", e->runs);
		engine_time(&rows, "busy", e->engine, e->busy, whole);
		show_cell(&rows, 14, "%s", busy_share(e, whole, SHOW_ROOM(48)));
		engine_time(&rows, "idle", e->engine, e->idle, whole);
		causes = show_json_object(rows.json, "idle_causes");
		for (int c = 0; c < LANE_IDLE_CAUSE_COUNT; c++)
			show_json_ns(causes, lane_idle_names[c], e->idle_cause_ns[c]);
		show_cell(&rows, 9, "%s", SHOW_TIMES(e->preemptions, e->may_be_preempted_more));
		show_json_uint(rows.json, "preemptions", e->preemptions);
		show_json_uint(rows.json, "nearly_preemptions", e->nearly_preemptions);
		show_json_uint(rows.json, "timeslices", e->timeslices);
		show_cell_uint(&rows, 9, "host_queue_max", e->queue_max[LANE_QUEUE_HOST]);
		show_cell_uint(&rows, 9, "device_queue_max", e->queue_max[LANE_QUEUE_DEVICE]);
		show_json_int(rows.json, "host_queue_request_ns",
			      latency_queue_ns(l, i, LANE_QUEUE_HOST));
		show_json_int(rows.json, "device_queue_request_ns",
			      latency_queue_ns(l, i, LANE_QUEUE_DEVICE));
	}
}

static void idles(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows = show_table(
		t, "idle", l->n_idles, "Idle engines, by what the thread that ended it was doing",
		"engine         cause         thread                         time    "
		"times  culprit");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_idle_sum *s = &l->idles[i];
		bool is_starved = s->cause == LANE_IDLE_STARVED || s->culprit_tid >= 0;
		const char *thread = SHOW_TASK(s->tid, s->comm);
		const char *culprit = is_starved ? SHOW_TASK(s->culprit_tid, s->culprit_comm) : "";

		show_cell_text(&rows, -14, "engine", ENGINE(l, s->engine));
		show_cell_text(&rows, -13, "cause", lane_idle_names[s->cause]);
		show_cell(&rows, -24, "%s", s->cause < LANE_IDLE_CAUSE_COUNT ? thread : "-");
		show_cell(&rows, 10, "%s", SHOW_DURATION(s->ns));
		show_json_text(rows.json, "thread", thread);
		show_json_int(rows.json, "tid", s->tid);
		if (is_starved) {
			show_json_text(rows.json, "culprit", culprit);
			show_json_int(rows.json, "culprit_tid", s->culprit_tid);
			show_json_int(rows.json, "cpu", s->cpu);
		}
		show_cell_uint(&rows, 8, "count", s->count);
		show_json_uint(rows.json, "idle_ns", s->ns);
		show_cell(&rows, 0, is_starved && s->cpu >= 0 ? "%s on CPU %d" : "%s", culprit,
			  s->cpu);
	}
}

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
static void stage_cell(struct lane_cells *rows, const struct lane_stage_sum *stage)
{
	show_cell(rows, 18, "%s",
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

static void clients(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	bool has_switches = l->figures.by_kind[LANE_SWITCH];
	struct lane_cells rows = show_table(
		t, "clients", l->n_clients, "Clients",
		"process                   complete   partial   unknown            running"
		"       device_queue        CPU   runnable     waited");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_client_stats *c = &l->clients[i];
		json *sums;

		if (!c->client)
			continue;
		show_cell_text(&rows, -24, "client", SHOW_CLIENT(c->client));
		show_json_int(rows.json, "pid", c->client->pid);
		show_cell_uint(&rows, 9, "complete", c->requests.complete);
		show_cell_uint(&rows, 9, "partial", c->requests.partial);
		show_cell_uint(&rows, 9, "unknown", c->requests.unknown);
		show_json_uint(rows.json, "open", c->requests.open);
		show_json_uint(rows.json, "bursts", c->requests.bursts);
		show_json_uint(rows.json, "not_completed", c->requests.faulted);
		stage_cell(&rows, &c->stages[LANE_STAGE_RUNNING]);
		stage_cell(&rows, &c->stages[LANE_STAGE_DEVICE_QUEUE]);
		show_cell_ns(&rows, 10, "cpu_running_ns", c->cpu_ns, has_switches);
		show_cell_ns(&rows, 10, "cpu_runnable_ns", c->runnable_ns, has_switches);
		show_json_known(rows.json, "cpu_blocked_ns", c->blocked_ns, has_switches);
		show_json_uint(rows.json, "cpu_unknown_ns", c->unknown_ns);
		show_json_uint(rows.json, "waits", c->waits);
		show_cell_ns(&rows, 10, "wait_ns", c->wait_ns, true);
		show_json_uint(rows.json, "preempted", c->preempted);
		show_json_uint(rows.json, "nearly_preempted", c->nearly_preempted);
		spent_tree(show_json_object(rows.json, "spent"), &c->spent);
		sums = show_json_object(rows.json, "stages");
		for (int s = 0; s < LANE_STAGE_COUNT; s++)
			stage_sums(show_json_object(sums, lane_stage_names[s]), &c->stages[s]);
	}
}

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

static void preemptions(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows = show_table(
		t, "preemptions", l->n_preemptions, "GPU preemptions",
		"engine         victim                   culprit                  why           "
		"times     off the engine");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		show_cell_text(&rows, -14, "engine", ENGINE(l, p->engine));
		show_cell_text(&rows, -24, "victim", CLIENT(l, p->victim));
		show_cell_text(&rows, -24, "culprit",
			       p->culprit_known ? CLIENT(l, p->culprit) : NULL);
		show_cell_text(&rows, -10, "why", lane_preemption_why_names[p->why]);
		show_json_uint(rows.json, "count", p->count);
		show_json_uint(rows.json, "nearly", p->nearly);
		show_cell(&rows, 8, "%s",
			  SHOW_TIMES(p->count,
				     latency_may_be_preempted_more(&l->clients[p->victim])));
		show_cell_span(&rows, 18, "preempted", p->ns, true);
	}
}

/* What GPUs' drivers told of by tracepoints of their own. */
static void faults(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows = show_table(
		t, "causes", show_most(t, l->n_faults), "What the GPUs' drivers told of",
		"cause        driver   engine         process                  first job         "
		"times      bytes     lasted     first at");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_fault_sum *s = &l->faults[i];
		const char *engine = s->engine ? SHOW_ENGINE(s->engine) : NULL;

		show_cell_text(&rows, -12, "cause", lane_fault_names[s->cause]);
		show_json_text(rows.json, "event", lane_kinds[s->kind].name);
		show_cell_text(&rows, -8, "driver", s->driver);
		show_json_text(rows.json, "device", s->device);
		show_json_text(rows.json, "engine", engine);
		show_cell(&rows, -14, "%s", engine ? engine : *s->device ? s->device : "-");
		show_json_text(rows.json, "client",
			       s->client ? show_client_name(s->client, SHOW_ROOM(LANE_SHOW_ENGINE))
					 : NULL);
		show_cell(&rows, -24, "%s", s->client ? SHOW_CLIENT(s->client) : "-");
		if (s->context) {
			show_json_uint(rows.json, "context", s->context->ctx);
			show_json_uint(rows.json, "seqno", s->seqno);
			show_cell(&rows, -16, "%" PRIu64 ":%u", s->context->ctx, s->seqno);
		} else {
			show_cell(&rows, -16, "-");
		}
		show_cell_uint(&rows, 6, "count", s->count);
		show_json_uint(rows.json, "bytes", s->bytes);
		show_cell(&rows, 10, "%s", s->bytes ? SHOW_BYTES(s->bytes) : "-");
		show_json_uint(rows.json, "lasted_ns", s->lasted_ns);
		show_cell(&rows, 10, "%s", s->lasted_ns ? SHOW_DURATION(s->lasted_ns) : "-");
		show_json_uint(rows.json, "first_ns", s->first_ns);
		show_cell(&rows, 12, "%.6f s", (double)(s->first_ns - l->figures.begin_ns) / 1e9);
	}
}

static void starved(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows =
		show_table(t, "cpu_preemptions", l->n_starved,
			   "CPU preemption: threads that could run, and who ran",
			   "thread                   who ran                   CPU       time     "
			   "times");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_starved_sum *s = &l->starved[i];

		show_json_text(rows.json, "client", CLIENT(l, s->victim));
		show_cell_text(&rows, -24, "thread", SHOW_TASK(s->victim_tid, s->victim_comm));
		show_json_int(rows.json, "tid", s->victim_tid);
		show_cell_text(
			&rows, -24, "culprit",
			s->function ? lane_clean_copy(SHOW_ROOM(64), s->function, LANE_CLEAN_LINE)
				    : SHOW_TASK(s->tid, s->comm));
		show_json_int(rows.json, "culprit_tid", s->tid);
		show_json_int(rows.json, "cpu", s->cpu);
		show_cell(&rows, 4, s->cpu < 0 ? "-" : "%d", s->cpu);
		show_cell(&rows, 10, "%s", SHOW_DURATION(s->ns));
		show_cell_uint(&rows, 9, "slices", s->slices);
		show_json_uint(rows.json, "runnable_ns", s->ns);
		show_json_text(rows.json, "acts",
			       s->actor < LANE_ACTORS ? lane_actor_names[s->actor] : "");
	}
}

/* A sum over the waits, of which so many are not known and not in it. */
static void wait_sum(struct lane_cells *rows, const char *key, const char *unknown_key, uint64_t ns,
		     uint64_t unknown, uint64_t count)
{
	bool is_known = unknown < count;

	show_json_known(rows->json, key, ns, is_known);
	show_json_uint(rows->json, unknown_key, unknown);
	show_cell(rows, 12, "%s%s", is_known && unknown ? ">= " : "",
		  is_known ? SHOW_DURATION(ns) : "unknown");
}

static void report_tables_waits(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	struct lane_cells rows = show_table(
		t, "waits", l->n_waits, "Waits: who waited for whom",
		"process                  for requests of          engine            waits      "
		"slept       time         wake     runqueue");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_wait_sum *s = &l->waits[i];
		const char *engine = ENGINE(l, s->engine);

		show_cell_text(&rows, -24, "client", CLIENT(l, s->waiter));
		show_cell_text(&rows, -24, "for", CLIENT(l, s->owner));
		show_cell(&rows, -14, "%s", engine ? engine : "-");
		show_json_text(rows.json, "engine", engine);
		show_cell_uint(&rows, 8, "count", s->count);
		show_json_known(rows.json, "slept", s->slept, s->slept_unknown < s->count);
		show_json_uint(rows.json, "slept_unknown", s->slept_unknown);
		if (s->slept_unknown == s->count)
			show_cell(&rows, 10, "unknown");
		else if (s->slept_unknown)
			show_cell(&rows, 10, "%" PRIu64 "..%" PRIu64, s->slept,
				  s->slept + s->slept_unknown);
		else
			show_cell(&rows, 10, "%" PRIu64, s->slept);
		show_cell_ns(&rows, 10, "wait_ns", s->ns, true);
		wait_sum(&rows, "wake_ns", "wake_unknown", s->wake_ns, s->wake_unknown, s->count);
		wait_sum(&rows, "wake_runqueue_ns", "wake_runqueue_unknown", s->runqueue_ns,
			 s->runqueue_unknown, s->count);
	}
}

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
