/* SPDX-License-Identifier: MIT */
/*
 * Voting in scratchpad memory: streams of bins become warps of addresses under a layout, and the
 * atomics' cost is summed up.
 *
 * The layouts are the software techniques of the paper named in pad.h, sections I and V.
 */
#ifndef LANE_MODEL_VOTE_H
#define LANE_MODEL_VOTE_H

#include "model/pattern.h"

#define LANE_VOTE_BLOCK 256 /* lanes of a work-group */

/* One way to vote, and what it has cost so far. Lane id's copy is id mod R. */
struct lane_vote {
	struct lane_pad *pad; /* shared, not owned */
	enum lane_layout layout;
	uint32_t bins;
	uint32_t copies;
	uint32_t bin_step;
	uint16_t offset[LANE_VOTE_BLOCK]; /* of the copy that a lane of the group uses */
	int as_load;			  /* set by the caller: sum up as_load_cycles, too */
	/* Sums over all warps. */
	uint64_t warps;
	uint64_t rounds;
	uint64_t read_levels;
	uint64_t write_levels;
	double as_load_cycles; /* of a simulator that takes an atomic for a load: read cycles
				 per bank conflict level, once (the paper's section III) */
	double floor;	       /* cycles that every warp takes at least; 0: none */
	double floored_cycles; /* the sum of what the warps then take */
};

/* Words that B bins in R copies take. */
uint64_t model_vote_words(enum lane_layout layout, uint32_t bins, uint32_t copies);

/* Prepares to vote; fails when the copies do not fit the scratchpad. Nothing to free. */
struct lane_error *model_vote_init(struct lane_vote *vote, struct lane_pad *pad,
				   enum lane_layout layout, uint32_t bins,
				   uint32_t copies) LANE_MUST_CHECK;

/*
 * One kernel: lane i of the grid votes for bin[i] (below vote->bins), consecutive lanes in warps,
 * the last one perhaps not full. Adds to the sums.
 */
void model_vote_add(struct lane_vote *vote, const uint16_t *bin, size_t n);

/* Cycles of a warp in the mean, each with at least the floor's; 0 where there were none. */
double model_vote_mean(const struct lane_vote *vote);

#endif
