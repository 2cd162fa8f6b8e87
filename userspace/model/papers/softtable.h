/* SPDX-License-Identifier: MIT */
/* A kernel on the soft GPGPUs beside each other, and beside the soft processor. */
#ifndef LANE_MODEL_SOFTTABLE_H
#define LANE_MODEL_SOFTTABLE_H

#include <stdbool.h>

#include "model/papers/softgpu.h"

#define LANE_SOFT_MACHINES 6 /* 1 and 2 SM with 8, 16 and 32 SP */

/* What is timed: set device and kernel, then one of the fits. */
struct lane_soft_bench {
	const struct lane_device *device;
	const struct lane_soft_kernel *kernel;
	uint32_t size; /* of the benchmark */
	struct lane_soft_fit fit;
	bool is_fitted; /* to times of the machines 1x8 and 1x32 */
	/* The soft processor beside the GPGPU; 0: not known. */
	double microblaze_ms, microblaze_mj; /* as measured */
	double microblaze_modelled_ms;	     /* instructions times the cycles of one */
};

/* One machine's time. */
struct lane_soft_time {
	struct lane_soft_machine machine;
	struct lane_soft_result result;
	double ms;
	bool is_fitted;		/* the two numbers are fitted to this time */
	double over_microblaze; /* how often as fast; 0: not known */
	double over_one_sm;
	bool has_power;
	double dynamic_mj;
};

/* The two numbers from the times on one SM with 8 and with 32 SP, or as the device has them. */
struct lane_error *model_soft_bench_fit(struct lane_soft_bench *bench, double ms8,
					double ms32) LANE_MUST_CHECK;
struct lane_error *model_soft_bench_shipped(struct lane_soft_bench *bench) LANE_MUST_CHECK;

/* The soft processor's times of one of the benchmarks. */
struct lane_error *model_soft_bench_scalar(struct lane_soft_bench *bench) LANE_MUST_CHECK;

/* The time on one machine, or on all six. */
struct lane_error *model_soft_time_of(const struct lane_soft_bench *bench,
				      struct lane_soft_machine machine,
				      struct lane_soft_time *time) LANE_MUST_CHECK;
struct lane_error *model_soft_times(const struct lane_soft_bench *bench,
				    struct lane_soft_time time[LANE_SOFT_MACHINES]) LANE_MUST_CHECK;

#endif
