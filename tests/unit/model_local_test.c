// SPDX-License-Identifier: MIT
// Atomics on local memory of both kinds, and the queue of warps before them: against the mechanism
// played lane by lane, and against the closed form of a queue with one server.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/change.h"
#include "model/local.h"
#include "model/number.h"
#include "model/pattern.h"
#include "model/predict.h"
#include "model/random.h"
#include "device.h"

#define HEAD                                                                                       \
	"name d\nsource test\n[device]\nunits 2\nclock_mhz 1000\nmax_warps 64\n"                   \
	"max_groups 8\n"
#define UNIT UNIT_WITH("")
#define UNIT_WITH(further)                                                                         \
	HEAD "[op local]\npipe local\nissue 1\ncompletion 30\n"                                    \
	     "[op fadd]\npipe alu\nissue 1\ncompletion 10\n"                                       \
	     "[op memory]\npipe global\nissue 7\ncompletion 300\n"                                 \
	     "[op barrier]\npipe alu\nissue 2\ncompletion 20\n"                                    \
	     "[atomic_unit]\nbytes 49152\nbanks 32\nlatency 60\nservice 4\nsame_word 3\n"          \
	     "same_bank 5\n" further "[global_atomics]\nsame_word 6\n"
/* The unit is busy for a part of a conflict; increments without a result are another work. */
#define INCREMENTS                                                                                 \
	UNIT_WITH("same_word_service 2\nsame_bank_service 4\n"                                     \
		  "[increments]\nservice 3\nsame_word 0\nsame_bank 2\n")
#define LOCKS                                                                                      \
	HEAD "[op local]\npipe local\nissue 2\ncompletion 47\n"                                    \
	     "[scratchpad]\nbytes 49152\nbanks 32\nlocks 1024\nread 32\nupdate 18\nwrite 36\n"     \
	     "branch 32\n"

/*
 * The unit's service played out: every bank has its lanes in front of it. It takes the words one
 * after the other, and each word's lanes one after the other; the base has one lane of one word in
 * it.
 */
static double played(const uint16_t *address, uint32_t lanes)
{
	double slowest = 0;

	for (uint32_t bank = 0; bank < 32; bank++) {
		uint16_t served[64];
		uint32_t words = 0, repeats = 0;
		double time;

		for (uint32_t i = 0; i < lanes; i++) {
			uint32_t known = 0;

			if (address[i] % 32 != bank)
				continue;
			while (known < words && served[known] != address[i])
				known++;
			if (known < words)
				repeats++;
			else
				served[words++] = address[i];
		}
		time = repeats * 3.0 + (words > 1 ? (words - 1) * 5.0 : 0);
		slowest = fmax(slowest, time);
	}
	return slowest;
}

TEST(test_unit_serves_lanes)
{
	struct lane_device *d = device(UNIT);
	struct lane_local local;
	uint64_t random = 7;

	check(model_local_init(&local, d));
	for (int round = 0; round < 20000; round++) {
		uint32_t lanes = 1 + (uint32_t)(model_random(&random) % 32);
		uint32_t range = 1u << (model_random(&random) % 13);
		struct lane_pad_warp warp;
		struct lane_local_cost cost;
		uint16_t address[64];
		double further;

		for (uint32_t i = 0; i < lanes; i++)
			address[i] = (uint16_t)(model_random(&random) % range);
		further = played(address, lanes);
		model_local_explain(&local, address, lanes, &warp);
		cost = model_local_evaluate(&local, LANE_HASH_NONE, address, lanes);
		assert_true(fabs(warp.cycles - 64 - further) < 1e-9);
		assert_true(fabs(warp.service - 4 - further) < 1e-9);
		assert_true(fabs(warp.base_cycles + warp.position_cycles + warp.bank_cycles +
				 warp.lock_cycles - warp.cycles) < 1e-9);
		assert_true(fabs(cost.cycles - warp.cycles) < 1e-9);
		assert_true(fabs(cost.service - warp.service) < 1e-9);
	}
	model_local_free(&local);
	model_device_free(d);
}

/* A measured curve goes before the straight lines; between its points it is interpolated. */
TEST(test_measured_curve)
{
	struct lane_device *d = device(UNIT "[curve stride-0]\nat 1 64 1\nat 2 70 1\nat 4 90 1\n");
	uint16_t address[32] = { 0 };
	struct lane_local local;

	check(model_local_init(&local, d));
	assert_true(fabs(model_local_evaluate(&local, LANE_HASH_NONE, address, 2).cycles - 70) <
		    1e-9);
	assert_true(fabs(model_local_evaluate(&local, LANE_HASH_NONE, address, 3).cycles - 80) <
		    1e-9);
	/* Behind its last point it goes on as between the last two. */
	assert_true(fabs(model_local_evaluate(&local, LANE_HASH_NONE, address, 6).cycles - 110) <
		    1e-9);
	model_local_free(&local);
	model_device_free(d);
}

/* The one place of a pattern file: 32 lanes at a stride, in local memory. */
static void judge_warp(const struct lane_device *d, const char *op, const char *unused,
		       uint32_t stride, double cycles, double service)
{
	struct lane_pattern *pattern = NULL;
	const struct lane_pattern_line *line;
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\n"
			 "site 1 7 1 atomic %s local 4 0 4096%s\nw 1 1",
			 op, unused);

	for (uint32_t i = 0; i < 32; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %u", i * stride * 4);
	snprintf(text + n, sizeof(text) - (size_t)n, "\ndone\n");
	check(model_pattern_parse(text, "test.pattern", d, &pattern));
	line = &pattern->kernel[0].line[0];
	if (fabs(line->cycles - cycles) > 1e-9 || fabs(line->service - service) > 1e-9) {
		print_error("%s%s, stride %u: %g cycles, service %g, not %g, %g\n", op, unused,
			    stride, line->cycles, line->service, cycles, service);
		fail();
	}
	model_pattern_free(pattern);
}

TEST(test_increments)
{
	static const char *const waits[][2] = {
		{ "add", "" }, { "add", " unused" }, { "inc", "" }, { "dec", "" }
	};
	struct lane_device *d = device(INCREMENTS);
	struct lane_device *plain = device(UNIT);

	for (int i = 0; i < 4; i++) {
		judge_warp(d, waits[i][0], waits[i][1], 1, 60 + 4, 4);
		judge_warp(d, waits[i][0], waits[i][1], 0, 60 + 4 + 31 * 3, 4 + 31 * 2);
		judge_warp(d, waits[i][0], waits[i][1], 32, 60 + 4 + 31 * 5, 4 + 31 * 4);
	}
	/* Nobody waits for an increment: no latency. Lanes on one word cost nothing. */
	judge_warp(d, "inc", " unused", 1, 3, 3);
	judge_warp(d, "inc", " unused", 0, 3, 3);
	judge_warp(d, "dec", " unused", 0, 3, 3);
	judge_warp(d, "inc", " unused", 32, 3 + 31 * 2, 3 + 31 * 2);
	/* A device that does not tell them apart. */
	judge_warp(plain, "inc", " unused", 0, 60 + 4 + 31 * 3, 4 + 31 * 3);
	model_device_free(d);
	model_device_free(plain);
}

/* So many warps, each with 64 atomics of the same lanes at line 7, in one group on one unit. */
static double predicted(const struct lane_device *d, uint32_t warps, uint32_t lanes,
			uint32_t stride, const char *access, struct lane_prediction *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct lane_pattern *pattern = NULL;

	fprintf(file, "gpulane-pattern 1\nlaunch k 1 %u 1 1 %u 1 1\n", warps * 32, warps * 32);
	fprintf(file, "site 1 7 1 atomic add %s 4 0 49152\nw 1 %u", access, 64 * warps);
	for (uint32_t i = 0; i < lanes; i++)
		fprintf(file, " %u", i * stride * 4);
	fprintf(file,
		"\ngraph k\n| gpulane-graph 1\n| like local_atomic local\n"
		"| like global_atomic memory\n| repeat 64\n| x = %s_atomic@7 x\n| end\ndone\n",
		access);
	fclose(file);
	check(model_pattern_parse(text, "test.pattern", d, &pattern));
	check(model_predict(&pattern->kernel[0], d, 1, p));
	model_pattern_free(pattern);
	free(text);
	return p->total;
}

/* max(cycles, W service) an atomic: flat until the unit is full, then a service for each warp. */
static void judge_sweep(const struct lane_device *d, uint32_t lanes, uint32_t stride, double cycles,
			double service)
{
	for (uint32_t warps = 1; warps <= 64; warps = warps < 4 ? warps + 1 : warps + 5) {
		struct lane_prediction p, plain;
		double total = predicted(d, warps, lanes, stride, "local", &p) / 64;
		double law = fmax(cycles, warps * service);
		double part = warps * service / law;

		/* The first and the last atomics of the kernel find a queue that is not full. */
		if (fabs(total / law - 1) > 0.03 || fabs(p.local_utilisation - part) > 0.03) {
			print_error("%u warps: %g cycles, not %g; utilisation %g, not %g\n", warps,
				    total, law, p.local_utilisation, part);
			fail();
		}
		assert_string_equal(p.busiest, "local");
		assert_int_equal(p.n_lines, 1);
		assert_int_equal(p.line[0].line, 7);
		/* Nothing but atomics: without them nothing is left, without conflicts what is
		   told for neighbouring words. */
		assert_true(fabs(p.line[0].saves - p.total) < 1e-6 * p.total);
		assert_true(fabs(p.saves[LANE_PART_ATOMICS] - p.total) < 1e-6 * p.total);
		if (stride != 1)
			assert_true(fabs(p.total - p.line[0].conflicts -
					 predicted(d, warps, lanes, 1, "local", &plain)) <
				    1e-6 * p.total);
	}
}

TEST(test_sweep_over_warps)
{
	struct lane_device *unit = device(UNIT);
	struct lane_device *partly = device(INCREMENTS);
	struct lane_device *locks = device(LOCKS);

	judge_sweep(partly, 32, 0, 64 + 31 * 3, 4 + 31 * 2);
	judge_sweep(partly, 32, 32, 64 + 31 * 5, 4 + 31 * 4);
	judge_sweep(unit, 32, 1, 64, 4);
	judge_sweep(unit, 32, 0, 64 + 31 * 3, 4 + 31 * 3);
	judge_sweep(unit, 32, 32, 64 + 31 * 5, 4 + 31 * 5);
	/* Locks: two passes through the memory of 2 cycles, per bank conflict level. */
	judge_sweep(locks, 32, 1, 118, 4);
	judge_sweep(locks, 32, 0, 32 * 118, 32 * 4);
	judge_sweep(locks, 8, 32, 8 * 68 + 50, 8 * 4);
	model_device_free(unit);
	model_device_free(partly);
	model_device_free(locks);
}

/* On global memory 31 further lanes on a word take 31 times what the device says, warp for warp. */
TEST(test_collisions)
{
	struct lane_device *d = device(UNIT);
	struct lane_prediction apart, same;

	predicted(d, 1, 32, 1, "global", &apart);
	predicted(d, 1, 32, 0, "global", &same);
	assert_true(fabs(same.total - apart.total - 64 * 31 * 6) < 1e-3);
	assert_true(fabs(same.saves[LANE_PART_COLLISION] - 64 * 31 * 6) < 1e-3);
	assert_true(fabs(apart.saves[LANE_PART_COLLISION]) < 1e-9);
	model_device_free(d);
}

/*
 * Two loops of which neither needs the other, and a sum of both at line 7. By hand, one warp: N
 * additions of 10 cycles (line 5), 10 loads of 300 (line 6), 10 more for the sum. The shorter loop
 * saves nothing; the longer one what it takes beyond the shorter; all additions leave 3000.
 */
TEST(test_hidden_loops)
{
	struct lane_device *d = device(UNIT);

	for (uint32_t n = 50; n <= 500; n += 50) {
		double alu = 10.0 * n, memory = 3000, total = fmax(alu, memory) + 10;
		struct lane_pattern *pattern = NULL;
		struct lane_prediction p;
		char text[512];

		snprintf(text, sizeof(text),
			 "gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\ngraph k\n"
			 "| gpulane-graph 1\n| repeat %u\n| x = fadd@5 x\n| end\n| repeat 10\n"
			 "| y = memory@6 y\n| end\n| z = fadd@7 x y\ndone\n",
			 n);
		check(model_pattern_parse(text, "test.pattern", d, &pattern));
		check(model_predict(&pattern->kernel[0], d, 1, &p));
		assert_int_equal(p.n_lines, 3);
		assert_true(fabs(p.total - total) < 1e-6);
		assert_true(fabs(p.line[0].saves - fmax(alu - memory, 0)) < 1e-6);
		assert_true(fabs(p.line[1].saves - fmax(memory - alu, 0)) < 1e-6);
		assert_true(fabs(p.line[2].saves - 10) < 1e-6);
		assert_true(fabs(p.saves[LANE_PART_COMPUTE] - (total - memory)) < 1e-6);
		assert_true(fabs(p.saves[LANE_PART_MEMORY] - fmax(memory - alu, 0)) < 1e-6);
		model_pattern_free(pattern);
	}
	model_device_free(d);
}

/* Kernels at random: no part or line saves less than nothing, or more than all. */
TEST(test_parts_within)
{
	static const char *const ops[] = { "fadd", "memory", "local", "local_atomic",
					   "global_atomic" };
	struct lane_device *d = device(UNIT);
	uint64_t random = 11;

	for (int round = 0; round < 300; round++) {
		uint32_t warps = 1 + (uint32_t)(model_random(&random) % 8);
		uint32_t groups = 1 + (uint32_t)(model_random(&random) % 40);
		char *text = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		struct lane_pattern *pattern = NULL;
		struct lane_prediction p;

		fprintf(file, "gpulane-pattern 1\nlaunch k %u %u 1 1 %u 1 1\n", groups, warps * 32,
			warps * groups * 32);
		for (uint32_t s = 1; s <= 4; s++) {
			fprintf(file, "site %u %u 1 atomic add %s 4 0 4096\nw %u 3", s, s,
				s % 2 ? "local" : "global", s);
			for (int i = 0; i < 32; i++)
				fprintf(file, " %u", (uint32_t)(model_random(&random) % 128) * 4);
			fprintf(file, "\n");
		}
		fprintf(file, "graph k\n| gpulane-graph 1\n| like local_atomic local\n"
			      "| like global_atomic memory\n");
		for (int i = 0; i < 12; i++)
			fprintf(file, "| v%d = %s%s@%u v%u\n", i, i % 5 == 4 ? "sync " : "",
				i % 5 == 4 ? "barrier" : ops[model_random(&random) % 5],
				1 + (uint32_t)(model_random(&random) % 4),
				(uint32_t)(model_random(&random) % 12));
		fprintf(file, "done\n");
		fclose(file);
		check(model_pattern_parse(text, "test.pattern", d, &pattern));
		check(model_predict(&pattern->kernel[0], d, groups, &p));
		for (int i = 0; i < LANE_PART_COUNT; i++)
			assert_true(p.saves[i] >= 0 && p.saves[i] <= p.total);
		for (uint32_t i = 0; i < p.n_lines; i++)
			assert_true(p.line[i].conflicts >= 0 && p.line[i].saves >= 0 &&
				    p.line[i].saves <= p.total);
		assert_true(p.busiest_utilisation <= 1 + 1e-9);
		model_pattern_free(pattern);
		free(text);
	}
	model_device_free(d);
}

/* Whether privatise is proposed where an atomic on local memory takes so long (text of a device).
 */
static int is_proposed(const char *service, const char *error)
{
	char text[1024];
	struct lane_device *d;
	struct lane_pattern *pattern = NULL;
	struct lane_proposals found;
	int is_there = 0;

	snprintf(text, sizeof(text),
		 HEAD "%s[op local]\npipe local\nissue 1\ncompletion 20\n"
		      "[op fadd]\npipe alu\nissue 1\ncompletion 5\n"
		      "[op memory]\npipe global\nissue 1\ncompletion 100\n"
		      "[atomic_unit]\nbytes 49152\nbanks 32\nlatency 0\nservice %s\n"
		      "same_word 0\nsame_bank 0\n",
		 error, service);
	d = device(text);
	snprintf(text, sizeof(text),
		 "gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\nsite 1 7 1 atomic add global 4 0 4 "
		 "unused\n"
		 "w 1 1000 0\ngraph k\n| gpulane-graph 1\n| like global_atomic memory\n"
		 "| repeat 1000\n| x = global_atomic@7 x\n| end\ndone\n");
	check(model_pattern_parse(text, "test.pattern", d, &pattern));
	check(model_propose(&pattern->kernel[0], d, 1, &found));
	for (uint32_t i = 0; i < found.n; i++)
		is_there |= found.proposal[i].kind == LANE_CHANGE_PRIVATE;
	model_pattern_free(pattern);
	model_device_free(d);
	return is_there;
}

/*
 * 1000 atomics of 100 cycles on global memory, in local memory S cycles each: 100,000 cycles now,
 * 1000 S then, and to clear and add up a word at most 2 (20 + 4 * 5) + 100 = 180. With an error of
 * 12 % the gain is sure above 1.12^2 = 1.2544: 100000 / 1.2544 - 180 = 79540, so for S below 79.54.
 * The uncertainty of S goes beside it: 1.16^2 = 1.3456, S below 74.13; with 20 % 69.26; 480
 * %: 2.79.
 */
TEST(test_proposed_only_beyond_the_error)
{
	assert_true(is_proposed("79.5", ""));
	assert_false(is_proposed("79.6", ""));
	assert_false(is_proposed("79.5 +- 3.18", ""));
	assert_true(is_proposed("74.1 +- 2.964", ""));
	assert_false(is_proposed("74.2 +- 2.968", ""));
	assert_true(is_proposed("69.2", "error_percent 20\n"));
	assert_false(is_proposed("69.3", "error_percent 20\n"));
	assert_true(is_proposed("2.78", "error_percent 480\n"));
	assert_false(is_proposed("2.8", "error_percent 480\n"));
}
