// SPDX-License-Identifier: MIT
// Sums of refreshes that were missed.
#include "latency/frames.h"

#include <stdlib.h>
#include <string.h>

/* The stage in which it was longest, if that is known. */
static int longest_of(const struct lane_stages *stages)
{
	uint64_t most_ns = 0;
	int longest = -1;

	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		if (!(stages->known >> i & 1) || stages->ns[i].lo <= most_ns)
			continue;
		most_ns = stages->ns[i].lo;
		longest = i;
	}
	/* What is not known, or has bounds, may be more. */
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (i != longest && ((stages->unknown >> i & 1) ||
				     ((stages->known >> i & 1) && stages->ns[i].hi > most_ns)))
			return -1;
	return longest;
}

static const struct lane_client *behind_of(const struct lane_request *rq, int stage)
{
	const struct lane_context *context = stage == LANE_STAGE_DEVICE_QUEUE ? rq->behind
					     : stage == LANE_STAGE_DEPENDENCY ? rq->after
									      : NULL;
	const struct lane_client *client =
		stage == LANE_STAGE_DEVICE_QUEUE ? rq->behind_client : rq->after_client;

	if (!context)
		return NULL;
	return client ? client : context->client;
}

static struct lane_miss_sum *sum_of(struct lane_frames *frames, const struct lane_miss_sum *miss)
{
	struct lane_miss_sum *sum;

	for (uint32_t i = 0; i < frames->n_misses; i++) {
		sum = &frames->misses[i];
		if (sum->dev == miss->dev && sum->crtc == miss->crtc && sum->cause == miss->cause &&
		    sum->tid == miss->tid && sum->client == miss->client &&
		    sum->behind == miss->behind && sum->stage == miss->stage &&
		    sum->by.tid == miss->by.tid)
			return sum;
	}
	if (frames->n_misses == LANE_FRAME_MISSES) {
		frames->left_out += miss->missed;
		return NULL;
	}
	sum = &frames->misses[frames->n_misses++];
	*sum = *miss;
	sum->count = sum->missed = sum->ns = sum->late_ns = sum->usual_ns = sum->max_ns = 0;
	return sum;
}

static void add_miss(struct lane_frames *frames, const struct lane_miss_sum *miss)
{
	struct lane_miss_sum *sum = sum_of(frames, miss);

	if (!sum)
		return;
	sum->count++;
	sum->missed += miss->missed;
	sum->ns += miss->ns;
	sum->late_ns += miss->late_ns;
	sum->usual_ns += miss->usual_ns;
	if (miss->ns <= sum->max_ns)
		return;
	sum->max_ns = miss->ns;
	sum->max_at_ns = miss->max_at_ns;
	sum->refresh = miss->refresh;
	sum->context = miss->context;
	sum->seqno = miss->seqno;
}

static void add_request(struct lane_frames *frames, struct lane_miss_sum *miss,
			const struct lane_frame_request *request)
{
	miss->client = request->client;
	miss->behind = request->behind;
	miss->stage = request->stage;
	miss->context = request->context;
	miss->seqno = request->seqno;
	add_miss(frames, miss);
}

void latency_frames_request(struct lane_frames *frames, const struct lane_request *rq,
			    const struct lane_stages *stages)
{
	struct lane_frame_request *request = &frames->over[frames->n_over++ % LANE_FRAME_OVER];

	*request = (struct lane_frame_request){ .context = rq->context,
						.seqno = rq->seqno,
						.client = timeline_client_of(rq),
						.stage = longest_of(stages) };
	request->behind = behind_of(rq, request->stage);
	for (uint32_t i = 0; i < frames->n_awaited;) {
		struct lane_frame_awaited *awaited = &frames->awaited[i];

		if (awaited->fence_ctx != rq->context->ctx ||
		    (uint32_t)awaited->fence_seqno != rq->seqno) {
			i++;
			continue;
		}
		add_request(frames, &awaited->miss, request);
		*awaited = frames->awaited[--frames->n_awaited];
	}
}

/* The request is over already, or will be told when it is. */
static void add_of_request(struct lane_frames *frames, const struct lane_flip *flip,
			   struct lane_miss_sum *miss)
{
	uint64_t n = frames->n_over < LANE_FRAME_OVER ? frames->n_over : LANE_FRAME_OVER;

	for (uint64_t i = 1; i <= n; i++) {
		const struct lane_frame_request *request =
			&frames->over[(frames->n_over - i) % LANE_FRAME_OVER];

		if (request->context->ctx != flip->fence_ctx ||
		    request->seqno != (uint32_t)flip->fence_seqno)
			continue;
		add_request(frames, miss, request);
		return;
	}
	if (frames->n_awaited == LANE_FRAME_AWAITED) { /* the oldest will hardly be told */
		add_miss(frames, &frames->awaited[0].miss);
		frames->n_awaited--;
		memmove(frames->awaited, frames->awaited + 1,
			frames->n_awaited * sizeof(frames->awaited[0]));
	}
	frames->awaited[frames->n_awaited++] =
		(struct lane_frame_awaited){ *miss, flip->fence_ctx, flip->fence_seqno };
}

static struct lane_screen_sum *screen_of(struct lane_frames *frames, const struct lane_flip *flip)
{
	for (uint32_t i = 0; i < frames->n_screens; i++)
		if (frames->screens[i].dev == flip->dev && frames->screens[i].crtc == flip->crtc)
			return &frames->screens[i];
	if (frames->n_screens == LANE_FRAME_SCREENS)
		return NULL;
	frames->screens[frames->n_screens] =
		(struct lane_screen_sum){ .dev = flip->dev, .crtc = flip->crtc };
	return &frames->screens[frames->n_screens++];
}

/* Who had the CPU of the thread that was late, for most of what it was late by. A CPU that slept
 * had nobody on it. */
static void blame(struct lane_miss_sum *miss, const struct lane_actor_wait *wait, uint64_t ns)
{
	if (wait->by.tid > 0 && wait->by.ns && wait->by.ns >= ns / 2)
		miss->by = wait->by;
}

void latency_frames_flip(struct lane_frames *frames, const struct lane_flip *flip)
{
	struct lane_screen_sum *screen = screen_of(frames, flip);
	struct lane_miss_sum miss = {
		.dev = flip->dev,
		.crtc = flip->crtc,
		.cause = flip->cause,
		.tid = flip->tid,
		.pid = flip->pid,
		.stage = -1,
		.by.tid = -1,
		.missed = flip->missed,
		.ns = flip->missed * flip->period_ns,
		.max_at_ns = flip->asked_ns,
		.refresh = (uint32_t)flip->seq,
	};

	if (!screen)
		return;
	screen->lost += !flip->shown_ns;
	if (!flip->shown_ns)
		return;
	screen->shown++;
	if (flip->period_ns)
		screen->period_ns = flip->period_ns;
	screen->unknown += !flip->is_counted;
	screen->late += flip->missed > 0;
	screen->missed += flip->missed;
	if (!flip->missed)
		return;
	memcpy(miss.comm, flip->comm, sizeof(miss.comm));
	if (flip->cause == LANE_MISS_ASK) {
		miss.late_ns = flip->shown_ns - flip->missed * flip->period_ns - flip->asked_ns;
		miss.usual_ns = flip->usual_ns;
		blame(&miss, &flip->asker, miss.usual_ns - miss.late_ns);
	} else if (flip->cause == LANE_MISS_UPDATE) {
		blame(&miss, &flip->updater, flip->armed_ns - flip->ready.hi);
	}
	if (flip->cause == LANE_MISS_REQUEST)
		add_of_request(frames, flip, &miss);
	else
		add_miss(frames, &miss);
}

void latency_frames_keep(struct lane_frames *frames, const struct lane_flip *flip)
{
	if (frames->n_found < LANE_FRAME_FOUND)
		frames->found[frames->n_found++] = *flip;
}

static int by_missed(const void *a, const void *b)
{
	const struct lane_miss_sum *x = a, *y = b;

	return (x->missed < y->missed) - (x->missed > y->missed);
}

void latency_frames_finish(struct lane_frames *frames)
{
	for (uint32_t i = 0; i < frames->n_awaited; i++)
		add_miss(frames, &frames->awaited[i].miss);
	frames->n_awaited = 0;
	qsort(frames->misses, frames->n_misses, sizeof(frames->misses[0]), by_missed);
}
