// SPDX-License-Identifier: MIT
// The soft GPGPU: blocks over SMs, limits, the fit, kernel files as hostile input.
#include <math.h>
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "model/softgpu.h"

static const char soft[] = "gpulane-device 1\nname soft\nsource test\n"
			   "[device]\nunits 1\nclock_mhz 100\nwarp 32\n"
			   "[softgpu]\nmax_warps 24\nmax_threads 768\nmax_blocks 8\n"
			   "registers 8192\nshared_bytes 16384\nstack_depth 32\nstages 5\n";

static struct lane_error *parse(const char *from, struct lane_soft_kernel **kernel)
{
	char *text = strdup(from);
	struct lane_error *err;

	assert_non_null(text);
	err = model_soft_parse(text, "test.kernel", kernel);
	free(text);
	return err;
}

static double cycles(const char *text, uint32_t sm, uint32_t sp, struct lane_soft_result *result)
{
	struct lane_device *d = device(soft);
	struct lane_soft_kernel *k = NULL;
	struct lane_soft_fit fit = { 2, 10 };
	struct lane_soft_machine machine = { sm, sp };
	struct lane_soft_result own;
	struct lane_error *err = parse(text, &k);

	if (!err)
		err = model_soft_time(d, k, &fit, &machine, result ? result : &own);
	model_soft_free(k);
	model_device_free(d);
	if (!err)
		return result ? result->cycles : own.cycles;
	lane_error_free(err);
	return -1;
}

#define HEAD "gpulane-kernel 1\nname k\nlaunch\n"

TEST(test_rows_and_blocks)
{
	struct lane_soft_result r;

	/* One warp: 100 instructions of 2 cycles a row, 10 accesses of 10, and 4 stages to leave.
	 */
	assert_true(cycles(HEAD "blocks 1 32 100 10\n", 1, 32, NULL) == 200 + 100 + 400);
	assert_true(cycles(HEAD "blocks 1 32 100 10\n", 1, 8, NULL) == 800 + 100 + 400);
	/* Four warps fill the pipeline; a warp that is not full costs the same. */
	assert_true(cycles(HEAD "blocks 4 32 100 10\n", 1, 16, &r) == 4 * 500);
	assert_int_equal(r.rows, 2);
	assert_int_equal(r.warps, 4);
	assert_true(cycles(HEAD "blocks 2 33 100 10\n", 1, 16, &r) == 4 * 500);
	/* Two SMs halve an even number of equal blocks; 9 blocks are 8 and 1, or 5 and 4. */
	assert_true(cycles(HEAD "blocks 8 64 100 10\n", 2, 16, NULL) == 8 * 500);
	assert_true(cycles(HEAD "blocks 9 64 100 10\n", 2, 16, NULL) == 10 * 500);
	/* Launches follow each other. */
	assert_true(cycles("gpulane-kernel 1\nname k\nlaunch 3\nblocks 8 64 100 10\nlaunch\n"
			   "blocks 8 64 100 10\n",
			   1, 16, NULL) == 4 * 16 * 500);
	/* A long block on one SM holds up the batch. */
	assert_true(cycles(HEAD "blocks 1 512 1000 0\nblocks 3 512 10 0\n", 2, 32, NULL) ==
		    16 * 2000 + 16 * 20);
}

TEST(test_limits)
{
	struct lane_soft_result r;

	cycles(HEAD "blocks 20 32 1 1\n", 1, 8, &r);
	assert_int_equal(r.blocks_per_sm, 8); /* blocks */
	cycles(HEAD "blocks 20 256 1 1\n", 1, 8, &r);
	assert_int_equal(r.blocks_per_sm, 3); /* threads and warps */
	cycles("gpulane-kernel 1\nname k\nregisters 32\nlaunch\nblocks 20 128 1 1\n", 1, 8, &r);
	assert_int_equal(r.blocks_per_sm, 2);
	cycles("gpulane-kernel 1\nname k\nshared 8000\nlaunch\nblocks 20 32 1 1\n", 1, 8, &r);
	assert_int_equal(r.blocks_per_sm, 2);
	assert_true(cycles("gpulane-kernel 1\nname k\nshared 20000\nlaunch\nblocks 1 32 1 1\n", 1,
			   8, NULL) < 0);
	assert_true(
		cycles("gpulane-kernel 1\nname k\nregisters 65536\nlaunch\nblocks 1 65536 1 1\n", 1,
		       8, NULL) < 0);
	assert_true(cycles("gpulane-kernel 1\nname k\nstack 33\nlaunch\nblocks 1 32 1 1\n", 1, 8,
			   NULL) < 0);
	assert_true(cycles(HEAD "blocks 1 32 1 1\n", 0, 8, NULL) < 0);
	assert_true(cycles(HEAD "blocks 1 32 1 1\n", 1, 7, NULL) < 0);
	assert_true(cycles(HEAD "blocks 1 32 1 1\n", 1, 0, NULL) < 0);
}

/* The fit gives back the times it was made from. */
TEST(test_fit)
{
	struct lane_device *d = device(soft);

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

TEST(test_wrong_kernels)
{
	static const char *const wrong[] = {
		"",
		"gpulane-kernel 2\n",
		"gpulane-kernel 1\n",
		"gpulane-kernel 1\nname k\n",
		"gpulane-kernel 1\nname k\nlaunch\n",
		"gpulane-kernel 1\nname k\nblocks 1 1 1 1\n",
		"gpulane-kernel 1\nlaunch\nblocks 1 1 1 1\n",
		HEAD "blocks 0 1 1 1\n",
		HEAD "blocks 1 1 1\n",
		HEAD "blocks 1 1 -1 1\n",
		HEAD "colour 1\n",
		HEAD "blocks 1048577 1 1 1\n",
		"gpulane-kernel 1\nname aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nlaunch\nblocks "
		"1 1 1 1\n",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lane_soft_kernel *k = NULL;
		struct lane_error *err = parse(wrong[i], &k);

		assert_non_null(err);
		assert_null(k);
		lane_error_free(err);
	}
}
