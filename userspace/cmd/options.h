/* SPDX-License-Identifier: MIT */
/* Options that several commands have: the recordings that are read, and of which machine. */
#ifndef LANE_CMD_OPTIONS_H
#define LANE_CMD_OPTIONS_H

#include <argp.h>

#include "session/named.h"

enum {
	CMD_OPTION_MACHINE = 0x1000,
	CMD_OPTION_PAIRS,
	CMD_OPTION_BY,
};

/* How a picture of a display is named: flip:CRTC:REFRESH. */
#define CMD_FLIP "flip:"

/* False: text is no such name. */
bool cmd_flip_name(const char *text, int32_t *crtc, uint32_t *refresh);

/* What argp knows of --machine and --pairs. */
#define CMD_BY_OPTION                                                                              \
	{                                                                                          \
		"by", CMD_OPTION_BY, "WHOM", 0,                                                    \
			"whose requests: a process's (default), or a cgroup's", 0                  \
	}
#define CMD_MACHINE_OPTIONS                                                                        \
	{ "machine",                                                                               \
	  CMD_OPTION_MACHINE,                                                                      \
	  "NAME",                                                                                  \
	  0,                                                                                       \
	  "of several machines' recordings only this machine's",                                   \
	  0 },                                                                                     \
	{                                                                                          \
		"pairs", CMD_OPTION_PAIRS, "FILE", 0,                                              \
			"events of two machines in a known order, which tie their clocks "         \
			"together",                                                                \
			0                                                                          \
	}

/*
 * Takes --machine, --pairs and the recordings' names, for which named->paths has room; what else
 * there is it does not know (ARGP_ERR_UNKNOWN).
 */
error_t cmd_named_option(int key, char *arg, struct session_named *named);

/* Standard output is a terminal that has colours, and they are wanted. */
bool cmd_has_colour(void);

/*
 * What is written to standard output from here on is kept until the end, and its lines are broken
 * at spaces to fit the terminal. Where it is none nothing is kept.
 */
struct cmd_wrapped {
	FILE *terminal; /* NULL: nothing is kept */
	char *text;
	size_t bytes;
};
void cmd_wrapped_begin(struct cmd_wrapped *wrapped);
void cmd_wrapped_end(struct cmd_wrapped *wrapped);

/* The size of the terminal that standard output is; false: it is none. */
bool cmd_terminal_size(unsigned int *columns, unsigned int *lines);

#endif
