// SPDX-License-Identifier: MIT
// Images, and the votes that a histogram makes of them.
#include "model/voters.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

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
static void transform(const struct lane_voters_wish *o, struct lane_image *image)
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

static struct lane_error *load(const struct lane_voters_wish *wish, uint32_t i,
			       struct lane_image **image)
{
	struct lane_error *err = wish->n_images
					 ? model_image_read(wish->image[i], image)
					 : model_image_generate(wish->texture, wish->width,
								wish->height, wish->seed, image);

	if (!err && wish->soften > 1)
		err = soften(*image, wish->soften);
	if (!err)
		transform(wish, *image);
	return err;
}

struct lane_error *model_voters_load(const struct lane_voters_wish *wish,
				     struct lane_voters *voters)
{
	size_t largest = 0;

	*voters = (struct lane_voters){ .wish = *wish, .n = wish->n_images ? wish->n_images : 1 };
	voters->image = calloc(voters->n, sizeof(struct lane_image *));
	if (!voters->image)
		return &lane_enomem;
	for (uint32_t i = 0; i < voters->n; i++) {
		struct lane_error *err = load(wish, i, &voters->image[i]);

		if (err)
			return err;
		if (largest < (size_t)voters->image[i]->width * voters->image[i]->height)
			largest = (size_t)voters->image[i]->width * voters->image[i]->height;
	}
	voters->bin = calloc(largest, sizeof(*voters->bin));
	return voters->bin ? NULL : &lane_enomem;
}

void model_voters_free(struct lane_voters *voters)
{
	for (uint32_t i = 0; voters->image && i < voters->n; i++)
		model_image_free(voters->image[i]);
	free(voters->image);
	free(voters->bin);
}

void model_voters_run(const struct lane_voters *voters, uint32_t bins, model_voters_fn *kernel,
		      void *arg)
{
	for (uint32_t i = 0; i < voters->n; i++) {
		const struct lane_image *image = voters->image[i];
		size_t n = (size_t)image->width * image->height;

		for (size_t p = 0; p < n; p++)
			voters->bin[p] =
				(uint16_t)((uint64_t)image->pixel[p] * bins / (image->max + 1));
		kernel(arg, voters->bin, n);
	}
}
