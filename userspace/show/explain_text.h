/* SPDX-License-Identifier: MIT */
/* The life of one request, as text or JSON (docs/explain.md). */
#ifndef LANE_SHOW_EXPLAIN_TEXT_H
#define LANE_SHOW_EXPLAIN_TEXT_H

#include <stdio.h>

#include "latency/latency.h"

struct json_object;

/* Writes one request; if it alone is selected in latency, with what took most of its time. */
void show_explain_write_text(FILE *to, const struct lane_explain *explain,
			     const struct lane_explained *of, const struct lane_latency *latency);

/* Its known stages, with which a line ends. */
void show_explain_stages(FILE *to, const struct lane_explained *of);

/* The same as an object, which is the caller's, times less origin_ns; NULL: no memory. */
struct json_object *show_explain_tree(const struct lane_explain *explain,
				      const struct lane_explained *of, uint64_t origin_ns);

/* Writes that object, a line; if the request alone is selected in latency, with its answers. */
struct lane_error *show_explain_write_json(FILE *to, const struct lane_explain *explain,
					   const struct lane_explained *of,
					   const struct lane_latency *latency) LANE_MUST_CHECK;

#endif
