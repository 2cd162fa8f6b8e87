// SPDX-License-Identifier: MIT
// The report as a tree with the keys of docs/report.md: JSON writes it, CSV goes through it.
#include "show/report_tree.h"

#include <inttypes.h>
#include <string.h>

#include "show/counter_text.h"
#include "show/cpu_text.h"
#include "show/fault_text.h"
#include "show/memory_text.h"
#include "show/open_text.h"
#include "show/json.h"
#include "show/opencl_report.h"
#include "show/sentence.h"

typedef struct json_object json;

static void add_engine(json *to, const char *key, const struct lane_engine *engine)
{
	show_json_text(to, key, engine ? SHOW_ENGINE(engine) : NULL);
}

static void add_client(json *to, const char *key, const struct lane_client *client)
{
	show_json_text(to, key, SHOW_CLIENT(client));
}

static void add_owner(json *to, const char *key, const struct lane_context *context)
{
	show_json_text(to, key, SHOW_OWNER(context));
}

static void add_task(json *to, const char *key, int32_t tid, const char *comm)
{
	show_json_text(to, key, SHOW_TASK(tid, comm));
}

static void recording(const struct lane_latency *l, json *tree)
{
	static const char *const states[LANE_RQ_STATE_COUNT] = { "new",	       "dependency",
								 "host_queue", "device_queue",
								 "running",    "preempted",
								 "ended",      "burst" };
	json *to = show_json_object(tree, "recording");

	show_json_uint(to, "begin_ns", l->figures.begin_ns);
	show_json_uint(to, "end_ns", l->figures.end_ns);
	show_json_uint(to, "duration_ns", l->figures.end_ns - l->figures.begin_ns);
	show_json_uint(to, "events", l->figures.events);
	show_json_text(to, "host", l->info.host);
	show_json_text(to, "release", l->info.release);
	show_json_text(to, "tracer", l->info.tracer);
	to = show_json_object(tree, "lost");
	show_json_uint(to, "events", l->lost);
	show_json_bool(to, "uncounted", l->figures.lost_uncounted);
	show_json_uint(to, "intervals", l->losses);
	show_json_uint(to, "duration_ns", l->loss_ns);
	show_json_uint(to, "ambiguous", l->ambiguous);
	show_json_uint(to, "contradictions", l->figures.contradictions);
	show_json_uint(to, "unseen_switches", l->figures.unseen_switches);
	to = show_json_object(tree, "requests");
	show_json_uint(to, "complete", l->requests.complete);
	show_json_uint(to, "partial", l->requests.partial);
	show_json_uint(to, "unknown", l->requests.unknown);
	show_json_uint(to, "open", l->requests.open);
	show_json_uint(to, "bursts", l->requests.bursts);
	show_json_uint(to, "not_completed", l->requests.faulted);
	to = show_json_object(to, "open_states");
	for (int i = 0; i < LANE_RQ_STATE_COUNT; i++)
		show_json_uint(to, states[i], l->figures.by_state[i]);
	to = show_json_object(tree, "events");
	for (int i = 0; i < LANE_KIND_COUNT; i++)
		if (l->figures.by_kind[i])
			show_json_uint(to, lane_kinds[i].name, l->figures.by_kind[i]);
}

/* A part of an engine's time; null of a virtual one, which only queues. */
static void add_time(json *to, const char *key, const struct lane_engine_stats *engine,
		     struct lane_span ns)
{
	show_json_known_span(to, key, ns, !timeline_engine_is_virtual(engine->engine));
}

static void engines(const struct lane_latency *l, json *tree)
{
	json *rows = show_json_list(tree, "engines");

	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_engine_stats *e = &l->engines[i];
		json *to, *causes;

		if (!e->engine)
			continue;
		to = show_json_row(rows);
		add_engine(to, "engine", e->engine);
		show_json_uint(to, "device", e->engine->dev);
		show_json_uint(to, "class", e->engine->class);
		show_json_uint(to, "instance", e->engine->instance);
		show_json_uint(to, "requests", e->requests);
		show_json_uint(to, "runs", e->runs);
		add_time(to, "busy", e, e->busy);
		add_time(to, "idle", e, e->idle);
		causes = show_json_object(to, "idle_causes");
		for (int c = 0; c < LANE_IDLE_CAUSE_COUNT; c++)
			show_json_ns(causes, lane_idle_names[c], e->idle_cause_ns[c]);
		show_json_uint(to, "preemptions", e->preemptions);
		show_json_uint(to, "nearly_preemptions", e->nearly_preemptions);
		show_json_uint(to, "timeslices", e->timeslices);
		show_json_uint(to, "host_queue_max", e->queue_max[LANE_QUEUE_HOST]);
		show_json_uint(to, "device_queue_max", e->queue_max[LANE_QUEUE_DEVICE]);
		show_json_int(to, "host_queue_request_ns", latency_queue_ns(l, i, LANE_QUEUE_HOST));
		show_json_int(to, "device_queue_request_ns",
			      latency_queue_ns(l, i, LANE_QUEUE_DEVICE));
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

static void stages(struct lane_latency *l, json *tree)
{
	static const struct {
		const char *key;
		unsigned int permille;
	} percentiles[] = { { "p50", 500 }, { "p95", 950 }, { "p99", 990 } };
	json *rows = show_json_list(tree, "stages");

	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		const struct lane_stage_sum *s = &l->stages[i];
		json *to = show_json_row(rows);

		show_json_text(to, "stage", lane_stage_names[i]);
		stage_sums(to, s);
		if (!s->count)
			continue;
		show_json_span(to, "mean",
			       (struct lane_span){ s->sum.lo / s->count, s->sum.hi / s->count });
		for (size_t p = 0; p < sizeof(percentiles) / sizeof(percentiles[0]); p++) {
			unsigned int permille = percentiles[p].permille;

			show_json_span(to, percentiles[p].key,
				       (struct lane_span){
					       latency_histogram_percentile(&l->lo[i], permille),
					       latency_histogram_percentile(&l->hi[i], permille) });
		}
	}
}

/* What the sentences about processes are drawn from. */
static void spent(json *tree, const struct lane_spent *spent)
{
	json *to = show_json_object(tree, "spent"), *stages;

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

static void clients(const struct lane_latency *l, json *tree)
{
	bool switches = l->figures.by_kind[LANE_SWITCH];
	json *rows = show_json_list(tree, "clients");

	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];
		json *to, *sums;

		if (!c->client)
			continue;
		to = show_json_row(rows);
		add_client(to, "client", c->client);
		show_json_int(to, "pid", c->client->pid);
		show_json_uint(to, "complete", c->requests.complete);
		show_json_uint(to, "partial", c->requests.partial);
		show_json_uint(to, "unknown", c->requests.unknown);
		show_json_uint(to, "open", c->requests.open);
		show_json_uint(to, "bursts", c->requests.bursts);
		show_json_uint(to, "not_completed", c->requests.faulted);
		show_json_known(to, "cpu_running_ns", c->cpu_ns, switches);
		show_json_known(to, "cpu_runnable_ns", c->runnable_ns, switches);
		show_json_known(to, "cpu_blocked_ns", c->blocked_ns, switches);
		show_json_uint(to, "cpu_unknown_ns", c->unknown_ns);
		show_json_uint(to, "waits", c->waits);
		show_json_uint(to, "wait_ns", c->wait_ns);
		show_json_uint(to, "preempted", c->preempted);
		show_json_uint(to, "nearly_preempted", c->nearly_preempted);
		spent(to, &c->spent);
		sums = show_json_object(to, "stages");
		for (int s = 0; s < LANE_STAGE_COUNT; s++)
			stage_sums(show_json_object(sums, lane_stage_names[s]), &c->stages[s]);
	}
}

static void contexts(const struct lane_latency *l, json *tree)
{
	json *rows = show_json_list(tree, "contexts");

	for (uint32_t i = 0; i < l->n_contexts; i++) {
		const struct lane_context_stats *c = &l->contexts[i];
		json *to;

		if (!c->context)
			continue;
		to = show_json_row(rows);
		show_json_uint(to, "context", c->context->ctx);
		show_json_uint(to, "device", c->context->dev);
		add_owner(to, "client", c->context);
		add_engine(to, "engine", timeline_engine(l->timeline, c->engine));
		show_json_uint(to, "requests", c->requests);
		show_json_known_span(to, "running", c->running, c->n_running);
		show_json_known_span(to, "total", c->total, c->n_total);
	}
}

static void behind(const struct lane_latency *l, json *rows, const struct lane_blame *blames,
		   uint32_t n, const char *stage)
{
	json *to;

	for (uint32_t i = 0; i < n; i++) {
		const struct lane_blame *b = &blames[i];
		const struct lane_context *context = timeline_context(l->timeline, b->context);

		to = show_json_row(rows);
		add_client(to, "client", timeline_client(l->timeline, b->victim));
		add_engine(to, "engine", timeline_engine(l->timeline, b->engine));
		show_json_uint(to, "context", context->ctx);
		show_json_text(to, "owner", SHOW_SUBMITTER(context, b->client));
		show_json_uint(to, "requests", b->requests);
		show_json_span(to, stage, b->ns);
	}
}

static void culprits(const struct lane_latency *l, json *tree)
{
	json *rows, *to;

	behind(l, show_json_list(tree, "behind"), l->blames, l->n_blames, "device_queue");
	behind(l, show_json_list(tree, "dependencies"), l->fence_blames, l->n_fence_blames,
	       "dependency");
	behind(l, show_json_list(tree, "host_behind"), l->host_blames, l->n_host_blames,
	       "host_queue");
	rows = show_json_list(tree, "preemptions");
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		to = show_json_row(rows);
		add_engine(to, "engine", timeline_engine(l->timeline, p->engine));
		add_client(to, "victim", timeline_client(l->timeline, p->victim));
		show_json_text(to, "culprit",
			       p->culprit_known
				       ? SHOW_CLIENT(timeline_client(l->timeline, p->culprit))
				       : NULL);
		show_json_text(to, "why", lane_preemption_why_names[p->why]);
		show_json_uint(to, "count", p->count);
		show_json_uint(to, "nearly", p->nearly);
		show_json_span(to, "preempted", p->ns);
	}
	rows = show_json_list(tree, "cpu_preemptions");
	for (uint32_t i = 0; i < l->n_starved; i++) {
		const struct lane_starved_sum *s = &l->starved[i];

		to = show_json_row(rows);
		add_client(to, "client", timeline_client(l->timeline, s->victim));
		add_task(to, "thread", s->victim_tid, s->victim_comm);
		show_json_int(to, "tid", s->victim_tid);
		add_task(to, "culprit", s->tid, s->comm);
		show_json_int(to, "culprit_tid", s->tid);
		show_json_int(to, "cpu", s->cpu);
		show_json_uint(to, "slices", s->slices);
		show_json_uint(to, "runnable_ns", s->ns);
	}
}

static void idles_and_waits(const struct lane_latency *l, json *tree)
{
	json *rows = show_json_list(tree, "idle"), *to;

	for (uint32_t i = 0; i < l->n_idles; i++) {
		const struct lane_idle_sum *s = &l->idles[i];

		to = show_json_row(rows);
		add_engine(to, "engine", timeline_engine(l->timeline, s->engine));
		show_json_text(to, "cause", lane_idle_names[s->cause]);
		add_task(to, "thread", s->tid, s->comm);
		show_json_int(to, "tid", s->tid);
		if (s->cause == LANE_IDLE_STARVED) {
			add_task(to, "culprit", s->culprit_tid, s->culprit_comm);
			show_json_int(to, "culprit_tid", s->culprit_tid);
			show_json_int(to, "cpu", s->cpu);
		}
		show_json_uint(to, "count", s->count);
		show_json_uint(to, "idle_ns", s->ns);
	}
	rows = show_json_list(tree, "waits");
	for (uint32_t i = 0; i < l->n_waits; i++) {
		const struct lane_wait_sum *s = &l->waits[i];

		to = show_json_row(rows);
		add_client(to, "client", timeline_client(l->timeline, s->waiter));
		add_client(to, "for", timeline_client(l->timeline, s->owner));
		add_engine(to, "engine", timeline_engine(l->timeline, s->engine));
		show_json_uint(to, "count", s->count);
		show_json_known(to, "slept", s->slept, s->slept_unknown < s->count);
		show_json_uint(to, "slept_unknown", s->slept_unknown);
		show_json_uint(to, "wait_ns", s->ns);
		show_json_known(to, "wake_ns", s->wake_ns, s->wake_unknown < s->count);
		show_json_uint(to, "wake_unknown", s->wake_unknown);
		show_json_known(to, "wake_runqueue_ns", s->runqueue_ns,
				s->runqueue_unknown < s->count);
		show_json_uint(to, "wake_runqueue_unknown", s->runqueue_unknown);
	}
}

static void worst(const struct lane_latency *l, json *tree)
{
	json *rows = show_json_list(tree, "worst");

	for (uint32_t i = 0; i < l->n_worst; i++) {
		const struct lane_worst *w = &l->worst[i];
		json *to = show_json_row(rows), *ns;

		show_json_uint(to, "context", w->request.context->ctx);
		show_json_uint(to, "seqno", w->request.seqno);
		show_json_uint(to, "device", w->request.context->dev);
		add_client(to, "client", timeline_client_of(&w->request));
		add_engine(to, "engine", w->request.engine);
		if (w->request.seen & LANE_SEEN_ADD)
			show_json_uint(to, "add_ns", w->request.add_ns);
		show_json_uint(to, "preemptions", w->request.preemptions);
		show_json_span(to, "total", w->stages.total);
		ns = show_json_object(to, "stages");
		for (int s = 0; s < LANE_STAGE_COUNT; s++) {
			if ((w->stages.known | w->stages.unknown) & 1u << s)
				show_json_known_span(ns, lane_stage_names[s], w->stages.ns[s],
						     w->stages.known & 1u << s);
		}
		if (w->stages.merged_known)
			show_json_span(to, "unknown", w->stages.merged);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void trace_pl(const struct lane_latency *l, json *tree)
{
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;
	json *rows = show_json_list(tree, "trace_pl");

	for (uint32_t i = 0; i < l->n_engines; i++) {
		const struct lane_trace_pl *p = &l->engines[i].trace_pl;
		json *to;

		if (!l->engines[i].engine || !p->requests)
			continue;
		to = show_json_row(rows);
		add_engine(to, "engine", l->engines[i].engine);
		show_json_uint(to, "requests", p->requests);
		show_json_uint(to, "submit_delay_ns", p->submit_delay_ns);
		show_json_uint(to, "execute_delay_ns", p->execute_delay_ns);
		show_json_uint(to, "duration_ns", p->duration_ns);
		show_json_uint(to, "context_save_ns", p->context_save_ns);
		show_json_uint(to, "total_ns", p->total_ns);
		show_json_uint(to, "union_ns", p->on_ports.busy_ns);
		show_json_real(to, "idle_percent", 100 - percent(p->on_ports.busy_ns, whole));
		show_json_real(to, "busy_percent", percent(p->total_ns, whole));
		show_json_real(to, "runnable_percent", percent(p->execute_delay_ns, whole));
		show_json_real(to, "queued_percent", percent(p->submit_delay_ns, whole));
		show_json_real(to, "wait_percent", percent(p->wait_ns, whole));
	}
}

struct lane_error *show_report_tree(struct lane_latency *latency, struct json_object **tree)
{
	json *to = json_object_new_object();
	struct lane_sentences sentences;

	if (!to)
		return &lane_enomem;
	show_json_uint(to, "version", LANE_REPORT_VERSION);
	show_sentences_begin(&sentences, latency, SHOW_SENTENCES);
	show_answers_tree(&sentences, to);
	recording(latency, to);
	engines(latency, to);
	stages(latency, to);
	clients(latency, to);
	contexts(latency, to);
	culprits(latency, to);
	show_open_tree(latency, to);
	show_fault_tree(latency, to);
	show_memory_tree(latency, to);
	show_counter_tree(latency, to);
	idles_and_waits(latency, to);
	worst(latency, to);
	trace_pl(latency, to);
	show_cpu_tree(latency, to);
	show_opencl_tree(latency, to);
	*tree = to;
	return NULL;
}
