// SPDX-License-Identifier: MIT
// The models of ring submission and of the GuC (timeline/model_*.c): requests that follow each
// other, with shared boundaries, also where events are lost.
#include "story.h"

/* No ports, nothing is taken back. */
static void ring_init(struct story *s)
{
	story_init(s, LANE_SUBMISSION_RING);
	s->info.presence[LANE_RQ_IN] = s->info.presence[LANE_RQ_OUT] = LANE_PRESENCE_ABSENT;
	s->info.presence[LANE_RQ_UNSUBMIT] = LANE_PRESENCE_ABSENT;
}

/* So that nothing unseen is ahead of what comes. */
#define BEFORE                                                                                     \
	"10 0 9 add 5.2\n20 0 9 submit 5.2\n21 0 9 exec 5.2\n90 0 9 retire 5.2\n95 0 9 signal "    \
	"5.2\n"

/* Three of three contexts, handed over at 200, 210 and 220. */
#define THREE                                                                                      \
	"100 0 9 add 6.2\n101 0 9 add 7.2\n102 0 9 add 8.2\n110 0 9 submit 6.2\n200 0 9 exec "     \
	"6.2\n"                                                                                    \
	"205 0 9 submit 7.2\n210 0 9 exec 7.2\n215 0 9 submit 8.2\n220 0 9 exec 8.2\n"

/* A boundary is no sooner than the one before it, and no later than the one behind it. */
static void boundaries_are_shared(void **state)
{
	const struct told_request *a, *b, *c;
	struct story s;

	(void)state;
	ring_init(&s);
	/* the first is seen incomplete at 300, the second at 200000, the third is over at 5000000
	 */
	story_tell_all(&s, BEFORE, THREE, "300 0 9 enable 6.2\n200000 0 9 enable 7.2\n",
		       "4000000 1 0 signal 6.2\n5000000 0 9 retire 8.2\n5000010 0 9 signal 8.2\n"
		       "5000100 0 9 signal 7.2\n");
	a = story_find(&s, 6, 2);
	b = story_find(&s, 7, 2);
	c = story_find(&s, 8, 2);
	story_expect_span(a->rq.start, 200, 200);
	story_expect_span(a->rq.end, 4000000, 4000000);
	EXPECT_STAGES(&s, 6, 2, 0, 10, 90, 0, 3999800, 0, 0);
	story_expect_span(b->rq.start, 4000000, 4000000);
	/* its listener was told nothing until 1 ms before */
	story_expect_span(b->rq.end, 4000000, 5000000);
	story_expect_span(c->rq.start, b->rq.end.lo, 5000000);
	story_expect_span(c->rq.end, b->rq.end.lo, 5000000);
	story_end(&s);
}

/* The end of one that somebody has just begun to listen to is concluded when its signal is there,
 * whatever has shown it complete: also that it was incomplete then counts. */
static void signal_tells_whom_the_listening_found(void **state)
{
	static const struct {
		const char *signal;
		uint64_t lo;
	} cases[] = {
		{ "1000120 0 9 signal 6.2\n", 1000000 }, /* behind something else */
		{ "1000120 1 0 signal 6.2\n", 200 },	 /* another CPU was at it */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct told_request *a, *b;
		struct story s;

		ring_init(&s);
		story_tell_all(
			&s, BEFORE, THREE,
			"1000000 0 9 enable 6.2\n1000100 0 9 retire 7.2\n1000110 0 9 signal 7.2\n",
			cases[i].signal);
		a = story_find(&s, 6, 2);
		b = story_find(&s, 7, 2);
		story_expect_span(a->rq.end, cases[i].lo, 1000100);
		story_expect_span(b->rq.start, cases[i].lo < 210 ? 210 : cases[i].lo, 1000100);
		story_end(&s);
	}
}

/* What was handed over before a loss stands where it stood; behind it something unseen may be. */
static void ring_across_a_loss(void **state)
{
	const struct told_request *a, *b, *c, *d;
	struct story s;

	(void)state;
	ring_init(&s);
	s.losses[0] = (struct lane_loss){ .begin_ns = 300, .end_ns = 400, .count = 3, .cpu = 1 };
	s.n_losses = 1;
	story_tell_all(&s, BEFORE, THREE,
		       "500 0 9 add 6.4\n510 0 9 submit 6.4\n520 0 9 exec 6.4\n"
		       "530 0 9 add 7.4\n540 0 9 submit 7.4\n550 0 9 exec 7.4\n",
		       "1000 0 9 retire 7.2\n1001 0 9 signal 7.2\n2000 0 9 retire 8.2\n"
		       "2001 0 9 signal 8.2\n3000 0 9 retire 6.4\n3001 0 9 signal 6.4\n"
		       "4000 0 9 retire 7.4\n4001 0 9 signal 7.4\n");
	a = story_find(&s, 7, 2);
	b = story_find(&s, 8, 2);
	c = story_find(&s, 6, 4);
	d = story_find(&s, 7, 4);
	story_expect_span(a->rq.start, 210, 1000);
	story_expect_span(b->rq.start, 220, 1000);
	story_expect_span(b->rq.end, 220, 2000);
	/* something unseen may have run between */
	story_expect_span(c->rq.start, 520, 3000);
	story_expect_span(d->rq.start, 550, 3000);
	assert_int_equal(d->stages.unknown & 1u << LANE_STAGE_RUNNING, 0);
	story_expect_span(d->stages.ns[LANE_STAGE_PREEMPTED], 0, 0);
	story_end(&s);
}

/* A context's requests follow each other, whatever is not seen of others. */
static void firmware_across_a_loss(void **state)
{
	const struct told_request *a, *b;
	struct story s;

	(void)state;
	story_init(&s, LANE_SUBMISSION_GUC);
	s.losses[0] = (struct lane_loss){ .begin_ns = 300, .end_ns = 400, .count = 3, .cpu = 1 };
	s.n_losses = 1;
	story_tell(&s, "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 0 9 exec 7.2\n201 0 9 in 7.2 0\n"
		       "205 0 9 add 7.4\n206 0 9 submit 7.4\n210 0 9 exec 7.4\n211 0 9 in 7.4 0\n"
		       "450 0 9 enable 7.2\n8990000 1 3 add 9.2\n9000000 1 0 signal 7.2\n9900000 0 "
		       "9 retire 7.4\n"
		       "9900010 0 9 signal 7.4\n");
	a = story_find(&s, 7, 2);
	b = story_find(&s, 7, 4);
	story_expect_span(a->rq.end, 9000000, 9000000);
	story_expect_span(a->rq.start, 200, 9000000);
	assert_int_equal(a->stages.unknown & 1u << LANE_STAGE_RUNNING, 0);
	story_expect_span(b->rq.start, 9000000, 9900000);
	story_expect_span(b->rq.running, 0, 900000);
	story_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boundaries_are_shared),
		cmocka_unit_test(signal_tells_whom_the_listening_found),
		cmocka_unit_test(ring_across_a_loss),
		cmocka_unit_test(firmware_across_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
