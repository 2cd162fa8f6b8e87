/* SPDX-License-Identifier: MIT */
/* A part of a whole in per cent. */
#ifndef LANE_BASE_PERCENT_H
#define LANE_BASE_PERCENT_H

#include <stdint.h>

/* `add` is added before the fraction is cut off: 0.5 rounds. 100 at most; 0 of nothing. */
static inline unsigned int lane_percent(uint64_t part, uint64_t whole, double add)
{
	double of = whole ? 100.0 * (double)part / (double)whole + add : 0;

	return of < 100 ? (unsigned int)of : 100;
}

#endif
