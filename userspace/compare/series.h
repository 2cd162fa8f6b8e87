/* SPDX-License-Identifier: MIT */
/*
 * What a process did again and again: its requests on an engine, its runs of a kernel. Sums are of
 * all; quantiles of COMPARE_KEPT items that a draw by chance keeps, in the order of time.
 */
#ifndef LANE_COMPARE_SERIES_H
#define LANE_COMPARE_SERIES_H

#include "base/table.h"
#include "latency/latency.h"

#define COMPARE_KEPT   2048
#define COMPARE_SERIES 256 /* of a recording; what is further is counted as left out */

/* The columns of an item: its whole time, and its stages in the order of their enum. */
#define COMPARE_COLUMNS (1 + (int)LANE_CSTAGE_COUNT)

/* ns; what is not known goes from 0 to INFINITY. */
struct compare_bounds {
	float lo, hi;
};

struct compare_item {
	uint64_t at_ns;
	uint32_t draw;
	struct compare_bounds of[COMPARE_COLUMNS];
};

struct compare_sum {
	double lo, hi;	  /* ns, of those that are known */
	uint64_t unknown; /* items of which nothing bounds it from above */
};

struct compare_series {
	bool is_kernel;
	const struct lane_client *client; /* of requests, whose */
	const struct lane_engine *engine; /* and on which; NULL: none is known */
	int32_t pid;			  /* of a kernel */
	char who[16], kernel[64];	  /* and its names */
	uint64_t count;
	uint64_t cut; /* besides: they began before the recording, or ended after it */
	struct compare_sum sums[COMPARE_COLUMNS];
	struct compare_item *kept;
	uint32_t n_kept, room;
	double whole_ns;    /* the recording's: none of them took longer */
	uint32_t most_draw; /* items with a larger one are not kept */
	uint64_t draws;	    /* the state of the draws */
};

struct compare_collection {
	const struct lane_trace_info *info;
	const struct lane_select *select;
	struct compare_series *all[COMPARE_SERIES];
	uint32_t n;
	uint64_t left_out; /* items of series beyond the limit */
	struct lane_table index;
	bool has_no_memory;
};

/* Begins, or begins again; select outlives the collection. The hooks are given to the timeline. */
struct lane_hooks compare_collection_begin(struct compare_collection *collection,
					   const struct lane_trace_info *info,
					   const struct lane_select *select);

/* Moves the items of `from` to `to`, which is of the same name; `from` is freed. False: no memory.
 */
bool compare_series_join(struct compare_series *to, struct compare_series *from);

void compare_series_free(struct compare_series *series);
void compare_collection_deinit(struct compare_collection *collection);

#endif
