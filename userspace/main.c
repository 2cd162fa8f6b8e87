// SPDX-License-Identifier: MIT
// The command table of gpulane.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/near.h"
#include "cmd/cmd.h"

#ifndef GPULANE_VERSION
#define GPULANE_VERSION "unknown"
#endif

struct program_command {
	const char *name;
	lane_command_fn *run;
	const char *help;
};

static const struct program_command commands[] = {
#define COMMAND(name, help) { #name, cmd_##name, help },
#include "cmd/commands.def"
#undef COMMAND
};

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: gpulane COMMAND [OPTION...]\n"
		"Record what the CPU and the GPU do around every GPU submission, and say where\n"
		"the time went.\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\n`gpulane COMMAND --help` tells more, so does gpulane(1).\n"
		    "`gpulane help WORD` says what a word of the output means.\n");
}

int main(int argc, char **argv)
{
	struct lane_near near = { .word = argc > 1 ? argv[1] : "" };
	char meant[64];

	if (argc < 2) {
		usage(stderr);
		return LANE_ERROR_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		usage(stdout);
		return lane_program_end(NULL);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("gpulane %s\n", GPULANE_VERSION);
		return lane_program_end(NULL);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return lane_program_end(commands[i].run(argc - 1, argv + 1));
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		lane_near_try(&near, commands[i].name);
	return lane_program_end(lane_error_usage("%s: no such %s (%ssee `gpulane --help`)", argv[1],
						 argv[1][0] == '-' ? "option" : "command",
						 lane_near_said(&near, meant, sizeof(meant))));
}
