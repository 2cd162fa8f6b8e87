// SPDX-License-Identifier: MIT
// Text files as lines of words, for the formats that people write by hand.
#include "model/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

struct lane_error *model_text_read(const char *path, size_t limit, char **text)
{
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	LANE_CLEANUP(lane_free) char *buffer = NULL;
	size_t size = 0;
	size_t room = 0;
	struct lane_error *err;

	err = lane_file_fopen(path, &file);
	if (err)
		return err;
	do {
		char *larger;

		if (size >= limit)
			return lane_error("%s: longer than %zu bytes (is it the right file?)", path,
					  limit);
		room = room ? room * 2 : 4096;
		if (room > limit + 1)
			room = limit + 1;
		larger = realloc(buffer, room);
		if (!larger)
			return &lane_enomem;
		buffer = larger;
		size += fread(buffer + size, 1, room - 1 - size, file);
		if (ferror(file))
			return lane_error_errno(errno, "%s: cannot be read", path);
	} while (!feof(file));
	if (memchr(buffer, 0, size))
		return lane_error("%s: not a text file (it holds NUL bytes)", path);
	buffer[size] = '\0';
	*text = LANE_TAKE(buffer);
	return NULL;
}

void model_lines_init(struct lane_lines *lines, char *text, const char *what)
{
	*lines = (struct lane_lines){ .what = what, .next = text };
}

/* Cuts one line into words; returns -1 when there are too many. */
static int lines_split(struct lane_lines *lines, char *line)
{
	char *state = NULL;

	lines->n_words = 0;
	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, " \t\r\f\v", &state); word;
	     word = strtok_r(NULL, " \t\r\f\v", &state)) {
		if (lines->n_words == LANE_LINE_WORDS)
			return -1;
		lines->word[lines->n_words++] = word;
	}
	return 0;
}

struct lane_error *model_lines_next(struct lane_lines *lines, int *more)
{
	while (lines->next) {
		char *line = lines->next;
		char *end = strchr(line, '\n');

		lines->line++;
		lines->next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		if (lines_split(lines, line))
			return model_lines_error(lines, "more than %d words", LANE_LINE_WORDS);
		if (lines->n_words) {
			*more = 1;
			return NULL;
		}
	}
	*more = 0;
	return NULL;
}

char *model_lines_rest(struct lane_lines *lines, unsigned int from)
{
	for (unsigned int i = from + 1; i < lines->n_words; i++) {
		char *end = lines->word[i - 1] + strlen(lines->word[i - 1]);

		/* Words lie in order in one buffer, at least one byte apart: fill the gap. */
		memset(end, ' ', (size_t)(lines->word[i] - end));
	}
	return lines->word[from];
}

struct lane_error *model_lines_error(const struct lane_lines *lines, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lane_error("%s: line %u: %s", lines->what, lines->line, text);
}
