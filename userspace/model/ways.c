// SPDX-License-Identifier: MIT
// Ways to vote beside each other: the best one, and sweeps over all.
#include "model/ways.h"

#include <stdlib.h>

#include "base/vector.h"

#define MAX_WAYS 8192

struct lane_error *model_ways_init(struct lane_ways *ways, const struct lane_device *device,
				   const struct lane_voters *voters,
				   const struct lane_ways_wish *wish)
{
	struct lane_error *err = NULL;

	*ways = (struct lane_ways){ .wish = *wish, .voters = voters };
	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = model_pad_init(&ways->pad[h], device, (enum lane_hash)h);
	return err;
}

void model_ways_free(struct lane_ways *ways)
{
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_pad_free(&ways->pad[h]);
	free(ways->vote);
}

double model_vote_mean(const struct lane_vote *vote)
{
	return vote->warps ? model_vote_cycles(vote) / (double)vote->warps : 0;
}

struct lane_error *model_ways_add(struct lane_ways *ways, enum lane_hash hash,
				  enum lane_layout layout, uint32_t bins, uint32_t copies)
{
	struct lane_vote *vote;
	struct lane_error *err;

	if (ways->n == MAX_WAYS)
		return lane_error("more than %d combinations (choose --bins or --layout)",
				  MAX_WAYS);
	if (!LANE_GROW(ways->vote, ways->room, ways->n + 1))
		return &lane_enomem;
	vote = &ways->vote[ways->n];
	err = model_vote_init(vote, &ways->pad[hash], layout, bins, copies, ways->wish.block);
	if (err)
		return err;
	vote->floor = ways->wish.floor;
	vote->as_load = ways->wish.sums_loads && hash == LANE_HASH_NONE;
	ways->n++;
	return NULL;
}

/* The next number of copies behind `copies` that is to be tried. */
static uint32_t next_copies(const struct lane_ways *ways, uint32_t copies)
{
	return ways->wish.tries_all_copies ? copies + 1 : copies * 2;
}

/*
 * Most copies that are tried: as many as fit and as a group has lanes, because every lane has a
 * copy of its own then.
 */
static uint32_t most_copies(const struct lane_ways *ways, enum lane_layout layout, uint32_t bins)
{
	uint64_t fit = ways->pad[0].words / model_vote_words(layout, bins, 1);

	return fit < ways->wish.block ? (uint32_t)fit : ways->wish.block;
}

static void add_votes(void *arg, const uint16_t *bin, size_t n)
{
	struct lane_ways *ways = arg;

	for (size_t i = 0; i < ways->n; i++)
		model_vote_add(&ways->vote[i], bin, n);
}

/* A way that is looked at closely. */
struct close {
	struct lane_vote *vote;
	struct lane_vote_reasons *reasons;
};

static void explain_votes(void *arg, const uint16_t *bin, size_t n)
{
	const struct close *close = arg;

	model_vote_explain(close->vote, bin, n, close->reasons);
	model_vote_add(close->vote, bin, n);
}

void model_ways_explain(const struct lane_ways *ways, size_t way, struct lane_vote *one,
			struct lane_vote_reasons *reasons)
{
	struct close close = { one, reasons };

	*one = ways->vote[way];
	*reasons = (struct lane_vote_reasons){ 0 };
	one->warps = one->rounds = one->read_levels = one->write_levels = 0;
	model_voters_run(ways->voters, one->bins, explain_votes, &close);
}

struct lane_error *model_ways_choose(struct lane_ways *ways, enum lane_hash hash, int layout,
				     uint32_t bins, size_t *best)
{
	struct lane_error *err = NULL;

	for (int l = 0; !err && l < LANE_LAYOUT_COUNT; l++) {
		if (layout >= 0 && layout != l)
			continue;
		for (uint32_t r = 1; !err && r <= most_copies(ways, (enum lane_layout)l, bins);
		     r = next_copies(ways, r))
			err = model_ways_add(ways, hash, (enum lane_layout)l, bins, r);
	}
	if (!err && !ways->n) /* says why: it does not fit */
		err = model_ways_add(ways, hash, LANE_LAYOUT_REPLICATED, bins, 1);
	if (err)
		return err;
	model_voters_run(ways->voters, bins, add_votes, ways);
	*best = 0;
	for (size_t i = 1; i < ways->n; i++) {
		double gain =
			model_vote_cycles(&ways->vote[*best]) - model_vote_cycles(&ways->vote[i]);

		if (gain > 0 || (gain >= 0 && ways->vote[i].copies < ways->vote[*best].copies))
			*best = i;
	}
	return NULL;
}

/* The hashes of one number of bins and copies lie side by side. */
static void fill_row(struct lane_way_row *row, const struct lane_vote *vote)
{
	double none = model_vote_mean(&vote[LANE_HASH_NONE]);

	row->layout = vote->layout;
	row->bins = vote->bins;
	row->copies = vote->copies;
	for (int h = 0; h < LANE_HASH_COUNT; h++) {
		row->cycles[h] = model_vote_mean(&vote[h]);
		row->gain[h] = row->cycles[h] > 0 ? none / row->cycles[h] : 1;
	}
	row->as_load = vote->warps ? vote->as_load_cycles / (double)vote->warps : 0;
}

static struct lane_error *keep_rows(const struct lane_ways *ways, struct lane_way_rows *rows)
{
	for (size_t i = 0; i + LANE_HASH_COUNT <= ways->n; i += LANE_HASH_COUNT) {
		struct lane_way_row *row;

		if (!LANE_GROW(rows->row, rows->room, rows->n + 1))
			return &lane_enomem;
		row = &rows->row[rows->n];
		fill_row(row, &ways->vote[i]);
		if (row->gain[LANE_HASH_XOR] > rows->row[rows->best].gain[LANE_HASH_XOR])
			rows->best = rows->n;
		rows->n++;
	}
	for (size_t i = 0; i < ways->n; i++)
		rows->warps += ways->vote[i].warps;
	return NULL;
}

static struct lane_error *sweep_copies(struct lane_ways *ways, enum lane_layout layout,
				       uint32_t bins)
{
	uint32_t most = most_copies(ways, layout, bins);
	struct lane_error *err = NULL;

	ways->n = 0;
	for (uint32_t r = 1; !err && r <= most; r = next_copies(ways, r))
		for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
			err = model_ways_add(ways, (enum lane_hash)h, layout, bins, r);
	if (!err && !ways->n) /* says why: it does not fit */
		err = model_ways_add(ways, LANE_HASH_NONE, layout, bins, 1);
	if (!err)
		model_voters_run(ways->voters, bins, add_votes, ways);
	return err;
}

struct lane_error *model_ways_sweep(struct lane_ways *ways, enum lane_layout layout,
				    uint32_t first_bins, uint32_t last_bins,
				    struct lane_way_rows *rows)
{
	struct lane_error *err = NULL;

	*rows = (struct lane_way_rows){ .row = NULL };
	for (uint32_t bins = first_bins; !err && bins <= last_bins; bins *= 2) {
		err = sweep_copies(ways, layout, bins);
		if (!err)
			err = keep_rows(ways, rows);
	}
	return err;
}
