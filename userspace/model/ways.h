/* SPDX-License-Identifier: MIT */
/*
 * Ways to vote beside each other, over the same images: which layout and how many copies cost the
 * fewest cycles, and what the hashes gain over all numbers of bins and copies.
 */
#ifndef LANE_MODEL_WAYS_H
#define LANE_MODEL_WAYS_H

#include "model/voters.h"

struct lane_ways_wish {
	uint32_t block;	       /* lanes of a work-group */
	bool tries_all_copies; /* each number of copies is tried; else the powers of two */
	bool sums_loads;       /* sums up what loads would take, too */
	double floor;	       /* cycles that every warp takes at least */
};

struct lane_ways {
	struct lane_ways_wish wish;
	const struct lane_voters *voters;
	struct lane_pad pad[LANE_HASH_COUNT];
	struct lane_vote *vote; /* the ways that are tried */
	size_t n, room;
};

/* The hashes beside each other, with so many bins in so many copies. */
struct lane_way_row {
	enum lane_layout layout;
	uint32_t bins;
	uint32_t copies;
	double cycles[LANE_HASH_COUNT]; /* of a warp */
	double gain[LANE_HASH_COUNT];	/* over no hash */
	double as_load;			/* if it is summed up */
};

/* A sweep's rows: the bins one after the other, of each the copies. */
struct lane_way_rows {
	struct lane_way_row *row;
	uint32_t n, room;
	uint64_t warps; /* that were gone through */
	uint32_t best;	/* the row with the largest gain by xor */
};

/* The device's scratchpad is made; *ways is to be freed, also after an error. */
struct lane_error *model_ways_init(struct lane_ways *ways, const struct lane_device *device,
				   const struct lane_voters *voters,
				   const struct lane_ways_wish *wish) LANE_MUST_CHECK;
void model_ways_free(struct lane_ways *ways);

/* Adds a way; fails when it does not fit. */
struct lane_error *model_ways_add(struct lane_ways *ways, enum lane_hash hash,
				  enum lane_layout layout, uint32_t bins,
				  uint32_t copies) LANE_MUST_CHECK;

/*
 * Votes in all layouts (or this one, not -1) and numbers of copies. *best: the one with the fewest
 * cycles, of several the one with fewer copies.
 */
struct lane_error *model_ways_choose(struct lane_ways *ways, enum lane_hash hash, int layout,
				     uint32_t bins, size_t *best) LANE_MUST_CHECK;

/* Looks closely at one way: a run of its own, whose sums go to *one. */
void model_ways_explain(const struct lane_ways *ways, size_t way, struct lane_vote *one,
			struct lane_vote_reasons *reasons);

/*
 * All hashes and numbers of copies for the numbers of bins from first to last, each twice the one
 * before. *rows is the caller's to free (its row), also after an error.
 */
struct lane_error *model_ways_sweep(struct lane_ways *ways, enum lane_layout layout,
				    uint32_t first_bins, uint32_t last_bins,
				    struct lane_way_rows *rows) LANE_MUST_CHECK;

/* Cycles of a warp, 0 where there were none. */
double model_vote_mean(const struct lane_vote *vote);

#endif
