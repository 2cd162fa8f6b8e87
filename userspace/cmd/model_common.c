// SPDX-License-Identifier: MIT
// Options that the verbs of `gpulane model` share, and where the files that ship with it are.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/place.h"
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

struct lane_error *model_find(const char *kind, const char *name, const char *suffix, char **path)
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

struct lane_error *model_device(const struct model_common *common, const char *preset,
				struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_error *err =
		model_find("devices", common->device ? common->device : preset, ".dev", &path);

	return err ? err : lane_device_read(path, device);
}

struct lane_error *model_run(const struct model_common *common, const char *model,
			     const char *preset, model_fn *run, void *arg)
{
	LANE_CLEANUP(lane_device_drop) struct lane_device *device = NULL;
	LANE_CLEANUP(model_drop) json_object *result = NULL;
	struct lane_error *err = model_device(common, preset, &device);

	if (err)
		return err;
	result = model_result(model);
	model_put_text(result, "device", device->name);
	err = run(arg, device, result);
	if (err)
		return lane_error_context(err, "model %s", model);
	model_print(result, common->format);
	return NULL;
}
