// SPDX-License-Identifier: MIT
// The soft GPGPU: blocks over SMs, limits, the benchmarks' sizes.
#include "device.h"

#include "model/papers/papers.h"
#include "model/papers/softgpu.h"

static const char text[] = "name soft\nsource test\n"
			   "[device]\nunits 1\nclock_mhz 100\nwarp 32\n"
			   "[softgpu]\nmax_warps 24\nmax_threads 768\nmax_blocks 8\n"
			   "registers 8192\nshared_bytes 16384\nstages 5\n";

static struct lane_device *soft_device(void)
{
	model_papers_begin();
	return device(text);
}

struct blocks {
	uint32_t n;
	double instructions, memory;
};

/* What a launch of blocks takes; -1 where it does not run. */
static double cycles(struct lane_soft_shape shape, const struct blocks *blocks, size_t n,
		     uint32_t sm, uint32_t sp, struct lane_soft *soft)
{
	struct lane_device *d = soft_device();
	struct lane_error *err = model_soft_begin(soft, d, (struct lane_soft_machine){ sm, sp },
						  (struct lane_soft_fit){ 2, 10 });

	if (!err) {
		model_soft_launch(soft, shape);
		for (size_t i = 0; i < n; i++)
			model_soft_blocks(soft, blocks[i].n, blocks[i].instructions,
					  blocks[i].memory);
		err = model_soft_end(soft);
	}
	model_device_free(d);
	if (!err)
		return soft->cycles;
	lane_error_free(err);
	return -1;
}

/* Of equal blocks. */
static double of(uint32_t blocks, uint32_t threads, double instructions, double memory, uint32_t sm,
		 uint32_t sp)
{
	struct lane_soft soft;

	return cycles((struct lane_soft_shape){ threads, 0, 0 },
		      &(struct blocks){ blocks, instructions, memory }, 1, sm, sp, &soft);
}

TEST(test_rows_and_blocks)
{
	struct blocks uneven[] = { { 1, 1000, 0 }, { 3, 10, 0 } };
	struct lane_soft soft;

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
	assert_true(cycles((struct lane_soft_shape){ 512, 0, 0 }, uneven, 2, 2, 32, &soft) ==
		    16 * 2000 + 16 * 20);
	assert_int_equal(soft.rows, 1);
}

TEST(test_limits)
{
	static const struct {
		struct lane_soft_shape shape;
		uint32_t blocks; /* on an SM; 0: it does not run */
	} limits[] = {
		{ { 32, 0, 0 }, 8 },	{ { 256, 0, 0 }, 3 },	 { { 128, 32, 0 }, 2 },
		{ { 32, 0, 8000 }, 2 }, { { 32, 0, 20000 }, 0 }, { { 65536, 65536, 0 }, 0 },
	};
	struct lane_soft soft;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		assert_true((cycles(limits[i].shape, &(struct blocks){ 20, 1, 1 }, 1, 1, 8, &soft) >
			     0) == (limits[i].blocks > 0));
		assert_int_equal(soft.blocks_per_sm, limits[i].blocks);
	}
	assert_true(of(1, 32, 1, 1, 0, 8) < 0);
	assert_true(of(1, 32, 1, 1, 1, 7) < 0);
	assert_true(of(1, 32, 1, 1, 1, 0) < 0);
}

TEST(test_sizes)
{
	static const char *const names[] = { "autocorr", "bitonic", "matmul", "reduction",
					     "transpose" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (uint32_t size = 0; size <= 8192; size = size ? 2 * size : 1) {
			const struct lane_soft_benchmark *benchmark;
			struct lane_error *err = model_soft_find(names[i], size, &benchmark);

			assert_int_equal(!err,
					 size >= 32 && size <= (i == 2 || i == 4 ? 1024 : 4096));
			if (err)
				lane_error_free(err);
		}
	}
}
