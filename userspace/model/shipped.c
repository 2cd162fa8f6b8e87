// SPDX-License-Identifier: MIT
// The devices and graphs that ship with gpulane.
#include "model/shipped.h"

#include <ctype.h>
#include <dirent.h>
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

/* Letters and digits alone, in lower case: "NVIDIA H100 80GB HBM3" is "nvidiah10080gbhbm3". */
static void shipped_plain(const char *from, char *to, size_t bytes)
{
	size_t n = 0;

	for (; *from && n + 1 < bytes; from++)
		if (isalnum((unsigned char)*from))
			to[n++] = (char)tolower((unsigned char)*from);
	to[n] = '\0';
}

/* Whether a device's file is of the GPU with this name, as its driver gives it. */
static int is_called(const char *path, const char *name)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	struct lane_error *err = model_device_read(path, &device);
	char title[128], wanted[128];

	if (err || !device->title) {
		lane_drop_error(&err);
		return 0;
	}
	shipped_plain(device->title, title, sizeof(title));
	shipped_plain(name, wanted, sizeof(wanted));
	return strlen(wanted) >= 4 && strstr(title, wanted);
}

/* Of the shipped devices the one that is called so; else their names, for an error. */
static struct lane_error *search(const char *name, char **path, char *names, size_t bytes)
{
	static const char *const places[] = { "../share/gpulane/devices",
					      "../userspace/model/devices" };
	LANE_CLEANUP(lane_free) char *folder = NULL;
	struct dirent **entry = NULL;
	struct lane_error *err = lane_place_find(places, 2, ".", &folder);
	size_t used = 0;
	int n = 0;

	*path = NULL;
	names[0] = '\0';
	if (!err && folder)
		n = scandir(folder, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t length = strlen(entry[i]->d_name);
		LANE_CLEANUP(lane_free) char *file = NULL;

		if (length > 5 && !strcmp(entry[i]->d_name + length - 5, ".json") &&
		    asprintf(&file, "%s/%s", folder, entry[i]->d_name) > 0) {
			if (!*path && is_called(file, name))
				*path = LANE_TAKE(file);
			if (used < bytes)
				used += (size_t)snprintf(names + used, bytes - used, "%s%.*s",
							 used ? ", " : "", (int)length - 5,
							 entry[i]->d_name);
		}
		free(entry[i]);
	}
	free(entry);
	return err;
}

struct lane_error *model_device_find(const char *name, struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_free) char *called = NULL;
	struct lane_error *err = model_shipped_find("devices", name, ".json", &path);
	char names[512];

	if (!err)
		return model_device_read(path, device);
	lane_drop_error(&err);
	err = search(name, &called, names, sizeof(names));
	if (err)
		return err;
	if (called)
		return model_device_read(called, device);
	return lane_error("%s: no such device (these are there: %s; or the path of a file that "
			  "`gpulane calibrate --out' wrote)",
			  name, names);
}
