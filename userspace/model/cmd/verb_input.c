// SPDX-License-Identifier: MIT
// Options of `gpulane model histogram`, `hough` and `kmeans`.
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb_vote.h"

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
	KEY_ANGLES,
	KEY_THRESHOLD,
	KEY_ITERATIONS,
};

#define SHARED_OPTIONS                                                                             \
	{                                                                                          \
		"copies",                                                                          \
		'r',                                                                               \
		"R",                                                                               \
		0,                                                                                 \
		"copies of the bins; without it the best number is looked for",                    \
		1                                                                                  \
	},                                                                                         \
		{ "layout", 'l', "LAYOUT", 0, "replicated, padded or stretched", 1 },              \
		{ "hash", 'h', "HASH", 0, "none (default), xor or add", 1 },                       \
		{ "block", 'g', "LANES", 0, "lanes of a work-group (default 256)", 1 },            \
		{ "sweep", 's', NULL, 0, "a row per number of bins and copies, all hashes", 2 },   \
		{ "all-copies",                                                                    \
		  KEY_ALL,                                                                         \
		  NULL,                                                                            \
		  0,                                                                               \
		  "every number of copies, not only powers of two",                                \
		  2 },                                                                             \
		{ "as-load",                                                                       \
		  KEY_AS_LOAD,                                                                     \
		  NULL,                                                                            \
		  0,                                                                               \
		  "with --sweep: also what a simulator without locks says",                        \
		  2 },                                                                             \
		{ "floor",                                                                         \
		  KEY_FLOOR,                                                                       \
		  "CYCLES",                                                                        \
		  0,                                                                               \
		  "with --sweep: cycles that every warp takes at least, for the rest of the "      \
		  "kernel",                                                                        \
		  2 },                                                                             \
		{ "generate",                                                                      \
		  KEY_GENERATE,                                                                    \
		  "WHAT",                                                                          \
		  0,                                                                               \
		  "without images: smooth, uniform, constant or lines",                            \
		  3 },                                                                             \
		{ "size", KEY_SIZE, "WxH", 0, "size of the generated image", 3 },                  \
		{ "seed", KEY_SEED, "N", 0, "of the generator (default 1)", 3 },                   \
		{ "soften",                                                                        \
		  KEY_SOFTEN,                                                                      \
		  "N",                                                                             \
		  0,                                                                               \
		  "take away detail below N pixels, as in an enlarged image",                      \
		  3 },                                                                             \
		{ "gamma", KEY_GAMMA, "G", 0, "raise the grey values to this power", 3 },          \
		{ "depth", KEY_DEPTH, "BITS", 0, "keep only so many bits of the grey values", 3 }, \
		MODEL_OPTION_PLOT, MODEL_OPTIONS

static const struct argp_option histogram_options[] = {
	{ "bins", 'b', "B", 0, "bins (default 256; with --sweep 32 to 4096)", 1 },
	SHARED_OPTIONS,
	{ 0 },
};

static const struct argp_option hough_options[] = {
	{ "bins", 'b', "B", 0, "steps of rho (default 2048)", 1 },
	{ "angles", KEY_ANGLES, "N", 0, "steps of theta, a work-group each (default 180)", 1 },
	{ "threshold", KEY_THRESHOLD, "PART", 0,
	  "least gradient of an edge, of the largest possible (default 0.1)", 1 },
	SHARED_OPTIONS,
	{ 0 },
};

static const struct argp_option kmeans_options[] = {
	{ "clusters", 'b', "K", 0, "clusters, each with a count and a sum (default 16)", 1 },
	{ "iterations", KEY_ITERATIONS, "N", 0, "most iterations (default 10)", 1 },
	SHARED_OPTIONS,
	{ 0 },
};

static error_t parse_size(struct vote_options *o, const char *arg)
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
static error_t parse_name(struct vote_options *o, const char *option, const char *arg,
			  const char *names, int found, int *value)
{
	if (found < 0)
		return model_wrong(&o->common, lane_error_usage("%s: `%s' is not one of %s", option,
								arg, names));
	*value = found;
	return 0;
}

static error_t parse_input(int key, char *arg, struct vote_options *o)
{
	int value = 0;
	error_t wrong;

	switch (key) {
	case KEY_GENERATE:
		wrong = parse_name(o, "--generate", arg, "smooth, uniform, constant, lines",
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
	case KEY_ANGLES:
		return model_number(&o->common, "--angles", arg, 1, 3600, &o->images.angles);
	case KEY_THRESHOLD:
		return model_decimal(&o->common, "--threshold", arg, &o->images.threshold);
	case KEY_ITERATIONS:
		return model_number(&o->common, "--iterations", arg, 1, 1000,
				    &o->images.iterations);
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
	struct vote_options *o = state->input;
	int value = 0;
	error_t wrong;

	switch (key) {
	case 'b':
		return model_number(&o->common, "--bins", arg, 1,
				    o->images.of == LANE_VOTERS_KMEANS ? 4096 : 65536, &o->bins);
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

static const char images_doc[] = "[IMAGE.pgm...]";

struct lane_error *vote_parse(int argc, char **argv, struct vote_options *o, int *done)
{
	static const struct argp argps[] = {
		[LANE_VOTERS_HISTOGRAM] = { histogram_options, parse, images_doc,
					    "The atomics of a histogram of grey images.", NULL,
					    NULL, NULL },
		[LANE_VOTERS_HOUGH] = { hough_options, parse, images_doc,
					"The votes of a Hough transform (polar) of grey images' "
					"edges.",
					NULL, NULL, NULL },
		[LANE_VOTERS_KMEANS] = { kmeans_options, parse, images_doc,
					 "The atomics of k-means over the grey values of images.",
					 NULL, NULL, NULL },
	};
	struct lane_error *err =
		lane_parse(&argps[o->images.of], argc, argv, o, &o->common.error, done);

	if (err || *done)
		return err;
	if (!o->sweep && (o->ways.sums_loads || o->ways.floor > 0 || o->common.plot))
		return lane_error_usage("%s: --as-load, --floor and --plot need --sweep", argv[0]);
	if (o->sweep && o->copies)
		return lane_error_usage("%s: --sweep and --copies exclude each other", argv[0]);
	return NULL;
}
