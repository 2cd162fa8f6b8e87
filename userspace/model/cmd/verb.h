/* SPDX-License-Identifier: MIT */
/*
 * What the verbs of `gpulane model` share: the device, the output format, and results as one
 * object.
 *
 * A result is a json_object: scalars first, then at most one array of objects, `rows`. Text, CSV
 * and JSON are printed from it alone, so that they never differ in what they say.
 */
#ifndef LANE_MODEL_CMD_VERB_H
#define LANE_MODEL_CMD_VERB_H

#include <argp.h>
#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/device.h"

enum model_format {
	MODEL_TEXT,
	MODEL_JSON,
	MODEL_CSV
};

/* Options that every verb takes. */
struct model_common {
	const char *device; /* name or path */
	enum model_format format;
	struct lane_error *error; /* what the parser found wrong */
};

#define MODEL_KEY_FORMAT 'f'
#define MODEL_KEY_DEVICE 'd'

#define MODEL_OPTIONS                                                                              \
	{ "device", MODEL_KEY_DEVICE, "NAME", 0, "a shipped device, or the path of a device file", \
	  90 },                                                                                    \
	{                                                                                          \
		"format", MODEL_KEY_FORMAT, "FORMAT", 0, "text (default), json or csv", 90         \
	}

/* Takes one of the options above; ARGP_ERR_UNKNOWN for every other key. */
error_t model_option(struct model_common *common, int key, char *arg);

/* Stores an error of the parser and returns EINVAL. */
error_t model_wrong(struct model_common *common, struct lane_error *error);

/* A whole number between min and max for an option; 0 or, with the error stored, EINVAL. */
error_t model_number(struct model_common *common, const char *option, const char *arg, uint64_t min,
		     uint64_t max, uint32_t *value);

/* The same for a decimal number that is not negative. */
error_t model_decimal(struct model_common *common, const char *option, const char *arg,
		      double *value);

/* Reads the device that was named, or else the preset one. *device is the caller's to free. */
struct lane_error *model_device(const struct model_common *common, const char *preset,
				struct lane_device **device) LANE_MUST_CHECK;

/* A new result with its version and the model's name. */
json_object *model_result(const char *model);
void model_drop(json_object **object);

/* Adds a member that has no value: null, shown as `-'. */
void model_put_nothing(json_object *object, const char *key);

/* Adds a member. Reals are shown with so many decimals at most. */
void model_put_text(json_object *object, const char *key, const char *value);
void model_put_whole(json_object *object, const char *key, int64_t value);
void model_put_real(json_object *object, const char *key, double value, int decimals);

/* A new row at the end of the result's rows. */
json_object *model_row(json_object *result);

/* Prints a result to stdout. */
void model_print(json_object *result, enum model_format format);

/* What a verb adds to its result, computed for a device. arg is what model_run was given. */
typedef struct lane_error *model_fn(void *arg, struct lane_device *device, json_object *result);

/*
 * The course of a verb whose options are read: the device that was named, or else the preset one,
 * a result of this model, filled by `run`, printed.
 */
struct lane_error *model_run(const struct model_common *common, const char *model,
			     const char *preset, model_fn *run, void *arg) LANE_MUST_CHECK;

/* The verbs; argv[0] is "model VERB", of calibrate and atomics that word alone. */
struct lane_error *model_pipeline(int argc, char **argv);
struct lane_error *model_pattern(int argc, char **argv);
struct lane_error *model_calibrate(int argc, char **argv);
struct lane_error *model_atomics(int argc, char **argv);

#endif
