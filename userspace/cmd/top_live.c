// SPDX-License-Identifier: MIT
// gpulane top's sources: the bpf backend without a recording, and a recording.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/capture.h"
#include "capture/driver.h"
#include "capture/requests.h"
#include "cmd/damage.h"
#include "cmd/privileges.h"
#include "cmd/top.h"
#include "norm/live.h"

struct live {
	const struct lane_backend *backend;
	struct lane_capture *capture;
	struct lane_capture_config config;
	struct lane_sink sink;
	struct lane_host host;
	struct lane_live *events;
	struct {
		bool there;
		uint64_t horizon_ns;
	} cpus[4096];
	uint64_t upto_ns;
	bool started;
};

static struct lane_error *on_record(void *arg, unsigned int cpu, const struct lane_wire *record)
{
	return lane_live_record(((struct live *)arg)->events, cpu, record);
}

static struct lane_error *on_lost(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns)
{
	return lane_live_lost(((struct live *)arg)->events, cpu, total, at_ns);
}

static struct lane_error *on_horizon(void *arg, unsigned int cpu, uint64_t ns)
{
	struct live *live = arg;

	if (cpu < sizeof(live->cpus) / sizeof(live->cpus[0])) {
		live->cpus[cpu].there = true;
		live->cpus[cpu].horizon_ns = ns;
	}
	return NULL;
}

static struct lane_error *wait_live(void *arg, int timeout_ms, uint64_t *upto_ns)
{
	struct live *live = arg;
	struct lane_error *err = live->backend->poll(live->capture, timeout_ms);
	uint64_t upto = UINT64_MAX;

	for (size_t cpu = 0; cpu < sizeof(live->cpus) / sizeof(live->cpus[0]); cpu++)
		if (live->cpus[cpu].there && live->cpus[cpu].horizon_ns < upto)
			upto = live->cpus[cpu].horizon_ns;
	if (upto != UINT64_MAX && upto > live->upto_ns)
		live->upto_ns = upto;
	*upto_ns = live->upto_ns;
	return err;
}

static struct lane_error *next_live(void *arg, uint64_t upto_ns, const struct lane_event **event,
				    bool *ended)
{
	*ended = false;
	return lane_live_next(((struct live *)arg)->events, upto_ns, event);
}

static void close_live(void *arg)
{
	struct live *live = arg;

	if (live->started)
		lane_error_free(live->backend->stop(live->capture));
	live->backend->close(live->capture);
	lane_live_destroy(live->events);
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
	info->begin_ns = lane_now_ns();
	lane_driver_read("", &driver);
	submission = lane_submission_by_name(driver.submission);
	if (submission >= 0)
		info->submission = (enum lane_submission)submission;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		info->presence[kind] =
			kinds[kind].recorded ? LANE_PRESENCE_RECORDED : LANE_PRESENCE_ABSENT;
}

/* Says what the picture will lack: without a GPU its tables stay empty. */
static void set_notice(const struct live *live, struct lane_top_source *source)
{
	const struct lane_capture_kind *kinds = live->backend->kinds(live->capture);
	char why[192];

	if (lane_requests_check(&kinds, 1, live->config.groups, "", why, sizeof(why)))
		snprintf(source->notice, sizeof(source->notice),
			 "no GPU to show: %s (see gpulane doctor)", why);
}

static struct lane_error *start_live(struct live *live)
{
	struct lane_trace_info info;
	struct lane_error *err;

	err = live->backend->open(&live->config, &live->capture);
	if (!err)
		err = lane_drop_privileges(false);
	if (err)
		return err;
	fill_info(live, &info);
	err = lane_live_create(&info, &live->events);
	if (!err)
		err = live->backend->start(live->capture);
	live->started = !err;
	return err;
}

struct lane_error *lane_top_open_live(const struct lane_top_filter *filter,
				      struct lane_top_source *source)
{
	struct live *live = calloc(1, sizeof(*live));
	struct lane_error *err;

	if (!live)
		return &lane_enomem;
	live->backend = &lane_backend_bpf;
	lane_host_read(&live->host);
	live->sink = (struct lane_sink){ live, on_record, on_lost, on_horizon };
	live->config = (struct lane_capture_config){
		.groups = LANE_GROUP_I915 | LANE_GROUP_CONTEXT | LANE_GROUP_DRM | LANE_GROUP_FENCE |
			  LANE_GROUP_SCHED | LANE_GROUP_PROCESS,
		.follow_pid = filter->pid,
		.comm = filter->comm,
		.dir_fd = -1,
		.host = &live->host,
		.sink = &live->sink,
	};
	err = start_live(live);
	if (err) {
		close_live(live);
		return lane_error_context(err, "top");
	}
	*source = (struct lane_top_source){ .arg = live,
					    .live = true,
					    .info = lane_live_info(live->events),
					    .wait = wait_live,
					    .next = next_live,
					    .close = close_live };
	set_notice(live, source);
	return NULL;
}

/* --- a recording --- */

struct replay {
	struct lane_input *input;
	struct lane_damage damage;
	const struct lane_event *ahead; /* read, not yet handed out */
	bool ended;
};

static struct lane_error *next_replay(void *arg, uint64_t upto_ns, const struct lane_event **event,
				      bool *ended)
{
	struct replay *replay = arg;
	struct lane_error *err;

	*event = NULL;
	while (!replay->ahead && !replay->ended) {
		err = lane_input_next(replay->input, &replay->ahead);
		if (err)
			err = lane_damage_take(&replay->damage, err);
		else
			replay->ended = !replay->ahead;
		if (err)
			return err;
	}
	*ended = replay->ended;
	if (replay->ahead && replay->ahead->wire.ts_ns <= upto_ns)
		*event = LANE_TAKE(replay->ahead);
	return NULL;
}

static void close_replay(void *arg)
{
	struct replay *replay = arg;
	struct lane_error *err = lane_damage_end(&replay->damage);

	/* The screen is the terminal's again. */
	if (err)
		fprintf(stderr, "gpulane: top: %s\n", lane_error_message(err));
	lane_error_free(err);
	lane_say_endings(replay->input, 1, "top");
	lane_say_counts(replay->input, "top");
	lane_input_close(replay->input);
	free(replay);
}

struct lane_error *lane_top_open_recording(const struct lane_place *place,
					   struct lane_top_source *source)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct lane_error *err;

	if (!replay)
		return &lane_enomem;
	replay->damage = (struct lane_damage){ .command = "top", .quiet = true };
	err = lane_input_open_places(place, 1, LANE_PREFER_BPF, &replay->input);
	if (err) {
		free(replay);
		return err;
	}
	*source = (struct lane_top_source){ .arg = replay,
					    .info = lane_input_info(replay->input),
					    .next = next_replay,
					    .close = close_replay };
	return NULL;
}
