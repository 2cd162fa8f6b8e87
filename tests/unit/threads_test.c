// SPDX-License-Identifier: MIT
// What threads did, and how they waited, to the nanosecond: seen whole, and with events lost.
#include "story.h"

/* In order: what was told of a thread, from begin to end. */
static void expect_intervals(const struct story *s, int32_t tid, const struct told_interval *want,
			     unsigned int n)
{
	unsigned int k = 0;

	for (unsigned int i = 0; i < s->n_intervals; i++) {
		const struct told_interval *is = &s->intervals[i];

		if (is->tid != tid)
			continue;
		if (k == n)
			fail_msg("also state %d from %llu to %llu", is->state,
				 (unsigned long long)is->begin_ns, (unsigned long long)is->end_ns);
		if (is->state != want[k].state || is->begin_ns != want[k].begin_ns ||
		    is->end_ns != want[k].end_ns || is->waits != want[k].waits)
			fail_msg("interval %u: state %d from %llu to %llu, waits %d", k, is->state,
				 (unsigned long long)is->begin_ns, (unsigned long long)is->end_ns,
				 is->waits);
		k++;
	}
	assert_int_equal(k, n);
}

#define EXPECT_INTERVALS(s, tid, ...)                                                              \
	expect_intervals(s, tid, (const struct told_interval[]){ __VA_ARGS__ },                    \
			 sizeof((const struct told_interval[]){ __VA_ARGS__ }) /                   \
				 sizeof(struct told_interval))
#define RUNS(begin, end, waits)                                                                    \
	{                                                                                          \
		0, LANE_THREAD_RUNNING, begin, end, waits, 0                                       \
	}
#define CAN_RUN(begin, end, waits)                                                                 \
	{                                                                                          \
		0, LANE_THREAD_RUNNABLE, begin, end, waits, 0                                      \
	}
#define SLEEPS(begin, end, waits)                                                                  \
	{                                                                                          \
		0, LANE_THREAD_BLOCKED, begin, end, waits, 0                                       \
	}
#define IS(begin, end, waits)                                                                      \
	{                                                                                          \
		0, LANE_THREAD_UNKNOWN, begin, end, waits, 0                                       \
	}

/* A request that runs from 202 to 300; %s: what its thread does meanwhile. */
static void tell_wait(struct story *s, const char *meanwhile)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "90 3 0 switch 0 0 9\n100 3 9 queue 7.2\n110 3 9 add 7.2\n115 3 9 enable 7.2\n"
		 "120 3 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n210 3 9 wb 7.2\n%s"
		 "400 1 0 out 7.2 1\n500 0 8 retire 7.2\n",
		 meanwhile);
	story_tell(s, text);
}

/* It sleeps, is woken by the signal, waits for its CPU, runs, and sees that the request is over. */
TEST(sleeps_and_is_woken)
{
	struct story s;

	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	tell_wait(&s, "220 3 9 switch 9 1 5\n300 1 0 signal 7.2\n301 1 0 waking 9 3\n"
		      "310 3 5 switch 5 0 9\n320 3 9 we 7.2\n");
	assert_int_equal(s.n_waits, 1);
	assert_true(s.waits[0].slept);
	assert_true(s.waits[0].slept_known);
	assert_true(s.waits[0].runqueue_known);
	assert_int_equal(s.waits[0].runqueue_ns, 9);
	assert_int_equal(s.waits[0].signal_ns, 300);
	EXPECT_STAGES(&s, 7, 2, 10, 10, 80, 2, 98, 0, 0);
	story_expect_span(story_find(&s, 7, 2)->stages.ns[LANE_STAGE_WAKE], 20, 20);
	EXPECT_INTERVALS(&s, 9, RUNS(90, 210, false), RUNS(210, 220, true), SLEEPS(220, 301, true),
			 CAN_RUN(301, 310, true), RUNS(310, 320, true), RUNS(320, 500, false));
	story_end(&s);
}

/* It only loses its CPU: it did not sleep. */
TEST(is_preempted_while_it_polls)
{
	struct story s;

	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	tell_wait(&s, "220 3 9 switch 9 0 5\n300 1 0 signal 7.2\n310 3 5 switch 5 0 9\n"
		      "320 3 9 we 7.2\n");
	assert_int_equal(s.n_waits, 1);
	assert_false(s.waits[0].slept);
	assert_true(s.waits[0].slept_known);
	assert_int_equal(s.waits[0].runqueue_ns, 10);
	EXPECT_INTERVALS(&s, 9, RUNS(90, 210, false), RUNS(210, 220, true), CAN_RUN(220, 310, true),
			 RUNS(310, 320, true), RUNS(320, 500, false));
	story_end(&s);
}

/*
 * One lost event may have woken a thread that slept: what it did is unknown. It cannot have run
 * and been stopped again, so that of one that could run nothing changes.
 */
TEST(one_lost_event)
{
	struct story s;

	for (int sleeps = 0; sleeps < 2; sleeps++) {
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		s.losses[s.n_losses++] =
			(struct lane_loss){ .begin_ns = 230, .end_ns = 240, .count = 1, .cpu = 3 };
		tell_wait(&s, sleeps ? "220 3 9 switch 9 1 5\n240 3 5 lost 1 230 240 3\n"
				       "300 1 0 signal 7.2\n301 1 0 waking 9 3\n"
				       "310 3 5 switch 5 0 9\n320 3 9 we 7.2\n"
				     : "220 3 9 switch 9 0 5\n240 3 5 lost 1 230 240 3\n"
				       "300 1 0 signal 7.2\n"
				       "310 3 5 switch 5 0 9\n320 3 9 we 7.2\n");
		if (sleeps)
			EXPECT_INTERVALS(&s, 9, RUNS(90, 210, false), RUNS(210, 220, true),
					 IS(220, 301, false), CAN_RUN(301, 310, false),
					 RUNS(310, 320, false), RUNS(320, 500, false));
		else
			EXPECT_INTERVALS(&s, 9, RUNS(90, 210, false), RUNS(210, 220, true),
					 CAN_RUN(220, 310, false), RUNS(310, 320, false),
					 RUNS(320, 500, false));
		assert_int_equal(s.n_waits, 1);
		assert_false(s.waits[0].runqueue_known);
		assert_int_equal(s.waits[0].slept_known, sleeps);
		story_end(&s);
	}
}

/* Two lost events are enough to have run and been stopped again. */
TEST(two_lost_events)
{
	struct story s;

	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	s.losses[s.n_losses++] =
		(struct lane_loss){ .begin_ns = 230, .end_ns = 240, .count = 2, .cpu = 3 };
	tell_wait(&s, "220 3 9 switch 9 0 5\n240 3 5 lost 2 230 240 3\n300 1 0 signal 7.2\n"
		      "310 3 5 switch 5 0 9\n320 3 9 we 7.2\n");
	EXPECT_INTERVALS(&s, 9, RUNS(90, 210, false), RUNS(210, 220, true), IS(220, 310, false),
			 RUNS(310, 320, false), RUNS(320, 500, false));
	story_end(&s);
}

/* A thread that is moved waits for the CPU that it is moved to. */
TEST(is_moved_to_another_cpu)
{
	struct story s;

	story_init(&s, LANE_SUBMISSION_EXECLISTS);
	tell_wait(&s, "215 2 6 switch 6 0 4\n220 3 9 switch 9 0 5\n240 1 0 migrate 9 2\n"
		      "300 1 0 signal 7.2\n310 2 4 switch 4 0 9\n320 2 9 we 7.2\n");
	assert_int_equal(s.n_starved, 2);
	assert_int_equal(s.starved[0].begin_ns, 220);
	assert_int_equal(s.starved[0].end_ns, 240);
	assert_int_equal(s.starved[0].cpu, 3);
	assert_int_equal(s.starved[0].tid, 5);
	assert_int_equal(s.starved[1].begin_ns, 240);
	assert_int_equal(s.starved[1].end_ns, 310);
	assert_int_equal(s.starved[1].cpu, 2);
	assert_int_equal(s.starved[1].tid, 4);
	story_end(&s);
}

/* A loss that ends, or begins, at the edge of an interval is none of it; one of an instant is. */
TEST(losses_at_the_edge)
{
	static const struct {
		uint64_t begin_ns, end_ns;
		bool is_whole;
	} losses[] = {
		{ 200, 210, true },  { 200, 211, false }, { 320, 330, true },
		{ 319, 330, false }, { 210, 210, false }, { 320, 320, false },
	};
	struct story s;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		s.losses[s.n_losses++] = (struct lane_loss){ .begin_ns = losses[i].begin_ns,
							     .end_ns = losses[i].end_ns,
							     .count = 1,
							     .cpu = 3 };
		tell_wait(&s, "300 1 0 signal 7.2\n320 3 9 we 7.2\n");
		assert_int_equal(s.n_waits, 1);
		if (s.waits[0].slept_known != losses[i].is_whole)
			fail_msg("a loss from %llu to %llu", (unsigned long long)losses[i].begin_ns,
				 (unsigned long long)losses[i].end_ns);
		story_end(&s);
	}
}

/*
 * A waiter polls before it sleeps: its own signal stamps the end only if it has looked all the
 * time. Another thread's signal does not, whoever waits.
 */
TEST(waiter_that_polls)
{
	static const struct {
		const char *meanwhile;
		bool is_prompt;
	} ways[] = {
		{ "300 0 9 signal 7.2\n", true },
		{ "220 0 9 switch 9 0 5\n290 0 5 switch 5 0 9\n300 0 9 signal 7.2\n", false },
		{ "300 2 8 signal 7.2\n", false },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct lane_span end;
		struct story s;
		char text[1024];

		snprintf(text, sizeof(text),
			 "90 0 0 switch 0 0 9\n100 0 9 add 7.2\n110 0 9 submit 7.2\n"
			 "200 1 0 exec 7.2\n202 1 0 in 7.2 0\n210 0 9 wb 7.2\n%s305 0 9 we 7.2\n"
			 "400 1 0 out 7.2 1\n500 0 8 retire 7.2\n",
			 ways[i].meanwhile);
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell(&s, text);
		end = story_find(&s, 7, 2)->rq.end;
		if ((end.lo == 300) != ways[i].is_prompt || end.hi != 300)
			fail_msg("%s: it ended from %llu to %llu", ways[i].meanwhile,
				 (unsigned long long)end.lo, (unsigned long long)end.hi);
		story_end(&s);
	}
}

/*
 * What no report shows, since it knows of losses beforehand, but who reads live is told. The last
 * run of the tasklet is cut off, by a loss or by the recording's end: from its dequeue on the
 * engine is not certainly idle, and why it was until then is not known.
 */
TEST(run_that_is_cut_off)
{
	struct story s;

	for (int lost = 0; lost < 2; lost++) {
		char text[512];

		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		s.info.presence[LANE_PORTS] = LANE_PRESENCE_ABSENT;
		if (lost)
			s.losses[s.n_losses++] = (struct lane_loss){
				.begin_ns = 202, .end_ns = 203, .count = 1, .cpu = 1
			};
		snprintf(text, sizeof(text),
			 "10 0 9 add 6.2@0.0\n11 0 9 submit 6.2\n20 1 0 exec 6.2\n21 1 0 in 6.2 0\n"
			 "100 1 0 out 6.2 1\n110 0 8 retire 6.2\n"
			 "150 0 9 add 7.2@0.0\n160 0 9 submit 7.2\n200 1 0 exec 7.2\n201 1 0 in "
			 "7.2 0\n"
			 "%s",
			 lost ? "203 1 0 lost 1 202 203 1\n300 1 0 out 7.2 1\n" : "");
		story_tell(&s, text);
		assert_int_equal(s.n_idles, 1);
		assert_true(s.idles[0].is_doubtful);
		assert_int_equal(s.idles[0].begin_ns, 100);
		assert_int_equal(s.idles[0].end_ns, 200);
		assert_int_equal(s.idles[0].cause_ns[LANE_IDLE_UNKNOWN], 100);
		story_end(&s);
	}
}
