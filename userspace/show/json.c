// SPDX-License-Identifier: MIT
// Short words for building a tree of json-c.
#include "show/json.h"

#include <errno.h>
#include <json-c/printbuf.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"

enum {
	KEPT = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE
};

static void json_add(struct json_object *to, const char *key, struct json_object *value)
{
	if (to)
		json_object_object_add(to, key, value);
	else
		json_object_put(value);
}

void show_json_uint(struct json_object *to, const char *key, uint64_t value)
{
	show_json_int(to, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void show_json_int(struct json_object *to, const char *key, int64_t value)
{
	json_add(to, key, json_object_new_int64(value));
}

void show_json_real(struct json_object *to, const char *key, double value)
{
	json_add(to, key, json_object_new_double(value));
}

void show_json_bool(struct json_object *to, const char *key, bool value)
{
	json_add(to, key, json_object_new_boolean(value));
}

/* Text from outside may be no UTF-8, which no parser takes. */
static struct json_object *new_text(const char *value)
{
	LANE_CLEANUP(lane_free)
	char *text = value ? lane_clean_dup(value, LANE_CLEAN_JSON) : NULL;

	return text ? json_object_new_string(text) : NULL;
}

void show_json_text(struct json_object *to, const char *key, const char *value)
{
	json_add(to, key, new_text(value));
}

void show_json_null(struct json_object *to, const char *key)
{
	json_add(to, key, NULL);
}

void show_json_ns(struct json_object *to, const char *name, uint64_t ns)
{
	char key[48];

	snprintf(key, sizeof(key), "%s_ns", name);
	show_json_uint(to, key, ns);
}

void show_json_known(struct json_object *to, const char *key, uint64_t value, bool is_known)
{
	if (is_known)
		show_json_uint(to, key, value);
	else
		show_json_null(to, key);
}

void show_json_span(struct json_object *to, const char *key, struct lane_span ns)
{
	struct json_object *span = show_json_object(to, key);

	show_json_uint(span, "min_ns", ns.lo);
	show_json_uint(span, "max_ns", ns.hi);
}

void show_json_known_span(struct json_object *to, const char *key, struct lane_span ns,
			  bool is_known)
{
	if (is_known)
		show_json_span(to, key, ns);
	else
		show_json_null(to, key);
}

struct json_object *show_json_object(struct json_object *to, const char *key)
{
	struct json_object *made = to ? json_object_new_object() : NULL;

	json_add(to, key, made);
	return made;
}

struct json_object *show_json_list(struct json_object *to, const char *key)
{
	struct json_object *made = json_object_new_array();

	json_add(to, key, made);
	return made;
}

/* The reader of json-c clears errno, which may say why nothing could be written. */
static struct json_object *read_row(const char *text)
{
	int was = errno;
	struct json_object *row = json_tokener_parse(text);

	errno = was;
	return row;
}

/* A row that is kept as its text, at its place in a tree. */
static int print_kept(struct json_object *row, struct printbuf *to, int level, int how)
{
	struct json_object *read = NULL;
	const char *text = json_object_get_string(row);

	/* As it is kept; laid out, it is read again and moved to the right. */
	if (how & JSON_C_TO_STRING_PRETTY) {
		read = read_row(text);
		text = json_object_to_json_string_ext(read, how);
	}
	for (size_t n = strcspn(text, "\n");; text += n, n = strcspn(text, "\n")) {
		printbuf_memappend(to, text, (int)n);
		if (!text[n])
			break;
		printbuf_memappend(to, "\n", 1);
		printbuf_memset(to, -1, ' ', 2 * level);
		n++;
	}
	json_object_put(read);
	return 0;
}

struct json_object *show_json_row(struct json_object *list)
{
	struct json_object *made = json_object_new_object();

	json_object_array_add(list, made);
	return made;
}

void show_json_keep(struct json_object *list, struct json_object *row)
{
	const char *text = json_object_to_json_string_ext(row, KEPT);
	struct json_object *kept = text ? json_object_new_string(text) : NULL;

	if (kept) {
		json_object_set_serializer(kept, print_kept, (void *)print_kept, NULL);
		json_object_array_add(list, kept);
	}
	json_object_put(row);
}

struct json_object *show_json_row_at(struct json_object *list, size_t i)
{
	struct json_object *row = json_object_array_get_idx(list, i);

	if (json_object_get_userdata(row) == (void *)print_kept)
		return read_row(json_object_get_string(row));
	return json_object_get(row);
}

void show_json_item(struct json_object *list, const char *text)
{
	json_object_array_add(list, new_text(text));
}

bool show_json_write(FILE *to, struct json_object *tree, int how)
{
	const char *text =
		json_object_to_json_string_ext(tree, how | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		fprintf(to, "%s\n", text);
	json_object_put(tree);
	return text;
}
