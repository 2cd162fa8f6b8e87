/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of durations in bounded memory: exact while there are few, then a log-linear
 * histogram (the layout that HdrHistogram made known; no C library of it is packaged in Debian 12):
 * each power of two is cut in 128 equal buckets, so a percentile is at most 1/128 = 0.8 % too high,
 * never too low.
 */
#ifndef LANE_LATENCY_HISTOGRAM_H
#define LANE_LATENCY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define LANE_HISTOGRAM_EXACT 1024
#define LANE_HISTOGRAM_SUB   128
#define LANE_HISTOGRAM_SLOTS ((64 - 7 + 1) * LANE_HISTOGRAM_SUB)

struct lane_histogram {
	uint64_t count;
	uint64_t max_ns;
	uint64_t *values; /* the first values as they came; NULL once they are in buckets */
	uint32_t *buckets;
	bool sorted;
};

/* The number of a duration's bucket, and the largest duration of a bucket. The numbers mean the
 * same everywhere and for ever: histograms are merged by adding what is under the same number. */
unsigned int latency_histogram_slot(uint64_t ns);
uint64_t latency_histogram_top(unsigned int slot);

/* Adds a duration, ns. False: no memory. */
bool latency_histogram_add(struct lane_histogram *histogram, uint64_t ns);

/*
 * The smallest recorded duration that at least permille / 1000 of all do not exceed (nearest rank),
 * ns; with more than LANE_HISTOGRAM_EXACT durations its bucket's upper end. 0 when there are none.
 */
uint64_t latency_histogram_percentile(struct lane_histogram *histogram, unsigned int permille);

void latency_histogram_free(struct lane_histogram *histogram);

#endif
