// SPDX-License-Identifier: MIT
// Text for a terminal of a given width.
#include "show/wrap.h"

#include <stdbool.h>
#include <string.h>

/* The end of what fits into so many columns: the last space before that, or the whole word. Colours
 * and the bytes in a character have no width. */
static const char *fitting(const char *line, const char *end, unsigned int columns)
{
	const char *last = NULL, *at = line + strspn(line, " ");
	unsigned int width = (unsigned int)(at - line);

	for (; at < end; at++) {
		if (*at == '\033') {
			at += strcspn(at, "m");
			continue;
		}
		if (*at == ' ' && at[-1] != ' ')
			last = at;
		width += (*at & 0xc0) != 0x80;
		if (width > columns && last)
			return last;
	}
	return end;
}

unsigned int show_wrapped(FILE *to, const char *text, unsigned int columns)
{
	unsigned int lines = 0;

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		int indent = (int)strspn(text, " ") + 2;
		bool is_first = true;

		do {
			int more = is_first ? 0 : indent;
			const char *to_here = fitting(text, end, columns - (unsigned int)more);

			if (to)
				fprintf(to, "%*s%.*s\n", more, "", (int)(to_here - text), text);
			lines++;
			is_first = false;
			text = to_here + (to_here < end ? strspn(to_here, " ") : 0);
		} while (text < end);
		text += *text == '\n';
	}
	return lines;
}
