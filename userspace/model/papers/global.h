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

/* N(name, need, least, most, preset): the keys of [global] (docs/models/papers/global.md). */
#define LANE_GLOBAL_NUMBERS(N)                                                                     \
	N(clusters, NEEDED, 1, 256, 0)                                                             \
	N(units_per_cluster, NEEDED, 1, 32, 0)                                                     \
	N(partitions, NEEDED, 1, 64, 0)                                                            \
	N(partition_bytes, NEEDED, 32, 65536, 0)                                                   \
	N(segment_bytes, NEEDED, 4, 4096, 0)                                                       \
	N(lock_bytes, NEEDED, 4, 4096, 0)                                                          \
	N(cluster_queue, NEEDED, 1, 65536, 0)                                                      \
	N(controller_queue, NEEDED, 1, 65536, 0)                                                   \
	N(issue, NEEDED, 1, 1000, 0)                                                               \
	N(latency, NEEDED, 1, 1000, 0)                                                             \
	N(hop, NEEDED, 0, 10000, 0)                                                                \
	N(packet, NEEDED, 1, 1000, 0)                                                              \
	N(retry, NEEDED, 1, 10000, 0)                                                              \
	N(dram_latency, NEEDED, 0, 10000, 0)                                                       \
	N(dram_burst, NEEDED, 1, 10000, 0)                                                         \
	N(alu_lanes, NEEDED, 1, 64, 0)                                                             \
	N(alu, NEEDED, 1, 10000, 0)                                                                \
	N(banks, OPTIONAL, 1, LANE_GLOBAL_BANKS, 1)                                                \
	N(page_bytes, OPTIONAL, 32, 65536, 2048)                                                   \
	N(bank_busy, OPTIONAL, 0, 10000, 0)                                                        \
	N(loop_free, OPTIONAL, 0, 64, 0)                                                           \
	N(loop_bound, OPTIONAL, 0, 64, 0)                                                          \
	N(loop_latency, OPTIONAL, 1, 1000, 1)

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
