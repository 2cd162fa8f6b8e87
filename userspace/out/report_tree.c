// SPDX-License-Identifier: MIT
// The report as a tree with the keys of docs/report.md: JSON writes it, CSV goes through it.
#include "out/report_tree.h"

#include <inttypes.h>
#include <string.h>

#include "out/opencl.h"

typedef struct json_object json;

static void add_int(json *to, const char *key, uint64_t value)
{
	json_object_object_add(
		to, key, json_object_new_int64(value > INT64_MAX ? INT64_MAX : (int64_t)value));
}

static void add_signed(json *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static void add_text(json *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

static void add_bool(json *to, const char *key, bool value)
{
	json_object_object_add(to, key, json_object_new_boolean(value));
}

/* A duration with both bounds; equal when it is exact. */
static void add_span(json *to, const char *key, struct lane_span ns)
{
	json *span = json_object_new_object();

	add_int(span, "min_ns", ns.lo);
	add_int(span, "max_ns", ns.hi);
	json_object_object_add(to, key, span);
}

static void add_engine(json *to, const char *key, const struct lane_engine *engine)
{
	char name[48];

	if (engine)
		add_text(to, key, lane_engine_name(engine, name, sizeof(name)));
	else
		json_object_object_add(to, key, NULL);
}

static void add_client(json *to, const char *key, const struct lane_client *client)
{
	char name[48];

	add_text(to, key, lane_client_name(client, name, sizeof(name)));
}

static void add_task(json *to, const char *key, int32_t tid, const char *comm)
{
	char name[64];

	add_text(to, key, lane_task_name(tid, comm, name, sizeof(name)));
}

static json *list(json *to, const char *key)
{
	json *array = json_object_new_array();

	json_object_object_add(to, key, array);
	return array;
}

static json *row(json *array)
{
	json *object = json_object_new_object();

	json_object_array_add(array, object);
	return object;
}

static void recording(const struct lane_latency *l, json *tree)
{
	static const char *const states[LANE_RQ_STATE_COUNT] = {
		"new", "dependency", "host_queue", "device_queue", "running", "preempted", "ended"
	};
	json *to = json_object_new_object(), *events = json_object_new_object();
	json *lost = json_object_new_object(), *requests = json_object_new_object();
	json *open = json_object_new_object();

	json_object_object_add(tree, "recording", to);
	add_int(to, "begin_ns", l->figures.begin_ns);
	add_int(to, "end_ns", l->figures.end_ns);
	add_int(to, "duration_ns", l->figures.end_ns - l->figures.begin_ns);
	add_int(to, "events", l->figures.events);
	add_text(to, "host", l->info.host);
	add_text(to, "release", l->info.release);
	add_text(to, "tracer", l->info.tracer);
	json_object_object_add(tree, "lost", lost);
	add_int(lost, "events", l->lost);
	add_bool(lost, "uncounted", l->figures.lost_uncounted);
	add_int(lost, "intervals", l->losses);
	add_int(lost, "duration_ns", l->loss_ns);
	add_int(lost, "contradictions", l->figures.contradictions);
	json_object_object_add(tree, "requests", requests);
	add_int(requests, "complete", l->requests.complete);
	add_int(requests, "partial", l->requests.partial);
	add_int(requests, "unknown", l->requests.unknown);
	add_int(requests, "open", l->requests.open);
	json_object_object_add(requests, "open_states", open);
	for (int i = 0; i < LANE_RQ_STATE_COUNT; i++)
		add_int(open, states[i], l->figures.by_state[i]);
	json_object_object_add(tree, "events", events);
	for (int i = 0; i < LANE_KIND_COUNT; i++)
		if (l->figures.by_kind[i])
			add_int(events, lane_kinds[i].name, l->figures.by_kind[i]);
}

static struct lane_error *verdict(const struct lane_latency *l, json *tree)
{
	json *sentences = list(tree, "verdict");
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return &lane_enomem;
	lane_verdict(to, l, 20, "", "");
	if (fclose(to)) {
		free(text);
		return &lane_enomem;
	}
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			json_object_array_add(sentences, json_object_new_string(line));
	free(text);
	return NULL;
}

static void engines(const struct lane_latency *l, json *tree)
{
	json *rows = list(tree, "engines");

	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_engine_stats *e = &l->engines[i];
		json *to, *causes;

		if (!e->engine)
			continue;
		to = row(rows);
		add_engine(to, "engine", e->engine);
		add_int(to, "device", e->engine->dev);
		add_int(to, "class", e->engine->class);
		add_int(to, "instance", e->engine->instance);
		add_int(to, "requests", e->requests);
		add_int(to, "runs", e->runs);
		add_span(to, "busy", e->busy);
		add_int(to, "idle_ns", e->idle_ns);
		causes = json_object_new_object();
		json_object_object_add(to, "idle_causes", causes);
		for (int c = 0; c < LANE_IDLE_CAUSE_COUNT; c++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_ns", lane_idle_names[c]);
			add_int(causes, key, e->idle_cause_ns[c]);
		}
		add_int(to, "preemptions", e->preemptions);
		add_int(to, "timeslices", e->timeslices);
		add_int(to, "host_queue_max", e->queue_max[LANE_QUEUE_HOST]);
		add_int(to, "device_queue_max", e->queue_max[LANE_QUEUE_DEVICE]);
		add_signed(to, "host_queue_request_ns",
			   lane_latency_queue_ns(l, i, LANE_QUEUE_HOST));
		add_signed(to, "device_queue_request_ns",
			   lane_latency_queue_ns(l, i, LANE_QUEUE_DEVICE));
	}
}

static void stage_sums(json *to, const struct lane_stage_sum *sum)
{
	add_int(to, "count", sum->count);
	add_int(to, "bounded", sum->bounded);
	add_int(to, "unknown", sum->unknown);
	add_span(to, "sum", sum->sum);
	add_span(to, "max", sum->max);
}

static void stages(struct lane_latency *l, json *tree)
{
	static const struct {
		const char *key;
		unsigned int permille;
	} percentiles[] = { { "p50", 500 }, { "p95", 950 }, { "p99", 990 } };
	json *rows = list(tree, "stages");

	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		const struct lane_stage_sum *s = &l->stages[i];
		json *to = row(rows);

		add_text(to, "stage", lane_stage_names[i]);
		stage_sums(to, s);
		if (!s->count)
			continue;
		add_span(to, "mean",
			 (struct lane_span){ s->sum.lo / s->count, s->sum.hi / s->count });
		for (size_t p = 0; p < sizeof(percentiles) / sizeof(percentiles[0]); p++) {
			unsigned int permille = percentiles[p].permille;

			add_span(to, percentiles[p].key,
				 (struct lane_span){
					 lane_histogram_percentile(&l->lo[i], permille),
					 lane_histogram_percentile(&l->hi[i], permille) });
		}
	}
}

static void clients(const struct lane_latency *l, json *tree)
{
	json *rows = list(tree, "clients");

	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];
		json *to, *sums;

		if (!c->client)
			continue;
		to = row(rows);
		add_client(to, "client", c->client);
		add_signed(to, "pid", c->client->pid);
		add_int(to, "complete", c->requests.complete);
		add_int(to, "partial", c->requests.partial);
		add_int(to, "unknown", c->requests.unknown);
		add_int(to, "open", c->requests.open);
		add_int(to, "cpu_running_ns", c->cpu_ns);
		add_int(to, "cpu_runnable_ns", c->runnable_ns);
		add_int(to, "cpu_blocked_ns", c->blocked_ns);
		add_int(to, "waits", c->waits);
		add_int(to, "wait_ns", c->wait_ns);
		add_int(to, "preempted", c->preempted);
		sums = json_object_new_object();
		json_object_object_add(to, "stages", sums);
		for (int s = 0; s < LANE_STAGE_COUNT; s++) {
			json *stage = json_object_new_object();

			json_object_object_add(sums, lane_stage_names[s], stage);
			stage_sums(stage, &c->stages[s]);
		}
	}
}

static void contexts(const struct lane_latency *l, json *tree)
{
	json *rows = list(tree, "contexts");

	for (uint32_t i = 0; i < l->n_contexts; i++) {
		const struct lane_context_stats *c = &l->contexts[i];
		json *to;

		if (!c->context)
			continue;
		to = row(rows);
		add_int(to, "context", c->context->ctx);
		add_int(to, "device", c->context->dev);
		add_client(to, "client", c->context->client);
		add_engine(to, "engine", lane_timeline_engine(l->timeline, c->engine));
		add_int(to, "requests", c->requests);
		add_span(to, "running", c->running);
		add_span(to, "total", c->total);
	}
}

static void behind(const struct lane_latency *l, json *rows, const struct lane_blame *blames,
		   uint32_t n, const char *stage)
{
	json *to;

	for (uint32_t i = 0; i < n; i++) {
		const struct lane_blame *b = &blames[i];
		const struct lane_context *context = lane_timeline_context(l->timeline, b->context);

		to = row(rows);
		add_client(to, "client", lane_timeline_client(l->timeline, b->victim));
		add_engine(to, "engine", lane_timeline_engine(l->timeline, b->engine));
		add_int(to, "context", context->ctx);
		add_client(to, "owner", context->client);
		add_int(to, "requests", b->requests);
		add_span(to, stage, b->ns);
	}
}

static void culprits(const struct lane_latency *l, json *tree)
{
	json *rows, *to;

	behind(l, list(tree, "behind"), l->blames, l->n_blames, "device_queue");
	behind(l, list(tree, "host_behind"), l->host_blames, l->n_host_blames, "host_queue");
	rows = list(tree, "preemptions");
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		to = row(rows);
		add_engine(to, "engine", lane_timeline_engine(l->timeline, p->engine));
		add_client(to, "victim", lane_timeline_client(l->timeline, p->victim));
		if (p->culprit_known)
			add_client(to, "culprit", lane_timeline_client(l->timeline, p->culprit));
		else
			json_object_object_add(to, "culprit", NULL);
		add_text(to, "why", p->timeslice ? "timeslice" : "priority");
		add_int(to, "count", p->count);
		add_span(to, "preempted", p->ns);
	}
	rows = list(tree, "cpu_preemptions");
	for (uint32_t i = 0; i < l->n_starved; i++) {
		const struct lane_starved_sum *s = &l->starved[i];

		to = row(rows);
		add_client(to, "client", lane_timeline_client(l->timeline, s->victim));
		add_task(to, "thread", s->victim_tid, s->victim_comm);
		add_signed(to, "tid", s->victim_tid);
		add_task(to, "culprit", s->tid, s->comm);
		add_signed(to, "culprit_tid", s->tid);
		add_signed(to, "cpu", s->cpu);
		add_int(to, "slices", s->slices);
		add_int(to, "runnable_ns", s->ns);
	}
}

static void idles_and_waits(const struct lane_latency *l, json *tree)
{
	json *rows = list(tree, "idle"), *to;

	for (uint32_t i = 0; i < l->n_idles; i++) {
		const struct lane_idle_sum *s = &l->idles[i];

		to = row(rows);
		add_engine(to, "engine", lane_timeline_engine(l->timeline, s->engine));
		add_text(to, "cause", lane_idle_names[s->cause]);
		add_task(to, "thread", s->tid, s->comm);
		add_signed(to, "tid", s->tid);
		if (s->cause == LANE_IDLE_STARVED) {
			add_task(to, "culprit", s->culprit_tid, s->culprit_comm);
			add_signed(to, "culprit_tid", s->culprit_tid);
			add_signed(to, "cpu", s->cpu);
		}
		add_int(to, "count", s->count);
		add_int(to, "idle_ns", s->ns);
	}
	rows = list(tree, "waits");
	for (uint32_t i = 0; i < l->n_waits; i++) {
		const struct lane_wait_sum *s = &l->waits[i];

		to = row(rows);
		add_client(to, "client", lane_timeline_client(l->timeline, s->waiter));
		add_client(to, "for", lane_timeline_client(l->timeline, s->owner));
		add_engine(to, "engine", lane_timeline_engine(l->timeline, s->engine));
		add_int(to, "count", s->count);
		add_int(to, "slept", s->slept);
		add_int(to, "wait_ns", s->ns);
		add_int(to, "wake_ns", s->wake_ns);
		add_int(to, "wake_runqueue_ns", s->runqueue_ns);
	}
}

static void worst(const struct lane_latency *l, json *tree)
{
	json *rows = list(tree, "worst");

	for (uint32_t i = 0; i < l->n_worst; i++) {
		const struct lane_worst *w = &l->worst[i];
		json *to = row(rows), *ns = json_object_new_object();

		add_int(to, "context", w->request.context->ctx);
		add_int(to, "seqno", w->request.seqno);
		add_int(to, "device", w->request.context->dev);
		add_client(to, "client", w->request.context->client);
		add_engine(to, "engine", w->request.engine);
		if (w->request.seen & LANE_SEEN_ADD)
			add_int(to, "add_ns", w->request.add_ns);
		add_int(to, "preemptions", w->request.preemptions);
		add_span(to, "total", w->stages.total);
		json_object_object_add(to, "stages", ns);
		for (int s = 0; s < LANE_STAGE_COUNT; s++) {
			if (w->stages.known & 1u << s)
				add_span(ns, lane_stage_names[s], w->stages.ns[s]);
			else if (w->stages.unknown & 1u << s)
				json_object_object_add(ns, lane_stage_names[s], NULL);
		}
		if (w->stages.merged_known)
			add_span(to, "unknown", w->stages.merged);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void trace_pl(const struct lane_latency *l, json *tree)
{
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;
	json *rows = list(tree, "trace_pl");

	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_trace_pl *p = &l->trace_pl[i];
		json *to;

		if (!l->engines[i].engine || !p->requests)
			continue;
		to = row(rows);
		add_engine(to, "engine", l->engines[i].engine);
		add_int(to, "requests", p->requests);
		add_int(to, "submit_delay_ns", p->submit_delay_ns);
		add_int(to, "execute_delay_ns", p->execute_delay_ns);
		add_int(to, "duration_ns", p->duration_ns);
		add_int(to, "context_save_ns", p->context_save_ns);
		add_int(to, "total_ns", p->total_ns);
		add_int(to, "union_ns", p->union_ns);
		json_object_object_add(to, "idle_percent",
				       json_object_new_double(100 - percent(p->union_ns, whole)));
		json_object_object_add(to, "busy_percent",
				       json_object_new_double(percent(p->total_ns, whole)));
		json_object_object_add(to, "runnable_percent",
				       json_object_new_double(percent(p->execute_delay_ns, whole)));
		json_object_object_add(to, "queued_percent",
				       json_object_new_double(percent(p->submit_delay_ns, whole)));
		json_object_object_add(to, "wait_percent",
				       json_object_new_double(percent(p->wait_ns, whole)));
	}
}

struct lane_error *lane_report_tree(struct lane_latency *latency, struct json_object **tree)
{
	json *to = json_object_new_object();
	struct lane_error *err;

	if (!to)
		return &lane_enomem;
	add_int(to, "version", LANE_REPORT_VERSION);
	err = verdict(latency, to);
	if (err) {
		json_object_put(to);
		return err;
	}
	recording(latency, to);
	engines(latency, to);
	stages(latency, to);
	clients(latency, to);
	contexts(latency, to);
	culprits(latency, to);
	idles_and_waits(latency, to);
	worst(latency, to);
	trace_pl(latency, to);
	lane_opencl_tree(latency, to);
	*tree = to;
	return NULL;
}
