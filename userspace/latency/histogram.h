/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of durations in bounded memory. A histogram of at most LANE_HISTOGRAM_EXACT durations
 * is exact. With more durations it has log-linear buckets, 128 for each power of two. So a
 * percentile is at most 1/128 = 0.8 % too high, and never too low.
 */
#ifndef LANE_LATENCY_HISTOGRAM_H
#define LANE_LATENCY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buckets.h"

#define LANE_HISTOGRAM_EXACT 1024
#define LANE_HISTOGRAM_BITS  7
#define LANE_HISTOGRAM_SLOTS ((64 - LANE_HISTOGRAM_BITS + 1) << LANE_HISTOGRAM_BITS)

struct lane_histogram {
	uint64_t count;
	uint64_t max_ns;
	uint64_t *values; /* the durations, ns; NULL once they are in buckets */
	uint32_t *buckets;
	bool sorted;
};

/* The number of a duration's bucket, ns. */
static inline unsigned int latency_histogram_slot(uint64_t ns)
{
	return lane_bucket_of(ns, LANE_HISTOGRAM_BITS);
}

/* The largest duration of a bucket, ns. */
static inline uint64_t latency_histogram_top(unsigned int slot)
{
	return lane_bucket_top(slot, LANE_HISTOGRAM_BITS);
}

/* latency_histogram_add for a histogram without buckets. */
bool latency_histogram_keep(struct lane_histogram *histogram, uint64_t ns);

/* Adds a duration, ns. False: no memory. */
static inline bool latency_histogram_add(struct lane_histogram *histogram, uint64_t ns)
{
	if (!histogram->buckets)
		return latency_histogram_keep(histogram, ns);
	histogram->buckets[latency_histogram_slot(ns)]++;
	histogram->count++;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
	return true;
}

/* Adds all durations of another histogram. False: no memory; some may have been added. */
bool latency_histogram_add_all(struct lane_histogram *histogram,
			       const struct lane_histogram *others);

/*
 * The smallest duration that at least permille / 1000 of all durations do not exceed (nearest
 * rank), ns. With more than LANE_HISTOGRAM_EXACT durations: the upper end of its bucket. 0: no
 * durations.
 */
uint64_t latency_histogram_percentile(struct lane_histogram *histogram, unsigned int permille);

void latency_histogram_free(struct lane_histogram *histogram);

#endif
