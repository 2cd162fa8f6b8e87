/* SPDX-License-Identifier: MIT */
/* Drawn numbers, the same on every machine. */
#ifndef TESTS_UNIT_DRAW_H
#define TESTS_UNIT_DRAW_H

#include <stdint.h>

static uint64_t seed;

/* xorshift64* */
static inline uint64_t draw(uint64_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 2685821657736338717u % below;
}

#endif
