// SPDX-License-Identifier: MIT
// Frames of programs: what is kept of them does not grow with the recording.
#include "check.h"

#include <stdlib.h>

#include "latency/marks.h"

TEST(requests_that_are_kept_are_bounded)
{
	struct lane_marks *marks = calloc(1, sizeof(*marks));
	struct lane_frames *frames = calloc(1, sizeof(*frames));
	struct lane_thread thread = { .tid = 7, .pid = 7 };
	struct lane_context context = { .ctx = 5 };
	struct lane_mark mark = { .thread = &thread, .name = "draw" };
	struct lane_request rq = { .context = &context };
	struct lane_thread_interval interval = { .thread = &thread,
						 .state = LANE_THREAD_BLOCKED,
						 .wait = &rq };

	assert_non_null(marks);
	assert_non_null(frames);
	for (uint32_t i = 0; i < LANE_MARK_FRAMES + 1000; i++) {
		mark.begin_ns = interval.begin_ns = 1000 + i * 1000;
		mark.end_ns = 0;
		latency_marks_mark(marks, &mark);
		rq.seqno = i;
		interval.end_ns = interval.begin_ns + 900;
		latency_marks_thread(marks, frames, &interval);
		mark.end_ns = mark.begin_ns + 1000;
		latency_marks_mark(marks, &mark);
	}
	assert_int_equal(marks->n_frames, LANE_MARK_FRAMES);
	assert_int_equal(marks->left_out, 1000);
	assert_int_equal(marks->n_requests, LANE_MARK_FRAMES);
	assert_false(marks->no_memory);
	latency_marks_deinit(marks);
	free(frames);
	free(marks);
}
