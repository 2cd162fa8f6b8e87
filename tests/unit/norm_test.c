// SPDX-License-Identifier: MIT
// norm/: one stream from many traces, whose events count, widths, clocks; recording.json.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctf.h"
#include "decode/known_names.h"
#include "norm/fix.h"
#include "norm/recorded.h"
#include "norm/widen.h"
#include "check.h"

static const struct lane_event *next(struct lane_input *input)
{
	const struct lane_event *event;

	check(norm_input_next(input, &event));
	return event;
}

static void expect_event(struct lane_input *input, uint64_t ns, uint32_t host, int32_t tid)
{
	const struct lane_event *event = next(input);

	assert_non_null(event);
	assert_int_equal(event->wire.ts_ns, ns);
	assert_int_equal(event->host, host);
	assert_int_equal(event->u.sched_wakeup.tid, tid);
}

#define A_CLOCK "info clock_uuid 11111111-1111-1111-1111-111111111111\n"

/* Traces of one clock are merged by their times, the first one's first among equals. */
TEST_IN_FOLDER(one_clock)
{
	const char *const paths[] = { "a", "b" };
	struct lane_input *input;

	check_write("a", "gpulane-events 1\n" A_CLOCK "info submission ring\n"
			 "100 0 1/1 - sched_wakeup tid=1\n"
			 "300 0 1/1 - sched_wakeup tid=3\n");
	check_write("b", "gpulane-events 1\n" A_CLOCK "info epoch_offset_ns 77\n"
			 "100 0 1/1 - sched_wakeup tid=2\n"
			 "400 0 1/1 - sched_wakeup tid=4\n");
	check(norm_input_open_all(paths, 2, NULL, &input));
	expect_event(input, 100, 0, 1);
	expect_event(input, 100, 1, 2);
	expect_event(input, 300, 0, 3);
	expect_event(input, 400, 1, 4);
	assert_null(next(input));
	assert_null(next(input));
	norm_input_close(input);
}

/* Others are put on the first one's clock by their distance to the epoch, losses with their bounds.
 */
TEST_IN_FOLDER(two_clocks)
{
	const struct lane_event *event;
	const char *const paths[] = { "a", "b" };
	struct lane_input *input;

	check_write("a", "gpulane-events 1\n" A_CLOCK "info submission ring\n"
			 "info epoch_offset_ns 1000\n"
			 "100 0 1/1 - sched_wakeup tid=1\n"
			 "200 0 1/1 - sched_wakeup tid=3\n");
	check_write("b", "gpulane-events 1\ninfo epoch_offset_ns 400\n"
			 "750 0 1/1 - sched_wakeup tid=2\n"
			 "900 0 -/- - gpulane_lost begin_ns=800 end_ns=900 count=2\n");
	check(norm_input_open_all(paths, 2, NULL, &input));
	expect_event(input, 100, 0, 1);
	expect_event(input, 150, 1, 2);
	expect_event(input, 200, 0, 3);
	event = next(input);
	assert_int_equal(event->wire.kind, LANE_LOST);
	assert_int_equal(event->wire.ts_ns, 300);
	assert_int_equal(event->u.gpulane_lost.begin_ns, 200);
	assert_int_equal(event->u.gpulane_lost.end_ns, 300);
	norm_input_close(input);
}

/* An error in the middle is told once, what follows comes behind it. */
TEST_IN_FOLDER(goes_on_behind_errors)
{
	const struct lane_event *event;
	struct lane_input *input;

	check_write("a", "gpulane-events 1\n"
			 "100 0 1/1 - sched_wakeup tid=1\n"
			 "nonsense\n"
			 "200 0 1/1 - sched_wakeup tid=2\n");
	check(norm_input_open("a", &input));
	expect_event(input, 100, 0, 1);
	check_error(norm_input_next(input, &event), "a:3: ");
	expect_event(input, 200, 0, 2);
	assert_null(next(input));
	norm_input_close(input);
}

/* A CTF trace below the test's directory with one wake-up and one switch, told apart by tid. */
static void write_ctf(const char *name, int32_t tid)
{
	const struct lane_ctf_env env = { .kernel_release = "6.1.0", .begin_ns = 10 };
	struct lane_ctf_stream *stream;
	struct lane_ctf_trace *trace;
	struct lane_event event;

	check(lane_ctf_create(AT_FDCWD, name, &env, &trace));
	check(lane_ctf_stream(trace, 0, 4096, &stream));
	decode_event_clear(&event, LANE_WAKEUP);
	event.wire.ts_ns = 100;
	event.u.sched_wakeup.tid = tid;
	check(lane_ctf_append(stream, &event.wire));
	decode_event_clear(&event, LANE_SWITCH);
	event.wire.ts_ns = 200;
	event.u.sched_switch.next_tid = tid;
	check(lane_ctf_append(stream, &event.wire));
	check(lane_ctf_close(trace));
}

static const char both_json[] =
	"{ \"version\": 1, \"host\": \"box\", \"release\": \"6.1.9\", "
	"  \"clock\": \"monotonic\", \"clock_uuid\": \"x-y\", \"epoch_offset_ns\": 5, "
	"  \"begin_ns\": 7, \"stop_ns\": 890, \"end_ns\": 900,"
	"  \"submission\": \"guc\", \"i915\": { \"srcversion\": \"A\" }, \"more\": [1, {}], "
	"\"traces\": ["
	"  { \"tracer\": \"bpf\", \"path\": \"bpf\", \"kinds\": {"
	"      \"sched_switch\": { \"recorded\": true }, \"sched_wakeup\": { \"recorded\": false },"
	"      \"of_another_version\": { \"recorded\": true } } },"
	"  { \"tracer\": \"lttng\", \"path\": \"lttng\", \"kinds\": {"
	"      \"sched_switch\": { \"recorded\": true }, \"sched_wakeup\": { \"recorded\": true } "
	"} } ] }";

/* Both tracers have the switch, bpf says it has not recorded the wake-up: no kind comes from both.
 */
TEST_IN_FOLDER(both_tracers)
{
	const struct lane_input_options lttng = { .prefer = LANE_PREFER_LTTNG };
	const char *paths[] = { "." };
	const struct lane_trace_info *info;
	struct lane_input_counts counts;
	struct lane_input *input;

	write_ctf("bpf", 1);
	mkdir("lttng", 0700);
	write_ctf("lttng/kernel", 2);
	check_write("recording.json", both_json);
	check(norm_input_open_all(paths, 1, NULL, &input));
	info = norm_input_info(input);
	assert_string_equal(info->host, "box");
	assert_string_equal(info->release, "6.1.9");
	assert_string_equal(info->clock_uuid, "x-y");
	assert_int_equal(info->epoch_offset_ns, 5);
	assert_string_equal(info->tracer, "bpf, lttng");
	assert_int_equal(info->begin_ns, 7);
	assert_int_equal(info->stop_ns, 890);
	assert_int_equal(info->end_ns, 900);
	assert_int_equal(info->submission, LANE_SUBMISSION_GUC);
	assert_int_equal(info->presence[LANE_WAKEUP], LANE_PRESENCE_RECORDED);
	assert_int_equal(info->presence[LANE_SWITCH], LANE_PRESENCE_RECORDED);
	assert_int_equal(info->presence[LANE_RQ_ADD], LANE_PRESENCE_UNKNOWN);
	expect_event(input, 100, 0, 2);
	assert_int_equal(next(input)->u.sched_switch.next_tid, 1);
	assert_null(next(input));
	norm_input_counts(input, &counts);
	assert_int_equal(counts.delivered, 2);
	assert_int_equal(counts.doubled, 2);
	norm_input_close(input);

	check(norm_input_open_all(paths, 1, &lttng, &input));
	expect_event(input, 100, 0, 2);
	assert_int_equal(next(input)->u.sched_switch.next_tid, 2);
	assert_null(next(input));
	norm_input_close(input);
}

/* A recorder that was killed leaves no recording.json: the trace is read without its facts. */
TEST_IN_FOLDER(no_facts)
{
	struct lane_input *input;

	write_ctf("bpf", 1);
	check(norm_input_open(".", &input));
	assert_string_equal(norm_input_info(input)->release, "6.1.0");
	expect_event(input, 100, 0, 1);
	norm_input_close(input);
}

TEST_IN_FOLDER(bad_json)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "", "it is cut off" },
		{ "{", "it is cut off" },
		{ "[]", "not a JSON object" },
		{ "{\"version\": 2}", "version 2 is not known" },
		{ "{\"submission\": \"sideways\"}", "`sideways' is none" },
	};
	/* Of another type than expected: as if it were not there. */
	static const char *const harmless[] = {
		"{}",
		"{\"host\": 1, \"clock_uuid\": [], \"traces\": {}, \"submission\": null, "
		"\"begin_ns\": \"x\"}",
		"{\"traces\": [1, {}, {\"path\": 3}, {\"path\": \"bpf\", \"kinds\": 1}, "
		"{\"path\": \"bpf\", \"kinds\": {\"sched_switch\": 1, \"sched_wakeup\": {}}}]}",
	};
	struct lane_input *input;

	write_ctf("bpf", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_write("recording.json", cases[i].text);
		check_error(norm_input_open(".", &input), cases[i].error);
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		check_write("recording.json", harmless[i]);
		check(norm_input_open(".", &input));
		expect_event(input, 100, 0, 1);
		norm_input_close(input);
	}
}

TEST_IN_FOLDER(no_trace)
{
	struct lane_input *input;

	check_error(norm_input_open(".", &input), "no trace in it");
	check_error(norm_input_open("/nowhere", &input), "No such file");
	check_write("a", "noise");
	check_error(norm_input_open("a", &input), "not a trace");
}

/* The names that Linux 7.3 gives a fence whose driver is gone are nobody's; a driver's own stay. */
TEST(detached_fences)
{
	static const struct {
		const char *driver, *timeline, *known_driver, *known_timeline;
	} names[] = {
		{ "detached-driver", "signaled-timeline", "", "" },
		{ "detached-driver", "rcs0", "", "rcs0" },
		{ "0000:00:02.0", "signaled-timeline", "0000:00:02.0", "" },
		{ "detached-driver-2", "signaled-timelines", "detached-driver-2",
		  "signaled-timelines" },
	};
	struct lane_trace_info info = { .release = "7.3.4+deb13-amd64" };
	struct lane_event event;
	struct lane_fix *fix;

	check(norm_fix_create(&info, &fix));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		decode_event_clear(&event, LANE_FENCE_INIT);
		strcpy(event.u.dma_fence_init.driver, names[i].driver);
		strcpy(event.u.dma_fence_init.timeline, names[i].timeline);
		assert_int_equal(norm_fix_event(fix, &event), LANE_FIXED);
		assert_string_equal(event.u.dma_fence_init.driver, names[i].known_driver);
		assert_string_equal(event.u.dma_fence_init.timeline, names[i].known_timeline);
	}
	norm_fix_destroy(fix);
}

/* What becomes of a fence's event at 500 ns on CPU 2. */
static struct lane_event widen_fence(struct lane_widen *widen, enum lane_kind kind,
				     uint64_t context, bool narrow, bool is_kept)
{
	struct lane_event event;

	decode_event_clear(&event, (int)kind);
	event.wire.ts_ns = 500;
	event.cpu = 2;
	event.host = 1;
	event.u.fence.context = context;
	event.raw.narrow = narrow;
	assert_int_equal(norm_widen_event(widen, &event), is_kept);
	return event;
}

static void expect_context(struct lane_widen *widen, uint64_t said, uint64_t context)
{
	struct lane_event event = widen_fence(widen, LANE_FENCE_SIGNALED, said, true, true);

	assert_int_equal(event.wire.kind, LANE_FENCE_SIGNALED);
	assert_int_equal(event.u.fence.context, context);
}

static void expect_loss(struct lane_widen *widen, enum lane_kind kind, uint64_t said)
{
	struct lane_event event = widen_fence(widen, kind, said, true, true);

	assert_int_equal(event.wire.kind, LANE_LOST);
	assert_int_equal(event.wire.ts_ns, 500);
	assert_int_equal(event.cpu, 2);
	assert_int_equal(event.host, 1);
	assert_int_equal(event.u.gpulane_lost.count, 1);
	assert_int_equal(event.u.gpulane_lost.begin_ns, 500);
	assert_int_equal(event.u.gpulane_lost.end_ns, 500);
	assert_int_equal(event.u.gpulane_lost.lost_cpu, 2);
}

static void widen_request(struct lane_widen *widen, uint64_t context)
{
	struct lane_event event;

	decode_event_clear(&event, LANE_RQ_ADD);
	event.u.rq.ctx = context;
	assert_true(norm_widen_event(widen, &event));
	assert_int_equal(event.u.rq.ctx, context);
}

/* Fences that say 32 bits of their context get the rest from the requests. Of two that share them
 * nobody knows which is meant: what the analyses need of them counts as lost. */
TEST(narrow_fences)
{
	const uint64_t wide = 0x300000007ull, other = 0x400000007ull;
	struct lane_widen *widen;

	check(norm_widen_create(&widen));
	expect_context(widen, 7, 7);
	widen_request(widen, wide);
	expect_context(widen, 7, wide);
	expect_context(widen, 8, 8); /* of another driver */
	widen_request(widen, other);
	expect_loss(widen, LANE_FENCE_SIGNALED, 7);
	expect_loss(widen, LANE_FENCE_ENABLE_SIGNAL, 7);
	/* Whichever had a request last. */
	widen_request(widen, wide);
	expect_loss(widen, LANE_FENCE_SIGNALED, 7);
	widen_fence(widen, LANE_FENCE_INIT, 7, true, false);
	widen_fence(widen, LANE_FENCE_WAIT_START, 7, true, false);
	/* A fence that says all of it. */
	assert_int_equal(widen_fence(widen, LANE_FENCE_SIGNALED, wide, false, true).u.fence.context,
			 wide);
	assert_int_equal(norm_widen_ambiguous(widen), 5);
	norm_widen_destroy(widen);
}

/* As many contexts as a demo has are all told apart; of far too many none is taken for another's.
 */
TEST(many_contexts)
{
	const uint64_t high = 0x500000000ull;
	struct lane_widen *widen;
	uint64_t found = 0;

	check(norm_widen_create(&widen));
	for (uint64_t low = 1; low <= 4000; low++)
		widen_request(widen, high + low);
	for (uint64_t low = 1; low <= 4000; low++)
		expect_context(widen, low, high + low);
	assert_int_equal(norm_widen_ambiguous(widen), 0);
	for (uint64_t low = 1; low <= 100000; low++)
		widen_request(widen, high + low);
	for (uint64_t low = 1; low <= 100000; low++) {
		struct lane_event event = widen_fence(widen, LANE_FENCE_SIGNALED, low, true, true);

		if (event.wire.kind == LANE_FENCE_SIGNALED) {
			assert_int_equal(event.u.fence.context, high + low);
			found++;
		}
	}
	assert_int_equal(found + norm_widen_ambiguous(widen), 100000);
	assert_true(found >= 20000);
	norm_widen_destroy(widen);
}

/* More requests on their way than are remembered: the oldest are counted as not told. */
TEST(global_overflow)
{
	struct lane_trace_info info = { .release = "4.19.0" };
	struct lane_input_counts counts = { 0 };
	struct lane_event event;
	struct lane_fix *fix;
	unsigned int ended = 0;

	check(norm_fix_create(&info, &fix));
	for (uint32_t i = 1; i <= 1030; i++) {
		decode_event_clear(&event, LANE_RQ_EXECUTE);
		event.u.rq.seqno = i;
		event.raw.global = i;
		assert_int_equal(norm_fix_event(fix, &event), LANE_FIXED);
	}
	decode_event_clear(&event, LANE_RQ_RETIRE);
	event.u.rq.seqno = 1030;
	event.raw.engine_notify = 1;
	assert_int_equal(norm_fix_event(fix, &event), LANE_FIXED_MORE);
	while (norm_fix_more(fix, &event)) {
		ended++;
		assert_int_equal(event.wire.kind, LANE_FENCE_SIGNALED);
		assert_int_equal(event.u.dma_fence_signaled.seqno, 6 + ended);
	}
	assert_int_equal(ended, 1024);
	norm_fix_counts(fix, &counts);
	assert_int_equal(counts.untracked, 6);
	norm_fix_destroy(fix);
}

TEST(releases)
{
	assert_int_equal(norm_release_version("6.1.0-18-amd64"), 6001);
	assert_int_equal(norm_release_version("4.19"), 4019);
	assert_int_equal(norm_release_version("5.4-rc1"), 5004);
	assert_int_equal(norm_release_version(""), 0);
	assert_int_equal(norm_release_version("x6.1"), 0);
}
