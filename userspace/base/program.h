/* SPDX-License-Identifier: MIT */
/*
 * What gpulane's programs share: options whose errors travel up, and the end, where an error
 * becomes the one line on stderr.
 */
#ifndef LANE_BASE_PROGRAM_H
#define LANE_BASE_PROGRAM_H

#include <argp.h>

#include "base/error.h"

/* Runs a command; argv[0] is its name. The error becomes the line on stderr and the exit code. */
typedef struct lane_error *lane_command_fn(int argc, char **argv);

/*
 * Parses a command's options with argp, `--help` and `--usage` included. A parser function that
 * finds a wrong value stores an error where parse_error points (usually a member of input, NULL
 * before the call) and returns EINVAL; that error is then the one returned. *done becomes 1 when
 * help was printed and nothing is left to do.
 */
struct lane_error *lane_parse(const struct argp *argp, int argc, char **argv, void *input,
			      struct lane_error **parse_error, int *done) LANE_MUST_CHECK;

/*
 * The exit code of a program that ends with this error, which is told and consumed. NULL: the
 * results have to reach the standard output, or that is the error.
 */
int lane_program_end(struct lane_error *err);

#endif
