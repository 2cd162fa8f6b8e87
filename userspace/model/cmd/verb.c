// SPDX-License-Identifier: MIT
// Options that the verbs of `gpulane model` share.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/cmd/verb.h"
#include "model/number.h"
#include "model/shipped.h"

error_t model_wrong(struct model_common *common, struct lane_error *error)
{
	lane_drop_error(&common->error);
	common->error = error;
	return EINVAL;
}

#define MOST_DECIMAL 1000000

const char *const model_formats[] = { "text", "json", "csv" };

/* The option as the user wrote it, for errors. */
#define SHOWN(option) (option)->name ? "--" : "", (option)->name ? (option)->name : "argument"

error_t model_flag(struct model_common *common, const struct model_option *option, char *arg,
		   void *to)
{
	(void)common;
	(void)option;
	(void)arg;
	*(int *)to = 1;
	return 0;
}

error_t model_whole(struct model_common *common, const struct model_option *option, char *arg,
		    void *to)
{
	uint64_t number;

	if (model_whole_parse(arg, option->min, option->max, &number))
		return model_wrong(common,
				   lane_error_usage("%s%s: `%s' is not a whole number between "
						    "%llu and %llu",
						    SHOWN(option), arg,
						    (unsigned long long)option->min,
						    (unsigned long long)option->max));
	*(uint32_t *)to = (uint32_t)number;
	return 0;
}

error_t model_decimal(struct model_common *common, const struct model_option *option, char *arg,
		      void *to)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || arg[strspn(arg, "0123456789.")] || value > MOST_DECIMAL)
		return model_wrong(common, lane_error_usage("%s%s: `%s' is not a number up to %d",
							    SHOWN(option), arg, MOST_DECIMAL));
	*(double *)to = value;
	return 0;
}

error_t model_choice(struct model_common *common, const struct model_option *option, char *arg,
		     void *to)
{
	char names[128] = "";
	size_t used = 0;

	for (uint64_t i = 0; i < option->max; i++) {
		if (!strcmp(option->names[i], arg)) {
			*(int *)to = (int)i;
			return 0;
		}
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 !i		       ? ""
					 : i + 1 < option->max ? ", "
							       : " or ",
					 option->names[i]);
	}
	return model_wrong(common,
			   lane_error_usage("%s%s: `%s' is not %s", SHOWN(option), arg, names));
}

error_t model_word(struct model_common *common, const struct model_option *option, char *arg,
		   void *to)
{
	const char **word = to;

	if (!option->name && *word)
		return model_wrong(common, lane_error_usage("%s: `%s': one %s only%s%s%s",
							    common->state->name, arg, option->value,
							    option->help ? " (" : "",
							    option->help ? option->help : "",
							    option->help ? ")" : ""));
	*word = arg;
	return 0;
}

error_t model_words(struct model_common *common, const struct model_option *option, char *arg,
		    void *to)
{
	struct model_list *list = to;

	if (list->n == sizeof(list->word) / sizeof(list->word[0]))
		return model_wrong(common,
				   lane_error_usage("%s%s: more than %u", SHOWN(option), list->n));
	list->word[list->n++] = arg;
	return 0;
}

#define MOST_OPTIONS 32
#define FIRST_KEY    256 /* of options without a letter */

struct parsing {
	const struct model_option *options;
	struct model_common *common;
};

static int key_of(const struct parsing *p, const struct model_option *option)
{
	return !option->name ? ARGP_KEY_ARG
	       : option->key ? option->key
			     : FIRST_KEY + (int)(option - p->options);
}

static error_t verb_parse(int key, char *arg, struct argp_state *state)
{
	const struct parsing *p = state->input;

	p->common->state = state;
	for (const struct model_option *o = p->options; o->read; o++)
		if (key == key_of(p, o))
			return o->read(p->common, o, arg, (char *)p->common + o->at);
	return ARGP_ERR_UNKNOWN;
}

struct lane_error *model_parse(const struct model_option *options, const char *usage,
			       const char *about, int argc, char **argv, void *to, int *done)
{
	struct argp_option made[MOST_OPTIONS] = { 0 };
	struct parsing p = { options, to };
	struct argp argp = { made, verb_parse, usage, about, NULL, NULL, NULL };
	uint32_t n = 0;

	for (const struct model_option *o = options; o->read && n + 1 < MOST_OPTIONS; o++)
		if (o->name)
			made[n++] = (struct argp_option){ .name = o->name,
							  .key = key_of(&p, o),
							  .arg = o->value,
							  .doc = o->help };
	return lane_parse(&argp, argc, argv, &p, &p.common->error, done);
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
	model_print(result, (enum model_format)common->format);
	return NULL;
}
