/* SPDX-License-Identifier: MIT */
/*
 * Small text files (devices, graphs) as lines of words: `#` begins a comment, blanks separate
 * words.
 */
#ifndef LANE_MODEL_LINES_H
#define LANE_MODEL_LINES_H

#include <stddef.h>

#include "base/error.h"

#define LANE_LINE_WORDS 67 /* an access of a warp of 64 lanes */

/* Where a reader stands. All memory is the caller's text, which is cut into words in place. */
struct lane_lines {
	const char *what;  /* the file's name, for errors */
	char *next;	   /* what has not been read */
	unsigned int line; /* number of the line that words holds, from 1 */
	unsigned int n_words;
	char *word[LANE_LINE_WORDS];
};

/*
 * Reads a whole file of at most limit bytes that holds text (no NUL). *text is the caller's to free
 * and ends with NUL. what in errors is the path.
 */
struct lane_error *model_text_read(const char *path, size_t limit, char **text) LANE_MUST_CHECK;

/* Begins to read text, which is changed; both strings must outlive the reader. */
void model_lines_init(struct lane_lines *lines, char *text, const char *what);

/*
 * The next line that has words. *more is 0 at the end of the text. A line with more than
 * LANE_LINE_WORDS words is an error.
 */
struct lane_error *model_lines_next(struct lane_lines *lines, int *more) LANE_MUST_CHECK;

/* The words from the given one on as one text again, blanks between them (in place). */
char *model_lines_rest(struct lane_lines *lines, unsigned int from);

/* An error about the current line: `what: line N: <formatted>`. */
struct lane_error *model_lines_error(const struct lane_lines *lines, const char *format, ...)
	LANE_PRINTF(2, 3) LANE_MUST_CHECK;

#endif
