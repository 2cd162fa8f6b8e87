// SPDX-License-Identifier: MIT
// The report as JSON, with the keys of docs/report.md: a tree, which CSV goes through, too.
#include <errno.h>

#include "show/json.h"
#include "show/report_tables.h"
#include "show/sentence.h"

typedef struct json_object json;

static void recording(const struct lane_latency *l, json *tree)
{
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
	show_json_uint(to, "by_silence", l->requests.by_silence);
	show_json_uint(to, "not_completed", l->requests.faulted);
	to = show_json_object(to, "open_states");
	for (int i = 0; i < LANE_RQ_STATE_COUNT; i++)
		show_json_uint(to, lane_request_state_names[i], l->figures.by_state[i]);
	to = show_json_object(tree, "events");
	for (int i = 0; i < LANE_KIND_COUNT; i++)
		if (l->figures.by_kind[i])
			show_json_uint(to, lane_kinds[i].name, l->figures.by_kind[i]);
}

static double report_json_percent(uint64_t part, uint64_t whole)
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
		show_json_text(to, "engine", SHOW_ENGINE(l->engines[i].engine));
		show_json_uint(to, "requests", p->requests);
		show_json_uint(to, "submit_delay_ns", p->submit_delay_ns);
		show_json_uint(to, "execute_delay_ns", p->execute_delay_ns);
		show_json_uint(to, "duration_ns", p->duration_ns);
		show_json_uint(to, "context_save_ns", p->context_save_ns);
		show_json_uint(to, "total_ns", p->total_ns);
		show_json_uint(to, "union_ns", p->on_ports.busy_ns);
		show_json_real(to, "idle_percent",
			       100 - report_json_percent(p->on_ports.busy_ns, whole));
		show_json_real(to, "busy_percent", report_json_percent(p->total_ns, whole));
		show_json_real(to, "runnable_percent",
			       report_json_percent(p->execute_delay_ns, whole));
		show_json_real(to, "queued_percent",
			       report_json_percent(p->submit_delay_ns, whole));
		show_json_real(to, "wait_percent", report_json_percent(p->wait_ns, whole));
	}
}

struct lane_error *show_report_tree(struct lane_latency *latency,
				    const struct lane_report_options *options,
				    struct json_object **tree)
{
	static const enum lane_report_table order[] = {
		LANE_TABLE_ENGINES,  LANE_TABLE_STAGES, LANE_TABLE_CLIENTS,
		LANE_TABLE_CONTEXTS, LANE_TABLE_BEHIND, LANE_TABLE_PREEMPTIONS,
		LANE_TABLE_STARVED,  LANE_TABLE_FRAMES, LANE_TABLE_RANGES,
		LANE_TABLE_OPEN,     LANE_TABLE_CAUSES, LANE_TABLE_MEMORY,
		LANE_TABLE_COUNTERS, LANE_TABLE_AWAKE,	LANE_TABLE_IDLE,
		LANE_TABLE_WAITS,    LANE_TABLE_WORST,	LANE_TABLE_CPU,
		LANE_TABLE_OPENCL,
	};
	json *to = json_object_new_object();
	const struct lane_tables t = { .tree = to, .latency = latency, .options = options };
	struct lane_sentences sentences;

	if (!to)
		return &lane_enomem;
	show_json_uint(to, "version", LANE_REPORT_VERSION);
	show_sentences_begin(&sentences, latency, SHOW_SENTENCES);
	show_answers_tree(&sentences, to);
	recording(latency, to);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (order[i] == LANE_TABLE_CPU)
			trace_pl(latency, to);
		lane_table_writers[order[i]].write(&t);
	}
	*tree = to;
	return NULL;
}

static struct lane_error *report_json_write_json(FILE *to, struct lane_latency *latency,
						 const struct lane_report_options *options)
{
	struct json_object *tree;
	struct lane_error *err = show_report_tree(latency, options, &tree);

	if (err)
		return err;
	if (!show_json_write(to, tree, JSON_C_TO_STRING_PRETTY))
		return &lane_enomem;
	return ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

const struct lane_report_format lane_report_json = {
	.name = "json",
	.help = "for programs: every figure, times as integers in ns",
	.write = report_json_write_json,
};
