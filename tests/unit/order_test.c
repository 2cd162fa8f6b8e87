// SPDX-License-Identifier: MIT
// timeline/command/command_order.c: commands that come back in any order leave in the order in
// which they began.
#include "check.h"

#include <stdlib.h>

#include "timeline/command/command_order.h"

static struct lane_order *make(uint32_t limit)
{
	struct lane_order *order;

	assert_null(timeline_command_order_create(limit, &order));
	return order;
}

static uint64_t next_key(struct lane_order *order, bool all)
{
	bool is_sure;
	uint64_t *item = timeline_command_order_next(order, all, &is_sure);

	return item ? *item : 0;
}

TEST(test_waits_for_older)
{
	struct lane_order *order = make(16);
	uint64_t keys[] = { 10, 20, 30 };
	uint64_t a = timeline_command_order_ticket(order), b = timeline_command_order_ticket(order),
		 c;

	assert_true(timeline_command_order_give(order, b, 20, &keys[1]));
	assert_int_equal(next_key(order, false), 0);
	/* Enqueued after b was back: b waits for a only. */
	c = timeline_command_order_ticket(order);
	assert_int_equal(next_key(order, false), 0);
	assert_true(timeline_command_order_give(order, a, 10, &keys[0]));
	/* c was enqueued before a was back: it may have begun before a. */
	assert_int_equal(next_key(order, false), 0);
	assert_true(timeline_command_order_give(order, c, 30, &keys[2]));
	assert_int_equal(next_key(order, false), 10);
	assert_int_equal(next_key(order, false), 20);
	assert_int_equal(next_key(order, false), 30);
	assert_int_equal(timeline_command_order_figures(order)->max_in_flight, 3);
	assert_int_equal(timeline_command_order_figures(order)->max_held, 3);
	assert_int_equal(timeline_command_order_figures(order)->late, 0);
	timeline_command_order_destroy(order);
}

TEST(test_one_that_never_comes)
{
	struct lane_order *order = make(4);
	uint64_t keys[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, stuck = timeline_command_order_ticket(order);

	for (int i = 0; i < 8; i++)
		assert_true(timeline_command_order_give(order, timeline_command_order_ticket(order),
							keys[i], &keys[i]));
	/* The limit was reached: it is not waited for any more. */
	for (int i = 0; i < 8; i++)
		assert_int_equal(next_key(order, false), keys[i]);
	assert_int_equal(timeline_command_order_figures(order)->given_up, 1);
	assert_true(timeline_command_order_give(order, stuck, 3, &keys[2]));
	assert_int_equal(next_key(order, false), 3);
	assert_int_equal(timeline_command_order_figures(order)->late, 1);
	timeline_command_order_destroy(order);
}

/* More on their way than there is room for at first; the oldest comes back last. */
TEST(test_many_in_flight)
{
	struct lane_order *order = make(8192);
	uint64_t tickets[1000], keys[1000];

	for (unsigned int i = 0; i < 1000; i++) {
		keys[i] = i + 1;
		tickets[i] = timeline_command_order_ticket(order);
		/* every other one is back before the next one comes: the room's begin moves */
		if (i % 2 && i < 40)
			assert_true(
				timeline_command_order_give(order, tickets[i], keys[i], &keys[i]));
	}
	for (unsigned int i = 999; i < 1000; i--)
		if (!(i % 2 && i < 40)) {
			assert_int_equal(next_key(order, false), 0);
			assert_true(
				timeline_command_order_give(order, tickets[i], keys[i], &keys[i]));
		}
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(next_key(order, false), keys[i]);
	assert_int_equal(timeline_command_order_figures(order)->max_in_flight, 1000);
	assert_int_equal(timeline_command_order_figures(order)->given_up, 0);
	timeline_command_order_destroy(order);
}

TEST(test_dropped)
{
	struct lane_order *order = make(4);
	uint64_t key = 5, a = timeline_command_order_ticket(order),
		 b = timeline_command_order_ticket(order);

	assert_true(timeline_command_order_give(order, b, 5, &key));
	assert_int_equal(next_key(order, false), 0);
	timeline_command_order_drop(order, a);
	assert_int_equal(next_key(order, false), 5);
	timeline_command_order_drop(order, 99);
	assert_int_equal(next_key(order, true), 0);
	timeline_command_order_destroy(order);
}

struct command {
	uint64_t start, end, ticket;
};

/* Random queues in which commands overtake each other: what comes out is sorted, and what is held
 * is no more than was in flight. */
TEST(test_random)
{
	enum {
		N = 2000
	};
	struct command *commands = calloc(N, sizeof(*commands));

	assert_non_null(commands);
	srandom(1);
	for (int round = 0; round < 20; round++) {
		struct lane_order *order = make(1024);
		uint64_t now = 1, last = 0;
		uint32_t n = 0, out = 0, in_flight = 0, most = 0;

		while (out < N) {
			const uint64_t *start;
			bool is_sure;
			uint32_t oldest = N;

			now += (uint64_t)random() % 10 + 1;
			if (n < N && in_flight < 200 && random() % 2) {
				commands[n].start = now + (uint64_t)random() % 300;
				commands[n].end = commands[n].start + (uint64_t)random() % 400;
				commands[n++].ticket = timeline_command_order_ticket(order);
				most = ++in_flight > most ? in_flight : most;
			}
			for (uint32_t i = n > 500 ? n - 500 : 0; i < n; i++)
				if (commands[i].end && (commands[i].end <= now || n == N) &&
				    (oldest == N || commands[i].end < commands[oldest].end))
					oldest = i;
			if (oldest < N) {
				commands[oldest].end = 0;
				in_flight--;
				assert_true(timeline_command_order_give(
					order, commands[oldest].ticket, commands[oldest].start,
					&commands[oldest].start));
			}
			while ((start = timeline_command_order_next(order, false, &is_sure))) {
				assert_true(is_sure);
				assert_true(*start >= last);
				last = *start;
				out++;
			}
		}
		assert_int_equal(timeline_command_order_figures(order)->late, 0);
		assert_int_equal(timeline_command_order_figures(order)->given_up, 0);
		assert_true(most > 10);
		assert_true(timeline_command_order_figures(order)->max_held < 1024);
		timeline_command_order_destroy(order);
	}
	free(commands);
}
