/* SPDX-License-Identifier: MIT */
/* How long most of one kind take, in little memory: their number, by powers of two. */
#ifndef LANE_BASE_OCTAVES_H
#define LANE_BASE_OCTAVES_H

#include <stdbool.h>
#include <stdint.h>

#define LANE_OCTAVES 32

/* Durations up to 2 us, 4 us, 8 us and so on; the last one takes in all that are longer. */
struct lane_octaves {
	uint32_t n[LANE_OCTAVES];
};

/* Half of n, or more, took so long at most; n 0: none is known. */
struct lane_typical {
	uint64_t n, ns;
};

/* So many times what is usual is unusual, */
#define LANE_UNUSUAL_TIMES 100
/* if so many others are known, */
#define LANE_UNUSUAL_FROM 10
/* and it is long enough for somebody to notice, ns. */
#define LANE_UNUSUAL_NS 10000000

static inline unsigned int lane_octave_of(uint64_t ns)
{
	unsigned int octave = ns >> 11 ? 53 - (unsigned int)__builtin_clzll(ns) : 0;

	return octave < LANE_OCTAVES ? octave : LANE_OCTAVES - 1;
}

static inline void lane_octaves_add(struct lane_octaves *octaves, uint64_t ns)
{
	uint32_t *n = &octaves->n[lane_octave_of(ns)];

	*n += *n < UINT32_MAX;
}

/* What is usual; ns UINT64_MAX: it has no bound. */
static inline struct lane_typical lane_typical_of(const struct lane_octaves *octaves)
{
	struct lane_typical usual = { 0 };
	uint64_t below = 0;
	unsigned int i = 0;

	for (unsigned int k = 0; k < LANE_OCTAVES; k++)
		usual.n += octaves->n[k];
	while (usual.n && (below += octaves->n[i]) < (usual.n + 1) / 2)
		i++;
	usual.ns = i == LANE_OCTAVES - 1 ? UINT64_MAX : UINT64_C(2048) << i;
	return usual;
}

/* So long is beyond all that is usual. */
static inline bool lane_is_unusual(struct lane_typical usual, uint64_t ns)
{
	return usual.n >= LANE_UNUSUAL_FROM && ns >= LANE_UNUSUAL_NS &&
	       ns / LANE_UNUSUAL_TIMES >= usual.ns;
}

/* More than one in a hundred is about so long, or longer: such a length is usual, too. */
static inline bool lane_has_many_of(const struct lane_octaves *octaves, struct lane_typical usual)
{
	uint64_t n = 0;

	for (unsigned int i = lane_octave_of(usual.ns * LANE_UNUSUAL_TIMES); i < LANE_OCTAVES; i++)
		n += octaves->n[i];
	return n > 1 && n > usual.n / 100;
}

#endif
