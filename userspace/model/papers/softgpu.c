// SPDX-License-Identifier: MIT
// A soft GPGPU: which blocks run where and when, and how long their warps take.
#include "model/papers/softgpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void model_soft_free(struct lane_soft_kernel *kernel)
{
	if (!kernel)
		return;
	free(kernel->run);
	free(kernel->launch);
	free(kernel);
}

void model_soft_drop(struct lane_soft_kernel **kernel)
{
	model_soft_free(*kernel);
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static uint32_t softgpu_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many blocks of this shape an SM holds; 0 when none fits. */
static uint32_t blocks_per_sm(const struct lane_device_section *limits,
			      const struct lane_soft_kernel *kernel, uint32_t threads,
			      uint32_t warp)
{
	uint32_t most = model_section_whole(limits, "max_blocks");

	most = softgpu_least(most, model_section_whole(limits, "max_threads") / threads);
	most = softgpu_least(most,
			     model_section_whole(limits, "max_warps") / ceil_div(threads, warp));
	if (kernel->registers)
		most = softgpu_least(most,
				     model_section_whole(limits, "registers") /
					     ((uint64_t)kernel->registers * threads > UINT32_MAX
						      ? UINT32_MAX
						      : kernel->registers * threads));
	if (kernel->shared_bytes)
		most = softgpu_least(most, model_section_whole(limits, "shared_bytes") /
						   kernel->shared_bytes);
	return most;
}

/* What the blocks on one SM have cost since the batch began. */
struct load {
	double busy;	/* the pipeline's time */
	double longest; /* of one warp, which waits for each of its instructions to leave the
			   pipeline */
};

struct grid {
	const struct lane_soft_kernel *kernel;
	const struct lane_soft_fit *fit;
	uint32_t warp;
	uint32_t rows;
	uint32_t stages;
	uint32_t sm;
	struct load *load; /* per SM */
};

static void add_block(struct grid *g, struct load *load, const struct lane_soft_run *run)
{
	double cost =
		run->instructions * g->rows * g->fit->instruction + run->memory * g->fit->memory;
	double alone = cost + run->instructions * (g->stages - 1);

	load->busy += cost * ceil_div(run->threads, g->warp);
	if (alone > load->longest)
		load->longest = alone;
}

/* The batch takes as long as its busiest SM; then all are empty again. */
static double end_batch(struct grid *g)
{
	double slowest = 0;

	for (uint32_t i = 0; i < g->sm; i++) {
		double time =
			g->load[i].busy > g->load[i].longest ? g->load[i].busy : g->load[i].longest;

		if (time > slowest)
			slowest = time;
		g->load[i] = (struct load){ 0 };
	}
	return slowest;
}

/*
 * One launch: the block scheduler hands blocks to the SMs in turn until all are full, and goes on
 * when all of them have completed (the paper's section 4.3).
 */
static double run_launch(struct grid *g, const struct lane_soft_launch *launch, uint32_t per_sm)
{
	double cycles = 0;
	uint64_t placed = 0;

	for (uint32_t r = launch->first_run; r < launch->first_run + launch->n_runs; r++) {
		for (uint32_t b = 0; b < g->kernel->run[r].blocks; b++) {
			add_block(g, &g->load[placed % g->sm], &g->kernel->run[r]);
			if (++placed == (uint64_t)per_sm * g->sm) {
				cycles += end_batch(g);
				placed = 0;
			}
		}
	}
	return cycles + end_batch(g);
}

/* The fewest blocks that an SM holds of any shape in the launch; 0 when a block does not fit. */
static uint32_t launch_limit(const struct lane_device_section *limits,
			     const struct lane_soft_kernel *kernel,
			     const struct lane_soft_launch *launch, uint32_t warp)
{
	uint32_t most = UINT32_MAX;

	for (uint32_t r = launch->first_run; r < launch->first_run + launch->n_runs; r++)
		most = softgpu_least(most,
				     blocks_per_sm(limits, kernel, kernel->run[r].threads, warp));
	return most;
}

static void softgpu_count(const struct lane_soft_kernel *kernel, uint32_t warp,
			  struct lane_soft_result *result)
{
	for (uint32_t l = 0; l < kernel->n_launches; l++) {
		const struct lane_soft_launch *launch = &kernel->launch[l];

		for (uint32_t r = launch->first_run; r < launch->first_run + launch->n_runs; r++) {
			const struct lane_soft_run *run = &kernel->run[r];
			uint64_t warps = (uint64_t)run->blocks * ceil_div(run->threads, warp);

			result->blocks += run->blocks;
			result->warps += warps;
			result->instructions += (double)warps * run->instructions;
			result->memory += (double)warps * run->memory;
		}
	}
}

static struct lane_error *time_launches(struct grid *g, const struct lane_device_section *limits,
					struct lane_soft_result *result)
{
	for (uint32_t l = 0; l < g->kernel->n_launches; l++) {
		uint32_t per_sm = launch_limit(limits, g->kernel, &g->kernel->launch[l], g->warp);

		if (!per_sm)
			return lane_error(
				"%s: a block does not fit the SM's warps, threads, registers or "
				"shared memory",
				g->kernel->name);
		if (!l)
			result->blocks_per_sm = per_sm;
		result->cycles += run_launch(g, &g->kernel->launch[l], per_sm);
	}
	return NULL;
}

struct lane_error *model_soft_time(const struct lane_device *device,
				   const struct lane_soft_kernel *kernel,
				   const struct lane_soft_fit *fit,
				   const struct lane_soft_machine *machine,
				   struct lane_soft_result *result)
{
	const struct lane_device_section *limits = NULL;
	const struct lane_device_section *unit = NULL;
	struct lane_error *err = model_device_need(device, "softgpu", "", &limits);
	LANE_CLEANUP(lane_free) struct load *load = NULL;
	struct grid g;

	if (!err)
		err = model_device_need(device, "device", "", &unit);
	if (err)
		return err;
	g = (struct grid){ .kernel = kernel,
			   .fit = fit,
			   .warp = model_section_whole(unit, "warp"),
			   .stages = model_section_whole(limits, "stages"),
			   .sm = machine->sm };
	if (!machine->sm || machine->sm > 256 || !machine->sp || g.warp % machine->sp)
		return lane_error(
			"%u SM with %u SP: SM must lie between 1 and 256, and SP divide the "
			"warp's %u lanes",
			machine->sm, machine->sp, g.warp);
	if (kernel->stack > model_section_whole(limits, "stack_depth"))
		return lane_error("%s: its branches need a warp stack of %u, the device has %u",
				  kernel->name, kernel->stack,
				  model_section_whole(limits, "stack_depth"));
	load = calloc(machine->sm, sizeof(*load));
	if (!load)
		return &lane_enomem;
	g.load = load;
	g.rows = g.warp / machine->sp;
	*result = (struct lane_soft_result){ .rows = g.rows };
	softgpu_count(kernel, g.warp, result);
	return time_launches(&g, limits, result);
}

struct lane_error *model_soft_fit(const struct lane_soft_kernel *kernel, uint32_t warp,
				  uint32_t rows_a, double cycles_a, uint32_t rows_b,
				  double cycles_b, struct lane_soft_fit *fit)
{
	struct lane_soft_result sums = { 0 };
	double rows = (double)rows_a - rows_b;

	softgpu_count(kernel, warp, &sums);
	if (rows_a == rows_b || !(sums.instructions > 0) || !(sums.memory > 0))
		return lane_error(
			"%s: two numbers of rows, instructions and memory accesses are needed "
			"for a fit",
			kernel->name);
	fit->instruction = (cycles_a - cycles_b) / rows / sums.instructions;
	fit->memory = (cycles_b - rows_b * fit->instruction * sums.instructions) / sums.memory;
	if (fit->instruction < 0 || fit->memory < 0)
		return lane_error("%s: no positive fit for these times (is the order right?)",
				  kernel->name);
	return NULL;
}
