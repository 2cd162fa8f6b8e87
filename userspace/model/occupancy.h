/* SPDX-License-Identifier: MIT */
/*
 * A kernel's graph on a device at one occupancy after the other: the pipeline model's runs with
 * what bounds them.
 */
#ifndef LANE_MODEL_OCCUPANCY_H
#define LANE_MODEL_OCCUPANCY_H

#include "model/pipeline.h"

#define LANE_ISSUE_LIMIT_OF_DEVICE UINT32_MAX

/* How a kernel is started; 0: as the graph says, or as the device allows. */
struct lane_start {
	uint32_t groups; /* of the kernel */
	uint32_t group_warps;
	uint32_t concurrent; /* groups at a time on a compute unit: as many as fit */
	uint32_t issue_limit;
};

/* What all of a kernel's runs have in common. */
struct lane_runs {
	const struct lane_device *device;
	const struct lane_device_section *unit;
	const struct lane_graph *graph;
	struct lane_start start; /* nothing in it is 0 but issue_limit: none */
	uint32_t most;		 /* groups that fit a compute unit */
};

/* One run; latencies and times in cycles unless they say otherwise. */
struct lane_occupancy {
	uint32_t groups_per_unit, concurrent, warps;
	double cycles;
	double law_cycles; /* by the closed form, of a chain; negative: it is none */
	double time_ms;
	double work_per_ns;		/* negative: the graph has no work */
	char bound_by[LANE_NAME_BYTES]; /* the busiest pipeline, or "latency" */
	struct lane_pipeline_run run;
};

/* Fails when a group, or so many at a time, do not fit the compute unit. */
struct lane_error *model_runs_init(struct lane_runs *runs, const struct lane_device *device,
				   const struct lane_graph *graph,
				   const struct lane_start *start) LANE_MUST_CHECK;

/* Simulates as it is started. */
struct lane_error *model_runs_once(const struct lane_runs *runs,
				   struct lane_occupancy *row) LANE_MUST_CHECK;

/*
 * A row for each number of groups at a time; or for one group a compute unit of more and more
 * warps, the micro-benchmarks' way. *rows is the caller's to free.
 */
struct lane_error *model_runs_by_groups(const struct lane_runs *runs, struct lane_occupancy **rows,
					uint32_t *n) LANE_MUST_CHECK;
struct lane_error *model_runs_by_warps(const struct lane_runs *runs, struct lane_occupancy **rows,
				       uint32_t *n) LANE_MUST_CHECK;

#endif
