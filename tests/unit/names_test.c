// SPDX-License-Identifier: MIT
// Durations and shares as reports write them.
#include "check.h"

#include "base/percent.h"
#include "show/report.h"

static void assert_span(uint64_t lo, uint64_t hi, const char *text)
{
	char buffer[64];

	assert_string_equal(show_span_text((struct lane_span){ lo, hi }, buffer, sizeof(buffer)),
			    text);
}

static void assert_share(struct lane_span part, struct lane_span whole, const char *text)
{
	char buffer[64];

	assert_string_equal(show_share_text(part, whole, buffer, sizeof(buffer)), text);
}

TEST(a_duration_has_both_bounds_where_they_look_different)
{
	assert_span(2100000, 2100000, "2.10 ms");
	assert_span(2100000, 2350000, "2.10 ms..2.35 ms");
	assert_span(273900000, 274100000, "274 ms");
	assert_span(0, 0, "0 ns");
	assert_span(0, UINT64_MAX, "0 ns..18446744074 s");
}

TEST(a_share_has_both_bounds_where_they_look_different)
{
	const struct lane_span whole = { 1000, 1000 };

	assert_share((struct lane_span){ 381, 381 }, whole, "38.1 %");
	assert_share((struct lane_span){ 381, 402 }, whole, "38.1..40.2 %");
	assert_share((struct lane_span){ 500, 500 }, (struct lane_span){ 500, 1000 },
		     "50.0..100.0 %");
	assert_share((struct lane_span){ 100000, 100001 }, (struct lane_span){ 1000000, 1000000 },
		     "10.0 %");
	assert_share((struct lane_span){ 0, 5 }, (struct lane_span){ 0, 0 }, "0.0..100.0 %");
}

TEST(no_part_is_more_than_its_whole)
{
	assert_int_equal(lane_percent(1, 2, 0), 50);
	assert_int_equal(lane_percent(999, 1000, 0), 99);
	assert_int_equal(lane_percent(999, 1000, 0.5), 100);
	assert_int_equal(lane_percent(UINT64_MAX, 1, 1), 100);
	assert_int_equal(lane_percent(1, 0, 1), 0);
}
