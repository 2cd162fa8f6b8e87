// SPDX-License-Identifier: MIT
// The OpenCL layer's events: a session of LTTng's user-space domain beside the kernel's tracers,
// and what a command needs in its environment to have the layer.
#include "capture/ust.h"

#include <fts.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/lttng_session.h"

#define LAYER	  "libgpulane-opencl.so"
#define STATS_NS  250000000u
#define WAIT_VAR  "LTTNG_UST_REGISTER_TIMEOUT"
#define LONG_WAIT "10000"

struct lane_capture {
	struct lane_lttng_session session;
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t polled_ns;
	struct lane_capture_stats stats;
};

static void plan(struct lane_capture *capture)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		struct lane_capture_kind *to = &capture->kinds[kind];

		if (strcmp(lane_kinds[kind].group, "opencl"))
			continue;
		to->recorded = true;
		to->origin = LANE_ORIGIN_LAYER;
		snprintf(to->hook, sizeof(to->hook), "gpulane:%s", lane_kinds[kind].name);
	}
}

static void close_ust(struct lane_capture *capture)
{
	if (!capture)
		return;
	lane_lttng_close(&capture->session);
	free(capture);
}

static struct lane_error *open_ust(const struct lane_capture_config *config,
				   struct lane_capture **capture)
{
	struct lane_capture *new = calloc(1, sizeof(*new));
	struct lane_error *err;

	if (!new)
		return &lane_enomem;
	plan(new);
	/* The daemon adds `ust' to the path itself. */
	err = lane_lttng_create(&new->session, LTTNG_DOMAIN_UST, "gpulane-ust", config->dir_fd, "");
	if (!err)
		err = lane_lttng_channel(&new->session, config->buffer_bytes);
	if (!err)
		err = lane_lttng_context(&new->session, LTTNG_EVENT_CONTEXT_VPID);
	if (!err)
		err = lane_lttng_context(&new->session, LTTNG_EVENT_CONTEXT_VTID);
	if (!err)
		err = lane_lttng_event(&new->session, "gpulane:*");
	if (err) {
		close_ust(new);
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

static void close_fts(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

/* Bytes of the streams so far; there are as many traces as users, and as their programs' word
 * sizes. */
static uint64_t stream_bytes(const struct lane_capture *capture)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(close_fts) FTS *tree = NULL;
	uint64_t bytes = 0;
	FTSENT *entry;

	if (asprintf(&path, "%s/ust", capture->session.path) < 0) {
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

/* LTTng's consumer daemon drains; there is only to look now and then. */
static struct lane_error *poll_ust(struct lane_capture *capture, int timeout_ms)
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
		lane_lttng_read_lost(&capture->session);
		capture->stats.lost = capture->session.lost;
		capture->stats.bytes = stream_bytes(capture);
		capture->polled_ns = now;
	}
	*figures = capture->stats;
	figures->events = LANE_NOT_COUNTED;
}

const struct lane_backend lane_backend_ust = {
	.name = "ust",
	.help = "the OpenCL layer's calls and commands, by LTTng-UST",
	.open = open_ust,
	.kinds = kinds,
	.start = start,
	.poll = poll_ust,
	.stop = stop,
	.stats = stats,
	.close = close_ust,
};

bool lane_ust_is_there(void)
{
	return lttng_session_daemon_alive() == 1;
}

struct lane_error *lane_ust_find_layer(char **path)
{
	static const char *const places[] = { "../lib/gpulane", "." };
	const char *said = getenv("GPULANE_OPENCL_LAYER");
	char program[4096];
	ssize_t n;

	if (said && *said) {
		*path = strdup(said);
		return *path ? NULL : &lane_enomem;
	}
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	while (n > 0 && program[n - 1] != '/')
		n--;
	if (n <= 0)
		return lane_error("the OpenCL layer: where this program is, is not known");
	program[n] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		LANE_CLEANUP(lane_free) char *guess = NULL;

		if (asprintf(&guess, "%s%s/" LAYER, program, places[i]) < 0) {
			guess = NULL;
			return &lane_enomem;
		}
		if (access(guess, R_OK))
			continue;
		*path = realpath(guess, NULL);
		return *path ? NULL : &lane_enomem;
	}
	return lane_error("the OpenCL layer: " LAYER " is neither in ../lib/gpulane nor beside "
			  "this program (make install, or say where by GPULANE_OPENCL_LAYER)");
}

/* Puts value at the end of a list in the environment. */
static bool append(const char *name, const char *value)
{
	LANE_CLEANUP(lane_free) char *list = NULL;
	const char *old = getenv(name);

	if (!old || !*old)
		return !setenv(name, value, 1);
	if (asprintf(&list, "%s:%s", old, value) < 0) {
		list = NULL;
		return false;
	}
	return !setenv(name, list, 1);
}

struct lane_error *lane_ust_environment(const char *layer, bool preload)
{
	if (!append(preload ? "LD_PRELOAD" : "OPENCL_LAYERS", layer) ||
	    setenv(WAIT_VAR, LONG_WAIT, 0))
		return &lane_enomem;
	return NULL;
}
