/* SPDX-License-Identifier: MIT */
/*
 * What histogram, hough and kmeans share: their options, their images, and votes as a stream of
 * passes.
 */
#ifndef LANE_MODEL_CMD_VERB_VOTE_H
#define LANE_MODEL_CMD_VERB_VOTE_H

#include "model/cmd/verb.h"
#include "model/vote.h"

enum vote_kind {
	VOTE_HISTOGRAM,
	VOTE_HOUGH,
	VOTE_KMEANS
};

#define VOTE_MAX_IMAGES 256

struct vote_options {
	struct model_common common;
	enum vote_kind kind;
	uint32_t bins;	 /* 0: not given */
	uint32_t copies; /* 0: not given */
	int layout;	 /* -1: not given */
	enum lane_hash hash;
	uint32_t block;
	int sweep;
	int all_copies;
	int as_load;
	double floor; /* cycles that every warp takes at least */
	/* Input. */
	const char *image[VOTE_MAX_IMAGES];
	uint32_t n_images;
	enum lane_texture texture;
	uint32_t width;
	uint32_t height;
	uint32_t seed;
	uint32_t soften; /* pixels below which there is no detail, 0: not given */
	double gamma;	 /* 0: not given */
	uint32_t depth;	 /* bits that are kept, 0: all */
	/* Hough and k-means. */
	uint32_t angles;
	double threshold;
	uint32_t iterations;
};

/* One image, and for Hough its edges. */
struct vote_input {
	struct lane_image *image;
	struct lane_point *edge;
	size_t n_edges;
};

struct vote_inputs {
	struct vote_input *input;
	uint32_t n;
	uint16_t *bin; /* room for the votes of one pass */
};

/* Parses the options of one of the three; *done as in lane_parse(). */
struct lane_error *vote_parse(int argc, char **argv, struct vote_options *o,
			      int *done) LANE_MUST_CHECK;

/* Reads or generates the images. vote_free() gives them back, also after an error. */
struct lane_error *vote_load(const struct vote_options *o,
			     struct vote_inputs *inputs) LANE_MUST_CHECK;
void vote_free(struct vote_inputs *inputs);

/* Called with the votes of one kernel. */
typedef void vote_pass_fn(void *context, const uint16_t *bin, size_t n);

/* Runs the workload with so many bins over all images, a call per kernel. */
struct lane_error *vote_run(const struct vote_options *o, const struct vote_inputs *inputs,
			    uint32_t bins, vote_pass_fn *pass, void *context) LANE_MUST_CHECK;

#endif
