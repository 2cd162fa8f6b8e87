/* SPDX-License-Identifier: MIT */
/* Files that come with gpulane: where they are installed or were built, seen from this program. */
#ifndef LANE_BASE_PLACE_H
#define LANE_BASE_PLACE_H

#include <stddef.h>

#include "base/error.h"

/*
 * Finds `name` in the first of n places, directories relative to the one this program lies in,
 * where it can be read. *path is the caller's; NULL without an error: it is in none of them.
 */
struct lane_error *lane_place_find(const char *const *places, size_t n, const char *name,
				   char **path) LANE_MUST_CHECK;

#endif
