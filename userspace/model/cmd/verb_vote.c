// SPDX-License-Identifier: MIT
// `gpulane model histogram`, `hough` and `kmeans`: one way to vote, the best way, or a sweep over
// all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/cmd/verb_vote.h"
#include "model/plot.h"

#define MAX_ROWS 8192

/* What a run works with. */
struct bench {
	struct vote_options o;
	struct vote_inputs inputs;
	struct lane_pad pad[LANE_HASH_COUNT];
	struct lane_vote *vote; /* the ways that a pass is tried on */
	size_t n_votes;
	struct lane_vote_reasons reasons;
};

static void add_votes(void *context, const uint16_t *bin, size_t n)
{
	struct bench *b = context;

	for (size_t i = 0; i < b->n_votes; i++)
		model_vote_add(&b->vote[i], bin, n);
}

static void explain_votes(void *context, const uint16_t *bin, size_t n)
{
	struct bench *b = context;

	model_vote_explain(&b->vote[0], bin, n, &b->reasons);
	model_vote_add(&b->vote[0], bin, n);
}

static double per_warp(double cycles, uint64_t warps)
{
	return warps ? cycles / (double)warps : 0;
}

static double vote_mean(const struct lane_vote *vote)
{
	return per_warp(model_vote_cycles(vote), vote->warps);
}

/* The next number of copies behind `copies` that is to be tried. */
static uint32_t next_copies(const struct bench *b, uint32_t copies)
{
	return b->o.all_copies ? copies + 1 : copies * 2;
}

/*
 * Most copies that are tried: as many as fit and as a group has lanes, because every lane has a
 * copy of its own then.
 */
static uint32_t most_copies(const struct bench *b, enum lane_layout layout, uint32_t bins)
{
	uint64_t fit = b->pad[0].words / model_vote_words(layout, bins, 1);

	return fit < b->o.block ? (uint32_t)fit : b->o.block;
}

static struct lane_error *reserve(struct bench *b)
{
	if (b->n_votes == MAX_ROWS)
		return lane_error("more than %d combinations (choose --bins or --layout)",
				  MAX_ROWS);
	if (!(b->n_votes & (b->n_votes - 1))) {
		size_t room = b->n_votes ? 2 * b->n_votes : 1;
		struct lane_vote *larger = realloc(b->vote, room * sizeof(*larger));

		if (!larger)
			return &lane_enomem;
		b->vote = larger;
	}
	return NULL;
}

static struct lane_error *add_way(struct bench *b, enum lane_hash hash, enum lane_layout layout,
				  uint32_t bins, uint32_t copies)
{
	struct lane_error *err = reserve(b);

	if (!err)
		err = model_vote_init(&b->vote[b->n_votes], &b->pad[hash], layout, bins, copies,
				      b->o.block);
	if (err)
		return err;
	b->vote[b->n_votes].floor = b->o.floor;
	b->vote[b->n_votes].as_load = b->o.as_load && hash == LANE_HASH_NONE;
	b->n_votes++;
	return NULL;
}

static uint32_t given_bins(const struct vote_options *o)
{
	static const uint32_t preset[] = {
		[VOTE_HISTOGRAM] = 256, [VOTE_HOUGH] = 2048, [VOTE_KMEANS] = 16
	};
	uint32_t bins = o->bins ? o->bins : preset[o->kind];

	return o->kind == VOTE_KMEANS ? 2 * bins : bins;
}

static void put_way(json_object *object, const struct lane_vote *vote)
{
	model_put_text(object, "layout", model_layout_name(vote->layout));
	model_put_whole(object, "bins", vote->bins);
	model_put_whole(object, "copies", vote->copies);
	model_put_text(object, "hash", model_hash_name(vote->pad->hash));
	model_put_whole(object, "bytes",
			(int64_t)model_vote_words(vote->layout, vote->bins, vote->copies) * 4);
}

/* One way looked at closely: a run of its own. */
static struct lane_error *explain(struct bench *b, const struct lane_vote *way, json_object *result)
{
	struct lane_vote one = *way;
	const struct lane_vote_reasons *r = &b->reasons;
	struct lane_vote *all = b->vote;
	struct lane_error *err;

	one.warps = one.rounds = one.read_levels = one.write_levels = 0;
	b->vote = &one;
	b->reasons = (struct lane_vote_reasons){ 0 };
	err = vote_run(&b->o, &b->inputs, one.bins, explain_votes, b);
	b->vote = all;
	if (err)
		return err;
	put_way(result, &one);
	model_put_whole(result, "warps", (int64_t)r->warps);
	model_put_real(result, "cycles", r->cycles, 3);
	model_put_real(result, "cycles_per_warp", per_warp(r->cycles, r->warps), 3);
	model_put_real(result, "base_cycles_per_warp", per_warp(r->base_cycles, r->warps), 3);
	model_put_real(result, "position_cycles_per_warp", per_warp(r->position_cycles, r->warps),
		       3);
	model_put_real(result, "lock_cycles_per_warp", per_warp(r->lock_cycles, r->warps), 3);
	model_put_real(result, "bank_cycles_per_warp", per_warp(r->bank_cycles, r->warps), 3);
	model_put_whole(result, "worst_position_degree", r->position_degree);
	model_put_whole(result, "worst_bank_degree", r->bank_degree);
	model_put_whole(result, "worst_lock_degree", r->lock_degree);
	return NULL;
}

/* Why the best way is the best: what it saves and what it still pays, in one sentence. */
static void say_why(const struct bench *b, const struct lane_vote *plain,
		    const struct lane_vote *best, json_object *result)
{
	const struct lane_vote_reasons *r = &b->reasons;
	double position = per_warp(r->position_cycles, r->warps);
	double lock = per_warp(r->lock_cycles, r->warps);
	double bank = per_warp(r->bank_cycles, r->warps);
	const char *most = position >= lock && position >= bank ? "lanes on the same word"
			   : lock >= bank			? "words behind the same lock"
								: "words in the same bank";
	char text[256];

	if (vote_mean(best) <= model_pad_cycles(best->pad, 1, 1, 1))
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy: no conflict is left",
			 vote_mean(best), vote_mean(plain));
	else
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy; most of what is left "
			 "above "
			 "%.0f are %s (position %.1f, lock %.1f, bank %.1f)",
			 vote_mean(best), vote_mean(plain), model_pad_cycles(best->pad, 1, 1, 1),
			 most, position, lock, bank);
	model_put_text(result, "why", text);
}

/* The best of all layouts and copies for the chosen hash; ties go to fewer bytes. */
static struct lane_error *choose(struct bench *b, json_object *result)
{
	uint32_t bins = given_bins(&b->o);
	size_t best = 0;
	struct lane_error *err = NULL;

	for (int l = 0; !err && l < LANE_LAYOUT_COUNT; l++) {
		if (b->o.layout >= 0 && b->o.layout != l)
			continue;
		for (uint32_t r = 1; !err && r <= most_copies(b, (enum lane_layout)l, bins);
		     r = next_copies(b, r))
			err = add_way(b, b->o.hash, (enum lane_layout)l, bins, r);
	}
	if (!err && !b->n_votes)
		err = add_way(b, b->o.hash, LANE_LAYOUT_REPLICATED, bins, 1);
	if (!err)
		err = vote_run(&b->o, &b->inputs, bins, add_votes, b);
	if (err)
		return err;
	for (size_t i = 1; i < b->n_votes; i++) {
		double gain = model_vote_cycles(&b->vote[best]) - model_vote_cycles(&b->vote[i]);

		if (gain > 0 || (gain >= 0 && b->vote[i].copies < b->vote[best].copies))
			best = i;
	}
	err = explain(b, &b->vote[best], result);
	if (err)
		return err;
	say_why(b, &b->vote[0], &b->vote[best], result);
	for (size_t i = 0; i < b->n_votes; i++) {
		json_object *row = model_row(result);

		put_way(row, &b->vote[i]);
		model_put_real(row, "cycles_per_warp", vote_mean(&b->vote[i]), 3);
		model_put_text(row, "best", i == best ? "yes" : "");
	}
	return NULL;
}

static struct lane_error *single(struct bench *b, json_object *result)
{
	enum lane_layout layout =
		b->o.layout < 0 ? LANE_LAYOUT_REPLICATED : (enum lane_layout)b->o.layout;
	struct lane_error *err = add_way(b, b->o.hash, layout, given_bins(&b->o), b->o.copies);

	return err ? err : explain(b, &b->vote[0], result);
}

/* The three hashes of one number of bins and copies lie side by side in b->vote. */
static void put_rows(const struct bench *b, json_object *result)
{
	for (size_t i = 0; i + LANE_HASH_COUNT <= b->n_votes; i += LANE_HASH_COUNT) {
		const struct lane_vote *vote = &b->vote[i];
		json_object *row = model_row(result);
		double none = vote_mean(&vote[LANE_HASH_NONE]);

		model_put_text(row, "layout", model_layout_name(vote->layout));
		model_put_whole(row, "bins", vote->bins);
		model_put_whole(row, "copies", vote->copies);
		for (int h = 0; h < LANE_HASH_COUNT; h++)
			model_put_real(row, model_hash_name((enum lane_hash)h), vote_mean(&vote[h]),
				       3);
		for (int h = 1; h < LANE_HASH_COUNT; h++) {
			double cycles = vote_mean(&vote[h]);
			char key[16];

			snprintf(key, sizeof(key), "gain_%s", model_hash_name((enum lane_hash)h));
			model_put_real(row, key, cycles > 0 ? none / cycles : 1, 3);
		}
		if (b->o.as_load)
			model_put_real(row, "as_load", per_warp(vote->as_load_cycles, vote->warps),
				       3);
	}
}

static struct lane_error *sweep_bins(struct bench *b, enum lane_layout layout, uint32_t bins,
				     json_object *result, uint64_t *warps)
{
	uint32_t most = most_copies(b, layout, bins);
	struct lane_error *err = NULL;

	b->n_votes = 0;
	for (uint32_t r = 1; !err && r <= most; r = next_copies(b, r))
		for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
			err = add_way(b, (enum lane_hash)h, layout, bins, r);
	if (!err && !b->n_votes) /* says why: it does not fit */
		err = add_way(b, LANE_HASH_NONE, layout, bins, 1);
	if (!err)
		err = vote_run(&b->o, &b->inputs, bins, add_votes, b);
	if (err)
		return err;
	put_rows(b, result);
	for (size_t i = 0; i < b->n_votes; i++)
		*warps += b->vote[i].warps;
	return NULL;
}

/* Processor time: what one core needs, however busy the machine is. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The row with the largest gain, and for the plain hash the best number of copies per bins. */
static void put_largest(json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	json_object *largest = NULL;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);

		if (!largest || model_get(row, "gain_xor") > model_get(largest, "gain_xor"))
			largest = row;
	}
	model_put_real(result, "largest_gain_xor", model_get(largest, "gain_xor"), 3);
	model_put_whole(result, "largest_gain_bins", (int64_t)model_get(largest, "bins"));
	model_put_whole(result, "largest_gain_copies", (int64_t)model_get(largest, "copies"));
}

/* One line per number of bins and hash, cycles over copies. */
static struct lane_error *plot_sweep(const struct bench *b, json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	size_t n = json_object_array_length(rows);
	LANE_CLEANUP(lane_free) double *number = calloc(n * (1 + LANE_HASH_COUNT), sizeof(double));
	LANE_CLEANUP(lane_free)
	struct lane_series *series = calloc(n * LANE_HASH_COUNT, sizeof(*series));
	LANE_CLEANUP(lane_free) char(*name)[32] = calloc(n * LANE_HASH_COUNT, sizeof(*name));
	size_t n_series = 0;
	size_t end;

	if (!number || !series || !name)
		return &lane_enomem;
	for (size_t begin = 0; begin < n; begin = end) {
		json_object *first = json_object_array_get_idx(rows, begin);

		for (end = begin; end < n; end++) {
			json_object *row = json_object_array_get_idx(rows, end);

			if (model_get(row, "bins") != model_get(first, "bins"))
				break;
			number[end] = model_get(row, "copies");
			for (int h = 0; h < LANE_HASH_COUNT; h++)
				number[n * (size_t)(h + 1) + end] =
					model_get(row, model_hash_name((enum lane_hash)h));
		}
		for (int h = 0; h < LANE_HASH_COUNT; h++) {
			snprintf(name[n_series], sizeof(name[0]), "%d bins, %s",
				 (int)model_get(first, "bins"), model_hash_name((enum lane_hash)h));
			series[n_series] =
				(struct lane_series){ name[n_series], number + begin,
						      number + n * (size_t)(h + 1) + begin,
						      end - begin };
			n_series++;
		}
	}
	return model_plot(b->o.common.plot,
			  &(struct lane_plot){ "Atomics in scratchpad memory", "copies",
					       "cycles per warp", 1, series, n_series });
}

static struct lane_error *sweep(struct bench *b, json_object *result)
{
	enum lane_layout layout =
		b->o.layout < 0 ? LANE_LAYOUT_REPLICATED : (enum lane_layout)b->o.layout;
	double begin = seconds();
	double taken;
	uint64_t warps = 0;
	struct lane_error *err = NULL;

	if (b->o.bins || b->o.kind != VOTE_HISTOGRAM) {
		err = sweep_bins(b, layout, given_bins(&b->o), result, &warps);
	} else {
		for (uint32_t bins = 32; !err && bins <= 4096; bins *= 2)
			err = sweep_bins(b, layout, bins, result, &warps);
	}
	if (err)
		return err;
	taken = seconds() - begin;
	fprintf(stderr,
		"gpulane: model: %llu warps in %.1f s of processor time, %.2f million warps/s\n",
		(unsigned long long)warps, taken, taken > 0 ? (double)warps / taken / 1e6 : 0);
	put_largest(result);
	return b->o.common.plot ? plot_sweep(b, result) : NULL;
}

static struct lane_error *run(void *bench, struct lane_device *device, json_object *result)
{
	struct bench *b = bench;
	struct lane_error *err = vote_load(&b->o, &b->inputs);

	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = model_pad_init(&b->pad[h], device, (enum lane_hash)h);
	if (err)
		return err;
	if (b->o.n_images)
		model_put_whole(result, "images", b->inputs.n);
	else
		model_put_text(result, "generated", model_texture_name(b->o.texture));
	if (b->o.sweep)
		return sweep(b, result);
	return b->o.copies ? single(b, result) : choose(b, result);
}

static struct lane_error *vote(enum vote_kind kind, const char *name, int argc, char **argv)
{
	struct bench b = { .o = { .kind = kind,
				  .layout = -1,
				  .block = 256,
				  .texture = kind == VOTE_HOUGH ? LANE_TEXTURE_LINES
								: LANE_TEXTURE_SMOOTH,
				  .width = kind == VOTE_HOUGH ? 640 : 1536,
				  .height = kind == VOTE_HOUGH ? 480 : 1024,
				  .seed = 1,
				  .angles = 180,
				  .threshold = 0.1,
				  .iterations = 10 } };
	int done;
	struct lane_error *err = vote_parse(argc, argv, &b.o, &done);

	if (err || done)
		return err;
	err = model_run(&b.o.common, name, "fermi-gtx580", run, &b);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_pad_free(&b.pad[h]);
	vote_free(&b.inputs);
	free(b.vote);
	return err;
}

struct lane_error *model_histogram(int argc, char **argv)
{
	return vote(VOTE_HISTOGRAM, "histogram", argc, argv);
}

struct lane_error *model_hough(int argc, char **argv)
{
	return vote(VOTE_HOUGH, "hough", argc, argv);
}

struct lane_error *model_kmeans(int argc, char **argv)
{
	return vote(VOTE_KMEANS, "kmeans", argc, argv);
}
