// SPDX-License-Identifier: MIT
// The lttng backend: a session of LTTng's kernel domain, with our events, written into the
// recording.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/capture.h"
#include "capture/lttng_session.h"

#define STATS_NS 250000000u

struct lane_capture {
	struct lane_lttng_session session;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t polled_ns;
	struct lane_capture_stats stats;
};

/*
 * How our probe module comes by an event: `sources` lists `event=tracepoint`, `event=function:NAME`
 * or `event=missing`. Empty when the module is not loaded.
 */
static void read_sources(char *text, size_t bytes)
{
	LANE_CLEANUP(lane_fclose)
	FILE *from = fopen("/sys/module/lttng_probe_i915/parameters/sources", "re");
	size_t n = from ? fread(text, 1, bytes - 1, from) : 0;

	text[n] = 0;
}

static void apply_source(struct lane_capture_kind *kind, const char *name, const char *sources)
{
	size_t length = strlen(name);
	const char *at = sources;

	kind->origin = LANE_ORIGIN_TRACEPOINT;
	snprintf(kind->hook, sizeof(kind->hook), "%s", name);
	while ((at = strstr(at, name))) {
		if ((at == sources || strchr(" ,\n", at[-1])) && at[length] == '=')
			break;
		at += length;
	}
	if (!at)
		return;
	at += length + 1;
	if (!strncmp(at, "function:", 9)) {
		size_t n = strcspn(at + 9, " ,\n");

		kind->origin = LANE_ORIGIN_FUNCTION;
		snprintf(kind->hook, sizeof(kind->hook), "%.*s", (int)n, at + 9);
	} else if (!strncmp(at, "missing", 7)) {
		kind->recorded = false;
		kind->hook[0] = 0;
		snprintf(kind->missing, sizeof(kind->missing),
			 "this i915 has neither the tracepoint nor a function to hook");
	}
}

static void set_missing(struct lane_capture_kind *kind, int number)
{
	const char *group = lane_kinds[number].group;

	if (!strcmp(group, "i915") || !strcmp(group, "context"))
		snprintf(kind->missing, sizeof(kind->missing), "%s",
			 access("/sys/module/lttng_probe_i915", F_OK)
				 ? "lttng-probe-i915 is not loaded (modprobe lttng-probe-i915)"
				 : "lttng-probe-i915 does not provide it");
	else
		snprintf(kind->missing, sizeof(kind->missing), "LTTng has no probe for it");
}

/* Finds out which events of the table LTTng has, of the groups asked for. */
static struct lane_error *plan(struct lane_capture *capture,
			       const struct lane_capture_config *config)
{
	LANE_CLEANUP(lane_free) struct lttng_event *events = NULL;
	char sources[4096];
	int n = lttng_list_tracepoints(capture->session.handle, &events);

	if (n < 0) {
		events = NULL;
		return n == -LTTNG_ERR_KERN_NA || n == -LTTNG_ERR_KERN_LIST_FAIL
			       ? lane_error(
					 "the kernel tracer is not available (are LTTng's modules "
					 "loaded for this kernel?)")
			       : lane_lttng_error(n, "events");
	}
	read_sources(sources, sizeof(sources));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		struct lane_capture_kind *to = &capture->kinds[kind];

		if (!(config->groups & lane_group_by_name(lane_kinds[kind].group)))
			continue;
		for (int i = 0; i < n && !to->recorded; i++)
			to->recorded = !strcmp(events[i].name, lane_kinds[kind].name);
		if (to->recorded)
			apply_source(to, lane_kinds[kind].name, sources);
		else
			set_missing(to, kind);
	}
	if (capture->kinds[LANE_STATEDUMP].recorded)
		capture->kinds[LANE_STATEDUMP].origin = LANE_ORIGIN_SNAPSHOT;
	return NULL;
}

/* LTTng's trackers know neither descendants nor engines, and requests are run by kernel threads. */
static struct lane_error *check_filters(const struct lane_capture_config *config)
{
	if (config->follow_pid || config->comm || config->n_engines)
		return lane_error_usage(
			"--follow, --pid, --comm and --engine are not in LTTng's power "
			"(use --backend bpf)");
	return NULL;
}

static void close_lttng(struct lane_capture *capture)
{
	if (!capture)
		return;
	lane_lttng_close(&capture->session);
	free(capture);
}

static struct lane_error *open_lttng(const struct lane_capture_config *config,
				     struct lane_capture **capture)
{
	struct lane_capture *new = calloc(1, sizeof(*new));
	struct lane_error *err;

	if (!new)
		return &lane_enomem;
	err = check_filters(config);
	if (!err)
		err = lane_lttng_create(&new->session, LTTNG_DOMAIN_KERNEL, "gpulane",
					config->dir_fd, "lttng");
	if (!err)
		err = plan(new, config);
	if (!err)
		err = lane_lttng_channel(&new->session, config->buffer_bytes);
	if (!err)
		err = lane_lttng_context(&new->session, LTTNG_EVENT_CONTEXT_TID);
	if (!err)
		err = lane_lttng_context(&new->session, LTTNG_EVENT_CONTEXT_PID);
	for (int kind = 0; kind < LANE_KIND_COUNT && !err; kind++)
		if (new->kinds[kind].recorded)
			err = lane_lttng_event(&new->session, lane_kinds[kind].name);
	if (err) {
		close_lttng(new);
		return err;
	}
	new->stats.buffer_bytes = new->session.buffer_bytes;
	*capture = new;
	return NULL;
}

static const struct lane_capture_kind *kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static struct lane_error *start(struct lane_capture *capture)
{
	return lane_lttng_start(&capture->session);
}

/* Bytes of the streams so far; LTTng counts no events. */
static uint64_t stream_bytes(const struct lane_capture *capture)
{
	char path[PATH_MAX + 64];
	uint64_t bytes = 0;
	struct stat st;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path), "%s/kernel/gpulane_%ld", capture->session.path, cpu);
		if (!stat(path, &st))
			bytes += (uint64_t)st.st_size;
	}
	return bytes;
}

/* What the session daemon says of the channel: events dropped. */
static void read_figures(struct lane_capture *capture)
{
	lane_lttng_read_lost(&capture->session);
	capture->stats.lost = capture->session.lost;
	capture->stats.bytes = stream_bytes(capture);
}

/* LTTng's consumer daemon drains; there is only to look now and then. */
static struct lane_error *poll_lttng(struct lane_capture *capture, int timeout_ms)
{
	const struct timespec wait = { .tv_sec = timeout_ms / 1000,
				       .tv_nsec = timeout_ms % 1000 * 1000000l };

	if (timeout_ms)
		nanosleep(&wait, NULL);
	(void)capture;
	return NULL;
}

static struct lane_error *stop(struct lane_capture *capture)
{
	struct lane_error *err = lane_lttng_stop(&capture->session);

	capture->stats.lost = capture->session.lost;
	capture->stats.bytes = stream_bytes(capture);
	return err;
}

static void stats(struct lane_capture *capture, struct lane_capture_stats *figures)
{
	uint64_t now = lane_now_ns();

	if (capture->session.created && now - capture->polled_ns > STATS_NS) {
		read_figures(capture);
		capture->polled_ns = now;
	}
	*figures = capture->stats;
	figures->events = LANE_NOT_COUNTED;
}

const struct lane_backend lane_backend_lttng = {
	.name = "lttng",
	.help = "LTTng's kernel tracer with our probe module lttng-probe-i915",
	.open = open_lttng,
	.kinds = kinds,
	.start = start,
	.poll = poll_lttng,
	.stop = stop,
	.stats = stats,
	.close = close_lttng,
};
