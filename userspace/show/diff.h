/* SPDX-License-Identifier: MIT */
/* Two sides compared, as text, as JSON or as a page. */
#ifndef LANE_SHOW_DIFF_H
#define LANE_SHOW_DIFF_H

#include <stdio.h>

#include "compare/compare.h"

struct lane_diff_options {
	bool has_colour;
	bool has_all;	   /* every quantity, as a table */
	unsigned int rows; /* of a part of the first screen, at most */
};

struct lane_error *show_diff_text(FILE *to, const struct compare_result *result,
				  const struct lane_diff_options *options) LANE_MUST_CHECK;
/* A page for a browser, with what show_diff_text() writes; the first recording of each side has its
 * series. */
struct lane_error *show_diff_html(FILE *to, const struct compare_result *result,
				  const struct lane_diff_options *options) LANE_MUST_CHECK;
struct lane_error *show_diff_json(FILE *to, const struct compare_result *result) LANE_MUST_CHECK;

/* What is compared: "hist's requests on rcs0", "kernel blur of game". */
const char *show_diff_row(const struct compare_row *row, char *buffer, size_t size);

/* What is beside the comparison and differs between the sides: calls fn with its name, and how it
 * was in base and in new. */
void show_diff_beside(const struct compare_result *result,
		      void (*fn)(void *arg, const char *name, const char *base, const char *new),
		      void *arg);

#endif
