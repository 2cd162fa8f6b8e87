/* SPDX-License-Identifier: MIT */
/* Where a target puts its input, and how it says that something is wrong. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Says what is wrong, and aborts. */
#define fuzz_fail(...) (dprintf(2, __VA_ARGS__), dprintf(2, "\n"), abort())

/* A file without a name that holds the bytes, and its path. */
int fuzz_file(const uint8_t *data, size_t bytes, char path[64]);

/* A new directory in memory where there is such a place, open; its path goes to the buffer. */
int fuzz_dir(char path[64]);

#endif
