/* SPDX-License-Identifier: MIT */
/*
 * A table that programs read is described once: its columns, each with its kind, its unit and what
 * it means. Each row is a list of values in the columns' order. CSV, lines of JSON and SQLite are
 * made from both.
 */
#ifndef LANE_SHOW_COLUMNS_H
#define LANE_SHOW_COLUMNS_H

#include <stdio.h>

#include "latency/latency.h"

enum lane_column_kind {
	LANE_COLUMN_UINT,
	LANE_COLUMN_INT,
	LANE_COLUMN_TEXT,
	LANE_COLUMN_HANDLE, /* a program's: hexadecimal, in JSON as text */
	LANE_COLUMN_BOUNDS, /* two columns: NAME_min_ns, NAME_max_ns */
	LANE_COLUMN_SPAN,   /* the same, but in JSON one object, NAME_ns */
	LANE_COLUMN_LIST,   /* how many there are; in JSON they themselves */
	LANE_COLUMN_ANY,    /* in a database alone: of each row's own type */
};

struct lane_column {
	enum lane_column_kind kind;
	const char *name; /* of bounds it may be "" */
	const char *unit; /* "": none */
	const char *meaning;
};

struct lane_columns {
	const char *name; /* of the table */
	const struct lane_column *all;
	size_t n;
};

/* What is not known has no value: it is empty in CSV, null elsewhere. */
struct lane_row_value {
	bool is_known;
	union {
		uint64_t uint; /* a handle's, too */
		int64_t sint;
		const char
			*text; /* as it was recorded: whoever writes it makes it fit to be shown */
		struct lane_span span;
		struct json_object *json;
		struct lane_row_list {
			size_t n;
			const char *json;
		} list;
	};
};

/* Who is told the rows. */
struct lane_row_sink {
	void *arg;
	void (*row)(void *arg, const struct lane_columns *table,
		    const struct lane_row_value *values);
};

/* Bounds are two columns in a table. */
static inline bool show_column_is_two(const struct lane_column *column)
{
	return column->kind == LANE_COLUMN_BOUNDS || column->kind == LANE_COLUMN_SPAN;
}

/* A column's name; of bounds "start_min_ns" (which 0) and "start_max_ns" (which 1). */
const char *show_column_name(const struct lane_column *column, int which, char *text, size_t size);

/* CSV, or an object a line. */
struct lane_row_lines {
	FILE *to;
	bool is_json;
	uint64_t rows;
};

void show_lines_head(const struct lane_row_lines *lines, const struct lane_columns *table);

/* A row; the first one has CSV's head before it. arg: struct lane_row_lines. */
void show_lines_row(void *arg, const struct lane_columns *table,
		    const struct lane_row_value *values);

#endif
