// SPDX-License-Identifier: MIT
// A kernel's time in parts: the pipeline model, run with less and less in the graph.
#include "model/predict.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/graph.h"
#include "model/number.h"
#include "model/pipeline.h"

#define FULL 4 /* times that a unit is filled in a simulation; beyond that, time is linear */

const char *const lane_part_names[LANE_PART_COUNT] = {
#define P(id, name, help) [LANE_PART_##id] = name,
	LANE_PARTS(P)
#undef P
};

const char *const lane_part_helps[LANE_PART_COUNT] = {
#define P(id, name, help) [LANE_PART_##id] = help,
	LANE_PARTS(P)
#undef P
};

struct work {
	const struct lane_graph *graph;
	struct lane_binding binding;
	struct lane_launch launch;
};

/* Sets an op's latencies where the graph has it. */
static void set_op(struct work *w, const char *op, double cycles)
{
	int64_t micro = (int64_t)(cycles * (double)LANE_MICRO);

	for (uint32_t i = 0; i < w->graph->n_ops; i++)
		if (!strcmp(w->graph->op[i], op))
			w->binding.issue[i] = w->binding.completion[i] = micro;
}

static struct lane_error *cycles_of(struct work *w, uint32_t groups, double *cycles)
{
	struct lane_launch launch = w->launch;
	struct lane_pipeline_run run;
	struct lane_error *err;

	launch.groups = groups;
	err = lane_pipeline_run(w->graph, &w->binding, &launch, &run);
	if (!err)
		*cycles = (double)run.cycles / (double)LANE_MICRO;
	return err;
}

/* A compute unit's cycles; many groups are extrapolated from how long more of them take. */
static struct lane_error *simulate(struct work *w, double *cycles)
{
	uint32_t most = FULL * w->launch.concurrent;
	double half = 0;
	struct lane_error *err;

	if (w->launch.groups <= most)
		return cycles_of(w, w->launch.groups, cycles);
	err = cycles_of(w, most, cycles);
	if (!err)
		err = cycles_of(w, most / 2, &half);
	if (!err)
		*cycles += (*cycles - half) / (most - most / 2) * (w->launch.groups - most);
	return err;
}

/* Sums over the kernel's atomics on local memory. */
static void add_up(const struct lane_pattern_kernel *kernel, struct lane_pattern_line *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &kernel->line[i];

		if (line->access != LANE_ACCESS_ATOMIC || !line->local)
			continue;
		sum->warps += line->warps;
		sum->cycles += line->cycles;
		sum->base_cycles += line->base_cycles;
		sum->position_cycles += line->position_cycles;
		sum->bank_cycles += line->bank_cycles;
		sum->lock_cycles += line->lock_cycles;
	}
}

/* Runs without more and more of the graph; what each run saves is a part. */
static struct lane_error *divide(struct work *w, const struct lane_pattern_line *atomics,
				 struct lane_prediction *p)
{
	double warps = atomics->warps ? (double)atomics->warps : 1;
	double with = 0, without_conflicts = 0, without_atomics = 0, compute = 0;
	double conflicts = atomics->position_cycles + atomics->bank_cycles + atomics->lock_cycles;
	struct lane_error *err;

	set_op(w, "local_atomic", atomics->cycles / warps);
	err = simulate(w, &with);
	set_op(w, "local_atomic", atomics->base_cycles / warps);
	if (!err)
		err = simulate(w, &without_conflicts);
	set_op(w, "local_atomic", 0);
	if (!err)
		err = simulate(w, &without_atomics);
	set_op(w, "memory", 0);
	set_op(w, "global_atomic", 0);
	set_op(w, "constant", 0);
	set_op(w, "local", 0);
	if (!err)
		err = simulate(w, &compute);
	if (err)
		return err;
	p->total = with;
	p->cycles[LANE_PART_COMPUTE] = compute;
	p->cycles[LANE_PART_MEMORY] = without_atomics - compute;
	p->cycles[LANE_PART_ATOMICS] = without_conflicts - without_atomics;
	if (conflicts > 0) {
		double share = (with - without_conflicts) / conflicts;

		p->cycles[LANE_PART_POSITION] = share * atomics->position_cycles;
		p->cycles[LANE_PART_BANK] = share * atomics->bank_cycles;
		p->cycles[LANE_PART_LOCK] = share * atomics->lock_cycles;
	}
	return NULL;
}

/* As many groups at a time as warps and groups of a unit allow. */
static struct lane_error *prepare(const struct lane_section *unit, uint32_t group_warps,
				  uint64_t groups, struct lane_launch *launch)
{
	uint32_t max_warps = lane_section_whole(unit, "max_warps");
	uint32_t units = lane_section_whole(unit, "units");
	uint64_t per_unit = (groups + units - 1) / units;

	if (!group_warps || group_warps > max_warps)
		return lane_error("a group of %u warps does not fit the device's %u", group_warps,
				  max_warps);
	launch->group_warps = group_warps;
	launch->groups = per_unit > UINT32_MAX ? UINT32_MAX : (uint32_t)per_unit;
	launch->concurrent = lane_section_whole(unit, "max_groups");
	if (launch->concurrent > max_warps / group_warps)
		launch->concurrent = max_warps / group_warps;
	launch->issue_limit = lane_section_whole(unit, "issue_limit");
	return NULL;
}

struct lane_error *lane_predict(const struct lane_pattern_kernel *kernel,
				const struct lane_device *device, uint64_t groups,
				struct lane_prediction *p)
{
	LANE_CLEANUP(lane_free) char *text = kernel->graph ? strdup(kernel->graph) : NULL;
	LANE_CLEANUP(lane_graph_drop) struct lane_graph *graph = NULL;
	struct lane_pattern_line atomics;
	const struct lane_section *unit;
	struct work work = { 0 };
	uint32_t warps;
	struct lane_error *err = lane_device_need(device, "device", "", &unit);

	memset(p, 0, sizeof(*p));
	if (err)
		return err;
	if (!kernel->graph)
		return lane_error("%s: the pattern file has no graph of it", kernel->name);
	if (!text)
		return &lane_enomem;
	err = lane_graph_parse(text, kernel->name, &graph);
	if (!err)
		err = prepare(unit, kernel->group_warps, groups ? groups : 1, &work.launch);
	if (err)
		return err;
	warps = work.launch.concurrent < work.launch.groups ? work.launch.concurrent
							    : work.launch.groups;
	work.graph = graph;
	err = lane_binding_make(device, graph, warps * work.launch.group_warps, &work.binding);
	if (err)
		return err;
	add_up(kernel, &atomics);
	err = divide(&work, &atomics, p);
	p->ns = p->total * 1000 / lane_section_real(unit, "clock_mhz");
	p->groups_per_unit = work.launch.groups;
	p->concurrent = work.launch.concurrent;
	return err;
}
