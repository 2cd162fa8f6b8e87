/* SPDX-License-Identifier: MIT */
/* What the words of the output mean: one table for `gpulane help` and the page. */
#ifndef LANE_SHOW_WORDS_H
#define LANE_SHOW_WORDS_H

#include <stddef.h>

struct lane_word {
	const char *word;
	const char *sentence;
	const char *more; /* may be empty */
};

/* The i-th word, in the order of the alphabet; NULL behind the last. */
const struct lane_word *show_word_at(size_t i);

/* The word of that name, whatever its case; NULL: there is none. */
const struct lane_word *show_word_find(const char *name);

/* What it means in a sentence; "" for a word that is not in the table. */
const char *show_word_sentence(const char *name);

#endif
