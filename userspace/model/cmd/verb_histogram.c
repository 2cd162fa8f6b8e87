// SPDX-License-Identifier: MIT
// `gpulane model histogram`: one way to vote, the best way, or a sweep over all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/program.h"
#include "model/cmd/verb.h"
#include "model/ways.h"

struct options {
	struct model_common common;
	struct lane_voters_wish images;
	struct lane_ways_wish ways;
	uint32_t bins;	 /* 0: not given */
	uint32_t copies; /* 0: not given */
	int layout;	 /* -1: not given */
	enum lane_hash hash;
	int sweep;
};

enum {
	KEY_ALL = 256,
	KEY_AS_LOAD,
	KEY_FLOOR,
	KEY_GENERATE,
	KEY_SIZE,
	KEY_SEED,
	KEY_GAMMA,
	KEY_SOFTEN,
	KEY_DEPTH,
};

static const struct argp_option options[] = {
	{ "bins", 'b', "B", 0, "bins (default 256; with --sweep 32 to 4096)", 1 },
	{ "copies", 'r', "R", 0, "copies of the bins; without it the best number is looked for",
	  1 },
	{ "layout", 'l', "LAYOUT", 0, "replicated, padded or stretched", 1 },
	{ "hash", 'h', "HASH", 0, "none (default), xor or add", 1 },
	{ "block", 'g', "LANES", 0, "lanes of a work-group (default 256)", 1 },
	{ "sweep", 's', NULL, 0, "a row per number of bins and copies, all hashes", 2 },
	{ "all-copies", KEY_ALL, NULL, 0, "every number of copies, not only powers of two", 2 },
	{ "as-load", KEY_AS_LOAD, NULL, 0, "with --sweep: also what a simulator without locks says",
	  2 },
	{ "floor", KEY_FLOOR, "CYCLES", 0,
	  "with --sweep: cycles that every warp takes at least, for the rest of the kernel", 2 },
	{ "generate", KEY_GENERATE, "WHAT", 0, "without images: smooth, uniform or constant", 3 },
	{ "size", KEY_SIZE, "WxH", 0, "size of the generated image", 3 },
	{ "seed", KEY_SEED, "N", 0, "of the generator (default 1)", 3 },
	{ "soften", KEY_SOFTEN, "N", 0, "take away detail below N pixels, as in an enlarged image",
	  3 },
	{ "gamma", KEY_GAMMA, "G", 0, "raise the grey values to this power", 3 },
	{ "depth", KEY_DEPTH, "BITS", 0, "keep only so many bits of the grey values", 3 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t parse_size(struct options *o, const char *arg)
{
	unsigned int width, height;
	char end;

	if (sscanf(arg, "%5ux%5u%c", &width, &height, &end) != 2 || !width || !height ||
	    width > 16384 || height > 16384 || (uint64_t)width * height > LANE_IMAGE_PIXELS)
		return model_wrong(
			&o->common,
			lane_error_usage("--size: `%s' is not WIDTHxHEIGHT, each up to 16384 "
					 "and at most %u pixels",
					 arg, LANE_IMAGE_PIXELS));
	o->images.width = width;
	o->images.height = height;
	return 0;
}

/* One of a few names; found by a function that says -1 for others. */
static error_t parse_name(struct options *o, const char *option, const char *arg, const char *names,
			  int found, int *value)
{
	if (found < 0)
		return model_wrong(&o->common, lane_error_usage("%s: `%s' is not one of %s", option,
								arg, names));
	*value = found;
	return 0;
}

static error_t parse_input(int key, char *arg, struct options *o)
{
	int value = 0;
	error_t wrong;

	switch (key) {
	case KEY_GENERATE:
		wrong = parse_name(o, "--generate", arg, "smooth, uniform, constant",
				   model_texture_by_name(arg), &value);
		if (!wrong)
			o->images.texture = (enum lane_texture)value;
		return wrong;
	case KEY_SIZE:
		return parse_size(o, arg);
	case KEY_SEED:
		return model_number(&o->common, "--seed", arg, 0, UINT32_MAX, &o->images.seed);
	case KEY_SOFTEN:
		return model_number(&o->common, "--soften", arg, 1, 64, &o->images.soften);
	case KEY_GAMMA:
		return model_decimal(&o->common, "--gamma", arg, &o->images.gamma);
	case KEY_DEPTH:
		return model_number(&o->common, "--depth", arg, 1, 16, &o->images.depth);
	case ARGP_KEY_ARG:
		if (o->images.n_images == LANE_VOTERS_IMAGES)
			return model_wrong(&o->common, lane_error_usage("more than %d images",
									LANE_VOTERS_IMAGES));
		o->images.image[o->images.n_images++] = arg;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	int value = 0;
	error_t wrong;

	switch (key) {
	case 'b':
		return model_number(&o->common, "--bins", arg, 1, 65536, &o->bins);
	case 'r':
		return model_number(&o->common, "--copies", arg, 1, 65536, &o->copies);
	case 'g':
		return model_number(&o->common, "--block", arg, 1, LANE_VOTE_BLOCK, &o->ways.block);
	case 'l':
		return parse_name(o, "--layout", arg, "replicated, padded, stretched",
				  model_layout_by_name(arg), &o->layout);
	case 'h':
		wrong = parse_name(o, "--hash", arg, "none, xor, add", model_hash_by_name(arg),
				   &value);
		if (!wrong)
			o->hash = (enum lane_hash)value;
		return wrong;
	case 's':
		o->sweep = 1;
		return 0;
	case KEY_ALL:
		o->ways.tries_all_copies = true;
		return 0;
	case KEY_AS_LOAD:
		o->ways.sums_loads = true;
		return 0;
	case KEY_FLOOR:
		return model_decimal(&o->common, "--floor", arg, &o->ways.floor);
	default:
		return parse_input(key, arg, o);
	}
}

static const struct argp argp = {
	options, parse, "[IMAGE.pgm...]", "The atomics of a histogram of grey images.", NULL,
	NULL,	 NULL
};

static double per_warp(double cycles, uint64_t warps)
{
	return warps ? cycles / (double)warps : 0;
}

static uint32_t given_bins(const struct options *o)
{
	return o->bins ? o->bins : 256;
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

/* One way looked at closely. */
static void put_close(const struct lane_ways *ways, size_t way, struct lane_vote_reasons *r,
		      json_object *result)
{
	struct lane_vote one;

	model_ways_explain(ways, way, &one, r);
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
}

/* Why the best way is the best: what it saves and what it still pays, in one sentence. */
static void say_why(const struct lane_vote_reasons *r, const struct lane_vote *plain,
		    const struct lane_vote *best, json_object *result)
{
	double position = per_warp(r->position_cycles, r->warps);
	double lock = per_warp(r->lock_cycles, r->warps);
	double bank = per_warp(r->bank_cycles, r->warps);
	const char *most = position >= lock && position >= bank ? "lanes on the same word"
			   : lock >= bank			? "words behind the same lock"
								: "words in the same bank";
	char text[256];

	if (model_vote_mean(best) <= model_pad_cycles(best->pad, 1, 1, 1))
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy: no conflict is left",
			 model_vote_mean(best), model_vote_mean(plain));
	else
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy; most of what is left "
			 "above "
			 "%.0f are %s (position %.1f, lock %.1f, bank %.1f)",
			 model_vote_mean(best), model_vote_mean(plain),
			 model_pad_cycles(best->pad, 1, 1, 1), most, position, lock, bank);
	model_put_text(result, "why", text);
}

/* The best of all layouts and copies for the chosen hash, and what each takes. */
static struct lane_error *put_best(const struct options *o, struct lane_ways *ways,
				   json_object *result)
{
	struct lane_vote_reasons reasons;
	size_t best;
	struct lane_error *err = model_ways_choose(ways, o->hash, o->layout, given_bins(o), &best);

	if (err)
		return err;
	put_close(ways, best, &reasons, result);
	say_why(&reasons, &ways->vote[0], &ways->vote[best], result);
	for (size_t i = 0; i < ways->n; i++) {
		json_object *row = model_row(result);

		put_way(row, &ways->vote[i]);
		model_put_real(row, "cycles_per_warp", model_vote_mean(&ways->vote[i]), 3);
		model_put_text(row, "best", i == best ? "yes" : "");
	}
	return NULL;
}

static enum lane_layout given_layout(const struct options *o)
{
	return o->layout < 0 ? LANE_LAYOUT_REPLICATED : (enum lane_layout)o->layout;
}

static struct lane_error *put_single(const struct options *o, struct lane_ways *ways,
				     json_object *result)
{
	struct lane_vote_reasons reasons;
	struct lane_error *err =
		model_ways_add(ways, o->hash, given_layout(o), given_bins(o), o->copies);

	if (!err)
		put_close(ways, 0, &reasons, result);
	return err;
}

static void put_row(const struct options *o, const struct lane_way_row *from, json_object *row)
{
	model_put_text(row, "layout", model_layout_name(from->layout));
	model_put_whole(row, "bins", from->bins);
	model_put_whole(row, "copies", from->copies);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_put_real(row, model_hash_name((enum lane_hash)h), from->cycles[h], 3);
	for (int h = 1; h < LANE_HASH_COUNT; h++) {
		char key[16];

		snprintf(key, sizeof(key), "gain_%s", model_hash_name((enum lane_hash)h));
		model_put_real(row, key, from->gain[h], 3);
	}
	if (o->ways.sums_loads)
		model_put_real(row, "as_load", from->as_load, 3);
}

/* Processor time: what one core needs, however busy the machine is. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void put_rows(const struct options *o, const struct lane_way_rows *rows, json_object *result)
{
	const struct lane_way_row *best = &rows->row[rows->best];

	for (uint32_t i = 0; i < rows->n; i++)
		put_row(o, &rows->row[i], model_row(result));
	model_put_real(result, "largest_gain_xor", best->gain[LANE_HASH_XOR], 3);
	model_put_whole(result, "largest_gain_bins", best->bins);
	model_put_whole(result, "largest_gain_copies", best->copies);
}

static struct lane_error *put_sweep(const struct options *o, struct lane_ways *ways,
				    json_object *result)
{
	double begin = seconds(), taken;
	struct lane_way_rows rows;
	struct lane_error *err = model_ways_sweep(ways, given_layout(o), o->bins ? o->bins : 32,
						  o->bins ? o->bins : 4096, &rows);

	if (!err) {
		taken = seconds() - begin;
		fprintf(stderr,
			"gpulane: model: %llu warps in %.1f s of processor time, %.2f million "
			"warps/s\n",
			(unsigned long long)rows.warps, taken,
			taken > 0 ? (double)rows.warps / taken / 1e6 : 0);
		put_rows(o, &rows, result);
	}
	free(rows.row);
	return err;
}

static struct lane_error *put_result(const struct options *o, struct lane_ways *ways,
				     json_object *result)
{
	if (o->images.n_images)
		model_put_whole(result, "images", ways->voters->n);
	else
		model_put_text(result, "generated", model_texture_name(o->images.texture));
	if (o->sweep)
		return put_sweep(o, ways, result);
	return o->copies ? put_single(o, ways, result) : put_best(o, ways, result);
}

static struct lane_error *run(void *options_read, struct lane_device *device, json_object *result)
{
	const struct options *o = options_read;
	struct lane_voters voters;
	struct lane_ways ways = { .n = 0 };
	struct lane_error *err = model_voters_load(&o->images, &voters);

	if (!err)
		err = model_ways_init(&ways, device, &voters, &o->ways);
	if (!err)
		err = put_result(o, &ways, result);
	model_ways_free(&ways);
	model_voters_free(&voters);
	return err;
}

struct lane_error *model_histogram(int argc, char **argv)
{
	struct options o = { .layout = -1,
			     .ways = { .block = 256 },
			     .images = { .texture = LANE_TEXTURE_SMOOTH,
					 .width = 1536,
					 .height = 1024,
					 .seed = 1 } };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	if (!o.sweep && (o.ways.sums_loads || o.ways.floor > 0))
		return lane_error_usage("model histogram: --as-load and --floor need --sweep");
	if (o.sweep && o.copies)
		return lane_error_usage("model histogram: --sweep and --copies exclude each other");
	return model_run(&o.common, "histogram", "fermi-gtx580", run, &o);
}
