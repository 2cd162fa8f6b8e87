/* SPDX-License-Identifier: MIT */
/* The OpenCL commands of a recording one by one, for programs (docs/report.md). */
#ifndef LANE_SHOW_COMMAND_LIST_H
#define LANE_SHOW_COMMAND_LIST_H

#include <stdio.h>

#include "session/session.h"

/* Reads the recording, and writes its commands as CSV or as an object a line. */
struct lane_error *show_command_list_write(FILE *to, struct session *session,
					   bool is_json) LANE_MUST_CHECK;

#endif
