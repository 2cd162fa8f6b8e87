/* SPDX-License-Identifier: MIT */
/* A report's figures as a tree: what JSON writes as it is and CSV row by row. */
#ifndef LANE_SHOW_REPORT_TREE_H
#define LANE_SHOW_REPORT_TREE_H

#include <json-c/json.h>

#include "show/report.h"

#define LANE_REPORT_VERSION 2

/* The tree (docs/report.md); *tree is the caller's, freed with json_object_put. */
struct lane_error *show_report_tree(struct lane_latency *latency,
				    struct json_object **tree) LANE_MUST_CHECK;

#endif
