// SPDX-License-Identifier: MIT
// A timeline for a while, and what it tells as things that have ended.
#include "watch/shift.h"

#include <stdlib.h>
#include <string.h>

/* So much a stream may have met before it is to be renewed. */
#define MANY_CONTEXTS 4096
#define MANY_CLIENTS  1024
#define MANY_LOSSES   4096

struct lane_stream {
	const struct lane_trace_info *info;
	uint64_t from_ns, upto_ns;
	struct lane_timeline *timeline;
	struct lane_witness witness;
	lane_ended_fn *ended;
	void *arg;
};

static bool is_mine(const struct lane_stream *stream, uint64_t begin_ns)
{
	return begin_ns >= stream->from_ns && begin_ns < stream->upto_ns;
}

static void shift_set_name(char to[16], const char *comm)
{
	size_t length = strnlen(comm, 15);

	memcpy(to, comm, length);
	memset(to + length, 0, 16 - length);
}

/* The first time of a request, 0 when none is known. */
static uint64_t first_time(const struct lane_request *rq)
{
	if (rq->seen & LANE_SEEN_QUEUE)
		return rq->queue_ns;
	if (rq->seen & LANE_SEEN_ADD)
		return rq->add_ns;
	return rq->seen & LANE_SEEN_SUBMIT ? rq->submit_ns : 0;
}

static uint64_t last_time(const struct lane_request *rq)
{
	if (timeline_signal_is_known(rq))
		return rq->signal_ns;
	if (timeline_end_is_known(rq))
		return rq->end.hi;
	return 0;
}

static void tell_request(struct lane_stream *stream, const struct lane_request *rq,
			 uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_ended ended = {
		.what = LANE_ROW_REQUEST,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.pid = timeline_client_of(rq)->pid,
		.tid = rq->tid,
		.engine = rq->engine,
		.request = rq,
		.witness = &stream->witness,
		.cause = "",
	};

	shift_set_name(ended.process, timeline_client_of(rq)->comm);
	latency_stages_of(stream->info, rq, &ended.stages);
	ended.total = ended.stages.total;
	ended.total_known = ended.stages.total_known;
	stream->ended(stream->arg, &ended);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_stream *stream = arg;
	uint64_t begin_ns = first_time(rq), end_ns = last_time(rq);

	if (rq->doubt & LANE_DOUBT_GONE || !end_ns || end_ns < begin_ns ||
	    !is_mine(stream, begin_ns))
		return;
	tell_request(stream, rq, begin_ns, end_ns);
}

static void on_run(void *arg, const struct lane_run *run)
{
	watch_witness_run(&((struct lane_stream *)arg)->witness, run);
}

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	watch_witness_preemption(&((struct lane_stream *)arg)->witness, preemption);
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	watch_witness_starvation(&((struct lane_stream *)arg)->witness, starvation);
}

static void on_wait(void *arg, const struct lane_wait *wait)
{
	struct lane_stream *stream = arg;
	const struct lane_thread *thread = wait->thread;
	uint64_t wake_ns = wait->signal_ns && wait->signal_ns < wait->end_ns &&
					   wait->signal_ns > wait->begin_ns
				   ? wait->end_ns - wait->signal_ns
				   : 0;
	struct lane_ended ended = {
		.what = LANE_ROW_WAIT,
		.begin_ns = wait->begin_ns,
		.end_ns = wait->end_ns,
		.total = timeline_span_exact(wait->end_ns - wait->begin_ns),
		.total_known = true,
		.pid = thread->pid,
		.tid = thread->tid,
		.engine = wait->request->engine,
		.request = wait->request,
		.witness = &stream->witness,
	};

	/* The witness is told whoever tells of the wait. */
	watch_witness_wait(&stream->witness, wait, ended.culprit);
	if (!is_mine(stream, wait->begin_ns))
		return;
	ended.cause = "wake";
	ended.cause_ns = wake_ns;
	if (wake_ns < ended.total.lo - wake_ns) {
		ended.cause = "request";
		ended.cause_ns = ended.total.lo - wake_ns;
		shift_set_name(ended.culprit, timeline_client_of(wait->request)->comm);
	}
	shift_set_name(ended.process, thread->client ? thread->client->comm : thread->comm);
	stream->ended(stream->arg, &ended);
}

static void on_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_stream *stream = arg;
	const struct lane_thread *thread = idle->thread;
	uint64_t starved_ns = idle->cause_ns[LANE_IDLE_STARVED];
	struct lane_ended ended = {
		.what = LANE_ROW_IDLE,
		.begin_ns = idle->begin_ns,
		.end_ns = idle->end_ns,
		.total = timeline_span_exact(starved_ns),
		.total_known = true,
		.pid = thread ? thread->pid : -1,
		.tid = thread ? thread->tid : -1,
		.engine = idle->engine,
		.witness = &stream->witness,
		.cause = "starved",
		.cause_ns = starved_ns,
	};

	if (!starved_ns || idle->is_unsure || idle->is_last || !thread ||
	    !is_mine(stream, idle->begin_ns))
		return;
	shift_set_name(ended.process, thread->client ? thread->client->comm : thread->comm);
	shift_set_name(ended.culprit, !idle->culprits[0].ns   ? ""
				      : idle->culprits[0].tid ? idle->culprits[0].comm
							      : "idle");
	stream->ended(stream->arg, &ended);
}

/* Whose the request is that a picture waited for; NULL: it is not known. */
static const struct lane_client *client_of_fence(const struct lane_stream *stream,
						 const struct lane_flip *flip)
{
	const struct lane_context *context;

	for (uint32_t i = 0; (context = timeline_context(stream->timeline, i)); i++)
		if (context->ctx == flip->fence_ctx)
			return context->client;
	return NULL;
}

/* The culprit is whose request the picture waited for, or who had the CPU of the thread that was
 * late. */
static void set_display_culprit(const struct lane_stream *stream, struct lane_ended *ended)
{
	const struct lane_flip *flip = ended->flip;
	enum lane_miss cause = ended->piece->cause;
	const struct lane_actor_wait *late = cause == LANE_MISS_ASK	 ? &flip->asker
					     : cause == LANE_MISS_UPDATE ? &flip->updater
									 : NULL;
	const struct lane_client *client =
		cause == LANE_MISS_REQUEST ? client_of_fence(stream, flip) : NULL;

	ended->culprit[0] = 0;
	if (client)
		shift_set_name(ended->culprit, client->pid == flip->pid ? "itself" : client->comm);
	else if (late && late->by.tid > 0)
		shift_set_name(ended->culprit, late->by.comm);
}

/* A picture that missed refreshes: each cause is told of, in the order of time. */
static void on_flip(void *arg, const struct lane_flip *flip)
{
	struct lane_stream *stream = arg;
	struct lane_ended ended = {
		.what = LANE_ROW_DISPLAY,
		.begin_ns = flip->asked_ns,
		.end_ns = flip->shown_ns,
		.pid = flip->pid,
		.tid = flip->tid,
		.flip = flip,
		.cause = "",
	};

	if (!flip->shown_ns || !is_mine(stream, flip->asked_ns))
		return;
	shift_set_name(ended.process, flip->comm);
	for (uint32_t i = 0; i < flip->n_pieces; i++) {
		ended.piece = &flip->pieces[i];
		set_display_culprit(stream, &ended);
		stream->ended(stream->arg, &ended);
	}
}

/* The longest part of a command whose times the device has told. */
static void command_cause(const struct lane_command *command, struct lane_ended *ended)
{
	const uint64_t times[] = { command->call_ns, command->time_ns[LANE_COMMAND_SUBMITTED],
				   command->time_ns[LANE_COMMAND_START],
				   command->time_ns[LANE_COMMAND_END], command->known_ns };
	static const char *const names[] = { "prepare", "device_queue", "running", "wake" };

	for (unsigned int i = 0; command->timed && i < 4; i++) {
		uint64_t ns = times[i + 1] > times[i] ? times[i + 1] - times[i] : 0;

		if (!times[i] || ns <= ended->cause_ns)
			continue;
		ended->cause = names[i];
		ended->cause_ns = ns;
	}
}

static void on_command(void *arg, const struct lane_command *command)
{
	struct lane_stream *stream = arg;
	const struct lane_request *rq =
		command->certainty == LANE_CERTAIN_EXACT ? command->request : NULL;
	struct lane_ended ended = {
		.what = LANE_ROW_COMMAND,
		.begin_ns = command->call_ns,
		.end_ns =
			command->known_ns ? command->known_ns : command->time_ns[LANE_COMMAND_END],
		.pid = command->pid,
		.tid = command->tid,
		.engine = rq ? rq->engine : NULL,
		.request = rq,
		.witness = &stream->witness,
		.cause = "",
	};

	if (!ended.begin_ns || ended.end_ns <= ended.begin_ns || !is_mine(stream, ended.begin_ns))
		return;
	ended.total = timeline_span_exact(ended.end_ns - ended.begin_ns);
	ended.total_known = true;
	shift_set_name(ended.process, *command->queue->comm ? command->queue->comm : command->comm);
	if (rq)
		latency_stages_of(stream->info, rq, &ended.stages);
	else
		command_cause(command, &ended);
	stream->ended(stream->arg, &ended);
}

/* The threads that there are, as the first events. */
static struct lane_error *tell_first(struct lane_stream *stream,
				     const struct lane_tasks_list *first)
{
	struct lane_error *err = NULL;

	for (size_t i = 0; first && i < first->n && !err; i++) {
		struct lane_event event = { .wire = *first->records[i], .cpu = -1 };

		memcpy(&event.u, first->records[i] + 1, lane_kinds[event.wire.kind].payload_bytes);
		event.raw.ring = LANE_RING_NONE;
		err = timeline_push(stream->timeline, &event);
	}
	return err;
}

struct lane_error *watch_stream_create(const struct lane_trace_info *info, uint64_t from_ns,
				       const struct lane_tasks_list *first, lane_ended_fn *ended,
				       void *arg, struct lane_stream **result)
{
	struct lane_stream *stream = calloc(1, sizeof(*stream));
	struct lane_hooks hooks = { .arg = stream,
				    .request = on_request,
				    .run = on_run,
				    .preemption = on_preemption,
				    .starvation = on_starvation,
				    .wait = on_wait,
				    .idle = on_idle,
				    .command = on_command,
				    .flip = on_flip };
	struct lane_error *err;

	if (!stream)
		return &lane_enomem;
	stream->info = info;
	stream->from_ns = from_ns;
	stream->upto_ns = LANE_NEVER;
	stream->ended = ended;
	stream->arg = arg;
	err = watch_witness_init(&stream->witness);
	if (!err)
		err = timeline_create(info, NULL, 0, &hooks, &stream->timeline);
	if (!err)
		err = tell_first(stream, first);
	if (err) {
		watch_stream_destroy(stream);
		return err;
	}
	*result = stream;
	return NULL;
}

void watch_stream_destroy(struct lane_stream *stream)
{
	if (!stream)
		return;
	timeline_destroy(stream->timeline);
	watch_witness_deinit(&stream->witness);
	free(stream);
}

void watch_stream_until(struct lane_stream *stream, uint64_t upto_ns)
{
	stream->upto_ns = upto_ns;
}

struct lane_error *watch_stream_event(struct lane_stream *stream, const struct lane_event *event)
{
	struct lane_error *err = timeline_push(stream->timeline, event);

	return !err && stream->witness.no_memory ? &lane_enomem : err;
}

void watch_stream_opens(const struct lane_stream *stream, struct lane_opens *opens)
{
	latency_opens_of(stream->timeline, opens);
}

bool watch_stream_is_open(const struct lane_stream *stream, const struct lane_open *open,
			  uint64_t now_ns, uint64_t least_ns)
{
	return is_mine(stream, open->since_ns) &&
	       latency_open_is_certain(stream->timeline, open, now_ns, least_ns);
}

void watch_stream_open_calls(const struct lane_stream *stream, uint64_t now_ns,
			     struct lane_open_calls *calls)
{
	latency_open_calls_of(stream->timeline, now_ns, calls);
}

bool watch_stream_is_call_open(const struct lane_stream *stream, const struct lane_open_call *open,
			       uint64_t now_ns, uint64_t least_ns)
{
	return is_mine(stream, open->since_ns) && !latency_open_call_goes_on(open, now_ns) &&
	       latency_open_call_is_certain(stream->timeline, open, now_ns, least_ns);
}

bool watch_stream_is_full(const struct lane_stream *stream)
{
	size_t losses;

	timeline_losses(stream->timeline, &losses);
	return timeline_context(stream->timeline, MANY_CONTEXTS) ||
	       timeline_client(stream->timeline, MANY_CLIENTS) || losses > MANY_LOSSES;
}

const char *watch_stream_comm(const struct lane_stream *stream, int32_t tid)
{
	const struct lane_thread *thread = timeline_thread(stream->timeline, tid);

	return thread ? thread->comm : "";
}

const struct lane_witness *watch_stream_witness(const struct lane_stream *stream)
{
	return &stream->witness;
}

struct lane_error *watch_stream_finish(struct lane_stream *stream)
{
	return timeline_finish(stream->timeline, false);
}
