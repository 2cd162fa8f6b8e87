// SPDX-License-Identifier: MIT
// The page's facts: everything but the blocks of data, as JSON in a script element.
#include "show/html_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/opencl.h"
#include "show/report_parts.h"
#include "show/critical_text.h"
#include "show/explain_text.h"
#include "show/json.h"
#include "show/report_tables.h"
#include "show/screen.h"
#include "show/sentence.h"
#include "show/words.h"

typedef struct json_object json;

static void put_names(json *tree, const char *key, const char *const *names, int n)
{
	json *list = show_json_list(tree, key);

	for (int i = 0; i < n; i++)
		show_json_item(list, names[i]);
}

/* The names of what is numbered in the blocks. */
static void html_facts_put_words(json *tree)
{
	static const char *const kinds[] = {
#define T(id, name) #id,
		LANE_TRACKS(T)
#undef T
	};
	json *list = show_json_list(tree, "kinds"), *to;

	for (int i = 0; i < LANE_TRACK_KINDS; i++) {
		to = show_json_row(list);
		show_json_text(to, "id", kinds[i]);
		show_json_text(to, "name", lane_track_names[i]);
		show_json_text(to, "help", show_word_sentence(lane_track_names[i]));
	}
	list = show_json_list(tree, "stages");
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		show_json_text(show_json_row(list), "name", lane_stage_names[i]);
	put_names(tree, "faults", lane_fault_names, LANE_FAULT_CAUSES);
	put_names(tree, "causes", lane_idle_names, LANE_IDLE_CAUSE_COUNT);
	put_names(tree, "classes", lane_command_class_names, LANE_COMMAND_CLASSES);
	put_names(tree, "certainties", lane_certainty_names, LANE_CERTAINTY_COUNT);
	put_names(tree, "whys", lane_why_helps, LANE_WHY_COUNT);
	list = show_json_list(tree, "functions");
	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++)
		show_json_item(list, lane_cl_function_name(i));
	to = show_json_object(tree, "why_names");
	for (int i = 0; i < LANE_WHY_COUNT; i++)
		show_json_text(to, lane_why_names[i], lane_why_helps[i]);
	put_names(tree, "command_stages", lane_command_stage_names, LANE_CSTAGE_COUNT);
	to = show_json_object(tree, "words");
	for (size_t i = 0; show_word_at(i); i++)
		show_json_text(to, show_word_at(i)->word, show_word_at(i)->sentence);
}

/* How many slices each row has: the page makes room for them once. */
static void put_rows(const struct lane_track *track, json *to)
{
	json *rows = show_json_list(to, "rows");

	for (uint32_t i = 0; i < track->n_rows && i <= UINT16_MAX; i++)
		json_object_array_add(rows, json_object_new_int64(track->rows[i].slices));
}

static void put_tracks(const struct lane_html_facts *h, json *tree)
{
	json *rows = show_json_list(tree, "tracks"), *names = show_json_list(tree, "tasks");
	const struct lane_track *track;
	char name[64];

	for (uint32_t i = 0; (track = show_tracks_get(h->tracks, i)); i++) {
		json *to = show_json_row(rows);

		show_json_int(to, "kind", track->kind);
		put_rows(track, to);
		if (track->engine)
			show_json_int(to, "engine", track->engine->id);
		if (track->client)
			show_json_int(to, "client", track->client->id);
		show_json_int(to, "pid", track->pid);
		if (track->queue) {
			snprintf(name, sizeof(name), "queue 0x%llx",
				 (unsigned long long)track->queue->handle);
			show_json_text(to, "name", name);
			show_json_text(to, "device", track->queue->device_name);
			show_json_text(to, "process", SHOW_TASK(track->pid, track->queue->comm));
		} else if (track->kind == LANE_TRACK_CPU) {
			snprintf(name, sizeof(name), "CPU %d", track->cpu);
			show_json_int(to, "cpu", track->cpu);
			show_json_text(to, "name", name);
		} else if (track->kind == LANE_TRACK_DISPLAY) {
			show_json_text(to, "name", SHOW_SCREEN(track));
		} else if (!track->engine && track->kind != LANE_TRACK_CLIENT && track->tid >= 0) {
			show_json_int(to, "tid", track->tid);
			show_json_text(to, "name", SHOW_TASK(track->tid, track->comm));
		}
	}
	for (uint32_t i = 0; i < h->n_names; i++)
		show_json_item(names, h->names[i]);
}

/* By number; one without points has no name. */
static void put_counters(const struct lane_tracks *tracks, json *tree)
{
	json *counters = show_json_list(tree, "counters");
	const struct lane_p_gpulane_counter *is;

	for (uint32_t i = 0; i < show_tracks_counters(tracks); i++) {
		is = show_tracks_counter(tracks, i);
		show_json_item(counters, is ? show_counter_name(is, SHOW_ROOM(160)) : "");
	}
}

static void put_objects(const struct lane_timeline *timeline, json *tree)
{
	json *engines = show_json_list(tree, "engines"),
	     *contexts = show_json_list(tree, "contexts");
	json *clients = show_json_list(tree, "clients"), *to;
	const struct lane_context *context;
	const struct lane_client *client;
	const struct lane_engine *engine;

	for (uint32_t i = 0; (engine = timeline_engine(timeline, i)); i++)
		show_json_item(engines, SHOW_ENGINE(engine));
	for (uint32_t i = 0; (context = timeline_context(timeline, i)); i++) {
		to = show_json_row(contexts);
		show_json_int(to, "ctx", (int64_t)context->ctx);
		show_json_text(to, "owner", show_owner_name(context, SHOW_ROOM(LANE_SHOW_ENGINE)));
	}
	for (uint32_t i = 0; (client = timeline_client(timeline, i)); i++) {
		to = show_json_row(clients);
		show_json_text(to, "name", show_client_name(client, SHOW_ROOM(LANE_SHOW_ENGINE)));
		show_json_int(to, "pid", client->pid);
	}
}

/* The bar of the text's first screen. */
static void put_shares(const struct lane_latency *latency, json *tree)
{
	struct lane_screen_part parts[LANE_SCREEN_PARTS];
	json *list = show_json_list(tree, "shares"), *to;
	unsigned int n = show_screen_parts(latency, parts);

	for (unsigned int i = 0; i < n; i++) {
		to = show_json_row(list);
		show_json_text(to, "stage", parts[i].name);
		show_json_text(to, "share", parts[i].share);
		show_json_uint(to, "min_ns", parts[i].ns.lo);
	}
	show_json_uint(tree, "spent_ns", latency->spent.total.hi);
}

/* The lines of engines of the text's first screen; in the report's order of engines. */
static void put_engine_times(const struct lane_latency *latency, json *tree)
{
	json *list = show_json_list(tree, "engine_times"), *to, *causes, *row;
	struct lane_screen_idle idle[LANE_IDLE_PLACE_END];
	char text[LANE_SCREEN_CAUSES];

	for (uint32_t i = 0; i < latency->n_engines; i++) {
		unsigned int n;

		if (!latency->engines[i].engine)
			continue;
		n = show_screen_idle(latency, i, idle);
		to = show_json_row(list);
		show_json_text(to, "busy", show_screen_busy(latency, i, SHOW_ROOM(64)));
		(void)show_screen_causes(idle, n, text, sizeof(text));
		show_json_text(to, "idle", text);
		causes = show_json_list(to, "causes");
		for (unsigned int k = 0; k < n; k++) {
			row = show_json_row(causes);
			show_json_text(row, "cause", lane_idle_names[idle[k].cause]);
			show_json_uint(row, "ns", idle[k].ns);
		}
	}
}

static void put_explained(const struct lane_html_facts *facts, json *tree)
{
	const struct lane_explain *explain = facts->figures->worst;
	json *list = show_json_list(tree, "explained");

	for (size_t i = 0; explain && i < explain->n; i++) {
		json *of = show_explain_tree(explain, &explain->of[i], facts->origin_ns);

		if (of && json_object_array_add(list, of))
			json_object_put(of);
	}
}

enum {
	MOST_PIECES = 1000, /* of a critical path; the longest */
};

/* The critical path of the longest request, as report --critical has it. */
static void put_critical(const struct lane_html_facts *facts, json *tree)
{
	const struct lane_critical_path *path = facts->figures->path;
	json *to;

	if (!path || !path->n_segments)
		return;
	to = show_json_object(tree, "critical");
	show_json_uint(to, "context", path->end.ctx);
	show_json_uint(to, "seqno", path->end.seqno);
	show_json_uint(to, "pieces", path->n_segments);
	show_json_uint(to, "duration_ns", path->to_ns - path->from_ns);
	show_critical_tree(to, facts->figures->latency, path, facts->origin_ns, MOST_PIECES);
}

/* What to try against what each sentence of the verdict says; "" for nothing. */
static void put_advice(const struct lane_latency *latency, json *tree)
{
	json *list = show_json_list(tree, "advice");
	struct lane_sentences sentences;

	show_sentences_begin(&sentences, latency, SHOW_SENTENCES);
	while (show_sentences_next(&sentences))
		show_json_item(list, sentences.advice);
}

/* JSON in a script element: no `<` may stand in it. */
static void put_escaped(const char *text, FILE *to)
{
	for (; text && *text; text++)
		if (*text == '<')
			fputs("\\u003c", to);
		else
			putc(*text, to);
}

/* Writes of a tree so many levels part by part, and frees these: json-c keeps the text of each. */
static void put_json(json *tree, int levels, FILE *to)
{
	bool is_list = json_object_is_type(tree, json_type_array);
	const char *between = "";

	if (!levels || (!is_list && !json_object_is_type(tree, json_type_object))) {
		put_escaped(json_object_to_json_string_ext(
				    tree, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
			    to);
		return;
	}
	putc(is_list ? '[' : '{', to);
	for (size_t i = 0; is_list && i < json_object_array_length(tree); i++, between = ",") {
		fputs(between, to);
		put_json(json_object_array_get_idx(tree, i), levels - 1, to);
		json_object_array_put_idx(tree, i, NULL);
	}
	if (!is_list) {
		json_object_object_foreach(tree, key, value) {
			fprintf(to, "%s\"%s\":", between, key);
			put_json(value, levels - 1, to);
			json_object_object_add(tree, key, NULL);
			between = ",";
		}
	}
	putc(is_list ? ']' : '}', to);
}

struct lane_error *show_html_facts(const struct lane_html_facts *facts, FILE *to)
{
	struct lane_latency *latency = facts->figures->latency;
	json *tree = json_object_new_object(), *report;
	struct lane_error *err;

	if (!tree)
		return &lane_enomem;
	err = show_report_tree(latency, &facts->figures->options, &report);
	if (!err) {
		show_json_text(tree, "title", facts->title);
		show_json_text(tree, "gpulane", GPULANE_VERSION);
		show_json_int(tree, "origin_ns", (int64_t)facts->origin_ns);
		show_json_int(tree, "requests", show_tracks_requests(facts->tracks));
		show_json_int(tree, "program", latency->info.command_pid);
		json_object_object_add(tree, "report", report);
		html_facts_put_words(tree);
		put_tracks(facts, tree);
		put_objects(latency->timeline, tree);
		put_counters(facts->tracks, tree);
		put_explained(facts, tree);
		put_critical(facts, tree);
		put_shares(latency, tree);
		put_engine_times(latency, tree);
		put_advice(latency, tree);
		fputs("<script type=\"application/json\" id=\"facts\">", to);
		put_json(tree, 3, to);
		fputs("</script>\n", to);
	}
	json_object_put(tree);
	return err;
}
