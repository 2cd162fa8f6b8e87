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
	int wide;	/* of a column as wide as its names; 0: not looked up yet */
};

/* Begins a table of n rows. The text's has a title and the names of its columns, or is not there
 * without rows; title NULL: it goes on with another one; columns NULL: their cells come next. */
struct lane_cells show_table(const struct lane_tables *t, const char *key, uint32_t n,
			     const char *title, const char *columns, ...) LANE_PRINTF(5, 6);

/* So many rows of n, where a text says nothing of the others. */
uint32_t show_most(const struct lane_tables *t, uint32_t n);

/* Goes on to row i of those that are shown. One of which nothing is told is none. */
bool show_row(struct lane_cells *rows, uint32_t i);

/* The next cell of the text; width < 0: flush left, 0: the last one, as it is. */
void show_cell(struct lane_cells *rows, int width, const char *format, ...) LANE_PRINTF(3, 4);

/* The name of a column; "": it has none; NULL: it stands in an earlier one. */
void show_cell_head(struct lane_cells *rows, int width, const char *head);

/* The same, and the member `key` in JSON. What is not known is "unknown", and null. */
void show_cell_text(struct lane_cells *rows, int width, const char *key, const char *text);
/* The same of what not each row has: "-". */
void show_cell_some(struct lane_cells *rows, int width, const char *key, const char *text);
void show_cell_uint(struct lane_cells *rows, int width, const char *key, uint64_t value);
void show_cell_ns(struct lane_cells *rows, int width, const char *key, uint64_t ns, bool is_known);
void show_cell_span(struct lane_cells *rows, int width, const char *key, struct lane_span ns,
		    bool is_known);

/*
 * Makes the function that tells a table, of a list of show/report_tables.def, whose C, J and S are
 * a column, a member of JSON alone and a statement. l is the report's figures, i the row.
 */
#define SHOW_TABLE(name, COLUMNS, of_key, of_n, of_title)                                          \
	static void name(const struct lane_tables *t)                                              \
	{                                                                                          \
		struct lane_latency *l = t->latency;                                               \
		struct lane_cells rows = show_table(t, of_key, of_n, of_title, NULL);              \
                                                                                                   \
		if (rows.n && !rows.list) {                                                        \
			COLUMNS(SHOW_ROW_HEAD, SHOW_ROW_NONE, SHOW_ROW_NONE)                       \
		}                                                                                  \
		for (uint32_t i = 0; show_row(&rows, i); i++) {                                    \
			COLUMNS(SHOW_ROW_CELL, SHOW_ROW_JSON, SHOW_ROW_DO)                         \
		}                                                                                  \
	}
#define SHOW_ROW_NONE(...)
#define SHOW_ROW_DO(...)			 __VA_ARGS__;
#define SHOW_ROW_JSON(kind, ...)		 show_json_##kind(rows.json, __VA_ARGS__);
#define SHOW_ROW_HEAD(kind, width, head, ...)	 show_cell_head(&rows, width, head);
#define SHOW_ROW_CELL(kind, width, head, ...)	 SHOW_ROW_##kind(width, __VA_ARGS__)
#define SHOW_ROW_TEXT(width, key, ...)		 show_cell_text(&rows, width, key, __VA_ARGS__);
#define SHOW_ROW_SOME(width, key, ...)		 show_cell_some(&rows, width, key, __VA_ARGS__);
#define SHOW_ROW_UINT(width, key, ...)		 show_cell_uint(&rows, width, key, __VA_ARGS__);
#define SHOW_ROW_NS(width, key, ns)		 show_cell_ns(&rows, width, key, ns, true);
#define SHOW_ROW_NS_IF(width, key, is_known, ns) show_cell_ns(&rows, width, key, ns, is_known);
#define SHOW_ROW_SPAN(width, key, span)		 show_cell_span(&rows, width, key, span, true);
#define SHOW_ROW_SPAN_IF(width, key, is_known, span)                                               \
	show_cell_span(&rows, width, key, span, is_known);
#define SHOW_ROW_SAY(width, ...)	    show_cell(&rows, width, __VA_ARGS__);
#define SHOW_ROW_CALL(width, function, ...) function(&rows, width, __VA_ARGS__);

#endif
