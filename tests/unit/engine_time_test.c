// SPDX-License-Identifier: MIT
// An engine's time, each nanosecond once: whatever order it is told in, however it overlaps.
#include "check.h"

#include "latency/engine_time.h"

/* A run from [b, bh] to [e, eh]. */
static struct lane_run run_of(uint64_t b, uint64_t bh, uint64_t e, uint64_t eh)
{
	return (struct lane_run){ .begin = { b, bh }, .end = { e, eh }, .sure_until_ns = e };
}

static void has(const struct lane_engine_time *a, uint64_t whole, uint64_t busy_lo,
		uint64_t busy_hi)
{
	struct lane_span busy = latency_engine_time_busy(a, whole);
	struct lane_span idle = latency_engine_time_idle_span(a, whole);

	assert_int_equal(busy.lo, busy_lo);
	assert_int_equal(busy.hi, busy_hi);
	assert_int_equal(busy.lo + idle.hi, whole);
	assert_int_equal(busy.hi + idle.lo, whole);
}

/* Where one run gives way to the next is known within bounds: the engine was busy all the time. */
TEST(followers_leave_no_gap)
{
	struct lane_engine_time a = { 0 };
	struct lane_run first = run_of(100, 100, 200, 300), second = run_of(200, 300, 400, 400);

	second.follows = true;
	latency_engine_time_run(&a, &first);
	has(&a, 1000, 100, 1000);
	latency_engine_time_run(&a, &second);
	has(&a, 1000, 300, 1000);
	assert_int_equal(latency_engine_time_idle(&a, 400, 1000), 600);
	has(&a, 1000, 300, 400);
	assert_int_equal(latency_engine_time_idle(&a, 0, 100), 100);
	has(&a, 1000, 300, 300);
}

/* Possible times that overlap are not added twice, nor is what has no end. */
TEST(overlaps_count_once)
{
	struct lane_engine_time a = { 0 };

	for (uint64_t i = 0; i < 100; i++) {
		struct lane_run run = run_of(10 * i, 10 * i + 500, 10 * i + 500, UINT64_MAX);

		latency_engine_time_run(&a, &run);
	}
	has(&a, 2000, 0, 2000);
	for (uint64_t i = 0; i < 100; i++) {
		struct lane_run run = run_of(10 * i, 10 * i, 10 * i + 100, 10 * i + 200);

		latency_engine_time_run(&a, &run);
	}
	has(&a, 2000, 1090, 2000);
}

/* What is in doubt is neither, and begins no chain; what left incomplete is busy while it was seen
 * to be. */
TEST(doubt_is_neither)
{
	struct lane_engine_time a = { 0 };
	struct lane_run doubtful = run_of(100, 100, 200, 200), next = run_of(200, 200, 300, 300);
	struct lane_run left = run_of(400, 400, 600, 600), last = run_of(600, 600, 700, 700);

	doubtful.is_doubtful = true;
	next.follows = last.follows = true;
	left.sure_until_ns = 450;
	latency_engine_time_run(&a, &doubtful);
	latency_engine_time_run(&a, &next);
	has(&a, 1000, 100, 1000);
	latency_engine_time_run(&a, &left);
	has(&a, 1000, 150, 1000);
	latency_engine_time_run(&a, &last);
	has(&a, 1000, 250, 1000);
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
