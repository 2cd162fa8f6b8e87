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

/* What every verb's `struct options' begins with. */
struct model_common {
	const char *device;	  /* name or path */
	int format;		  /* enum model_format */
	struct lane_error *error; /* what the parser found wrong */
	struct argp_state *state; /* of the word that is being parsed */
};

/* Words that an option or an argument takes, each time it is there. */
struct model_list {
	const char *word[64];
	uint32_t n;
};

/*
 * An option of a verb: how its value is read, and where that goes. A verb has a table of them; one
 * without a name is what stands without an option.
 */
struct model_option {
	const char *name;
	int key; /* its letter, or 0 */
	/* Sets *to; or stores an error by model_wrong(). Some of those below, or a verb's own. */
	error_t (*read)(struct model_common *common, const struct model_option *option, char *arg,
			void *to);
	size_t at;	   /* of its value in the verb's structure: MODEL_AT() */
	const char *value; /* as the help calls it; NULL: a flag */
	const char *help;
	uint64_t min, max;	  /* of a whole number */
	const char *const *names; /* of a choice, as many as `max' says */
};

#define MODEL_AT(member) offsetof(struct options, member)

/* Entries of a table. */
#define MODEL_OPTION(name, key, read, member, value, help)                                         \
	{                                                                                          \
		name, key, read, MODEL_AT(member), value, help, 0, 0, NULL                         \
	}
#define MODEL_WHOLE(name, key, member, value, help, min, max)                                      \
	{                                                                                          \
		name, key, model_whole, MODEL_AT(member), value, help, min, max, NULL              \
	}
#define MODEL_CHOICE(name, key, member, value, help, n, names)                                     \
	{                                                                                          \
		name, key, model_choice, MODEL_AT(member), value, help, 0, n, names                \
	}

/* Options that every verb takes. */
#define MODEL_FORMAT                                                                               \
	MODEL_CHOICE("format", 'f', common.format, "FORMAT", "text (default), json or csv", 3,     \
		     model_formats)
#define MODEL_OPTIONS                                                                              \
	MODEL_OPTION("device", 'd', model_word, common.device, "NAME",                             \
		     "a shipped device, or the path of a device file"),                            \
		MODEL_FORMAT

extern const char *const model_formats[];

/* A flag: an int becomes 1. */
error_t model_flag(struct model_common *common, const struct model_option *option, char *arg,
		   void *to);

/* A whole number between min and max, a uint32_t. */
error_t model_whole(struct model_common *common, const struct model_option *option, char *arg,
		    void *to);

/* A decimal number that is not negative, a double. */
error_t model_decimal(struct model_common *common, const struct model_option *option, char *arg,
		      void *to);

/* One of the option's names, an int: its place among them. */
error_t model_choice(struct model_common *common, const struct model_option *option, char *arg,
		     void *to);

/* Any word, a const char *, that may be given once where it has no option; words, a model_list. */
error_t model_word(struct model_common *common, const struct model_option *option, char *arg,
		   void *to);
error_t model_words(struct model_common *common, const struct model_option *option, char *arg,
		    void *to);

/* Stores an error of the parser and returns EINVAL. */
error_t model_wrong(struct model_common *common, struct lane_error *error);

/*
 * Reads a verb's words by its table, which ends with an entry of zeros, into its structure. usage
 * and about are for its help. *done: nothing is left to do.
 */
struct lane_error *model_parse(const struct model_option *options, const char *usage,
			       const char *about, int argc, char **argv, void *to,
			       int *done) LANE_MUST_CHECK;

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
