/* SPDX-License-Identifier: MIT */
/* When the commands of a queue, or of a device, ran, by the device's clock: for whom commands wait.
 */
#ifndef LANE_TIMELINE_COMMAND_RUNS_H
#define LANE_TIMELINE_COMMAND_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* The most runs that are kept; commands that wait since before the oldest one get wider bounds. */
#define LANE_CL_RUNS_MAX 16384

/* A time in which something ran without a break. */
struct lane_cl_run {
	uint64_t from_ns, to_ns;
	uint64_t before_ns; /* the lengths of all runs before */
};

/* They come in the order of their begins. */
struct lane_cl_runs {
	struct lane_cl_run *ring;
	uint32_t head, n, cap; /* cap is a power of two */
	uint64_t dropped_to;   /* end of the last one that is not kept any more */
	uint64_t unsure_ns;    /* CPU's clock: what ran before then may be missing */
};

/* Adds a run. False: no memory. */
bool timeline_runs_add(struct lane_cl_runs *runs, uint64_t from_ns, uint64_t to_ns);
/* For how long something ran within [from_ns, to_ns], as far as it is kept. */
uint64_t timeline_runs_within(const struct lane_cl_runs *runs, uint64_t from_ns, uint64_t to_ns);

/* When the last run began; 0: there is none. */
uint64_t timeline_runs_last(const struct lane_cl_runs *runs);

#endif
