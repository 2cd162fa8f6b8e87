// SPDX-License-Identifier: MIT
// `gpulane model pipeline`: a kernel's dependence graph on a device, once or over its occupancies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb.h"
#include "model/number.h"
#include "model/pipeline.h"
#include "model/plot.h"
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
	uint32_t mix; /* arithmetic instructions of each memory access */
	int has_mix;
	uint32_t groups;
	uint32_t group_warps;
	uint32_t concurrent;
	uint32_t issue_limit; /* UINT32_MAX: as the device says */
	int poll;
	enum sweep sweep;
	char *use[MAX_CHANGES]; /* OP=OTHER */
	uint32_t n_use;
	char *set[MAX_CHANGES]; /* OP=ISSUE,COMPLETION */
	uint32_t n_set;
};

enum {
	KEY_LENGTH = 256,
	KEY_LIMIT,
	KEY_POLL,
	KEY_SWEEP,
	KEY_USE,
	KEY_SET,
	KEY_MIX,
};

static const struct argp_option options[] = {
	{ "chain", 'c', "OP", 0, "instead of a graph: dependent instructions of one kind", 1 },
	{ "mix", KEY_MIX, "N", 0,
	  "instead of a graph: rounds of a memory access and N `fadd', each waiting for the one "
	  "before",
	  1 },
	{ "length", KEY_LENGTH, "N", 0, "how many instructions, or rounds (default 1000)", 1 },
	{ "groups", 'n', "N", 0, "work-groups of the kernel", 1 },
	{ "group-warps", 'w', "N", 0, "warps of a group", 1 },
	{ "concurrent", 'm', "N", 0, "groups at a time on a compute unit (default: as many as fit)",
	  1 },
	{ "issue-limit", KEY_LIMIT, "N", 0, "instructions a cycle over all pipelines, 0: no limit",
	  2 },
	{ "poll", KEY_POLL, NULL, 0, "an idle pipeline looks for work only once a cycle", 2 },
	{ "use", KEY_USE, "OP=OTHER", 0, "take OTHER's latencies for the graph's OP", 2 },
	{ "set", KEY_SET, "OP=ISSUE,COMPLETION", 0, "other latencies for OP", 2 },
	{ "sweep", KEY_SWEEP, "WHAT", 0,
	  "a row per occupancy: `groups' at a time, or `warps' of one group", 3 },
	MODEL_OPTION_PLOT,
	MODEL_OPTIONS,
	{ 0 },
};

static error_t add_change(struct options *o, const char *option, char **list, uint32_t *n,
			  char *arg)
{
	if (*n == MAX_CHANGES || !strchr(arg, '='))
		return model_wrong(&o->common,
				   lane_error_usage("%s: `%s' has no `=', or more than %d of them",
						    option, arg, MAX_CHANGES));
	list[(*n)++] = arg;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->chain = arg;
		return 0;
	case KEY_MIX:
		o->has_mix = 1;
		return model_number(&o->common, "--mix", arg, 0, 100000, &o->mix);
	case KEY_LENGTH:
		return model_number(&o->common, "--length", arg, 1, LANE_GRAPH_NODES, &o->length);
	case 'n':
		return model_number(&o->common, "--groups", arg, 1, 1u << 30, &o->groups);
	case 'w':
		return model_number(&o->common, "--group-warps", arg, 1, LANE_PIPELINE_WARPS,
				    &o->group_warps);
	case 'm':
		return model_number(&o->common, "--concurrent", arg, 1, LANE_PIPELINE_WARPS,
				    &o->concurrent);
	case KEY_LIMIT:
		return model_number(&o->common, "--issue-limit", arg, 0, 1024, &o->issue_limit);
	case KEY_POLL:
		o->poll = 1;
		return 0;
	case KEY_USE:
		return add_change(o, "--use", o->use, &o->n_use, arg);
	case KEY_SET:
		return add_change(o, "--set", o->set, &o->n_set, arg);
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
	parse,
	"[GRAPH]",
	"The time of a kernel whose instruction dependence graph and latencies are known.",
	NULL,
	NULL,
	NULL
};

/* Gives another name to a kind of instruction of the graph. */
static struct lane_error *apply_use(struct lane_graph *graph, const char *change)
{
	size_t length = strcspn(change, "=");
	const char *other = change + length + 1;
	int found = 0;

	if (strlen(other) >= LANE_NAME_BYTES)
		return lane_error_usage("--use: `%s': too long a name", change);
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		if (strlen(graph->op[i]) == length && !strncmp(graph->op[i], change, length)) {
			snprintf(graph->op[i], LANE_NAME_BYTES, "%s", other);
			found = 1;
		}
	}
	if (found)
		return NULL;
	return lane_error_usage("--use: `%s': the graph has no such kind of instruction", change);
}

/* Gives other latencies to an op of the device. */
static struct lane_error *apply_set(struct lane_device *device, const char *change)
{
	char name[LANE_NAME_BYTES], issue[32], completion[32], end;
	struct lane_section *op = NULL;
	int64_t micro[2];

	if (sscanf(change, "%31[^=]=%31[^,],%31[^,]%c", name, issue, completion, &end) != 3 ||
	    model_micro_parse(issue, &micro[0]) || model_micro_parse(completion, &micro[1]) ||
	    micro[0] > 100000 * LANE_MICRO || micro[1] > 100000 * LANE_MICRO)
		return lane_error_usage("--set: `%s' is not OP=ISSUE,COMPLETION", change);
	for (size_t i = 0; i < device->n_sections; i++)
		if (device->section[i].unit[0] && !strcmp(device->section[i].name, name))
			op = &device->section[i];
	if (!op)
		return lane_error_usage("--set: the device has no op `%s'", name);
	op->n_points = 0;
	for (int i = 0; i < 2; i++) /* issue and completion are an op's first keys */
		op->value[i] = (struct lane_value){ .micro = micro[i], .given = 1 };
	return NULL;
}

static struct lane_error *load_graph(const struct options *o, struct lane_graph **graph)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err;
	char text[160];

	if (o->chain && strlen(o->chain) < LANE_NAME_BYTES) {
		snprintf(text, sizeof(text), "gpulane-graph 1\nrepeat %u\nx = %s x\nend\n",
			 o->length, o->chain);
		return model_graph_parse(text, "--chain", graph);
	}
	if (o->has_mix) {
		snprintf(text, sizeof(text), "gpulane-graph 1\nrepeat %u\nx = memory x\n%s",
			 o->length, o->mix ? "repeat " : "end\n");
		if (o->mix)
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "%u\nx = fadd x\nend\nend\n", o->mix);
		return model_graph_parse(text, "--mix", graph);
	}
	if (!o->graph)
		return lane_error_usage("which graph? (a name, a path, --chain OP or --mix N)");
	err = model_shipped_find("graphs", o->graph, ".graph", &path);
	return err ? err : model_graph_read(path, graph);
}

/* What a run needs besides the graph. */
struct bench {
	const struct options *o;
	const struct lane_device *device;
	const struct lane_section *unit;
	const struct lane_graph *graph;
	uint32_t groups; /* of the kernel */
	uint32_t group_warps;
	uint32_t most; /* groups that fit a compute unit */
	uint32_t issue_limit;
};

static struct lane_error *prepare(struct bench *b)
{
	const struct options *o = b->o;
	struct lane_error *err = model_device_need(b->device, "device", "", &b->unit);
	uint32_t max_warps;

	if (err)
		return err;
	max_warps = model_section_whole(b->unit, "max_warps");
	b->most = model_section_whole(b->unit, "max_groups");
	b->groups = o->groups ? o->groups : b->graph->groups ? b->graph->groups : 1;
	b->group_warps = o->group_warps		 ? o->group_warps
			 : b->graph->group_warps ? b->graph->group_warps
						 : 1;
	b->issue_limit = o->issue_limit == UINT32_MAX ? model_section_whole(b->unit, "issue_limit")
						      : o->issue_limit;
	if (b->group_warps > max_warps)
		return lane_error("a group of %u warps does not fit the compute unit's %u",
				  b->group_warps, max_warps);
	if (b->most > max_warps / b->group_warps)
		b->most = max_warps / b->group_warps;
	if (o->concurrent > b->most)
		return lane_error(
			"%u groups at a time do not fit: the compute unit takes %u of %u warps",
			o->concurrent, b->most, b->group_warps);
	return NULL;
}

static double in_cycles(int64_t micro)
{
	return (double)micro / (double)LANE_MICRO;
}

/* The pipeline that was busiest, or `latency' when none was busy nine tenths of the time. */
static const char *bound(const struct lane_pipeline_run *run)
{
	uint32_t busiest = 0;

	for (uint32_t i = 1; i < run->n_pipes; i++)
		if (run->pipes[i].busy > run->pipes[busiest].busy)
			busiest = i;
	if (run->pipes[busiest].busy < run->cycles / 10 * 9)
		return "latency";
	return run->pipes[busiest].name;
}

/* Simulates one occupancy and puts it into an object; *run is for more details. */
static struct lane_error *simulate(const struct bench *b, uint32_t groups, uint32_t group_warps,
				   uint32_t concurrent, json_object *object,
				   struct lane_pipeline_run *run)
{
	uint32_t units = model_section_whole(b->unit, "units");
	double mhz = model_section_real(b->unit, "clock_mhz");
	struct lane_launch launch = { .groups = (groups + units - 1) / units,
				      .group_warps = group_warps,
				      .concurrent = concurrent,
				      .issue_limit = b->issue_limit,
				      .poll = b->o->poll };
	struct lane_binding binding;
	struct lane_error *err =
		model_binding_make(b->device, b->graph, concurrent * group_warps, &binding);

	if (!err)
		err = model_pipeline_run(b->graph, &binding, &launch, run);
	if (err)
		return err;
	model_put_whole(object, "groups_per_unit", launch.groups);
	model_put_whole(object, "concurrent", concurrent);
	model_put_whole(object, "warps", (int64_t)concurrent * group_warps);
	model_put_whole(object, "instructions", (int64_t)run->instructions);
	model_put_real(object, "cycles", in_cycles(run->cycles), 6);
	if (model_graph_is_chain(b->graph) && launch.groups <= concurrent)
		model_put_real(object, "law_cycles",
			       in_cycles(model_pipeline_law((uint64_t)launch.groups * group_warps,
							    b->graph->n_nodes, binding.issue[0],
							    binding.completion[0])),
			       6);
	model_put_real(object, "time_ms", in_cycles(run->cycles) / mhz / 1000, 6);
	if (b->graph->work > 0 && run->cycles > 0)
		model_put_real(object, "work_per_ns",
			       b->graph->work * groups / (in_cycles(run->cycles) / mhz * 1000), 3);
	model_put_text(object, "bound_by", bound(run));
	for (uint32_t i = 0; i < run->n_pipes; i++) {
		char key[LANE_NAME_BYTES + 8];

		snprintf(key, sizeof(key), "%s_busy", run->pipes[i].name);
		model_put_real(object, key,
			       run->cycles ? (double)run->pipes[i].busy / (double)run->cycles : 0,
			       4);
	}
	if (b->issue_limit)
		model_put_whole(object, "put_off_by_limit", (int64_t)run->limited);
	return NULL;
}

static struct lane_error *plot(const struct bench *b, json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	size_t n = json_object_array_length(rows);
	LANE_CLEANUP(lane_free) double *x = calloc(2 * n, sizeof(*x));
	struct lane_series series = { b->graph->title ? b->graph->title : "", x, x + n, n };

	if (!x)
		return &lane_enomem;
	for (size_t i = 0; i < n; i++) {
		json_object *row = json_object_array_get_idx(rows, i);

		x[i] = model_get(row, "warps");
		x[n + i] = model_get(row, "time_ms");
	}
	return model_plot(b->o->common.plot,
			  &(struct lane_plot){ "Pipeline model", "warps on a compute unit", "ms", 0,
					       &series, 1 });
}

/* One group per compute unit with more and more warps: the micro-benchmarks' occupancies. */
static struct lane_error *sweep_warps(const struct bench *b, json_object *result)
{
	uint32_t most = model_section_whole(b->unit, "max_warps");
	struct lane_pipeline_run run;
	struct lane_error *err = NULL;

	for (uint32_t warps = 1; !err && warps <= most; warps++)
		err = simulate(b, 1, warps, 1, model_row(result), &run);
	return err;
}

/*
 * How many warps a mix needs until more of them get no more done (V. Volkov, "Understanding Latency
 * Hiding on GPUs"): by Little's law the latency of a round over the busiest pipeline's time for it;
 * and in the simulation the first row within a part in twenty of that pipeline's time.
 */
static struct lane_error *put_mix(const struct bench *b, json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	double memory_issue, memory_completion, alu_issue, alu_completion, round, busiest;
	int64_t issue, completion;
	const struct lane_section *op;
	struct lane_error *err = model_device_need(b->device, "op", "memory", &op);

	if (err)
		return err;
	model_op_latency(op, 1, &issue, &completion);
	memory_issue = in_cycles(issue);
	memory_completion = in_cycles(completion);
	err = model_device_need(b->device, "op", "fadd", &op);
	if (err)
		return err;
	model_op_latency(op, 1, &issue, &completion);
	alu_issue = in_cycles(issue) * b->o->mix;
	alu_completion = in_cycles(completion) * b->o->mix;
	round = memory_completion + alu_completion;
	busiest = memory_issue > alu_issue ? memory_issue : alu_issue;
	model_put_text(result, "bound_at_most", memory_issue > alu_issue ? "global" : "alu");
	model_put_real(result, "warps_by_law", busiest > 0 ? round / busiest : 0, 2);
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		double per_round =
			model_get(row, "cycles") / b->o->length / model_get(row, "warps");

		if (per_round > busiest * 1.05)
			continue;
		model_put_whole(result, "warps_needed", (int64_t)model_get(row, "warps"));
		model_put_real(result, "occupancy_needed",
			       model_get(row, "warps") / (double)json_object_array_length(rows), 4);
		return NULL;
	}
	model_put_nothing(result, "warps_needed");
	model_put_nothing(result, "occupancy_needed");
	return NULL;
}

static struct lane_error *sweep_groups(const struct bench *b, json_object *result)
{
	struct lane_pipeline_run run;
	struct lane_error *err = NULL;

	for (uint32_t m = 1; !err && m <= b->most; m++)
		err = simulate(b, b->groups, b->group_warps, m, model_row(result), &run);
	return err;
}

static struct lane_error *once(const struct bench *b, json_object *result)
{
	struct lane_pipeline_run run;
	struct lane_error *err =
		simulate(b, b->groups, b->group_warps,
			 b->o->concurrent ? b->o->concurrent : b->most, result, &run);

	if (err)
		return err;
	for (uint32_t i = 0; i < run.n_pipes; i++) {
		json_object *row = model_row(result);

		model_put_text(row, "pipe", run.pipes[i].name);
		model_put_whole(row, "instructions", (int64_t)run.pipes[i].issued);
		model_put_real(row, "busy_cycles", in_cycles(run.pipes[i].busy), 6);
	}
	return NULL;
}

static struct lane_error *run(void *options_read, struct lane_device *device, json_object *result)
{
	const struct options *o = options_read;
	LANE_CLEANUP(model_graph_drop) struct lane_graph *graph = NULL;
	struct bench b = { .o = o, .device = device };
	struct lane_error *err = load_graph(o, &graph);

	for (uint32_t i = 0; !err && i < o->n_use; i++)
		err = apply_use(graph, o->use[i]);
	for (uint32_t i = 0; !err && i < o->n_set; i++)
		err = apply_set(device, o->set[i]);
	b.graph = graph;
	if (!err)
		err = prepare(&b);
	if (err)
		return err;
	model_put_text(result, "graph", o->chain ? o->chain : o->has_mix ? "mix" : o->graph);
	if (graph->title)
		model_put_text(result, "title", graph->title);
	if (graph->unit[0])
		model_put_text(result, "work", graph->unit);
	model_put_whole(result, "graph_instructions", graph->n_nodes);
	if (o->sweep == NO_SWEEP)
		return once(&b, result);
	err = o->sweep == SWEEP_WARPS ? sweep_warps(&b, result) : sweep_groups(&b, result);
	if (!err && o->has_mix && o->sweep == SWEEP_WARPS)
		err = put_mix(&b, result);
	return err || !o->common.plot ? err : plot(&b, result);
}

struct lane_error *model_pipeline(int argc, char **argv)
{
	struct options o = { .length = 1000, .issue_limit = UINT32_MAX };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	if (o.common.plot && !o.sweep)
		return lane_error_usage("model pipeline: --plot needs --sweep");
	return model_run(&o.common, "pipeline", "fermi-c2050", run, &o);
}
