// SPDX-License-Identifier: MIT
// The spool of an export: any order in, order of time out, however little memory; rows beside it.
#include <fcntl.h>
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "show/track_rows.h"
#include "show/spool.h"

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Records with few different times: `seqno` is the order in which they were added. */
static void add(struct lane_spool *spool, uint64_t at_ns, uint32_t order)
{
	struct lane_event event = { .wire = { .ts_ns = at_ns, .kind = LANE_RQ_ADD } };

	if (order % 3 == 0)
		event.wire.kind = LANE_FOUND_IDLE_BEGIN; /* another size */
	event.wire.tid = (int32_t)order;
	assert_null(show_spool_add(spool, &event.wire));
}

static void in_order(size_t memory, uint32_t n, uint64_t times)
{
	struct lane_spool *spool;
	struct lane_wire *record;
	uint64_t last_ns = 0;
	int32_t last = -1;
	uint32_t seen = 0;

	assert_null(show_spool_create(AT_FDCWD, memory, &spool));
	for (uint32_t i = 0; i < n; i++)
		add(spool, next_random() % times, i);
	for (;; seen++) {
		assert_null(show_spool_next(spool, &record));
		if (!record)
			break;
		assert_int_equal(record->kind,
				 record->tid % 3 ? LANE_RQ_ADD : LANE_FOUND_IDLE_BEGIN);
		assert_true(record->ts_ns >= last_ns);
		if (seen && record->ts_ns == last_ns)
			assert_true(record->tid > last);
		last_ns = record->ts_ns;
		last = record->tid;
	}
	assert_int_equal(seen, n);
	assert_null(show_spool_next(spool, &record));
	assert_null(record);
	show_spool_destroy(spool);
}

TEST(in_memory)
{
	in_order(1 << 20, 0, 1);
	in_order(1 << 20, 1, 1);
	in_order(1 << 20, 1000, 100);
}

TEST(in_a_file)
{
	in_order(4096, 1000, 100);
	in_order(4096, 1000, UINT64_MAX);
	in_order(65536, 50000, 10000);
}

TEST(rows_are_the_smallest_free)
{
	const struct lane_rows_key a = { 1, 1 }, b = { 2, 1 };
	struct lane_track_rows rows = { 0 };

	for (uint64_t i = 0; i < 200; i++)
		assert_int_equal(show_rows_take(&rows, a, (struct lane_rows_key){ i, 0 }), i);
	assert_int_equal(show_rows_take(&rows, b, (struct lane_rows_key){ 1000, 0 }), 0);
	assert_int_equal(show_rows_take(&rows, a, (struct lane_rows_key){ 7, 0 }), 7);
	assert_int_equal(show_rows_open(&rows, a), 200);
	assert_int_equal(show_rows_give(&rows, a, (struct lane_rows_key){ 130, 0 }), 130);
	assert_int_equal(show_rows_give(&rows, a, (struct lane_rows_key){ 5, 0 }), 5);
	assert_int_equal(show_rows_give(&rows, a, (struct lane_rows_key){ 5, 0 }), LANE_ROW_NONE);
	assert_int_equal(show_rows_take(&rows, a, (struct lane_rows_key){ 5, 1 }), 5);
	assert_int_equal(show_rows_take(&rows, a, (struct lane_rows_key){ 6, 1 }), 130);
	assert_int_equal(show_rows_take(&rows, a, (struct lane_rows_key){ 8, 1 }), 200);
	assert_int_equal(show_rows_open(&rows, a), 201);
	assert_int_equal(show_rows_open(&rows, b), 1);
	assert_false(rows.no_memory);
	show_rows_free(&rows);
}
