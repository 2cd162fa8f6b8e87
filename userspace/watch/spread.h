/* SPDX-License-Identifier: MIT */
/*
 * How durations are spread, in bounded memory and mergeable: log-linear buckets, 16 for each power
 * of two. So a percentile is at most 1/16 = 6.3 % too high, never too low.
 */
#ifndef LANE_WATCH_SPREAD_H
#define LANE_WATCH_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#define LANE_SPREAD_BITS    4
#define LANE_SPREAD_SHIFT   8	/* durations are counted in 256 ns */
#define LANE_SPREAD_BUCKETS 560 /* the last one has all from 3 hours on */

struct lane_spread {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint32_t buckets[LANE_SPREAD_BUCKETS];
};

/* The bucket of a duration, and the longest duration of a bucket, ns. */
unsigned int watch_spread_bucket(uint64_t ns);
uint64_t watch_spread_top(unsigned int bucket);

void watch_spread_add(struct lane_spread *spread, uint64_t ns);

/* Adds what is in `from`. */
void watch_spread_merge(struct lane_spread *spread, const struct lane_spread *from);

/*
 * The duration that at least so many of a million do not exceed (nearest rank), its bucket's upper
 * end, ns; 0 when there are none.
 */
uint64_t watch_spread_percentile(const struct lane_spread *spread, unsigned int ppm);

#endif
