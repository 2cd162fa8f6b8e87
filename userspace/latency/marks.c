// SPDX-License-Identifier: MIT
// Frames of programs: how long they take as a rule, and what made others late.
#include "latency/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"

const char *const lane_mark_part_names[LANE_MARK_PARTS + 1] = {
	[LANE_MARK_RAN] = "computing", [LANE_MARK_WAITED] = "starved", [LANE_MARK_GPU] = "request",
	[LANE_MARK_SLEPT] = "blocked", [LANE_MARK_PARTS] = "unknown",
};

static struct lane_mark_series *marks_series_of(struct lane_marks *marks,
						const struct lane_mark *mark)
{
	struct lane_mark_series *series = marks->series;

	while (series < marks->series + marks->n_series &&
	       (series->tid != mark->thread->tid || strcmp(series->name, mark->name) != 0))
		series++;
	if (series == marks->series + LANE_MARK_SERIES)
		return NULL;
	if (series == marks->series + marks->n_series) {
		marks->n_series++;
		series->tid = mark->thread->tid;
		memcpy(series->name, mark->name, strnlen(mark->name, LANE_MARK_BYTES - 1));
	}
	series->pid = mark->thread->pid;
	if (mark->thread->client)
		series->client = mark->thread->client;
	if (*mark->thread->comm)
		memcpy(series->comm, mark->thread->comm, sizeof(series->comm));
	return series;
}

/* The next one of that thread that is open; NULL: there is none. */
static struct lane_mark_open *marks_open_of(struct lane_marks *marks, int32_t tid, uint32_t *from)
{
	while (*from < marks->n_open) {
		struct lane_mark_open *open = &marks->open[(*from)++];

		if (open->series->tid == tid)
			return open;
	}
	return NULL;
}

static void marks_keep(struct lane_marks *marks, struct lane_mark_open *open)
{
	struct lane_mark_series *series = open->series;

	for (int i = 0; i < LANE_MARK_RIVALS; i++)
		if (open->rivals[i].ns > open->frame.by.ns)
			open->frame.by = open->rivals[i];
	if (marks->n_frames == LANE_MARK_FRAMES) {
		marks->left_out++;
		return;
	}
	if (!LANE_GROW(series->frames, series->room, series->n + 1)) {
		marks->no_memory = true;
		return;
	}
	series->frames[series->n++] = open->frame;
	series->gpu_ns += open->gpu_ns;
	marks->n_frames++;
}

/* The one that began then, taken out of those that are open. One whose begin was not told is new.
 */
static struct lane_mark_open marks_take(struct lane_marks *marks, struct lane_mark_series *series,
					uint64_t begin_ns)
{
	struct lane_mark_open taken = { .series = series,
					.frame = { .begin_ns = begin_ns, .by.tid = -1 } };
	uint32_t i = marks->n_open;

	while (i && (marks->open[i - 1].series != series ||
		     marks->open[i - 1].frame.begin_ns != begin_ns))
		i--;
	if (i) {
		taken = marks->open[i - 1];
		marks->open[i - 1] = marks->open[--marks->n_open];
	}
	return taken;
}

/* A frame that is open as the next one begins has lost its end. */
static void marks_drop(struct lane_marks *marks, const struct lane_mark_series *series)
{
	for (uint32_t i = 0; i < marks->n_open; i++)
		while (i < marks->n_open && marks->open[i].series == series)
			marks->open[i] = marks->open[--marks->n_open];
}

void latency_marks_mark(struct lane_marks *marks, const struct lane_mark *mark)
{
	struct lane_mark_series *series = marks_series_of(marks, mark);
	struct lane_mark_open taken, *open;

	if (!series) {
		marks->left_out += mark->end_ns && !mark->is_unsure;
		return;
	}
	if (mark->end_ns) {
		taken = marks_take(marks, series, mark->begin_ns);
		taken.frame.end_ns = mark->end_ns;
		series->lost += mark->is_unsure;
		if (!mark->is_unsure)
			marks_keep(marks, &taken);
		return;
	}
	if (!mark->is_range)
		marks_drop(marks, series);
	open = LANE_APPEND(marks->open, marks->n_open, marks->room_open);
	marks->no_memory |= !open;
	if (!open)
		return;
	open->series = series;
	open->frame.begin_ns = mark->begin_ns;
	open->frame.by.tid = -1;
}

/* The request's number, from 1 on; 0: there are too many, or no memory. It may be over already. */
static uint32_t marks_request_of(struct lane_marks *marks, const struct lane_frames *frames,
				 const struct lane_request *rq)
{
	uintptr_t known = (uintptr_t)lane_table_get(&marks->by_request, rq->context->id, rq->seqno);
	const struct lane_frame_request *over;
	struct lane_frame_request *request;

	if (known)
		return (uint32_t)known;
	if (marks->n_requests == LANE_MARK_FRAMES)
		return 0;
	if (!LANE_GROW(marks->requests, marks->room_requests, marks->n_requests + 1) ||
	    !lane_table_put(&marks->by_request, rq->context->id, rq->seqno,
			    (void *)(uintptr_t)(marks->n_requests + 1))) {
		marks->no_memory = true;
		return 0;
	}
	over = latency_frames_over(frames, rq->context->ctx, rq->seqno);
	request = &marks->requests[marks->n_requests++];
	*request = over ? *over
			: (struct lane_frame_request){ .context = rq->context,
						       .seqno = rq->seqno,
						       .stage = -1 };
	return marks->n_requests;
}

static enum lane_mark_part marks_part_of(const struct lane_thread_interval *interval)
{
	switch (interval->state) {
	case LANE_THREAD_RUNNING:
		return LANE_MARK_RAN;
	case LANE_THREAD_RUNNABLE:
		return LANE_MARK_WAITED;
	case LANE_THREAD_BLOCKED:
		return interval->wait ? LANE_MARK_GPU : LANE_MARK_SLEPT;
	default:
		return LANE_MARK_PARTS;
	}
}

void latency_marks_thread(struct lane_marks *marks, const struct lane_frames *frames,
			  const struct lane_thread_interval *interval)
{
	enum lane_mark_part part = marks_part_of(interval);
	uint64_t ns = interval->end_ns - interval->begin_ns;
	struct lane_mark_open *open;
	uint32_t from = 0;

	while ((open = marks_open_of(marks, interval->thread->tid, &from))) {
		if (part == LANE_MARK_PARTS)
			continue;
		open->frame.parts[part] += ns;
		if (!frames || part != LANE_MARK_GPU || ns <= open->frame.request_ns)
			continue;
		open->frame.request_ns = ns;
		open->frame.request = marks_request_of(marks, frames, interval->wait);
	}
}

/* Of more rivals the one that had the CPU for shortest is forgotten. */
static void marks_add_rival(struct lane_mark_open *open, const struct lane_starvation *starvation)
{
	struct lane_cpu_culprit *rival = open->rivals, *least = rival;

	for (; rival < open->rivals + LANE_MARK_RIVALS; rival++) {
		if (rival->ns && rival->tid == starvation->tid)
			break;
		if (rival->ns < least->ns)
			least = rival;
	}
	if (rival == open->rivals + LANE_MARK_RIVALS) {
		rival = least;
		*rival = (struct lane_cpu_culprit){ .tid = starvation->tid };
		memcpy(rival->comm, starvation->comm, sizeof(rival->comm));
	}
	rival->ns += starvation->end_ns - starvation->begin_ns;
}

/* A CPU that slept had nobody on it. */
void latency_marks_starved(struct lane_marks *marks, const struct lane_starvation *starvation)
{
	struct lane_mark_open *open;
	uint32_t from = 0;

	while ((open = marks_open_of(marks, starvation->victim->tid, &from)))
		if (starvation->tid > 0)
			marks_add_rival(open, starvation);
}

/* How much of the time is certainly of the run. */
static uint64_t ran_in(const struct lane_run *run, uint64_t from_ns, uint64_t to_ns)
{
	from_ns = timeline_later(from_ns, run->begin.hi);
	to_ns = timeline_sooner(to_ns, timeline_sooner(run->sure_until_ns, run->end.lo));
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

void latency_marks_run(struct lane_marks *marks, const struct lane_run *run)
{
	if (run->is_unsure)
		return;
	for (uint32_t i = 0; i < marks->n_open; i++) {
		struct lane_mark_open *open = &marks->open[i];

		if (open->series->pid == timeline_client_of(run->request)->pid)
			open->gpu_ns += ran_in(run, open->frame.begin_ns, LANE_NEVER);
	}
	for (uint32_t i = 0; i < marks->n_series; i++) {
		struct lane_mark_series *series = &marks->series[i];
		uint32_t k = series->n;

		if (series->pid != timeline_client_of(run->request)->pid)
			continue;
		while (k-- && series->frames[k].end_ns > run->begin.hi)
			series->gpu_ns +=
				ran_in(run, series->frames[k].begin_ns, series->frames[k].end_ns);
	}
}

void latency_marks_request(struct lane_marks *marks, const struct lane_frames *frames)
{
	const struct lane_frame_request *over =
		&frames->over[(frames->n_over - 1) % LANE_FRAME_OVER];
	uintptr_t known =
		(uintptr_t)lane_table_get(&marks->by_request, over->context->id, over->seqno);

	if (known)
		marks->requests[known - 1] = *over;
}

/* --- what is usual, and what is late --- */

static uint64_t length_of(const struct lane_mark_frame *frame)
{
	return frame->end_ns - frame->begin_ns;
}

LANE_ORDER(by_length, uint64_t, LANE_COMPARE(*x, *y))

static uint64_t median_of(struct lane_marks *marks, const struct lane_mark_series *series)
{
	uint64_t *lengths, median;

	if (!series->n)
		return 0;
	lengths = malloc(series->n * sizeof(*lengths));
	marks->no_memory |= !lengths;
	if (!lengths)
		return 0;
	for (uint32_t i = 0; i < series->n; i++)
		lengths[i] = length_of(&series->frames[i]);
	LANE_SORT(lengths, series->n, by_length);
	median = lengths[(series->n - 1) / 2];
	free(lengths);
	return median;
}

static bool is_late(const struct lane_mark_series *series, const struct lane_mark_frame *frame)
{
	return series->usual_ns && length_of(frame) > series->usual_ns + series->usual_ns / 2;
}

/* The mean of each part in the frames that are not late: half of them at least. */
static void usual_parts(const struct lane_mark_series *series, uint64_t usual[LANE_MARK_PARTS])
{
	uint64_t n = 0;

	memset(usual, 0, LANE_MARK_PARTS * sizeof(*usual));
	for (uint32_t i = 0; i < series->n; i++) {
		if (is_late(series, &series->frames[i]))
			continue;
		n++;
		for (int part = 0; part < LANE_MARK_PARTS; part++)
			usual[part] += series->frames[i].parts[part];
	}
	for (int part = 0; n && part < LANE_MARK_PARTS; part++)
		usual[part] /= n;
}

/* The part that has half of what the frame took longer, or more. */
static void set_part(const struct lane_mark_frame *frame, const uint64_t usual[LANE_MARK_PARTS],
		     struct lane_late_frames *late)
{
	late->part = LANE_MARK_PARTS;
	for (int part = 0; part < LANE_MARK_PARTS; part++) {
		uint64_t ns = frame->parts[part];
		uint64_t more_ns = ns > usual[part] ? ns - usual[part] : 0;

		if (more_ns < late->more_ns - late->more_ns / 2 || more_ns <= late->part_ns)
			continue;
		late->part = part;
		late->part_ns = more_ns;
	}
}

static void set_culprit(const struct lane_marks *marks, const struct lane_mark_frame *frame,
			struct lane_late_frames *late)
{
	const struct lane_frame_request *request;

	if (late->part == LANE_MARK_WAITED && frame->by.ns >= late->part_ns / 2)
		late->by = frame->by;
	if (late->part != LANE_MARK_GPU || !frame->request || frame->request_ns < late->part_ns / 2)
		return;
	request = &marks->requests[frame->request - 1];
	late->client = request->client;
	late->behind = request->behind;
	late->stage = request->stage;
	late->context = request->context;
	late->seqno = request->seqno;
}

static struct lane_late_frames *late_of(struct lane_marks *marks,
					const struct lane_late_frames *late)
{
	struct lane_late_frames *sum = marks->late;

	for (; sum < marks->late + marks->n_late; sum++)
		if (sum->series == late->series && sum->part == late->part &&
		    sum->by.tid == late->by.tid && sum->client == late->client &&
		    sum->behind == late->behind && sum->stage == late->stage)
			return sum;
	if (marks->n_late == LANE_MARK_LATE)
		return NULL;
	marks->n_late++;
	*sum = *late;
	sum->n = sum->more_ns = sum->part_ns = sum->max_ns = 0;
	return sum;
}

static void add_late(struct lane_marks *marks, uint32_t number, const struct lane_mark_frame *frame,
		     const uint64_t usual[LANE_MARK_PARTS])
{
	struct lane_mark_series *series = &marks->series[number];
	struct lane_late_frames late = { .series = number,
					 .by.tid = -1,
					 .stage = -1,
					 .more_ns = length_of(frame) - series->usual_ns };
	struct lane_late_frames *sum;

	series->late++;
	set_part(frame, usual, &late);
	set_culprit(marks, frame, &late);
	sum = late_of(marks, &late);
	if (!sum)
		return;
	sum->n++;
	sum->more_ns += late.more_ns;
	sum->part_ns += late.part_ns;
	if (length_of(frame) <= sum->max_ns)
		return;
	sum->max_ns = length_of(frame);
	sum->at_ns = frame->begin_ns;
	sum->end_ns = frame->end_ns;
	sum->context = late.context;
	sum->seqno = late.seqno;
}

LANE_ORDER(by_more, struct lane_late_frames, LANE_DOWN(more_ns) ?: LANE_UP(at_ns))

void latency_marks_finish(struct lane_marks *marks)
{
	for (uint32_t i = 0; i < marks->n_series; i++) {
		struct lane_mark_series *series = &marks->series[i];
		uint64_t usual[LANE_MARK_PARTS];

		series->median_ns = median_of(marks, series);
		series->usual_ns = series->n < LANE_MARK_LEAST ? 0 : series->median_ns;
		usual_parts(series, usual);
		for (uint32_t k = 0; k < series->n; k++) {
			const struct lane_mark_frame *frame = &series->frames[k];

			series->max_ns = timeline_later(series->max_ns, length_of(frame));
			series->sum_ns += length_of(frame);
			for (int part = 0; part < LANE_MARK_PARTS; part++)
				series->parts_ns[part] += frame->parts[part];
			if (is_late(series, frame))
				add_late(marks, i, frame, usual);
		}
	}
	LANE_SORT(marks->late, marks->n_late, by_more);
}

void latency_marks_deinit(struct lane_marks *marks)
{
	for (uint32_t i = 0; i < marks->n_series; i++)
		free(marks->series[i].frames);
	free(marks->open);
	free(marks->requests);
	lane_table_free(&marks->by_request);
}
