/* SPDX-License-Identifier: MIT */
/*
 * Lines of words, as the files of a watch have them: words are apart by one space; what is no plain
 * character in a word stands as %XX, an empty word as %. So any name fits, and a line is a line.
 */
#ifndef LANE_WATCH_ESCAPED_H
#define LANE_WATCH_ESCAPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a space and the word. */
void watch_words_put(FILE *to, const char *word);

/*
 * Takes the next word of a line, *line moves on. False: there is none, it does not fit (its 0
 * included), or it is not written as above.
 */
bool watch_words_get(const char **line, char *word, size_t bytes);

/* Takes the next word as a number of at most `most`; false likewise. */
bool watch_words_number(const char **line, uint64_t most, uint64_t *value);

#endif
