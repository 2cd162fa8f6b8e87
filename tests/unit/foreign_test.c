// SPDX-License-Identifier: MIT
// The pieces that the readers of other tracers' files are made of: pages of the ring buffer,
// formats of events, perf's order, printed lines.
#include <string.h>

#include "check.h"
#include "decode/duplicates.h"
#include "decode/perf_data.h"
#include "decode/printed.h"
#include "decode/proto.h"
#include "decode/ring_page.h"
#include "decode/tracepoint.h"
#include "norm/names.h"

/* --- a page of the ring buffer --- */

static uint8_t page[256];
static size_t page_bytes; /* behind the head */

static void begin_page(uint64_t ts)
{
	memset(page, 0, sizeof(page));
	memcpy(page, &ts, 8);
	page_bytes = 0;
}

static void put_word(uint32_t word)
{
	memcpy(page + 16 + page_bytes, &word, 4);
	page_bytes += 4;
}

static struct lane_ring_page open_page(uint32_t flags)
{
	struct lane_ring_page ring;
	uint32_t commit = (uint32_t)page_bytes | flags;

	memcpy(page + 8, &commit, 4);
	assert_true(decode_ring_page_init(&ring, page, sizeof(page), 8));
	return ring;
}

static void expect_event(struct lane_ring_page *ring, uint64_t ts, size_t bytes, uint32_t first)
{
	const uint8_t *record;
	uint32_t word;
	size_t n;

	assert_int_equal(decode_ring_page_next(ring, &record, &n), LANE_RING_EVENT);
	assert_int_equal(ring->ts, ts);
	assert_int_equal(n, bytes);
	memcpy(&word, record, 4);
	assert_int_equal(word, first);
}

static void expect_end(struct lane_ring_page *ring, enum lane_ring_next end)
{
	const uint8_t *record;
	size_t n;

	assert_int_equal(decode_ring_page_next(ring, &record, &n), end);
}

TEST(ring_lengths_and_times)
{
	struct lane_ring_page ring;

	begin_page(1000);
	put_word(5 << 5 | 2); /* two words, 5 ns later */
	put_word(11);
	put_word(12);
	put_word(3 << 5 | 0); /* a length of its own: 4 + 5 bytes, rounded up */
	put_word(9);
	put_word(21);
	put_word(22);
	put_word(7u << 5 | 30); /* 2^27 + 7 ns later */
	put_word(1);
	put_word(1 << 5 | 1);
	put_word(31);
	put_word(2u << 5 | 29); /* discarded: 8 bytes behind the first word, 2 ns later */
	put_word(8);
	put_word(99);
	put_word(4 << 5 | 1);
	put_word(41);
	ring = open_page(0);
	expect_event(&ring, 1005, 8, 11);
	expect_event(&ring, 1008, 8, 21);
	expect_event(&ring, 1008 + 7 + (1ull << 27) + 1, 4, 31);
	expect_event(&ring, 1008 + 7 + (1ull << 27) + 7, 4, 41);
	expect_end(&ring, LANE_RING_END);
}

TEST(ring_absolute_times)
{
	const uint64_t high = 5ull << 59;
	struct lane_ring_page ring;

	begin_page(high + 1000);
	put_word(24u << 5 | 31); /* 59 bits; the page's time has the rest */
	put_word(16);
	put_word(1 << 5 | 1);
	put_word(7);
	ring = open_page(0);
	expect_event(&ring, high + (16ull << 27) + 24 + 1, 4, 7);
	expect_end(&ring, LANE_RING_END);
}

TEST(ring_losses)
{
	struct lane_ring_page ring;
	uint64_t lost = 77;
	uint32_t commit;

	begin_page(1);
	put_word(1);
	put_word(5);
	ring = open_page(1u << 31);
	assert_true(ring.missed);
	assert_int_equal(ring.n_missed, 0);
	memcpy(page + 16 + page_bytes, &lost, 8);
	ring = open_page(3u << 30);
	assert_true(ring.missed);
	assert_int_equal(ring.n_missed, 77);
	/* Their number would lie behind the page. */
	commit = (uint32_t)(sizeof(page) - 16 - 7) | 3u << 30;
	memcpy(page + 8, &commit, 4);
	assert_false(decode_ring_page_init(&ring, page, sizeof(page), 8));
}

TEST(ring_damage)
{
	struct lane_ring_page ring;
	uint32_t commit = 250;

	begin_page(1);
	memcpy(page + 8, &commit, 4);
	assert_false(decode_ring_page_init(&ring, page, sizeof(page), 8)); /* more than a page */
	begin_page(1);
	put_word(28);
	ring = open_page(0);
	expect_end(&ring, LANE_RING_DAMAGED); /* longer than what there is */
	begin_page(1);
	put_word(1 << 5 | 29);
	put_word(0);
	ring = open_page(0);
	expect_end(&ring, LANE_RING_DAMAGED); /* would go round for ever */
	begin_page(1);
	put_word(29); /* nothing behind it */
	put_word(0xffffffff);
	ring = open_page(0);
	expect_end(&ring, LANE_RING_END);
}

/* --- formats of events --- */

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char fence_format[] =
	"name: dma_fence_init\nID: 700\n" COMMON
	"\tfield:__data_loc char[] driver;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc char[] timeline;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int context;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int seqno;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"whatever %s\", REC->x\n";

TEST(tracepoint_reads)
{
	struct {
		uint16_t type;
		uint8_t flags, count;
		int32_t pid;
		uint16_t driver_at, driver_n, timeline_by, timeline_n;
		uint32_t context, seqno;
		char texts[16];
	} record = { 700, 0, 0, 42, 24, 5, 13, 5, 7, 8, "i915\0rcs0" };
	struct lane_tracepoints all;
	const struct lane_tracepoint *plan;
	struct lane_event event;

	decode_tracepoints_init(&all, &lane_norm_names);
	assert_null(decode_tracepoints_add(&all, fence_format, sizeof(fence_format) - 1));
	assert_null(decode_tracepoints_add(&all, "name: other\nID: 1\n", 18)); /* nobody's */
	check(decode_tracepoints_done(&all));
	assert_null(decode_tracepoints_find(&all, 1));
	plan = decode_tracepoints_find(&all, 700);
	assert_non_null(plan);
	assert_true(decode_tracepoint_read(plan, &record, sizeof(record), &event));
	assert_int_equal(event.wire.kind, LANE_FENCE_INIT);
	assert_int_equal(event.wire.tid, 42);
	assert_true(event.raw.narrow);
	assert_int_equal(event.u.dma_fence_init.context, 7);
	assert_int_equal(event.u.dma_fence_init.seqno, 8);
	assert_string_equal(event.u.dma_fence_init.driver, "i915");
	assert_string_equal(event.u.dma_fence_init.timeline, "rcs0");
	record.timeline_by = 300; /* behind the record's end */
	assert_false(decode_tracepoint_read(plan, &record, sizeof(record), &event));
	assert_false(decode_tracepoint_read(plan, &record, 20, &event));
	decode_tracepoints_deinit(&all);
}

TEST(tracepoint_refuses)
{
	static const char *const bad[] = {
		"name: sched_switch",
		"name: sched_switch\nID: x\n" COMMON,
		"name: sched_switch\nID: 7\nfields:\n",
		"name: sched_switch\nID: 7\n" COMMON
		"\tfield:char[] a;\toffset:8;\tsize:4;\tsigned:1;\n",
		"name: sched_switch\nID: 7\n" COMMON
		"\tfield:int a[b;\toffset:8;\tsize:4;\tsigned:1;\n",
		"name: sched_switch\nID: 7\n" COMMON
		"\tfield:int STA_PR_FMT;\toffset:8;\tsize:4;\tsigned:1;\n",
		"name: sched_switch\nID: 7\n" COMMON
		"\tfield:int a;\toffset:-8;\tsize:4;\tsigned:1;\n",
		"name: sched_switch\nID: 7\n" COMMON
		"\tfield:(int) a;\toffset:8;\tsize:4;\tsigned:1;\n",
	};
	struct lane_tracepoints all;

	decode_tracepoints_init(&all, &lane_norm_names);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!decode_tracepoints_add(&all, bad[i], strlen(bad[i])))
			fail_msg("taken: %s", bad[i]);
	assert_non_null(decode_tracepoints_add(&all, "name: sched_switch\0\nID: 7\n", 26));
	decode_tracepoints_deinit(&all);
}

/* --- perf's samples --- */

/* A group of two counters, each with its value, its id and, as since Linux 6.0, its lost samples.
 */
TEST(sample_of_a_group)
{
	const uint64_t sample[] = { 2, 100, 1, 0, 200, 2, 0, 0x1234567800000004 };
	const struct lane_perf_attr attr = { .sample_type = LANE_PERF_READ | LANE_PERF_RAW,
					     .read_format = 1 << 2 | 1 << 3 | 1 << 4 };
	struct lane_perf_sample read;

	assert_true(decode_perf_sample_read(&attr, (const uint8_t *)sample, sizeof(sample), &read));
	assert_int_equal(read.raw_bytes, 4);
	assert_memory_equal(read.raw, "\x78\x56\x34\x12", 4);
	assert_false(
		decode_perf_sample_read(&attr, (const uint8_t *)sample, sizeof(sample) - 1, &read));
}

/* As perf_output_sample() of kernel/events/core.c writes them: each bit of sample_type has its
 * place.
 */
TEST(samples_of_every_type)
{
	static const struct {
		uint64_t bit, value;
	} words[] = {
		{ LANE_PERF_IDENTIFIER, 7 },
		{ LANE_PERF_IP, 1001 },
		{ LANE_PERF_TID, 12ull << 32 | 11 },
		{ LANE_PERF_TIME, 1002 },
		{ LANE_PERF_ADDR, 1003 },
		{ LANE_PERF_ID, 7 },
		{ LANE_PERF_STREAM_ID, 1004 },
		{ LANE_PERF_CPU, 1005ull << 32 | 3 },
		{ LANE_PERF_PERIOD, 9 },
		{ LANE_PERF_RAW, 0x1234567800000004 },
	};
	enum {
		WORDS = sizeof(words) / sizeof(words[0])
	};

	for (unsigned int which = 0; which < 1u << WORDS; which++) {
		struct lane_perf_attr attr = {};
		struct lane_perf_sample read;
		uint64_t sample[WORDS], id = 0;
		size_t n = 0;

		for (unsigned int i = 0; i < WORDS; i++)
			if (which >> i & 1) {
				attr.sample_type |= words[i].bit;
				sample[n++] = words[i].value;
			}
		assert_true(decode_perf_sample_read(&attr, (uint8_t *)sample, 8 * n, &read));
		assert_int_equal(read.pid, attr.sample_type & LANE_PERF_TID ? 11 : -1);
		assert_int_equal(read.tid, attr.sample_type & LANE_PERF_TID ? 12 : -1);
		assert_int_equal(read.ns, attr.sample_type & LANE_PERF_TIME ? 1002 : 0);
		assert_int_equal(read.cpu, attr.sample_type & LANE_PERF_CPU ? 3 : -1);
		assert_int_equal(read.period, attr.sample_type & LANE_PERF_PERIOD ? 9 : 0);
		assert_int_equal(read.raw_bytes, attr.sample_type & LANE_PERF_RAW ? 4 : 0);
		decode_perf_sample_id(attr.sample_type, (uint8_t *)sample, 8 * n, &id);
		assert_int_equal(id,
				 attr.sample_type & (LANE_PERF_IDENTIFIER | LANE_PERF_ID) ? 7 : 0);
	}
}

/* --- perf's order --- */

static const uint8_t *more; /* what goes with an event */
static size_t n_more;

static void add_at(struct lane_perf_order *order, uint64_t ns, int32_t cpu)
{
	struct lane_event event;

	decode_event_clear(&event, LANE_WAKING);
	event.wire.ts_ns = ns;
	event.cpu = cpu;
	assert_true(decode_perf_order_add(order, &event, NULL, 0));
}

static void expect_at(struct lane_perf_order *order, uint64_t ns, int32_t cpu)
{
	struct lane_event event;

	assert_true(decode_perf_order_next(order, &event, &more, &n_more));
	assert_int_equal(event.wire.ts_ns, ns);
	assert_int_equal(event.cpu, cpu);
}

TEST(order_waits_for_a_round)
{
	struct lane_perf_order *order = decode_perf_order_create();
	struct lane_event event;

	assert_non_null(order);
	add_at(order, 0, 7); /* before all others */
	add_at(order, 10, 0);
	add_at(order, 20, 0);
	add_at(order, 15, 1);
	assert_true(decode_perf_order_round(order));
	assert_false(decode_perf_order_next(order, &event, &more,
					    &n_more)); /* the next round may have earlier ones */
	add_at(order, 12, 1);
	add_at(order, 25, 0);
	add_at(order, 20, 1);
	assert_true(decode_perf_order_round(order));
	expect_at(order, 10, 7);
	expect_at(order, 10, 0);
	expect_at(order, 12, 1);
	expect_at(order, 15, 1);
	expect_at(order, 20, 0);
	expect_at(order, 20, 1); /* of one time as they came */
	assert_false(decode_perf_order_next(order, &event, &more, &n_more));
	add_at(order, 30, 1);
	assert_true(decode_perf_order_flush(order, true));
	expect_at(order, 25, 0);
	expect_at(order, 30, 1);
	assert_false(decode_perf_order_next(order, &event, &more, &n_more));
	/* Without a time, behind events that were given out (perf record --tail-synthesize). */
	add_at(order, 0, 7);
	assert_true(decode_perf_order_flush(order, true));
	expect_at(order, 30, 7);
	assert_false(decode_perf_order_next(order, &event, &more, &n_more));
	decode_perf_order_destroy(order);
}

/* A dependency's ring, of before Linux 6.17, stands behind the payload; it waits, too, and while
 * others are given out. */
TEST(order_keeps_a_dependencys_ring)
{
	struct lane_perf_order *order = decode_perf_order_create();
	struct lane_event event, read;

	assert_non_null(order);
	add_at(order, 10, 0);
	decode_event_clear(&event, LANE_DRM_ADD_DEP);
	event.wire.ts_ns = 20;
	event.cpu = 1;
	strcpy(event.u.drm_wait.ring, "ring1");
	assert_true(decode_perf_order_add(order, &event, "chain", 5));
	assert_true(decode_perf_order_flush(order, false));
	expect_at(order, 10, 0);
	assert_true(decode_perf_order_flush(order, true));
	memset(&read, 0xa5, sizeof(read));
	assert_true(decode_perf_order_next(order, &read, &more, &n_more));
	assert_string_equal(read.u.drm_wait.ring, "ring1");
	assert_int_equal(n_more, 5);
	assert_memory_equal(more, "chain", 5);
	decode_perf_order_destroy(order);
}

/* --- doubles --- */

TEST(doubles_of_two_buffers)
{
	struct lane_duplicates *doubles = decode_duplicates_create(1000 * 1000);
	struct lane_event event;

	assert_non_null(doubles);
	decode_event_clear(&event, LANE_WAKING);
	event.cpu = 3;
	event.u.sched_waking.tid = 5;
	event.wire.ts_ns = 1000;
	assert_false(decode_duplicates_has(doubles, &event, 0));
	event.wire.ts_ns = 1200;
	assert_true(decode_duplicates_has(doubles, &event, 1));
	event.wire.ts_ns = 1300;
	assert_false(decode_duplicates_has(doubles, &event, 1)); /* a second time */
	event.wire.ts_ns = 1400;
	assert_true(decode_duplicates_has(doubles, &event, 0));
	event.wire.ts_ns = 5000000;
	assert_false(decode_duplicates_has(doubles, &event, 1)); /* much later */
	event.wire.ts_ns = 5000001;
	event.u.sched_waking.tid = 6;
	assert_false(decode_duplicates_has(doubles, &event, 0)); /* another thread */
	event.wire.tid = 7;
	assert_false(decode_duplicates_has(doubles, &event, 2)); /* another one woke it */
	decode_duplicates_destroy(doubles);
}

static bool is_double(struct lane_duplicates *doubles, uint64_t ns, int32_t tid, uint32_t buffer)
{
	struct lane_event event;

	decode_event_clear(&event, LANE_WAKING);
	event.wire.ts_ns = ns;
	event.u.sched_waking.tid = tid;
	return decode_duplicates_has(doubles, &event, buffer);
}

TEST(doubles_of_three_buffers)
{
	struct lane_duplicates *doubles = decode_duplicates_create(1000 * 1000);

	assert_non_null(doubles);
	/* An interrupt, when two of three buffers have what it interrupts. */
	assert_false(is_double(doubles, 100, 5, 0));
	assert_true(is_double(doubles, 110, 5, 1));
	for (uint32_t buffer = 0; buffer < 3; buffer++)
		assert_int_equal(is_double(doubles, 120 + buffer, 6, buffer), buffer > 0);
	assert_true(is_double(doubles, 130, 5, 2));
	/* A coarse clock: one buffer's events of a time, then the next one's; the same twice. */
	for (uint32_t buffer = 0; buffer < 3; buffer++) {
		assert_int_equal(is_double(doubles, 200, 5, buffer), buffer > 0);
		assert_int_equal(is_double(doubles, 200, 7, buffer), buffer > 0);
		assert_int_equal(is_double(doubles, 200, 5, buffer), buffer > 0);
	}
	decode_duplicates_destroy(doubles);
}

/* --- printed lines --- */

TEST(printed_heads)
{
	static const struct {
		const char *line;
		int32_t tid, pid, cpu;
		uint64_t ns;
		const char *name;
	} good[] = {
		{ "a 12 [001] 1.5000: x: y", 12, -1, 1, 1500000000, "x" },
		{ "a b 11/12 [001] 1.000001: 7 s:x: y", 12, 11, 1, 1000001000, "x" },
		{ "a-b-12 [001] d..2. 1.000000001: x: y", 12, -1, 1, 1000000001, "x" },
		{ "a [0]-12 (   11) [001] d..2. 1.000: x: y", 12, 11, 1, 1000000000, "x" },
		{ "a-12 (-----) [001] 1.000: x: y", 12, -1, 1, 1000000000, "x" },
		{ "12 [001] 1.000: x:", 12, -1, 1, 1000000000, "x" },
		{ "a -1 [001] 1.000: x: y", -1, -1, 1, 1000000000, "x" },
		{ "a-12 [001] 1.000: f <-g", 12, -1, 1, 1000000000, "f" },
		{ " [001] 1.000: x: y", -1, -1, 1, 1000000000, "x" },
		{ "a 12 [001] 2026-11-23 23:11:21.869342 1.000: x: y", 12, -1, 1, 1000000000, "x" },
		{ "a-12 [001] 1.000: (+7) x: y", 12, -1, 1, 1000000000, "x" },
		{ "a-b-12 1d..2. 1.000: x: y [5]", 12, -1, 1, 1000000000, "x" },
		{ "a-12 1-0x1 1.000: x: y", 12, -1, 1, 1000000000, "x" },
		{ "<idle>-0 0dNh2. 18us+: x: y", 0, -1, 0, 18000, "x" },
		{ "b:  a-12 13.... 0us : x: y", 12, -1, 13, 0, "x" },
	};
	static const char *const bad[] = { "",
					   "a 12 1.5: x: y",
					   "a 12 [001] 15: x: y",
					   "a 12 [x] 1.500: x: y",
					   "a [001] 1.500: x: y",
					   "a 12 [001] a b 1.500: x: y",
					   "a 12 [001] 1 b c 1.500: x: y",
					   "a-12 (1x) [001] 1.500: x: y",
					   ") [001] 1.500: x: y",
					   "a-12 1d.. 1.500: x: y",
					   "a-12 1d..2.: 1.500: x: y",
					   "a-12 1d..2. 18ms+: x: y",
					   "a-12 1d..2. 18us: x: y",
					   "a-x 1d..2. 1.500: x: y",
					   "a 12 [9999999999] 1.500: x: y" };
	struct lane_printed printed;
	char line[128];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		strcpy(line, good[i].line);
		if (!decode_printed_line(line, strlen(line), &printed))
			fail_msg("not taken: %s", good[i].line);
		assert_int_equal(printed.tid, good[i].tid);
		assert_int_equal(printed.pid, good[i].pid);
		assert_int_equal(printed.cpu, good[i].cpu);
		assert_int_equal(printed.ns, good[i].ns);
		assert_int_equal(printed.name_length, strlen(good[i].name));
		assert_memory_equal(printed.name, good[i].name, printed.name_length);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(line, bad[i]);
		if (decode_printed_line(line, strlen(line), &printed))
			fail_msg("taken: %s", bad[i]);
	}
}

/* --- protobuf's wire format --- */

TEST(proto_fields)
{
	static const uint8_t message[] = {
		0x08, 0x96, 0x01,				      /* 1: 150 */
		0x12, 0x02, 'h',  'i',				      /* 2: "hi" */
		0x19, 1,    2,	  3,	4,    5,    6,	  7,	8,    /* 3: eight bytes */
		0x25, 1,    2,	  3,	4,			      /* 4: four bytes */
		0xf8, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, /* the last number: -1 */
		0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
	};
	struct lane_proto proto = decode_proto_of(message, sizeof(message));
	struct lane_proto_field field;

	assert_true(decode_proto_next(&proto, &field));
	assert_int_equal(field.number, 1);
	assert_false(field.is_bytes);
	assert_int_equal(field.value, 150);
	assert_true(decode_proto_next(&proto, &field));
	assert_true(field.is_bytes);
	assert_int_equal(field.n, 2);
	assert_memory_equal(field.bytes, "hi", 2);
	assert_true(decode_proto_next(&proto, &field));
	assert_true(field.value == 0x0807060504030201);
	assert_true(decode_proto_next(&proto, &field));
	assert_int_equal(field.value, 0x04030201);
	assert_true(decode_proto_next(&proto, &field));
	assert_int_equal(field.number, (1 << 29) - 1);
	assert_true(field.value == UINT64_MAX);
	assert_false(decode_proto_next(&proto, &field));
	assert_false(proto.is_damaged);
}

/* Wherever a message is cut within a field, that is said; so are groups and the field 0. */
TEST(proto_damage)
{
	static const uint8_t whole[] = { 0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x25, 1, 2, 3, 4 };
	static const uint8_t bad[][3] = {
		{ 0x0b, 0x0c }, { 0x00, 0x00 }, { 0x12, 0x7f }, { 0x0f }
	};
	static const uint8_t endless[12] = { 0x08, 0xff, 0xff, 0xff, 0xff, 0xff,
					     0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct lane_proto_field field;
	struct lane_proto proto;

	for (size_t n = 0; n <= sizeof(whole); n++) {
		proto = decode_proto_of(whole, n);
		while (decode_proto_next(&proto, &field))
			;
		assert_int_equal(proto.is_damaged,
				 n != 0 && n != 3 && n != 7 && n != sizeof(whole));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		proto = decode_proto_of(bad[i], sizeof(bad[i]));
		assert_false(decode_proto_next(&proto, &field));
		assert_true(proto.is_damaged);
	}
	proto = decode_proto_of(endless, sizeof(endless));
	assert_false(decode_proto_next(&proto, &field));
	assert_true(proto.is_damaged);
}

/* --- which file lies where --- */

static struct lane_perf_maps maps;

static void map(int32_t pid, uint64_t begin, uint64_t bytes, const char *path, uint8_t id)
{
	assert_true(decode_perf_maps_add(&maps, pid, begin, bytes, 0x1000, path, strlen(path) + 1,
					 &id, id ? 1 : 0));
}

/* path NULL: no file is known there */
static void expect_file(int32_t pid, uint64_t address, const char *path, const char *build,
			uint64_t offset)
{
	struct lane_p_gpulane_stack_frame frame;

	decode_perf_maps_frame(&maps, pid, address, &frame);
	assert_int_equal(frame.what, path ? LANE_FRAME_OF_FILE : LANE_FRAME_OF_NOTHING);
	assert_string_equal(frame.name, path ? path : "");
	assert_string_equal(frame.build, build);
	assert_int_equal(frame.offset, path ? offset : address);
}

/* What is mapped over a part of another file leaves the rest of that where it was; a child has what
 * its parent has, until it executes another program; behind lost records nothing is known. */
TEST(perf_maps)
{
	map(7, 0x10000, 0x3000, "/lib/a.so", 0xaa);
	map(7, 0x11000, 0x1000, "/lib/b.so", 0xbb);
	expect_file(7, 0x10010, "/lib/a.so", "aa", 0x1010);
	expect_file(7, 0x11010, "/lib/b.so", "bb", 0x1010);
	expect_file(7, 0x12010, "/lib/a.so", "aa", 0x3010);
	expect_file(7, 0x13000, NULL, "", 0);
	expect_file(8, 0x10010, NULL, "", 0);
	assert_true(decode_perf_maps_fork(&maps, 8, 7));
	expect_file(8, 0x12010, "/lib/a.so", "aa", 0x3010);
	map(8, 0x10000, 0x3000, "//anon", 0);
	expect_file(8, 0x12010, NULL, "", 0);
	decode_perf_maps_drop(&maps, 7);
	expect_file(7, 0x10010, NULL, "", 0);
	map(7, 0x10000, 0x3000, "/lib/a.so", 0xaa);
	decode_perf_maps_forget(&maps);
	expect_file(7, 0x10010, NULL, "", 0);
	decode_perf_maps_free(&maps);
	maps = (struct lane_perf_maps){ 0 };
}

/* Two files may have one path: in containers, or one after the other. A path is known by all of it.
 */
TEST(perf_maps_build_ids)
{
	static const uint8_t c[] = { 0xcc }, d[] = { 0xdd };
	char one[200], two[200];

	memset(one, 'x', sizeof(one) - 1);
	one[0] = '/';
	one[sizeof(one) - 1] = '\0';
	memcpy(two, one, sizeof(two));
	two[sizeof(two) - 2] = 'y';
	map(7, 0x10000, 0x1000, "/lib/a.so", 0xaa);
	map(8, 0x10000, 0x1000, "/lib/a.so", 0xbb);
	expect_file(7, 0x10000, "/lib/a.so", "aa", 0x1000);
	expect_file(8, 0x10000, "/lib/a.so", "bb", 0x1000);
	map(9, 0x10000, 0x1000, "/lib/c.so", 0);
	assert_true(decode_perf_maps_build(&maps, "/lib/c.so", 10, c, 1));
	expect_file(9, 0x10000, "/lib/c.so", "cc", 0x1000);
	assert_true(decode_perf_maps_build(&maps, "/lib/c.so", 10, d, 1));
	expect_file(9, 0x10000, "/lib/c.so", "", 0x1000);
	map(9, 0x20000, 0x1000, one, 0xaa);
	map(9, 0x30000, 0x1000, two, 0xbb);
	one[127] = '\0';
	expect_file(9, 0x20000, one, "aa", 0x1000);
	expect_file(9, 0x30000, one, "bb", 0x1000);
	decode_perf_maps_free(&maps);
	maps = (struct lane_perf_maps){ 0 };
}
