/* SPDX-License-Identifier: MIT */
/* The reports of several machines, and what is said of their clocks. */
#ifndef LANE_SHOW_REPORT_MACHINES_H
#define LANE_SHOW_REPORT_MACHINES_H

#include "session/named.h"
#include "session/session.h"
#include "show/report.h"

/* Reads the machines, each as `of` says, and writes their reports to stdout, beginning with their
 * clocks. */
struct lane_error *show_report_machines(const struct session_named *named, const struct session *of,
					const struct lane_report_format *format,
					const struct lane_report_options *options) LANE_MUST_CHECK;

/* What is known of a machine's clock, in one line, without its name. */
void show_say_tie(FILE *to, const struct session_named *named, size_t of);

#endif
