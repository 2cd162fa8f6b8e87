/* SPDX-License-Identifier: MIT */
/* The life of one request, as text or JSON (docs/explain.md). */
#ifndef LANE_OUT_EXPLAIN_H
#define LANE_OUT_EXPLAIN_H

#include <stdio.h>

#include "latency/latency.h"

/* Writes one request; begin_ns is the recording's first time. */
void lane_explain_write_text(FILE *to, const struct lane_explain *explain,
			     const struct lane_explained *of, uint64_t begin_ns);

/* The same as an object, a line. */
struct lane_error *lane_explain_write_json(FILE *to, const struct lane_explain *explain,
					   const struct lane_explained *of) LANE_MUST_CHECK;

#endif
