// SPDX-License-Identifier: MIT
// Grey images from PGM files, read as hostile input, and from a generator.
#include "model/papers/image.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "model/random.h"

#define HEADER_BYTES 65536 /* comments included */
#define EDGE	     0.1   /* of the largest gradient: an edge */

static struct lane_error *image_allocate(uint64_t width, uint64_t height, uint32_t max,
					 struct lane_image **image)
{
	*image = calloc(1, sizeof(**image) + width * height * sizeof((*image)->pixel[0]));
	if (!*image)
		return &lane_enomem;
	(*image)->width = (uint32_t)width;
	(*image)->height = (uint32_t)height;
	(*image)->max = max;
	return NULL;
}

static int image_is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A whole number behind blanks and comments; *at moves behind it. Returns -1 when there is none. */
static int image_number(const uint8_t *data, size_t bytes, size_t *at, uint32_t *value)
{
	uint32_t sum = 0;
	size_t i = *at;
	size_t first;

	while (i < bytes && (image_is_blank(data[i]) || data[i] == '#')) {
		if (data[i] == '#')
			while (i < bytes && data[i] != '\n')
				i++;
		else
			i++;
	}
	first = i;
	for (; i < bytes && data[i] >= '0' && data[i] <= '9'; i++) {
		sum = sum * 10 + (data[i] - '0');
		if (sum > (1u << 26))
			return -1;
	}
	*at = i;
	*value = sum;
	return i == first ? -1 : 0;
}

static struct lane_error *binary(const uint8_t *data, size_t bytes, const char *what,
				 struct lane_image *image)
{
	size_t n = (size_t)image->width * image->height;
	size_t each = image->max > 255 ? 2 : 1;

	if (bytes / each < n)
		return lane_error("%s: %ux%u pixels need %zu bytes, the file has %zu (was it cut?)",
				  what, image->width, image->height, n * each, bytes);
	for (size_t i = 0; i < n; i++) {
		uint32_t value = each == 2 ? (uint32_t)data[2 * i] << 8 | data[2 * i + 1] : data[i];

		if (value > image->max)
			return lane_error("%s: pixel %zu is %u, more than the header's %u", what, i,
					  value, image->max);
		image->pixel[i] = (uint16_t)value;
	}
	return NULL;
}

struct lane_error *model_image_parse(const uint8_t *data, size_t bytes, const char *what,
				     struct lane_image **image)
{
	LANE_CLEANUP(lane_free) struct lane_image *made = NULL;
	size_t header = bytes < HEADER_BYTES ? bytes : HEADER_BYTES;
	struct lane_error *err;
	uint32_t width, height, max;
	size_t at = 2;

	if (bytes < 3 || data[0] != 'P' || data[1] != '5')
		return lane_error("%s: not a PGM image (it must begin with P5)", what);
	if (image_number(data, header, &at, &width) || image_number(data, header, &at, &height) ||
	    image_number(data, header, &at, &max) || at >= bytes || !image_is_blank(data[at]))
		return lane_error("%s: the PGM header has no width, height and maximum", what);
	if (!width || !height || (uint64_t)width * height > LANE_IMAGE_PIXELS)
		return lane_error("%s: %ux%u pixels: must be 1 to %u", what, width, height,
				  LANE_IMAGE_PIXELS);
	if (!max || max > UINT16_MAX)
		return lane_error("%s: the maximum %u must lie between 1 and 65535", what, max);
	/* A pixel takes at least a byte: do not allocate for a header that promises too much. */
	if ((uint64_t)width * height > bytes)
		return lane_error("%s: too short for %ux%u pixels (was it cut?)", what, width,
				  height);
	err = image_allocate(width, height, max, &made);
	if (err)
		return err;
	at++;
	err = binary(data + at, bytes - at, what, made);
	if (err)
		return err;
	*image = LANE_TAKE(made);
	return NULL;
}

struct lane_error *model_image_read(const char *path, struct lane_image **image)
{
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	LANE_CLEANUP(lane_free) uint8_t *data = NULL;
	const size_t limit = (size_t)LANE_IMAGE_PIXELS * 2 + HEADER_BYTES;
	struct lane_error *err;
	struct stat info;
	size_t size;

	err = lane_file_fopen(path, &file);
	if (err)
		return err;
	if (fstat(fileno(file), &info))
		return lane_error_errno(errno, "%s", path);
	if ((uint64_t)info.st_size > limit)
		return lane_error("%s: longer than any image of %u pixels", path,
				  LANE_IMAGE_PIXELS);
	data = malloc((size_t)info.st_size + 1);
	if (!data)
		return &lane_enomem;
	size = fread(data, 1, (size_t)info.st_size, file);
	if (ferror(file))
		return lane_error_errno(errno, "%s: cannot be read", path);
	return model_image_parse(data, size, path, image);
}

const char *const lane_texture_names[LANE_TEXTURE_COUNT] = {
	[LANE_TEXTURE_SMOOTH] = "smooth",
	[LANE_TEXTURE_UNIFORM] = "uniform",
	[LANE_TEXTURE_CONSTANT] = "constant",
	[LANE_TEXTURE_LINES] = "lines",
};

static void smooth(struct lane_image *image, uint64_t *random)
{
	for (uint32_t y = 0; y < image->height; y++) {
		uint16_t *row = image->pixel + (size_t)y * image->width;

		for (uint32_t x = 0; x < image->width; x++) {
			int left = x ? row[x - 1] : -1;
			int above = y ? row[(ptrdiff_t)x - (ptrdiff_t)image->width] : left;
			int value;

			if (left < 0)
				left = above;
			value = left < 0 ? 2048 : (left + above + 1) / 2;
			value += (int)model_random_below(random, 65) - 32;
			row[x] = (uint16_t)(value < 0	   ? -value
					    : value > 4095 ? 8190 - value
							   : value);
		}
	}
}

static void lines(struct lane_image *image, uint64_t *random)
{
	double diagonal = hypot(image->width, image->height);

	for (int i = 0; i < 24; i++) {
		double x = model_random_below(random, image->width);
		double y = model_random_below(random, image->height);
		double angle = model_random_below(random, 180) * (M_PI / 180);

		for (double t = -diagonal; t <= diagonal; t += 0.5) {
			double px = x + t * cos(angle);
			double py = y + t * sin(angle);

			if (px >= 0 && py >= 0 && px < image->width && py < image->height)
				image->pixel[(size_t)py * image->width + (size_t)px] = 4095;
		}
	}
}

struct lane_error *model_image_generate(enum lane_texture texture, uint32_t width, uint32_t height,
					uint64_t seed, struct lane_image **image)
{
	uint64_t random = seed;
	struct lane_error *err;
	size_t n = (size_t)width * height;

	if (!n || n > LANE_IMAGE_PIXELS)
		return lane_error("%ux%u pixels: must be 1 to %u", width, height,
				  LANE_IMAGE_PIXELS);
	err = image_allocate(width, height, 4095, image);
	if (err)
		return err;
	switch (texture) {
	case LANE_TEXTURE_SMOOTH:
		smooth(*image, &random);
		break;
	case LANE_TEXTURE_UNIFORM:
		for (size_t i = 0; i < n; i++)
			(*image)->pixel[i] = (uint16_t)model_random_below(&random, 4096);
		break;
	case LANE_TEXTURE_LINES:
		lines(*image, &random);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			(*image)->pixel[i] = 2048;
		break;
	}
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

struct lane_error *model_image_soften(struct lane_image *image, uint32_t width)
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

void model_image_grade(struct lane_image *image, double gamma, uint32_t depth)
{
	size_t n = (size_t)image->width * image->height;
	uint32_t bits = 32u - (uint32_t)__builtin_clz(image->max);
	uint32_t mask = depth && depth < bits ? ~0u << (bits - depth) : ~0u;

	for (size_t i = 0; i < n; i++) {
		double value = image->pixel[i];

		if (gamma > 0)
			value = image->max * pow(value / image->max, gamma);
		image->pixel[i] = (uint16_t)((uint32_t)value & mask);
	}
}

/* |gx| + |gy| of the Sobel operator at an inner pixel. */
static uint32_t gradient(const struct lane_image *image, size_t at)
{
	const uint16_t *mid = image->pixel + at;
	const uint16_t *up = mid - image->width;
	const uint16_t *down = mid + image->width;
	int gx = up[1] + 2 * mid[1] + down[1] - up[-1] - 2 * mid[-1] - down[-1];
	int gy = down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];

	return (uint32_t)(abs(gx) + abs(gy));
}

struct lane_error *model_image_edges(const struct lane_image *image, uint32_t **edge, size_t *n)
{
	LANE_CLEANUP(lane_free)
	uint32_t *found = calloc((size_t)image->width * image->height, sizeof(*found));
	double least = EDGE * 6.0 * image->max; /* the largest |gx| + |gy| is 6 max */

	*n = 0;
	if (!found)
		return &lane_enomem;
	for (uint32_t y = 1; y + 1 < image->height; y++)
		for (uint32_t x = 1; x + 1 < image->width; x++)
			if (gradient(image, (size_t)y * image->width + x) >= least)
				found[(*n)++] = y * image->width + x;
	*edge = LANE_TAKE(found);
	return NULL;
}
