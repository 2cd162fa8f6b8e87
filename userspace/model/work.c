// SPDX-License-Identifier: MIT
// The voting workloads: which bins the lanes of a histogram, a Hough transform and k-means vote
// for.
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "model/vote.h"

#define MAX_CLUSTERS 4096

void model_histogram_bins(const struct lane_image *image, uint32_t bins, uint16_t *bin)
{
	size_t n = (size_t)image->width * image->height;

	for (size_t i = 0; i < n; i++)
		bin[i] = (uint16_t)((uint64_t)image->pixel[i] * bins / (image->max + 1));
}

/* |gx| + |gy| of the Sobel operator at an inner pixel. */
static uint32_t gradient(const struct lane_image *image, uint32_t x, uint32_t y)
{
	const uint16_t *mid = image->pixel + (size_t)y * image->width + x;
	const uint16_t *up = mid - image->width;
	const uint16_t *down = mid + image->width;
	int gx = up[1] + 2 * mid[1] + down[1] - up[-1] - 2 * mid[-1] - down[-1];
	int gy = down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];

	return (uint32_t)(abs(gx) + abs(gy));
}

struct lane_error *model_edges(const struct lane_image *image, double threshold,
			       struct lane_point **points, size_t *n)
{
	LANE_CLEANUP(lane_free) struct lane_point *found = NULL;
	double least = threshold * 6.0 * image->max; /* the largest |gx| + |gy| is 6 max */
	size_t count = 0;

	if (image->width > UINT16_MAX || image->height > UINT16_MAX)
		return lane_error("the image is wider or higher than %d pixels", UINT16_MAX);
	found = calloc((size_t)image->width * image->height, sizeof(*found));
	if (!found)
		return &lane_enomem;
	for (uint32_t y = 1; y + 1 < image->height; y++)
		for (uint32_t x = 1; x + 1 < image->width; x++)
			if (gradient(image, x, y) >= least)
				found[count++] = (struct lane_point){ (uint16_t)x, (uint16_t)y };
	*points = LANE_TAKE(found);
	*n = count;
	return NULL;
}

void model_hough_bins(const struct lane_image *image, const struct lane_point *points, size_t n,
		      double angle, uint32_t bins, uint16_t *bin)
{
	double diagonal = hypot(image->width, image->height);
	double scale = bins / (2 * diagonal);
	double c = cos(angle);
	double s = sin(angle);

	for (size_t i = 0; i < n; i++) {
		double at = (points[i].x * c + points[i].y * s + diagonal) * scale;

		bin[i] = (uint16_t)(at < bins ? at : bins - 1);
	}
}

int model_kmeans_step(const struct lane_image *image, uint32_t clusters, double *centre,
		      uint16_t *bin)
{
	size_t n = (size_t)image->width * image->height;
	uint16_t nearest[UINT16_MAX + 1];
	uint64_t sum[MAX_CLUSTERS] = { 0 };
	uint64_t count[MAX_CLUSTERS] = { 0 };
	int moved = 0;

	/* Grey values are few: look for the nearest centre once a value. */
	for (uint32_t value = 0; value <= image->max; value++) {
		nearest[value] = 0;
		for (uint32_t k = 1; k < clusters && k < MAX_CLUSTERS; k++)
			if (fabs(value - centre[k]) < fabs(value - centre[nearest[value]]))
				nearest[value] = (uint16_t)k;
	}
	for (size_t i = 0; i < n; i++) {
		bin[i] = nearest[image->pixel[i]];
		sum[bin[i]] += image->pixel[i];
		count[bin[i]]++;
	}
	for (uint32_t k = 0; k < clusters && k < MAX_CLUSTERS; k++) {
		double mean = count[k] ? (double)sum[k] / (double)count[k] : centre[k];

		moved |= mean < centre[k] || mean > centre[k];
		centre[k] = mean;
	}
	return moved;
}
