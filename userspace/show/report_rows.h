/* SPDX-License-Identifier: MIT */
/*
 * A table of the report is said once, and is rows of cells for people or a list of JSON. What
 * people do not read goes to the row's object alone, which is NULL in the text (show/json.h).
 */
#ifndef LANE_SHOW_REPORT_ROWS_H
#define LANE_SHOW_REPORT_ROWS_H

#include "show/json.h"
#include "show/report.h"

struct lane_cells {
	const struct lane_tables *t;
	struct json_object *list, *json; /* all rows, and the one that is told; NULL: of the text */
	uint32_t n;
	bool is_whole;	/* however many rows a table may have */
	bool has_cells; /* the line has begun */
};

/* Begins a table of n rows. The text's has a title and the names of its columns, or is not there
 * without rows; title NULL: it goes on with another one. */
struct lane_cells show_table(const struct lane_tables *t, const char *key, uint32_t n,
			     const char *title, const char *columns, ...) LANE_PRINTF(5, 6);

/* So many rows of n, where a text says nothing of the others. */
uint32_t show_most(const struct lane_tables *t, uint32_t n);

/* Goes on to row i of those that are shown. One of which nothing is told is none. */
bool show_row(struct lane_cells *rows, uint32_t i);

/* The next cell of the text; width < 0: flush left, 0: the last one, as it is. */
void show_cell(struct lane_cells *rows, int width, const char *format, ...) LANE_PRINTF(3, 4);

/* The same, and the member `key` in JSON. What is not known is "unknown", and null. */
void show_cell_text(struct lane_cells *rows, int width, const char *key, const char *text);
void show_cell_uint(struct lane_cells *rows, int width, const char *key, uint64_t value);
void show_cell_ns(struct lane_cells *rows, int width, const char *key, uint64_t ns, bool is_known);
void show_cell_span(struct lane_cells *rows, int width, const char *key, struct lane_span ns,
		    bool is_known);

#endif
