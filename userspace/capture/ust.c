// SPDX-License-Identifier: MIT
// The layers for OpenCL and Level Zero: where they are, and what a command needs in its environment
// to have them.
#include "capture/ust.h"

#include <dlfcn.h>
#include <errno.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/place.h"

#define LAYER "libgpulane-opencl.so"
/* Beside the other layer, in a folder of its own: the name is that of the Level Zero loader's
 * tracing layer. */
#define ZE_FOLDER "levelzero"
#define ZE_LAYER  "libze_tracing_layer.so.1"
#define ZE_VAR	  "ZE_ENABLE_TRACING_LAYER"
/* Beside the layer, too: what ITT and NVTX load by these variables. */
#define RANGES	  "libgpulane-ranges.so"
#define ITT_VAR	  "INTEL_LIBITTNOTIFY64"
#define NVTX_VAR  "NVTX_INJECTION64_PATH"
#define WAIT_VAR  "LTTNG_UST_REGISTER_TIMEOUT"
#define LONG_WAIT "10000"

bool capture_ust_is_there(void)
{
	return lttng_session_daemon_alive() == 1;
}

struct lane_error *capture_ust_find_layer(char **path)
{
	static const char *const places[] = { "../lib/gpulane", "." };
	const char *said = getenv("GPULANE_OPENCL_LAYER");
	LANE_CLEANUP(lane_free) char *found = NULL;
	struct lane_error *err;

	if (said && *said) {
		*path = strdup(said);
		return *path ? NULL : &lane_enomem;
	}
	err = lane_place_find(places, sizeof(places) / sizeof(places[0]), LAYER, &found);
	if (err)
		return lane_error_context(err, "the OpenCL layer");
	if (found) {
		*path = realpath(found, NULL);
		return *path ? NULL : &lane_enomem;
	}
	return lane_error("the OpenCL layer: " LAYER " is neither in ../lib/gpulane nor beside "
			  "this program (make install, or say where by GPULANE_OPENCL_LAYER)");
}

/* In a child: the tracer's library starts threads. */
static void ust_load(const char *layer, int to)
{
	const char *why;

	setenv(WAIT_VAR, "0", 1);
	why = dlopen(layer, RTLD_NOW | RTLD_LOCAL) ? "" : dlerror();
	_exit(write(to, why, strlen(why)) < 0);
}

struct lane_error *capture_ust_check_layer(const char *layer)
{
	char why[256] = "";
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return lane_error_errno(errno, "pipe");
	fflush(NULL);
	pid = fork();
	if (!pid)
		ust_load(layer, ends[1]);
	close(ends[1]);
	if (pid < 0 || read(ends[0], why, sizeof(why) - 1) < 0)
		*why = '\0';
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!*why)
		return NULL;
	if (strstr(why, "liblttng-ust"))
		return lane_error("%s (install " LANE_UST_PACKAGE ")", why);
	return lane_error("%s (see gpulane doctor)", why);
}

/* ust_app_push_metadata() of lttng-sessiond, as the process's session goes (2.13 to 2.16). */
static int ust_describe(const void *layer)
{
	return setenv(WAIT_VAR, LONG_WAIT, 1) || !dlopen(layer, RTLD_NOW | RTLD_LOCAL) ? ENOENT : 0;
}

struct lane_error *capture_ust_fork_describer(const char *layer, const struct lane_identity *as,
					      struct lane_child *child)
{
	child->is_brief = true;
	return capture_child_fork_act(ust_describe, layer, as, child);
}

/* Puts value into a list in the environment: at its end, or before what is there. */
static bool ust_add(const char *name, const char *value, bool is_first)
{
	LANE_CLEANUP(lane_free) char *list = NULL;
	const char *old = getenv(name);

	if (!old || !*old)
		return !setenv(name, value, 1);
	if (asprintf(&list, "%s:%s", is_first ? value : old, is_first ? old : value) < 0) {
		list = NULL;
		return false;
	}
	return !setenv(name, list, 1);
}

struct lane_error *capture_ust_find_levelzero(const char *layer, char **folder)
{
	LANE_CLEANUP(lane_free) char *file = NULL;
	const char *slash = strrchr(layer, '/');

	*folder = NULL;
	if (!slash)
		return NULL;
	if (asprintf(&file, "%.*s/" ZE_FOLDER "/" ZE_LAYER, (int)(slash - layer), layer) < 0) {
		file = NULL;
		return &lane_enomem;
	}
	if (access(file, R_OK))
		return NULL;
	*strrchr(file, '/') = 0;
	*folder = LANE_TAKE(file);
	return NULL;
}

/*
 * The loader of Level Zero finds its tracing layer as any library, and takes ours for it. A program
 * that is to be traced by somebody else that way, or a layer that is not there: then there is none
 * of ours.
 */
static bool add_levelzero(const char *layer)
{
	LANE_CLEANUP(lane_free) char *folder = NULL;
	struct lane_error *err = capture_ust_find_levelzero(layer, &folder);

	if (err || !folder || getenv(ZE_VAR))
		return !err;
	return ust_add("LD_LIBRARY_PATH", folder, true) && !setenv(ZE_VAR, "1", 1);
}

/* A program that has ITT's or NVTX's ranges told to somebody else goes on to do so. */
static bool add_ranges(const char *layer)
{
	LANE_CLEANUP(lane_free) char *file = NULL;
	const char *slash = strrchr(layer, '/');

	if (asprintf(&file, "%.*s" RANGES, slash ? (int)(slash + 1 - layer) : 0, layer) < 0) {
		file = NULL;
		return false;
	}
	return access(file, R_OK) || (ust_add("LD_PRELOAD", file, false) &&
				      !setenv(ITT_VAR, file, 0) && !setenv(NVTX_VAR, file, 0));
}

struct lane_error *capture_ust_environment(const char *layer, bool preload, bool has_ranges)
{
	if (strpbrk(layer, preload || has_ranges ? ": " : ":"))
		return lane_error("the OpenCL layer: %s: no list in the environment can have this "
				  "path (put gpulane into another folder)",
				  layer);
	if (!ust_add(preload ? "LD_PRELOAD" : "OPENCL_LAYERS", layer, false) ||
	    !add_levelzero(layer) || (has_ranges && !add_ranges(layer)) ||
	    setenv(WAIT_VAR, LONG_WAIT, 0))
		return &lane_enomem;
	return NULL;
}
