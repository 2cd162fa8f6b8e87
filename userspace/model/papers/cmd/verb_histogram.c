// SPDX-License-Identifier: MIT
// `gpulane-papers histogram`: the atomics of a histogram of grey images, for all numbers of bins
// and copies, with each hash.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/image.h"
#include "model/papers/vote.h"

#define MOST_IMAGES 64
#define ANGLES	    180
#define HOUGH_BINS  2048		  /* six copies fill the memory */
#define MOST_VOTES  (9 * LANE_HASH_COUNT) /* 1 to LANE_VOTE_BLOCK copies, the powers of two */

struct options {
	struct model_common common;
	const char *image[MOST_IMAGES]; /* none: one is generated */
	uint32_t n_images;
	enum lane_texture texture;
	uint32_t width, height;
	uint32_t seed;
	uint32_t soften;
	double gamma;
	uint32_t depth;
	uint32_t bins; /* 0: not given */
	enum lane_layout layout;
	int as_load;
	int is_hough;
	double floor;
};

enum {
	KEY_AS_LOAD = 256,
	KEY_FLOOR,
	KEY_HOUGH,
	KEY_GENERATE,
	KEY_SIZE,
	KEY_SEED,
	KEY_GAMMA,
	KEY_SOFTEN,
	KEY_DEPTH,
};

static const struct argp_option options[] = {
	{ "bins", 'b', "B", 0, "one number of bins (default: 32 to 4096)", 1 },
	{ "layout", 'l', "LAYOUT", 0, "replicated (default), padded or stretched", 1 },
	{ "as-load", KEY_AS_LOAD, NULL, 0, "also what a simulator without locks says", 2 },
	{ "floor", KEY_FLOOR, "CYCLES", 0,
	  "cycles that every warp takes at least, for the rest of the kernel", 2 },
	{ "hough", KEY_HOUGH, NULL, 0,
	  "instead: the Hough transform of the images' edges, a kernel for each of 180 angles, in "
	  "2048 bins",
	  2 },
	{ "generate", KEY_GENERATE, "WHAT", 0, "without images: smooth, uniform, constant or lines",
	  3 },
	{ "size", KEY_SIZE, "WxH", 0, "size of the generated image", 3 },
	{ "seed", KEY_SEED, "N", 0, "of the generator (default 1)", 3 },
	{ "soften", KEY_SOFTEN, "N", 0, "take away detail below N pixels, as in an enlarged image",
	  3 },
	{ "gamma", KEY_GAMMA, "G", 0, "raise the grey values to this power", 3 },
	{ "depth", KEY_DEPTH, "BITS", 0, "keep only so many bits of the grey values", 3 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t verb_histogram_parse_size(struct options *o, const char *arg)
{
	char end;

	if (sscanf(arg, "%5ux%5u%c", &o->width, &o->height, &end) != 2 || o->width > 16384 ||
	    o->height > 16384)
		return model_wrong(
			&o->common,
			lane_error_usage("--size: `%s' is not WIDTHxHEIGHT, each up to 16384",
					 arg));
	return 0;
}

static error_t parse_image(int key, char *arg, struct options *o)
{
	int found;

	switch (key) {
	case KEY_GENERATE:
		found = model_texture_by_name(arg);
		o->texture = (enum lane_texture)found;
		return found < 0 ? model_papers_not(&o->common, "--generate", arg,
						    "smooth, uniform, constant or lines")
				 : 0;
	case KEY_SIZE:
		return verb_histogram_parse_size(o, arg);
	case KEY_SEED:
		return model_number(&o->common, "--seed", arg, 0, UINT32_MAX, &o->seed);
	case KEY_SOFTEN:
		return model_number(&o->common, "--soften", arg, 1, 64, &o->soften);
	case KEY_GAMMA:
		return model_decimal(&o->common, "--gamma", arg, &o->gamma);
	case KEY_DEPTH:
		return model_number(&o->common, "--depth", arg, 1, 16, &o->depth);
	case ARGP_KEY_ARG:
		if (o->n_images == MOST_IMAGES)
			return model_wrong(&o->common,
					   lane_error_usage("more than %d images", MOST_IMAGES));
		o->image[o->n_images++] = arg;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static error_t verb_histogram_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	int found;

	switch (key) {
	case 'b':
		return model_number(&o->common, "--bins", arg, 1, 65536, &o->bins);
	case 'l':
		found = model_layout_by_name(arg);
		o->layout = (enum lane_layout)found;
		return found < 0 ? model_papers_not(&o->common, "--layout", arg,
						    "replicated, padded or stretched")
				 : 0;
	case KEY_AS_LOAD:
		o->as_load = 1;
		return 0;
	case KEY_HOUGH:
		o->is_hough = 1;
		return 0;
	case KEY_FLOOR:
		return model_decimal(&o->common, "--floor", arg, &o->floor);
	default:
		return parse_image(key, arg, o);
	}
}

static const struct argp argp = { options,
				  verb_histogram_parse,
				  "[IMAGE.pgm...]",
				  "The atomics of a histogram of grey images.",
				  NULL,
				  NULL,
				  NULL };

struct hash_sweep {
	const struct options *o;
	struct lane_pad pad[LANE_HASH_COUNT];
	struct lane_vote vote[MOST_VOTES]; /* the hashes of a number of copies side by side */
	uint32_t n;
	struct lane_image *image[MOST_IMAGES];
	uint32_t n_images;
	uint16_t *bin;
};

static struct lane_error *verb_histogram_load(struct hash_sweep *s)
{
	const struct options *o = s->o;
	struct lane_error *err = NULL;
	size_t most = 0;

	s->n_images = o->n_images ? o->n_images : 1;
	for (uint32_t i = 0; !err && i < s->n_images; i++) {
		struct lane_image **image = &s->image[i];

		err = o->n_images ? model_image_read(o->image[i], image)
				  : model_image_generate(o->texture, o->width, o->height, o->seed,
							 image);
		if (!err && o->soften > 1)
			err = model_image_soften(*image, o->soften);
		if (err)
			return err;
		model_image_grade(*image, o->gamma, o->depth);
		if (most < (size_t)(*image)->width * (*image)->height)
			most = (size_t)(*image)->width * (*image)->height;
	}
	s->bin = calloc(most, sizeof(*s->bin));
	return s->bin ? NULL : &lane_enomem;
}

/*
 * All powers of two of copies that fit, at most as many as a group has lanes. Of Hough's all: no
 * more than six do.
 */
static struct lane_error *verb_histogram_begin(struct hash_sweep *s, uint32_t bins)
{
	const struct options *o = s->o;
	uint64_t fit = s->pad[0].words / model_vote_words(o->layout, bins, 1);
	struct lane_error *err = NULL;

	s->n = 0;
	/* One copy is tried in any case: its error says why it does not fit. */
	for (uint32_t r = 1; !err && (r == 1 || (r <= fit && r <= LANE_VOTE_BLOCK));
	     r = o->is_hough ? r + 1 : 2 * r)
		for (int h = 0; !err && h < LANE_HASH_COUNT; h++) {
			struct lane_vote *vote = &s->vote[s->n++];

			err = model_vote_init(vote, &s->pad[h], o->layout, bins, r);
			vote->floor = o->floor;
			vote->as_load = o->as_load && h == LANE_HASH_NONE;
		}
	return err;
}

static void vote(struct hash_sweep *s, size_t n)
{
	for (uint32_t k = 0; k < s->n; k++)
		model_vote_add(&s->vote[k], s->bin, n);
}

static void verb_histogram_histogram(struct hash_sweep *s, const struct lane_image *image,
				     uint32_t bins)
{
	size_t n = (size_t)image->width * image->height;

	for (size_t p = 0; p < n; p++)
		s->bin[p] = (uint16_t)((uint64_t)image->pixel[p] * bins / (image->max + 1));
	vote(s, n);
}

/* A kernel for each angle, an edge pixel a lane: rho = x cos + y sin, over twice the diagonal. */
static struct lane_error *hough(struct hash_sweep *s, const struct lane_image *image, uint32_t bins)
{
	double diagonal = hypot(image->width, image->height);
	LANE_CLEANUP(lane_free) uint32_t *edge = NULL;
	size_t n;
	struct lane_error *err = model_image_edges(image, &edge, &n);

	for (int angle = 0; !err && angle < ANGLES; angle++) {
		double c = cos(M_PI * angle / ANGLES);
		double sine = sin(M_PI * angle / ANGLES);

		for (size_t i = 0; i < n; i++) {
			double rho = edge[i] % image->width * c + edge[i] / image->width * sine;
			double at = (rho + diagonal) * bins / (2 * diagonal);

			s->bin[i] = (uint16_t)(at < bins ? at : bins - 1);
		}
		vote(s, n);
	}
	return err;
}

static struct lane_error *vote_all(struct hash_sweep *s, uint32_t bins)
{
	struct lane_error *err = NULL;

	for (uint32_t i = 0; !err && i < s->n_images; i++) {
		if (s->o->is_hough)
			err = hough(s, s->image[i], bins);
		else
			verb_histogram_histogram(s, s->image[i], bins);
	}
	return err;
}

static void verb_histogram_put_row(const struct options *o, const struct lane_vote *vote,
				   json_object *row)
{
	double none = model_vote_mean(&vote[LANE_HASH_NONE]);

	model_put_text(row, "layout", model_layout_name(o->layout));
	model_put_whole(row, "bins", vote->bins);
	model_put_whole(row, "copies", vote->copies);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_put_real(row, model_hash_name((enum lane_hash)h), model_vote_mean(&vote[h]),
			       3);
	for (int h = 1; h < LANE_HASH_COUNT; h++) {
		double mean = model_vote_mean(&vote[h]);
		char key[16];

		snprintf(key, sizeof(key), "gain_%s", model_hash_name((enum lane_hash)h));
		model_put_real(row, key, mean > 0 ? none / mean : 1, 3);
	}
	if (o->as_load)
		model_put_real(row, "as_load", vote->as_load_cycles / (double)vote->warps, 3);
}

static struct lane_error *
verb_histogram_sweep(struct hash_sweep *s, const struct lane_device *device, json_object *result)
{
	uint32_t first = s->o->bins ? s->o->bins : 32;
	struct lane_error *err = verb_histogram_load(s);

	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = model_pad_init(&s->pad[h], device, (enum lane_hash)h);
	for (uint32_t bins = first; !err && bins <= (s->o->bins ? first : 4096); bins *= 2) {
		err = verb_histogram_begin(s, bins);
		if (!err)
			err = vote_all(s, bins);
		if (err)
			return err;
		for (uint32_t i = 0; i < s->n; i += LANE_HASH_COUNT)
			verb_histogram_put_row(s->o, &s->vote[i], model_row(result));
	}
	return err;
}

static struct lane_error *verb_histogram_run(void *options_read, struct lane_device *device,
					     json_object *result)
{
	LANE_CLEANUP(lane_free) struct hash_sweep *s = calloc(1, sizeof(*s));
	struct lane_error *err;

	if (!s)
		return &lane_enomem;
	s->o = options_read;
	err = verb_histogram_sweep(s, device, result);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_pad_free(&s->pad[h]);
	for (uint32_t i = 0; i < s->n_images; i++)
		model_image_free(s->image[i]);
	free(s->bin);
	return err;
}

struct lane_error *model_histogram(int argc, char **argv)
{
	struct options o = { .width = 1536, .height = 1024, .seed = 1 };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	if (o.is_hough && !o.bins)
		o.bins = HOUGH_BINS;
	return model_run(&o.common, "histogram", "fermi-gtx580", verb_histogram_run, &o);
}
