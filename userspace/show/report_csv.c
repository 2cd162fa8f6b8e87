// SPDX-License-Identifier: MIT
// The report as CSV: one figure a line, as table, row, column, value.
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "show/json.h"
#include "show/report_tables.h"

/* Who is told the figures. */
struct figures {
	void (*told)(void *arg, const char *table, const char *row, const char *column,
		     struct json_object *value);
	void *arg;
};

static void rows(const struct figures *to, const char *table, struct json_object *array);

static void report_csv_column(const struct figures *to, const char *table, const char *row,
			      const char *path, struct json_object *value);

/* All figures below an object, their keys joined by dots. */
static void columns(const struct figures *to, const char *table, const char *row,
		    const char *prefix, struct json_object *object)
{
	json_object_object_foreach(object, key, value) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		report_csv_column(to, table, row, path, value);
	}
}

/* A list is a table of its own; in a row its values are numbered from 1. */
static void report_csv_column(const struct figures *to, const char *table, const char *row,
			      const char *path, struct json_object *value)
{
	char name[192];

	if (json_object_is_type(value, json_type_object)) {
		columns(to, table, row, path, value);
	} else if (!json_object_is_type(value, json_type_array)) {
		to->told(to->arg, table, row, path, value);
	} else if (!*row) {
		snprintf(name, sizeof(name), "%s.%s", table, path);
		rows(to, name, value);
	} else {
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			char numbered[160];

			snprintf(numbered, sizeof(numbered), "%s.%zu", path, i + 1);
			report_csv_column(to, table, row, numbered,
					  json_object_array_get_idx(value, i));
		}
	}
}

static void rows(const struct figures *to, const char *table, struct json_object *array)
{
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *row = show_json_row_at(array, i);
		char number[24];

		snprintf(number, sizeof(number), "%zu", i + 1);
		if (json_object_is_type(row, json_type_object))
			columns(to, table, number, "", row);
		else
			to->told(to->arg, table, number, "", row);
		json_object_put(row);
	}
}

void show_report_figures(struct json_object *tree,
			 void (*told)(void *arg, const char *table, const char *row,
				      const char *column, struct json_object *value),
			 void *arg)
{
	const struct figures to = { told, arg };

	json_object_object_foreach(tree, key, value) {
		if (json_object_is_type(value, json_type_array))
			rows(&to, key, value);
		else if (json_object_is_type(value, json_type_object))
			columns(&to, key, "", "", value);
		else
			told(arg, key, "", "", value);
	}
}

/* --- CSV --- */

struct csv {
	FILE *to;
	const char *machine; /* before each line; NULL: there is one */
};

static void line(void *arg, const char *table, const char *row, const char *path,
		 struct json_object *value)
{
	const struct csv *csv = arg;

	if (csv->machine) {
		lane_clean_csv(csv->to, csv->machine);
		fputc(',', csv->to);
	}
	fprintf(csv->to, "%s,%s,%s,", table, row, path);
	if (json_object_is_type(value, json_type_string))
		lane_clean_csv(csv->to, json_object_get_string(value));
	else if (value)
		fputs(json_object_get_string(value), csv->to);
	fputc('\n', csv->to);
}

static struct lane_error *write_csv(FILE *to, struct lane_latency *latency,
				    const struct lane_report_options *options)
{
	struct csv csv = { to, options->machine };
	struct json_object *tree;
	struct lane_error *err = show_report_tree(latency, options, &tree);

	if (err)
		return err;
	if (!options->machine)
		fputs("table,row,column,value\n", to);
	show_report_figures(tree, line, &csv);
	json_object_put(tree);
	return ferror(to) ? lane_error_errno(errno, "it could not be written") : NULL;
}

const struct lane_report_format lane_report_csv = {
	.name = "csv",
	.help = "for spreadsheets: the same, one figure a line",
	.write = write_csv,
};
