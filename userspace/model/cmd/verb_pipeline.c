// SPDX-License-Identifier: MIT
// `gpulane model pipeline`: a kernel's dependence graph on a device, once or over its occupancies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb.h"
#include "model/number.h"
#include "model/occupancy.h"
#include "model/shipped.h"

#define MAX_CHANGES 32

enum sweep {
	NO_SWEEP,
	SWEEP_GROUPS,
	SWEEP_WARPS
};

struct options {
	struct model_common common;
	const char *graph;
	const char *chain; /* an op: a chain of it instead of a graph */
	uint32_t length;
	struct lane_start start;
	enum sweep sweep;
	char *use[MAX_CHANGES]; /* OP=OTHER */
	uint32_t n_use;
};

enum {
	KEY_LENGTH = 256,
	KEY_LIMIT,
	KEY_SWEEP,
	KEY_USE,
};

static const struct argp_option options[] = {
	{ "chain", 'c', "OP", 0, "instead of a graph: dependent instructions of one kind", 1 },
	{ "length", KEY_LENGTH, "N", 0, "how many of them (default 1000)", 1 },
	{ "groups", 'n', "N", 0, "work-groups of the kernel", 1 },
	{ "group-warps", 'w', "N", 0, "warps of a group", 1 },
	{ "concurrent", 'm', "N", 0, "groups at a time on a compute unit (default: as many as fit)",
	  1 },
	{ "issue-limit", KEY_LIMIT, "N", 0, "instructions a cycle over all pipelines, 0: no limit",
	  2 },
	{ "use", KEY_USE, "OP=OTHER", 0, "take OTHER's latencies for the graph's OP", 2 },
	{ "sweep", KEY_SWEEP, "WHAT", 0,
	  "a row per occupancy: `groups' at a time, or `warps' of one group", 3 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t verb_pipeline_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->chain = arg;
		return 0;
	case KEY_LENGTH:
		return model_number(&o->common, "--length", arg, 1, LANE_GRAPH_NODES, &o->length);
	case 'n':
		return model_number(&o->common, "--groups", arg, 1, 1u << 30, &o->start.groups);
	case 'w':
		return model_number(&o->common, "--group-warps", arg, 1, LANE_PIPELINE_WARPS,
				    &o->start.group_warps);
	case 'm':
		return model_number(&o->common, "--concurrent", arg, 1, LANE_PIPELINE_WARPS,
				    &o->start.concurrent);
	case KEY_LIMIT:
		return model_number(&o->common, "--issue-limit", arg, 0, 1024,
				    &o->start.issue_limit);
	case KEY_USE:
		if (o->n_use == MAX_CHANGES || !strchr(arg, '='))
			return model_wrong(&o->common,
					   lane_error_usage("--use: `%s' has no `=', or more than "
							    "%d of them",
							    arg, MAX_CHANGES));
		o->use[o->n_use++] = arg;
		return 0;
	case KEY_SWEEP:
		o->sweep = !strcmp(arg, "groups")  ? SWEEP_GROUPS
			   : !strcmp(arg, "warps") ? SWEEP_WARPS
						   : NO_SWEEP;
		if (o->sweep)
			return 0;
		return model_wrong(&o->common,
				   lane_error_usage("--sweep: `%s' is not groups or warps", arg));
	case ARGP_KEY_ARG:
		if (o->graph)
			return model_wrong(&o->common,
					   lane_error_usage("model pipeline: more than one graph"));
		o->graph = arg;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static const struct argp argp = {
	options,
	verb_pipeline_parse,
	"[GRAPH]",
	"The time of a kernel whose instruction dependence graph and latencies are known.",
	NULL,
	NULL,
	NULL
};

/* OP=OTHER: gives another name to a kind of instruction of the graph. */
static struct lane_error *apply_use(struct lane_graph *graph, const char *change)
{
	size_t length = strcspn(change, "=");
	const char *other = change + length + 1;
	char op[LANE_NAME_BYTES] = "";

	if (strlen(other) >= LANE_NAME_BYTES)
		return lane_error_usage("--use: `%s': too long a name", change);
	if (length < sizeof(op))
		memcpy(op, change, length);
	if (*op && model_graph_rename(graph, op, other))
		return NULL;
	return lane_error_usage("--use: `%s': the graph has no such kind of instruction", change);
}

static struct lane_error *load_graph(const struct options *o, struct lane_graph **graph)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err;

	if (o->chain && strlen(o->chain) < LANE_NAME_BYTES)
		return model_graph_chain(o->chain, o->length, graph);
	if (!o->graph)
		return lane_error_usage("which graph? (a name, a path, or --chain OP)");
	err = model_shipped_find("graphs", o->graph, ".graph", &path);
	return err ? err : model_graph_read(path, graph);
}

static void put_occupancy(json_object *object, const struct lane_runs *runs,
			  const struct lane_occupancy *row)
{
	const struct lane_pipeline_run *run = &row->run;

	model_put_whole(object, "groups_per_unit", row->groups_per_unit);
	model_put_whole(object, "concurrent", row->concurrent);
	model_put_whole(object, "warps", row->warps);
	model_put_whole(object, "instructions", (int64_t)run->instructions);
	model_put_real(object, "cycles", row->cycles, 6);
	if (row->law_cycles >= 0)
		model_put_real(object, "law_cycles", row->law_cycles, 6);
	model_put_real(object, "time_ms", row->time_ms, 6);
	if (row->work_per_ns >= 0)
		model_put_real(object, "work_per_ns", row->work_per_ns, 3);
	model_put_text(object, "bound_by", row->bound_by);
	for (uint32_t i = 0; i < run->n_pipes; i++) {
		char key[LANE_NAME_BYTES + 8];

		snprintf(key, sizeof(key), "%s_busy", run->pipes[i].name);
		model_put_real(object, key,
			       run->cycles ? (double)run->pipes[i].busy / (double)run->cycles : 0,
			       4);
	}
	if (runs->start.issue_limit)
		model_put_whole(object, "put_off_by_limit", (int64_t)run->limited);
}

static struct lane_error *put_once(const struct lane_runs *runs, json_object *result)
{
	struct lane_occupancy once;
	struct lane_error *err = model_runs_once(runs, &once);

	if (err)
		return err;
	put_occupancy(result, runs, &once);
	for (uint32_t i = 0; i < once.run.n_pipes; i++) {
		const struct lane_pipe *pipe = &once.run.pipes[i];
		json_object *row = model_row(result);

		model_put_text(row, "pipe", pipe->name);
		model_put_whole(row, "instructions", (int64_t)pipe->issued);
		model_put_real(row, "busy_cycles", (double)pipe->busy / (double)LANE_MICRO, 6);
	}
	return NULL;
}

static struct lane_error *put_sweep(const struct options *o, const struct lane_runs *runs,
				    json_object *result)
{
	LANE_CLEANUP(lane_free) struct lane_occupancy *rows = NULL;
	uint32_t n;
	struct lane_error *err = o->sweep == SWEEP_WARPS ? model_runs_by_warps(runs, &rows, &n)
							 : model_runs_by_groups(runs, &rows, &n);

	for (uint32_t i = 0; !err && i < n; i++)
		put_occupancy(model_row(result), runs, &rows[i]);
	return err;
}

static struct lane_error *verb_pipeline_run(void *options_read, struct lane_device *device,
					    json_object *result)
{
	const struct options *o = options_read;
	LANE_CLEANUP(model_graph_drop) struct lane_graph *graph = NULL;
	struct lane_runs runs;
	struct lane_error *err = load_graph(o, &graph);

	for (uint32_t i = 0; !err && i < o->n_use; i++)
		err = apply_use(graph, o->use[i]);
	if (!err)
		err = model_runs_init(&runs, device, graph, &o->start);
	if (err)
		return err;
	model_put_text(result, "graph", o->chain ? o->chain : o->graph);
	if (graph->title)
		model_put_text(result, "title", graph->title);
	if (graph->unit[0])
		model_put_text(result, "work", graph->unit);
	model_put_whole(result, "graph_instructions", graph->n_nodes);
	return o->sweep == NO_SWEEP ? put_once(&runs, result) : put_sweep(o, &runs, result);
}

struct lane_error *model_pipeline(int argc, char **argv)
{
	struct options o = { .length = 1000, .start.issue_limit = LANE_ISSUE_LIMIT_OF_DEVICE };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	return model_run(&o.common, "pipeline", "fermi-c2050", verb_pipeline_run, &o);
}
