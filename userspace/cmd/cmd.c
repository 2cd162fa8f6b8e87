// SPDX-License-Identifier: MIT
// Option parsing that the subcommands share: argp, but with errors that travel up instead of
// exiting.
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

struct lane_error *lane_parse(const struct argp *argp, int argc, char **argv, void *input,
			      struct lane_error **parse_error, int *done)
{
	char name[64];
	unsigned int help;
	int index = 0;
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
	if (rc)
		return lane_error_usage("%s: wrong option or argument near `%s' (see `%s --help`)",
					argv[0], argv[index > 0 && index <= argc ? index - 1 : 0],
					name);
	return NULL;
}
