// SPDX-License-Identifier: MIT
// The scratchpad model: the paper's numbers, and the fast evaluation against the state machine
// itself.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/pad.h"
#include "model/random.h"
#include "model/papers/vote.h"

static const char fermi[] = "name fermi\nsource test\n"
			    "[device]\nunits 16\nclock_mhz 1544\nwarp 32\n"
			    "[scratchpad]\nbytes 49152\nbanks 32\nlocks 1024\n"
			    "read 32\nupdate 18\nwrite 36\nbranch 32\n";

static void open_pad(struct lane_pad *pad, const char *from, enum lane_hash hash)
{
	struct lane_device *d = device(from);

	assert_null(model_pad_init(pad, d, hash));
	model_device_free(d);
}

/* What each stride costs, by each hash, is in tests/model/golden/warp-*.csv. */
TEST(test_hashes)
{
	struct lane_pad none, xor, add;

	open_pad(&none, fermi, LANE_HASH_NONE);
	open_pad(&xor, fermi, LANE_HASH_XOR);
	open_pad(&add, fermi, LANE_HASH_ADD);
	/* Where bank and row, or row and what is above it, have a bit in common, the hashes differ.
	 */
	assert_int_equal(none.lock_of[33] / 32, 1);
	assert_int_equal(xor.lock_of[33] / 32, 0);
	assert_int_equal(add.lock_of[33] / 32, 2);
	assert_int_equal(none.lock_of[1056] % 32, 1);
	assert_int_equal(xor.lock_of[1056] % 32, 0);
	assert_int_equal(add.lock_of[1056] % 32, 2);
	/* Stride 256: 256 moves to bank 8 and meets lane 8. */
	assert_int_equal(xor.lock_of[256] / 32, 8);
	assert_int_equal(xor.lock_of[512] / 32, 16);
	assert_int_equal(add.lock_of[256] / 32, 8);
	assert_int_equal(add.lock_of[512] / 32, 16);
	/* Word 1024 has the lock of word 0 without a hash, the next one with either. */
	assert_int_equal(none.lock_of[1024], none.lock_of[0]);
	assert_int_equal(xor.lock_of[1024], xor.lock_of[0] + 1);
	assert_int_equal(add.lock_of[1024], add.lock_of[0] + 1);
	model_pad_free(&none);
	model_pad_free(&xor);
	model_pad_free(&add);
}

/* The state machine, word by word as the paper's section III tells it. */
static double by_the_book(const struct lane_pad *pad, const uint16_t *address, uint32_t lanes)
{
	int done[LANE_PAD_LANES] = { 0 };
	uint32_t left = lanes;
	double sum = 0;

	while (left) {
		int gets[LANE_PAD_LANES] = { 0 };
		uint32_t read[LANE_PAD_BANKS] = { 0 }, write[LANE_PAD_BANKS] = { 0 };
		uint32_t most_read = 0, most_written = 0;

		for (uint32_t i = 0; i < lanes; i++) {
			uint32_t bank = pad->lock_of[address[i]] / pad->locks_per_bank;
			int first = !done[i], free_lock = !done[i];

			for (uint32_t j = 0; j < i; j++) {
				first &= done[j] || address[j] != address[i];
				free_lock &= !gets[j] ||
					     pad->lock_of[address[j]] != pad->lock_of[address[i]];
			}
			gets[i] = free_lock;
			read[bank] += first;
			write[bank] += free_lock;
		}
		for (uint32_t bank = 0; bank < pad->banks; bank++) {
			most_read = read[bank] > most_read ? read[bank] : most_read;
			most_written = write[bank] > most_written ? write[bank] : most_written;
		}
		sum += 32.0 * most_read + 18 + 36.0 * most_written + 32;
		for (uint32_t i = 0; i < lanes; i++) {
			left -= !done[i] && gets[i];
			done[i] |= gets[i];
		}
	}
	return sum;
}

static void compare(const char *from, enum lane_hash hash, uint32_t limit, uint64_t seed)
{
	struct lane_pad pad;
	uint64_t random = seed;

	open_pad(&pad, from, hash);
	for (int n = 0; n < 3000; n++) {
		uint16_t address[LANE_PAD_LANES];
		uint32_t lanes = 1 + model_random_below(&random, pad.lanes);
		uint32_t range = 1 + model_random_below(&random, limit);
		struct lane_pad_cost cost;
		struct lane_pad_warp warp;
		double book;

		if (n & 1)
			lanes = pad.lanes;
		for (uint32_t i = 0; i < lanes; i++)
			address[i] = (uint16_t)(model_random_below(&random, range) *
						(n % 3 == 0 && range <= limit / 32 ? 32 : 1));
		book = by_the_book(&pad, address, lanes);
		cost = model_pad_evaluate(&pad, address, lanes);
		assert_true(model_pad_cycles(&pad, cost.rounds, cost.read_levels,
					     cost.write_levels) == book);
		model_pad_explain(&pad, address, lanes, &warp);
		assert_true(warp.cycles == book);
		assert_true(warp.base_cycles + warp.position_cycles + warp.lock_cycles +
				    warp.bank_cycles ==
			    book);
		assert_true(warp.position_cycles >= 0 && warp.lock_cycles >= 0 &&
			    warp.bank_cycles >= 0);
	}
	model_pad_free(&pad);
}

TEST(test_state_machine)
{
	static const char wide[] = "name wide\nsource test\n"
				   "[device]\nunits 1\nclock_mhz 1\nwarp 64\n"
				   "[scratchpad]\nbytes 65536\nbanks 16\nlocks 64\n"
				   "read 32\nupdate 18\nwrite 36\nbranch 32\n";

	for (int hash = 0; hash < LANE_HASH_COUNT; hash++) {
		compare(fermi, (enum lane_hash)hash, 12288, 1);
		compare(fermi, (enum lane_hash)hash, 64, 2);
		compare(fermi, (enum lane_hash)hash, 2048, 3);
		compare(wide, (enum lane_hash)hash, 16384, 4);
	}
}

/* Words below the number of locks never share one, whatever the hash. */
TEST(test_low_words_have_own_locks)
{
	for (int hash = 0; hash < LANE_HASH_COUNT; hash++) {
		uint8_t used[1024] = { 0 };
		struct lane_pad pad;

		open_pad(&pad, fermi, (enum lane_hash)hash);
		for (uint32_t a = 0; a < 1024; a++)
			assert_int_equal(used[pad.lock_of[a]]++, 0);
		model_pad_free(&pad);
	}
}

TEST(test_layouts)
{
	static const uint16_t bins[3] = { 5, 5, 7 };
	struct lane_vote vote;
	struct lane_pad pad;

	open_pad(&pad, fermi, LANE_HASH_NONE);
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_REPLICATED, 64, 16));
	assert_int_equal(vote.offset[17], 64);
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_PADDED, 64, 16));
	assert_int_equal(vote.offset[17], 65);
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_STRETCHED, 64, 16));
	assert_int_equal(vote.offset[17], 1);
	assert_int_equal(vote.bin_step, 16);
	/* Two lanes want bin 5: two rounds with one copy, one with two. */
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_STRETCHED, 64, 1));
	model_vote_add(&vote, bins, 3);
	assert_int_equal(vote.warps, 1);
	assert_int_equal(vote.rounds, 2);
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_STRETCHED, 64, 2));
	model_vote_add(&vote, bins, 3);
	assert_int_equal(vote.rounds, 1);
	/* 48 KiB hold 12288 words and not one more. */
	assert_null(model_vote_init(&vote, &pad, LANE_LAYOUT_REPLICATED, 2048, 6));
	check_error(model_vote_init(&vote, &pad, LANE_LAYOUT_PADDED, 2048, 6), "");
	check_error(model_vote_init(&vote, &pad, LANE_LAYOUT_REPLICATED, UINT32_MAX, UINT32_MAX),
		    "");
	model_pad_free(&pad);
}

TEST(test_bad_scratchpads)
{
	static const char *const wrong[][2] = { { "banks 32", "banks 31" },
						{ "locks 1024", "locks 1000" },
						{ "locks 1024", "locks 16" },
						{ "bytes 49152", "bytes 262144" } };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[512];
		const char *at = strstr(fermi, wrong[i][0]);
		struct lane_device *d;
		struct lane_pad pad;

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fermi), fermi, wrong[i][1],
			 at + strlen(wrong[i][0]));
		d = device(text);
		check_error(model_pad_init(&pad, d, LANE_HASH_NONE), "");
		model_pad_free(&pad);
		model_device_free(d);
	}
}
