// SPDX-License-Identifier: MIT
// Answers about refreshes of displays that were missed.
#include <stdio.h>

#include "verdict/found.h"

#define MAX_MISSES 24

static enum lane_cause of_frames_cause_of(const struct lane_miss_sum *sum)
{
	bool is_named = sum->by.tid >= 0;
	enum lane_cause late;

	switch (sum->cause) {
	case LANE_MISS_REQUEST:
		return sum->client ? LANE_CAUSE_IS_MISSED_REQUEST : LANE_CAUSE_IS_MISSED_FENCE;
	case LANE_MISS_ASK:
		late = sum->refused	? LANE_CAUSE_IS_MISSED_REFUSED
		       : sum->has_slept ? LANE_CAUSE_IS_MISSED_SLEPT
					: LANE_CAUSE_IS_MISSED_ASK;
		return is_named ? LANE_CAUSE_IS_MISSED_STARVED : late;
	case LANE_MISS_UPDATE:
		late = sum->has_slept ? LANE_CAUSE_IS_MISSED_UPDATE_SLEPT
				      : LANE_CAUSE_IS_MISSED_UPDATE;
		return is_named ? LANE_CAUSE_IS_MISSED_WORKER : late;
	case LANE_MISS_INTERRUPT:
		return LANE_CAUSE_IS_MISSED_INTERRUPT;
	default:
		return LANE_CAUSE_IS_MISSED_UNKNOWN;
	}
}

void verdict_of_frames(struct lane_answers *answers)
{
	const struct lane_frames *frames = &answers->latency->frames;

	for (uint32_t i = 0; i < frames->n_misses && i < MAX_MISSES; i++) {
		const struct lane_miss_sum *sum = &frames->misses[i];
		const struct lane_screen_sum *screen = &frames->screens[sum->screen];
		struct lane_answer *a = verdict_add(answers, of_frames_cause_of(sum));
		int32_t pid = sum->client ? sum->client->pid : sum->pid;

		a->in.miss = sum;
		a->is_seen = true;
		timeline_screen_name(screen->dev, screen->crtc, screen->connector, a->place,
				     sizeof(a->place));
		a->who = sum->client ? verdict_client(sum->client)
				     : verdict_task(sum->tid, sum->comm);
		if (sum->behind)
			a->by = verdict_client(sum->behind);
		else if (sum->by.tid >= 0)
			a->by = verdict_task(sum->by.tid, sum->by.comm);
		a->stage = sum->stage;
		a->n = sum->count;
		a->of_n = screen->shown;
		a->ns = timeline_span_exact(sum->ns);
		a->times = sum->count;
		a->longest_ns = sum->max_ns;
		a->longest_at_ns = sum->max_at_ns;
		if (sum->context)
			verdict_show(a, sum->context, sum->seqno);
		verdict_cost(answers, a, pid, sum->ns);
	}
}
