/* SPDX-License-Identifier: MIT */
/* The parts of a report that are about OpenCL commands. Nothing is written where there are none. */
#ifndef LANE_SHOW_OPENCL_REPORT_H
#define LANE_SHOW_OPENCL_REPORT_H

#include <json-c/json.h>

#include "show/report.h"

/* Adds the key `opencl` (docs/report.md). */
void show_opencl_tree(struct lane_latency *latency, struct json_object *tree);

/* The tables for people. */
void show_opencl_tables(const struct lane_tables *t);

/* The kernels that have a model: a table each, from the call to the program's knowing. */
void show_opencl_models_tables(const struct lane_tables *t);

/* The same, as `kernels_modelled` in `opencl`. */
void show_opencl_models_tree(struct lane_latency *latency,
			     const struct lane_report_options *options, struct json_object *tree);

/* Whose commands they are: "OpenCL", "Level Zero", or both. */
const char *show_command_api(const struct lane_commands *commands);

/* What a command is (`what` of struct lane_behind_sum): its kernel, or its kind. */
const char *show_command_what(const struct lane_commands *commands, uint32_t what, char *buffer,
			      size_t size);
#define SHOW_COMMAND(commands, what) show_command_what(commands, what, SHOW_ROOM(64))

/* Bytes a second; 0 when it took no time. */
uint64_t show_throughput(uint64_t bytes, uint64_t ns);

#endif
