// SPDX-License-Identifier: MIT
// Who had a thread's CPU longest is who a look through the last 2048 notes finds, whatever comes in
// between.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/witness.h"

#define TOLD	20000
#define THREADS 37

static struct told {
	int32_t of;
	uint64_t begin_ns, end_ns;
	unsigned int culprit;
} all[TOLD];

static uint32_t random_of(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* The most that one of four culprits had of a thread's CPU, and how many had as much. */
static uint64_t most_of(int32_t of, unsigned int n, uint64_t from_ns, uint64_t to_ns,
			uint64_t had_ns[4])
{
	uint64_t most_ns = 0;

	memset(had_ns, 0, 4 * sizeof(*had_ns));
	for (unsigned int i = n > LANE_WITNESS_NOTES ? n - LANE_WITNESS_NOTES : 0; i < n; i++) {
		uint64_t begin_ns = all[i].begin_ns > from_ns ? all[i].begin_ns : from_ns;
		uint64_t end_ns = all[i].end_ns < to_ns ? all[i].end_ns : to_ns;

		if (all[i].of == of && begin_ns < end_ns)
			had_ns[all[i].culprit] += end_ns - begin_ns;
	}
	for (unsigned int i = 0; i < 4; i++)
		most_ns = had_ns[i] > most_ns ? had_ns[i] : most_ns;
	return most_ns;
}

TEST(who_had_most)
{
	struct lane_witness witness;
	char culprit[LANE_CULPRIT_BYTES], name[16] = "";
	uint32_t random = 7;

	assert_null(watch_witness_init(&witness));
	for (unsigned int n = 0; n < TOLD; n++) {
		struct told *told = &all[n];
		struct lane_thread victim = { .tid = 0 };
		struct lane_starvation starvation = { .victim = &victim, .tid = 999 };
		uint64_t had_ns[4], most_ns;
		int32_t of = 1 + (int32_t)random_of(&random, THREADS);

		told->of = 1 + (int32_t)random_of(&random, THREADS);
		told->begin_ns = 1000 * (uint64_t)n + random_of(&random, 500);
		told->end_ns = told->begin_ns + 1 + random_of(&random, 100000);
		told->culprit = random_of(&random, 4);
		victim.tid = told->of;
		starvation.begin_ns = told->begin_ns;
		starvation.end_ns = told->end_ns;
		snprintf(name, sizeof(name), "c%u", told->culprit);
		starvation.comm = name;
		watch_witness_starvation(&witness, &starvation);
		most_ns = most_of(of, n + 1, 500 * (uint64_t)n, 900 * (uint64_t)n, had_ns);
		assert_int_equal(watch_witness_starver(&witness, of, 500 * (uint64_t)n,
						       900 * (uint64_t)n, culprit),
				 most_ns);
		if (!most_ns)
			assert_string_equal(culprit, "");
		else
			assert_int_equal(had_ns[culprit[1] - '0'], most_ns);
	}
	watch_witness_deinit(&witness);
}
