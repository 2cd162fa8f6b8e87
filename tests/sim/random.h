/* SPDX-License-Identifier: MIT */
/* What the generators of random scenarios share. */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include "internal.h"

struct maker {
	FILE *to;
	enum sim_mode mode;
	uint64_t rng;
	unsigned int devices;
	unsigned int engines[4]; /* per device, physical */
	bool virtuals[4];
	unsigned int contexts;
	unsigned int requests_left;
};

/* In [low, high]. */
static inline unsigned int pick(struct maker *m, unsigned int low, unsigned int high)
{
	return low + (unsigned int)(random_bits(&m->rng) % (high - low + 1));
}

static inline bool chance(struct maker *m, unsigned int percent)
{
	return pick(m, 1, 100) <= percent;
}

static inline const char *one_of(struct maker *m, const char *const *choices, unsigned int n)
{
	return choices[pick(m, 0, n - 1)];
}

#define ONE_OF(m, ...)                                                                             \
	({                                                                                         \
		static const char *const choices_[] = { __VA_ARGS__ };                             \
		one_of((m), choices_, sizeof(choices_) / sizeof(choices_[0]));                     \
	})

/* A machine whose drivers use drm_sched. */
void random_sched(struct maker *m);

#endif
