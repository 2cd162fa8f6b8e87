/* SPDX-License-Identifier: MIT */
/* A critical path as text or JSON. */
#ifndef LANE_SHOW_CRITICAL_TEXT_H
#define LANE_SHOW_CRITICAL_TEXT_H

#include <json-c/json.h>
#include <stdio.h>

#include "session/session.h"

/*
 * Reads the recording, and writes the path that is wanted: the blame by process, engine and kind,
 * then its pieces, of which the text has the longest (rows of them at most, 0: all, in order).
 * Times are from the recording's beginning. JSON has the keys of docs/report.md, and every piece.
 */
struct lane_error *show_critical_write(FILE *to, struct session *session,
				       const struct lane_critical_wanted *wanted, bool is_json,
				       uint32_t rows) LANE_MUST_CHECK;

/* Only the pieces of a path, the longest as above; times are ms from from_ns. As JSON: as a list
 * `segments` in an object, ns from from_ns. */
void show_critical_pieces(FILE *to, const struct lane_latency *latency,
			  const struct lane_critical_path *path, uint64_t from_ns, uint32_t rows);
void show_critical_tree(struct json_object *to, const struct lane_latency *latency,
			const struct lane_critical_path *path, uint64_t from_ns, uint32_t rows);

#endif
