/* SPDX-License-Identifier: MIT */
/*
 * A soft GPGPU on an FPGA: streaming multiprocessors (SM) with 8, 16 or 32 scalar processors (SP),
 * after K. Andryc, T. Thomas, R. Tessier, "Soft GPGPUs for Embedded FPGAs: An Architectural
 * Evaluation". docs/models/papers/softgpu.md says what the model takes from it and what is fitted.
 */
#ifndef LANE_MODEL_SOFTGPU_H
#define LANE_MODEL_SOFTGPU_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/device.h"

/* A number of equal blocks, neighbours in the grid. */
struct lane_soft_run {
	uint32_t blocks;
	uint32_t threads;    /* of each block */
	double instructions; /* that each warp executes, memory accesses included */
	double memory;	     /* memory accesses of each warp */
};

/* One start of a kernel: a grid of blocks. */
struct lane_soft_launch {
	uint32_t first_run;
	uint32_t n_runs;
};

struct lane_soft_kernel {
	char name[LANE_NAME_BYTES];
	uint32_t registers;    /* of a thread */
	uint32_t shared_bytes; /* of a block */
	uint32_t stack;	       /* depth of the warp stack that its branches need */
	struct lane_soft_run *run;
	uint32_t n_runs;
	struct lane_soft_launch *launch;
	uint32_t n_launches;
};

/* Cycles of an instruction per row, and of a warp's memory access: the two fitted numbers. */
struct lane_soft_fit {
	double instruction;
	double memory;
};

struct lane_soft_machine {
	uint32_t sm;
	uint32_t sp; /* of each SM; the warp's lanes run in warp / sp rows */
};

struct lane_soft_result {
	double cycles;
	uint32_t rows;
	uint32_t blocks_per_sm; /* of the first launch, by the SM's limits */
	uint64_t blocks;
	uint64_t warps;
	double instructions; /* of all warps */
	double memory;
};

/*
 * One of the paper's benchmarks for a size: autocorr, bitonic, reduction for `size` values, matmul
 * and transpose for size x size; a power of two from 32 to 4096 (matmul, transpose: to 1024). The
 * kernel is the caller's to free.
 */
struct lane_error *model_soft_benchmark(const char *name, uint32_t size,
					struct lane_soft_kernel **kernel) LANE_MUST_CHECK;

/* Instructions of a benchmark on one scalar processor; 0 for what is none. */
double model_soft_scalar(const char *name, uint32_t size);

/* The names of the benchmarks, NULL at the end. */
extern const char *const lane_soft_benchmarks[];

/* Frees a kernel; NULL is allowed. */
void model_soft_free(struct lane_soft_kernel *kernel);

/* For LANE_CLEANUP. */
void model_soft_drop(struct lane_soft_kernel **kernel);

/* The cycles of a kernel; fails when a block does not fit an SM or needs a deeper stack. */
struct lane_error *model_soft_time(const struct lane_device *device,
				   const struct lane_soft_kernel *kernel,
				   const struct lane_soft_fit *fit,
				   const struct lane_soft_machine *machine,
				   struct lane_soft_result *result) LANE_MUST_CHECK;

/*
 * The two numbers from two measured times on one SM, in cycles, with the fewest and the most rows
 * (time = rows * instructions * fit.instruction + memory * fit.memory).
 */
struct lane_error *model_soft_fit(const struct lane_soft_kernel *kernel, uint32_t warp,
				  uint32_t rows_a, double cycles_a, uint32_t rows_b,
				  double cycles_b, struct lane_soft_fit *fit) LANE_MUST_CHECK;

#endif
