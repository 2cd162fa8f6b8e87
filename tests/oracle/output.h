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
	DAMAGE_ABSENT
};

struct damage {
	enum damage_kind kind;
	const char *absent; /* an event's name */
};

/* False when the name is no damage. */
bool damage_parse(const char *text, struct damage *damage);

void write_events(FILE *file, const struct damage *damage);
void write_truth(FILE *file);
void write_statistics(FILE *file);

/* Says on stderr what is wrong, and how many things. */
unsigned self_check(void);

#endif
