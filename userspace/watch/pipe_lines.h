/* SPDX-License-Identifier: MIT */
/*
 * Lines to a file or a pipe that may be full or read by nobody: what cannot be written now waits in
 * a bounded buffer; what does not fit there is counted and left out, whole lines only.
 */
#ifndef LANE_WATCH_PIPE_LINES_H
#define LANE_WATCH_PIPE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LANE_LINES_BYTES (8u << 20)

struct lane_pipe_lines;

/*
 * Opens a file to add lines to, made when it is not there; what is at its end without being a whole
 * line is cut off. "-": standard output. *lines is the caller's.
 */
struct lane_error *watch_lines_open(const char *path,
				    struct lane_pipe_lines **lines) LANE_MUST_CHECK;

/* Adds whole lines. False: there is no room for them, they are left out. */
bool watch_lines_add(struct lane_pipe_lines *lines, const char *text, size_t bytes);

/* Writes as much as can be written now. The error is of a reader that has gone: it ends. A file
 * that was moved away is made anew. A disk that is full is tried again. */
struct lane_error *watch_lines_write(struct lane_pipe_lines *lines) LANE_MUST_CHECK;

/* Writes what can be written now and frees; NULL is allowed. */
void watch_lines_close(struct lane_pipe_lines *lines);

#endif
