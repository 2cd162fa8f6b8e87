/* SPDX-License-Identifier: MIT */
/*
 * Log-linear buckets: each power of two is cut in equal parts. HdrHistogram made this layout known;
 * Debian 12 has no C library of it. A bucket's number means the same everywhere and for ever: some
 * are written to disk, and what is merged has the buckets of the same number added.
 */
#ifndef LANE_BASE_BUCKETS_H
#define LANE_BASE_BUCKETS_H

#include <stdint.h>

/* The bucket of a value, where a power of two is cut in 1 << bits. */
static inline unsigned int lane_bucket_of(uint64_t value, unsigned int bits)
{
	unsigned int shift;

	if (value < 1u << bits)
		return (unsigned int)value;
	shift = 63 - (unsigned int)__builtin_clzll(value) - bits;
	return (shift << bits) + (unsigned int)(value >> shift);
}

/* The largest value of that bucket. */
static inline uint64_t lane_bucket_top(unsigned int bucket, unsigned int bits)
{
	unsigned int parts = 1u << bits, shift;

	if (bucket < 2 * parts)
		return bucket;
	shift = bucket / parts - 1;
	return (((uint64_t)bucket % parts + parts + 1) << shift) - 1;
}

#endif
