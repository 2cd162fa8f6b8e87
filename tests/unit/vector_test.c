// SPDX-License-Identifier: MIT
// Arrays that grow: what is in them stays, what is new is zeroed, too many are refused.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

struct thing {
	uint64_t number;
	char rest[24];
};

TEST(test_keeps_and_zeroes)
{
	struct thing *things = NULL;
	uint32_t room = 0;

	for (uint32_t n = 0; n < 1000; n++) {
		assert_true(LANE_GROW(things, room, n + 1));
		assert_true(room > n && room <= 2 * (n + 1));
		assert_int_equal(things[n].number, 0);
		assert_int_equal(things[room - 1].rest[23], 0);
		memset(&things[n], 0xff, sizeof(*things));
		things[n].number = n;
	}
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(things[n].number, n);
	free(things);
}

TEST(test_none_is_no_array)
{
	struct thing *things = NULL;
	size_t room = 0;

	assert_true(LANE_GROW(things, room, 0));
	assert_null(things);
	assert_int_equal(room, 0);
}

/* A counter of 8 bits says 255 at the most, a size_t so many that their bytes are not beyond it. */
TEST(test_too_many)
{
	struct thing *things = NULL, *before;
	uint8_t room = 0;
	size_t wide = 0;

	assert_true(LANE_GROW(things, room, 200));
	assert_true(room >= 200);
	assert_true(LANE_GROW(things, room, 255));
	assert_int_equal(room, 255);
	things[254].number = 7;
	before = things;
	assert_false(LANE_GROW(things, room, 256));
	assert_ptr_equal(things, before);
	assert_int_equal(room, 255);
	assert_int_equal(things[254].number, 7);
	free(things);
	things = NULL;
	assert_false(LANE_GROW(things, wide, SIZE_MAX / 16));
	assert_false(LANE_GROW(things, wide, SIZE_MAX));
	assert_null(things);
	assert_int_equal(wide, 0);
}

TEST(test_by_one)
{
	struct thing *things = NULL;
	uint16_t n = 0;

	for (; n < 300; n++) {
		assert_true(LANE_GROW_BY_ONE(things, n));
		assert_int_equal(things[n].number, 0);
		things[n].number = n + 1;
	}
	for (uint16_t i = 0; i < n; i++)
		assert_int_equal(things[i].number, i + 1);
	free(things);
}
