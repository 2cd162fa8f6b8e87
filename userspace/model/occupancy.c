// SPDX-License-Identifier: MIT
// A kernel's graph on a device at one occupancy after the other.
#include "model/occupancy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "model/number.h"

static double in_cycles(int64_t micro)
{
	return (double)micro / (double)LANE_MICRO;
}

static uint32_t first_given(uint32_t a, uint32_t b, uint32_t c)
{
	return a ? a : b ? b : c;
}

/* Where it is not told: those of a group are sure. */
static uint32_t occupancy_most_warps(const struct lane_device_section *unit)
{
	return first_given(model_section_whole(unit, "max_warps"),
			   model_section_whole(unit, "max_group_warps"), 0);
}

struct lane_error *model_runs_init(struct lane_runs *runs, const struct lane_device *device,
				   const struct lane_graph *graph, const struct lane_start *start)
{
	struct lane_start *s = &runs->start;
	struct lane_error *err;
	uint32_t max_warps;

	*runs = (struct lane_runs){ .device = device, .graph = graph, .start = *start };
	err = model_device_need(device, "device", "", &runs->unit);
	if (err)
		return err;
	max_warps = occupancy_most_warps(runs->unit);
	if (!max_warps)
		return lane_error("%s: [device] lacks `max_warps'", device->what);
	runs->most =
		first_given(model_section_whole(runs->unit, "max_groups"), LANE_SURE_GROUPS, 0);
	s->groups = first_given(start->groups, graph->groups, 1);
	s->group_warps = first_given(start->group_warps, graph->group_warps, 1);
	if (start->issue_limit == LANE_ISSUE_LIMIT_OF_DEVICE)
		s->issue_limit = model_section_whole(runs->unit, "issue_limit");
	if (s->group_warps > max_warps)
		return lane_error("a group of %u warps does not fit the compute unit's %u",
				  s->group_warps, max_warps);
	if (runs->most > max_warps / s->group_warps)
		runs->most = max_warps / s->group_warps;
	if (start->concurrent > runs->most)
		return lane_error(
			"%u groups at a time do not fit: the compute unit takes %u of %u warps",
			start->concurrent, runs->most, s->group_warps);
	s->concurrent = first_given(start->concurrent, runs->most, runs->most);
	return NULL;
}

/* The pipeline that was busiest, or `latency' when none was busy nine tenths of the time. */
static const char *occupancy_bound(const struct lane_pipeline_run *run)
{
	uint32_t busiest = 0;

	for (uint32_t i = 1; i < run->n_pipes; i++)
		if (run->pipes[i].busy > run->pipes[busiest].busy)
			busiest = i;
	if (run->pipes[busiest].busy < run->cycles / 10 * 9)
		return "latency";
	return run->pipes[busiest].name;
}

/* Simulates one occupancy. */
static struct lane_error *occupancy_simulate(const struct lane_runs *runs, uint32_t groups,
					     uint32_t group_warps, uint32_t concurrent,
					     struct lane_occupancy *row)
{
	uint32_t units = model_section_whole(runs->unit, "units");
	double mhz = model_section_real(runs->unit, "clock_mhz");
	struct lane_launch launch = { .groups = (groups + units - 1) / units,
				      .group_warps = group_warps,
				      .concurrent = concurrent,
				      .issue_limit = runs->start.issue_limit };
	struct lane_binding binding;
	struct lane_error *err = model_binding_make(runs->device, runs->graph,
						    concurrent * group_warps, &binding, NULL);

	if (!err)
		err = model_pipeline_run(runs->graph, &binding, &launch, &row->run);
	if (err)
		return err;
	row->groups_per_unit = launch.groups;
	row->concurrent = concurrent;
	row->warps = concurrent * group_warps;
	row->cycles = in_cycles(row->run.cycles);
	row->law_cycles = -1;
	if (model_graph_is_chain(runs->graph) && launch.groups <= concurrent)
		row->law_cycles = in_cycles(model_pipeline_law(
			(uint64_t)launch.groups * group_warps, runs->graph->n_nodes,
			binding.issue[0], binding.completion[0]));
	row->time_ms = row->cycles / mhz / 1000;
	row->work_per_ns = -1;
	if (runs->graph->work > 0 && row->run.cycles > 0)
		row->work_per_ns = runs->graph->work * groups / (row->cycles / mhz * 1000);
	snprintf(row->bound_by, sizeof(row->bound_by), "%s", occupancy_bound(&row->run));
	return NULL;
}

struct lane_error *model_runs_once(const struct lane_runs *runs, struct lane_occupancy *row)
{
	const struct lane_start *s = &runs->start;

	return occupancy_simulate(runs, s->groups, s->group_warps, s->concurrent, row);
}

/* Room for n rows, each to be simulated. */
static struct lane_error *make_rows(uint32_t n, struct lane_occupancy **rows, uint32_t *n_rows)
{
	*n_rows = n;
	*rows = calloc(n ? n : 1, sizeof(**rows));
	return *rows ? NULL : &lane_enomem;
}

struct lane_error *model_runs_by_groups(const struct lane_runs *runs, struct lane_occupancy **rows,
					uint32_t *n)
{
	const struct lane_start *s = &runs->start;
	struct lane_error *err = make_rows(runs->most, rows, n);

	for (uint32_t m = 1; !err && m <= runs->most; m++)
		err = occupancy_simulate(runs, s->groups, s->group_warps, m, &(*rows)[m - 1]);
	return err;
}

struct lane_error *model_runs_by_warps(const struct lane_runs *runs, struct lane_occupancy **rows,
				       uint32_t *n)
{
	uint32_t most = occupancy_most_warps(runs->unit);
	struct lane_error *err = make_rows(most, rows, n);

	for (uint32_t warps = 1; !err && warps <= most; warps++)
		err = occupancy_simulate(runs, 1, warps, 1, &(*rows)[warps - 1]);
	return err;
}
