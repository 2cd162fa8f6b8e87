// SPDX-License-Identifier: MIT
// Results of `gpulane model` as text, JSON and CSV, all from one object.
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/folder.h"
#include "model/cmd/verb.h"

void model_drop(json_object **object)
{
	json_object_put(*object);
}

json_object *model_result(const char *model)
{
	json_object *result = json_object_new_object();

	model_put_whole(result, "version", 1);
	model_put_text(result, "model", model);
	return result;
}

void model_put_text(json_object *object, const char *key, const char *value)
{
	LANE_CLEANUP(lane_free) char *text = lane_clean_dup(value, LANE_CLEAN_LINE);

	json_object_object_add(object, key, text ? json_object_new_string(text) : NULL);
}

void model_put_whole(json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

void model_put_real(json_object *object, const char *key, double value, int decimals)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%.*f", decimals, value);

	if (length >= (int)sizeof(text))
		length = snprintf(text, sizeof(text), "%.17g", value);
	if (decimals > 0 && strchr(text, '.')) {
		while (text[length - 1] == '0')
			text[--length] = '\0';
		if (text[length - 1] == '.')
			text[--length] = '\0';
	}
	json_object_object_add(object, key, json_object_new_double_s(value, text));
}

void model_put_nothing(json_object *object, const char *key)
{
	json_object_object_add(object, key, NULL);
}

json_object *model_row(json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	json_object *row = json_object_new_object();

	if (!rows) {
		rows = json_object_new_array();
		json_object_object_add(result, "rows", rows);
	}
	json_object_array_add(rows, row);
	return row;
}

/* What a member is printed as. */
static const char *shown(json_object *value)
{
	if (!value)
		return "-";
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value)
							    : json_object_to_json_string(value);
}

static void csv_line(json_object *row, int names)
{
	int first = 1;

	json_object_object_foreach(row, key, value) {
		if (json_object_is_type(value, json_type_array))
			continue;
		if (!first)
			putchar(',');
		first = 0;
		if (!names && json_object_is_type(value, json_type_string))
			lane_clean_csv(stdout, shown(value));
		else
			fputs(names ? key : shown(value), stdout);
	}
	putchar('\n');
}

static void print_csv(json_object *result)
{
	json_object *rows = json_object_object_get(result, "rows");
	size_t n = rows ? json_object_array_length(rows) : 0;

	csv_line(n ? json_object_array_get_idx(rows, 0) : result, 1);
	if (!n)
		csv_line(result, 0);
	for (size_t i = 0; i < n; i++)
		csv_line(json_object_array_get_idx(rows, i), 0);
}

static size_t longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The rows in columns, as wide as their widest member; numbers to the right. */
static void print_table(json_object *rows)
{
	size_t n = json_object_array_length(rows);
	json_object *head = n ? json_object_array_get_idx(rows, 0) : NULL;
	size_t width[64] = { 0 };
	int column = 0;

	if (!head)
		return;
	json_object_object_foreach(head, key, unused) {
		(void)unused;
		width[column] = strlen(key);
		for (size_t i = 0; i < n; i++) {
			json_object *row = json_object_array_get_idx(rows, i);

			width[column] = longer(width[column],
					       strlen(shown(json_object_object_get(row, key))));
		}
		printf("%s%*s", column ? "  " : "", (int)width[column], key);
		if (++column == 64)
			break;
	}
	putchar('\n');
	for (size_t i = 0; i < n; i++) {
		column = 0;
		json_object_object_foreach(json_object_array_get_idx(rows, i), name, value) {
			(void)name;
			printf("%s%*s", column ? "  " : "", (int)width[column], shown(value));
			if (++column == 64)
				break;
		}
		putchar('\n');
	}
}

static void verb_out_print_text(json_object *result)
{
	size_t width = 0;
	json_object *rows = json_object_object_get(result, "rows");

	json_object_object_foreach(result, key, value) {
		if (!json_object_is_type(value, json_type_array))
			width = longer(width, strlen(key));
	}
	json_object_object_foreach(result, name, scalar) {
		if (!json_object_is_type(scalar, json_type_array) && strcmp(name, "version"))
			printf("%-*s  %s\n", (int)width, name, shown(scalar));
	}
	if (rows) {
		putchar('\n');
		print_table(rows);
	}
}

void model_print(json_object *result, enum model_format format)
{
	if (format == MODEL_CSV)
		print_csv(result);
	else if (format == MODEL_JSON)
		puts(json_object_to_json_string_ext(
			result, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		verb_out_print_text(result);
}
