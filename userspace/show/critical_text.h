/* SPDX-License-Identifier: MIT */
/* A critical path as text or JSON. */
#ifndef LANE_SHOW_CRITICAL_TEXT_H
#define LANE_SHOW_CRITICAL_TEXT_H

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

#endif
