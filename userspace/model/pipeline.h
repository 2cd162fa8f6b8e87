/* SPDX-License-Identifier: MIT */
/*
 * The pipeline model: how long a compute unit takes for the warps of a kernel.
 *
 * After J. G. Cornelis, J. Lemeire, "The Pipeline Performance Model: a generic executable
 * performance model for GPUs", section III and algorithm 1. docs/models/pipeline.md says what was
 * added to it.
 */
#ifndef LANE_MODEL_PIPELINE_H
#define LANE_MODEL_PIPELINE_H

#include "model/device.h"
#include "model/graph.h"

#define LANE_PIPES	    16
#define LANE_PIPELINE_WARPS 1024 /* most warps on one compute unit */
#define LANE_SURE_GROUPS    8	 /* at a time, on every compute unit where their warps fit */

/* A pipeline, with its part in a run. */
struct lane_pipe {
	char name[LANE_NAME_BYTES];
	uint64_t issued; /* instructions */
	int64_t busy;	 /* sum of their issue latencies, millionths of a cycle */
};

/* A graph's instruction kinds on a device, at one occupancy. Latencies in millionths of a cycle. */
struct lane_binding {
	int64_t issue[LANE_GRAPH_OPS];
	int64_t completion[LANE_GRAPH_OPS];
	uint8_t pipe[LANE_GRAPH_OPS];
	double doubt; /* the largest uncertainty of a latency, as a part of it */
	uint32_t n_pipes;
	struct lane_pipe pipes[LANE_PIPES];
};

/* How a kernel runs on one compute unit. */
struct lane_launch {
	uint32_t groups;      /* that go through the compute unit */
	uint32_t group_warps; /* warps of each */
	uint32_t concurrent;  /* groups that are there at a time */
	uint32_t issue_limit; /* instructions a cycle over all pipelines, 0: no limit */
};

struct lane_pipeline_run {
	int64_t cycles; /* millionths, until the last warp is done */
	uint64_t instructions;
	uint64_t limited; /* times that the issue limit put an instruction off */
	struct lane_pipe pipes[LANE_PIPES];
	uint32_t n_pipes;
};

/* Names of numbers that a device file does not have, with commas; "": none. */
struct lane_lacking {
	char text[256];
};

/* Adds a name, once. */
void model_lacks(struct lane_lacking *missing, const char *text);

/*
 * Binds the graph's kinds to the device's ops while `warps` warps are on the compute unit. An op
 * that the device lacks costs nothing, and is named in missing; without missing it is an error.
 */
struct lane_error *model_binding_make(const struct lane_device *device,
				      const struct lane_graph *graph, uint32_t warps,
				      struct lane_binding *binding,
				      struct lane_lacking *missing) LANE_MUST_CHECK;

/*
 * Simulates one compute unit, event by event. Of a pipeline's ready instructions the one that has
 * waited longest goes first; a result that comes at the same time as an issue comes first.
 */
struct lane_error *model_pipeline_run(const struct lane_graph *graph,
				      const struct lane_binding *binding,
				      const struct lane_launch *launch,
				      struct lane_pipeline_run *run) LANE_MUST_CHECK;

/*
 * The time of `warps` warps of n dependent instructions of one kind, in millionths of a cycle (the
 * paper's equation 1): n * completion + (warps - 1) * issue while warps <= completion / issue, else
 * completion + (n * warps - 1) * issue.
 */
int64_t model_pipeline_law(uint64_t warps, uint64_t n, int64_t issue, int64_t completion);

#endif
