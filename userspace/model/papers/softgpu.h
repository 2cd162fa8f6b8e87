/* SPDX-License-Identifier: MIT */
/*
 * A soft GPGPU on an FPGA: streaming multiprocessors (SM) with 8, 16 or 32 scalar processors (SP),
 * after K. Andryc, T. Thomas, R. Tessier, "Soft GPGPUs for Embedded FPGAs: An Architectural
 * Evaluation". docs/models/papers/softgpu.md says what the model takes from it and what is fitted.
 */
#ifndef LANE_MODEL_SOFTGPU_H
#define LANE_MODEL_SOFTGPU_H

#include <stdint.h>

#include "base/error.h"
#include "model/device.h"

#define LANE_SOFT_SMS 256 /* most of a machine */

struct lane_soft_machine {
	uint32_t sm;
	uint32_t sp; /* of each SM; the warp's lanes run in warp / sp rows */
};

/* Cycles of an instruction per row, and of a warp's memory access: the two fitted numbers. */
struct lane_soft_fit {
	double instruction;
	double memory;
};

/* What a block takes of an SM; 0: nothing. */
struct lane_soft_shape {
	uint32_t threads;
	uint32_t registers; /* of a thread */
	uint32_t shared_bytes;
};

/* A machine that a kernel's launches are given to, one after the other. Nothing to free. */
struct lane_soft {
	const struct lane_device_section *limits;
	struct lane_soft_machine machine;
	struct lane_soft_fit fit;
	uint32_t warp, stages;
	uint32_t rows;
	double cycles;		/* until now */
	uint32_t blocks_per_sm; /* of the first launch, by the SM's limits */
	/* The launch that is under way. */
	uint32_t warps;	 /* of a block */
	uint32_t per_sm; /* blocks */
	uint32_t placed; /* of the batch */
	int is_too_large;
	struct {
		double busy;	/* the pipeline's time since the batch began */
		double longest; /* of one warp, which waits for each of its instructions to leave
				   the pipeline */
	} load[LANE_SOFT_SMS];
};

/* Fails for a device without [softgpu], and for a machine that cannot be. */
struct lane_error *model_soft_begin(struct lane_soft *soft, const struct lane_device *device,
				    struct lane_soft_machine machine,
				    struct lane_soft_fit fit) LANE_MUST_CHECK;

/* Begins a launch, once all before have completed; its blocks follow. */
void model_soft_launch(struct lane_soft *soft, struct lane_soft_shape shape);

/* So many equal blocks, neighbours in the grid, each warp with so many instructions, memory
 * accesses included. */
void model_soft_blocks(struct lane_soft *soft, uint32_t blocks, double instructions, double memory);

/* All have completed; fails when a block did not fit an SM. */
struct lane_error *model_soft_end(struct lane_soft *soft) LANE_MUST_CHECK;

/*
 * One of the paper's benchmarks for a size: autocorr, bitonic, reduction for `size` values, matmul
 * and transpose for size x size; a power of two from 32 to 4096 (matmul, transpose: to 1024).
 */
struct lane_soft_benchmark {
	const char *name;
	uint32_t most; /* size */
	void (*run)(struct lane_soft *soft, uint32_t size);
	double (*scalar)(double size); /* its instructions on one scalar processor */
};

struct lane_error *model_soft_find(const char *name, uint32_t size,
				   const struct lane_soft_benchmark **benchmark) LANE_MUST_CHECK;

#endif
