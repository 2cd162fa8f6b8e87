/* SPDX-License-Identifier: MIT */
/* What the files of `gpulane report` share. */
#ifndef LANE_CMD_REPORT_H
#define LANE_CMD_REPORT_H

#include <stdbool.h>

#include "cmd/machines.h"
#include "show/report.h"

/*
 * Write the recording's OpenCL commands, its requests, to stdout, as CSV or as JSON lines. Of *of
 * path and place count.
 */
struct lane_error *lane_report_commands(const struct lane_reading *of, bool json) LANE_MUST_CHECK;
struct lane_error *lane_report_requests(const struct lane_reading *of, bool json) LANE_MUST_CHECK;

/* Writes the reports of several machines to stdout, beginning with their clocks. */
struct lane_error *lane_report_machines(const struct lane_named *named,
					struct lane_reading *readings,
					const struct lane_report_format *format,
					const struct lane_report_options *options) LANE_MUST_CHECK;

struct lane_critical_options {
	bool by_time; /* of this part of the recording, seconds; to_s 0: its end */
	double from_s, to_s;
	bool json;
	uint32_t rows; /* pieces at most, 0: all */
};

/* Writes the critical path of the longest request selected, or of an interval, to stdout. */
struct lane_error *
lane_report_critical(struct lane_reading *reading,
		     const struct lane_critical_options *options) LANE_MUST_CHECK;

#endif
