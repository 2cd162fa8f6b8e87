/* SPDX-License-Identifier: MIT */
/* The plural of a noun: 1 event, 2 events. */
#ifndef LANE_BASE_PLURAL_H
#define LANE_BASE_PLURAL_H

#include <stdint.h>

/* What stands behind the noun of so many. */
static inline const char *lane_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
