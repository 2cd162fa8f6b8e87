// SPDX-License-Identifier: MIT
// The lttng and ust backends: a session of one of LTTng's domains, the kernel's or that of
// programs, with our events, written into the recording.
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/capture.h"
#include "capture/lttng_session.h"

#define STATS_NS 250000000u

/* What the two domains do not have in common. */
struct domain {
	enum lttng_domain_type type;
	const char *prefix;  /* of the session's name */
	const char *below;   /* of the recording: where the session writes */
	const char *streams; /* below that, the directory that the daemon adds itself */
	enum lttng_event_context_type contexts[2];
	const char *pattern; /* the events to enable; NULL: those that plan has found, by name */
	/* Refuses what the domain cannot do; NULL: nothing of it is asked for here. */
	struct lane_error *(*check)(const struct lane_capture_config *config);
	/* Finds out which kinds will be recorded; the session is there, without events. */
	struct lane_error *(*plan)(struct lane_capture *capture,
				   const struct lane_capture_config *config);
};

struct lane_capture {
	const struct domain *domain;
	struct lane_lttng_session session;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t polled_ns;
	uint64_t looked_ns;
	int dir_fd; /* the recording */
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
	else if (lane_is_drm((unsigned int)number))
		snprintf(kind->missing, sizeof(kind->missing), "%s",
			 access("/sys/module/lttng_probe_drm_sched", F_OK)
				 ? "lttng-probe-drm-sched is not loaded (modprobe "
				   "lttng-probe-drm-sched)"
				 : "lttng-probe-drm-sched does not provide it");
	else if (lane_is_driver((unsigned int)number))
		snprintf(
			kind->missing, sizeof(kind->missing),
			"LTTng has no probe for drivers' own events: the bpf backend records them");
	else
		snprintf(kind->missing, sizeof(kind->missing), "LTTng has no probe for it");
}

/* Finds out which events of the table LTTng has, of the groups asked for. */
static struct lane_error *plan_kernel(struct lane_capture *capture,
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
			       : capture_lttng_error(n, "events");
	}
	read_sources(sources, sizeof(sources));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		struct lane_capture_kind *to = &capture->kinds[kind];

		if (!(config->groups & capture_group_by_name(lane_kinds[kind].group)))
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
static struct lane_error *check_kernel(const struct lane_capture_config *config)
{
	if (config->follow_pid || config->comm || config->n_engines)
		return lane_error_usage(
			"--follow, --pid, --comm and --engine are not in LTTng's power "
			"(use --backend bpf)");
	return NULL;
}

/* The layer has all of its events: the daemon need not be asked. */
static struct lane_error *plan_ust(struct lane_capture *capture,
				   const struct lane_capture_config *config)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		struct lane_capture_kind *to = &capture->kinds[kind];
		bool is_range = kind == LANE_RANGE || kind == LANE_RANGE_END;

		if (strcmp(lane_kinds[kind].group, "opencl") && !(is_range && config->has_ranges))
			continue;
		to->recorded = true;
		to->origin = LANE_ORIGIN_LAYER;
		snprintf(to->hook, sizeof(to->hook), "gpulane:%s", lane_kinds[kind].name);
	}
	return NULL;
}

static const struct domain kernel = {
	.type = LTTNG_DOMAIN_KERNEL,
	.prefix = "gpulane",
	.below = "lttng",
	.streams = "kernel",
	.contexts = { LTTNG_EVENT_CONTEXT_TID, LTTNG_EVENT_CONTEXT_PID },
	.check = check_kernel,
	.plan = plan_kernel,
};

static const struct domain ust = {
	.type = LTTNG_DOMAIN_UST,
	.prefix = "gpulane-ust",
	.below = "",
	.streams = "ust",
	.contexts = { LTTNG_EVENT_CONTEXT_VPID, LTTNG_EVENT_CONTEXT_VTID },
	.pattern = "gpulane:*",
	.plan = plan_ust,
};

static void close_session(struct lane_capture *capture)
{
	if (!capture)
		return;
	capture_lttng_close(&capture->session);
	free(capture);
}

static struct lane_error *enable_events(struct lane_capture *capture)
{
	struct lane_error *err = NULL;

	if (capture->domain->pattern)
		return capture_lttng_event(&capture->session, capture->domain->pattern);
	for (int kind = 0; kind < LANE_KIND_COUNT && !err; kind++)
		if (capture->kinds[kind].recorded)
			err = capture_lttng_event(&capture->session, lane_kinds[kind].name);
	return err;
}

static struct lane_error *open_session(const struct domain *domain,
				       const struct lane_capture_config *config,
				       struct lane_capture **capture)
{
	struct lane_capture *new = calloc(1, sizeof(*new));
	struct lane_lttng_asking asking;
	struct lane_error *err;

	if (!new)
		return &lane_enomem;
	new->domain = domain;
	new->dir_fd = config->dir_fd;
	capture_lttng_ask(&asking);
	err = domain->check ? domain->check(config) : NULL;
	if (!err)
		err = capture_lttng_create(&new->session, domain->type, domain->prefix,
					   config->dir_fd, domain->below);
	if (!err)
		err = domain->plan(new, config);
	if (!err)
		err = capture_lttng_channel(&new->session, config->buffer_bytes);
	for (size_t i = 0; i < sizeof(domain->contexts) / sizeof(domain->contexts[0]) && !err; i++)
		err = capture_lttng_context(&new->session, domain->contexts[i]);
	if (!err)
		err = enable_events(new);
	capture_lttng_answered(&asking);
	if (err) {
		close_session(new);
		return err;
	}
	new->stats.buffer_bytes = new->session.buffer_bytes;
	*capture = new;
	return NULL;
}

static struct lane_error *open_kernel(const struct lane_capture_config *config,
				      struct lane_capture **capture)
{
	return open_session(&kernel, config, capture);
}

static struct lane_error *open_ust(const struct lane_capture_config *config,
				   struct lane_capture **capture)
{
	return open_session(&ust, config, capture);
}

static const struct lane_capture_kind *lttng_kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static struct lane_error *lttng_start(struct lane_capture *capture)
{
	struct lane_lttng_asking asking;
	struct lane_error *err;

	capture_lttng_ask(&asking);
	err = capture_lttng_start(&capture->session);
	capture_lttng_answered(&asking);
	return err;
}

static void close_fts(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

/*
 * Bytes of the streams so far. The kernel has one trace, programs as many as there are users and,
 * of each user's, word sizes.
 */
static uint64_t stream_bytes(const struct lane_capture *capture)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(close_fts) FTS *tree = NULL;
	uint64_t bytes = 0;
	FTSENT *entry;

	if (asprintf(&path, "%s/%s", capture->session.path, capture->domain->streams) < 0) {
		path = NULL;
		return 0;
	}
	tree = fts_open((char *const[]){ path, NULL }, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_F && !strncmp(entry->fts_name, "gpulane_", 8) &&
		    !strstr(entry->fts_name, ".idx"))
			bytes += (uint64_t)entry->fts_statp->st_size;
	return bytes;
}

/* What is known of the session: events dropped, bytes written; LTTng counts no events. */
static void take_figures(struct lane_capture *capture)
{
	capture->stats.lost = capture->session.lost;
	capture->stats.bytes = stream_bytes(capture);
}

/*
 * A full disk: LTTng's consumer says so to nobody, and drops what comes. What is reserved for root
 * is there for root's daemon alone.
 */
static struct lane_error *check_disk(const struct lane_capture *capture)
{
	struct statvfs disk;

	if (fstatvfs(capture->dir_fd, &disk) || (geteuid() ? disk.f_bavail : disk.f_bfree))
		return NULL;
	return lane_error_errno(ENOSPC, "%s",
				capture->domain->below[0] ? capture->domain->below
							  : capture->domain->streams);
}

/* LTTng's consumer daemon drains; there is only to look now and then. */
static struct lane_error *poll_session(struct lane_capture *capture, int timeout_ms)
{
	const struct timespec wait = { .tv_sec = timeout_ms / 1000,
				       .tv_nsec = timeout_ms % 1000 * 1000000l };
	uint64_t now = capture_now_ns();
	struct lane_error *err;

	if (timeout_ms)
		nanosleep(&wait, NULL);
	if (now - capture->looked_ns < STATS_NS)
		return NULL;
	capture->looked_ns = now;
	err = capture_lttng_alive(&capture->session);
	if (!err)
		err = check_disk(capture);
	return err;
}

static struct lane_error *lttng_stop(struct lane_capture *capture)
{
	struct lane_error *err = capture_lttng_stop(&capture->session);

	take_figures(capture);
	return err;
}

static void lttng_stats(struct lane_capture *capture, struct lane_capture_stats *figures)
{
	uint64_t now = capture_now_ns();

	if (capture->session.created && now - capture->polled_ns > STATS_NS) {
		capture_lttng_read_lost(&capture->session);
		take_figures(capture);
		capture->polled_ns = now;
	}
	*figures = capture->stats;
	figures->events = LANE_NOT_COUNTED;
}

const struct lane_backend lane_backend_lttng = {
	.name = "lttng",
	.help = "LTTng's kernel tracer with our probe module lttng-probe-i915",
	.open = open_kernel,
	.kinds = lttng_kinds,
	.start = lttng_start,
	.poll = poll_session,
	.stop = lttng_stop,
	.stats = lttng_stats,
	.close = close_session,
};

const struct lane_backend lane_backend_ust = {
	.name = "ust",
	.help = "the OpenCL layer's calls and commands, by LTTng-UST",
	.open = open_ust,
	.kinds = lttng_kinds,
	.start = lttng_start,
	.poll = poll_session,
	.stop = lttng_stop,
	.stats = lttng_stats,
	.close = close_session,
};
