// SPDX-License-Identifier: MIT
// Reads a text file line by line, with a buffer of its own.
#include "decode/textlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"

struct lane_error *decode_textlines_init(struct lane_textlines *lines, const char *path, int fd)
{
	*lines = (struct lane_textlines){ .path = path, .fd = fd };
	lines->buffer = calloc(1, LANE_TEXTLINES_READ + LANE_LINE_BYTES + LANE_TEXTLINES_BEHIND);
	if (!lines->buffer)
		return &lane_enomem;
	lines->from = lines->to = lines->buffer;
	return NULL;
}

void decode_textlines_deinit(struct lane_textlines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

/* Moves the rest of the buffer to its beginning and reads behind it. */
static struct lane_error *textlines_fill(struct lane_textlines *lines)
{
	size_t rest = (size_t)(lines->to - lines->from);
	ssize_t n;

	memmove(lines->buffer, lines->from, rest);
	lines->from = lines->buffer;
	lines->to = lines->buffer + rest;
	do {
		n = read(lines->fd, lines->to, LANE_TEXTLINES_READ);
	} while (n < 0 && errno == EINTR);
	if (lane_stop_signal || n <= 0)
		lines->has_ended = true;
	if (lane_stop_signal)
		return lane_error("interrupted");
	if (n < 0)
		return lane_error_errno(errno, "%s", lines->path);
	lines->to += n;
	return NULL;
}

/* Passes over the rest of a line that is too long. */
static struct lane_error *skip_rest(struct lane_textlines *lines)
{
	for (;;) {
		char *end = memchr(lines->from, '\n', (size_t)(lines->to - lines->from));
		struct lane_error *err;

		lines->from = end ? end + 1 : lines->to;
		if (end || lines->has_ended)
			return NULL;
		err = textlines_fill(lines);
		if (err)
			return err;
	}
}

struct lane_error *decode_textlines_next(struct lane_textlines *lines, char **line, size_t *length)
{
	struct lane_error *err;
	size_t rest;
	char *end;

	*line = NULL;
	*length = 0;
	if (lines->was_cut) {
		lines->was_cut = false;
		err = skip_rest(lines);
		if (err)
			return err;
	}
	for (;;) {
		rest = (size_t)(lines->to - lines->from);
		end = memchr(lines->from, '\n', rest);
		if (end || lines->has_ended || rest >= LANE_LINE_BYTES)
			break;
		err = textlines_fill(lines);
		if (err)
			return err;
	}
	if (!end && !rest)
		return NULL;
	lines->line++;
	*line = lines->from;
	if (!end && rest >= LANE_LINE_BYTES) {
		*length = LANE_LINE_BYTES - 1;
		lines->was_cut = true;
		lines->from += LANE_LINE_BYTES;
	} else {
		*length = end ? (size_t)(end - *line) : rest;
		lines->from = end ? end + 1 : lines->to;
	}
	(*line)[*length] = '\0'; /* the buffer has more */
	return NULL;
}
