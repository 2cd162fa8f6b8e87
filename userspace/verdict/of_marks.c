// SPDX-License-Identifier: MIT
// Answers about frames of programs that took longer than usual.
#include "verdict/found.h"

#define MAX_LATE 24

static enum lane_cause of_marks_cause_of(const struct lane_late_frames *late)
{
	switch (late->part) {
	case LANE_MARK_RAN:
		return LANE_CAUSE_IS_FRAME_RAN;
	case LANE_MARK_WAITED:
		return late->by.tid > 0 ? LANE_CAUSE_IS_FRAME_STARVED : LANE_CAUSE_IS_FRAME_WAITED;
	case LANE_MARK_GPU:
		return late->client ? LANE_CAUSE_IS_FRAME_REQUEST : LANE_CAUSE_IS_FRAME_REQUESTS;
	case LANE_MARK_SLEPT:
		return LANE_CAUSE_IS_FRAME_SLEPT;
	default:
		return LANE_CAUSE_IS_FRAME_UNKNOWN;
	}
}

void verdict_of_marks(struct lane_answers *answers)
{
	const struct lane_marks *marks = &answers->latency->marks;

	for (uint32_t i = 0; i < marks->n_late && i < MAX_LATE; i++) {
		const struct lane_late_frames *late = &marks->late[i];
		const struct lane_mark_series *series = &marks->series[late->series];
		struct lane_answer *a = verdict_add(answers, of_marks_cause_of(late));

		a->in.frames = late;
		a->is_seen = true;
		a->who = late->client ? verdict_client(late->client)
				      : verdict_task(series->tid, series->comm);
		if (late->behind)
			a->by = verdict_client(late->behind);
		else if (late->by.tid > 0)
			a->by = verdict_task(late->by.tid, late->by.comm);
		a->stage = late->stage;
		a->n = late->n;
		a->of_n = series->n;
		a->ns = timeline_span_exact(late->more_ns);
		a->times = late->n;
		a->longest_ns = late->max_ns;
		a->longest_at_ns = late->at_ns;
		if (late->context)
			verdict_show(a, late->context, late->seqno);
		verdict_cost(answers, a, series->pid, late->more_ns);
	}
}
