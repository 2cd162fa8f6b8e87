// SPDX-License-Identifier: MIT
// The events of the running machine while they happen: the bpf backend, without a recording.
#include "session/running.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plural.h"
#include "capture/driver.h"
#include "capture/gpu_limits.h"
#include "capture/privileges.h"
#include "capture/requests.h"
#include "norm/live.h"

#define MAX_CPUS 8192

struct session_running {
	const struct lane_backend *backend;
	struct lane_capture *capture;
	struct lane_capture_config config;
	struct lane_sink sink, also;
	struct lane_host host;
	struct lane_live *events;
	struct {
		bool is_there;
		uint64_t horizon_ns;
	} cpus[MAX_CPUS];
	uint64_t upto_ns;
};

static struct lane_error *on_record(void *arg, unsigned int cpu, const struct lane_wire *record)
{
	struct session_running *running = arg;
	struct lane_error *err = norm_live_record(running->events, cpu, record);

	if (err || !running->also.record)
		return err;
	return running->also.record(running->also.arg, cpu, record);
}

static struct lane_error *on_lost(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns)
{
	struct session_running *running = arg;
	struct lane_error *err = norm_live_lost(running->events, cpu, total, at_ns);

	if (err || !running->also.lost)
		return err;
	return running->also.lost(running->also.arg, cpu, total, at_ns);
}

static struct lane_error *on_horizon(void *arg, unsigned int cpu, uint64_t ns)
{
	struct session_running *running = arg;

	if (cpu < MAX_CPUS) {
		running->cpus[cpu].is_there = true;
		running->cpus[cpu].horizon_ns = ns;
	}
	return running->also.horizon ? running->also.horizon(running->also.arg, cpu, ns) : NULL;
}

void session_running_dumps(char *dumps, size_t size)
{
	struct lane_limits limits;

	capture_limits_read("", &limits);
	snprintf(dumps, size, "%s", limits.dumps);
}

/* What is known of what will be recorded. */
static void fill_info(const struct session_running *running, struct lane_trace_info *info)
{
	const struct lane_capture_kind *kinds = session_running_kinds(running);
	struct lane_driver driver;
	int submission;

	snprintf(info->host, sizeof(info->host), "%s", running->host.name);
	snprintf(info->release, sizeof(info->release), "%s", running->host.release);
	snprintf(info->clock_uuid, sizeof(info->clock_uuid), "%s", running->host.boot_id);
	snprintf(info->tracer, sizeof(info->tracer), "%s", running->backend->name);
	info->epoch_offset_ns = running->host.epoch_offset_ns;
	info->begin_ns = capture_now_ns();
	capture_limits_read("", &info->limits);
	capture_driver_read("", &driver);
	submission = decode_submission_by_name(driver.submission);
	if (submission >= 0)
		info->submission = (enum lane_submission)submission;
	info->follows_some = running->config.follow_pid || running->config.comm;
	info->followed_pid = running->config.comm ? 0 : running->config.follow_pid;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		info->presence[kind] =
			kinds[kind].recorded ? LANE_PRESENCE_RECORDED : LANE_PRESENCE_ABSENT;
}

struct lane_error *session_running_open(const struct lane_capture_config *config,
					const struct lane_sink *also,
					struct session_running **opened)
{
	struct session_running *running = *opened = calloc(1, sizeof(*running));
	const struct lane_capture_kind *frames;
	struct lane_trace_info info = { 0 };
	struct lane_error *err;

	if (!running)
		return &lane_enomem;
	running->backend = &lane_backend_bpf;
	capture_host_read(&running->host);
	running->sink = (struct lane_sink){ running, on_record, on_lost, on_horizon };
	if (also)
		running->also = *also;
	running->config = *config;
	running->config.sink = &running->sink;
	running->config.host = &running->host;
	running->config.dir_fd = -1;
	err = running->backend->open(&running->config, &running->capture);
	if (!err)
		err = capture_drop_privileges(false, false);
	if (err)
		return err;
	frames = &session_running_kinds(running)[LANE_FRAME];
	if (config->groups & LANE_GROUP_FRAME && !frames->recorded)
		return lane_error("frames cannot be seen: %s", frames->missing);
	fill_info(running, &info);
	return norm_live_create(&info, &running->events);
}

const struct lane_trace_info *session_running_info(const struct session_running *running)
{
	return norm_live_info(running->events);
}

const struct lane_host *session_running_host(const struct session_running *running)
{
	return &running->host;
}

const struct lane_capture_kind *session_running_kinds(const struct session_running *running)
{
	return running->backend->kinds(running->capture);
}

bool session_running_sees_requests(const struct session_running *running, char *why, size_t size)
{
	const struct lane_capture_kind *kinds = session_running_kinds(running);

	return !capture_requests_check(&kinds, 1, running->config.groups, "", why, size);
}

struct lane_error *session_running_start(struct session_running *running)
{
	return running->backend->start(running->capture);
}

struct lane_error *session_running_wait(struct session_running *running, int timeout_ms,
					uint64_t *upto_ns)
{
	struct lane_error *err = running->backend->poll(running->capture, timeout_ms);
	uint64_t upto = UINT64_MAX;

	for (size_t cpu = 0; cpu < MAX_CPUS; cpu++)
		if (running->cpus[cpu].is_there && running->cpus[cpu].horizon_ns < upto)
			upto = running->cpus[cpu].horizon_ns;
	if (upto != UINT64_MAX && upto > running->upto_ns)
		running->upto_ns = upto;
	*upto_ns = running->upto_ns;
	return err;
}

struct lane_error *session_running_next(struct session_running *running, uint64_t upto_ns,
					const struct lane_event **event)
{
	return norm_live_next(running->events, upto_ns, event);
}

void session_running_say_counts(const struct session_running *running, const char *command)
{
	uint64_t lost, moved;

	norm_live_counts(running->events, &lost, &moved);
	if (moved)
		fprintf(stderr,
			"gpulane: %s: %" PRIu64
			" event%s came behind later ones and got their time\n",
			command, moved, lane_s(moved));
}

void session_running_close(struct session_running *running)
{
	if (!running)
		return;
	running->backend->close(running->capture);
	norm_live_destroy(running->events);
	free(running);
}
