// SPDX-License-Identifier: MIT
// `gpulane model pipeline`: a kernel's dependence graph on a device, once or over its occupancies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cmd/verb.h"
#include "model/number.h"
#include "model/pipeline.h"
#include "model/shipped.h"

#define OF_DEVICE UINT32_MAX

enum sweep {
	SWEEP_GROUPS,
	SWEEP_WARPS,
	SWEEPS, /* none */
};

static const char *const sweeps[] = { "groups", "warps" };

struct options {
	struct model_common common;
	const char *graph;
	const char *chain; /* an op: a chain of it instead of a graph */
	uint32_t length;
	/* 0: as the graph says, or as the device allows. */
	uint32_t groups, group_warps, concurrent;
	uint32_t issue_limit;
	int sweep;	       /* enum sweep */
	struct model_list use; /* OP=OTHER */
};

/* What all of a kernel's runs have in common. */
struct kernel {
	const struct options *o;
	const struct lane_device *device;
	const struct lane_device_section *unit;
	const struct lane_graph *graph;
	uint32_t groups, group_warps, issue_limit;
	uint32_t most_warps;  /* of a compute unit */
	uint32_t most_groups; /* of these, at a time */
};

static const struct model_option options[] = {
	MODEL_OPTION(NULL, 0, model_word, graph, "graph", NULL),
	MODEL_OPTION("chain", 'c', model_word, chain, "OP",
		     "instead of a graph: dependent instructions of one kind"),
	MODEL_WHOLE("length", 0, length, "N", "how many of them (default 1000)", 1,
		    LANE_GRAPH_NODES),
	MODEL_WHOLE("groups", 'n', groups, "N", "work-groups of the kernel", 1, 1u << 30),
	MODEL_WHOLE("group-warps", 'w', group_warps, "N", "warps of a group", 1,
		    LANE_PIPELINE_WARPS),
	MODEL_WHOLE("concurrent", 'm', concurrent, "N",
		    "groups at a time on a compute unit (default: as many as fit)", 1,
		    LANE_PIPELINE_WARPS),
	MODEL_WHOLE("issue-limit", 0, issue_limit, "N",
		    "instructions a cycle over all pipelines, 0: no limit", 0, 1024),
	MODEL_OPTION("use", 0, model_words, use, "OP=OTHER",
		     "take OTHER's latencies for the graph's OP"),
	MODEL_CHOICE("sweep", 0, sweep, "WHAT",
		     "a row per occupancy: `groups' at a time, or `warps' of one group", SWEEPS,
		     sweeps),
	MODEL_OPTIONS,
	{ 0 },
};

/* OP=OTHER: gives another name to a kind of instruction of the graph. */
static struct lane_error *apply_use(struct lane_graph *graph, const char *change)
{
	size_t length = strcspn(change, "=");
	const char *other = change + length + (change[length] != 0);
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

static double in_cycles(int64_t micro)
{
	return (double)micro / (double)LANE_MICRO;
}

static uint32_t first_given(uint32_t a, uint32_t b, uint32_t c)
{
	return a ? a : b ? b : c;
}

/* Fails when a group, or so many at a time, do not fit the compute unit. */
static struct lane_error *begin(struct kernel *k)
{
	const struct options *o = k->o;
	struct lane_error *err = model_device_need(k->device, "device", "", &k->unit);

	if (err)
		return err;
	/* Where it is not told: those of a group are sure. */
	k->most_warps = first_given(model_section_whole(k->unit, "max_warps"),
				    model_section_whole(k->unit, "max_group_warps"), 0);
	if (!k->most_warps)
		return lane_error("%s: [device] lacks `max_warps'", k->device->what);
	k->groups = first_given(o->groups, k->graph->groups, 1);
	k->group_warps = first_given(o->group_warps, k->graph->group_warps, 1);
	k->issue_limit = o->issue_limit == OF_DEVICE ? model_section_whole(k->unit, "issue_limit")
						     : o->issue_limit;
	if (k->group_warps > k->most_warps)
		return lane_error("a group of %u warps does not fit the compute unit's %u",
				  k->group_warps, k->most_warps);
	k->most_groups =
		first_given(model_section_whole(k->unit, "max_groups"), LANE_SURE_GROUPS, 0);
	if (k->most_groups > k->most_warps / k->group_warps)
		k->most_groups = k->most_warps / k->group_warps;
	if (o->concurrent > k->most_groups)
		return lane_error(
			"%u groups at a time do not fit: the compute unit takes %u of %u warps",
			o->concurrent, k->most_groups, k->group_warps);
	return NULL;
}

/* The pipeline that was busiest, or `latency' when none was busy nine tenths of the time. */
static const char *bound_of(const struct lane_pipeline_run *run)
{
	uint32_t busiest = 0;

	for (uint32_t i = 1; i < run->n_pipes; i++)
		if (run->pipes[i].busy > run->pipes[busiest].busy)
			busiest = i;
	if (run->pipes[busiest].busy < run->cycles / 10 * 9)
		return "latency";
	return run->pipes[busiest].name;
}

static void put_run(json_object *object, const struct kernel *k, const struct lane_launch *launch,
		    const struct lane_binding *binding, const struct lane_pipeline_run *run)
{
	double mhz = model_section_real(k->unit, "clock_mhz");
	double cycles = in_cycles(run->cycles);

	model_put_whole(object, "groups_per_unit", launch->groups);
	model_put_whole(object, "concurrent", launch->concurrent);
	model_put_whole(object, "warps", launch->concurrent * launch->group_warps);
	model_put_whole(object, "instructions", (int64_t)run->instructions);
	model_put_real(object, "cycles", cycles, 6);
	if (k->o->chain && launch->groups <= launch->concurrent)
		model_put_real(
			object, "law_cycles",
			in_cycles(model_pipeline_law((uint64_t)launch->groups * launch->group_warps,
						     k->graph->n_nodes, binding->issue[0],
						     binding->completion[0])),
			6);
	model_put_real(object, "time_ms", cycles / mhz / 1000, 6);
	if (k->graph->work > 0 && run->cycles > 0)
		model_put_real(object, "work_per_ns",
			       k->graph->work * k->groups / (cycles / mhz * 1000), 3);
	model_put_text(object, "bound_by", bound_of(run));
	for (uint32_t i = 0; i < run->n_pipes; i++) {
		char key[LANE_NAME_BYTES + 8];

		snprintf(key, sizeof(key), "%s_busy", run->pipes[i].name);
		model_put_real(object, key,
			       run->cycles ? (double)run->pipes[i].busy / (double)run->cycles : 0,
			       4);
	}
	if (k->issue_limit)
		model_put_whole(object, "put_off_by_limit", (int64_t)run->limited);
}

/* One occupancy. */
static struct lane_error *simulate(const struct kernel *k, uint32_t groups, uint32_t group_warps,
				   uint32_t concurrent, json_object *object,
				   struct lane_pipeline_run *run)
{
	uint32_t units = model_section_whole(k->unit, "units");
	struct lane_launch launch = { .groups = (groups + units - 1) / units,
				      .group_warps = group_warps,
				      .concurrent = concurrent,
				      .issue_limit = k->issue_limit };
	struct lane_binding binding;
	struct lane_error *err =
		model_binding_make(k->device, k->graph, concurrent * group_warps, &binding, NULL);

	if (!err)
		err = model_pipeline_run(k->graph, &binding, &launch, run);
	if (!err)
		put_run(object, k, &launch, &binding, run);
	return err;
}

/* As it is started, and each pipeline's part. */
static struct lane_error *put_once(const struct kernel *k, json_object *result)
{
	struct lane_pipeline_run run;
	struct lane_error *err =
		simulate(k, k->groups, k->group_warps,
			 first_given(k->o->concurrent, k->most_groups, 0), result, &run);

	for (uint32_t i = 0; !err && i < run.n_pipes; i++) {
		json_object *row = model_row(result);

		model_put_text(row, "pipe", run.pipes[i].name);
		model_put_whole(row, "instructions", (int64_t)run.pipes[i].issued);
		model_put_real(row, "busy_cycles", in_cycles(run.pipes[i].busy), 6);
	}
	return err;
}

/*
 * A row for each number of groups at a time; or for one group a compute unit of more and more
 * warps, the micro-benchmarks' way.
 */
static struct lane_error *put_sweep(const struct kernel *k, json_object *result)
{
	int by_warps = k->o->sweep == SWEEP_WARPS;
	struct lane_pipeline_run run;
	struct lane_error *err = NULL;

	for (uint32_t i = 1; !err && i <= (by_warps ? k->most_warps : k->most_groups); i++)
		err = by_warps ? simulate(k, 1, i, 1, model_row(result), &run)
			       : simulate(k, k->groups, k->group_warps, i, model_row(result), &run);
	return err;
}

static struct lane_error *verb_pipeline_run(void *options_read, struct lane_device *device,
					    json_object *result)
{
	const struct options *o = options_read;
	LANE_CLEANUP(model_graph_drop) struct lane_graph *graph = NULL;
	struct kernel kernel = { .o = o, .device = device };
	struct lane_error *err = load_graph(o, &graph);

	for (uint32_t i = 0; !err && i < o->use.n; i++)
		err = apply_use(graph, o->use.word[i]);
	kernel.graph = graph;
	if (!err)
		err = begin(&kernel);
	if (err)
		return err;
	model_put_text(result, "graph", o->chain ? o->chain : o->graph);
	if (graph->title)
		model_put_text(result, "title", graph->title);
	if (graph->unit[0])
		model_put_text(result, "work", graph->unit);
	model_put_whole(result, "graph_instructions", graph->n_nodes);
	return o->sweep == SWEEPS ? put_once(&kernel, result) : put_sweep(&kernel, result);
}

struct lane_error *model_pipeline(int argc, char **argv)
{
	struct options o = { .length = 1000, .issue_limit = OF_DEVICE, .sweep = SWEEPS };
	int done;
	struct lane_error *err = model_parse(
		options, "[GRAPH]",
		"The time of a kernel whose instruction dependence graph and latencies are known.",
		argc, argv, &o, &done);

	if (err || done)
		return err;
	return model_run(&o.common, "pipeline", "fermi-c2050", verb_pipeline_run, &o);
}
