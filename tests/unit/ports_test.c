// SPDX-License-Identifier: MIT
// What the ports tell, and what they do not: an `out` that is missing, a run of the tasklet that is
// cut off.
#include "story.h"

/*
 * A context is `in` again, with a newer request (a lite restore), and its first `out` is missing:
 * the port that is given back is known by its seqno.
 */
static void lite_restore_without_its_out(void **state)
{
	struct story s;

	(void)state;
	for (int with = 0; with < 2; with++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "10 0 9 add 6.2@0.0\n11 0 9 submit 6.2\n20 1 0 exec 6.2\n21 1 0 in 6.2 0\n"
			 "30 1 0 out 6.2 1\n40 0 8 retire 6.2\n"
			 "100 0 9 add 7.2\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n202 1 0 in 7.2 0\n"
			 "210 0 9 add 7.4\n220 0 9 submit 7.4\n230 1 0 exec 7.4\n232 1 0 in 7.4 0\n"
			 "%s400 1 0 out 7.4 1\n"
			 "500 0 8 retire 7.2\n501 0 8 retire 7.4\n"
			 "510 0 9 add 6.4\n511 0 9 submit 6.4\n520 1 0 exec 6.4\n521 1 0 in 6.4 0\n"
			 "530 1 0 out 6.4 1\n540 0 8 retire 6.4\n",
			 with ? "240 1 0 out 7.2 0\n" : "");
		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		story_tell(&s, text);
		assert_int_equal(s.figures.contradictions, !with);
		assert_int_equal(s.n_preemptions, 0);
		assert_int_equal(story_find(&s, 7, 4)->rq.end.hi, 400);
		EXPECT_STAGES(&s, 6, 2, 0, 1, 9, 1, 9, 0, -1);
		story_end(&s);
	}
}

/*
 * The last run of the tasklet is cut off, by a loss or by the recording's end: from its dequeue on
 * the engine is not certainly idle, and why it was until then is not known.
 */
static void run_that_is_cut_off(void **state)
{
	struct story s;

	(void)state;
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

/*
 * A run of the tasklet tells that 7.2 is complete, and has written a newer set. Whether the
 * hardware left 7.2 for that, the ports at the run's end tell: 7.4 had been taken, or 7.2 was still
 * there. They do not when the run is cut off, by the recording's end or by a loss.
 */
static void ports_of_a_run_that_is_cut_off(void **state)
{
	static const char *const ends[] = {
		"",
		"260 1 0 lost 2 250 260 1\n300 1 0 out 7.4 1\n301 1 0 ports 0.0\n",
		"251 1 0 ports 7.4\n300 1 0 out 7.4 1\n301 1 0 ports 0.0\n",
		"251 1 0 ports 7.2\n260 1 0 out 7.4 1\n261 1 0 ports 0.0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct lane_request *rq;
		struct story s;
		char text[1024];

		story_init(&s, LANE_SUBMISSION_EXECLISTS);
		if (i == 1)
			s.losses[s.n_losses++] = (struct lane_loss){
				.begin_ns = 250, .end_ns = 260, .count = 2, .cpu = 1
			};
		snprintf(text, sizeof(text),
			 "100 0 9 add 7.2@0.0\n110 0 9 submit 7.2\n200 1 0 exec 7.2\n201 1 0 in "
			 "7.2 0\n"
			 "210 1 0 ports 7.2\n220 0 9 add 7.4\n221 0 9 submit 7.4\n"
			 "230 1 0 exec 7.4\n231 1 0 in 7.4 0\n250 1 0 out 7.2 1\n%s",
			 ends[i]);
		story_tell(&s, text);
		rq = &story_find(&s, 7, 2)->rq;
		story_expect_span(rq->end, i == 3 ? 250 : 201, 250);
		story_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lite_restore_without_its_out),
		cmocka_unit_test(run_that_is_cut_off),
		cmocka_unit_test(ports_of_a_run_that_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
