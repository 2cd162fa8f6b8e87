// SPDX-License-Identifier: MIT
// Kernels for the soft GPGPU: the paper's five benchmarks from their size.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "model/papers/softgpu.h"

#define MAX_RUNS 65536
#define BLOCK	 32  /* threads of a block of `reduction': one warp */
#define SMALL	 8   /* of `autocorr' and `bitonic': with them table 3 comes out in its order */
#define TILE	 256 /* threads of a block of the two-dimensional ones: 16 x 16 */

const char *const lane_soft_benchmarks[] = { "autocorr",  "bitonic",   "matmul",
					     "reduction", "transpose", NULL };

/* Begins another launch; its runs follow. */
static struct lane_error *add_launch(struct lane_soft_kernel *kernel)
{
	if (kernel->n_launches == MAX_RUNS)
		return lane_error("%s: more than %d launches", kernel->name, MAX_RUNS);
	if (!LANE_GROW_BY_ONE(kernel->launch, kernel->n_launches))
		return &lane_enomem;
	kernel->launch[kernel->n_launches++] =
		(struct lane_soft_launch){ .first_run = kernel->n_runs };
	return NULL;
}

static struct lane_error *softkernel_add_run(struct lane_soft_kernel *kernel, uint32_t blocks,
					     uint32_t threads, double instructions, double memory)
{
	if (kernel->n_runs == MAX_RUNS)
		return lane_error("%s: more than %d kinds of blocks", kernel->name, MAX_RUNS);
	if (!LANE_GROW_BY_ONE(kernel->run, kernel->n_runs))
		return &lane_enomem;
	kernel->run[kernel->n_runs++] =
		(struct lane_soft_run){ blocks, threads, instructions, memory };
	kernel->launch[kernel->n_launches - 1].n_runs++;
	return NULL;
}

/*
 * Instruction counts below are those of the plain CUDA kernels: what stands before the loop, in it
 * and behind it, one per source-level operation, loop control counted as add, compare and branch.
 */

/* Thread k sums x[i] * x[i + k] over i < n - k; a warp goes on until its longest lane, its first,
 * ends. */
static struct lane_error *autocorr(struct lane_soft_kernel *kernel, uint32_t n)
{
	struct lane_error *err = add_launch(kernel);

	kernel->stack = 16;
	for (uint32_t first = 0; !err && first < n; first += SMALL) {
		uint32_t rounds = n - first;

		/* Round: 2 loads, multiply-add, 2 address additions, add, compare, branch. */
		err = softkernel_add_run(kernel, 1, SMALL, 10 + 8.0 * rounds, 1 + 2.0 * rounds);
	}
	return err;
}

/* One launch per (k, j); where the partner i ^ j is above i, compare and swap. */
static struct lane_error *bitonic(struct lane_soft_kernel *kernel, uint32_t n)
{
	struct lane_error *err = NULL;

	kernel->stack = 2;
	for (uint32_t k = 2; !err && k <= n; k *= 2) {
		for (uint32_t j = k / 2; !err && j > 0; j /= 2) {
			err = add_launch(kernel);
			for (uint32_t first = 0; !err && first < n; first += SMALL) {
				/* From j = 8 on, all threads of a block are on the same side. */
				int idle = j >= SMALL && (first & j);

				/* 2 loads, compare, 2 branches, 2 stores behind 8 of index work. */
				err = softkernel_add_run(kernel, 1, SMALL, idle ? 8 : 16,
							 idle ? 0 : 4);
			}
		}
	}
	return err;
}

/* A block sums BLOCK values in shared memory; further launches sum up the blocks' results. */
static struct lane_error *reduction(struct lane_soft_kernel *kernel, uint32_t n)
{
	struct lane_error *err = NULL;

	kernel->shared_bytes = BLOCK * 4;
	while (!err && n > 1) {
		uint32_t blocks = (n + BLOCK - 1) / BLOCK;

		err = add_launch(kernel);
		if (!err) /* 5 halvings of 2 loads, add, store, compare, branch, barrier, shift */
			err = softkernel_add_run(kernel, blocks, BLOCK, 12 + 5 * 8, 3 + 5 * 3);
		n = blocks;
	}
	return err;
}

/* Row times column from global memory, a thread per element. */
static struct lane_error *matmul(struct lane_soft_kernel *kernel, uint32_t n)
{
	struct lane_error *err = add_launch(kernel);

	/* Round: 2 loads, multiply-add, 2 address additions, add, compare, branch. */
	return err ? err
		   : softkernel_add_run(kernel, n * n / TILE, TILE, 14 + 8.0 * n, 1 + 2.0 * n);
}

static struct lane_error *transpose(struct lane_soft_kernel *kernel, uint32_t n)
{
	struct lane_error *err = add_launch(kernel);

	return err ? err : softkernel_add_run(kernel, n * n / TILE, TILE, 14, 2);
}

/*
 * Instructions of the same benchmark on one scalar processor, by the counts above: every thread's
 * own, and no launch.
 */
double model_soft_scalar(const char *name, uint32_t size)
{
	double n = size;
	double passes = 0;

	if (!strcmp(name, "autocorr"))
		return 10 * n + 8 * n * (n + 1) / 2;
	if (!strcmp(name, "matmul"))
		return n * n * (14 + 8 * n);
	if (!strcmp(name, "transpose"))
		return n * n * 14;
	if (!strcmp(name, "reduction"))
		return (n - 1) * 8;
	for (double k = 2; k <= n; k *= 2)
		for (double j = k / 2; j >= 1; j /= 2)
			passes++;
	return strcmp(name, "bitonic") ? 0 : passes * n / 2 * (16 + 8);
}

struct lane_error *model_soft_benchmark(const char *name, uint32_t size,
					struct lane_soft_kernel **kernel)
{
	static struct lane_error *(*const make[])(struct lane_soft_kernel *,
						  uint32_t) = { autocorr, bitonic, matmul,
								reduction, transpose };
	LANE_CLEANUP(model_soft_drop) struct lane_soft_kernel *made = NULL;
	struct lane_error *err;
	int i = 0;
	int square;

	while (lane_soft_benchmarks[i] && strcmp(lane_soft_benchmarks[i], name))
		i++;
	if (!lane_soft_benchmarks[i])
		return lane_error("%s: no such benchmark (autocorr, bitonic, matmul, reduction, "
				  "transpose)",
				  name);
	square = make[i] == matmul || make[i] == transpose;
	if (size < 32 || size > (square ? 1024 : 4096) || (size & (size - 1)))
		return lane_error("%s: size %u is not a power of two from 32 to %d", name, size,
				  square ? 1024 : 4096);
	made = calloc(1, sizeof(*made));
	if (!made)
		return &lane_enomem;
	strcpy(made->name, lane_soft_benchmarks[i]);
	made->registers = 10;
	err = make[i](made, size);
	if (err)
		return err;
	*kernel = LANE_TAKE(made);
	return NULL;
}
