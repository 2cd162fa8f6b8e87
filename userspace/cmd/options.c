// SPDX-License-Identifier: MIT
// Options that several commands have.
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cmd_has_colour(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

bool cmd_terminal_size(unsigned int *columns, unsigned int *lines)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return false;
	*columns = size.ws_col < 40 ? 40 : size.ws_col;
	*lines = size.ws_row < 24 ? 24 : size.ws_row;
	return true;
}

error_t cmd_named_option(int key, char *arg, struct session_named *named)
{
	switch (key) {
	case CMD_OPTION_MACHINE:
		named->machine = arg;
		return 0;
	case CMD_OPTION_BY:
		named->by = arg;
		return 0;
	case CMD_OPTION_PAIRS:
		named->pairs = arg;
		return 0;
	case ARGP_KEY_ARG:
		named->paths[named->n_paths++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
