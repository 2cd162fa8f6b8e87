/* SPDX-License-Identifier: MIT */
/* What memory held up: sentences, a table, JSON. */
#ifndef LANE_SHOW_MEMORY_TEXT_H
#define LANE_SHOW_MEMORY_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* The i-th sentence, without a full stop, and what to try; false: there are no more. */
bool show_memory_sentence(const struct lane_latency *latency, unsigned int i, char *text,
			  size_t size, const char **advice);

/* "C6, at most 133 us to leave": an idle state by its name (16 bytes), as far as it is known. */
const char *show_sleep_text(const struct lane_latency *latency, const char *state, char *text,
			    size_t size);

/* The text's table, at most so many rows (0: all); nothing where nothing was held up. */
void show_memory_table(const struct lane_tables *t);

/* The lists `memory` and `late` of the report's tree; none where nothing was held up. */
void show_memory_tree(const struct lane_latency *latency, struct json_object *tree);

#endif
