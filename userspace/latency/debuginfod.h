/* SPDX-License-Identifier: MIT */
/* Files by their build ids from servers of debuginfod, where the variable DEBUGINFOD_URLS names
 * some. */
#ifndef LANE_LATENCY_DEBUGINFOD_H
#define LANE_LATENCY_DEBUGINFOD_H

#include <stdbool.h>

/*
 * The path of a file with this build id, in the user's cache of debuginfod; fetched if it is not
 * there. is_code: the program or library itself, else what was stripped off. The caller's, to be
 * freed. NULL: no server is named, none has it, or the library is not there.
 */
char *latency_debuginfod_find(const char *build, bool is_code);

#endif
