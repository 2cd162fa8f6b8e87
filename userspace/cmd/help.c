// SPDX-License-Identifier: MIT
// gpulane help: what a word of the output means.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "show/words.h"

struct options {
	struct lane_error *error;
	char *name; /* the arguments, a space between them: words of the output have some */
	bool lists_all;
};

static const struct argp_option argp_options[] = {
	{ "list", 'l', NULL, 0, "all words, each with its sentence", 0 },
	{ 0 },
};

static error_t add_to_name(struct options *o, const char *arg)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s%s%s", o->name ? o->name : "", o->name ? " " : "", arg) < 0)
		return ENOMEM;
	free(o->name);
	o->name = longer;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'l':
		o->lists_all = true;
		return 0;
	case ARGP_KEY_ARG:
		return add_to_name(o, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_word(const struct lane_word *word)
{
	printf("%s: %s\n", word->word, word->sentence);
	if (*word->more)
		printf("  %s\n", word->more);
}

/* A command's name is as good as its own --help. */
static lane_command_fn *command_of(const char *name)
{
	static const struct {
		const char *name;
		lane_command_fn *run;
	} commands[] = {
#define COMMAND(name, help) { #name, cmd_##name },
#include "cmd/commands.def"
#undef COMMAND
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run;
	return NULL;
}

static struct lane_error *help(struct options *o)
{
	const struct lane_word *word = o->name ? show_word_find(o->name) : NULL;
	lane_command_fn *command = o->name ? command_of(o->name) : NULL;
	char option[] = "--help";

	if (o->lists_all) {
		for (size_t i = 0; show_word_at(i); i++)
			printf("%s: %s\n", show_word_at(i)->word, show_word_at(i)->sentence);
		return NULL;
	}
	if (word)
		print_word(word);
	else if (command)
		return command(2, (char *[]){ o->name, option, NULL });
	else
		return lane_error_usage("help: %s: no word of the output (`gpulane help --list` "
					"shows them all)",
					o->name ? o->name : "which word?");
	return NULL;
}

struct lane_error *cmd_help(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "WORD",
		.doc = "Say what a word of the output means.\vSee gpulane-help(1); all words are "
		       "in gpulane-words(7).",
	};
	struct options o = { .lists_all = false };
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (!err && !done)
		err = help(&o);
	free(o.name);
	return err;
}
