// SPDX-License-Identifier: MIT
// The devices and graphs that ship with gpulane.
#include "model/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/place.h"

struct lane_error *model_shipped_find(const char *kind, const char *name, const char *suffix,
				      char **path)
{
	/* Installed below prefix; built in a directory beside userspace/. */
	static const char *const places[] = { "../share/gpulane", "../userspace/model" };
	size_t length = strlen(name);
	LANE_CLEANUP(lane_free) char *file = NULL;
	struct lane_error *err;

	if (strchr(name, '/') ||
	    (length > strlen(suffix) && !strcmp(name + length - strlen(suffix), suffix))) {
		*path = strdup(name);
		return *path ? NULL : &lane_enomem;
	}
	if (asprintf(&file, "%s/%s%s", kind, name, suffix) < 0) {
		file = NULL;
		return &lane_enomem;
	}
	err = lane_place_find(places, sizeof(places) / sizeof(places[0]), file, path);
	if (err || *path)
		return err;
	return lane_error("%s: no such file among gpulane's %s (name a path, or see docs/model.md)",
			  name, kind);
}

struct lane_error *model_device_find(const char *name, struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err = model_shipped_find("devices", name, ".dev", &path);

	return err ? err : model_device_read(path, device);
}
