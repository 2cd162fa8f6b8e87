// SPDX-License-Identifier: MIT
// Option parsing that all commands share: argp, but with errors that travel up instead of exiting.
// And how a program ends.
#include "base/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"

/* True when one of the words that ask for help stands before `--`. */
static int asks_for_help(int argc, char **argv, unsigned int *flags)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-?")) {
			*flags = ARGP_HELP_STD_HELP & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR);
			return 1;
		}
		if (!strcmp(argv[i], "--usage")) {
			*flags = ARGP_HELP_USAGE;
			return 1;
		}
	}
	return 0;
}

static const struct argp_option *by_letter(const struct argp *argp, char letter)
{
	for (const struct argp_option *o = argp->options; o && (o->name || o->key); o++)
		if (o->key == letter)
			return o;
	return NULL;
}

/* The option of this name or of the only name that begins so; *n_found says how many do. */
static const struct argp_option *by_name(const struct argp *argp, const char *name, size_t length,
					 unsigned int *n_found)
{
	const struct argp_option *found = NULL;

	*n_found = 0;
	for (const struct argp_option *o = argp->options; o && (o->name || o->key); o++) {
		if (!o->name || strncmp(o->name, name, length))
			continue;
		found = o;
		if (!o->name[length]) {
			*n_found = 1;
			return o;
		}
		++*n_found;
	}
	return found;
}

static bool takes_next_word(const struct argp_option *option)
{
	return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* `--NAME` is none of the options; the nearest is named. */
static struct lane_error *no_such(const struct argp *argp, const char *command, const char *word,
				  size_t length)
{
	char name[64], meant[64];
	struct lane_near near = { .word = name };

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	for (const struct argp_option *o = argp->options; o && (o->name || o->key); o++)
		if (o->name)
			lane_near_try(&near, o->name);
	return lane_error_usage("%s: --%s: no such option (%ssee `gpulane %s --help`)", command,
				name, lane_near_said(&near, meant, sizeof(meant)), command);
}

/* What is wrong with `--NAME[=VALUE]`, NULL when nothing is. *needs_value: the next word is its. */
static struct lane_error *check_long(const struct argp *argp, const char *command, const char *word,
				     const struct argp_option **needs_value)
{
	size_t length = strcspn(word + 2, "=");
	const struct argp_option *option;
	unsigned int n_found;

	option = by_name(argp, word + 2, length, &n_found);
	if (n_found > 1)
		return lane_error_usage(
			"%s: %s: several options begin so (see `gpulane %s --help`)", command, word,
			command);
	if (!option)
		return no_such(argp, command, word, length);
	if (word[2 + length] && !option->arg)
		return lane_error_usage("%s: --%s: takes no value", command, option->name);
	if (!word[2 + length] && takes_next_word(option))
		*needs_value = option;
	return NULL;
}

/* The same for `-abc` or `-aVALUE`. */
static struct lane_error *check_short(const struct argp *argp, const char *command,
				      const char *word, const struct argp_option **needs_value)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct argp_option *option = by_letter(argp, *letter);

		if (!option)
			return lane_error_usage("%s: -%c: no such option (see `gpulane %s --help`)",
						command, *letter, command);
		if (!option->arg)
			continue;
		if (!letter[1] && takes_next_word(option))
			*needs_value = option;
		return NULL;
	}
	return NULL;
}

/*
 * Names the first wrong option: argp only says that there is one. NULL: the options are right, so
 * one of the arguments is not.
 */
static struct lane_error *wrong_option(const struct argp *argp, int argc, char **argv)
{
	struct lane_error *err = NULL;

	for (int i = 1; i < argc && !err && strcmp(argv[i], "--"); i++) {
		const struct argp_option *needs_value = NULL;

		if (argv[i][0] != '-' || !argv[i][1])
			continue;
		if (argv[i][1] == '-')
			err = check_long(argp, argv[0], argv[i], &needs_value);
		else
			err = check_short(argp, argv[0], argv[i], &needs_value);
		if (needs_value && ++i == argc)
			err = lane_error_usage("%s: --%s: needs a value (%s)", argv[0],
					       needs_value->name, needs_value->arg);
	}
	return err;
}

struct lane_error *lane_parse(const struct argp *argp, int argc, char **argv, void *input,
			      struct lane_error **parse_error, int *done)
{
	char name[64];
	struct lane_error *err;
	unsigned int help;
	int index = argc;
	int rc;

	snprintf(name, sizeof(name), "gpulane %s", argv[0]);
	*done = asks_for_help(argc, argv, &help);
	if (*done) {
		argp_help(argp, stdout, help, name);
		return NULL;
	}
	rc = argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, &index,
			input);
	if (*parse_error)
		return *parse_error;
	if (rc == ENOMEM)
		return &lane_enomem;
	err = rc ? wrong_option(argp, argc, argv) : NULL;
	/* Arguments that no parser takes are left, and are no error to argp. */
	if (!err && (rc || index < argc))
		err = lane_error_usage("%s: %s: one argument too many (see `%s --help`)", argv[0],
				       argv[index < argc ? index : argc - 1], name);
	return err;
}

int lane_program_end(struct lane_error *err)
{
	int code;

	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = lane_error_errno(errno ? errno : EIO,
				       "standard output: the results could not be written");
	if (!err)
		return 0;
	code = lane_error_code(err);
	fprintf(stderr, "gpulane: %s\n", lane_error_message(err));
	lane_error_free(err);
	return code;
}
