/* SPDX-License-Identifier: MIT */
/* The recordings that a command is given, and the machines in them. */
#ifndef LANE_SESSION_NAMED_H
#define LANE_SESSION_NAMED_H

#include "norm/machines.h"
#include "session/session.h"

/* Zeroed at first; paths is the caller's array. */
struct session_named {
	const char **paths;
	size_t n_paths;
	const char *machine; /* --machine, NULL: all */
	const char *pairs;   /* --pairs */
	const char *by;	     /* --by, NULL: process */
	bool is_by_cgroup;   /* set by session_named_open: `groups` has the processes' cgroups */
	struct lane_cgroup_list groups;
	struct lane_machines found;
};

/*
 * Finds the machines and ties their clocks, unless there is only one; with --machine the others are
 * left out then.
 */
struct lane_error *session_named_open(struct session_named *named) LANE_MUST_CHECK;

/* True unless --machine has chosen another one. */
bool session_named_is_wanted(const struct session_named *named, size_t of);

/* How many are wanted. */
size_t session_named_count(const struct session_named *named);

/* For what is of one machine: its place, or an error when there are several. */
struct lane_error *session_named_one(const struct session_named *named,
				     const struct lane_place **place) LANE_MUST_CHECK;

/* The times at which a clock is shown: its first event, half-way, its last, its last pair. */
enum {
	SESSION_SHOWN_TIMES = 4
};

struct session_shown_clock {
	uint64_t at_ns[SESSION_SHOWN_TIMES]; /* on the timeline */
	struct lane_sync_line line[SESSION_SHOWN_TIMES];
};

void session_named_clock(const struct session_named *named, size_t of, uint64_t begin_ns,
			 uint64_t end_ns, struct session_shown_clock *shown);

void session_named_deinit(struct session_named *named);

/*
 * Reads the machines, each by itself and as `of` says but for its place: those that are on the
 * timeline count their seconds from its begin. sessions has room for all that were found; *n of
 * them are to be ended, whatever is returned.
 */
struct lane_error *session_named_read(const struct session_named *named, const struct session *of,
				      struct session *sessions, size_t *n) LANE_MUST_CHECK;

#endif
