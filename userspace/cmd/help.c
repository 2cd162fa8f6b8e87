// SPDX-License-Identifier: MIT
// gpulane help: what a word of the output means.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/near.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "show/report.h"
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

static error_t help_parse(int key, char *arg, struct argp_state *state)
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

/* "R14" of `gpulane explain`; false: it is none. */
static bool print_rule(const char *name)
{
	unsigned int number;
	char rest;

	if (sscanf(name, "%*[Rr]%u%c", &number, &rest) != 1 || !number ||
	    number >= LANE_RULE_COUNT || !*lane_rule_sentences[number])
		return false;
	printf("R%u: %s\n  A rule by which a time of a request is known.\n", number,
	       lane_rule_sentences[number]);
	return true;
}

/* Names of engines are made of their class and number. */
static const struct lane_word *word_of(const char *name)
{
	const struct lane_word *word = show_word_find(name);
	uint16_t class, instance;

	return !word && show_engine_number(name, &class, &instance) ? show_word_find("engine")
								    : word;
}

static struct lane_error *no_word(const char *name)
{
	struct lane_near near = { .word = name };
	char meant[64];

	for (size_t i = 0; show_word_at(i); i++)
		lane_near_try(&near, show_word_at(i)->word);
	return lane_error_usage("help: %s: no word of the output (%s`gpulane help --list` shows "
				"them all)",
				name, lane_near_said(&near, meant, sizeof(meant)));
}

static struct lane_error *help(struct options *o)
{
	const struct lane_word *word = o->name ? word_of(o->name) : NULL;
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
	else if (!o->name)
		return lane_error_usage("help: which word? (`gpulane help --list` shows them all)");
	else if (!print_rule(o->name))
		return no_word(o->name);
	return NULL;
}

struct lane_error *cmd_help(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = help_parse,
		.args_doc = "WORD",
		.doc = "Say what a word of the output means.\vSee gpulane-help(1); all words are "
		       "in gpulane-words(7).",
	};
	struct options o = { .lists_all = false };
	struct cmd_wrapped wrapped;
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (!err && !done) {
		cmd_wrapped_begin(&wrapped);
		err = help(&o);
		cmd_wrapped_end(&wrapped);
	}
	free(o.name);
	return err;
}
