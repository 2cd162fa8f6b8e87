// SPDX-License-Identifier: MIT
// Reading a ring: order, unfinished records, its end, damage; and who is followed.
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "capture/bpf_follow.h"
#include "capture/bpf_ring.h"
#include "capture/bpf_shared.h"

#define RING 4096

/* A ring in plain memory. */
static struct lane_bpf_cpu cpu;
static char bytes_of_ring[RING + LANE_BPF_RING_SLACK] __attribute__((aligned(8)));
static struct lane_bpf_ring ring;

static int set_up(void **state)
{
	const struct lane_bpf_memory memory = {
		.fd = -1, .n = 1, .bytes = RING, .map = bytes_of_ring
	};

	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	memset(bytes_of_ring, 0, sizeof(bytes_of_ring));
	capture_bpf_ring_give(&ring, &memory, 0, 6, 3, &cpu);
	assert_int_equal(cpu.ring, 7);
	return 0;
}

static struct lane_bpf_header *header_at(uint64_t at)
{
	return (struct lane_bpf_header *)(bytes_of_ring + at % RING);
}

/*
 * What the programs do: a header, then the record, rounded up to eight bytes, behind the ring's
 * end when it begins before it. Returns where it began. What is written to must be zeros.
 */
static uint64_t put_sized(unsigned int kind, uint64_t ts_ns, size_t payload)
{
	const struct {
		struct lane_wire wire;
		struct lane_p_dma_fence_signaled p;
	} r = { .wire = { .ts_ns = ts_ns, .kind = kind },
		.p = { .context = UINT64_MAX, .seqno = UINT64_MAX } };
	size_t bytes = sizeof(r.wire) + payload;
	uint64_t at = cpu.head;

	cpu.head += (sizeof(struct lane_bpf_header) + bytes + 7) / 8 * 8;
	assert_true(cpu.head - cpu.tail <= RING);
	for (size_t i = 0; i < cpu.head - at; i++)
		assert_int_equal(bytes_of_ring[at % RING + i], 0);
	memcpy(header_at(at) + 1, &r, bytes);
	header_at(at)->bytes = (unsigned int)bytes;
	return at;
}

static uint64_t put(unsigned int kind, uint64_t ts_ns)
{
	return put_sized(kind, ts_ns, sizeof(struct lane_p_dma_fence_signaled));
}

static struct {
	uint64_t ts_ns[256];
	unsigned int n;
} got;

static struct lane_error *take(void *data, const struct lane_wire *record)
{
	(void)data;
	got.ts_ns[got.n++] = record->ts_ns;
	return NULL;
}

static struct lane_error *disk_full(void *data, const struct lane_wire *record)
{
	(void)data;
	(void)record;
	return lane_error("disk: full");
}

static struct lane_bpf_drained drain(void)
{
	struct lane_bpf_drained drained;

	got.n = 0;
	assert_null(capture_bpf_ring_drain(&ring, take, NULL, &drained));
	assert_int_equal(drained.records, got.n);
	return drained;
}

TEST_IN(set_up, NULL, empty)
{
	struct lane_bpf_drained drained = drain();

	assert_true(drained.is_complete);
	assert_int_equal(drained.filled, 0);
}

TEST_IN(set_up, NULL, around_and_around)
{
	uint64_t next = 0;

	for (int round = 0; round < 100; round++) {
		int n = 1 + round % 60;

		for (int i = 0; i < n; i++)
			put(LANE_FENCE_SIGNALED, next++);
		assert_true(drain().is_complete);
		assert_int_equal(got.n, n);
		assert_int_equal(got.ts_ns[n - 1], next - 1);
		assert_int_equal(cpu.tail, cpu.head);
	}
}

/* A record is rounded up: the next one begins at eight bytes. */
TEST_IN(set_up, NULL, odd_sizes)
{
	put_sized(LANE_SOFTIRQ_ENTRY, 1, sizeof(struct lane_p_irq_softirq_entry));
	put(LANE_FENCE_SIGNALED, 2);
	assert_true(drain().is_complete);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.ts_ns[1], 2);
	assert_int_equal(cpu.tail, cpu.head);
}

TEST_IN(set_up, NULL, unfinished)
{
	unsigned int bytes;
	uint64_t at;

	put(LANE_FENCE_SIGNALED, 1);
	at = put(LANE_FENCE_SIGNALED, 2);
	bytes = header_at(at)->bytes;
	header_at(at)->bytes = 0;
	put(LANE_FENCE_SIGNALED, 3);
	assert_false(drain().is_complete);
	assert_int_equal(got.n, 1);
	assert_int_equal(cpu.tail, at);
	header_at(at)->bytes = bytes;
	assert_true(drain().is_complete);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.ts_ns[0], 2);
}

static void is_damage(void)
{
	struct lane_bpf_drained drained;
	struct lane_error *err;

	got.n = 0;
	err = capture_bpf_ring_drain(&ring, take, NULL, &drained);
	assert_non_null(err);
	assert_int_equal(got.n, 0);
	lane_error_free(err);
}

static uint64_t stood(uint64_t now_ns)
{
	const struct lane_bpf_drained drained = drain();

	return capture_bpf_ring_stood(&ring, &drained, now_ns);
}

/* A record that stays incomplete holds up what is behind it: for how long is told. */
TEST_IN(set_up, NULL, stands_still)
{
	struct lane_bpf_header *open;
	unsigned int bytes;

	put(LANE_FENCE_SIGNALED, 1);
	open = header_at(put(LANE_FENCE_SIGNALED, 2));
	bytes = open->bytes;
	open->bytes = 0;
	assert_int_equal(stood(1000), 0);
	put(LANE_FENCE_SIGNALED, 3);
	assert_int_equal(stood(1700), 700);
	open->bytes = bytes;
	open = header_at(put(LANE_FENCE_SIGNALED, 4));
	open->bytes = 0;
	assert_int_equal(stood(2000), 0); /* another one */
	assert_int_equal(stood(2100), 100);
	open->bytes = bytes;
	assert_int_equal(stood(3000), 0);
}

TEST_IN(set_up, NULL, damaged)
{
	uint64_t at;

	at = put(LANE_FENCE_SIGNALED, 1);
	header_at(at)->bytes = RING;
	is_damage();
	header_at(at)->bytes = 8; /* shorter than a header */
	is_damage();
	header_at(at)->bytes = sizeof(struct lane_wire) + 8; /* shorter than its payload */
	is_damage();
	set_up(NULL);
	put(LANE_KIND_COUNT, 1);
	is_damage();
}

TEST_IN(set_up, NULL, writer_fails)
{
	struct lane_bpf_drained drained;
	struct lane_error *err;

	put(LANE_FENCE_SIGNALED, 1);
	put(LANE_FENCE_SIGNALED, 2);
	err = capture_bpf_ring_drain(&ring, disk_full, NULL, &drained);
	assert_non_null(err);
	assert_string_equal(lane_error_message(err), "disk: full");
	lane_error_free(err);
	/* The record that failed is used up, the next one is not. */
	drain();
	assert_int_equal(got.n, 1);
	assert_int_equal(got.ts_ns[0], 2);
}

TEST(stat_lines)
{
	static const char rest[] =
		" 1 2 3 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 17 3 0 0 0 0 0\n";
	struct lane_proc_stat stat;
	char text[512];

	snprintf(text, sizeof(text), "42 (a b) S) R%s", rest);
	assert_true(capture_proc_stat_parse(text, &stat));
	assert_int_equal(stat.id, 42);
	assert_int_equal(stat.parent, 1);
	assert_int_equal(stat.state, 'R');
	assert_int_equal(stat.cpu, 3);
	assert_true(stat.is_kernel);
	assert_string_equal(stat.comm, "a b) S");
	snprintf(text, sizeof(text), "42 (kworker/u8:1-events_unbound) I%s", rest);
	assert_true(capture_proc_stat_parse(text, &stat));
	assert_string_equal(stat.comm, "kworker/u8:1-ev");
	for (size_t cut = 0; cut < 60; cut++) {
		char part[64];

		memcpy(part, text, cut);
		part[cut] = 0;
		assert_false(capture_proc_stat_parse(part, &stat));
	}
	assert_false(capture_proc_stat_parse(")(", &stat));
}

TEST(tree)
{
	/* Children before their parents, as /proc may list them. */
	const struct lane_proc_stat processes[] = {
		{ .id = 9, .parent = 8, .comm = "x" },	{ .id = 8, .parent = 7, .comm = "y" },
		{ .id = 7, .parent = 1, .comm = "x" },	{ .id = 1, .parent = 0, .comm = "init" },
		{ .id = 12, .parent = 1, .comm = "x" },
	};
	unsigned int why[5];

	capture_bpf_follow_mark(processes, 5, 7, NULL, why);
	assert_int_equal(why[0], LANE_BPF_FOLLOW_TREE);
	assert_int_equal(why[1], LANE_BPF_FOLLOW_TREE);
	assert_int_equal(why[2], LANE_BPF_FOLLOW_TREE);
	assert_int_equal(why[3], 0);
	assert_int_equal(why[4], 0);
	capture_bpf_follow_mark(processes, 5, 7, "x", why);
	assert_int_equal(why[0], LANE_BPF_FOLLOW_TREE | LANE_BPF_FOLLOW_COMM);
	assert_int_equal(why[1], LANE_BPF_FOLLOW_TREE);
	assert_int_equal(why[4], LANE_BPF_FOLLOW_COMM);
	capture_bpf_follow_mark(processes, 5, 0, NULL, why);
	for (int i = 0; i < 5; i++)
		assert_int_equal(why[i], 0);
}
