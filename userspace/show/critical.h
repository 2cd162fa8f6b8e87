/* SPDX-License-Identifier: MIT */
/* A critical path as text or JSON. */
#ifndef LANE_SHOW_CRITICAL_H
#define LANE_SHOW_CRITICAL_H

#include <stdio.h>

#include "show/report.h"

/*
 * Writes the path: the blame by process, engine and kind, then its pieces (rows of them at most,
 * the longest; 0: all, in order). Times are from the recording's beginning.
 */
struct lane_error *lane_critical_write_text(FILE *to, const struct lane_latency *latency,
					    const struct lane_critical_path *path,
					    uint32_t rows) LANE_MUST_CHECK;

/* The same as an object with the keys of docs/report.md, every piece in it. */
struct lane_error *lane_critical_write_json(FILE *to, const struct lane_latency *latency,
					    const struct lane_critical_path *path) LANE_MUST_CHECK;

#endif
