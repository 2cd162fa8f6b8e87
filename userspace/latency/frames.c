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

/* Whose requests it was behind for most of the stage. */
static const struct lane_client *frames_behind_of(const struct lane_request *rq, int stage,
						  const struct lane_ahead_part *ahead)
{
	const struct lane_context *context = stage == LANE_STAGE_DEVICE_QUEUE ? ahead->context
					     : stage == LANE_STAGE_DEPENDENCY ? rq->after
									      : NULL;
	const struct lane_client *client =
		stage == LANE_STAGE_DEVICE_QUEUE ? ahead->client : rq->after_client;

	if (!context)
		return NULL;
	return client ? client : context->client;
}

static struct lane_miss_sum *frames_sum_of(struct lane_frames *frames,
					   const struct lane_miss_sum *miss)
{
	struct lane_miss_sum *sum;

	for (uint32_t i = 0; i < frames->n_misses; i++) {
		sum = &frames->misses[i];
		if (sum->screen == miss->screen && sum->cause == miss->cause &&
		    sum->tid == miss->tid && sum->client == miss->client &&
		    sum->behind == miss->behind && sum->stage == miss->stage &&
		    sum->by.tid == miss->by.tid && sum->has_slept == miss->has_slept &&
		    sum->refused == miss->refused)
			return sum;
	}
	if (frames->n_misses == LANE_FRAME_MISSES) {
		frames->left_out += miss->missed;
		return NULL;
	}
	sum = &frames->misses[frames->n_misses++];
	*sum = *miss;
	sum->count = sum->missed = sum->ns = sum->late_ns = sum->usual_ns = sum->max_ns = 0;
	sum->did = (struct lane_frame_did){ 0 };
	sum->did_ns = sum->slept_more_ns = 0;
	sum->parts = (struct lane_frame_parts){ .is_known = true, .is_gpu_divided = true };
	return sum;
}

static void add_parts(struct lane_frame_parts *sum, const struct lane_frame_parts *parts)
{
	sum->is_known &= parts->is_known;
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		timeline_span_add(&sum->stages[i], parts->stages[i]);
	sum->gpu_ns += parts->gpu_ns;
	sum->is_gpu_divided &= parts->is_gpu_divided;
	sum->update_ns += parts->update_ns;
	sum->refresh_ns += parts->refresh_ns;
	sum->whole_ns += parts->whole_ns;
}

static void add_miss(struct lane_frames *frames, const struct lane_miss_sum *miss)
{
	struct lane_miss_sum *sum = frames_sum_of(frames, miss);

	if (!sum)
		return;
	sum->count++;
	sum->missed += miss->missed;
	sum->ns += miss->ns;
	sum->late_ns += miss->late_ns;
	sum->usual_ns += miss->usual_ns;
	sum->did.ran_ns += miss->did.ran_ns;
	sum->did.waited_ns += miss->did.waited_ns;
	sum->did.slept_ns += miss->did.slept_ns;
	sum->did_ns += miss->did_ns;
	sum->slept_more_ns += miss->slept_more_ns;
	add_parts(&sum->parts, &miss->parts);
	if (miss->ns <= sum->max_ns)
		return;
	sum->max_ns = miss->ns;
	sum->max_at_ns = miss->max_at_ns;
	sum->refresh = miss->refresh;
	sum->context = miss->context;
	sum->seqno = miss->seqno;
}

/* A stage that lies between two times, as far as it came after from_ns. Where it began before, the
 * others of these times may have been then. */
static struct lane_span frames_part_of(struct lane_span stage, struct lane_span begin,
				       struct lane_span end, uint64_t from_ns)
{
	uint64_t before_ns = from_ns > begin.lo ? from_ns - begin.lo : 0;
	uint64_t most_ns = end.hi > from_ns ? end.hi - from_ns : 0;

	return (struct lane_span){ stage.lo > before_ns ? stage.lo - before_ns : 0,
				   timeline_sooner(stage.hi, most_ns) };
}

/* The times that each stage lies between; the three on the hardware have the same two. */
static const enum lane_stage_point bounds_of[LANE_STAGE_PATH][2] = {
	[LANE_STAGE_PREPARE] = { LANE_POINT_QUEUE, LANE_POINT_ADD },
	[LANE_STAGE_DEPENDENCY] = { LANE_POINT_ADD, LANE_POINT_SUBMIT },
	[LANE_STAGE_HOST_QUEUE] = { LANE_POINT_SUBMIT, LANE_POINT_EXECUTE },
	[LANE_STAGE_DEVICE_QUEUE] = { LANE_POINT_EXECUTE, LANE_POINT_END },
	[LANE_STAGE_RUNNING] = { LANE_POINT_EXECUTE, LANE_POINT_END },
	[LANE_STAGE_PREEMPTED] = { LANE_POINT_EXECUTE, LANE_POINT_END },
	[LANE_STAGE_SIGNAL] = { LANE_POINT_END, LANE_POINT_SIGNALLED },
};

/* The first time at which a request is known to have been there. */
static uint64_t first_of(const struct lane_points *points)
{
	for (int i = 0; i < LANE_POINT_EXECUTE; i++)
		if (points->known[i])
			return points->at[i].lo;
	return 0;
}

/* What the time from the asking to the refresh was spent on. */
static void set_parts(struct lane_frame_parts *parts, const struct lane_flip *flip,
		      const struct lane_frame_request *request)
{
	const struct lane_points *points = &request->points;

	/* What was before its request was there is no stage's. */
	parts->is_known = flip->armed_ns && flip->ready.lo == flip->ready.hi &&
			  first_of(points) <= flip->asked_ns;
	parts->whole_ns = flip->shown_ns - flip->asked_ns;
	parts->update_ns = parts->is_known ? flip->armed_ns - flip->ready.lo : 0;
	parts->refresh_ns = flip->shown_ns - flip->armed_ns;
	parts->gpu_ns =
		flip->ready.lo -
		timeline_sooner(flip->ready.lo,
				timeline_later(points->at[LANE_POINT_EXECUTE].hi, flip->asked_ns));
	parts->is_gpu_divided = true;
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		enum lane_stage_point from = bounds_of[i][0], to = bounds_of[i][1];

		parts->is_known &= !(request->stages.unknown >> i & 1);
		if (!(request->stages.known >> i & 1))
			continue;
		parts->is_known &= points->known[from] && points->known[to];
		parts->stages[i] = frames_part_of(request->stages.ns[i], points->at[from],
						  points->at[to], flip->asked_ns);
		parts->is_gpu_divided &=
			i < LANE_STAGE_DEVICE_QUEUE || parts->stages[i].lo == parts->stages[i].hi;
	}
}

static void frames_add_request(struct lane_frames *frames, const struct lane_flip *flip,
			       struct lane_miss_sum *miss, const struct lane_frame_request *request)
{
	set_parts(&miss->parts, flip, request);
	miss->client = request->client;
	miss->behind = request->behind;
	miss->stage = request->stage;
	miss->context = request->context;
	miss->seqno = request->seqno;
	add_miss(frames, miss);
}

void latency_frames_request(struct lane_frames *frames, const struct lane_trace_info *info,
			    const struct lane_request *rq, const struct lane_stages *stages,
			    const struct lane_ahead_part *ahead)
{
	struct lane_frame_request *request = &frames->over[frames->n_over++ % LANE_FRAME_OVER];

	*request = (struct lane_frame_request){ .context = rq->context,
						.seqno = rq->seqno,
						.client = timeline_client_of(rq),
						.stage = longest_of(stages),
						.stages = *stages };
	latency_points_of(info, rq, &request->points);
	request->behind = frames_behind_of(rq, request->stage, ahead);
	for (uint32_t i = 0; i < frames->n_awaited;) {
		struct lane_frame_awaited *awaited = &frames->awaited[i];

		if (awaited->flip.fence_ctx != rq->context->ctx ||
		    (uint32_t)awaited->flip.fence_seqno != rq->seqno) {
			i++;
			continue;
		}
		frames_add_request(frames, &awaited->flip, &awaited->miss, request);
		*awaited = frames->awaited[--frames->n_awaited];
	}
}

const struct lane_frame_request *latency_frames_over(const struct lane_frames *frames,
						     uint64_t context, uint32_t seqno)
{
	uint64_t n = frames->n_over < LANE_FRAME_OVER ? frames->n_over : LANE_FRAME_OVER;

	for (uint64_t i = 1; i <= n; i++) {
		const struct lane_frame_request *request =
			&frames->over[(frames->n_over - i) % LANE_FRAME_OVER];

		if (request->context->ctx == context && request->seqno == seqno)
			return request;
	}
	return NULL;
}

/* The request is over already, or will be told when it is. */
static void add_of_request(struct lane_frames *frames, const struct lane_flip *flip,
			   struct lane_miss_sum *miss)
{
	const struct lane_frame_request *over =
		latency_frames_over(frames, flip->fence_ctx, (uint32_t)flip->fence_seqno);

	if (over) {
		frames_add_request(frames, flip, miss, over);
		return;
	}
	if (frames->n_awaited == LANE_FRAME_AWAITED) { /* the oldest will hardly be told */
		add_miss(frames, &frames->awaited[0].miss);
		frames->n_awaited--;
		memmove(frames->awaited, frames->awaited + 1,
			frames->n_awaited * sizeof(frames->awaited[0]));
	}
	frames->awaited[frames->n_awaited++] = (struct lane_frame_awaited){ *miss, *flip };
}

/* A CRTC whose connector is not known is taken for one that is: it is told once a second. */
static bool is_same_screen(const struct lane_screen_sum *screen, const struct lane_flip *flip)
{
	return screen->dev == flip->dev && screen->crtc == flip->crtc &&
	       (!*screen->connector || !*flip->connector ||
		!strcmp(screen->connector, flip->connector));
}

static struct lane_screen_sum *frames_screen_of(struct lane_frames *frames,
						const struct lane_flip *flip)
{
	struct lane_screen_sum *screen = frames->screens;

	while (screen < frames->screens + frames->n_screens && !is_same_screen(screen, flip))
		screen++;
	if (screen == frames->screens + LANE_FRAME_SCREENS)
		return NULL;
	if (screen == frames->screens + frames->n_screens) {
		frames->n_screens++;
		*screen = (struct lane_screen_sum){ .dev = flip->dev, .crtc = flip->crtc };
	}
	if (*flip->connector)
		memcpy(screen->connector, flip->connector, sizeof(screen->connector));
	return screen;
}

/* Who had the CPU of the thread that was late, for most of what it was late by; what it waits for a
 * CPU where nothing is missed, too, made nothing late. A CPU that slept had nobody on it. */
static void frames_blame(struct lane_miss_sum *miss, const struct lane_actor_wait *wait,
			 uint64_t usual_ns, uint64_t ns)
{
	if (wait->by.tid > 0 && wait->by.ns > usual_ns && wait->by.ns - usual_ns >= ns / 2)
		miss->by = wait->by;
}

/* Since when the thread that asked can have been late: the refresh before, one period ago at most.
 */
static uint64_t asker_from(const struct lane_flip *flip)
{
	uint64_t from_ns = flip->asked_ns > flip->period_ns ? flip->asked_ns - flip->period_ns : 0;

	return timeline_later(flip->base_ns, from_ns);
}

/* How long the thread that asks sleeps, and waits for a CPU, where nothing is missed. */
static void learn_did(struct lane_frames *frames, struct lane_screen_sum *screen,
		      const struct lane_flip *flip)
{
	uint64_t from_ns = asker_from(flip), whole_ns = flip->asked_ns - from_ns;
	struct lane_frame_did did;

	if (flip->missed || !flip->is_counted)
		return;
	did = latency_frame_threads_did(&frames->threads, flip->tid, from_ns, flip->asked_ns);
	/* It was not looked at before its first picture. */
	if (did.ran_ns + did.waited_ns + did.slept_ns < whole_ns - whole_ns / 8)
		return;
	screen->did.slept_ns += did.slept_ns;
	screen->did.waited_ns += did.waited_ns;
	screen->did_n++;
}

static void set_asked_late(struct lane_frames *frames, const struct lane_screen_sum *screen,
			   const struct lane_flip *flip, struct lane_miss_sum *miss)
{
	uint64_t from_ns = asker_from(flip), n = screen->did_n, late_ns, usual_ns;

	miss->late_ns = flip->shown_ns - flip->missed * flip->period_ns - flip->asked_ns;
	miss->usual_ns = flip->usual_ns;
	miss->refused = flip->refused;
	late_ns = miss->usual_ns - miss->late_ns;
	frames_blame(miss, &flip->asker, n ? screen->did.waited_ns / n : 0, late_ns);
	miss->did = latency_frame_threads_did(&frames->threads, flip->tid, from_ns, flip->asked_ns);
	miss->did_ns = flip->asked_ns - from_ns;
	usual_ns = n ? screen->did.slept_ns / n : miss->did_ns;
	if (miss->by.tid >= 0 || miss->did.slept_ns <= usual_ns)
		return;
	miss->slept_more_ns = miss->did.slept_ns - usual_ns;
	miss->has_slept = miss->slept_more_ns >= late_ns / 2;
}

static void set_updated_late(struct lane_frames *frames, const struct lane_flip *flip,
			     struct lane_miss_sum *miss)
{
	uint64_t to_ns = flip->armed_ns ? flip->armed_ns : flip->shown_ns;

	frames_blame(miss, &flip->updater, 0, flip->armed_ns - flip->ready.hi);
	miss->did_ns = to_ns - flip->ready.hi;
	if (!flip->armed_ns)
		return;
	miss->did =
		latency_frame_threads_did(&frames->threads, flip->armed_tid, flip->ready.hi, to_ns);
	miss->has_slept = miss->by.tid < 0 && miss->did.slept_ns >= miss->did_ns / 2;
}

/* The refreshes that it missed for that cause. */
static void add_cause(struct lane_frames *frames, const struct lane_flip *flip,
		      struct lane_miss_sum miss, enum lane_miss cause)
{
	miss.cause = cause;
	miss.missed = timeline_flip_missed_by(flip, cause);
	miss.ns = miss.missed * flip->period_ns;
	if (!miss.missed)
		return;
	if (cause == LANE_MISS_ASK)
		set_asked_late(frames, &frames->screens[miss.screen], flip, &miss);
	else if (cause == LANE_MISS_UPDATE)
		set_updated_late(frames, flip, &miss);
	if (cause == LANE_MISS_REQUEST)
		add_of_request(frames, flip, &miss);
	else
		add_miss(frames, &miss);
}

void latency_frames_learn(struct lane_frames *frames, const struct lane_flip *flip)
{
	struct lane_screen_sum *screen = frames_screen_of(frames, flip);

	latency_frame_threads_meet(&frames->threads, flip->tid);
	if (flip->armed_tid >= 0)
		latency_frame_threads_meet(&frames->threads, flip->armed_tid);
	if (screen && flip->shown_ns)
		learn_did(frames, screen, flip);
}

void latency_frames_flip(struct lane_frames *frames, const struct lane_flip *flip)
{
	struct lane_screen_sum *screen = frames_screen_of(frames, flip);
	struct lane_miss_sum miss = {
		.tid = flip->tid,
		.pid = flip->pid,
		.stage = -1,
		.by.tid = -1,
		.max_at_ns = flip->asked_ns,
		.refresh = (uint32_t)flip->seq,
	};

	if (!screen)
		return;
	miss.screen = (uint32_t)(screen - frames->screens);
	latency_frames_learn(frames, flip);
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
	for (int cause = LANE_MISS_NONE + 1; cause < LANE_MISS_CAUSES; cause++)
		add_cause(frames, flip, miss, cause);
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
