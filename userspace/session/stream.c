// SPDX-License-Identifier: MIT
// Events as they come: of the bpf backend without a recording, and of a recording.
#include "session/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "capture/capture.h"
#include "capture/driver.h"
#include "capture/privileges.h"
#include "capture/requests.h"
#include "norm/live.h"

/* --- this machine --- */

struct live {
	const struct lane_backend *backend;
	struct lane_capture *capture;
	struct lane_capture_config config;
	struct lane_sink sink;
	struct lane_host host;
	struct lane_live *events;
	struct {
		bool is_there;
		uint64_t horizon_ns;
	} cpus[4096];
	uint64_t upto_ns;
	bool has_started;
};

static struct lane_error *on_record(void *arg, unsigned int cpu, const struct lane_wire *record)
{
	return norm_live_record(((struct live *)arg)->events, cpu, record);
}

static struct lane_error *on_lost(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns)
{
	return norm_live_lost(((struct live *)arg)->events, cpu, total, at_ns);
}

static struct lane_error *on_horizon(void *arg, unsigned int cpu, uint64_t ns)
{
	struct live *live = arg;

	if (cpu < sizeof(live->cpus) / sizeof(live->cpus[0])) {
		live->cpus[cpu].is_there = true;
		live->cpus[cpu].horizon_ns = ns;
	}
	return NULL;
}

static struct lane_error *next_live(void *arg, uint64_t upto_ns, const struct lane_event **event,
				    bool *has_ended)
{
	*has_ended = false;
	return norm_live_next(((struct live *)arg)->events, upto_ns, event);
}

static void close_live(void *arg)
{
	struct live *live = arg;

	if (live->has_started)
		lane_error_free(live->backend->stop(live->capture));
	live->backend->close(live->capture);
	norm_live_destroy(live->events);
	free(live);
}

/* What is known of what will be recorded. */
static void fill_info(const struct live *live, struct lane_trace_info *info)
{
	const struct lane_capture_kind *kinds = live->backend->kinds(live->capture);
	struct lane_driver driver;
	int submission;

	memset(info, 0, sizeof(*info));
	snprintf(info->host, sizeof(info->host), "%s", live->host.name);
	snprintf(info->release, sizeof(info->release), "%s", live->host.release);
	snprintf(info->clock_uuid, sizeof(info->clock_uuid), "%s", live->host.boot_id);
	snprintf(info->tracer, sizeof(info->tracer), "%s", live->backend->name);
	info->epoch_offset_ns = live->host.epoch_offset_ns;
	info->begin_ns = capture_now_ns();
	capture_driver_read("", &driver);
	submission = decode_submission_by_name(driver.submission);
	if (submission >= 0)
		info->submission = (enum lane_submission)submission;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		info->presence[kind] =
			kinds[kind].recorded ? LANE_PRESENCE_RECORDED : LANE_PRESENCE_ABSENT;
}

/* Says what the picture will lack: without a GPU its tables stay empty. */
static void set_notice(const struct live *live, struct session_stream *stream)
{
	const struct lane_capture_kind *kinds = live->backend->kinds(live->capture);
	char why[192];

	if (capture_requests_check(&kinds, 1, live->config.groups, "", why, sizeof(why)))
		snprintf(stream->notice, sizeof(stream->notice),
			 "no GPU to show: %s (see gpulane doctor)", why);
}

static struct lane_error *start_live(struct live *live)
{
	struct lane_trace_info info;
	struct lane_error *err;

	err = live->backend->open(&live->config, &live->capture);
	if (!err)
		err = capture_drop_privileges(false);
	if (err)
		return err;
	fill_info(live, &info);
	err = norm_live_create(&info, &live->events);
	if (!err)
		err = live->backend->start(live->capture);
	live->has_started = !err;
	return err;
}

struct lane_error *session_stream_open_live(struct session_stream *stream, const char *command,
					    const struct session_filter *filter)
{
	struct live *live = calloc(1, sizeof(*live));
	struct lane_error *err;

	if (!live)
		return &lane_enomem;
	*stream = (struct session_stream){ .arg = live,
					   .command = command,
					   .is_live = true,
					   .next = next_live,
					   .close = close_live };
	live->backend = &lane_backend_bpf;
	capture_host_read(&live->host);
	live->sink = (struct lane_sink){ live, on_record, on_lost, on_horizon };
	live->config = (struct lane_capture_config){
		.groups = LANE_GROUP_I915 | LANE_GROUP_CONTEXT | LANE_GROUP_DRM |
			  LANE_GROUP_DRIVER | LANE_GROUP_FENCE | LANE_GROUP_SCHED |
			  LANE_GROUP_PROCESS,
		.follow_pid = filter->pid,
		.comm = filter->comm,
		.dir_fd = -1,
		.host = &live->host,
		.sink = &live->sink,
	};
	err = start_live(live);
	if (err)
		return lane_error_context(err, "%s", command);
	stream->info = norm_live_info(live->events);
	set_notice(live, stream);
	return NULL;
}

struct lane_error *session_stream_wait(struct session_stream *stream, int timeout_ms,
				       uint64_t *upto_ns)
{
	struct live *live = stream->arg;
	struct lane_error *err = live->backend->poll(live->capture, timeout_ms);
	uint64_t upto = UINT64_MAX;

	for (size_t cpu = 0; cpu < sizeof(live->cpus) / sizeof(live->cpus[0]); cpu++)
		if (live->cpus[cpu].is_there && live->cpus[cpu].horizon_ns < upto)
			upto = live->cpus[cpu].horizon_ns;
	if (upto != UINT64_MAX && upto > live->upto_ns)
		live->upto_ns = upto;
	*upto_ns = live->upto_ns;
	return err;
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
	struct session_source *source = &replay->source;
	struct lane_error *err = session_damage_end(&source->damage);

	if (err)
		fprintf(stderr, "gpulane: %s: %s\n", source->damage.command,
			lane_error_message(err));
	lane_error_free(err);
	if (source->input) {
		session_source_say_endings(source);
		session_source_say_counts(source);
	}
	session_source_close(source);
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
	replay->source.damage = (struct session_damage){ .command = command, .quiet = true };
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
	if (stream->close)
		stream->close(stream->arg);
	timeline_destroy(stream->timeline);
	*stream = (struct session_stream){ .arg = NULL };
}
