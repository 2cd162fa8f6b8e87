// SPDX-License-Identifier: MIT
// The OpenCL layer: where it is, and what a command needs in its environment to have it.
#include "capture/ust.h"

#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/place.h"

#define LAYER	  "libgpulane-opencl.so"
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

struct lane_error *capture_ust_environment(const char *layer, bool preload)
{
	if (!append(preload ? "LD_PRELOAD" : "OPENCL_LAYERS", layer) ||
	    setenv(WAIT_VAR, LONG_WAIT, 0))
		return &lane_enomem;
	return NULL;
}
