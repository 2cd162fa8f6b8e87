/* SPDX-License-Identifier: MIT */
/* What the files of `gpulane report` share. */
#ifndef LANE_CMD_REPORT_H
#define LANE_CMD_REPORT_H

#include <stdbool.h>

#include "base/error.h"

/* Writes the recording's OpenCL commands to stdout, as CSV or as JSON lines. */
struct lane_error *lane_report_commands(const char *path, bool json) LANE_MUST_CHECK;

#endif
