/* SPDX-License-Identifier: MIT */
/*
 * Atomics on global memory: warps of all multiprocessors, finite queues in the clusters and in the
 * memory controller, "retry later" bounces, locks, coalescing.
 *
 * The mechanism is the hypothesis of S. Robertson, "CUDA atomics: a practical analysis (updated)",
 * made executable; docs/models/papers/global.md says which numbers are his and which are ours.
 */
#ifndef LANE_MODEL_GLOBAL_H
#define LANE_MODEL_GLOBAL_H

#include <stdint.h>

#include "base/error.h"
#include "model/device.h"
#include "model/meter.h"

/* The op, the pattern with this name, or -1. */
int model_global_op_by_name(const char *name);
int model_global_pattern_by_name(const char *name);

struct lane_global_work {
	enum lane_global_op op;
	enum lane_global_pattern pattern;
	uint32_t offset;     /* LANE_GLOBAL_OFFSET: bytes, at most 4096 */
	uint32_t warps;	     /* per multiprocessor, at most 32 */
	uint32_t blocks;     /* LANE_GLOBAL_OFFSET: of a multiprocessor, each with a region of its
				own and its part of the warps; 0 is 1 */
	uint32_t arithmetic; /* dependent instructions between two operations */
	uint32_t iterations; /* operations of each warp */
};

struct lane_global_result {
	uint64_t elapsed; /* cycles until the last warp has done its last operation */
	uint64_t operations;
	double mean; /* cycles from the clock read before an operation to the one behind it */
	double deviation;
	double least;
	double most;
	double per_operation; /* elapsed / operations of one multiprocessor */
	double per_step;      /* elapsed / instructions of one multiprocessor */
	uint64_t transactions;
	uint64_t bounces;    /* "retry later" answers */
	uint64_t collisions; /* times that the controller passed over a locked transaction */
	uint64_t overtaken;  /* atomics that ended after a younger one of their partition */
};

/* Simulates the work on all multiprocessors of the device's [global] section. Deterministic. */
struct lane_error *model_global_run(const struct lane_device *device,
				    const struct lane_global_work *work,
				    struct lane_global_result *result) LANE_MUST_CHECK;

#endif
