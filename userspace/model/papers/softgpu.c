// SPDX-License-Identifier: MIT
// A soft GPGPU: which blocks run where and when, how long their warps take, and the paper's five
// benchmarks.
#include "model/papers/softgpu.h"

#include <math.h>
#include <string.h>

#define REGISTERS 10  /* of a thread */
#define BLOCK	  32  /* threads of a block of `reduction': one warp */
#define SMALL	  8   /* of `autocorr' and `bitonic': with them table 3 comes out in its order */
#define TILE	  256 /* threads of a block of the two-dimensional ones: 16 x 16 */

struct lane_error *model_soft_begin(struct lane_soft *s, const struct lane_device *device,
				    struct lane_soft_machine machine, struct lane_soft_fit fit)
{
	const struct lane_device_section *unit = NULL;
	struct lane_error *err;

	*s = (struct lane_soft){ .machine = machine, .fit = fit };
	err = model_device_need(device, "softgpu", "", &s->limits);
	if (!err)
		err = model_device_need(device, "device", "", &unit);
	if (err)
		return err;
	s->warp = model_section_whole(unit, "warp");
	s->stages = model_section_whole(s->limits, "stages");
	if (!machine.sm || machine.sm > LANE_SOFT_SMS || !machine.sp || s->warp % machine.sp)
		return lane_error("%u SM with %u SP: SM must lie between 1 and %d, and SP divide "
				  "the warp's %u lanes",
				  machine.sm, machine.sp, LANE_SOFT_SMS, s->warp);
	s->rows = s->warp / machine.sp;
	return NULL;
}

/* How many blocks of this shape an SM holds; 0 when none fits. */
static uint32_t blocks_per_sm(const struct lane_soft *s, const struct lane_soft_shape *shape)
{
	const struct {
		const char *key;
		uint64_t each;
	} limits[] = {
		{ "max_blocks", 1 },
		{ "max_threads", shape->threads },
		{ "max_warps", s->warps },
		{ "registers", (uint64_t)shape->registers * shape->threads },
		{ "shared_bytes", shape->shared_bytes },
	};
	uint64_t most = UINT32_MAX;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t fit = limits[i].each ? model_section_whole(s->limits, limits[i].key) /
							limits[i].each
					      : most;

		most = fit < most ? fit : most;
	}
	return (uint32_t)most;
}

/* The batch takes as long as its busiest SM; then all are empty again. */
static void end_batch(struct lane_soft *s)
{
	double slowest = 0;

	for (uint32_t i = 0; i < s->machine.sm; i++)
		slowest = fmax(slowest, fmax(s->load[i].busy, s->load[i].longest));
	memset(s->load, 0, sizeof(s->load));
	s->cycles += slowest;
	s->placed = 0;
}

void model_soft_launch(struct lane_soft *s, struct lane_soft_shape shape)
{
	end_batch(s);
	s->warps = (shape.threads + s->warp - 1) / s->warp;
	s->per_sm = blocks_per_sm(s, &shape);
	s->is_too_large |= !s->per_sm;
	if (!s->blocks_per_sm)
		s->blocks_per_sm = s->per_sm;
}

/*
 * The block scheduler hands blocks to the SMs in turn until all are full, and goes on when all of
 * them have completed (the paper's section 4.3).
 */
void model_soft_blocks(struct lane_soft *s, uint32_t blocks, double instructions, double memory)
{
	double cost = instructions * s->rows * s->fit.instruction + memory * s->fit.memory;
	double alone = cost + instructions * (s->stages - 1);

	for (uint32_t i = 0; i < blocks && s->per_sm; i++) {
		uint32_t at = s->placed++ % s->machine.sm;

		s->load[at].busy += cost * s->warps;
		s->load[at].longest = fmax(s->load[at].longest, alone);
		if (s->placed == s->per_sm * s->machine.sm)
			end_batch(s);
	}
}

struct lane_error *model_soft_end(struct lane_soft *s)
{
	end_batch(s);
	return s->is_too_large ? lane_error("a block does not fit the SM's warps, threads, "
					    "registers or shared memory")
			       : NULL;
}

/*
 * Instruction counts below are those of the plain CUDA kernels: what stands before the loop, in it
 * and behind it, one per source-level operation, loop control counted as add, compare and branch.
 * On a scalar processor they are every thread's own.
 */

/* Thread k sums x[i] * x[i + k] over i < n - k; a warp goes on until its longest lane, its first,
 * ends. */
static void autocorr(struct lane_soft *s, uint32_t n)
{
	model_soft_launch(s, (struct lane_soft_shape){ SMALL, REGISTERS, 0 });
	/* Round: 2 loads, multiply-add, 2 address additions, add, compare, branch. */
	for (uint32_t rounds = n; rounds; rounds -= SMALL)
		model_soft_blocks(s, 1, 10 + 8.0 * rounds, 1 + 2.0 * rounds);
}

static double autocorr_scalar(double n)
{
	return 10 * n + 8 * n * (n + 1) / 2;
}

/* One launch per (k, j); where the partner i ^ j is above i, compare and swap. */
static void bitonic(struct lane_soft *s, uint32_t n)
{
	for (uint32_t k = 2; k <= n; k *= 2)
		for (uint32_t j = k / 2; j > 0; j /= 2) {
			model_soft_launch(s, (struct lane_soft_shape){ SMALL, REGISTERS, 0 });
			for (uint32_t first = 0; first < n; first += SMALL) {
				/* From j = 8 on, all threads of a block are on the same side. */
				int idle = j >= SMALL && (first & j);

				/* 2 loads, compare, 2 branches, 2 stores behind 8 of index work. */
				model_soft_blocks(s, 1, idle ? 8 : 16, idle ? 0 : 4);
			}
		}
}

static double bitonic_scalar(double n)
{
	return log2(n) * (log2(n) + 1) / 2 * n / 2 * (16 + 8);
}

/* Row times column from global memory, a thread per element; a round is autocorr's. */
static void matmul(struct lane_soft *s, uint32_t n)
{
	model_soft_launch(s, (struct lane_soft_shape){ TILE, REGISTERS, 0 });
	model_soft_blocks(s, n * n / TILE, 14 + 8.0 * n, 1 + 2.0 * n);
}

static double matmul_scalar(double n)
{
	return n * n * (14 + 8 * n);
}

/* A block sums BLOCK values in shared memory; further launches sum up the blocks' results. */
static void reduction(struct lane_soft *s, uint32_t n)
{
	while (n > 1) {
		n = (n + BLOCK - 1) / BLOCK;
		model_soft_launch(s, (struct lane_soft_shape){ BLOCK, REGISTERS, BLOCK * 4 });
		/* 5 halvings of 2 loads, add, store, compare, branch, barrier, shift */
		model_soft_blocks(s, n, 12 + 5 * 8, 3 + 5 * 3);
	}
}

static double reduction_scalar(double n)
{
	return (n - 1) * 8;
}

static void transpose(struct lane_soft *s, uint32_t n)
{
	model_soft_launch(s, (struct lane_soft_shape){ TILE, REGISTERS, 0 });
	model_soft_blocks(s, n * n / TILE, 14, 2);
}

static double transpose_scalar(double n)
{
	return n * n * 14;
}

struct lane_error *model_soft_find(const char *name, uint32_t size,
				   const struct lane_soft_benchmark **benchmark)
{
	static const struct lane_soft_benchmark benchmarks[] = {
		{ "autocorr", 4096, autocorr, autocorr_scalar },
		{ "bitonic", 4096, bitonic, bitonic_scalar },
		{ "matmul", 1024, matmul, matmul_scalar },
		{ "reduction", 4096, reduction, reduction_scalar },
		{ "transpose", 1024, transpose, transpose_scalar },
	};

	for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++) {
		*benchmark = &benchmarks[i];
		if (strcmp(name, (*benchmark)->name) != 0)
			continue;
		if (size < 32 || size > (*benchmark)->most || (size & (size - 1)))
			return lane_error("%s: size %u is not a power of two from 32 to %u", name,
					  size, (*benchmark)->most);
		return NULL;
	}
	return lane_error("%s: no such benchmark (autocorr, bitonic, matmul, reduction, transpose)",
			  name);
}
