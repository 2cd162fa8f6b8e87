/* SPDX-License-Identifier: MIT */
/*
 * Several recordings at once, and folders that hold traces of several machines: which machines
 * there are, and what is known of their clocks.
 *
 * The timeline is the first machine's clock. Another machine is tied to it when they are of one
 * boot, by pairs of events that a file names, or by packets that both have seen; perhaps by way of
 * a third. Of machines that are not tied nothing says what happened first.
 */
#ifndef LANE_NORM_MACHINES_H
#define LANE_NORM_MACHINES_H

#include "norm/tcp.h"

enum lane_tied {
	LANE_TIED_NOT,	     /* nothing ties it to the others */
	LANE_TIED_FIRST,     /* it is the timeline's */
	LANE_TIED_BOOT,	     /* it is of the first one's boot: one clock */
	LANE_TIED_PAIRS,     /* by a file of pairs */
	LANE_TIED_PACKETS,   /* by packets that it and its parent have seen */
	LANE_TIED_UNEVEN,    /* there are packets, and no even clock keeps all of them */
	LANE_TIED_UNBOUNDED, /* there are packets, not enough of them in both directions */
};

struct lane_machine {
	char name[80]; /* no other machine's */
	struct lane_place place;
	struct lane_trace_info info; /* by its own clock */
	enum lane_tied tied;
	size_t parent; /* of a tied machine: whose clock sync is about */
	struct lane_sync sync;
	struct lane_tcp_match match; /* of LANE_TIED_PACKETS and what failed */
	struct lane_tie tie;
	char **traces; /* of place */
	char *path;    /* place's, where it is another than the caller's */
};

struct lane_machines {
	struct lane_machine *machines;
	size_t n;
};

/*
 * Finds the machines at the paths. With one path that holds one machine it says no more than that.
 * *machines is the caller's, zeroed before; norm_machines_deinit frees it, also after an error.
 */
struct lane_error *norm_machines_find(const char *const *paths, size_t n,
				      struct lane_machines *machines) LANE_MUST_CHECK;

/*
 * Ties the machines' clocks: by the file of pairs (docs/dump.md), or, pairs being NULL, by what
 * they have seen of each other.
 */
struct lane_error *norm_machines_tie(struct lane_machines *machines,
				     const char *pairs) LANE_MUST_CHECK;

/* True when times of the machine are on the timeline. */
bool norm_machine_is_tied(const struct lane_machine *machine);

/* True when all are of one boot of one machine: their events need no names. */
bool norm_machines_are_one_boot(const struct lane_machines *machines);

/* When it was ns by the machine's clock: between two times of the timeline's. */
void norm_machine_bounds(const struct lane_machines *machines, size_t of, uint64_t ns,
			 uint64_t *lo_ns, uint64_t *hi_ns);

/* What is known of the machine's clock less the timeline's, when that machine's clock says ns. */
struct lane_sync_line norm_machine_line(const struct lane_machines *machines, size_t of,
					uint64_t ns);

/* What the machine's clock said when it was ns on the timeline, as exactly as one line can say. */
uint64_t norm_machine_own_ns(const struct lane_machine *machine, uint64_t ns);

/*
 * By how much ns, a machine's event's time on the timeline, can be wrong, each way; 0: it is as it
 * is.
 */
uint64_t norm_machine_half_width(const struct lane_machines *machines, size_t of, uint64_t ns);

void norm_machines_deinit(struct lane_machines *machines);

#endif
