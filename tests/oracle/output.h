/* SPDX-License-Identifier: MIT */
/* What the simulation leaves: events, damaged or not, the truth, figures and its own checks. */
#ifndef ORACLE_OUTPUT_H
#define ORACLE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

enum damage_kind {
	DAMAGE_NONE,
	DAMAGE_DROP1,
	DAMAGE_DROP10,
	DAMAGE_BURSTS,
	DAMAGE_CUT,
	DAMAGE_OLDEST,
	DAMAGE_NEWEST,
	DAMAGE_FOLLOW,
	N_DAMAGES
};

struct damage {
	bool is[N_DAMAGES];
	const char *absent[4]; /* names of events */
	unsigned n_absent;
};

/* Damages with `+` between them. False when one is no damage. The text is cut into its words. */
bool damage_parse(char *text, struct damage *damage);

void write_events(FILE *file, const struct damage *damage);
void write_truth(FILE *file);
void write_statistics(FILE *file);

/* Says on stderr what is wrong, and how many things. */
unsigned self_check(void);

#endif
