/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same on every machine for the same seed: SplitMix64 (S. Vigna).
 */
#ifndef LANE_MODEL_RANDOM_H
#define LANE_MODEL_RANDOM_H

#include <stdint.h>

/* The next 64 random bits; *state is the seed at first. */
static inline uint64_t model_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A random number below bound, which is at least 1. */
static inline uint32_t model_random_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)(((model_random(state) >> 32) * bound) >> 32);
}

#endif
