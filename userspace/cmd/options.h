/* SPDX-License-Identifier: MIT */
/* Options that several commands have. */
#ifndef LANE_CMD_OPTIONS_H
#define LANE_CMD_OPTIONS_H

/* What argp knows of --machine and --pairs. */
#define LANE_MACHINE_OPTIONS(machine_key, pairs_key)                                               \
	{                                                                                          \
		"machine",                                                                         \
		machine_key,                                                                       \
		"NAME",                                                                            \
		0,                                                                                 \
		"of several machines' recordings only this machine's",                             \
		0                                                                                  \
	},                                                                                         \
	{                                                                                          \
		"pairs", pairs_key, "FILE", 0,                                                     \
			"events of two machines in a known order, which tie their clocks "         \
			"together",                                                                \
			0                                                                          \
	}

#endif
