/* SPDX-License-Identifier: MIT */
/* The recordings that a command is given, and the machines in them. */
#ifndef LANE_CMD_MACHINES_H
#define LANE_CMD_MACHINES_H

#include "cmd/read.h"
#include "norm/machines.h"

/* Options that several commands have: what argp knows of them. */
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

/* Zeroed at first; paths is the caller's array. */
struct lane_named {
	const char **paths;
	size_t n_paths;
	const char *machine; /* --machine, NULL: all */
	const char *pairs;   /* --pairs */
	struct lane_machines found;
};

/*
 * Finds the machines and ties their clocks, unless there is only one; with --machine the others are
 * left out then.
 */
struct lane_error *lane_named_open(struct lane_named *named) LANE_MUST_CHECK;

/* True unless --machine has chosen another one. */
bool lane_named_is_wanted(const struct lane_named *named, size_t of);

/* How many are wanted. */
size_t lane_named_count(const struct lane_named *named);

/* For what is of one machine: its place, or an error when there are several. */
struct lane_error *lane_named_one(const struct lane_named *named,
				  const struct lane_place **place) LANE_MUST_CHECK;

/* What is known of a machine's clock, in one line, without its name. */
void lane_named_say(FILE *to, const struct lane_named *named, size_t of);

/* The times at which a clock is shown: its first event, half-way, its last, its last pair. */
enum {
	LANE_SHOWN_TIMES = 4
};

struct lane_shown_clock {
	uint64_t at_ns[LANE_SHOWN_TIMES]; /* on the timeline */
	struct lane_sync_line line[LANE_SHOWN_TIMES];
};

void lane_named_clock(const struct lane_named *named, size_t of, uint64_t begin_ns, uint64_t end_ns,
		      struct lane_shown_clock *shown);

void lane_named_deinit(struct lane_named *named);

#endif
