// SPDX-License-Identifier: MIT
// Options that several commands have.
#include "cmd/options.h"

error_t cmd_named_option(int key, char *arg, struct session_named *named)
{
	switch (key) {
	case CMD_OPTION_MACHINE:
		named->machine = arg;
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
