/* SPDX-License-Identifier: MIT */
/*
 * Grey images, the input of the histogram: from PGM files (8 and 16 bit), or generated.
 */
#ifndef LANE_MODEL_IMAGE_H
#define LANE_MODEL_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LANE_IMAGE_PIXELS (1u << 26) /* most pixels of an image */

struct lane_image {
	uint32_t width;
	uint32_t height;
	uint32_t max;	  /* the value of white, 1 to 65535 */
	uint16_t pixel[]; /* row by row */
};

/* Reads a PGM file (P5). *image is the caller's to free(). */
struct lane_error *model_image_read(const char *path, struct lane_image **image) LANE_MUST_CHECK;

/* The same from memory; what stands for the file's name in errors. */
struct lane_error *model_image_parse(const uint8_t *data, size_t bytes, const char *what,
				     struct lane_image **image) LANE_MUST_CHECK;

/* What can be generated, all of it 12 bit and the same for the same seed on every machine. */
enum lane_texture {
	LANE_TEXTURE_SMOOTH,   /* each pixel: the mean of left and upper neighbour, -32 to +32 */
	LANE_TEXTURE_UNIFORM,  /* every pixel random, independent of the others */
	LANE_TEXTURE_CONSTANT, /* every pixel the same: only position conflicts */
	LANE_TEXTURE_LINES,    /* black with 24 white straight lines */
	LANE_TEXTURE_COUNT,
};

extern const char *const lane_texture_names[LANE_TEXTURE_COUNT];

/* Generates an image of at most LANE_IMAGE_PIXELS pixels. *image is the caller's to free. */
struct lane_error *model_image_generate(enum lane_texture texture, uint32_t width, uint32_t height,
					uint64_t seed, struct lane_image **image) LANE_MUST_CHECK;

/* Makes an image smaller by this factor, by means, and large again. */
struct lane_error *model_image_soften(struct lane_image *image, uint32_t width) LANE_MUST_CHECK;

/*
 * Raises grey values to a power (2.2: from a display's to a camera's linear light), where it is not
 * 0, and keeps their highest bits, where it says how many.
 */
void model_image_grade(struct lane_image *image, double gamma, uint32_t depth);

/* The pixels of its edges, by their number. *edge is the caller's to free. */
struct lane_error *model_image_edges(const struct lane_image *image, uint32_t **edge,
				     size_t *n) LANE_MUST_CHECK;

#endif
