// SPDX-License-Identifier: MIT
// Lines of words.
#include "watch/escaped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '%';
}

void watch_words_put(FILE *to, const char *word)
{
	fputc(' ', to);
	if (!*word)
		fputc('%', to);
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		if (is_plain(c))
			fputc(c, to);
		else
			fprintf(to, "%%%02x", c);
	}
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A character of a word, -1: it is not written as one. */
static int escaped_take(const char **at)
{
	unsigned char c = (unsigned char)*(*at)++;
	int high, low;

	if (c != '%')
		return is_plain(c) ? c : -1;
	high = digit(**at);
	low = high < 0 ? -1 : digit((*at)[1]);
	if (low < 0 || !(high << 4 | low))
		return -1;
	*at += 2;
	return high << 4 | low;
}

bool watch_words_get(const char **line, char *word, size_t bytes)
{
	const char *at = *line;
	size_t n = 0;

	while (*at == ' ')
		at++;
	if (!*at)
		return false;
	if (*at == '%' && (!at[1] || at[1] == ' ')) {
		*word = 0;
		*line = at + 1;
		return true;
	}
	while (*at && *at != ' ') {
		int c = escaped_take(&at);

		if (c < 0 || n + 1 >= bytes)
			return false;
		word[n++] = (char)c;
	}
	word[n] = 0;
	*line = at;
	return true;
}

bool watch_words_number(const char **line, uint64_t most, uint64_t *value)
{
	char word[24], *end;

	if (!watch_words_get(line, word, sizeof(word)) || *word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !errno && !*end && *value <= most;
}
