/* SPDX-License-Identifier: MIT */
/* The requests, commands or frames of a recording one by one, for programs (docs/report.md). */
#ifndef LANE_SHOW_LISTS_H
#define LANE_SHOW_LISTS_H

#include <stdio.h>

#include "session/session.h"
#include "show/records.h"

/* Reads the recording, and writes those that are selected as CSV or as an object a line. Sets how
 * many lines these are. Where none are selected not even the head is written. */
struct lane_error *show_list_write(FILE *to, struct session *session, enum lane_record of,
				   bool is_json, uint64_t *rows) LANE_MUST_CHECK;

#endif
