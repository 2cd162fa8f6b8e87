// SPDX-License-Identifier: MIT
// gpulane watch's sources: the bpf backend, and a recording.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "capture/driver.h"
#include "capture/privileges.h"
#include "capture/requests.h"
#include "cmd/watch_source.h"
#include "norm/live.h"
#include "session/source.h"

/* A replay is told of the time so often, by its own time. */
#define REPLAY_STEP_NS 50000000u
#define REPLAY_CPUS    8192

/* --- this machine --- */

struct watch_live {
	const struct lane_backend *backend;
	struct lane_capture *capture;
	struct lane_sink sink;
	struct lane_host host;
	struct lane_live *events;
	struct lane_watch *watch;
	struct {
		bool is_there;
		uint64_t horizon_ns;
	} cpus[REPLAY_CPUS];
	uint64_t upto_ns;
};

static struct lane_error *on_record(void *arg, unsigned int cpu, const struct lane_wire *record)
{
	struct watch_live *live = arg;
	struct lane_error *err = norm_live_record(live->events, cpu, record);

	return err ? err : watch_record(live->watch, cpu, record);
}

static struct lane_error *on_lost(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns)
{
	struct watch_live *live = arg;
	struct lane_error *err = norm_live_lost(live->events, cpu, total, at_ns);

	return err ? err : watch_lost(live->watch, cpu, total, at_ns);
}

static struct lane_error *on_horizon(void *arg, unsigned int cpu, uint64_t ns)
{
	struct watch_live *live = arg;

	if (cpu < REPLAY_CPUS) {
		live->cpus[cpu].is_there = true;
		live->cpus[cpu].horizon_ns = ns;
	}
	return watch_horizon(live->watch, cpu, ns);
}

/* What is known of what will be recorded. */
static void fill_info(const struct watch_live *live, struct lane_trace_info *info)
{
	const struct lane_capture_kind *kinds = live->backend->kinds(live->capture);
	struct lane_driver driver;
	int submission;

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

struct lane_error *cmd_watch_open_live(struct watch_source *source,
				       const struct lane_capture_config *config)
{
	struct watch_live *live = source->live = calloc(1, sizeof(*live));
	struct lane_capture_config with_sink = *config;
	const struct lane_capture_kind *kinds;
	struct lane_trace_info info = { 0 };
	struct lane_error *err;
	char why[192];

	if (!live)
		return &lane_enomem;
	source->groups = config->groups;
	live->backend = &lane_backend_bpf;
	capture_host_read(&live->host);
	live->sink = (struct lane_sink){ live, on_record, on_lost, on_horizon };
	with_sink.sink = &live->sink;
	with_sink.host = &live->host;
	with_sink.dir_fd = -1;
	err = live->backend->open(&with_sink, &live->capture);
	if (!err)
		err = capture_drop_privileges(false);
	if (err)
		return err;
	fill_info(live, &info);
	kinds = live->backend->kinds(live->capture);
	if (capture_requests_check(&kinds, 1, config->groups, "", why, sizeof(why)))
		snprintf(source->notice, sizeof(source->notice),
			 "a GPU's requests are not seen: %s (see gpulane doctor)", why);
	err = norm_live_create(&info, &live->events);
	if (!err)
		source->info = norm_live_info(live->events);
	return err;
}

static struct lane_error *live_round(struct watch_live *live)
{
	struct lane_error *err = live->backend->poll(live->capture, 0);
	const struct lane_event *event;
	uint64_t upto_ns = UINT64_MAX;

	for (size_t cpu = 0; cpu < REPLAY_CPUS; cpu++)
		if (live->cpus[cpu].is_there && live->cpus[cpu].horizon_ns < upto_ns)
			upto_ns = live->cpus[cpu].horizon_ns;
	if (upto_ns != UINT64_MAX && upto_ns > live->upto_ns)
		live->upto_ns = upto_ns;
	while (!err) {
		err = norm_live_next(live->events, live->upto_ns, &event);
		if (err || !event)
			break;
		err = watch_event(live->watch, event);
	}
	if (err)
		return err;
	/* The clock of the day may have been set meanwhile, and the machine may have slept. */
	capture_host_read(&live->host);
	return watch_advance(live->watch, live->upto_ns, live->host.epoch_offset_ns);
}

/* --- a recording --- */

struct watch_replay {
	struct session_source source;
	struct lane_watch *watch;
	struct lane_host host;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t step_ns; /* when the time is told next */
	uint64_t lost[REPLAY_CPUS];
	bool is_there[REPLAY_CPUS];
};

struct lane_error *cmd_watch_open_recording(struct watch_source *source, const char *path)
{
	struct watch_replay *replay = source->replay = calloc(1, sizeof(*replay));
	const struct lane_place place = { .path = path };
	struct lane_error *err;

	if (!replay)
		return &lane_enomem;
	replay->source.damage.command = "watch";
	err = session_source_open(&replay->source, &place, 1);
	if (err)
		return err;
	source->info = norm_input_info(replay->source.input);
	source->groups = UINT32_MAX;
	snprintf(replay->host.name, sizeof(replay->host.name), "%s", source->info->host);
	snprintf(replay->host.release, sizeof(replay->host.release), "%s", source->info->release);
	snprintf(replay->host.boot_id, sizeof(replay->host.boot_id), "%s",
		 source->info->clock_uuid);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		replay->kinds[kind].recorded = source->info->presence[kind] != LANE_PRESENCE_ABSENT;
		replay->kinds[kind].origin = LANE_ORIGIN_UNKNOWN;
	}
	return NULL;
}

/* All that is older has been given out, of every CPU. */
static struct lane_error *replay_step(struct watch_replay *replay, uint64_t ns)
{
	struct lane_error *err = NULL;

	replay->step_ns = ns + REPLAY_STEP_NS;
	for (unsigned int cpu = 0; cpu < REPLAY_CPUS && !err; cpu++) {
		if (!replay->is_there[cpu])
			continue;
		err = watch_lost(replay->watch, cpu, replay->lost[cpu], ns);
		if (!err)
			err = watch_horizon(replay->watch, cpu, ns);
	}
	return err ? err
		   : watch_advance(replay->watch, ns,
				   norm_input_info(replay->source.input)->epoch_offset_ns);
}

static struct lane_error *replay_event(struct watch_replay *replay, const struct lane_event *event)
{
	unsigned int cpu =
		event->cpu >= 0 && event->cpu < REPLAY_CPUS ? (unsigned int)event->cpu : 0;
	struct lane_error *err = NULL;

	if (event->wire.kind == LANE_LOST) {
		int32_t of = event->u.gpulane_lost.lost_cpu;

		cpu = of >= 0 && of < REPLAY_CPUS ? (unsigned int)of : 0;
		replay->lost[cpu] += event->u.gpulane_lost.count ? event->u.gpulane_lost.count : 1;
	} else if (!lane_is_derived(event->wire.kind)) {
		err = watch_record(replay->watch, cpu, &event->wire);
	}
	replay->is_there[cpu] = true;
	return err ? err : watch_event(replay->watch, event);
}

static struct lane_error *replay_round(struct watch_replay *replay, bool *ended)
{
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = session_source_next(&replay->source, &event);
		if (err)
			return err;
		*ended = !event;
		if (!event)
			return replay_step(replay, replay->step_ns);
		err = replay_event(replay, event);
		if (err)
			return err;
		if (event->wire.ts_ns >= replay->step_ns)
			return replay_step(replay, event->wire.ts_ns);
	}
}

/* --- either --- */

struct lane_error *cmd_watch_start(struct watch_source *source, struct lane_watch *watch)
{
	if (source->replay) {
		source->replay->watch = watch;
		return NULL;
	}
	source->live->watch = watch;
	return source->live->backend->start(source->live->capture);
}

struct lane_error *cmd_watch_round(struct watch_source *source, bool *ended)
{
	*ended = false;
	return source->replay ? replay_round(source->replay, ended) : live_round(source->live);
}

const struct lane_capture_kind *cmd_watch_kinds(const struct watch_source *source)
{
	return source->replay ? source->replay->kinds
			      : source->live->backend->kinds(source->live->capture);
}

const struct lane_host *cmd_watch_host(const struct watch_source *source)
{
	return source->replay ? &source->replay->host : &source->live->host;
}

static void close_live(struct watch_live *live)
{
	if (!live)
		return;
	/* What is still in the buffers is nobody's any more. */
	live->backend->close(live->capture);
	norm_live_destroy(live->events);
	free(live);
}

static void close_replay(struct watch_replay *replay)
{
	struct lane_error *err;

	if (!replay)
		return;
	err = session_damage_end(&replay->source.damage);
	if (err)
		fprintf(stderr, "gpulane: watch: %s\n", lane_error_message(err));
	lane_error_free(err);
	session_source_say_endings(&replay->source);
	session_source_say_counts(&replay->source);
	session_source_close(&replay->source);
	free(replay);
}

void cmd_watch_close(struct watch_source *source)
{
	close_live(source->live);
	close_replay(source->replay);
	source->live = NULL;
	source->replay = NULL;
}
