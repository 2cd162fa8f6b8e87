// SPDX-License-Identifier: MIT
// Events as they come: of this machine, and of a recording.
#include "session/stream.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "session/running.h"

/* --- this machine --- */

static struct lane_error *next_running(void *arg, uint64_t upto_ns, const struct lane_event **event,
				       bool *has_ended)
{
	*has_ended = false;
	return session_running_next(arg, upto_ns, event);
}

static void close_running(void *arg)
{
	session_running_close(arg);
}

/* Says what the picture will lack: without a GPU its tables stay empty. */
static void set_notice(const struct session_running *running, struct session_stream *stream)
{
	char why[192];

	if (!session_running_sees_requests(running, why, sizeof(why)))
		snprintf(stream->notice, sizeof(stream->notice),
			 "no GPU to show: %s (see gpulane doctor)", why);
}

struct lane_error *session_stream_open_live(struct session_stream *stream, const char *command,
					    const struct session_filter *filter)
{
	const struct lane_capture_config config = {
		.groups = capture_groups_chosen(LANE_CHOSEN_TOP),
		.follow_pid = filter->pid,
		.comm = filter->comm,
	};
	struct session_running *running;
	struct lane_error *err = session_running_open(&config, NULL, &running);

	*stream = (struct session_stream){ .arg = running,
					   .command = command,
					   .is_live = true,
					   .next = next_running,
					   .close = close_running };
	if (!err)
		err = session_running_start(running);
	if (err)
		return lane_error_context(err, "%s", command);
	stream->info = session_running_info(running);
	set_notice(running, stream);
	return NULL;
}

struct lane_error *session_stream_wait(struct session_stream *stream, int timeout_ms,
				       uint64_t *upto_ns)
{
	return session_running_wait(stream->arg, timeout_ms, upto_ns);
}

/* --- a recording --- */

struct replay {
	struct session_source source;
	const struct lane_event *ahead; /* read, not yet handed out */
	bool has_ended;
};

static struct lane_error *next_replay(void *arg, uint64_t upto_ns, const struct lane_event **event,
				      bool *has_ended)
{
	struct replay *replay = arg;
	struct lane_error *err;

	*event = NULL;
	if (!replay->ahead && !replay->has_ended) {
		err = session_source_next(&replay->source, &replay->ahead);
		if (err)
			return err;
		replay->has_ended = !replay->ahead;
	}
	*has_ended = replay->has_ended;
	if (replay->ahead && replay->ahead->wire.ts_ns <= upto_ns)
		*event = LANE_TAKE(replay->ahead);
	return NULL;
}

/* Now the terminal is free for what there is to be said. */
static void close_replay(void *arg)
{
	struct replay *replay = arg;

	session_source_end(&replay->source);
	free(replay);
}

struct lane_error *session_stream_open_recording(struct session_stream *stream, const char *command,
						 const struct lane_place *place)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct lane_error *err;

	if (!replay)
		return &lane_enomem;
	*stream = (struct session_stream){
		.arg = replay, .command = command, .next = next_replay, .close = close_replay
	};
	replay->source.damage = (struct session_damage){ .command = command, .is_quiet = true };
	replay->source.has_foresight = true;
	err = session_source_open(&replay->source, place, 1);
	if (!err)
		stream->info = norm_input_info(replay->source.input);
	return err;
}

/* --- both --- */

struct lane_error *session_stream_listen(struct session_stream *stream,
					 const struct session_listener *listener)
{
	struct lane_hooks hooks = { 0 };
	struct lane_error *err = listener->begin(listener->arg, stream->info, &hooks);

	stream->listener = *listener;
	return err ? err : timeline_create(stream->info, NULL, 0, &hooks, &stream->timeline);
}

static struct lane_error *feed_next(struct session_stream *stream, uint64_t upto_ns, bool *has_none)
{
	const struct lane_event *event;
	struct lane_error *err = stream->next(stream->arg, upto_ns, &event, &stream->has_ended);

	*has_none = !err && !event;
	if (err || !event)
		return err;
	err = stream->listener.event(stream->listener.arg, event);
	return err ? err : timeline_push(stream->timeline, event);
}

struct lane_error *session_stream_feed(struct session_stream *stream, uint64_t upto_ns)
{
	struct lane_error *err = NULL;
	bool has_none = false;

	while (!lane_stop_signal && !err && !has_none)
		err = feed_next(stream, upto_ns, &has_none);
	return err;
}

struct lane_error *session_stream_feed_one(struct session_stream *stream)
{
	bool has_none;

	return feed_next(stream, UINT64_MAX, &has_none);
}

void session_stream_close(struct session_stream *stream)
{
	if (stream->is_live && stream->info)
		session_running_say_counts(stream->arg, stream->command);
	if (stream->close)
		stream->close(stream->arg);
	timeline_destroy(stream->timeline);
	*stream = (struct session_stream){ .arg = NULL };
}
