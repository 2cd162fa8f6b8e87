// SPDX-License-Identifier: MIT
// Quantiles by nearest rank.
#include "compare/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "compare/compare.h"

const struct compare_quantile compare_quantiles[COMPARE_QUANTILES] = {
	{ COMPARE_MEDIAN, 500, 10 },
	{ COMPARE_P95, 950, 100 },
	{ COMPARE_P99, 990, 500 },
};

static int quantile_by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void compare_sort(float *values, uint32_t n)
{
	qsort(values, n, sizeof(*values), quantile_by_value);
}

static uint64_t rank_of(uint64_t n, unsigned int permille)
{
	return (n * permille + 999) / 1000;
}

double compare_at(const float *values, uint32_t n, unsigned int permille, uint32_t shorter,
		  uint32_t longer)
{
	uint64_t rank = rank_of((uint64_t)n + shorter + longer, permille);

	if (rank <= shorter)
		return 0;
	return rank - shorter > n ? (double)INFINITY : (double)values[rank - shorter - 1];
}

void compare_of_draw(const float *sorted, const uint16_t *weights, uint32_t n, double *quantiles)
{
	uint64_t passed = 0;
	int next = 0;

	for (uint32_t i = 0; i < n && next < COMPARE_QUANTILES; i++) {
		passed += weights[i];
		while (next < COMPARE_QUANTILES &&
		       passed >= rank_of(n, compare_quantiles[next].permille))
			quantiles[next++] = (double)sorted[i];
	}
}
