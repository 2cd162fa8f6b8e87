// SPDX-License-Identifier: MIT
// Writes docs/words.md from the table of words to stdout.
#include <stdio.h>

#include "show/words.h"

int main(void)
{
	printf("# Words of the output\n\n"
	       "Each word that stands in a report, on the page or in a timeline, and what it "
	       "means. "
	       "`gpulane help WORD` says the same;\n"
	       "the page shows it beside the word. This page is made from "
	       "`userspace/show/words.def` "
	       "(`make docs`).\n");
	for (size_t i = 0; show_word_at(i); i++) {
		const struct lane_word *word = show_word_at(i);

		printf("\n## %s\n\n%s\n", word->word, word->sentence);
		if (*word->more)
			printf("\n%s\n", word->more);
	}
	return fflush(stdout) || ferror(stdout);
}
