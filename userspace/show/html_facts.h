/* SPDX-License-Identifier: MIT */
/* The page's facts: the report and the names of what the blocks of data number. */
#ifndef LANE_SHOW_HTML_FACTS_H
#define LANE_SHOW_HTML_FACTS_H

#include <stdio.h>

#include "show/export.h"
#include "show/tracks.h"

#define LANE_HTML_NAME 64

struct lane_html_facts {
	const char *title;
	uint64_t origin_ns; /* what the page's times are told from */
	const struct lane_tracks *tracks;
	const char (*names)[LANE_HTML_NAME]; /* tasks and kernels, as numbered in the blocks */
	uint32_t n_names;
	const struct lane_export_figures *figures;
};

/* Writes them as a script element of JSON. */
struct lane_error *show_html_facts(const struct lane_html_facts *facts, FILE *to) LANE_MUST_CHECK;

#endif
