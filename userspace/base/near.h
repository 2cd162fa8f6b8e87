/* SPDX-License-Identifier: MIT */
/* What somebody may have meant who mistyped a word. */
#ifndef LANE_BASE_NEAR_H
#define LANE_BASE_NEAR_H

/* The nearest of the names that were tried; begins as { .word = WORD }. */
struct lane_near {
	const char *word;
	const char *name; /* NULL: none is near */
	unsigned int away;
};

/* Tries a name: it is near where few letters are wrong, missing, too many, or exchanged with the
 * next one. The name has to live as long. */
void lane_near_try(struct lane_near *near, const char *name);

/* "did you mean `NAME'? ", or "" where none is near. */
const char *lane_near_said(const struct lane_near *near, char *buffer, unsigned int size);

#endif
