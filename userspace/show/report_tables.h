/* SPDX-License-Identifier: MIT */
/* The report's tables, each said once for people and for programs; and all of them as a tree, which
 * JSON writes as it is and CSV row by row. */
#ifndef LANE_SHOW_REPORT_TABLES_H
#define LANE_SHOW_REPORT_TABLES_H

#include <json-c/json.h>

#include "show/report.h"

struct lane_table_writer {
	void (*write)(const struct lane_tables *t);
	bool needs_clients; /* in the text: only where there are any */
};

extern const struct lane_table_writer lane_table_writers[LANE_TABLE_COUNT];

#define LANE_REPORT_VERSION 2

/* The tree (docs/report.md), with what the options' models say, if any; options may be NULL. *tree
 * is the caller's, freed with json_object_put. */
struct lane_error *show_report_tree(struct lane_latency *latency,
				    const struct lane_report_options *options,
				    struct json_object **tree) LANE_MUST_CHECK;

/* Tells each figure of the tree: table, row ("": of no list) and column as in docs/report.md, CSV.
 */
void show_report_figures(struct json_object *tree,
			 void (*told)(void *arg, const char *table, const char *row,
				      const char *column, struct json_object *value),
			 void *arg);

#endif
