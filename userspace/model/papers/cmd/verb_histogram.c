// SPDX-License-Identifier: MIT
// `gpulane-papers histogram`: the atomics of a histogram of grey images, for all numbers of bins
// and copies, with each hash.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/image.h"
#include "model/papers/vote.h"

#define ANGLES	   180
#define HOUGH_BINS 2048			 /* six copies fill the memory */
#define MOST_VOTES (9 * LANE_HASH_COUNT) /* 1 to LANE_VOTE_BLOCK copies, the powers of two */

struct options {
	struct model_common common;
	struct model_list images; /* none: one is generated */
	int texture;		  /* enum lane_texture */
	uint32_t size[2];	  /* width and height */
	uint32_t seed;
	uint32_t soften;
	double gamma;
	uint32_t depth;
	uint32_t bins; /* 0: not given */
	int layout;    /* enum lane_layout */
	int as_load;
	int is_hough;
	double floor;
};

static error_t read_size(struct model_common *common, const struct model_option *option, char *arg,
			 void *to)
{
	uint32_t *size = to;
	char end;

	(void)option;
	if (sscanf(arg, "%5ux%5u%c", &size[0], &size[1], &end) != 2 || size[0] > 16384 ||
	    size[1] > 16384)
		return model_wrong(
			common, lane_error_usage(
					"--size: `%s' is not WIDTHxHEIGHT, each up to 16384", arg));
	return 0;
}

static const struct model_option options[] = {
	MODEL_OPTION(NULL, 0, model_words, images, "images", NULL),
	MODEL_WHOLE("bins", 'b', bins, "B", "one number of bins (default: 32 to 4096)", 1, 65536),
	MODEL_CHOICE("layout", 'l', layout, "LAYOUT", "replicated (default), padded or stretched",
		     LANE_LAYOUT_COUNT, lane_layout_names),
	MODEL_OPTION("as-load", 0, model_flag, as_load, NULL,
		     "also what a simulator without locks says"),
	MODEL_OPTION("floor", 0, model_decimal, floor, "CYCLES",
		     "cycles that every warp takes at least, for the rest of the kernel"),
	MODEL_OPTION("hough", 0, model_flag, is_hough, NULL,
		     "instead: the Hough transform of the images' edges, a kernel for each of 180 "
		     "angles, in "
		     "2048 bins"),
	MODEL_CHOICE("generate", 0, texture, "WHAT",
		     "without images: smooth, uniform, constant or lines", LANE_TEXTURE_COUNT,
		     lane_texture_names),
	MODEL_OPTION("size", 0, read_size, size, "WxH", "size of the generated image"),
	MODEL_WHOLE("seed", 0, seed, "N", "of the generator (default 1)", 0, UINT32_MAX),
	MODEL_WHOLE("soften", 0, soften, "N",
		    "take away detail below N pixels, as in an enlarged image", 1, 64),
	MODEL_OPTION("gamma", 0, model_decimal, gamma, "G", "raise the grey values to this power"),
	MODEL_WHOLE("depth", 0, depth, "BITS", "keep only so many bits of the grey values", 1, 16),
	MODEL_OPTIONS,
	{ 0 },
};

struct hash_sweep {
	const struct options *o;
	struct lane_pad pad[LANE_HASH_COUNT];
	struct lane_vote vote[MOST_VOTES]; /* the hashes of a number of copies side by side */
	uint32_t n;
	struct lane_image *image[sizeof(((struct model_list *)0)->word) / sizeof(char *)];
	uint32_t n_images;
	uint16_t *bin;
};

static struct lane_error *verb_histogram_load(struct hash_sweep *s)
{
	const struct options *o = s->o;
	struct lane_error *err = NULL;
	size_t most = 0;

	s->n_images = o->images.n ? o->images.n : 1;
	for (uint32_t i = 0; !err && i < s->n_images; i++) {
		struct lane_image **image = &s->image[i];

		err = o->images.n ? model_image_read(o->images.word[i], image)
				  : model_image_generate((enum lane_texture)o->texture, o->size[0],
							 o->size[1], o->seed, image);
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
	uint64_t fit = s->pad[0].words / model_vote_words((enum lane_layout)o->layout, bins, 1);
	struct lane_error *err = NULL;

	s->n = 0;
	/* One copy is tried in any case: its error says why it does not fit. */
	for (uint32_t r = 1; !err && (r == 1 || (r <= fit && r <= LANE_VOTE_BLOCK));
	     r = o->is_hough ? r + 1 : 2 * r)
		for (int h = 0; !err && h < LANE_HASH_COUNT; h++) {
			struct lane_vote *vote = &s->vote[s->n++];

			err = model_vote_init(vote, &s->pad[h], (enum lane_layout)o->layout, bins,
					      r);
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

	model_put_text(row, "layout", lane_layout_names[o->layout]);
	model_put_whole(row, "bins", vote->bins);
	model_put_whole(row, "copies", vote->copies);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_put_real(row, lane_hash_names[h], model_vote_mean(&vote[h]), 3);
	for (int h = 1; h < LANE_HASH_COUNT; h++) {
		double mean = model_vote_mean(&vote[h]);
		char key[16];

		snprintf(key, sizeof(key), "gain_%s", lane_hash_names[h]);
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
		free(s->image[i]);
	free(s->bin);
	return err;
}

struct lane_error *model_histogram(int argc, char **argv)
{
	struct options o = { .size = { 1536, 1024 }, .seed = 1 };
	int done;
	struct lane_error *err =
		model_parse(options, "[IMAGE.pgm...]", "The atomics of a histogram of grey images.",
			    argc, argv, &o, &done);

	if (err || done)
		return err;
	if (o.is_hough && !o.bins)
		o.bins = HOUGH_BINS;
	return model_run(&o.common, "histogram", "fermi-gtx580", verb_histogram_run, &o);
}
