// SPDX-License-Identifier: MIT
// Streams of votes through a layout into warps of addresses.
#include "model/papers/vote.h"

#include <string.h>

uint64_t model_vote_words(enum lane_layout layout, uint32_t bins, uint32_t copies)
{
	return ((uint64_t)bins + (layout == LANE_LAYOUT_PADDED)) * copies;
}

struct lane_error *model_vote_init(struct lane_vote *vote, struct lane_pad *pad,
				   enum lane_layout layout, uint32_t bins, uint32_t copies)
{
	uint64_t words = model_vote_words(layout, bins, copies);

	if (!bins || !copies || words > pad->words)
		return lane_error("%u bins in %u copies take %llu bytes, the scratchpad has %u "
				  "(take fewer bins or copies)",
				  bins, copies, (unsigned long long)words * 4, pad->words * 4);
	*vote = (struct lane_vote){
		.pad = pad,
		.layout = layout,
		.bins = bins,
		.copies = copies,
		.bin_step = layout == LANE_LAYOUT_STRETCHED ? copies : 1,
	};
	for (uint32_t id = 0; id < LANE_VOTE_BLOCK; id++) {
		uint32_t copy = id % copies;

		if (layout == LANE_LAYOUT_PADDED)
			copy *= bins + 1;
		else if (layout == LANE_LAYOUT_REPLICATED)
			copy *= bins;
		vote->offset[id] = (uint16_t)copy;
	}
	return NULL;
}

void model_vote_add(struct lane_vote *vote, const uint16_t *bin, size_t n)
{
	uint16_t address[LANE_PAD_LANES];
	uint32_t lanes = vote->pad->lanes;
	uint32_t first = 0;

	for (size_t i = 0; i < n; i += lanes) {
		uint32_t active = n - i < lanes ? (uint32_t)(n - i) : lanes;
		struct lane_pad_cost cost;

		for (uint32_t k = 0; k < active; k++)
			address[k] =
				(uint16_t)(bin[i + k] * vote->bin_step + vote->offset[first + k]);
		cost = model_pad_evaluate(vote->pad, address, active);
		vote->warps++;
		vote->rounds += cost.rounds;
		vote->read_levels += cost.read_levels;
		vote->write_levels += cost.write_levels;
		if (vote->as_load)
			vote->as_load_cycles += cost.first_levels * vote->pad->read;
		if (vote->floor > 0) {
			double cycles = model_pad_cycles(vote->pad, cost.rounds, cost.read_levels,
							 cost.write_levels);

			vote->floored_cycles += cycles > vote->floor ? cycles : vote->floor;
		}
		first = first + lanes < LANE_VOTE_BLOCK ? first + lanes : 0;
	}
}

double model_vote_mean(const struct lane_vote *vote)
{
	double cycles = vote->floor > 0 ? vote->floored_cycles
					: model_pad_cycles(vote->pad, vote->rounds,
							   vote->read_levels, vote->write_levels);

	return vote->warps ? cycles / (double)vote->warps : 0;
}
