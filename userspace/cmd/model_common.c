// SPDX-License-Identifier: MIT
// Options that the verbs of `gpulane model` share, and where the files that ship with it are.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/model.h"
#include "model/number.h"

error_t model_wrong(struct model_common *common, struct lane_error *error)
{
	lane_drop_error(&common->error);
	common->error = error;
	return EINVAL;
}

error_t model_number(struct model_common *common, const char *option, const char *arg, uint64_t min,
		     uint64_t max, uint32_t *value)
{
	uint64_t number;

	if (lane_whole_parse(arg, min, max, &number))
		return model_wrong(common,
				   lane_error_usage("%s: `%s' is not a whole number between "
						    "%llu and %llu",
						    option, arg, (unsigned long long)min,
						    (unsigned long long)max));
	*value = (uint32_t)number;
	return 0;
}

error_t model_decimal(struct model_common *common, const char *option, const char *arg,
		      double *value)
{
	int64_t micro;

	if (lane_micro_parse(arg, &micro))
		return model_wrong(common,
				   lane_error_usage("%s: `%s' is not a number (up to 1000000, six "
						    "decimals)",
						    option, arg));
	*value = (double)micro / (double)LANE_MICRO;
	return 0;
}

error_t model_option(struct model_common *common, int key, char *arg)
{
	switch (key) {
	case MODEL_KEY_DEVICE:
		common->device = arg;
		return 0;
	case MODEL_KEY_PLOT:
		common->plot = arg;
		return 0;
	case MODEL_KEY_FORMAT:
		if (!strcmp(arg, "text"))
			common->format = MODEL_TEXT;
		else if (!strcmp(arg, "json"))
			common->format = MODEL_JSON;
		else if (!strcmp(arg, "csv"))
			common->format = MODEL_CSV;
		else
			return model_wrong(
				common,
				lane_error_usage("--format: `%s' is not text, json or csv", arg));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct lane_error *model_directory(char *directory, size_t bytes)
{
	ssize_t length = readlink("/proc/self/exe", directory, bytes - 1);
	char *slash;

	if (length < 0)
		return lane_error_errno(errno, "/proc/self/exe: cannot be read");
	directory[length] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	return NULL;
}

struct lane_error *model_find(const char *kind, const char *name, const char *suffix, char **path)
{
	/* Installed below prefix; built in a directory beside userspace/. */
	static const char *const places[] = { "../share/gpulane", "../userspace/model" };
	size_t length = strlen(name);
	char directory[4096];
	struct lane_error *err;

	if (strchr(name, '/') ||
	    (length > strlen(suffix) && !strcmp(name + length - strlen(suffix), suffix))) {
		*path = strdup(name);
		return *path ? NULL : &lane_enomem;
	}
	err = model_directory(directory, sizeof(directory));
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		LANE_CLEANUP(lane_free) char *candidate = NULL;

		if (asprintf(&candidate, "%s/%s/%s/%s%s", directory, places[i], kind, name,
			     suffix) < 0) {
			candidate = NULL;
			return &lane_enomem;
		}
		if (!access(candidate, R_OK)) {
			*path = LANE_TAKE(candidate);
			return NULL;
		}
	}
	return lane_error("%s: no such file among gpulane's %s (name a path, or see docs/model.md)",
			  name, kind);
}

struct lane_error *model_device(const struct model_common *common, const char *preset,
				struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err =
		model_find("devices", common->device ? common->device : preset, ".dev", &path);

	return err ? err : lane_device_read(path, device);
}
