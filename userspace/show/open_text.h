/* SPDX-License-Identifier: MIT */
/* What is open too long, in words, as a table, as JSON. */
#ifndef LANE_SHOW_OPEN_TEXT_H
#define LANE_SHOW_OPEN_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* "1:1032 of hist[154] on rcs0 has been open for 3.20 s: it runs; i915 cancels ..." */
void show_open_text(const struct lane_timeline *timeline, const struct lane_open *open,
		    uint64_t now_ns, char *text, size_t size);

#define SHOW_RECORDINGS_END "before the recording's end"

/* "clFinish of app[80] was called 3.20 s AGO and has not returned: it waits for kernel `hang`,
 * ..." */
void show_open_call_text(const struct lane_timeline *timeline, const struct lane_open_call *open,
			 uint64_t now_ns, const char *ago, char *text, size_t size);

/* The table: all, bursts too, a line each. */
void show_open_table(const struct lane_tables *t);

void show_open_tree(const struct lane_latency *latency, struct json_object *tree);

#endif
