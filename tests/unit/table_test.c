// SPDX-License-Identifier: MIT
// The table of the timeline's objects: keys that were chosen for their places are all found, and
// make it choose a secret; others do not.
#include "check.h"

#include "base/table.h"

enum {
	KEYS = 3000,
	SLOTS = 1 << 13, /* of a table with so many, and a half as many more */
};

/* The next key from `from` on whose place is that one, of a table without a secret. */
static uint64_t key_at(uint64_t from, uint64_t place)
{
	const struct lane_table none = { 0 };

	while ((lane_table_hash(&none, from, 7) & (SLOTS - 1)) != place)
		from++;
	return from;
}

static void fill(struct lane_table *table, uint64_t *keys)
{
	for (uintptr_t i = 0; i < KEYS; i++)
		assert_true(lane_table_put(table, keys[i], 7, (void *)(i + 1)));
}

/* All are there until each is deleted. */
static void check_all(struct lane_table *table, const uint64_t *keys)
{
	for (uintptr_t i = 0; i < KEYS; i++)
		assert_ptr_equal(lane_table_get(table, keys[i], 7), (void *)(i + 1));
	for (uintptr_t i = 0; i < KEYS; i += 2)
		lane_table_del(table, keys[i], 7);
	for (uintptr_t i = 0; i < KEYS; i++)
		assert_ptr_equal(lane_table_get(table, keys[i], 7), i % 2 ? (void *)(i + 1) : NULL);
	lane_table_free(table);
}

/* By their order; in one place; each in the place behind the one before, backwards, too. */
TEST(test_keys)
{
	static uint64_t keys[KEYS];
	struct lane_table table = { 0 };

	for (uint64_t i = 0; i < KEYS; i++)
		keys[i] = i;
	fill(&table, keys);
	assert_int_equal(table.secret, 0);
	check_all(&table, keys);
	for (uint64_t i = 0; i < KEYS; i++)
		keys[i] = key_at(i ? keys[i - 1] + 1 : 0, 5);
	fill(&table, keys);
	assert_int_not_equal(table.secret, 0);
	check_all(&table, keys);
	for (int is_down = 0; is_down < 2; is_down++) {
		for (uint64_t i = 0; i < KEYS; i++)
			keys[i] = key_at(1, is_down ? SLOTS - i - 1 : i);
		fill(&table, keys);
		assert_int_not_equal(table.secret, 0);
		check_all(&table, keys);
	}
}
