/* SPDX-License-Identifier: MIT */
/*
 * What every subcommand is: one function in one file, without analysis in it.
 */
#ifndef LANE_CMD_CMD_H
#define LANE_CMD_CMD_H

#include <argp.h>

#include "base/error.h"

/* Runs a subcommand; argv[0] is its name. The error becomes the line on stderr and the exit code.
 */
typedef struct lane_error *lane_command_fn(int argc, char **argv);

#define COMMAND(name, help) lane_command_fn cmd_##name;
#include "cmd/commands.def"
#undef COMMAND

/*
 * Parses a subcommand's options with argp, `--help` and `--usage` included. A parser function that
 * finds a wrong value stores an error where parse_error points (usually a member of input, NULL
 * before the call) and returns EINVAL; that error is then the one returned. *done becomes 1 when
 * help was printed and nothing is left to do.
 */
struct lane_error *lane_parse(const struct argp *argp, int argc, char **argv, void *input,
			      struct lane_error **parse_error, int *done) LANE_MUST_CHECK;

#endif
