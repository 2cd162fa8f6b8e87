// SPDX-License-Identifier: MIT
// The page's facts: everything but the blocks of data, as JSON in a script element.
#include "out/html_facts.h"

#include <inttypes.h>

#include "base/opencl.h"
#include "out/report_tree.h"

typedef struct json_object json;

static json *row(json *list)
{
	json *object = json_object_new_object();

	json_object_array_add(list, object);
	return object;
}

static json *list(json *to, const char *key)
{
	json *array = json_object_new_array();

	json_object_object_add(to, key, array);
	return array;
}

static void number(json *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

static void text(json *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

/* The names of what is numbered in the blocks. */
static void put_words(json *tree)
{
	static const struct {
		const char *id, *name, *help;
	} kinds[] = {
#define T(id, name, help) { #id, name, help },
		LANE_TRACKS(T)
#undef T
	};
	json *words = list(tree, "kinds"), *stages = list(tree, "stages"), *to;
	json *causes = list(tree, "causes"), *classes = list(tree, "classes");
	json *certainties = list(tree, "certainties"), *whys = list(tree, "whys");
	json *functions = list(tree, "functions");

	for (int i = 0; i < LANE_COMMAND_CLASSES; i++)
		json_object_array_add(classes, json_object_new_string(lane_command_class_names[i]));
	for (int i = 0; i < LANE_CERTAINTY_COUNT; i++)
		json_object_array_add(certainties, json_object_new_string(lane_certainty_names[i]));
	for (int i = 0; i < LANE_WHY_COUNT; i++)
		json_object_array_add(whys, json_object_new_string(lane_why_helps[i]));
	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++)
		json_object_array_add(functions, json_object_new_string(lane_cl_function_name(i)));
	for (int i = 0; i < LANE_TRACK_KINDS; i++) {
		to = row(words);
		text(to, "id", kinds[i].id);
		text(to, "name", kinds[i].name);
		text(to, "help", kinds[i].help);
	}
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		to = row(stages);
		text(to, "name", lane_stage_names[i]);
		text(to, "help", lane_stage_helps[i]);
	}
	for (int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++)
		json_object_array_add(causes, json_object_new_string(lane_idle_names[i]));
}

static void put_tracks(const struct lane_html_facts *h, json *tree)
{
	json *rows = list(tree, "tracks"), *names = list(tree, "tasks");
	char name[64];

	for (uint32_t i = 0; i < lane_tracks_count(h->tracks); i++) {
		const struct lane_track *track = lane_tracks_get(h->tracks, i);
		json *to = row(rows);

		number(to, "kind", track->kind);
		number(to, "rows", track->n_rows);
		if (track->engine)
			number(to, "engine", track->engine->id);
		if (track->client)
			number(to, "client", track->client->id);
		number(to, "pid", track->pid);
		if (track->queue) {
			snprintf(name, sizeof(name), "queue 0x%llx",
				 (unsigned long long)track->queue->handle);
			text(to, "name", name);
			text(to, "device", track->queue->device_name);
			continue;
		}
		if (track->engine || track->kind == LANE_TRACK_CLIENT ||
		    track->kind == LANE_TRACK_LOST)
			continue;
		number(to, "tid", track->tid);
		text(to, "name", lane_task_name(track->tid, track->comm, name, sizeof(name)));
	}
	for (uint32_t i = 0; i < h->n_names; i++)
		json_object_array_add(names, json_object_new_string(h->names[i]));
}

static void put_objects(const struct lane_timeline *timeline, json *tree)
{
	json *engines = list(tree, "engines"), *contexts = list(tree, "contexts");
	json *clients = list(tree, "clients"), *to;
	const struct lane_context *context;
	const struct lane_client *client;
	const struct lane_engine *engine;
	char name[64];

	for (uint32_t i = 0; (engine = lane_timeline_engine(timeline, i)); i++)
		json_object_array_add(engines, json_object_new_string(lane_engine_name(
						       engine, name, sizeof(name))));
	for (uint32_t i = 0; (context = lane_timeline_context(timeline, i)); i++) {
		to = row(contexts);
		number(to, "ctx", (int64_t)context->ctx);
		number(to, "client", context->client->id);
	}
	for (uint32_t i = 0; (client = lane_timeline_client(timeline, i)); i++) {
		to = row(clients);
		text(to, "name", lane_client_name(client, name, sizeof(name)));
		number(to, "pid", client->pid);
	}
}

/* JSON in a script element: no `<` may stand in it. */
static void put_json(json *tree, FILE *to)
{
	const char *at = json_object_to_json_string_ext(
		tree, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	fputs("<script type=\"application/json\" id=\"facts\">", to);
	for (; at && *at; at++)
		if (*at == '<')
			fputs("\\u003c", to);
		else
			putc(*at, to);
	fputs("</script>\n", to);
}

struct lane_error *lane_html_facts(const struct lane_html_facts *facts,
				   struct lane_latency *latency, FILE *to)
{
	json *tree = json_object_new_object(), *report;
	struct lane_error *err;

	if (!tree)
		return &lane_enomem;
	err = lane_report_tree(latency, &report);
	if (!err) {
		text(tree, "title", facts->title);
		text(tree, "gpulane", GPULANE_VERSION);
		number(tree, "origin_ns", (int64_t)facts->origin_ns);
		number(tree, "requests", lane_tracks_requests(facts->tracks));
		json_object_object_add(tree, "report", report);
		put_words(tree);
		put_tracks(facts, tree);
		put_objects(latency->timeline, tree);
		put_json(tree, to);
	}
	json_object_put(tree);
	return err;
}
