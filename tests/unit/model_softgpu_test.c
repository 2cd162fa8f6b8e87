// SPDX-License-Identifier: MIT
// The soft GPGPU: blocks over SMs, limits, the fit.
#include <math.h>
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "model/papers/papers.h"
#include "model/papers/softgpu.h"

static const char soft[] = "name soft\nsource test\n"
			   "[device]\nunits 1\nclock_mhz 100\nwarp 32\n"
			   "[softgpu]\nmax_warps 24\nmax_threads 768\nmax_blocks 8\n"
			   "registers 8192\nshared_bytes 16384\nstack_depth 32\nstages 5\n";

static struct lane_device *papers_device(const char *text)
{
	model_papers_begin();
	return device(text);
}

/* What a kernel of one launch takes; -1 where it does not run. */
static double cycles(struct lane_soft_kernel *k, uint32_t sm, uint32_t sp,
		     struct lane_soft_result *result)
{
	struct lane_soft_launch launch = { .n_runs = k->n_runs };
	struct lane_device *d = papers_device(soft);
	struct lane_soft_fit fit = { 2, 10 };
	struct lane_soft_machine machine = { sm, sp };
	struct lane_error *err;

	k->launch = &launch;
	k->n_launches = 1;
	err = model_soft_time(d, k, &fit, &machine, result);
	model_device_free(d);
	if (!err)
		return result->cycles;
	lane_error_free(err);
	return -1;
}

/* Of equal blocks. */
static double of(uint32_t blocks, uint32_t threads, double instructions, double memory, uint32_t sm,
		 uint32_t sp)
{
	struct lane_soft_run run = { blocks, threads, instructions, memory };
	struct lane_soft_result r;

	return cycles(&(struct lane_soft_kernel){ .run = &run, .n_runs = 1 }, sm, sp, &r);
}

TEST(test_rows_and_blocks)
{
	struct lane_soft_run uneven[] = { { 1, 512, 1000, 0 }, { 3, 512, 10, 0 } };
	struct lane_soft_result r;

	/* One warp: 100 instructions of 2 cycles a row, 10 accesses of 10, and 4 stages to leave.
	 */
	assert_true(of(1, 32, 100, 10, 1, 32) == 200 + 100 + 400);
	assert_true(of(1, 32, 100, 10, 1, 8) == 800 + 100 + 400);
	/* Four warps fill the pipeline; a warp that is not full costs the same. */
	assert_true(of(4, 32, 100, 10, 1, 16) == 4 * 500);
	assert_true(of(2, 33, 100, 10, 1, 16) == 4 * 500);
	/* Two SMs halve an even number of equal blocks; 9 blocks are 8 and 1, or 5 and 4. */
	assert_true(of(8, 64, 100, 10, 2, 16) == 8 * 500);
	assert_true(of(9, 64, 100, 10, 2, 16) == 10 * 500);
	/* A long block on one SM holds up the batch. */
	assert_true(cycles(&(struct lane_soft_kernel){ .run = uneven, .n_runs = 2 }, 2, 32, &r) ==
		    16 * 2000 + 16 * 20);
	assert_int_equal(r.rows, 1);
	assert_int_equal(r.warps, 64);
}

TEST(test_limits)
{
	static const struct {
		uint32_t registers, shared, stack, threads;
		uint32_t blocks; /* on an SM; 0: it does not run */
	} limits[] = {
		{ 0, 0, 0, 32, 8 },    { 0, 0, 0, 256, 3 },    { 32, 0, 0, 128, 2 },
		{ 0, 8000, 0, 32, 2 }, { 0, 20000, 0, 32, 0 }, { 65536, 0, 0, 65536, 0 },
		{ 0, 0, 33, 32, 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct lane_soft_run run = { 20, limits[i].threads, 1, 1 };
		struct lane_soft_kernel k = { .registers = limits[i].registers,
					      .shared_bytes = limits[i].shared,
					      .stack = limits[i].stack,
					      .run = &run,
					      .n_runs = 1 };
		struct lane_soft_result r = { 0 };

		assert_true((cycles(&k, 1, 8, &r) > 0) == (limits[i].blocks > 0));
		if (limits[i].blocks)
			assert_int_equal(r.blocks_per_sm, limits[i].blocks);
	}
	assert_true(of(1, 32, 1, 1, 0, 8) < 0);
	assert_true(of(1, 32, 1, 1, 1, 7) < 0);
	assert_true(of(1, 32, 1, 1, 1, 0) < 0);
}

/* The fit gives back the times it was made from. */
TEST(test_fit)
{
	struct lane_device *d = papers_device(soft);

	for (int i = 0; lane_soft_benchmarks[i]; i++) {
		struct lane_soft_kernel *k = NULL;
		struct lane_soft_fit fit;
		struct lane_soft_result r;

		assert_null(model_soft_benchmark(lane_soft_benchmarks[i], 256, &k));
		assert_null(model_soft_fit(k, 32, 4, 4e9, 1, 2e9, &fit));
		assert_null(model_soft_time(d, k, &fit, &(struct lane_soft_machine){ 1, 8 }, &r));
		assert_true(fabs(r.cycles - 4e9) < 1e5);
		assert_null(model_soft_time(d, k, &fit, &(struct lane_soft_machine){ 1, 32 }, &r));
		assert_true(fabs(r.cycles - 2e9) < 1e5);
		check_error(model_soft_fit(k, 32, 4, 1, 4, 1, &fit), "");
		model_soft_free(k);
	}
	model_device_free(d);
}

TEST(test_sizes)
{
	for (int i = 0; lane_soft_benchmarks[i]; i++) {
		for (uint32_t size = 0; size <= 8192; size = size ? 2 * size : 1) {
			struct lane_soft_kernel *k = NULL;
			struct lane_error *err =
				model_soft_benchmark(lane_soft_benchmarks[i], size, &k);

			assert_int_equal(!err,
					 size >= 32 && size <= (i == 2 || i == 4 ? 1024 : 4096));
			if (err)
				lane_error_free(err);
			model_soft_free(k);
		}
	}
}
