/* SPDX-License-Identifier: MIT */
/* What GPUs' drivers told of: a table, JSON. */
#ifndef LANE_SHOW_FAULT_TEXT_H
#define LANE_SHOW_FAULT_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* The text's table, at most so many rows (0: all); nothing where no driver told of anything. */
void show_fault_table(const struct lane_tables *t);

/* The list `causes` of the report's tree. */
void show_fault_tree(const struct lane_latency *latency, struct json_object *tree);

#endif
