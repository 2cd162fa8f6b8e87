// SPDX-License-Identifier: MIT
// Short words for building a tree of json-c.
#include "show/json.h"

#include "base/clean.h"
#include "base/cleanup.h"

static void add(struct json_object *to, const char *key, struct json_object *value)
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
	add(to, key, json_object_new_int64(value));
}

void show_json_real(struct json_object *to, const char *key, double value)
{
	add(to, key, json_object_new_double(value));
}

void show_json_bool(struct json_object *to, const char *key, bool value)
{
	add(to, key, json_object_new_boolean(value));
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
	add(to, key, new_text(value));
}

void show_json_null(struct json_object *to, const char *key)
{
	add(to, key, NULL);
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

	add(to, key, made);
	return made;
}

struct json_object *show_json_list(struct json_object *to, const char *key)
{
	struct json_object *made = json_object_new_array();

	add(to, key, made);
	return made;
}

struct json_object *show_json_row(struct json_object *list)
{
	struct json_object *made = json_object_new_object();

	json_object_array_add(list, made);
	return made;
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
