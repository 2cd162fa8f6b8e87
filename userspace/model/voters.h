/* SPDX-License-Identifier: MIT */
/*
 * Who votes: images that are read or made, and the streams of bins that a histogram, a Hough
 * transform and k-means make of them, kernel by kernel.
 */
#ifndef LANE_MODEL_VOTERS_H
#define LANE_MODEL_VOTERS_H

#include "model/image.h"
#include "model/vote.h"

enum lane_voters_of {
	LANE_VOTERS_HISTOGRAM,
	LANE_VOTERS_HOUGH,
	LANE_VOTERS_KMEANS
};

#define LANE_VOTERS_IMAGES 256

/* Which images, and what is done to them. */
struct lane_voters_wish {
	enum lane_voters_of of;
	const char *image[LANE_VOTERS_IMAGES]; /* paths; none: one is made */
	uint32_t n_images;
	enum lane_texture texture;
	uint32_t width;
	uint32_t height;
	uint32_t seed;
	uint32_t soften; /* pixels below which there is no detail, 0: not given */
	double gamma;	 /* 0: not given */
	uint32_t depth;	 /* bits that are kept, 0: all */
	uint32_t angles;
	double threshold;
	uint32_t iterations;
};

/* One image, and for Hough its edges. */
struct lane_voter {
	struct lane_image *image;
	struct lane_point *edge;
	size_t n_edges;
};

struct lane_voters {
	struct lane_voters_wish wish;
	struct lane_voter *voter;
	uint32_t n;
	uint16_t *bin; /* room for the votes of one kernel */
};

/* Reads or makes the images. model_voters_free() gives them back, also after an error. */
struct lane_error *model_voters_load(const struct lane_voters_wish *wish,
				     struct lane_voters *voters) LANE_MUST_CHECK;
void model_voters_free(struct lane_voters *voters);

/* Called with the votes of one kernel. */
typedef void model_voters_fn(void *arg, const uint16_t *bin, size_t n);

/* Runs the workload with so many bins over all images, a call per kernel. */
struct lane_error *model_voters_run(const struct lane_voters *voters, uint32_t bins,
				    model_voters_fn *kernel, void *arg) LANE_MUST_CHECK;

#endif
