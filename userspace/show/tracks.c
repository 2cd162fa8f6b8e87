// SPDX-License-Identifier: MIT
// From what the timeline tells to slices in rows.
#include "show/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/counter_kind.h"
#include "base/table.h"
#include "base/vector.h"

const char *const lane_track_names[LANE_TRACK_KINDS] = {
#define T(id, name) [LANE_TRACK_##id] = name,
	LANE_TRACKS(T)
#undef T
};

/* A request that is not over: its number, and since when it is in the queues. */
struct open {
	uint32_t number;
	uint64_t since_ns[2]; /* by enum lane_queue; LANE_NEVER: it is not in it */
};

/* Requests that are over but may still be named by the command they carried. */
enum {
	REMEMBERED = 1 << 16
};

struct closed {
	uint64_t ctx;
	uint64_t key; /* device and seqno */
	uint32_t number;
};

/* More counters than any machine has. */
#define MOST_COUNTERS (1u << 20)

struct track_counter {
	struct lane_p_gpulane_counter is;
	uint64_t readings, points;
	uint64_t at_ns, value, total; /* of the last reading */
};

struct lane_tracks {
	struct lane_track_hooks hooks;
	struct track_counter *counters; /* by their numbers */
	uint32_t n_counters, cap_counters;
	struct lane_table by_owner; /* (kind, engine, client or thread) */
	struct lane_track **by_id;
	uint32_t n, cap;
	struct lane_table open; /* (context, seqno) */
	struct lane_pool open_pool;
	uint32_t numbered;
	struct lane_table closed; /* (ctx, device and seqno) -> number + 1 */
	struct closed *ring;	  /* the same, the oldest makes room */
	uint32_t n_closed;
	bool no_memory;
};

/* Finds or makes a track; NULL: no memory. */
static struct lane_track *track_of(struct lane_tracks *tracks, enum lane_track_kind kind,
				   uint64_t owner, const struct lane_track *is)
{
	struct lane_track *track = lane_table_get(&tracks->by_owner, kind, owner);

	if (track)
		return track;
	if (!LANE_GROW(tracks->by_id, tracks->cap, tracks->n + 1))
		goto no_memory;
	track = malloc(sizeof(*track));
	if (!track)
		goto no_memory;
	*track = *is;
	track->id = tracks->n;
	track->kind = kind;
	if (!lane_table_put(&tracks->by_owner, kind, owner, track)) {
		free(track);
		goto no_memory;
	}
	tracks->by_id[tracks->n++] = track;
	if (tracks->hooks.track)
		tracks->hooks.track(tracks->hooks.arg, track);
	return track;
no_memory:
	tracks->no_memory = true;
	return NULL;
}

static struct lane_track *engine_track(struct lane_tracks *tracks, enum lane_track_kind kind,
				       const struct lane_engine *engine)
{
	const struct lane_track is = { .engine = engine, .tid = -1, .pid = -1 };

	return track_of(tracks, kind, engine->id, &is);
}

static struct lane_track *thread_track(struct lane_tracks *tracks, enum lane_track_kind kind,
				       const struct lane_thread *thread)
{
	struct lane_track is = { .client = thread->client, .tid = thread->tid, .pid = thread->pid };
	struct lane_track *track = track_of(tracks, kind, (uint32_t)thread->tid, &is);

	if (!track)
		return NULL;
	if (thread->client)
		track->client = thread->client;
	if (thread->pid >= 0)
		track->pid = thread->pid;
	if (thread->comm[0])
		memcpy(track->comm, thread->comm, sizeof(track->comm));
	return track;
}

/*
 * The row that a slice fits in best: the one whose last slice ended latest. False: no memory.
 *
 * Not the smallest that is free, as show/track_rows.h has it. A slice is told when it has ended, so
 * that one told later may have begun earlier: taking the tightest row keeps the others free for it,
 * and there are as many rows as slices ever lie over each other; with the smallest there can be
 * more. There a row is taken at a thing's begin, when all free rows are as good, and the smallest
 * draws what is alone always in the same place.
 */
static bool find_row(struct lane_track *track, uint64_t begin_ns, uint64_t end_ns, uint32_t *row)
{
	uint32_t best = track->n_rows;

	for (uint32_t i = 0; i < track->n_rows; i++)
		if (track->rows[i].end_ns <= begin_ns &&
		    (best == track->n_rows || track->rows[i].end_ns > track->rows[best].end_ns))
			best = i;
	if (!LANE_GROW(track->rows, track->cap_rows, best + 1))
		return false;
	if (best == track->n_rows)
		track->rows[track->n_rows++].slices = 0;
	track->rows[best].end_ns = end_ns;
	track->rows[best].slices++;
	*row = best;
	return true;
}

/* What is kept of a request while it is open; NULL: no memory. */
static struct open *tracks_open_of(struct lane_tracks *tracks, const struct lane_request *rq)
{
	struct open *open = lane_table_get(&tracks->open, rq->context->id, rq->seqno);

	if (open)
		return open;
	open = lane_pool_get(&tracks->open_pool);
	if (!open || !lane_table_put(&tracks->open, rq->context->id, rq->seqno, open)) {
		tracks->no_memory = true;
		return NULL;
	}
	open->number = tracks->numbered++;
	open->since_ns[0] = open->since_ns[1] = LANE_NEVER;
	return open;
}

static uint32_t tracks_number_of(struct lane_tracks *tracks, const struct lane_request *rq)
{
	const struct open *open = rq ? tracks_open_of(tracks, rq) : NULL;

	return open ? open->number : LANE_NO_REQUEST;
}

/* A slice of what told it; one of a command has the number of its request already. */
static void tracks_tell(struct lane_tracks *tracks, struct lane_track *track, uint64_t begin_ns,
			uint64_t end_ns, struct lane_slice slice)
{
	if (!slice.command)
		slice.number = tracks_number_of(tracks, slice.request);
	if (!track)
		return;
	slice.track = track;
	slice.begin_ns = begin_ns;
	slice.end_ns = end_ns < begin_ns ? begin_ns : end_ns;
	if (!find_row(track, slice.begin_ns, slice.end_ns, &slice.row)) {
		tracks->no_memory = true;
		return;
	}
	if (tracks->hooks.slice)
		tracks->hooks.slice(tracks->hooks.arg, &slice);
}

/* What is of nobody. */
static struct lane_track *other_track(struct lane_tracks *tracks, enum lane_track_kind kind)
{
	const struct lane_track is = { .tid = -1, .pid = -1 };

	return track_of(tracks, kind, 0, &is);
}

/* What lasted no time is seen, too. */
static uint64_t seen_until(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns ? end_ns : begin_ns + 1;
}

static uint64_t closed_key(uint32_t dev, uint32_t seqno)
{
	return (uint64_t)dev << 32 | seqno;
}

static void tracks_remember(struct lane_tracks *tracks, const struct lane_request *rq,
			    uint32_t number)
{
	struct closed *slot = &tracks->ring[tracks->n_closed % REMEMBERED];

	if (tracks->n_closed++ >= REMEMBERED)
		lane_table_del(&tracks->closed, slot->ctx, slot->key);
	slot->ctx = rq->context->ctx;
	slot->key = closed_key(rq->context->dev, rq->seqno);
	slot->number = number;
	lane_table_del(&tracks->closed, slot->ctx, slot->key);
	if (!lane_table_put(&tracks->closed, slot->ctx, slot->key,
			    (void *)(uintptr_t)((uint64_t)number + 1)))
		tracks->no_memory = true;
}

/* The number of the request that carried a command, when it is known which that was. */
static uint32_t carrier_of(struct lane_tracks *tracks, const struct lane_command *command)
{
	const struct lane_request_key *key = &command->requests[0];
	uintptr_t known;

	if (command->certainty != LANE_CERTAIN_EXACT || !command->n_requests)
		return LANE_NO_REQUEST;
	known = (uintptr_t)lane_table_get(&tracks->closed, key->ctx,
					  closed_key(key->dev, key->seqno));
	if (known)
		return (uint32_t)(known - 1);
	return command->request ? tracks_number_of(tracks, command->request) : LANE_NO_REQUEST;
}

static uint8_t tracks_bounds_of(struct lane_span a, struct lane_span b)
{
	return a.lo != a.hi || b.lo != b.hi ? LANE_SLICE_BOUNDED : 0;
}

static void on_queue(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		     const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct lane_tracks *tracks = arg;
	struct open *open = tracks_open_of(tracks, rq);
	struct lane_track *track = engine_track(
		tracks, queue == LANE_QUEUE_HOST ? LANE_TRACK_HOST : LANE_TRACK_DEVICE, engine);
	struct lane_slice slice = { .request = rq,
				    .flags = rq->doubt & (LANE_DOUBT_DEVICE | LANE_DOUBT_EXECUTE)
						     ? LANE_SLICE_DOUBTFUL
						     : 0 };
	uint64_t begin_ns;

	if (!open || !track)
		return;
	if (now_ns > track->length_ns)
		track->length_ns = now_ns;
	if (tracks->hooks.length)
		tracks->hooks.length(tracks->hooks.arg, engine, queue,
				     queue == LANE_QUEUE_HOST ? engine->host_len
							      : engine->device_len,
				     track->length_ns);
	if (delta > 0) {
		open->since_ns[queue] = now_ns;
		return;
	}
	begin_ns = open->since_ns[queue];
	if (begin_ns == LANE_NEVER)
		return;
	slice.state = queue == LANE_QUEUE_DEVICE ? LANE_RQ_STATE_DEVICE
		      : timeline_has_started(rq) ? LANE_RQ_STATE_PREEMPTED
						 : LANE_RQ_STATE_HOST;
	open->since_ns[queue] = LANE_NEVER;
	tracks_tell(tracks, track, begin_ns, now_ns, slice);
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_slice slice = {
		.state = LANE_RQ_STATE_RUNNING,
		.flags = tracks_bounds_of(run->begin, run->end) |
			 (run->is_unsure ? LANE_SLICE_DOUBTFUL : 0),
		.request = run->request,
		.run = run,
	};

	tracks_tell(arg, engine_track(arg, LANE_TRACK_ENGINE, run->engine), run->begin.lo,
		    run->end.lo, slice);
}

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	uint64_t begin_ns = preemption->at.lo;
	struct lane_slice slice = { .state = LANE_RQ_STATE_PREEMPTED,
				    .flags = tracks_bounds_of(preemption->at, preemption->lasted),
				    .request = preemption->victim,
				    .preemption = preemption };

	tracks_tell(arg, engine_track(arg, LANE_TRACK_PREEMPTED, preemption->engine), begin_ns,
		    begin_ns + preemption->lasted.lo, slice);
}

static void on_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_slice slice = {
		.state = (uint8_t)latency_idle_cause(idle),
		.flags = idle->is_unsure ? LANE_SLICE_DOUBTFUL : 0,
		.request = idle->request,
		.idle = idle,
	};

	tracks_tell(arg, engine_track(arg, LANE_TRACK_IDLE, idle->engine), idle->begin_ns,
		    idle->end_ns, slice);
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t now_ns)
{
	struct lane_thread thread = { .tid = rq->tid,
				      .pid = rq->pid,
				      .client = timeline_client_of(rq) };
	struct lane_slice slice = { .state = LANE_RQ_STATE_NEW, .request = rq };

	if (from == LANE_RQ_STATE_NEW && (rq->seen & LANE_SEEN_QUEUE) &&
	    (rq->seen & LANE_SEEN_ADD) && rq->tid >= 0)
		tracks_tell(arg, thread_track(arg, LANE_TRACK_SUBMIT, &thread), rq->queue_ns,
			    now_ns, slice);
}

/* The first and the last time that an event, or a conclusion, has given of a request, if any has.
 */
static void life_of(const struct lane_request *rq, uint64_t *begin_ns, uint64_t *end_ns)
{
	const struct {
		bool known;
		uint64_t at_ns;
	} times[] = {
		{ rq->seen & LANE_SEEN_QUEUE, rq->queue_ns },
		{ rq->seen & LANE_SEEN_ADD, rq->add_ns },
		{ rq->seen & LANE_SEEN_SUBMIT, rq->submit_ns },
		{ rq->seen & LANE_SEEN_EXECUTE, rq->execute_ns },
		{ timeline_has_started(rq), rq->start.lo },
		{ timeline_end_is_known(rq) || timeline_burst_is_over(rq), rq->end.hi },
		{ rq->seen & LANE_SEEN_SIGNAL, rq->signal_ns },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!times[i].known)
			continue;
		if (!any || times[i].at_ns < *begin_ns)
			*begin_ns = times[i].at_ns;
		if (!any || times[i].at_ns > *end_ns)
			*end_ns = times[i].at_ns;
		any = true;
	}
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_tracks *tracks = arg;
	struct open *open = tracks_open_of(tracks, rq);
	struct lane_slice slice = { .state = rq->state,
				    .request = rq,
				    .flags = rq->doubt ? LANE_SLICE_DOUBTFUL : 0 };
	const struct lane_client *client = timeline_client_of(rq);
	const struct lane_track is = { .client = client, .tid = -1, .pid = client->pid };
	uint64_t begin_ns = rq->retire_ns, end_ns = rq->retire_ns;

	if (!open)
		return;
	life_of(rq, &begin_ns, &end_ns);
	tracks_tell(tracks, track_of(tracks, LANE_TRACK_CLIENT, client->id, &is), begin_ns, end_ns,
		    slice);
	tracks_remember(tracks, rq, open->number);
	lane_table_del(&tracks->open, rq->context->id, rq->seqno);
	lane_pool_put(&tracks->open_pool, open);
}

static void on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct lane_slice slice = { .state = interval->state,
				    .request = interval->wait,
				    .thread = interval };
	bool is_seen = interval->begin_ns < interval->end_ns;

	tracks_tell(arg, is_seen ? thread_track(arg, LANE_TRACK_THREAD, interval->thread) : NULL,
		    interval->begin_ns, interval->end_ns, slice);
}

static void on_cpu_run(void *arg, const struct lane_cpu_run *run)
{
	const struct lane_track is = { .cpu = run->cpu, .tid = -1, .pid = -1 };

	tracks_tell(arg, track_of(arg, LANE_TRACK_CPU, (uint32_t)run->cpu, &is), run->begin_ns,
		    run->end_ns, (struct lane_slice){ .cpu_run = run });
}

static void on_wait(void *arg, const struct lane_wait *wait)
{
	tracks_tell(arg, thread_track(arg, LANE_TRACK_WAIT, wait->thread), wait->begin_ns,
		    wait->end_ns, (struct lane_slice){ .request = wait->request, .wait = wait });
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	tracks_tell(arg, thread_track(arg, LANE_TRACK_STARVED, starvation->victim),
		    starvation->begin_ns, starvation->end_ns,
		    (struct lane_slice){ .starvation = starvation });
}

/* What may never have been is not drawn. Bursts are, but not as runs of the engine. */
static void on_maybe_run(void *arg, const struct lane_run *run)
{
	struct lane_slice slice = { .state = LANE_RQ_STATE_BURST,
				    .flags = LANE_SLICE_DOUBTFUL,
				    .request = run->request,
				    .run = run };
	bool is_burst = run->request->doubt & LANE_DOUBT_BURST;

	tracks_tell(arg, is_burst ? engine_track(arg, LANE_TRACK_DEVICE, run->engine) : NULL,
		    run->request->execute_ns, run->end.hi, slice);
}

static void on_call(void *arg, const struct lane_call *call)
{
	const struct lane_thread thread = { .tid = call->tid, .pid = call->pid };

	tracks_tell(arg, thread_track(arg, LANE_TRACK_CALL, &thread), call->begin_ns, call->end_ns,
		    (struct lane_slice){ .flags = call->ended ? 0 : LANE_SLICE_DOUBTFUL,
					 .call = call });
}

static void on_command(void *arg, const struct lane_command *command)
{
	struct lane_tracks *tracks = arg;
	const struct lane_track is = { .queue = command->queue,
				       .tid = -1,
				       .pid = command->queue->pid };
	const uint64_t *at = command->time_ns;
	struct lane_slice slice = { .state = command->class,
				    .number = carrier_of(tracks, command),
				    .command = command };
	uint64_t begin_ns = command->call_ns;
	uint64_t end_ns = command->timed ? at[LANE_COMMAND_END] : command->known_ns;

	if (command->timed) {
		if (!begin_ns || at[LANE_COMMAND_QUEUED] < begin_ns)
			begin_ns = at[LANE_COMMAND_QUEUED];
		slice.flags = tracks_bounds_of(command->time[LANE_COMMAND_START],
					       command->time[LANE_COMMAND_END]);
	}
	if (!begin_ns)
		begin_ns = command->return_ns ? command->return_ns : end_ns;
	if (end_ns < command->return_ns)
		end_ns = command->return_ns;
	if (begin_ns || end_ns)
		tracks_tell(tracks, track_of(tracks, LANE_TRACK_CLQUEUE, command->queue->id, &is),
			    begin_ns, end_ns, slice);
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	tracks_tell(arg, other_track(arg, LANE_TRACK_LOST), loss->begin_ns, loss->end_ns,
		    (struct lane_slice){ .loss = loss });
}

static void describe_counter(struct lane_tracks *tracks, const struct lane_p_gpulane_counter *is)
{
	if (is->id >= MOST_COUNTERS)
		return;
	if (!LANE_GROW(tracks->counters, tracks->cap_counters, (size_t)is->id + 1)) {
		tracks->no_memory = true;
		return;
	}
	if (tracks->n_counters <= is->id)
		tracks->n_counters = is->id + 1;
	tracks->counters[is->id] = (struct track_counter){ .is = *is };
}

static bool counts_time(const struct track_counter *counter)
{
	return !lane_counter_is_gauge(counter->is.what);
}

/* What was counted since the last reading, in per cent of the time; what went back is nothing. */
static uint64_t tracks_percent(const struct track_counter *counter,
			       const struct lane_p_gpulane_sample *sample, uint64_t now_ns)
{
	double units =
		sample->value > counter->value ? (double)(sample->value - counter->value) : 0;
	double whole = counter->is.per_second ? (double)(now_ns - counter->at_ns) * 1e-9 *
							(double)counter->is.per_second
					      : (double)sample->total - (double)counter->total;
	double most = 100.0 * (counter->is.capacity ? counter->is.capacity : 1);
	double share = whole > 0 ? 100 * units / whole : 0;

	return (uint64_t)((share < most ? share : most) + 0.5);
}

static void on_counter(void *arg, const struct lane_event *event)
{
	struct lane_tracks *tracks = arg;
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;
	struct lane_counter_point point = { .at_ns = event->wire.ts_ns, .value = sample->value };
	struct track_counter *counter;

	if (event->wire.kind == LANE_COUNTER) {
		describe_counter(tracks, &event->u.gpulane_counter);
		return;
	}
	if (sample->id >= tracks->n_counters)
		return;
	counter = &tracks->counters[sample->id];
	point.is = &counter->is;
	point.is_first = !counter->points;
	if (counts_time(counter)) {
		point.is_percent = true;
		point.value = tracks_percent(counter, sample, point.at_ns);
		point.at_ns = counter->at_ns;
	}
	if ((!point.is_percent || counter->readings) && tracks->hooks.counter) {
		counter->points++;
		tracks->hooks.counter(tracks->hooks.arg, &point);
	}
	counter->readings++;
	counter->at_ns = event->wire.ts_ns;
	counter->total = sample->total;
	if (sample->value > counter->value || !point.is_percent)
		counter->value = sample->value;
}

static void on_fault(void *arg, const struct lane_fault *fault)
{
	tracks_tell(arg, other_track(arg, LANE_TRACK_FAULT), fault->at_ns,
		    seen_until(fault->at_ns, fault->until_ns),
		    (struct lane_slice){ .state = fault->cause, .fault = fault });
}

/* Beside what drivers told: it may hold up what runs above it. */
static void on_stall(void *arg, const struct lane_stall *stall)
{
	struct lane_slice slice = { .flags = stall->is_sure ? 0 : LANE_SLICE_DOUBTFUL,
				    .stall = stall };

	if (!stall->is_more)
		tracks_tell(arg, other_track(arg, LANE_TRACK_FAULT), stall->begin_ns,
			    seen_until(stall->begin_ns, stall->end_ns), slice);
}

/* A row of each display: the refreshes that pictures missed, and the first half of each that shows
 * one. How long it is shown the next one tells. */
static void tell_display(struct lane_tracks *tracks, const struct lane_flip *flip)
{
	struct lane_track is = { .tid = -1, .pid = -1, .dev = flip->dev, .crtc = flip->crtc };
	struct lane_slice slice = { .flip = flip, .state = 1 };
	struct lane_track *track;

	memcpy(is.connector, flip->connector, sizeof(is.connector));
	track = track_of(tracks, LANE_TRACK_DISPLAY,
			 (uint64_t)flip->dev << 32 | (uint32_t)flip->crtc, &is);
	if (!flip->shown_ns)
		return;
	if (flip->missed)
		tracks_tell(tracks, track, flip->shown_ns - flip->missed * flip->period_ns,
			    flip->shown_ns, slice);
	slice.state = 0;
	tracks_tell(tracks, track, flip->shown_ns,
		    seen_until(flip->shown_ns, flip->shown_ns + flip->period_ns / 2), slice);
}

/* A commit that missed refreshes stands beside what drivers told, too, while it was under way. */
static void on_flip(void *arg, const struct lane_flip *flip)
{
	tell_display(arg, flip);
	if (flip->missed)
		tracks_tell(arg, other_track(arg, LANE_TRACK_FAULT), flip->asked_ns,
			    seen_until(flip->asked_ns, flip->shown_ns),
			    (struct lane_slice){ .flip = flip });
}

/* A frame is drawn as it ends. */
static void on_mark(void *arg, const struct lane_mark *mark)
{
	if (mark->end_ns)
		tracks_tell(arg, thread_track(arg, LANE_TRACK_MARK, mark->thread), mark->begin_ns,
			    seen_until(mark->begin_ns, mark->end_ns),
			    (struct lane_slice){ .flags = mark->is_unsure ? LANE_SLICE_DOUBTFUL : 0,
						 .mark = mark });
}

/* Calls and commands have slices of their own, open or not. */
static void on_unended(void *arg, const struct lane_unended *unended)
{
	(void)arg;
	(void)unended;
}

/* Where threads were is told with the answers. */
static void on_sample(void *arg, const struct lane_thread *thread, const struct lane_engine *engine,
		      struct lane_stack_id id, uint64_t ns)
{
	(void)arg;
	(void)thread;
	(void)engine;
	(void)id;
	(void)ns;
}

static void on_stack_frame(void *arg, const struct lane_event *event)
{
	(void)arg;
	(void)event;
}

/* A viewer shows all that the timeline tells: a hook without a function here does not compile. */
struct lane_error *show_tracks_create(const struct lane_track_hooks *told, struct lane_hooks *hooks,
				      struct lane_tracks **tracks)
{
	struct lane_tracks *new = *tracks = calloc(1, sizeof(*new));

	if (!new)
		return &lane_enomem;
	new->hooks = *told;
	new->open_pool.size = sizeof(struct open);
	new->ring = malloc(REMEMBERED * sizeof(*new->ring));
	hooks->arg = new;
#define H(hook, parameters, arguments) hooks->hook = on_##hook;
	LANE_HOOKS(H)
#undef H
	return new->ring ? NULL : &lane_enomem;
}

const struct lane_track *show_tracks_get(const struct lane_tracks *tracks, uint32_t id)
{
	return id < tracks->n ? tracks->by_id[id] : NULL;
}

uint32_t show_tracks_requests(const struct lane_tracks *tracks)
{
	return tracks->numbered;
}

bool show_tracks_failed(const struct lane_tracks *tracks)
{
	return tracks->no_memory;
}

uint32_t show_tracks_counters(const struct lane_tracks *tracks)
{
	return tracks->n_counters;
}

const struct lane_p_gpulane_counter *show_tracks_counter(const struct lane_tracks *tracks,
							 uint32_t id)
{
	return tracks->counters[id].points ? &tracks->counters[id].is : NULL;
}

void show_tracks_destroy(struct lane_tracks *tracks)
{
	if (!tracks)
		return;
	for (uint32_t i = 0; i < tracks->n; i++) {
		free(tracks->by_id[i]->rows);
		free(tracks->by_id[i]);
	}
	free(tracks->by_id);
	free(tracks->counters);
	lane_table_free(&tracks->by_owner);
	lane_table_free(&tracks->open);
	lane_table_free(&tracks->closed);
	free(tracks->ring);
	lane_pool_free(&tracks->open_pool);
	free(tracks);
}
