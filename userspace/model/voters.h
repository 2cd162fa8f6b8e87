/* SPDX-License-Identifier: MIT */
/*
 * Who votes: the pixels of images that are read or made, in a histogram.
 */
#ifndef LANE_MODEL_VOTERS_H
#define LANE_MODEL_VOTERS_H

#include "model/image.h"
#include "model/vote.h"

#define LANE_VOTERS_IMAGES 256

/* Which images, and what is done to them. */
struct lane_voters_wish {
	const char *image[LANE_VOTERS_IMAGES]; /* paths; none: one is made */
	uint32_t n_images;
	enum lane_texture texture;
	uint32_t width;
	uint32_t height;
	uint32_t seed;
	uint32_t soften; /* pixels below which there is no detail, 0: not given */
	double gamma;	 /* 0: not given */
	uint32_t depth;	 /* bits that are kept, 0: all */
};

struct lane_voters {
	struct lane_voters_wish wish;
	struct lane_image **image;
	uint32_t n;
	uint16_t *bin; /* room for the votes of one image */
};

/* Reads or makes the images. model_voters_free() gives them back, also after an error. */
struct lane_error *model_voters_load(const struct lane_voters_wish *wish,
				     struct lane_voters *voters) LANE_MUST_CHECK;
void model_voters_free(struct lane_voters *voters);

/* Called with the votes of one image, a kernel's: lane i has that of pixel i. */
typedef void model_voters_fn(void *arg, const uint16_t *bin, size_t n);

/* The histogram with so many bins, over all images: bin = pixel * bins / (max + 1). */
void model_voters_run(const struct lane_voters *voters, uint32_t bins, model_voters_fn *kernel,
		      void *arg);

#endif
