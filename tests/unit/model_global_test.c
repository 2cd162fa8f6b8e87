// SPDX-License-Identifier: MIT
// Global memory: the findings that the model was made for, and laws that every run keeps.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/papers/papers.h"
#include "model/papers/global.h"
#include "device.h"

/* One multiprocessor in one cluster, one partition: times that can be added up by hand. */
static const char tiny[] = "name tiny\nsource test\n"
			   "[device]\nunits 1\nclock_mhz 1\nwarp 32\n[global]\nclusters 1\n"
			   "units_per_cluster 1\npartitions 1\npartition_bytes 256\n"
			   "segment_bytes 64\nlock_bytes 32\ncluster_queue 8\ncontroller_queue 4\n"
			   "issue 2\nlatency 28\nhop 10\npacket 1\nretry 5\ndram_latency 100\n"
			   "dram_burst 2\nalu_lanes 4\nalu 3\n";

static struct lane_device *papers_device(const char *text)
{
	model_papers_begin();
	return device(text);
}

static struct lane_global_result run(const char *text, struct lane_global_work work)
{
	struct lane_device *d = papers_device(text);
	struct lane_global_result r;
	struct lane_error *err = model_global_run(d, &work, &r);

	model_device_free(d);
	check(err);
	return r;
}

TEST(test_by_hand)
{
	struct lane_global_work w = { .op = LANE_GLOBAL_NONE, .warps = 1, .iterations = 10 };
	struct lane_global_result r = run(tiny, w);

	assert_true(r.mean == 28 && r.deviation == 0 && r.operations == 10);
	w.warps = 32;
	r = run(tiny, w);
	assert_true(r.per_step > 2 && r.per_step < 2.1);
	w.warps = 1;
	/* 28 to the access; packet, hop, one burst, data, 2 packets, hop. */
	w.op = LANE_GLOBAL_LOAD;
	w.pattern = LANE_GLOBAL_SINGLE;
	assert_true(run(tiny, w).mean == 28 + 1 + 10 + 2 + 100 + 2 + 10);
	/* A store waits for its acknowledgement only. */
	w.op = LANE_GLOBAL_STORE;
	assert_true(run(tiny, w).least == 28 + 2 + 10 + 1 + 10);
	/* An atomic on one word: a pass of the ALU for each lane; the next one meets its
	 * write-back. */
	w.op = LANE_GLOBAL_ATOMIC;
	r = run(tiny, w);
	assert_true(r.least == 28 + 2 + 10 + 2 + 100 + 32 * 3 + 2 + 10);
	assert_int_equal(r.transactions, 10);
	/* Coalesced: two segments of 16 lanes. */
	w.pattern = LANE_GLOBAL_COALESCED;
	assert_int_equal(run(tiny, w).transactions, 20);
	w.pattern = LANE_GLOBAL_UNCOALESCED;
	assert_int_equal(run(tiny, w).transactions, 320);
}

/* Every run ends, counts what it did and says the same again; full queues bounce. */
TEST(test_laws)
{
	for (int op = 0; op < LANE_GLOBAL_OPS; op++) {
		for (int pattern = 0; pattern < LANE_GLOBAL_PATTERNS; pattern++) {
			struct lane_global_work w = { .op = (enum lane_global_op)op,
						      .pattern = (enum lane_global_pattern)pattern,
						      .offset = 4,
						      .warps = 7,
						      .arithmetic = 3,
						      .iterations = 5 };
			struct lane_global_result a = run(tiny, w), b = run(tiny, w);

			assert_int_equal(a.operations, 35);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_true(a.least <= a.mean && a.mean <= a.most);
			assert_true(a.least >= 28);
			if (op == LANE_GLOBAL_RED && pattern == LANE_GLOBAL_UNCOALESCED)
				assert_true(a.bounces > 0);
			if (op == LANE_GLOBAL_LOAD)
				assert_int_equal(a.collisions + a.overtaken, 0);
		}
	}
}

TEST(test_refused)
{
	static const struct lane_global_work wrong[] = {
		{ .op = LANE_GLOBAL_LOAD, .warps = 0, .iterations = 1 },
		{ .op = LANE_GLOBAL_LOAD, .warps = 33, .iterations = 1 },
		{ .op = LANE_GLOBAL_LOAD, .warps = 1, .iterations = 0 },
		{ .op = LANE_GLOBAL_LOAD, .warps = 1, .iterations = UINT32_MAX },
		{ .op = LANE_GLOBAL_LOAD, .warps = 1, .iterations = 1, .offset = 3 },
		{ .op = LANE_GLOBAL_NONE, .warps = 1, .iterations = 1, .arithmetic = UINT32_MAX },
	};
	struct lane_device *d = papers_device(tiny);
	struct lane_global_result r;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_error(model_global_run(d, &wrong[i], &r), "");
	model_device_free(d);
}
