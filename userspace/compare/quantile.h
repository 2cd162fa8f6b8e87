/* SPDX-License-Identifier: MIT */
/* Quantiles by nearest rank, of values that are sorted, and of a draw of them. */
#ifndef LANE_COMPARE_QUANTILE_H
#define LANE_COMPARE_QUANTILE_H

#include <stdint.h>

#define COMPARE_QUANTILES 3

struct compare_quantile {
	int quantity; /* enum compare_quantity */
	unsigned int permille;
	uint64_t items; /* with fewer it says nothing */
};

extern const struct compare_quantile compare_quantiles[COMPARE_QUANTILES];

void compare_sort(float *values, uint32_t n);

/* The quantile of n sorted values, of so many that are shorter than all, and of so many that are
 * longer: 0, or INFINITY, where it is one of those. */
double compare_at(const float *values, uint32_t n, unsigned int permille, uint32_t shorter,
		  uint32_t longer);

/* The quantiles of n values that were drawn: weights[i], of n in all, says how often sorted[i] was.
 * Writes COMPARE_QUANTILES of them. */
void compare_of_draw(const float *sorted, const uint16_t *weights, uint32_t n, double *quantiles);

#endif
