/* SPDX-License-Identifier: MIT */
/*
 * Text from outside (names in a trace, paths, what drivers call themselves) before it is shown.
 *
 * What could do more than be read becomes a dot: bytes that are no UTF-8, control characters (C0,
 * DEL, and C1 as UTF-8 has it), and what changes the order or the look of other characters: marks
 * and overrides of direction, characters of no width, separators of lines, tags. Text never grows
 * by it.
 */
#ifndef LANE_BASE_CLEAN_H
#define LANE_BASE_CLEAN_H

#include <stddef.h>
#include <stdio.h>

/* What the text is for. */
enum lane_clean {
	LANE_CLEAN_LINE, /* a terminal, a table, a viewer's label: one line */
	LANE_CLEAN_JSON, /* as that, but C0 stays: JSON's writer has escapes for it */
};

/* Cleans text in place. Returns it. */
char *lane_clean(char *text, enum lane_clean use);

/* Cleans what is in the n bytes up to the first 0, in place; what is left over becomes 0. */
void lane_clean_bytes(char *text, size_t n);

/* A copy that is clean, cut at a character's border where it does not fit. Returns `to`. */
char *lane_clean_copy(char *to, size_t size, const char *from, enum lane_clean use);

/*
 * Prints a cell of CSV: clean, quoted as RFC 4180 has it where it has to be. A text that a
 * spreadsheet would take for a formula (= + - @ first, and more after it) gets a '
 * before it.
 */
void lane_clean_csv(FILE *to, const char *text);

/* Prints a string of JSON, its quotes and escapes included. */
void lane_clean_json(FILE *to, const char *text);

/* Prints clean text of any length, as one line. */
void lane_clean_print(FILE *to, const char *text);

/* A copy that is clean, of any length; the caller's. NULL: no memory. */
char *lane_clean_dup(const char *text, enum lane_clean use);

#endif
