/* SPDX-License-Identifier: MIT */
/*
 * Numbers for things that are open at the same time, the smallest that is free, per group: the rows
 * in which a viewer draws them without one over the other. For who is told when a thing begins; who
 * learns of it at its end needs another rule, see find_row() in show/tracks.c.
 */
#ifndef LANE_SHOW_TRACK_ROWS_H
#define LANE_SHOW_TRACK_ROWS_H

#include "base/table.h"

#define LANE_ROW_NONE UINT32_MAX

/* Zeroed at first. */
struct lane_track_rows {
	struct lane_table groups;
	struct lane_table open;
	struct lane_pool pool;
	bool no_memory;
};

/* Two numbers that name a group, or a thing, which may be in one group only. */
struct lane_rows_key {
	uint64_t a, b;
};

/* The row of a thing that is open, else the one that it is given in this group. */
uint32_t show_rows_take(struct lane_track_rows *rows, struct lane_rows_key group,
			struct lane_rows_key thing);

/* The row of a thing, which has none from now on; LANE_ROW_NONE when it had none. */
uint32_t show_rows_give(struct lane_track_rows *rows, struct lane_rows_key group,
			struct lane_rows_key thing);

/* How many things of the group are open. */
uint32_t show_rows_open(const struct lane_track_rows *rows, struct lane_rows_key group);

void show_rows_free(struct lane_track_rows *rows);

#endif
