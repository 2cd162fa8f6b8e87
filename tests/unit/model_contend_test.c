// SPDX-License-Identifier: MIT
// Contention of global atomics: loads counted by hand, and slices that are played message by
// message, each with a queue of its own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/contend.h"
#include "model/pattern.h"
#include "model/random.h"
#include "model/touch.h"
#include "device.h"

#define DEVICE(further)                                                                            \
	"name d\nsource test\n[device]\nunits 2\nclock_mhz 1000\n"                                 \
	"[contention]\nword 2\nmessage_bytes 32\nchunk_bytes 512\n" further

static struct lane_contend contend_of(const char *text)
{
	struct lane_device *d = device(text);
	struct lane_contend contend;

	model_contend_init(&contend, d);
	model_device_free(d);
	return contend;
}

/* The load of one atomic of so many lanes, lane i at i / same * step bytes. */
static struct lane_slices_load load_of(const struct lane_contend *contend, uint32_t lanes,
				       uint32_t same, uint32_t step, int is_unused,
				       struct lane_slices_load *together)
{
	struct lane_pattern_line line = { .is_unused = is_unused };
	struct lane_pattern_array array = { .bytes = 1 << 20 };
	struct lane_warp_access warp = { .n = lanes, .count = 3 };

	for (uint32_t i = 0; i < lanes; i++)
		warp.address[i] = (uint64_t)(i / same) * step;
	check(model_contend_add(contend, &array, &line, &warp));
	model_contend_end(&array);
	assert_true(fabs(line.load - array.now.sum) < 1e-9);
	*together = array.together;
	return array.now;
}

static void judge(const struct lane_slices_load *load, double most, double sum, double chunks)
{
	if (fabs(load->most - most) < 1e-9 && fabs(load->sum - sum) < 1e-9 &&
	    fabs(load->chunks - chunks) < 1e-9)
		return;
	print_error("most %g, sum %g, chunks %g, not %g, %g, %g\n", load->most, load->sum,
		    load->chunks, most, sum, chunks);
	fail();
}

/* Three times each: all lanes on a word, on two words of a message, of two messages, of two chunks,
 * and each on a word of its own. */
TEST(test_loads_by_hand)
{
	struct lane_contend contend = contend_of(DEVICE("slices 4\nused 1.5\n"));
	struct lane_slices_load together, load;

	load = load_of(&contend, 32, 32, 4, 1, &together);
	judge(&load, 3 * 32, 3 * 32, 1);
	judge(&together, 3, 3, 1);
	load = load_of(&contend, 32, 16, 4, 1, &together);
	judge(&load, 3 * 16, 3 * 16, 1);
	judge(&together, 3, 3, 1);
	load = load_of(&contend, 32, 16, 32, 1, &together);
	judge(&load, 3 * 32, 3 * 32, 1);
	judge(&together, 3 * 2, 3 * 2, 1);
	load = load_of(&contend, 32, 16, 512, 1, &together);
	judge(&load, 3 * 16, 3 * 32, 2);
	load = load_of(&contend, 32, 1, 4, 1, &together);
	judge(&load, 3 * 4, 3 * 4, 1);
	/* A result that is used takes longer. */
	load = load_of(&contend, 32, 32, 4, 0, &together);
	judge(&load, 3 * 48, 3 * 48, 1);
}

TEST(test_cycles_by_hand)
{
	struct lane_contend four = contend_of(DEVICE("slices 4\n"));
	struct lane_contend one = contend_of(DEVICE("slices 1\n"));
	struct lane_contend unknown = contend_of(DEVICE(""));
	struct lane_slices_load load = { .most = 10, .sum = 100, .chunks = 20 };
	struct lane_slices_load copies = model_contend_copies(&four, 768 * 4, 10, 0);

	/* 100 over 4 slices, of 2 cycles; in one; in a slice for each chunk. */
	assert_true(fabs(model_contend_cycles(&four, &load, 1) - 50) < 1e-9);
	assert_true(model_contend_cycles(&four, &load, 0) > 50);
	assert_true(fabs(model_contend_cycles(&one, &load, 0) - 200) < 1e-9);
	assert_true(fabs(model_contend_cycles(&unknown, &load, 0) - 20) < 1e-9);
	/* Ten copies of 3072 bytes: 96 messages each, 16 of a chunk. */
	judge(&copies, 160, 960, 6);
}

/* Swaps count the writes of the busiest word. */
TEST(test_swaps)
{
	struct lane_pattern_array array = { .bytes = 64 };
	struct lane_warp_access warp = { .n = 3, .count = 5, .address = { 0, 8, 0 } };

	check(model_contend_swap(&array, &warp));
	warp.count = 1;
	check(model_contend_swap(&array, &warp));
	model_contend_end(&array);
	assert_true(fabs(array.swaps - 12) < 1e-9);
}

/* How many of n the fullest of so many places has, drawn 2000 times. */
static double drawn(uint32_t n, uint32_t places, uint64_t *random)
{
	double sum = 0;

	for (int round = 0; round < 2000; round++) {
		uint32_t count[256] = { 0 }, most = 0;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t *at = &count[model_random(random) % places];

			++*at;
			most = *at > most ? *at : most;
		}
		sum += most;
	}
	return sum / 2000;
}

TEST(test_fullest)
{
	static const uint32_t n[] = { 1, 2, 8, 33, 132, 1000, 8448 };
	static const uint32_t places[] = { 1, 4, 75, 200 };
	uint64_t random = 3;

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		for (size_t j = 0; j < sizeof(places) / sizeof(places[0]); j++) {
			double want = drawn(n[i], places[j], &random);
			double is = model_contend_fullest(n[i], places[j]);
			/* With few things a Poisson number of each place is a little too many. */
			double part = n[i] < 33 ? 0.12 : 0.03;

			if (fabs(is / want - 1) <= part)
				continue;
			print_error("%u in %u: %g, drawn %g\n", n[i], places[j], is, want);
			fail();
		}
}

/*
 * Messages of many warps in the order in which they come, at random, each into the slice of its
 * chunk, which a table tells: until the last slice is done. The formula must say the same of the
 * very table's loads where each slice has one chunk, and lie between both bounds' errors else.
 */
TEST(test_slices_played)
{
	struct lane_contend contend = contend_of(DEVICE("slices 16\n"));
	uint64_t random = 5;
	double off = 0;

	for (int round = 0; round < 50; round++) {
		uint32_t chunks = 1 + (uint32_t)(model_random(&random) % 400);
		struct lane_pattern_array array = { .bytes = 1 << 20 };
		struct lane_pattern_line line = { .is_unused = 1 };
		double busy[16] = { 0 }, done = 0;
		uint32_t slice[400];

		for (uint32_t i = 0; i < chunks; i++)
			slice[i] = (uint32_t)(model_random(&random) % 16);
		for (int w = 0; w < 4000; w++) {
			struct lane_warp_access warp = { .n = 1, .count = 1 };
			uint32_t chunk = (uint32_t)(model_random(&random) % chunks);

			warp.address[0] = (uint64_t)chunk * 512;
			check(model_contend_add(&contend, &array, &line, &warp));
			busy[slice[chunk]] += contend.word;
			done = fmax(done, busy[slice[chunk]]);
		}
		model_contend_end(&array);
		assert_true(done >= model_contend_cycles(&contend, &array.now, 1) - 1e-9);
		off += done / model_contend_cycles(&contend, &array.now, 0) - 1;
	}
	/* By chance a table is better or worse; the mean of 50 is not. */
	assert_true(fabs(off / 50) < 0.1);
}
