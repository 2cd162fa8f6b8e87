// SPDX-License-Identifier: MIT
// An engine's time, each nanosecond once, in bounded memory. What runs, gaps and doubts make of it
// is in the golden texts.
#include "check.h"

#include "latency/engine_time.h"

static void has(const struct lane_engine_time *a, uint64_t whole, uint64_t busy_lo,
		uint64_t busy_hi)
{
	struct lane_span busy, idle;

	latency_engine_time_bounds(a, whole, &busy, &idle);

	assert_int_equal(busy.lo, busy_lo);
	assert_int_equal(busy.hi, busy_hi);
	assert_int_equal(busy.lo + idle.hi, whole);
	assert_int_equal(busy.hi + idle.lo, whole);
}

/* More stretches than are kept apart: the oldest gaps are not looked for any more. */
TEST(memory_is_bounded)
{
	struct lane_engine_time a = { 0 };
	uint64_t n = 10 * LANE_TIME_PARTS;

	for (uint64_t i = 0; i < n; i++) {
		latency_engine_time_busy_in(&a, 100 * i, 100 * i + 10);
		assert_true(a.n_parts <= LANE_TIME_PARTS);
	}
	has(&a, 100 * n, 10 * n, 100 * n);
	assert_int_equal(latency_engine_time_idle(&a, 10, 100), 0); /* too late: not counted */
	assert_int_equal(latency_engine_time_idle(&a, 100 * n - 90, 100 * n), 90);
	has(&a, 100 * n, 10 * n, 100 * n - 90);
}
