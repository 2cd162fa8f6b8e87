// SPDX-License-Identifier: MIT
// norm/pairs.c: recordings of two hosts on one clock, by messages there and back.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "norm/norm.h"
#include "norm/pairs.h"
#include "check.h"

#define OFFSET 900000000000000 /* of the second host's clock */

static struct lane_error *open_both(const char *pairs, struct lane_input **input)
{
	const char *const paths[] = { "a.txt", "b.txt" };
	const struct lane_input_options options = { .pairs = "pairs" };

	check_write("a.txt", "gpulane-events 1\ninfo clock_uuid a\n"
			     "1000000000 0 1/1 - sched_process_exit tid=1\n"
			     "3000000000 0 1/1 - sched_process_exit tid=2\n");
	check_write("b.txt", "gpulane-events 1\ninfo clock_uuid b\ninfo epoch_offset_ns 77\n"
			     "900002000050000 0 1/1 - sched_process_exit tid=3\n"
			     "900002500060000 0 1/1 - gpulane_lost count=1 "
			     "begin_ns=900002400060000 end_ns=900002500060000\n");
	check_write("pairs", pairs);
	return norm_input_open_all(paths, 2, &options, input);
}

static void expect(struct lane_input *input, int32_t tid, uint64_t ns, uint64_t within_ns)
{
	const struct lane_event *event;

	assert_null(norm_input_next(input, &event));
	assert_non_null(event);
	assert_between(event->wire.ts_ns, ns - within_ns, ns + within_ns);
	if (event->wire.kind == LANE_LOST)
		assert_between(event->u.gpulane_lost.begin_ns, ns - 100000000 - within_ns,
			       ns - 100000000 + within_ns);
	else
		assert_int_equal(event->u.sched_process_exit.tid, tid);
}

/* What pairs show of the second host's clock less the first's, at their last one. */
static struct lane_sync_line line_of(const char *pairs)
{
	struct lane_sync syncs[2] = { 0 };
	struct lane_sync_line line;

	check_write("pairs", pairs);
	assert_null(norm_pairs_read("pairs", syncs, 2));
	assert_true(clock_sync_line(&syncs[1], syncs[1].last_other, &line));
	return line;
}

/* A clock that is 25 ppm faster; a message takes 10 us at least, there and back. */
TEST_IN_FOLDER(test_two_hosts)
{
	char pairs[4096] = "# what was sent, and received\n\n";
	struct lane_sync_line line;
	struct lane_input *input;

	for (uint64_t i = 0; i < 30; i++) {
		uint64_t sent = 500000000 + i * 100000000, delay = 10000 + i * 7919 % 50000;
		uint64_t there = OFFSET + (sent + delay) + (sent + delay) / 40000;
		uint64_t back = sent + 2 * delay;

		snprintf(pairs + strlen(pairs), 120, "1 %llu before %llu\n1 %llu after %llu\n",
			 (unsigned long long)sent, (unsigned long long)there,
			 (unsigned long long)back, (unsigned long long)there);
	}
	assert_null(open_both(pairs, &input));
	line = line_of(pairs);
	assert_true(line.offset_lo_ns <= OFFSET + 85000 && line.offset_hi_ns >= OFFSET + 85000);
	assert_true(line.offset_hi_ns - line.offset_lo_ns < 60000);
	expect(input, 1, 1000000000, 0);
	expect(input, 3, 2000000000, 10000);
	expect(input, 0, 2499997500, 10000);
	expect(input, 2, 3000000000, 0);
	norm_input_close(input);
}

/* The same pairs are the same knowledge, whatever the order of the lines. */
TEST_IN_FOLDER(test_any_order)
{
	char there[2048] = "", back[2048] = "", all[4096], line[96];
	struct lane_sync_line first, second;

	for (uint64_t i = 0; i < 23; i++) {
		uint64_t sent = 500000000 + i * 100000000, delay = 10000 + i * 7919 % 50000;
		uint64_t other = OFFSET + (sent + delay) + (sent + delay) / 40000;

		snprintf(line, sizeof(line), "1 %llu before %llu\n", (unsigned long long)sent,
			 (unsigned long long)other);
		strcat(there, line);
		snprintf(line, sizeof(line), "1 %llu after %llu\n",
			 (unsigned long long)(sent + 2 * delay), (unsigned long long)other);
		memmove(back + strlen(line), back, strlen(back) + 1);
		memcpy(back, line, strlen(line));
	}
	snprintf(all, sizeof(all), "%s%s", there, back);
	first = line_of(all);
	snprintf(all, sizeof(all), "%s%s", back, there);
	second = line_of(all);
	assert_memory_equal(&first, &second, sizeof(first));
}

static void expect_error(const char *pairs, const char *with)
{
	struct lane_input *input;
	struct lane_error *err = open_both(pairs, &input);

	check_error(err, with);
}

TEST_IN_FOLDER(test_bad)
{
	expect_error("", "not bounded");
	expect_error("1 10 before 20\n", "not bounded");
	expect_error("# a\n\n1 10 before\n", "pairs:3: not a pair");
	expect_error("1 10 beside 20\n", "pairs:1: not a pair");
	expect_error("0 10 before 20\n", "not a pair");
	expect_error("2 10 before 20\n", "not a pair");
	expect_error("1 -10 before 20\n", "not a pair");
	expect_error("1 10 before 20 30\n", "not a pair");
	expect_error("1 99999999999999999999 before 20\n", "not a pair");
	expect_error("1 1000 before 500\n1 1000 after 600\n", "no even clock");
}
