/* SPDX-License-Identifier: MIT */
/* Pairs of events of two recordings in a known order, which tie the hosts' clocks together. */
#ifndef LANE_NORM_PAIRS_H
#define LANE_NORM_PAIRS_H

#include <stddef.h>

#include "base/error.h"
#include "clock/clock.h"

/*
 * Reads a file of pairs (docs/dump.md) into the clocks of n recordings; syncs[0] is the first
 * recording's own and stays unused. An error names the line, or the recording whose clock the pairs
 * do not bound.
 */
struct lane_error *norm_pairs_read(const char *path, struct lane_sync *syncs,
				   size_t n) LANE_MUST_CHECK;

#endif
