// SPDX-License-Identifier: MIT
// Options that several commands have.
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "show/wrap.h"

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

void cmd_wrapped_begin(struct cmd_wrapped *wrapped)
{
	unsigned int columns, lines;
	FILE *memory = NULL;

	*wrapped = (struct cmd_wrapped){ .terminal = NULL };
	if (cmd_terminal_size(&columns, &lines))
		memory = open_memstream(&wrapped->text, &wrapped->bytes);
	if (!memory)
		return;
	wrapped->terminal = stdout;
	stdout = memory;
}

void cmd_wrapped_end(struct cmd_wrapped *wrapped)
{
	unsigned int columns = 80, lines;

	if (!wrapped->terminal)
		return;
	fclose(stdout);
	stdout = wrapped->terminal;
	(void)cmd_terminal_size(&columns, &lines);
	show_wrapped(stdout, wrapped->text, columns);
	free(wrapped->text);
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
