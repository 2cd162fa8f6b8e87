/* SPDX-License-Identifier: MIT */
/* Short words for building a tree of json-c. Of an object that is NULL nothing is told. No memory:
 * the member is missing, as json-c has it. */
#ifndef LANE_SHOW_JSON_H
#define LANE_SHOW_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "latency/latency.h"

/* Adds a member to an object. Numbers beyond INT64_MAX, which json-c cannot hold, are that. */
void show_json_uint(struct json_object *to, const char *key, uint64_t value);
void show_json_int(struct json_object *to, const char *key, int64_t value);
void show_json_real(struct json_object *to, const char *key, double value);
void show_json_bool(struct json_object *to, const char *key, bool value);
void show_json_text(struct json_object *to, const char *key, const char *value); /* NULL: null */
void show_json_null(struct json_object *to, const char *key);

/* A duration as NAME_ns. */
void show_json_ns(struct json_object *to, const char *name, uint64_t ns);

/* A figure, null where it is not known; and a time within bounds, {"min_ns", "max_ns"}. */
void show_json_known(struct json_object *to, const char *key, uint64_t value, bool is_known);
void show_json_span(struct json_object *to, const char *key, struct lane_span ns);
void show_json_known_span(struct json_object *to, const char *key, struct lane_span ns,
			  bool is_known);

/* Adds an empty object, an empty array, to an object; it is the object's. */
struct json_object *show_json_object(struct json_object *to, const char *key);
struct json_object *show_json_list(struct json_object *to, const char *key);

/* Adds an empty object, or a text, to an array. */
struct json_object *show_json_row(struct json_object *list);
void show_json_item(struct json_object *list, const char *text);

/* Adds a whole row, which becomes the array's. It is kept as its text, a twentieth of its size. */
void show_json_keep(struct json_object *list, struct json_object *row);

/* A row of an array, one that is kept as its text read again; the caller puts it. */
struct json_object *show_json_row_at(struct json_object *list, size_t i);

/* Writes a tree, JSON_C_TO_STRING_PLAIN or _PRETTY, and frees it. False: no memory. */
bool show_json_write(FILE *to, struct json_object *tree, int how);

#endif
