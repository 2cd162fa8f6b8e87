/* SPDX-License-Identifier: MIT */
/* What lies in the folder of the hits, in words. */
#ifndef LANE_WATCH_LOOK_H
#define LANE_WATCH_LOOK_H

#include <stdio.h>

#include "watch/store.h"

/* The hits in their groups, the most frequent first: each group's worst and latest recording. */
void watch_look_list(FILE *to, const struct lane_store *store);

/* The hit with the recording of that number; fails when output, the folder, has none. */
struct lane_error *watch_look_show(FILE *to, struct lane_store *store, const char *output,
				   uint64_t number) LANE_MUST_CHECK;

/* How to go on from there. */
void watch_look_more(FILE *to, const struct lane_hit *hit, const char *output);

#endif
