/* SPDX-License-Identifier: MIT */
/* What memory held up: a table, JSON. */
#ifndef LANE_SHOW_MEMORY_TEXT_H
#define LANE_SHOW_MEMORY_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* "C6, at most 133 us to leave": an idle state by its name (16 bytes), as far as it is known. */
const char *show_sleep_text(const struct lane_latency *latency, const char *state, char *text,
			    size_t size);

/* The same of a sum. */
const char *show_sleep_state(const struct lane_stall_sum *sum, char *text, size_t size);

/* Whose doing a sum is, or whom it held up. */
const char *show_stall_owner(const struct lane_latency *latency, const struct lane_stall_sum *sum,
			     char *buffer, size_t size);

/* The text's table, at most so many rows (0: all); nothing where nothing was held up. */
void show_memory_table(const struct lane_tables *t);

/* The lists `memory` and `late` of the report's tree; none where nothing was held up. */
void show_memory_tree(const struct lane_latency *latency, struct json_object *tree);

#endif
