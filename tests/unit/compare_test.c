// SPDX-License-Identifier: MIT
// What is compared is told by the recordings' labels alone: p, intervals, quantiles, blocks.
#include "check.h"

#include <math.h>

#include "compare/compare.h"
#include "compare/quantile.h"

/* Roughly normal: the sum of twelve even numbers. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(compare_draw(state) >> 11) / 9007199254740992.0;
	return sum;
}

static void assert_near(double is, double wanted, double by)
{
	if (fabs(is - wanted) > by)
		fail_msg("%g, not %g", is, wanted);
}

TEST(least_p_is_one_dealing)
{
	assert_near(compare_least_p(4, 4), 2.0 / 70, 1e-12);
	assert_near(compare_least_p(3, 3), 0.1, 1e-12);
	assert_near(compare_least_p(2, 8), 1.0 / 45, 1e-12);
	assert_near(compare_least_p(10, 10), 2.0 / 184756, 1e-12);
}

#define ROWS 100

/* One row in which the sides differ among many that vary more: it alone is found, and its p is not
 * multiplied by their number. */
TEST(one_row_among_many_is_found)
{
	double values[ROWS * 8], p[ROWS];
	uint64_t draws = 7;

	for (int i = 0; i < ROWS * 8; i++)
		values[i] = (i < 8 ? 0.01 : 0.3) * noise(&draws);
	for (int i = 4; i < 8; i++)
		values[i] += 0.1;
	assert_true(compare_permute(values, ROWS, 4, 4, p));
	assert_near(p[0], 2.0 / 70, 1e-12);
	for (int i = 1; i < ROWS; i++)
		assert_true(p[i] > COMPARE_LEVEL);
}

/* Rows that differ by chance alone, which are correlated: one in twenty sets at most has a p that
 * is enough. 400 sets: 20, and 3 times their deviation of 4.4. */
TEST(chance_is_rarely_found)
{
	double values[30 * 8], p[30];
	uint64_t draws = 11;
	int found = 0;

	for (int set = 0; set < 400; set++) {
		double least = 1, common[8];

		for (int i = 0; i < 8; i++)
			common[i] = noise(&draws);
		for (int i = 0; i < 30 * 8; i++)
			values[i] = common[i % 8] * (i / 8 % 3) + (i / 8 + 1) * noise(&draws);
		assert_true(compare_permute(values, 30, 4, 4, p));
		for (int i = 0; i < 30; i++)
			least = fmin(least, p[i]);
		found += least <= COMPARE_LEVEL;
	}
	assert_true(found <= 33);
}

/* By hand: variances of the means 0.41667 and 1.66667, 4.41 degrees, t of 4 is 2.776. */
TEST(welch_by_hand)
{
	const double values[] = { 1, 2, 3, 4, 2, 4, 6, 8 };
	struct compare_interval is = compare_welch(values, 4, 4);

	assert_near(is.lo, 2.5 - 4.0068, 1e-3);
	assert_near(is.hi, 2.5 + 4.0068, 1e-3);
}

TEST(holm_by_hand)
{
	double p[] = { 0.01, 0.04, 0.03, 0.9 };

	assert_true(compare_holm(p, 4));
	assert_near(p[0], 0.04, 1e-12);
	assert_near(p[1], 0.09, 1e-12);
	assert_near(p[2], 0.09, 1e-12);
	assert_near(p[3], 0.9, 1e-12);
}

TEST(quantiles_by_nearest_rank)
{
	const float values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const uint16_t once[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const uint16_t drawn[] = { 0, 0, 0, 0, 0, 0, 4, 5, 0, 1 };
	double of[COMPARE_QUANTILES];

	assert_near(compare_at(values, 10, 500, 0, 0), 5, 0);
	assert_near(compare_at(values, 10, 990, 0, 0), 10, 0);
	/* Ten that are hidden may all be shorter, or all longer. */
	assert_near(compare_at(values, 10, 500, 10, 0), 0, 0);
	assert_near(compare_at(values, 10, 750, 10, 0), 5, 0);
	assert_near(compare_at(values, 10, 500, 0, 10), 10, 0);
	assert_true(isinf(compare_at(values, 10, 550, 0, 10)));
	compare_of_draw(values, once, 10, of);
	assert_near(of[0], 5, 0);
	assert_near(of[2], 10, 0);
	compare_of_draw(values, drawn, 10, of);
	assert_near(of[0], 8, 0);
	assert_near(of[1], 10, 0);
}

TEST(blocks_follow_time)
{
	uint32_t picks[1000], breaks = 0;
	uint64_t draws = 3;

	compare_pick_blocks(&draws, 1000, picks);
	for (int i = 0; i < 1000; i++) {
		assert_true(picks[i] < 1000);
		breaks += i && picks[i] != picks[i - 1] + 1;
	}
	assert_true(breaks <= 32); /* 31 a block */
	compare_pick_blocks(&draws, 1, picks);
	assert_int_equal(picks[0], 0);
}
