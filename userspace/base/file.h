/* SPDX-License-Identifier: MIT */
/*
 * Opening files to read by a name that somebody else may have chosen: regular files only. A FIFO
 * would make the reader wait for ever, a device has no end.
 */
#ifndef LANE_BASE_FILE_H
#define LANE_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Opens the file `name` below dir_fd (AT_FDCWD: the working directory) for reading; links are
 * followed. *fd is the caller's. An error names the file as `shown`, and says what it is when it is
 * no regular file; errno is ENOENT when there is none of that name, 0 when it is of another type.
 */
struct lane_error *lane_file_open(int dir_fd, const char *name, const char *shown,
				  int *fd) LANE_MUST_CHECK;

/* The same as a stream; *file is the caller's. */
struct lane_error *lane_file_fopen(const char *path, FILE **file) LANE_MUST_CHECK;

/* Whether it is a file that begins so. */
bool lane_file_begins(const char *path, const char *with, size_t bytes);

/* What a file of this st_mode is, in words: "a FIFO". */
const char *lane_file_type(unsigned int mode);

#endif
