// SPDX-License-Identifier: MIT
// The traps in i915's events, each by name, as the smallest story that shows it (docs/analysis.md).
#include "story.h"

/* 1. Only the port's last request has `in` and `out`; the earlier ones run in its interval. */
static void coalesced_requests_run_in_the_ports_interval(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s,
		   "100 0 9 queue 7.2\n110 0 9 add 7.2\n115 0 9 enable 7.2\n120 0 9 submit 7.2\n"
		   "130 0 9 queue 7.4\n140 0 9 add 7.4\n145 0 9 enable 7.4\n150 0 9 submit 7.4\n"
		   "200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		   "300 1 0 signal 7.2\n450 1 0 signal 7.4\n460 1 0 out 7.4 1\n"
		   "500 0 8 retire 7.2\n501 0 8 retire 7.4\n");
	EXPECT_STAGES(&s, 7, 2, 10, 10, 80, 2, 98, 0, 0);
	EXPECT_STAGES(&s, 7, 4, 10, 10, 51, 99, 150, 0, 0);
	assert_int_equal(s.busy.lo, 248);
	assert_int_equal(s.figures.contradictions, 0);
	story_end(&s);
}

/* 1. Nobody listens to the earlier one: its end is between its start and the next one's end. */
static void coalesced_unheard_request_is_bounded(void **state)
{
	const struct told_request *first, *second;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n101 0 9 submit 7.2\n110 0 9 add 7.4\n111 0 9 submit 7.4\n"
		       "115 0 9 enable 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		       "450 1 0 signal 7.4\n460 1 0 out 7.4 1\n"
		       "500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 7.4\n");
	first = story_find(&s, 7, 2);
	second = story_find(&s, 7, 4);
	story_expect_span(first->rq.start, 202, 202);
	story_expect_span(first->rq.end, 200, 450);
	story_expect_span(first->rq.running, 0, 248);
	story_expect_span(second->rq.start, 202, 450);
	story_expect_span(second->rq.end, 450, 450);
	story_end(&s);
}

/* 1. Up to 5.3 every request fires `in`, a port's last one `out`. */
static void per_request_in(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_PER_REQUEST);
	story_tell(&s, "100 0 9 add 7.2\n105 0 9 enable 7.2\n110 0 9 submit 7.2\n"
		       "120 0 9 add 7.4\n125 0 9 enable 7.4\n130 0 9 submit 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 in 7.2 0\n202 1 0 exec 7.4\n203 1 0 in 7.4 0\n"
		       "300 1 0 signal 7.2\n450 1 0 signal 7.4\n460 1 0 out 7.4 1\n"
		       "500 0 8 retire 7.2\n501 0 8 retire 7.4\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 1, 99, 0, 0);
	EXPECT_STAGES(&s, 7, 4, 0, 10, 72, 98, 150, 0, 0);
	story_end(&s);
}

/* 2. The `out` comes after the next dequeue's `in`: the start is stamped before the end. */
static void start_stamped_before_the_end(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		"250 0 9 add 8.2\n260 0 9 submit 8.2\n"
		"300 1 0 exec 8.2\n301 1 0 in 8.2 0\n302 1 0 out 7.2 1\n"
		"400 1 0 out 8.2 1\n"
		"500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 8.2\n503 0 8 signal 8.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 2, 100, 0, 199);
	EXPECT_STAGES(&s, 8, 2, 0, 10, 40, 2, 98, 0, 103);
	assert_int_equal(s.busy.lo, 198);
	story_end(&s);
}

/* 2. One request can be `in` twice; 3. completed = 0 is then a lite-restore, it never stopped. */
static void in_twice_is_a_lite_restore(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		"210 0 9 add 8.2\n220 0 9 submit 8.2\n"
		"230 1 0 exec 8.2\n231 1 0 in 8.2 1\n232 1 0 in 7.2 0\n"
		"240 1 0 out 7.2 0\n"
		"300 1 0 out 7.2 1\n400 1 0 out 8.2 1\n"
		"500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 8.2\n503 0 8 signal 8.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 2, 98, 0, 201);
	EXPECT_STAGES(&s, 8, 2, 0, 10, 10, 70, 100, 0, 103);
	assert_int_equal(s.n_preemptions, 0);
	story_end(&s);
}

/* 3. A preemption: completed = 0, and another context on the next set's port 0. */
static void preemption_with_the_victim_on_port_1(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0 0\n"
		"210 0 9 add 8.2\n220 0 9 submit 8.2\n"
		"230 1 0 unsub 7.2\n231 1 0 exec 8.2\n232 1 0 exec 7.2\n"
		"233 1 0 in 7.2 1 0\n234 1 0 in 8.2 0 100\n"
		"250 1 0 out 7.2 0\n"
		"300 1 0 out 8.2 1\n400 1 0 out 7.2 1\n"
		"500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 8.2\n503 0 8 signal 8.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 2, 148, 50, 101);
	EXPECT_STAGES(&s, 8, 2, 0, 10, 11, 19, 50, 0, 203);
	assert_int_equal(s.n_preemptions, 1);
	assert_int_equal(s.preemptions[0].victim, 7);
	assert_int_equal(s.preemptions[0].culprit, 8);
	assert_int_equal(s.preemptions[0].lasted.lo, 50);
	assert_int_equal(s.preemptions[0].why, LANE_PREEMPTION_PRIORITY);
	/* Little: host queue = host_queue + preempted, device queue = device_queue. */
	assert_int_equal(s.queue_ns[LANE_QUEUE_HOST], 90 + 11 + 50);
	assert_int_equal(s.queue_ns[LANE_QUEUE_DEVICE], 2 + 19);
	story_end(&s);
}

/* 4. GuC: `in` is the dequeue, there is no `out`; start lies between execute and end. */
static void guc_has_no_out(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_GUC);
	story_tell(&s, "100 0 9 add 7.2\n105 0 9 enable 7.2\n110 0 9 submit 7.2\n"
		       "120 0 9 add 7.4\n125 0 9 enable 7.4\n130 0 9 submit 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 in 7.2 0\n202 1 0 exec 7.4\n203 1 0 in 7.4 0\n"
		       "300 1 0 signal 7.2\n450 1 0 signal 7.4\n"
		       "500 0 8 retire 7.2\n501 0 8 retire 7.4\n");
	rq = story_find(&s, 7, 2);
	story_expect_span(rq->rq.start, 200, 300);
	story_expect_span(rq->rq.end, 300, 300);
	story_expect_span(rq->rq.running, 0, 100);
	rq = story_find(&s, 7, 4);
	story_expect_span(rq->rq.start, 300, 450);
	story_expect_span(rq->rq.running, 0, 150);
	assert_int_equal(rq->stages.unknown, 0);
	story_end(&s);
}

/* 5. A virtual engine's request is in the virtual engine's queue until an engine executes it. */
static void virtual_engine(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 9.2@2.65534\n110 0 9 submit 9.2\n"
		       "200 1 0 exec 9.2@2.1\n202 1 0 in 9.2 0\n300 1 0 out 9.2 1\n"
		       "500 0 8 retire 9.2\n501 0 8 signal 9.2\n");
	rq = story_find(&s, 9, 2);
	EXPECT_STAGES(&s, 9, 2, 0, 10, 90, 2, 98, 0, 201);
	assert_int_equal(rq->rq.engine->instance, 1);
	assert_int_equal(rq->rq.host_engine->instance, LANE_VIRTUAL_INSTANCE);
	assert_int_equal(rq->rq.host_engine->host_len, 0);
	story_end(&s);
}

/* 7. `execute` repeats with nothing between: the ports stayed as they were. */
static void execute_repeats_without_in_or_out(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		       "230 1 0 unsub 7.2\n231 1 0 exec 7.2\n300 1 0 out 7.2 1\n"
		       "500 0 8 retire 7.2\n501 0 8 signal 7.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 2, 98, 0, 201);
	assert_int_equal(s.n_preemptions, 0);
	story_end(&s);
}

/* 7. It ends while the driver has taken it back: no second execute, and it was not preempted. */
static void ends_while_taken_back(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		"210 0 9 add 8.2\n220 0 9 submit 8.2\n"
		"230 1 0 unsub 7.2\n231 1 0 exec 8.2\n234 1 0 in 8.2 0 100\n"
		"250 1 0 out 7.2 1\n300 1 0 out 8.2 1\n"
		"500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 8.2\n503 0 8 signal 8.2\n");
	/* The hardware took the newer set: 7.2 was complete at some time before. */
	story_expect_span(story_find(&s, 7, 2)->rq.end, 202, 250);
	story_expect_span(story_find(&s, 7, 2)->rq.running, 0, 48);
	story_expect_span(story_find(&s, 8, 2)->rq.start, 234, 250);
	story_expect_span(story_find(&s, 8, 2)->rq.end, 300, 300);
	assert_int_equal(s.n_preemptions, 0);
	story_end(&s);
}

/* 7. The same of a coalesced one: the port's `out` says incomplete, but it never runs again. */
static void coalesced_one_ends_while_taken_back(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n111 0 9 add 7.4\n112 0 9 submit 7.4\n"
		"200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		"210 0 9 add 8.2\n220 0 9 submit 8.2\n"
		"229 1 0 unsub 7.4\n230 1 0 unsub 7.2\n231 1 0 exec 8.2\n234 1 0 in 8.2 0 100\n"
		"250 1 0 out 7.4 0\n"
		"295 1 0 exec 7.4\n296 1 0 in 7.4 0\n300 1 0 out 8.2 1\n400 1 0 out 7.4 1\n"
		"500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 7.4\n503 0 8 signal 7.4\n"
		"504 0 8 retire 8.2\n505 0 8 signal 8.2\n");
	rq = story_find(&s, 7, 2);
	story_expect_span(rq->rq.end, 229, 250);
	story_expect_span(rq->rq.running, 27, 48);
	assert_int_equal(rq->rq.preemptions, 0);
	EXPECT_STAGES(&s, 7, 4, 0, 1, 89, 99, 100, 0, 103);
	assert_int_equal(s.n_preemptions, 0);
	story_end(&s);
}

/* 8. `retire` comes before the signal that it causes; it bounds the end, and the signal says
 * nothing. */
static void retire_before_signal(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_RING);
	story_tell(&s, "50 0 9 add 7.0\n51 0 9 submit 7.0\n52 0 9 exec 7.0\n60 0 9 retire 7.0\n61 "
		       "0 9 signal 7.0\n"
		       "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n"
		       "300 0 8 retire 7.2\n310 0 8 signal 7.2\n");
	rq = story_find(&s, 7, 2);
	story_expect_span(rq->rq.end, 200, 300);
	story_expect_span(rq->stages.ns[LANE_STAGE_SIGNAL], 10, 110);
	story_expect_span(rq->stages.ns[LANE_STAGE_RETIRE], 0, 0);
	story_end(&s);
}

/* 8. Requests that end together are signalled newest first: the older ended by then, no more is
 * known. */
static void newest_signalled_first(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n105 0 9 enable 7.2\n110 0 9 submit 7.2\n"
		       "120 0 9 add 7.4\n125 0 9 enable 7.4\n130 0 9 submit 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		       "300 1 0 signal 7.4\n301 1 0 signal 7.2\n310 1 0 out 7.4 1\n"
		       "500 0 8 retire 7.2\n501 0 8 retire 7.4\n");
	rq = story_find(&s, 7, 2);
	story_expect_span(rq->rq.start, 202, 202);
	story_expect_span(rq->rq.end, 200, 300);
	rq = story_find(&s, 7, 4);
	story_expect_span(rq->rq.start, 202, 300);
	story_expect_span(rq->rq.end, 300, 300);
	story_end(&s);
}

/* 8. wait_end comes with no sleep between. */
static void wait_without_sleep(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "90 0 0 switch 0 0 9\n"
		       "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		       "210 0 9 wb 7.2\n300 0 9 signal 7.2\n305 0 9 we 7.2\n310 1 0 out 7.2 1\n"
		       "500 0 8 retire 7.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 10, 90, 2, 98, 0, 0);
	assert_int_equal(s.n_waits, 1);
	assert_false(s.waits[0].slept);
	assert_int_equal(s.waits[0].runqueue_ns, 0);
	assert_int_equal(story_find(&s, 7, 2)->rq.wake_ns, 5);
	story_end(&s);
}

/* 9. The kernel's own requests have no `queue`, heartbeats neither `queue` nor `add`. */
static void kernels_own_requests(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "110 0 9 submit 7.1\n200 1 0 exec 7.1\n202 1 0 in 7.1 0\n300 1 0 out 7.1 1\n"
		       "500 0 8 retire 7.1\n501 0 8 signal 7.1\n");
	EXPECT_STAGES(&s, 7, 1, -2, -2, 90, 2, 98, 0, 201);
	story_end(&s);
}

/* The late signal that the listening itself causes stamps nothing. */
static void listening_to_a_complete_request(void **state)
{
	const struct told_request *rq;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n110 0 9 submit 7.2\n120 0 9 add 7.4\n130 0 9 submit 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		       "300 0 9 enable 7.2\n301 0 9 signal 7.2\n450 1 0 out 7.4 1\n"
		       "500 0 8 retire 7.2\n502 0 8 retire 7.4\n503 0 8 signal 7.4\n");
	rq = story_find(&s, 7, 2);
	story_expect_span(rq->rq.end, 200, 301);
	rq = story_find(&s, 7, 4);
	story_expect_span(rq->rq.start, 202, 301);
	story_expect_span(rq->rq.end, 450, 450);
	story_end(&s);
}

/* R2, R4. Who listens to a complete request has the breadcrumbs' work see to it, be that on another
 * CPU. */
static void listening_late_while_another_cpu_signals(void **state)
{
	static const struct {
		const char *signals;
		uint64_t lo;
	} cases[] = {
		/* the work may have begun before the listening, or in it */
		{ "301 1 0 signal 7.2\n", 200 },
		{ "299 1 0 signal 6.2\n304 1 0 signal 7.2\n", 200 },
		/* an interrupt that comes later than that is the completion's own */
		{ "9301 1 0 signal 7.2\n", 9301 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_RING);
		story_tell_all(&s, "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 0 9 exec 7.2\n",
			       "300 0 9 enable 7.2\n", cases[i].signals, "20000 0 8 retire 7.2\n");
		rq = story_find(&s, 7, 2);
		assert_int_equal(rq->rq.end.lo, cases[i].lo);
		story_end(&s);
	}
}

/*
 * R2. It was incomplete when its listener came if the listener's own CPU signals it behind
 * something that thread has done since, or retires it and signals it then.
 */
static void listening_in_time(void **state)
{
	static const struct {
		const char *listens, *ends;
		uint64_t lo, hi;
	} cases[] = {
		/* a look; the breadcrumbs' work would have been first */
		{ "300 0 9 enable 7.2\n", "310 0 9 retire 6.2\n320 0 9 signal 7.2\n", 320, 320 },
		{ "300 0 9 enable 7.2\n", "310 0 9 retire 7.2\n320 0 9 signal 7.2\n", 300, 310 },
		/* a retire of which the work on another CPU makes no signal */
		{ "300 0 9 enable 7.2\n", "310 0 9 retire 7.2\n320 1 0 signal 7.2\n", 200, 310 },
		/* interrupts are off as long as it listens to others, or in a fence's call-back */
		{ "300 0 9 enable 7.2\n", "310 0 9 enable 7.4\n320 0 9 signal 7.2\n", 200, 320 },
		{ "290 0 9 signal 6.2\n300 0 9 enable 7.2\n",
		  "310 0 9 exec 8.2\n320 0 9 signal 7.2\n", 200, 320 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_GUC);
		story_tell_all(
			&s, "100 0 9 add 7.2\n105 0 9 add 6.2\n107 0 9 add 7.4\n",
			"110 0 9 submit 7.2\n200 0 9 exec 7.2\n201 0 9 in 7.2 0\n202 0 9 guc 7.2\n",
			cases[i].listens, cases[i].ends);
		rq = story_find(&s, 7, 2);
		story_expect_span(rq->rq.end, cases[i].lo, cases[i].hi);
		story_end(&s);
	}
}

/* R13. Whom nothing stands behind on a ring has its own interrupt signalled by another CPU, which
 * takes no longer than 1 ms. */
static void listening_late_to_the_last_of_a_ring(void **state)
{
	static const struct {
		const char *behind;
		uint64_t lo;
	} cases[] = {
		{ "", 4000300 },
		{ "1000 0 9 exec 8.2\n", 200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_RING);
		s.info.presence[LANE_RQ_IN] = s.info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
		s.info.presence[LANE_RQ_UNSUBMIT] = LANE_PRESENCE_ABSENT;
		story_tell_all(
			&s,
			"10 0 9 add 5.2\n20 0 9 submit 5.2\n21 0 9 exec 5.2\n90 0 9 retire 5.2\n"
			"95 0 9 signal 5.2\n100 0 9 add 8.2\n105 0 9 add 7.2\n",
			"110 0 9 submit 7.2\n200 0 9 exec 7.2\n", cases[i].behind,
			"5000300 0 9 enable 7.2\n5000400 1 0 signal 7.2\n");
		rq = story_find(&s, 7, 2);
		story_expect_span(rq->rq.end, cases[i].lo, 5000400);
		story_end(&s);
	}
}

/* R2. Complete requests that are listened to in one go are signalled newest first, by one run. 8.2
 * stands behind 7.2 on a ring. */
static void listening_to_two_of_a_ring(void **state)
{
	static const struct {
		const char *release, *events;
		uint64_t lo, hi;
	} cases[] = {
		/* 7.2 was complete if 8.2 was: it would have been signalled first, or there */
		{ "6.1.0",
		  "5000300 0 9 enable 8.2\n5000310 0 9 enable 7.2\n"
		  "5000400 0 9 signal 8.2\n5000410 0 9 signal 7.2\n",
		  5000400, 5000400 },
		{ "6.1.0",
		  "5000300 0 9 enable 8.2\n5000310 0 9 enable 7.2\n"
		  "5000400 1 0 signal 7.2\n5000410 0 9 signal 8.2\n",
		  5000410, 5000410 },
		/* both may have been complete */
		{ "6.1.0",
		  "5000300 0 9 enable 8.2\n5000310 0 9 enable 7.2\n"
		  "5000400 0 9 signal 7.2\n5000410 0 9 signal 8.2\n",
		  210, 5000410 },
		/* 7.2 or 8.2 was incomplete, and 8.2 is no sooner complete than 7.2 */
		{ "6.1.0",
		  "5000300 0 9 enable 7.2\n5000310 0 9 enable 8.2\n"
		  "5000400 0 9 signal 7.2\n5000410 0 9 signal 8.2\n",
		  5000300, 5000410 },
		/* an earlier driver */
		{ "5.9.0",
		  "5000300 0 9 enable 8.2\n5000310 0 9 enable 7.2\n"
		  "5000400 0 9 signal 8.2\n5000410 0 9 signal 7.2\n",
		  210, 5000400 },
		/* the run has begun before 7.2 is looked at, in its call-back */
		{ "6.1.0",
		  "5000300 0 9 enable 8.2\n5000305 0 9 signal 6.2\n5000310 0 9 enable 7.2\n"
		  "5000400 0 9 signal 8.2\n5000410 0 9 signal 7.2\n",
		  210, 5000400 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_RING);
		s.info.presence[LANE_RQ_IN] = s.info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
		snprintf(s.info.release, sizeof(s.info.release), "%s", cases[i].release);
		s.info.presence[LANE_RQ_UNSUBMIT] = LANE_PRESENCE_ABSENT;
		story_tell_all(&s,
			       "10 0 9 add 5.2\n20 0 9 submit 5.2\n21 0 9 exec 5.2\n"
			       "90 0 9 retire 5.2\n95 0 9 signal 5.2\n100 0 9 add 7.2\n"
			       "105 0 9 add 8.2\n",
			       "110 0 9 submit 7.2\n200 0 9 exec 7.2\n"
			       "205 0 9 submit 8.2\n210 0 9 exec 8.2\n",
			       cases[i].events, "6000000 0 9 retire 7.2\n6000010 0 9 retire 8.2\n");
		rq = story_find(&s, 8, 2);
		story_expect_span(rq->rq.end, cases[i].lo, cases[i].hi);
		story_end(&s);
	}
}

/* Several devices: the same context number and seqno on another card are another request. */
static void two_devices(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		"220 2 0 add 7.2#1\n225 2 0 submit 7.2#1\n230 2 0 exec 7.2#1\n231 2 0 in 7.2#1 0\n"
		"300 1 0 out 7.2 1\n400 2 0 out 7.2#1 1\n"
		"500 0 8 retire 7.2\n502 0 8 retire 7.2#1\n");
	assert_int_equal(s.n_requests, 2);
	story_expect_span(s.requests[0].rq.running, 98, 98);
	story_expect_span(s.requests[1].rq.running, 169, 169);
	story_end(&s);
}

/* That it waits no longer was not seen: the time since its last change is of the same kind. */
static void submits_while_it_waits(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n105 0 9 enable 7.2\n110 0 9 submit 7.2\n"
		       "150 1 0 exec 7.2\n151 1 0 in 7.2 0\n"
		       "160 0 9 add 7.4\n170 0 9 wb 7.4\n180 0 9 switch 9 1 0\n"
		       "300 1 0 signal 7.2\n301 1 0 out 7.2 1\n302 1 0 switch 0 0 8\n"
		       "400 1 0 waking 9 0\n400 0 0 switch 0 0 9\n"
		       "400 0 9 add 7.6\n410 1 0 exec 7.6\n411 1 0 in 7.6 0\n"
		       "500 1 0 out 7.6 1\n");
	for (unsigned int i = 0; i < s.n_idles; i++) {
		uint64_t sum = 0;

		for (unsigned int cause = 0; cause < LANE_IDLE_CAUSE_COUNT; cause++)
			sum += s.idles[i].cause_ns[cause];
		assert_int_equal(sum, s.idles[i].end_ns - s.idles[i].begin_ns);
	}
	assert_true(s.n_idles > 0);
	assert_int_equal(s.idles[0].begin_ns, 300);
	assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_SAME_ENGINE], 100);
	assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_OTHER_ENGINE], 0);
	story_end(&s);
}

/* A thread may wait, with a limit, for a request that it has not added yet: that is on no engine.
 */
static void waiting_for_what_is_not_added_yet(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2\n105 0 9 enable 7.2\n110 0 9 submit 7.2\n"
		       "150 1 0 exec 7.2\n151 1 0 in 7.2 0\n"
		       "200 0 9 switch 9 1 0\n205 2 0 waking 9 0\n210 0 0 switch 0 0 9\n"
		       "300 1 0 signal 7.2\n301 1 0 out 7.2 1\n302 1 0 switch 0 0 8\n"
		       "310 0 9 wb 7.4\n320 0 9 switch 9 1 0\n390 1 8 waking 9 0\n"
		       "391 0 0 switch 0 0 9\n392 0 9 we 7.4\n"
		       "400 0 9 add 7.4\n410 0 9 submit 7.4\n410 2 0 exec 7.4\n411 2 0 in 7.4 0\n"
		       "500 1 0 out 7.4 1\n");
	assert_true(s.n_idles > 0);
	assert_int_equal(s.idles[0].begin_ns, 300);
	assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_BLOCKED], 70);
	assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_SAME_ENGINE], 0);
	assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_OTHER_ENGINE], 0);
	story_end(&s);
}

/* The recording begins in a run of the tasklet: the fence of what only that run has told of counts.
 */
static void signal_of_what_is_held(void **state)
{
	struct story s;
	const struct told_request *rq;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "200 1 0 exec 7.2\n201 1 0 in 7.2 0\n300 1 0 signal 7.2\n302 1 0 out 7.2 1\n"
		       "400 0 8 retire 7.2\n");
	rq = story_find(&s, 7, 2);
	assert_true(rq->rq.end.lo <= 300);
	assert_int_equal(rq->rq.end.hi, 300);
	story_end(&s);
}

/* Stock: what the driver knows to be on the ports may be an older set of the same context. */
static void ports_that_lag(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	s.info.presence[LANE_RQ_IN] = s.info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
	story_tell(&s, "90 0 9 add 8.2\n91 0 9 submit 8.2\n100 1 0 exec 8.2\n101 1 0 ports 0.0\n"
		       "110 1 0 ports 8.2\n"
		       "120 0 9 add 7.2\n121 0 9 submit 7.2\n130 1 0 exec 7.2\n131 1 0 ports 8.2\n"
		       "200 1 0 signal 8.2\n201 1 0 ports 7.2\n"
		       "210 0 9 add 8.4\n211 0 9 submit 8.4\n212 0 9 enable 8.4\n"
		       "220 1 0 unsub 7.2\n221 1 0 exec 8.4\n222 1 0 exec 7.2\n"
		       "223 1 0 ports 8.2 7.2\n" /* as it was before */
		       "300 1 0 ports 8.4 7.2\n"
		       "400 1 0 signal 8.4\n401 1 0 ports 7.2\n405 0 9 enable 7.2\n9500 1 0 signal "
		       "7.2\n9501 1 0 ports 0.0\n");
	assert_int_equal(s.n_preemptions, 1);
	assert_int_equal(s.preemptions[0].victim, 7);
	assert_int_equal(s.preemptions[0].culprit, 8);
	assert_true(s.preemptions[0].at.lo <= 223 && s.preemptions[0].at.hi == 300);
	story_end(&s);
}

/* Stock: what was handed over before the last dequeue was on the ports, seen there or not. */
static void ports_of_what_was_dequeued_past(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	s.info.presence[LANE_RQ_IN] = s.info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
	story_tell(&s, "90 0 9 add 8.2\n91 0 9 submit 8.2\n92 0 9 enable 8.2\n"
		       "100 1 0 exec 8.2\n110 1 0 ports 8.2\n"
		       "120 0 9 add 7.2\n121 0 9 submit 7.2\n122 0 9 enable 7.2\n130 1 0 exec 7.2\n"
		       "140 0 9 add 9.2@0:0\n141 0 9 submit 9.2\n"
		       "200 1 0 signal 8.2\n300 2 0 exec 9.2\n301 2 0 ports 0.0\n"
		       "320 1 0 signal 7.2\n330 1 0 ports 9.2\n"
		       "400 0 8 retire 8.2\n401 0 8 retire 7.2\n");
	story_expect_span(story_find(&s, 7, 2)->rq.start, 200, 200);
	/* That 8.2 was over was heard of at 200: 7.2 may have begun before that, on its port. */
	story_expect_span(story_find(&s, 7, 2)->rq.end, 130, 301);
	story_end(&s);
}

/* The kernel's own seqnos go in ones: the one that is missing may be ahead. */
static void kernels_seqnos_go_in_ones(void **state)
{
	struct story s;

	(void)state;
	for (uint32_t seqno = 19; seqno <= 20; seqno++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "40 0 8 queue 7.2\n50 0 8 signal 9.18\n51 0 8 retire 9.18\n"
			 "100 0 9 add 9.%1$u\n101 0 9 submit 9.%1$u\n120 1 0 exec 9.%1$u\n"
			 "121 1 0 in 9.%1$u 0\n200 1 0 out 9.%1$u 1\n300 0 8 retire 9.%1$u\n"
			 "301 0 8 signal 9.%1$u\n",
			 seqno);
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell(&s, text);
		assert_int_equal(story_find(&s, 9, seqno)->rq.doubt,
				 seqno == 20 ? LANE_DOUBT_DEVICE : 0);
		story_end(&s);
	}
}

/* A loss in a dequeue: nothing follows from what it does not take back. */
static void loss_in_a_dequeue(void **state)
{
	struct story s;
	const struct told_request *rq;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	s.losses[s.n_losses++] =
		(struct lane_loss){ .begin_ns = 230, .end_ns = 230, .count = 1, .cpu = 1 };
	story_tell(&s, "100 0 9 add 7.2\n101 0 9 submit 7.2\n102 0 9 add 7.4\n103 0 9 submit 7.4\n"
		       "200 1 0 exec 7.2\n201 1 0 exec 7.4\n202 1 0 in 7.4 0\n"
		       "210 0 9 add 8.2\n211 0 9 submit 8.2\n"
		       "230 1 0 unsub 7.4\n230 1 0 lost 1 230 230 1\n230 1 0 exec 8.2\n"
		       "231 1 0 exec 7.2\n232 1 0 exec 7.4\n233 1 0 in 7.4 1\n234 1 0 in 8.2 0\n"
		       "300 1 0 out 7.4 0\n400 1 0 out 8.2 1\n500 1 0 signal 7.2\n"
		       "600 1 0 out 7.4 1\n700 0 8 retire 7.2\n");
	rq = story_find(&s, 7, 2);
	assert_int_equal(rq->rq.state, LANE_RQ_STATE_ENDED);
	assert_int_equal(rq->rq.end.hi, 500);
	story_end(&s);
}

/* A request that runs on one sibling is on another: its leaving is missing, nothing else breaks. */
static void moves_while_it_runs(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 add 7.2@2.65534\n101 0 9 submit 7.2\n"
		       "200 1 0 exec 7.2@2.0\n201 1 0 in 7.2 0\n"
		       "300 2 0 in 7.2@2.1 0\n310 2 0 out 7.2 1\n"
		       "400 0 8 retire 7.2\n401 0 8 signal 7.2\n"
		       "500 1 0 exec 8.2@2.0\n501 1 0 in 8.2 0\n600 1 0 out 8.2 1\n");
	assert_true(s.figures.contradictions > 0);
	assert_int_equal(story_find(&s, 7, 2)->rq.end.hi, 310);
	story_end(&s);
}

/* A poller, a retire and a listener of other CPUs amid a tasklet's run do not divide the run. */
static void other_cpus_do_not_stop(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"100 0 9 add 6.2@0.0\n101 0 9 submit 6.2\n110 1 0 exec 6.2\n112 1 0 in 6.2 0 0\n"
		"150 1 0 out 6.2 1\n"
		"160 0 9 add 7.2@0.0\n170 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0 0\n"
		"210 0 9 add 8.2@0.0\n220 0 9 submit 8.2\n"
		"230 1 0 unsub 7.2\n231 2 5 retire 6.2\n232 2 5 signal 6.2\n"
		"233 1 0 exec 8.2\n234 3 6 enable 8.2\n235 1 0 exec 7.2\n"
		"236 1 0 in 7.2 1 0\n237 2 5 enable 7.2\n238 1 0 in 8.2 0 100\n"
		"250 1 0 out 7.2 0\n300 2 0 signal 8.2\n310 1 0 out 8.2 1\n"
		"400 1 0 out 7.2 1\n401 1 0 signal 7.2\n500 0 8 retire 7.2\n501 0 8 retire 8.2\n");
	EXPECT_STAGES(&s, 6, 2, 0, 1, 9, 2, 38, 0, 82);
	EXPECT_STAGES(&s, 7, 2, 0, 10, 30, 2, 148, 50, 1);
	EXPECT_STAGES(&s, 8, 2, 0, 10, 13, 17, 50, 0, 0);
	assert_int_equal(s.n_preemptions, 1);
	assert_int_equal(s.preemptions[0].victim, 7);
	assert_int_equal(s.preemptions[0].culprit, 8);
	assert_int_equal(s.figures.contradictions, 0);
	story_end(&s);
}

/* What a poller of another CPU signals while its tasklet takes others back ended then. */
static void ends_amid_a_run_of_the_tasklet(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(
		&s,
		"160 0 9 add 7.2@0.0\n161 0 9 submit 7.2\n170 0 9 add 6.2@0.0\n171 0 9 submit 6.2\n"
		"179 2 5 enable 7.2\n180 2 5 wb 7.2\n"
		"200 1 0 exec 7.2\n201 1 0 exec 6.2\n202 1 0 in 6.2 1 0\n203 1 0 in 7.2 0 0\n"
		"210 0 9 add 8.2\n220 0 9 submit 8.2\n"
		"230 1 0 unsub 6.2\n231 2 5 signal 7.2\n232 1 0 exec 8.2\n233 1 0 exec 6.2\n"
		"234 1 0 in 6.2 1 0\n235 1 0 in 8.2 0 100\n"
		"250 1 0 out 7.2 1\n251 1 0 out 6.2 0\n252 2 5 we 7.2\n"
		"300 1 0 out 8.2 1\n400 1 0 out 6.2 1\n500 0 8 retire 7.2\n"
		"501 0 8 retire 8.2\n502 0 8 signal 8.2\n503 0 8 retire 6.2\n"
		"504 0 8 signal 6.2\n");
	EXPECT_STAGES(&s, 7, 2, 0, 1, 39, 3, 28, 0, 0);
	story_expect_span(story_find(&s, 8, 2)->rq.start, 251, 251);
	assert_int_equal(s.figures.contradictions, 0);
	story_end(&s);
}

/* Nobody is known to listen: a signal is an upper bound, and the ports still tell. */
static void listening_is_not_recorded(void **state)
{
	const struct told_request *first, *second;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	s.info.presence[LANE_FENCE_ENABLE_SIGNAL] = LANE_PRESENCE_ABSENT;
	story_tell(&s,
		   "100 0 9 add 7.2@0.0\n101 0 9 submit 7.2\n110 0 9 add 8.2\n111 0 9 submit 8.2\n"
		   "200 1 0 exec 7.2\n201 1 0 exec 8.2\n202 1 0 in 8.2 1\n203 1 0 in 7.2 0\n"
		   "300 1 0 out 7.2 1\n390 1 0 signal 8.2\n400 1 0 out 8.2 1\n"
		   "500 0 8 retire 7.2\n501 0 8 signal 7.2\n502 0 8 retire 8.2\n");
	first = story_find(&s, 7, 2);
	second = story_find(&s, 8, 2);
	story_expect_span(first->stages.ns[LANE_STAGE_RUNNING], 97, 97);
	assert_true(second->stages.known & 1u << LANE_STAGE_RUNNING);
	story_expect_span(second->rq.start, 300, 300);
	assert_int_equal(second->rq.end.hi, 390);
	story_end(&s);
}

/* A thread that is preempted, or sleeps, between its exit and its last switch is still there. */
static void exits_bit_by_bit(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 queue 7.2\n110 0 9 add 7.2\n115 0 9 enable 7.2\n"
		       "120 0 9 submit 7.2\n200 0 9 exec 7.2\n202 0 9 in 7.2 0\n"
		       "250 0 9 exit 9\n260 0 9 switch 9 0 5\n290 0 5 switch 5 0 9\n"
		       "300 0 9 switch 9 2 5\n340 1 0 waking 9 0\n370 0 5 switch 5 0 9\n"
		       "380 0 9 switch 9 16 5\n"
		       "390 1 0 signal 7.2\n400 1 0 out 7.2 1\n500 0 8 retire 7.2\n");
	assert_int_equal(s.n_starved, 2);
	assert_int_equal(s.starved[0].begin_ns, 260);
	assert_int_equal(s.starved[0].end_ns, 290);
	assert_int_equal(s.starved[0].tid, 5);
	assert_int_equal(s.starved[1].begin_ns, 340);
	assert_int_equal(s.starved[1].end_ns, 370);
	story_end(&s);
}

/* A tracer that writes neither why a thread left nor where it was woken: nothing is said of that.
 */
static void states_that_are_not_written(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell(&s, "100 0 9 queue 7.2\n110 0 9 add 7.2\n115 0 9 enable 7.2\n"
		       "120 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
		       "210 3 9 wb 7.2\n220 3 9 switch 9 - 5\n"
		       "300 1 0 signal 7.2\n301 1 0 waking 9\n305 0 4 switch 4 0 6\n"
		       "310 3 5 switch 5 0 9\n320 3 9 we 7.2\n"
		       "400 1 0 out 7.2 1\n500 0 8 retire 7.2\n");
	assert_int_equal(s.n_starved, 0); /* neither on CPU 3 from 220 on nor on CPU 0 from 301 */
	assert_int_equal(s.n_waits, 1);
	assert_false(s.waits[0].slept_known);
	assert_false(s.waits[0].runqueue_known);
	story_end(&s);
}

/* An `out` that does not say whether the request is complete: not that it is incomplete. */
static void completion_that_is_not_written(void **state)
{
	struct lane_span end;
	struct story s;

	(void)state;
	for (int with = 0; with < 2; with++) {
		story_init(&s, LANE_SUBMISSION_PER_REQUEST);
		s.info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
		story_tell(&s, with ? "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n"
				      "201 1 0 in 7.2 0\n460 1 0 out 7.2\n500 0 8 retire 7.2\n"
				    : "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n"
				      "201 1 0 in 7.2 0\n500 0 8 retire 7.2\n");
		if (with) {
			story_expect_span(story_find(&s, 7, 2)->rq.end, end.lo, end.hi);
			assert_true(end.lo < 460);
		}
		end = story_find(&s, 7, 2)->rq.end;
		assert_int_equal(s.n_preemptions, 0);
		story_end(&s);
	}
}

/*
 * The driver pauses the ring before it takes back. What completes behind the pause is followed by
 * nothing: 7.4 has run only if 7.2 was complete before that.
 */
static void completes_behind_the_pause(void **state)
{
	static const char before[] =
		"100000 0 9 add 7.2\n100010 0 9 enable 7.2\n100020 0 9 submit 7.2\n"
		"100030 0 9 add 7.4\n100040 0 9 submit 7.4\n"
		"110000 1 0 exec 7.2\n110010 1 0 exec 7.4\n110020 1 0 in 7.4 0 0\n"
		"120000 0 9 add 8.2\n120010 0 9 submit 8.2\n";
	static const char dequeue[] =
		"150000 1 0 unsub 7.4\n150010 1 0 exec 8.2\n150020 1 0 exec 7.4\n"
		"150030 1 0 in 7.4 1 0\n150040 1 0 in 8.2 0 100\n";
	static const char after[] =
		"170000 1 0 out 7.4 0\n200000 1 0 out 8.2 1\n300000 1 0 out 7.4 1\n"
		"400000 0 8 retire 7.2\n400010 0 8 retire 7.4\n400020 0 8 signal 7.4\n"
		"400030 0 8 retire 8.2\n400040 0 8 signal 8.2\n";
	const struct told_request *rq;
	struct story s;

	(void)state;
	/* told before, by the tasklet's CPU or long enough ahead on another */
	for (int cpu = 1; cpu < 3; cpu++) {
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell_all(&s, before,
			       cpu == 1 ? "149900 1 0 signal 7.2\n" : "140000 2 0 signal 7.2\n",
			       dequeue, after);
		assert_int_equal(s.n_preemptions, 1);
		assert_int_equal(s.preemptions[0].at.lo, 170000);
		rq = story_find(&s, 7, 4);
		assert_int_equal(rq->rq.start.lo, cpu == 1 ? 149900 : 140000);
		assert_int_equal(rq->rq.start.hi, rq->rq.start.lo);
		assert_int_equal(rq->rq.preempted.lo, 30000);
		story_end(&s);
	}
	/* another CPU tells when it may be behind the pause, or later */
	for (int late = 0; late < 2; late++) {
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell_all(&s, before, late ? dequeue : "149900 2 0 signal 7.2\n",
			       late ? "151000 2 0 signal 7.2\n" : dequeue, after);
		assert_int_equal(s.n_preemptions, 0);
		rq = story_find(&s, 7, 4);
		assert_in_range(rq->rq.start.lo, 110000, 151000);
		assert_int_equal(rq->rq.start.hi, 200000);
		assert_int_equal(rq->rq.running.lo, 100000);
		assert_in_range(rq->rq.running.hi, 119000, 160000);
		assert_int_equal(rq->rq.preempted.lo, 0);
		assert_true(rq->rq.preempted.hi >= 30000);
		story_end(&s);
	}
}

/*
 * Up to 5.3 the engine is idled for a preemption, and no event tells when that begins. What stands
 * behind a request that completes meanwhile may never have begun.
 */
static void completes_while_the_engine_is_idled(void **state)
{
	static const char before[] =
		"100000 0 9 add 7.2\n100010 0 9 enable 7.2\n100020 0 9 submit 7.2\n"
		"100030 0 9 add 8.2\n100040 0 9 submit 8.2\n"
		"110000 1 0 exec 7.2\n110005 1 0 in 7.2 0 0\n110010 1 0 exec 8.2\n"
		"110015 1 0 in 8.2 1 0\n120000 0 9 add 9.2\n120010 0 9 submit 9.2\n";
	static const char idled[] =
		"150010 1 0 out 8.2 0\n150020 1 0 exec 9.2\n150030 1 0 in 9.2 0 100\n"
		"150040 1 0 exec 8.2\n150050 1 0 in 8.2 1 0\n";
	static const char after[] =
		"200000 1 0 out 9.2 1\n300000 1 0 out 8.2 1\n400000 0 8 retire 7.2\n"
		"400010 0 8 retire 8.2\n400020 0 8 signal 8.2\n"
		"400030 0 8 retire 9.2\n400040 0 8 signal 9.2\n";

	(void)state;
	/* its `out` comes with the idling, or its signal after the run before; or an earlier run
	 * tells. Who was preempted is not told. */
	for (int i = 0; i < 3; i++) {
		static const char *const tells[] = {
			"150000 1 0 out 7.2 1\n", "140000 2 0 signal 7.2\n150000 1 0 out 7.2 1\n",
			"139990 1 0 signal 7.2\n140000 1 0 out 7.2 1\n145000 1 0 switch 0 0 4\n"
		};
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_PER_REQUEST);
		story_tell_all(&s, before, tells[i], idled, after);
		rq = story_find(&s, 8, 2);
		assert_int_equal(s.n_preemptions, 0);
		assert_true(rq->rq.start.lo <= (i == 2 ? 139990 : 150010));
		assert_true(rq->rq.start.hi >= (i == 2 ? 139990 : 200000));
		story_end(&s);
	}
}

/* What a priority is can be read at an `in` alone, and it may be raised after that. */
static void why_is_known_by_the_same_dequeue(void **state)
{
	static const char *const dequeues[] = {
		/* the victim's own `in`, the victim's of long ago, with a virtual engine about */
		"15000 1 0 unsub 7.2\n15010 1 0 exec 8.2\n15020 1 0 exec 7.2\n"
		"15030 1 0 in 7.2 1 0\n15040 1 0 in 8.2 0 100\n17000 1 0 out 7.2 0\n",
		"15000 1 0 unsub 7.2\n15010 1 0 exec 8.2\n15040 1 0 in 8.2 0 100\n"
		"17000 1 0 out 7.2 0\n19980 1 0 exec 7.2\n19990 1 0 in 7.2 0 0\n",
		"12000 0 9 add 9.2@0.65534\n12010 0 9 submit 9.2@0.65534\n"
		"15000 1 0 unsub 7.2\n15010 1 0 exec 8.2\n15020 1 0 exec 7.2\n"
		"15030 1 0 in 7.2 1 0\n15040 1 0 in 8.2 0 100\n17000 1 0 out 7.2 0\n",
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct story s;

		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell_all(
			&s, "10000 0 9 add 7.2\n10010 0 9 submit 7.2\n10020 1 0 exec 7.2\n",
			"10030 1 0 in 7.2 0 0\n11000 0 9 add 8.2\n11010 0 9 submit 8.2\n",
			dequeues[i],
			"20000 1 0 out 8.2 1\n30000 1 0 out 7.2 1\n40000 0 8 retire 7.2\n"
			"40010 0 8 signal 7.2\n40020 0 8 retire 8.2\n40030 0 8 signal 8.2\n");
		assert_int_equal(s.n_preemptions, 1);
		assert_int_equal(s.preemptions[0].why,
				 i ? LANE_PREEMPTION_UNKNOWN : LANE_PREEMPTION_PRIORITY);
		story_end(&s);
	}
}

/* A waiter that polls stamps the end, but not once it has left its CPU. */
static void poller_that_left_its_cpu(void **state)
{
	(void)state;
	for (int left = 0; left < 2; left++) {
		const struct told_request *rq;
		struct story s;

		story_init(&s, LANE_SUBMISSION_RING);
		s.info.presence[LANE_SWITCH] = LANE_PRESENCE_RECORDED;
		story_tell_all(&s, "10000 0 9 add 7.2\n10010 0 9 submit 7.2\n10020 0 9 exec 7.2\n",
			       "10100 0 9 wb 7.2\n",
			       left ? "15000 0 9 switch 9 0 5\n30000 0 5 switch 5 0 9\n" : "",
			       "30010 0 9 signal 7.2\n30020 0 9 we 7.2\n40000 0 8 retire 7.2\n");
		rq = story_find(&s, 7, 2);
		assert_int_equal(rq->rq.end.hi, 30010);
		if (left)
			assert_true(rq->rq.end.lo < 15000);
		else
			assert_int_equal(rq->rq.end.lo, 30010);
		story_end(&s);
	}
}

/* That no interrupt had come a millisecond before the end shows that it was incomplete then; it
 * left after that, and whether it had ended by then, its signal late, nothing tells. */
static void heard_before_it_left(void **state)
{
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	story_tell_all(&s, "100 1 9 add 6.2\n200 1 9 add 6.4\n300 1 9 add 7.2\n",
		       "1000 1 9 enable 6.2\n1100 1 9 submit 6.2\n1200 0 8 exec 6.2\n"
		       "1300 0 8 in 6.2 0 0\n1400 1 9 submit 6.4\n1500 0 8 exec 6.4\n"
		       "1600 0 8 in 6.4 0 0\n1700 0 8 out 6.2 0\n1800 1 9 submit 7.2\n",
		       "1900 0 8 unsub 6.4\n2000 0 8 unsub 6.2\n2100 0 8 exec 7.2\n"
		       "2200 0 8 exec 6.2\n2300 0 8 exec 6.4\n2400 0 8 in 6.4 1 0\n"
		       "2500 0 8 in 7.2 0 1\n",
		       "6001700 0 8 out 6.4 0\n6001800 0 8 out 7.2 1\n6001900 0 8 signal 6.2\n"
		       "6002000 0 8 out 6.4 1\n6002100 1 9 retire 6.2\n");
	assert_int_equal(story_find(&s, 6, 2)->rq.end.hi, 6001900);
	assert_int_equal(s.n_preemptions, 0);
	story_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coalesced_requests_run_in_the_ports_interval),
		cmocka_unit_test(coalesced_unheard_request_is_bounded),
		cmocka_unit_test(per_request_in),
		cmocka_unit_test(start_stamped_before_the_end),
		cmocka_unit_test(in_twice_is_a_lite_restore),
		cmocka_unit_test(preemption_with_the_victim_on_port_1),
		cmocka_unit_test(guc_has_no_out),
		cmocka_unit_test(virtual_engine),
		cmocka_unit_test(execute_repeats_without_in_or_out),
		cmocka_unit_test(ends_while_taken_back),
		cmocka_unit_test(coalesced_one_ends_while_taken_back),
		cmocka_unit_test(retire_before_signal),
		cmocka_unit_test(heard_before_it_left),
		cmocka_unit_test(newest_signalled_first),
		cmocka_unit_test(wait_without_sleep),
		cmocka_unit_test(kernels_own_requests),
		cmocka_unit_test(listening_to_a_complete_request),
		cmocka_unit_test(listening_late_while_another_cpu_signals),
		cmocka_unit_test(listening_in_time),
		cmocka_unit_test(listening_late_to_the_last_of_a_ring),
		cmocka_unit_test(listening_to_two_of_a_ring),
		cmocka_unit_test(two_devices),
		cmocka_unit_test(signal_of_what_is_held),
		cmocka_unit_test(ports_that_lag),
		cmocka_unit_test(ports_of_what_was_dequeued_past),
		cmocka_unit_test(kernels_seqnos_go_in_ones),
		cmocka_unit_test(loss_in_a_dequeue),
		cmocka_unit_test(moves_while_it_runs),
		cmocka_unit_test(submits_while_it_waits),
		cmocka_unit_test(waiting_for_what_is_not_added_yet),
		cmocka_unit_test(other_cpus_do_not_stop),
		cmocka_unit_test(ends_amid_a_run_of_the_tasklet),
		cmocka_unit_test(listening_is_not_recorded),
		cmocka_unit_test(exits_bit_by_bit),
		cmocka_unit_test(states_that_are_not_written),
		cmocka_unit_test(completion_that_is_not_written),
		cmocka_unit_test(completes_behind_the_pause),
		cmocka_unit_test(completes_while_the_engine_is_idled),
		cmocka_unit_test(why_is_known_by_the_same_dequeue),
		cmocka_unit_test(poller_that_left_its_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
