/* SPDX-License-Identifier: MIT */
/* The OpenCL commands of a recording one by one, for programs (docs/report.md). */
#ifndef LANE_SHOW_COMMANDS_H
#define LANE_SHOW_COMMANDS_H

#include <stdio.h>

#include "latency/latency.h"

/* Where the list goes and how; a subscriber's argument. */
struct lane_command_list {
	FILE *to;
	bool json; /* an object a line, otherwise CSV */
};

/* The head, where there is one. */
void lane_command_list_begin(struct lane_command_list *list);

/* The hook `command`: a line for each request of the command, one without a request has one too.
 */
void lane_command_list_add(void *list, const struct lane_command *command);

#endif
