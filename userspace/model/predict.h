/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's time on a device is made of, from its pattern: the graph of a warp through the
 * pipeline model, its atomics on local memory as long as their conflicts make them.
 */
#ifndef LANE_MODEL_PREDICT_H
#define LANE_MODEL_PREDICT_H

#include "model/pattern.h"

/* LANE_PARTS(P) calls P(ID, name, help) for each part of a kernel's time, in order. */
#define LANE_PARTS(P)                                                                              \
	P(COMPUTE, "compute", "arithmetic, branches, barriers, and waiting for them")              \
	P(MEMORY, "memory", "loads and stores, of local memory, too")                              \
	P(ATOMICS, "atomics", "atomics on local memory, if they had no conflicts")                 \
	P(POSITION, "position", "lanes that want the same word")                                   \
	P(BANK, "bank", "words in the same bank")                                                  \
	P(LOCK, "lock", "words behind the same lock")

enum lane_part {
#define P(id, name, help) LANE_PART_##id,
	LANE_PARTS(P)
#undef P
	LANE_PART_COUNT
};

extern const char *const lane_part_names[LANE_PART_COUNT];
extern const char *const lane_part_helps[LANE_PART_COUNT];

struct lane_prediction {
	double cycles[LANE_PART_COUNT]; /* they add up to total */
	double total;
	double ns; /* total, by the device's clock */
	uint32_t groups_per_unit;
	uint32_t concurrent; /* groups at a time on a compute unit */
};

/*
 * Predicts a launch of so many work-groups. Each part is what the kernel would save without it:
 * runs with everything, without conflicts, without atomics, without memory. The device needs the
 * graph's ops; a kernel without a graph is an error.
 */
struct lane_error *lane_predict(const struct lane_pattern_kernel *kernel,
				const struct lane_device *device, uint64_t groups,
				struct lane_prediction *prediction) LANE_MUST_CHECK;

#endif
