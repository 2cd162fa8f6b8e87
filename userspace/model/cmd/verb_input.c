// SPDX-License-Identifier: MIT
// Options and images of `gpulane model histogram`, `hough` and `kmeans`, and their votes.
#include <math.h>
#include <stdlib.h>
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
	o->width = width;
	o->height = height;
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
			o->texture = (enum lane_texture)value;
		return wrong;
	case KEY_SIZE:
		return parse_size(o, arg);
	case KEY_SEED:
		return model_number(&o->common, "--seed", arg, 0, UINT32_MAX, &o->seed);
	case KEY_SOFTEN:
		return model_number(&o->common, "--soften", arg, 1, 64, &o->soften);
	case KEY_GAMMA:
		return model_decimal(&o->common, "--gamma", arg, &o->gamma);
	case KEY_DEPTH:
		return model_number(&o->common, "--depth", arg, 1, 16, &o->depth);
	case KEY_ANGLES:
		return model_number(&o->common, "--angles", arg, 1, 3600, &o->angles);
	case KEY_THRESHOLD:
		return model_decimal(&o->common, "--threshold", arg, &o->threshold);
	case KEY_ITERATIONS:
		return model_number(&o->common, "--iterations", arg, 1, 1000, &o->iterations);
	case ARGP_KEY_ARG:
		if (o->n_images == VOTE_MAX_IMAGES)
			return model_wrong(&o->common, lane_error_usage("more than %d images",
									VOTE_MAX_IMAGES));
		o->image[o->n_images++] = arg;
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
				    o->kind == VOTE_KMEANS ? 4096 : 65536, &o->bins);
	case 'r':
		return model_number(&o->common, "--copies", arg, 1, 65536, &o->copies);
	case 'g':
		return model_number(&o->common, "--block", arg, 1, LANE_VOTE_BLOCK, &o->block);
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
		o->all_copies = 1;
		return 0;
	case KEY_AS_LOAD:
		o->as_load = 1;
		return 0;
	case KEY_FLOOR:
		return model_decimal(&o->common, "--floor", arg, &o->floor);
	default:
		return parse_input(key, arg, o);
	}
}

static const char images_doc[] = "[IMAGE.pgm...]";

struct lane_error *vote_parse(int argc, char **argv, struct vote_options *o, int *done)
{
	static const struct argp argps[] = {
		[VOTE_HISTOGRAM] = { histogram_options, parse, images_doc,
				     "The atomics of a histogram of grey images.", NULL, NULL,
				     NULL },
		[VOTE_HOUGH] = { hough_options, parse, images_doc,
				 "The votes of a Hough transform (polar) of grey images' edges.",
				 NULL, NULL, NULL },
		[VOTE_KMEANS] = { kmeans_options, parse, images_doc,
				  "The atomics of k-means over the grey values of images.", NULL,
				  NULL, NULL },
	};
	struct lane_error *err = lane_parse(&argps[o->kind], argc, argv, o, &o->common.error, done);

	if (err || *done)
		return err;
	if (!o->sweep && (o->as_load || o->floor > 0 || o->common.plot))
		return lane_error_usage("%s: --as-load, --floor and --plot need --sweep", argv[0]);
	if (o->sweep && o->copies)
		return lane_error_usage("%s: --sweep and --copies exclude each other", argv[0]);
	return NULL;
}

/* One step of softening, along a row or column of n pixels that lie `step` apart. */
static void soften_line(uint16_t *pixel, uint32_t n, size_t step, uint32_t width, uint32_t *mean)
{
	uint32_t parts = (n + width - 1) / width;

	for (uint32_t p = 0; p < parts; p++) {
		uint32_t end = (p + 1) * width < n ? (p + 1) * width : n;
		uint64_t sum = 0;

		for (uint32_t i = p * width; i < end; i++)
			sum += pixel[i * step];
		mean[p] = (uint32_t)(sum / (end - p * width));
	}
	/* A straight line between the means, which stand in the middle of their pixels. */
	for (uint32_t i = 0; i < n; i++) {
		double at = (i + 0.5) / width - 0.5;
		uint32_t low = at < 0 ? 0 : (uint32_t)at;
		uint32_t high = low + 1 < parts ? low + 1 : parts - 1;
		double part = at < 0 ? 0 : at - low;

		pixel[i * step] = (uint16_t)(mean[low] * (1 - part) + mean[high] * part + 0.5);
	}
}

/* The image made smaller by this factor, by means, and enlarged again. */
static struct lane_error *soften(struct lane_image *image, uint32_t width)
{
	uint32_t longest = image->width > image->height ? image->width : image->height;
	LANE_CLEANUP(lane_free) uint32_t *mean = calloc(longest, sizeof(*mean));

	if (!mean)
		return &lane_enomem;
	for (uint32_t y = 0; y < image->height; y++)
		soften_line(image->pixel + (size_t)y * image->width, image->width, 1, width, mean);
	for (uint32_t x = 0; x < image->width; x++)
		soften_line(image->pixel + x, image->height, image->width, width, mean);
	return NULL;
}

/* Grey values as a camera's linear light (gamma 2.2), or as 8-bit data in 12 bits. */
static void transform(const struct vote_options *o, struct lane_image *image)
{
	size_t n = (size_t)image->width * image->height;
	uint32_t bits = 32u - (uint32_t)__builtin_clz(image->max);
	uint32_t mask = o->depth && o->depth < bits ? ~0u << (bits - o->depth) : ~0u;

	for (size_t i = 0; i < n; i++) {
		double value = image->pixel[i];

		if (o->gamma > 0)
			value = image->max * pow(value / image->max, o->gamma);
		image->pixel[i] = (uint16_t)((uint32_t)value & mask);
	}
}

struct lane_error *vote_load(const struct vote_options *o, struct vote_inputs *inputs)
{
	size_t largest = 0;

	inputs->input = calloc(o->n_images ? o->n_images : 1, sizeof(*inputs->input));
	if (!inputs->input)
		return &lane_enomem;
	for (uint32_t i = 0; i < (o->n_images ? o->n_images : 1); i++) {
		struct vote_input *input = &inputs->input[i];
		struct lane_error *err =
			o->n_images ? model_image_read(o->image[i], &input->image)
				    : model_image_generate(o->texture, o->width, o->height, o->seed,
							   &input->image);

		if (err)
			return err;
		inputs->n = i + 1;
		if (o->soften > 1)
			err = soften(input->image, o->soften);
		if (err)
			return err;
		transform(o, input->image);
		if (o->kind == VOTE_HOUGH)
			err = model_edges(input->image, o->threshold, &input->edge,
					  &input->n_edges);
		if (err)
			return err;
		if (largest < (size_t)input->image->width * input->image->height)
			largest = (size_t)input->image->width * input->image->height;
	}
	inputs->bin = calloc(largest, sizeof(*inputs->bin));
	return inputs->bin ? NULL : &lane_enomem;
}

void vote_free(struct vote_inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++) {
		model_image_free(inputs->input[i].image);
		free(inputs->input[i].edge);
	}
	free(inputs->input);
	free(inputs->bin);
}

/* Each iteration is two kernels' worth of atomics: the counts, then the sums behind them. */
static struct lane_error *run_kmeans(const struct vote_options *o, const struct lane_image *image,
				     uint16_t *bin, uint32_t bins, vote_pass_fn *pass,
				     void *context)
{
	LANE_CLEANUP(lane_free) double *centre = calloc(bins, sizeof(*centre));
	size_t n = (size_t)image->width * image->height;
	uint32_t clusters = bins / 2;
	int moved = 1;

	if (!centre)
		return &lane_enomem;
	for (uint32_t k = 0; k < clusters; k++)
		centre[k] = image->max * (k + 0.5) / clusters;
	for (uint32_t i = 0; i < o->iterations && moved; i++) {
		moved = model_kmeans_step(image, clusters, centre, bin);
		pass(context, bin, n);
		for (size_t p = 0; p < n; p++)
			bin[p] = (uint16_t)(bin[p] + clusters);
		pass(context, bin, n);
	}
	return NULL;
}

struct lane_error *vote_run(const struct vote_options *o, const struct vote_inputs *inputs,
			    uint32_t bins, vote_pass_fn *pass, void *context)
{
	for (uint32_t i = 0; i < inputs->n; i++) {
		const struct vote_input *input = &inputs->input[i];
		const struct lane_image *image = input->image;
		struct lane_error *err = NULL;

		switch (o->kind) {
		case VOTE_HISTOGRAM:
			model_histogram_bins(image, bins, inputs->bin);
			pass(context, inputs->bin, (size_t)image->width * image->height);
			break;
		case VOTE_HOUGH:
			for (uint32_t a = 0; a < o->angles; a++) {
				model_hough_bins(image, input->edge, input->n_edges,
						 M_PI * a / o->angles, bins, inputs->bin);
				pass(context, inputs->bin, input->n_edges);
			}
			break;
		case VOTE_KMEANS:
			err = run_kmeans(o, image, inputs->bin, bins, pass, context);
			break;
		}
		if (err)
			return err;
	}
	return NULL;
}
