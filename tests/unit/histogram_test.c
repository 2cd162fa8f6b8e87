// SPDX-License-Identifier: MIT
// Percentiles: exact for few durations, at most 1/128 too high for many.
#include "check.h"

#include "latency/histogram.h"

TEST(few_are_exact)
{
	struct lane_histogram h = { 0 };

	assert_int_equal(latency_histogram_percentile(&h, 500), 0);
	for (uint64_t ns = 100; ns > 0; ns--)
		assert_true(latency_histogram_add(&h, ns * 1000003));
	assert_int_equal(latency_histogram_percentile(&h, 500), 50 * 1000003);
	assert_int_equal(latency_histogram_percentile(&h, 990), 99 * 1000003);
	assert_int_equal(latency_histogram_percentile(&h, 1000), 100 * 1000003);
	assert_int_equal(latency_histogram_percentile(&h, 0), 1000003);
	latency_histogram_free(&h);
	/* Half of three are two: a rank between two values is the larger one. */
	for (uint64_t ns = 1; ns <= 3; ns++)
		assert_true(latency_histogram_add(&h, ns));
	assert_int_equal(latency_histogram_percentile(&h, 500), 2);
	latency_histogram_free(&h);
}

TEST(many_are_close)
{
	const uint64_t n = 100000;
	struct lane_histogram h = { 0 };

	for (uint64_t i = 1; i <= n; i++)
		assert_true(latency_histogram_add(&h, i * 7919));
	for (unsigned int permille = 1; permille <= 1000; permille++) {
		uint64_t exact = (n * permille + 999) / 1000 * 7919;
		uint64_t is = latency_histogram_percentile(&h, permille);

		assert_between(is, exact, exact + exact / 128);
	}
	assert_int_equal(h.max_ns, n * 7919);
	latency_histogram_free(&h);
}

TEST(any_duration_has_a_place)
{
	struct lane_histogram h = { 0 };

	for (int i = 0; i < LANE_HISTOGRAM_EXACT + 1; i++)
		assert_true(latency_histogram_add(&h, 0));
	assert_true(latency_histogram_add(&h, UINT64_MAX));
	assert_int_equal(latency_histogram_percentile(&h, 500), 0);
	assert_true(latency_histogram_percentile(&h, 1000) == UINT64_MAX);
	latency_histogram_free(&h);
}
