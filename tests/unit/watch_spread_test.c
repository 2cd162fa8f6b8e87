// SPDX-License-Identifier: MIT
// Spreads: percentiles at most 1/16 too high, mergeable; histories and limits that stand on them.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "watch/limit.h"

TEST(buckets_have_an_order)
{
	uint64_t before = 0;

	for (unsigned int i = 0; i < LANE_SPREAD_BUCKETS - 1; i++) {
		uint64_t top = watch_spread_top(i);

		assert_true(!i || top > before);
		assert_int_equal(watch_spread_bucket(top), i);
		assert_int_equal(watch_spread_bucket(top + 1), i + 1);
		/* From 8 us on a bucket is a sixteenth of its durations wide at most. */
		if (before > 8192)
			assert_true((top - before) * 16 <= before + 1);
		before = top;
	}
	assert_int_equal(watch_spread_bucket(0), 0);
	assert_int_equal(watch_spread_bucket(UINT64_MAX), LANE_SPREAD_BUCKETS - 1);
}

TEST(percentiles_are_close)
{
	static struct lane_spread spread;
	const uint64_t n = 100000;

	assert_int_equal(watch_spread_percentile(&spread, 500000), 0);
	for (uint64_t i = 1; i <= n; i++)
		watch_spread_add(&spread, i * 7919);
	for (unsigned int ppm = 1000; ppm <= 1000000; ppm += 999) {
		uint64_t exact = (n * ppm + 999999) / 1000000 * 7919;

		assert_between(watch_spread_percentile(&spread, ppm), exact,
			       exact + exact / 16 + 256);
	}
	assert_int_equal(watch_spread_percentile(&spread, 1000000), n * 7919);
}

/* The rank of a percentile among few: the first value that so many are not above. */
TEST(few_have_their_rank)
{
	static const uint64_t values[] = { 10000, 1000000, 100000000 };
	static const struct {
		unsigned int ppm, at;
	} ranks[] = { { 1, 0 },	     { 333333, 0 }, { 333334, 1 }, { 500000, 1 },
		      { 666666, 1 }, { 666667, 2 }, { 1000000, 2 } };
	static struct lane_spread spread;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		watch_spread_add(&spread, values[i]);
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		assert_between(watch_spread_percentile(&spread, ranks[i].ppm), values[ranks[i].at],
			       values[ranks[i].at] + values[ranks[i].at] / 16 + 256);
}

/* Any parts, merged, are the whole. */
TEST(parts_are_the_whole)
{
	static struct lane_spread whole, parts[3], merged;

	srand(1);
	for (int i = 0; i < 30000; i++) {
		uint64_t ns = (uint64_t)rand() << (rand() % 24);

		watch_spread_add(&whole, ns);
		watch_spread_add(&parts[i % 3], ns);
	}
	for (int i = 0; i < 3; i++)
		watch_spread_merge(&merged, &parts[i]);
	assert_memory_equal(&merged, &whole, sizeof(whole));
}

TEST(limits_are_read)
{
	struct lane_limit limit;
	uint64_t ns;

	assert_true(watch_limit_parse("16ms", &limit) && limit.ns == 16000000);
	assert_true(watch_limit_parse("1.5s", &limit) && limit.ns == 1500000000);
	assert_true(watch_limit_parse("250us", &limit) && limit.ns == 250000);
	assert_true(watch_limit_parse("p99.9x3", &limit) && !limit.ns && limit.ppm == 999000 &&
		    limit.factor == 3);
	assert_true(watch_limit_parse("p50x1.5", &limit) && limit.ppm == 500000);
	for (const char *const *text =
		     (const char *const[]){ "",	      "16",	 "ms",	  "-1ms",   "0ms",  "0.1ns",
					    "16 ms",  "16msx",	 "p",	  "p99",    "p99x", "px3",
					    "p0x3",   "p100x3",	 "p99x0", "p99x3x", "nan",  "infs",
					    "1e300s", "p99xnan", NULL };
	     *text; text++)
		assert_false(watch_limit_parse(*text, &limit));
	assert_true(watch_time_parse("2min", &ns) && ns == 120000000000);
	assert_false(watch_time_parse("p99x3", &ns));
}

/* A percentile's multiple is not believed before enough are known. */
TEST(history_has_to_be_long_enough)
{
	struct lane_history *history;
	struct lane_usual *usual;
	struct lane_limit limit;
	uint64_t limit_ns;

	check(watch_history_create(&history));
	assert_true(watch_limit_parse("p99x3", &limit));
	usual = watch_history_of(history, "hist", "rcs0");
	for (int i = 0; i < 199; i++)
		assert_true(watch_usual_add(usual, LANE_TRACK_REQUEST, 1000000));
	assert_false(watch_limit_exceeded(&limit, usual, LANE_TRACK_REQUEST, 50000000, &limit_ns));
	assert_true(watch_usual_add(usual, LANE_TRACK_REQUEST, 1000000));
	assert_true(watch_limit_exceeded(&limit, usual, LANE_TRACK_REQUEST, 50000000, &limit_ns));
	assert_between(limit_ns, 3000000, 3200000);
	assert_false(watch_limit_exceeded(&limit, usual, LANE_TRACK_REQUEST, 2900000, &limit_ns));
	/* Another process, engine or stage has its own. */
	assert_false(watch_limit_exceeded(&limit, usual, LANE_TRACK_WAIT, 50000000, &limit_ns));
	assert_false(watch_limit_exceeded(&limit, watch_history_of(history, "Xorg", "rcs0"),
					  LANE_TRACK_REQUEST, 50000000, &limit_ns));
	/* After two hours without, nothing is left of it. */
	watch_history_advance(history, 1);
	watch_history_advance(history, 1 + LANE_HISTORY_NS);
	usual = watch_history_of(history, "hist", "rcs0");
	assert_int_not_equal(watch_usual_median(usual, LANE_TRACK_REQUEST), 0);
	watch_history_advance(history, 1 + 2 * LANE_HISTORY_NS);
	assert_int_equal(
		watch_usual_median(watch_history_of(history, "hist", "rcs0"), LANE_TRACK_REQUEST),
		0);
	watch_history_destroy(history);
}

/* As many in an hour as in the one before: what the one before was like has no say. */
TEST(history_is_of_its_hours)
{
	struct lane_history *history;
	struct lane_usual *usual;
	uint64_t ns;

	check(watch_history_create(&history));
	watch_history_advance(history, 1);
	usual = watch_history_of(history, "hist", "rcs0");
	for (uint64_t hour = 1; hour < 3; hour++) {
		for (int i = 0; i < 2000; i++)
			assert_true(watch_usual_add(usual, LANE_TRACK_REQUEST,
						    hour == 1 ? 1000000 : 8000000));
		if (hour == 1)
			assert_true(watch_usual_percentile(usual, LANE_TRACK_REQUEST, 500000, &ns));
		watch_history_advance(history, 1 + hour * LANE_HISTORY_NS);
	}
	assert_true(watch_usual_percentile(usual, LANE_TRACK_REQUEST, 500000, &ns));
	assert_between(ns, 8000000, 8600000);
	watch_history_destroy(history);
}

/* Programs that come with ever new names push out those that were not heard of for longest. */
TEST(history_is_bounded)
{
	struct lane_history *history;
	struct lane_usual *usual;
	char name[16];

	check(watch_history_create(&history));
	for (int i = 0; i < 100; i++)
		watch_usual_add(watch_history_of(history, "old", "rcs0"), LANE_TRACK_REQUEST,
				1000000);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		usual = watch_history_of(history, name, "rcs0");
		assert_non_null(usual);
		watch_usual_add(usual, LANE_TRACK_REQUEST, 1000000);
		if (i < 2500)
			assert_int_not_equal(
				watch_usual_median(watch_history_of(history, "old", "rcs0"),
						   LANE_TRACK_REQUEST),
				0);
	}
	assert_int_equal(
		watch_usual_median(watch_history_of(history, "old", "rcs0"), LANE_TRACK_REQUEST),
		0);
	watch_history_destroy(history);
}

/* What is saved and loaded again says the same. */
TEST(history_survives)
{
	struct lane_history *history, *again;
	LANE_CLEANUP(lane_free) char *text = NULL;
	char *at, *line;
	uint64_t before, after;
	size_t bytes;
	FILE *to;

	check(watch_history_create(&history));
	check(watch_history_create(&again));
	for (int i = 1; i <= 5000; i++)
		watch_usual_add(watch_history_of(history, "a b\n%", ""), LANE_TRACK_FRAME,
				(uint64_t)i * 1000);
	to = open_memstream(&text, &bytes);
	watch_history_save(history, to);
	fclose(to);
	for (at = text; (line = strsep(&at, "\n")) && *line;)
		assert_true(watch_history_load(again, line + strlen("history")));
	assert_true(watch_usual_percentile(watch_history_of(history, "a b\n%", ""),
					   LANE_TRACK_FRAME, 999000, &before));
	assert_true(watch_usual_percentile(watch_history_of(again, "a b\n%", ""), LANE_TRACK_FRAME,
					   999000, &after));
	assert_int_equal(before, after);
	assert_false(watch_history_load(again, " hist rcs0 nothing 0 1 1 1 1"));
	assert_false(watch_history_load(again, " hist rcs0 request 0 1 1 99999 1"));
	assert_false(watch_history_load(again, " hist rcs0 request 0 1"));
	assert_false(watch_history_load(again, ""));
	watch_history_destroy(history);
	watch_history_destroy(again);
}
