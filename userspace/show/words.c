// SPDX-License-Identifier: MIT
// The table of words.
#include "show/words.h"

#include <strings.h>

static const struct lane_word words[] = {
#define WORD(word, sentence, more) { word, sentence, more },
#include "show/words.def"
#undef WORD
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

const struct lane_word *show_word_at(size_t i)
{
	return i < N_WORDS ? &words[i] : NULL;
}

const struct lane_word *show_word_find(const char *name)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (!strcasecmp(words[i].word, name))
			return &words[i];
	return NULL;
}

const char *show_word_sentence(const char *name)
{
	const struct lane_word *word = show_word_find(name);

	return word ? word->sentence : "";
}
