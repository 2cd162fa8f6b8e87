/* SPDX-License-Identifier: MIT */
/* The lines of a text file, one at a time. */
#ifndef LANE_DECODE_TEXTLINES_H
#define LANE_DECODE_TEXTLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	LANE_TEXTLINES_READ = 256 << 10,
	LANE_LINE_BYTES = 16 << 10, /* of a longer line that is all that is kept */
	LANE_TEXTLINES_BEHIND = 32, /* bytes that may be read behind a line's end */
};

struct lane_textlines {
	const char *path;
	int fd;
	char *buffer;
	char *from, *to; /* what was not given out yet */
	bool has_ended;
	bool was_cut;  /* the line given last was longer */
	uint64_t line; /* its number, from 1 */
};

/* path and fd stay the caller's. */
struct lane_error *decode_textlines_init(struct lane_textlines *lines, const char *path,
					 int fd) LANE_MUST_CHECK;

void decode_textlines_deinit(struct lane_textlines *lines);

/*
 * The next line, without its end but with a NUL behind it, and how long it is; valid until the next
 * call. NULL at the end.
 */
struct lane_error *decode_textlines_next(struct lane_textlines *lines, char **line,
					 size_t *length) LANE_MUST_CHECK;

#endif
