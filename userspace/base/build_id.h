/* SPDX-License-Identifier: MIT */
/* The build id of a program or library: the note of type NT_GNU_BUILD_ID that its linker wrote. */
#ifndef LANE_BASE_BUILD_ID_H
#define LANE_BASE_BUILD_ID_H

#include <stdbool.h>

/* In hexadecimal digits, with its NUL: 20 bytes are usual, longer ones are cut. */
#define LANE_BUILD_ID_TEXT 64

/*
 * Reads the build id of an ELF file of this machine's class and byte order. False: it has none, or
 * is no such file; text is "" then.
 */
bool lane_build_id(int fd, char text[LANE_BUILD_ID_TEXT]);

#endif
