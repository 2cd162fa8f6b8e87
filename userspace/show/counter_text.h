/* SPDX-License-Identifier: MIT */
/* What the GPUs' counters say: a table, JSON. */
#ifndef LANE_SHOW_COUNTER_TEXT_H
#define LANE_SHOW_COUNTER_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* "clock gt0, MHz", "engine_busy rcs0, %": what a point of its track is (show/tracks.h). */
const char *show_counter_name(const struct lane_p_gpulane_counter *is, char *text, size_t size);

/* Lines below the recording's losses: where requests and counters disagree, and whether reading
 * them disturbed. */
void show_counter_head(FILE *to, const struct lane_latency *latency);

/* The reasons that were set in a sample. */
const char *show_throttle_reasons(uint64_t bits, char *text, size_t size);

/* The text's table, at most so many rows (0: all). */
void show_counter_table(const struct lane_tables *t);

/* The lists `counters` and `slow` of the report's tree; none where no counter was read. */
void show_counter_tree(const struct lane_latency *latency, struct json_object *tree);

#endif
