// SPDX-License-Identifier: MIT
// The lttng backend: a session of LTTng's kernel domain, with our events, written into the
// recording.
#include <errno.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/capture.h"

#define CHANNEL		     "gpulane"
#define DEFAULT_BUFFER_BYTES (4u << 20)
#define SUBBUFFERS	     4
#define STATS_NS	     250000000u

struct lane_capture {
	char session[64];
	char path[PATH_MAX];
	struct lttng_handle *handle;
	bool created;
	bool started;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t polled_ns;
	struct lane_capture_stats stats;
};

static struct lane_error *error(int code, const char *what)
{
	if (code == -LTTNG_ERR_NO_SESSIOND)
		return lane_error(
			"%s: the LTTng session daemon is not running (start lttng-sessiond -d "
			"as root)",
			what);
	return lane_error("%s: %s", what, lttng_strerror(code));
}

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
	int n = lttng_list_tracepoints(capture->handle, &events);

	if (n < 0) {
		events = NULL;
		return n == -LTTNG_ERR_KERN_NA || n == -LTTNG_ERR_KERN_LIST_FAIL
			       ? lane_error(
					 "the kernel tracer is not available (are LTTng's modules "
					 "loaded for this kernel?)")
			       : error(n, "events");
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

static struct lane_error *enable_channel(struct lane_capture *capture, size_t buffer_bytes)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_channel *channel = lttng_channel_create(&domain);
	size_t bytes = buffer_bytes ? buffer_bytes : DEFAULT_BUFFER_BYTES;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t channel_bytes;
	int code;

	if (!channel)
		return &lane_enomem;
	snprintf(channel->name, sizeof(channel->name), CHANNEL);
	channel->attr.overwrite = 0;
	channel->attr.num_subbuf = SUBBUFFERS;
	channel->attr.subbuf_size = bytes / SUBBUFFERS < page ? page : bytes / SUBBUFFERS;
	channel_bytes = channel->attr.subbuf_size * SUBBUFFERS;
	channel->attr.switch_timer_interval = 500000; /* us: what is killed loses half a second */
	code = lttng_enable_channel(capture->handle, channel);
	lttng_channel_destroy(channel);
	capture->stats.buffer_bytes = channel_bytes;
	return code < 0 ? error(code, "channel") : NULL;
}

static struct lane_error *add_context(struct lane_capture *capture,
				      enum lttng_event_context_type type)
{
	struct lttng_event_context context = { .ctx = type };
	int code = lttng_add_context(capture->handle, &context, NULL, CHANNEL);

	return code < 0 ? error(code, "context") : NULL;
}

static struct lane_error *enable_event(struct lane_capture *capture, const char *name)
{
	struct lttng_event *event = lttng_event_create();
	int code;

	if (!event)
		return &lane_enomem;
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	snprintf(event->name, sizeof(event->name), "%s", name);
	code = lttng_enable_event(capture->handle, event, CHANNEL);
	lttng_event_destroy(event);
	return code < 0 ? error(code, name) : NULL;
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

/*
 * A recorder that was killed leaves its session behind in the daemon, and tracing goes on. Its name
 * has the recorder's process in it: when that is gone, so is the session's use.
 */
static void destroy_left_sessions(void)
{
	LANE_CLEANUP(lane_free) struct lttng_session *sessions = NULL;
	int n = lttng_list_sessions(&sessions);

	if (n < 0)
		sessions = NULL;
	for (int i = 0; i < n; i++) {
		char rest;
		int pid;

		if (sscanf(sessions[i].name, "gpulane-%d-%*d%c", &pid, &rest) == 1 && pid > 0 &&
		    kill(pid, 0) && errno == ESRCH)
			lttng_destroy_session(sessions[i].name);
	}
}

static struct lane_error *create(struct lane_capture *capture,
				 const struct lane_capture_config *config)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	char fd_path[32];
	ssize_t n;
	int code;

	destroy_left_sessions();
	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", config->dir_fd);
	n = readlink(fd_path, capture->path, sizeof(capture->path) - sizeof("/lttng"));
	if (n < 0)
		return lane_error_errno(errno, "recording");
	strcpy(capture->path + n, "/lttng");
	snprintf(capture->session, sizeof(capture->session), "gpulane-%d-%lld", getpid(),
		 (long long)time(NULL));
	code = lttng_create_session(capture->session, capture->path);
	if (code < 0)
		return error(code, "session");
	capture->created = true;
	capture->handle = lttng_create_handle(capture->session, &domain);
	if (!capture->handle)
		return &lane_enomem;
	return NULL;
}

static void close_lttng(struct lane_capture *capture)
{
	if (!capture)
		return;
	if (capture->started)
		lttng_stop_tracing(capture->session);
	if (capture->handle)
		lttng_destroy_handle(capture->handle);
	if (capture->created)
		lttng_destroy_session(capture->session);
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
		err = create(new, config);
	if (!err)
		err = plan(new, config);
	if (!err)
		err = enable_channel(new, config->buffer_bytes);
	if (!err)
		err = add_context(new, LTTNG_EVENT_CONTEXT_TID);
	if (!err)
		err = add_context(new, LTTNG_EVENT_CONTEXT_PID);
	for (int kind = 0; kind < LANE_KIND_COUNT && !err; kind++)
		if (new->kinds[kind].recorded)
			err = enable_event(new, lane_kinds[kind].name);
	if (err) {
		close_lttng(new);
		return err;
	}
	*capture = new;
	return NULL;
}

static const struct lane_capture_kind *kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static struct lane_error *start(struct lane_capture *capture)
{
	int code = lttng_start_tracing(capture->session);

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STARTED)
		return error(code, "start");
	capture->started = true;
	return NULL;
}

/* Bytes of the streams so far; LTTng counts no events. */
static uint64_t stream_bytes(const struct lane_capture *capture)
{
	char path[PATH_MAX + 64];
	uint64_t bytes = 0;
	struct stat st;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path), "%s/kernel/" CHANNEL "_%ld", capture->path, cpu);
		if (!stat(path, &st))
			bytes += (uint64_t)st.st_size;
	}
	return bytes;
}

/* What the session daemon says of the channel: events dropped. */
static void read_figures(struct lane_capture *capture)
{
	LANE_CLEANUP(lane_free) struct lttng_channel *channels = NULL;
	int n = lttng_list_channels(capture->handle, &channels);

	if (n < 0)
		channels = NULL;
	for (int i = 0; i < n; i++) {
		uint64_t discarded, lost_packets;

		if (!lttng_channel_get_discarded_event_count(&channels[i], &discarded) &&
		    !lttng_channel_get_lost_packet_count(&channels[i], &lost_packets))
			capture->stats.lost = discarded + lost_packets;
	}
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
	int code = lttng_stop_tracing(capture->session);

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STOPPED)
		return error(code, "stop");
	capture->started = false;
	read_figures(capture);
	code = lttng_destroy_session(capture->session);
	capture->created = false;
	return code < 0 ? error(code, "session") : NULL;
}

static void stats(struct lane_capture *capture, struct lane_capture_stats *figures)
{
	uint64_t now = lane_now_ns();

	if (capture->created && now - capture->polled_ns > STATS_NS) {
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
