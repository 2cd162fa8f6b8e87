/* SPDX-License-Identifier: MIT */
/*
 * The GPU below the simulated OpenCL device: the replay driver's engines where /dev/gl-replay is,
 * else engines that are only arithmetic. All times are CLOCK_MONOTONIC's.
 */
#ifndef LANE_ICD_GPU_H
#define LANE_ICD_GPU_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_request {
	uint64_t ctx;
	uint64_t seqno;
};

/* Opens the device; false: the engines are arithmetic. */
bool gpu_open(void);

/* A context on an engine, 0 when there is none. */
uint64_t gpu_context(unsigned int class, unsigned int instance, int prio);

/* Submits a request that runs for duration_ns once those it depends on are done. */
bool gpu_submit(uint64_t ctx, uint64_t duration_ns, const struct gpu_request *deps,
		unsigned int n_deps, struct gpu_request *request);

/* Waits until the request is done. */
void gpu_wait(const struct gpu_request *request);

/* Whether the request is known to be done; does not wait. */
bool gpu_done(const struct gpu_request *request);

/* When a request that is done began and ended. Waits until the driver tells; false when it does
 * not. */
bool gpu_times(const struct gpu_request *request, uint64_t *start_ns, uint64_t *end_ns);

uint64_t gpu_now(void);

/* The device's clock has its own offset and rate, and ticks of 52 ns. */
void gpu_clock_set(int64_t offset_ns, int64_t drift_ppb);
uint64_t gpu_clock(uint64_t cpu_ns);

#endif
