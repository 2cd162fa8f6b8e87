/* SPDX-License-Identifier: MIT */
/* Text for a terminal of a given width. */
#ifndef LANE_SHOW_WRAP_H
#define LANE_SHOW_WRAP_H

#include <stdio.h>

/*
 * Writes the text with its lines broken at spaces, so that none is wider than columns; what a line
 * goes on with stands two further in than its beginning. Returns how many lines that makes; to may
 * be NULL.
 */
unsigned int show_wrapped(FILE *to, const char *text, unsigned int columns);

#endif
