// SPDX-License-Identifier: MIT
// Options that several commands have.
#include "cmd/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "show/wrap.h"

bool cmd_flip_name(const char *text, int32_t *crtc, uint32_t *refresh)
{
	unsigned long number;
	unsigned long long seq;
	char *end;

	if (strncmp(text, CMD_FLIP, strlen(CMD_FLIP)) != 0)
		return false;
	text += strlen(CMD_FLIP);
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || number > INT32_MAX || *end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	seq = strtoull(end + 1, &end, 10);
	*crtc = (int32_t)number;
	*refresh = (uint32_t)seq;
	return !errno && !*end && seq <= UINT32_MAX;
}

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
