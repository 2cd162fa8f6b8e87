// SPDX-License-Identifier: MIT
// What the programs' counters and the kernel's tell of lost events: none too many, none too few.
#include "check.h"

#include <stdlib.h>

#include "capture/bpf_loss.h"

static uint64_t of_cpu(struct lane_bpf_loss *loss, const struct lane_bpf_cpu *cpu, bool last)
{
	uint64_t at_ns = 0, total = capture_bpf_loss_cpu(loss, cpu, last, &at_ns);

	assert_true(at_ns > 0);
	return total;
}

TEST(ring_was_full)
{
	struct lane_bpf_cpu cpu = { .lost = 7, .fired = 100, .seen = 100 };
	struct lane_bpf_loss loss = {};

	assert_int_equal(of_cpu(&loss, &cpu, false), 7);
	cpu.lost = 9;
	assert_int_equal(of_cpu(&loss, &cpu, true), 9);
}

TEST(on_its_way_is_not_lost)
{
	struct lane_bpf_cpu cpu = { .fired = 11, .seen = 10 };
	struct lane_bpf_loss loss = {};

	assert_int_equal(of_cpu(&loss, &cpu, false), 0);
	cpu.seen = 11;
	assert_int_equal(of_cpu(&loss, &cpu, false), 0);
	assert_int_equal(of_cpu(&loss, &cpu, true), 0);
}

TEST(dropped_by_the_guard)
{
	struct lane_bpf_cpu cpu = { .fired = 12, .seen = 10 };
	struct lane_bpf_loss loss = {};

	assert_int_equal(of_cpu(&loss, &cpu, false), 0);
	cpu.fired = 15;
	cpu.seen = 12;
	assert_int_equal(of_cpu(&loss, &cpu, false), 2);
	cpu.fired = cpu.seen = 20; /* never less than has been told */
	assert_int_equal(of_cpu(&loss, &cpu, false), 2);
	cpu.fired = 23;
	assert_int_equal(of_cpu(&loss, &cpu, true), 3);
}

TEST(missed_by_a_program_that_records)
{
	struct lane_bpf_missed missed = { .events = 4 };
	struct lane_bpf_cpu cpu = { .lost = 7 };
	struct lane_bpf_loss loss = {};

	capture_bpf_loss_elsewhere(&loss, &missed, 0, false);
	assert_int_equal(of_cpu(&loss, &cpu, false), 7);
	capture_bpf_loss_elsewhere(&loss, &missed, 0, false);
	assert_int_equal(of_cpu(&loss, &cpu, false), 11);
}

/*
 * Random events, some of which interrupt the program that counts, some the one that records, some
 * nothing: the sum is what was not recorded, whatever the order.
 */
TEST(interrupted_while_counting)
{
	srand(1);
	for (int round = 0; round < 1000; round++) {
		struct lane_bpf_cpu cpus[3] = {};
		struct lane_bpf_loss losses[3] = {};
		struct lane_bpf_missed missed = {};
		uint64_t dropped = 0, told = 0, spared = 0;

		for (int i = rand() % 200; i > 0; i--) {
			struct lane_bpf_cpu *cpu = &cpus[rand() % 3];
			bool counting = rand() % 8 == 0, recording = rand() % 8 == 0;

			missed.fired += counting;
			cpu->fired += !counting;
			dropped += recording;
			cpu->seen += !recording;
		}
		for (int i = 0; i < 3; i++)
			spared += capture_bpf_loss_spared(&cpus[i]);
		capture_bpf_loss_elsewhere(&losses[0], &missed, spared, true);
		for (int i = 0; i < 3; i++)
			told += of_cpu(&losses[i], &cpus[i], true);
		assert_int_equal(told, dropped);
	}
}
