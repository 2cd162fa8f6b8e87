/* SPDX-License-Identifier: MIT */
/*
 * Voting in scratchpad memory: streams of bins become warps of addresses under a layout, and the
 * atomics' cost is summed up.
 *
 * The layouts are the software techniques of the paper named in pad.h, sections I and V.
 */
#ifndef LANE_MODEL_VOTE_H
#define LANE_MODEL_VOTE_H

#include "model/pad.h"

/* Where copy c of bin b lies, of B bins and R copies. */
enum lane_layout {
	LANE_LAYOUT_REPLICATED, /* b + c * B */
	LANE_LAYOUT_PADDED,	/* b + c * (B + 1) */
	LANE_LAYOUT_STRETCHED,	/* b * R + c */
	LANE_LAYOUT_COUNT,
};

const char *model_layout_name(enum lane_layout layout);
int model_layout_by_name(const char *name);

#define LANE_VOTE_BLOCK 1024 /* most lanes of a work-group */

/* One way to vote, and what it has cost so far. Lane id's copy is id mod R. */
struct lane_vote {
	struct lane_pad *pad; /* shared, not owned */
	enum lane_layout layout;
	uint32_t bins;
	uint32_t copies;
	uint32_t block; /* lanes of a work-group, a multiple of the warp */
	uint32_t bin_step;
	uint16_t offset[LANE_VOTE_BLOCK]; /* of the copy that a lane of the group uses */
	int as_load;			  /* set by the caller: sum up as_load_cycles, too */
	/* Sums over all warps. */
	uint64_t warps;
	uint64_t rounds;
	uint64_t read_levels;
	uint64_t write_levels;
	double as_load_cycles; /* what model_pad_as_load() says */
	double floor;	       /* cycles that every warp takes at least; 0: none */
	double floored_cycles; /* the sum of what the warps then take */
};

/* The same warps, with the reasons for their cycles. All sums are over all warps. */
struct lane_vote_reasons {
	uint64_t warps;
	double cycles;
	double base_cycles;
	double position_cycles;
	double lock_cycles;
	double bank_cycles;
	uint32_t position_degree; /* the largest of all warps, as are these two */
	uint32_t bank_degree;
	uint32_t lock_degree;
};

/* Words that B bins in R copies take. */
uint64_t model_vote_words(enum lane_layout layout, uint32_t bins, uint32_t copies);

/* Prepares to vote; fails when the copies do not fit the scratchpad. Nothing to free. */
struct lane_error *model_vote_init(struct lane_vote *vote, struct lane_pad *pad,
				   enum lane_layout layout, uint32_t bins, uint32_t copies,
				   uint32_t block) LANE_MUST_CHECK;

/*
 * One kernel: lane i of the grid votes for bin[i] (below vote->bins), consecutive lanes in warps,
 * the last one perhaps not full. Adds to the sums.
 */
void model_vote_add(struct lane_vote *vote, const uint16_t *bin, size_t n);

/* The same kernel looked at closely, several times slower. */
void model_vote_explain(const struct lane_vote *vote, const uint16_t *bin, size_t n,
			struct lane_vote_reasons *reasons);

/* Cycles of all warps, one after the other, each with at least the floor's. */
double model_vote_cycles(const struct lane_vote *vote);

#endif
