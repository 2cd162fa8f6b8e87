// SPDX-License-Identifier: MIT
// How durations are spread: log-linear buckets.
#include "watch/spread.h"

#include "base/buckets.h"

unsigned int watch_spread_bucket(uint64_t ns)
{
	unsigned int bucket = lane_bucket_of(ns >> LANE_SPREAD_SHIFT, LANE_SPREAD_BITS);

	return bucket < LANE_SPREAD_BUCKETS ? bucket : LANE_SPREAD_BUCKETS - 1;
}

uint64_t watch_spread_top(unsigned int bucket)
{
	if (bucket >= LANE_SPREAD_BUCKETS - 1)
		return UINT64_MAX;
	return ((lane_bucket_top(bucket, LANE_SPREAD_BITS) + 1) << LANE_SPREAD_SHIFT) - 1;
}

static void add_to(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

void watch_spread_add(struct lane_spread *spread, uint64_t ns)
{
	uint32_t *bucket = &spread->buckets[watch_spread_bucket(ns)];

	*bucket += *bucket != UINT32_MAX;
	spread->count++;
	add_to(&spread->sum_ns, ns);
	if (ns > spread->max_ns)
		spread->max_ns = ns;
}

void watch_spread_merge(struct lane_spread *spread, const struct lane_spread *from)
{
	for (unsigned int i = 0; i < LANE_SPREAD_BUCKETS; i++)
		if (__builtin_add_overflow(spread->buckets[i], from->buckets[i],
					   &spread->buckets[i]))
			spread->buckets[i] = UINT32_MAX;
	add_to(&spread->count, from->count);
	add_to(&spread->sum_ns, from->sum_ns);
	if (from->max_ns > spread->max_ns)
		spread->max_ns = from->max_ns;
}

uint64_t watch_spread_percentile(const struct lane_spread *spread, unsigned int ppm)
{
	uint64_t count = 0, seen = 0, rank;

	for (unsigned int i = 0; i < LANE_SPREAD_BUCKETS; i++)
		count += spread->buckets[i];
	if (!count)
		return 0;
	rank = (uint64_t)(((__uint128_t)count * ppm + 999999) / 1000000);
	rank = rank ? rank : 1;
	for (unsigned int i = 0; i < LANE_SPREAD_BUCKETS; i++) {
		seen += spread->buckets[i];
		if (seen >= rank)
			return watch_spread_top(i) < spread->max_ns ? watch_spread_top(i)
								    : spread->max_ns;
	}
	return spread->max_ns;
}
