// SPDX-License-Identifier: MIT
// Options that the verbs of `gpulane model` share.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cmd/verb.h"
#include "model/number.h"
#include "model/shipped.h"

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

	if (model_whole_parse(arg, min, max, &number))
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

	if (model_micro_parse(arg, &micro))
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

struct lane_error *model_device(const struct model_common *common, const char *preset,
				struct lane_device **device)
{
	return model_device_find(common->device ? common->device : preset, device);
}

struct lane_error *model_run(const struct model_common *common, const char *model,
			     const char *preset, model_fn *run, void *arg)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
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
