// SPDX-License-Identifier: MIT
// Rows of a described table as CSV, or as JSON, an object a line.
#include "show/columns.h"

#include <inttypes.h>

#include "base/clean.h"
#include "show/report.h"

const char *show_column_name(const struct lane_column *column, int which, char *text, size_t size)
{
	if (!show_column_is_two(column))
		return column->name;
	snprintf(text, size, "%s%s%s_ns", column->name, *column->name ? "_" : "",
		 which ? "max" : "min");
	return text;
}

void show_lines_head(const struct lane_row_lines *lines, const struct lane_columns *table)
{
	for (size_t i = 0; i < table->n && !lines->is_json; i++)
		for (int k = 0; k <= show_column_is_two(&table->all[i]); k++)
			fprintf(lines->to, "%s%s", i || k ? "," : "",
				show_column_name(&table->all[i], k, SHOW_ROOM(64)));
	if (!lines->is_json)
		fputc('\n', lines->to);
}

static void csv_value(FILE *to, const struct lane_column *column,
		      const struct lane_row_value *value)
{
	if (!value->is_known)
		fputs(show_column_is_two(column) ? "," : "", to);
	else if (show_column_is_two(column))
		fprintf(to, "%" PRIu64 ",%" PRIu64, value->span.lo, value->span.hi);
	else if (column->kind == LANE_COLUMN_TEXT)
		lane_clean_csv(to, value->text);
	else if (column->kind == LANE_COLUMN_INT)
		fprintf(to, "%" PRId64, value->sint);
	else if (column->kind == LANE_COLUMN_LIST)
		fprintf(to, "%zu", value->list.n);
	else
		fprintf(to, column->kind == LANE_COLUMN_HANDLE ? "0x%" PRIx64 : "%" PRIu64,
			value->uint);
}

static void json_bounds(FILE *to, const struct lane_column *column,
			const struct lane_row_value *value)
{
	const uint64_t bounds[] = { value->span.lo, value->span.hi };

	for (int i = 0; i < 2; i++) {
		fprintf(to, "%s\"%s\":", i ? "," : "", show_column_name(column, i, SHOW_ROOM(64)));
		if (value->is_known)
			fprintf(to, "%" PRIu64, bounds[i]);
		else
			fputs("null", to);
	}
}

static void json_value(FILE *to, const struct lane_column *column,
		       const struct lane_row_value *value)
{
	if (column->kind == LANE_COLUMN_BOUNDS) {
		json_bounds(to, column, value);
		return;
	}
	fprintf(to, "\"%s%s\":", column->name, column->kind == LANE_COLUMN_SPAN ? "_ns" : "");
	if (!value->is_known)
		fputs("null", to);
	else if (column->kind == LANE_COLUMN_SPAN)
		fprintf(to, "{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "}", value->span.lo,
			value->span.hi);
	else if (column->kind == LANE_COLUMN_TEXT)
		lane_clean_json(to, value->text);
	else if (column->kind == LANE_COLUMN_LIST)
		fputs(value->list.json, to);
	else if (column->kind == LANE_COLUMN_HANDLE)
		fprintf(to, "\"0x%" PRIx64 "\"", value->uint);
	else
		csv_value(to, column, value);
}

void show_lines_row(void *arg, const struct lane_columns *table,
		    const struct lane_row_value *values)
{
	struct lane_row_lines *lines = arg;

	if (!lines->rows++)
		show_lines_head(lines, table);
	for (size_t i = 0; i < table->n; i++) {
		fputs(i ? "," : lines->is_json ? "{" : "", lines->to);
		if (lines->is_json)
			json_value(lines->to, &table->all[i], &values[i]);
		else
			csv_value(lines->to, &table->all[i], &values[i]);
	}
	fputs(lines->is_json ? "}\n" : "\n", lines->to);
}
