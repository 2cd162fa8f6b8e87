// SPDX-License-Identifier: MIT
// Rows of the report's tables, as text or as JSON.
#include "show/report_rows.h"

#include <inttypes.h>
#include <stdarg.h>

struct lane_cells show_table(const struct lane_tables *t, const char *key, uint32_t n,
			     const char *title, const char *columns, ...)
{
	struct lane_cells rows = { .t = t, .n = n };
	va_list args;

	if (t->tree) {
		rows.list = show_json_list(t->tree, key);
	} else if (n && title) {
		show_title(t, title);
	}
	if (!t->tree && n && title && columns) {
		fputs("  ", t->to);
		va_start(args, columns);
		vfprintf(t->to, columns, args);
		va_end(args);
		fputc('\n', t->to);
	}
	return rows;
}

uint32_t show_most(const struct lane_tables *t, uint32_t n)
{
	return t->tree || !t->options->rows || n < t->options->rows ? n : t->options->rows;
}

bool show_row(struct lane_cells *rows, uint32_t i)
{
	if (rows->json && json_object_object_length(rows->json))
		show_json_keep(rows->list, rows->json);
	else
		json_object_put(rows->json);
	rows->json = rows->list && i < rows->n ? json_object_new_object() : NULL;
	if (rows->has_cells)
		fputc('\n', rows->t->to);
	rows->has_cells = false;
	return i < rows->n && (rows->list || rows->is_whole || !show_enough(rows->t, i, rows->n));
}

void show_cell(struct lane_cells *rows, int width, const char *format, ...)
{
	char text[512];
	va_list args;

	if (rows->list)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(rows->t->to, "%s%*s", rows->has_cells && width ? " " : "  ", width, text);
	rows->has_cells = true;
}

void show_cell_head(struct lane_cells *rows, int width, const char *head)
{
	if (head && (*head || width))
		show_cell(rows, width, "%s", head);
}

void show_cell_text(struct lane_cells *rows, int width, const char *key, const char *text)
{
	show_json_text(rows->json, key, text);
	show_cell(rows, width, "%s", text ? text : "unknown");
}

void show_cell_some(struct lane_cells *rows, int width, const char *key, const char *text)
{
	show_json_text(rows->json, key, text);
	show_cell(rows, width, "%s", text ? text : "-");
}

void show_cell_uint(struct lane_cells *rows, int width, const char *key, uint64_t value)
{
	show_json_uint(rows->json, key, value);
	show_cell(rows, width, "%" PRIu64, value);
}

void show_cell_ns(struct lane_cells *rows, int width, const char *key, uint64_t ns, bool is_known)
{
	show_json_known(rows->json, key, ns, is_known);
	show_cell(rows, width, "%s", is_known ? SHOW_DURATION(ns) : "unknown");
}

void show_cell_span(struct lane_cells *rows, int width, const char *key, struct lane_span ns,
		    bool is_known)
{
	show_json_known_span(rows->json, key, ns, is_known);
	show_cell(rows, width, "%s", is_known ? SHOW_SPAN(ns) : "unknown");
}
