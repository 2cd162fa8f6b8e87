// SPDX-License-Identifier: MIT
// Streams of votes through a layout into warps of addresses.
#include "model/vote.h"

#include <string.h>

static const char *const layout_names[LANE_LAYOUT_COUNT] = {
	[LANE_LAYOUT_REPLICATED] = "replicated",
	[LANE_LAYOUT_PADDED] = "padded",
	[LANE_LAYOUT_STRETCHED] = "stretched",
};

const char *model_layout_name(enum lane_layout layout)
{
	return layout_names[layout];
}

int model_layout_by_name(const char *name)
{
	for (int i = 0; i < LANE_LAYOUT_COUNT; i++)
		if (!strcmp(layout_names[i], name))
			return i;
	return -1;
}

uint64_t model_vote_words(enum lane_layout layout, uint32_t bins, uint32_t copies)
{
	return ((uint64_t)bins + (layout == LANE_LAYOUT_PADDED)) * copies;
}

struct lane_error *model_vote_init(struct lane_vote *vote, struct lane_pad *pad,
				   enum lane_layout layout, uint32_t bins, uint32_t copies,
				   uint32_t block)
{
	uint64_t words = model_vote_words(layout, bins, copies);

	if (!bins || !copies || words > pad->words)
		return lane_error("%u bins in %u copies take %llu bytes, the scratchpad has %u "
				  "(take fewer bins or copies)",
				  bins, copies, (unsigned long long)words * 4, pad->words * 4);
	if (!block || block > LANE_VOTE_BLOCK || block % pad->lanes)
		return lane_error("a group of %u lanes is not a multiple of the warp's %u up to %d",
				  block, pad->lanes, LANE_VOTE_BLOCK);
	*vote = (struct lane_vote){
		.pad = pad,
		.layout = layout,
		.bins = bins,
		.copies = copies,
		.block = block,
		.bin_step = layout == LANE_LAYOUT_STRETCHED ? copies : 1,
	};
	for (uint32_t id = 0; id < block; id++) {
		uint32_t copy = id % copies;

		if (layout == LANE_LAYOUT_PADDED)
			copy *= bins + 1;
		else if (layout == LANE_LAYOUT_REPLICATED)
			copy *= bins;
		vote->offset[id] = (uint16_t)copy;
	}
	return NULL;
}

/* The words of one warp's lanes; first is the warp's first lane in its group. */
static inline __attribute__((always_inline)) void addresses(const struct lane_vote *vote,
							    const uint16_t *bin, uint32_t lanes,
							    uint32_t first, uint16_t *address)
{
	for (uint32_t i = 0; i < lanes; i++)
		address[i] = (uint16_t)(bin[i] * vote->bin_step + vote->offset[first + i]);
}

void model_vote_add(struct lane_vote *vote, const uint16_t *bin, size_t n)
{
	uint16_t address[LANE_PAD_LANES];
	uint32_t lanes = vote->pad->lanes;
	uint32_t first = 0;
	int low = model_vote_words(vote->layout, vote->bins, vote->copies) <=
		  (uint64_t)vote->pad->banks * vote->pad->locks_per_bank;

	for (size_t i = 0; i < n; i += lanes) {
		uint32_t active = n - i < lanes ? (uint32_t)(n - i) : lanes;
		struct lane_pad_cost cost;

		addresses(vote, bin + i, active, first, address);
		cost = low ? model_pad_evaluate_low(vote->pad, address, active)
			   : model_pad_evaluate(vote->pad, address, active);
		vote->warps++;
		vote->rounds += cost.rounds;
		vote->read_levels += cost.read_levels;
		vote->write_levels += cost.write_levels;
		if (vote->as_load)
			vote->as_load_cycles += model_pad_as_load(vote->pad, address, active);
		if (vote->floor > 0) {
			double cycles = model_pad_cycles(vote->pad, cost.rounds, cost.read_levels,
							 cost.write_levels);

			vote->floored_cycles += cycles > vote->floor ? cycles : vote->floor;
		}
		first = first + lanes < vote->block ? first + lanes : 0;
	}
}

double model_vote_cycles(const struct lane_vote *vote)
{
	if (vote->floor > 0)
		return vote->floored_cycles;
	return model_pad_cycles(vote->pad, vote->rounds, vote->read_levels, vote->write_levels);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

void model_vote_explain(const struct lane_vote *vote, const uint16_t *bin, size_t n,
			struct lane_vote_reasons *reasons)
{
	uint16_t address[LANE_PAD_LANES];
	uint32_t lanes = vote->pad->lanes;
	uint32_t first = 0;

	for (size_t i = 0; i < n; i += lanes) {
		uint32_t active = n - i < lanes ? (uint32_t)(n - i) : lanes;
		struct lane_pad_warp warp;

		addresses(vote, bin + i, active, first, address);
		model_pad_explain(vote->pad, address, active, &warp);
		reasons->warps++;
		reasons->cycles += warp.cycles;
		reasons->base_cycles += warp.base_cycles;
		reasons->position_cycles += warp.position_cycles;
		reasons->lock_cycles += warp.lock_cycles;
		reasons->bank_cycles += warp.bank_cycles;
		reasons->position_degree = larger(reasons->position_degree, warp.position_degree);
		reasons->bank_degree = larger(reasons->bank_degree, warp.bank_degree);
		reasons->lock_degree = larger(reasons->lock_degree, warp.lock_degree);
		first = first + lanes < vote->block ? first + lanes : 0;
	}
}
