/* SPDX-License-Identifier: MIT */
/* A device as a test writes it: in short, a key a line. */
#ifndef TESTS_UNIT_DEVICE_H
#define TESTS_UNIT_DEVICE_H

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/device.h"

static inline json_object *device_member(json_object *of, const char *name)
{
	json_object *found = json_object_object_get(of, name);

	if (!found)
		json_object_object_add(of, name, found = json_object_new_object());
	return found;
}

/* `KEY NUMBER`, `KEY NUMBER +- UNCERTAINTY`, `pipe NAME`, `at WARPS ISSUE COMPLETION`. */
static inline void device_key(json_object *section, const char *line)
{
	double v[3];
	char key[64], text[64];

	if (sscanf(line, "pipe %63s", text) == 1) {
		json_object_object_add(section, "pipe", json_object_new_string(text));
	} else if (sscanf(line, "at %lf %lf %lf", &v[0], &v[1], &v[2]) == 3) {
		json_object *points = json_object_object_get(section, "at");
		json_object *point = json_object_new_array();

		if (!points)
			json_object_object_add(section, "at", points = json_object_new_array());
		for (int i = 0; i < 3; i++)
			json_object_array_add(point, json_object_new_double(v[i]));
		json_object_array_add(points, point);
	} else if (sscanf(line, "%63s %lf +- %lf", key, &v[0], &v[1]) == 3) {
		section = device_member(section, key);
		json_object_object_add(section, "value", json_object_new_double(v[0]));
		json_object_object_add(section, "uncertainty", json_object_new_double(v[1]));
	} else if (sscanf(line, "%63s %lf", key, &v[0]) == 2) {
		json_object_object_add(section, key, json_object_new_double(v[0]));
	}
}

/* `name TEXT` and the like, then `[kind]` or `[kind name]`, each with its keys. */
static inline struct lane_device *device(const char *from)
{
	json_object *whole = json_object_new_object();
	json_object *section = whole;
	char *text = strdup(from);
	char *rest = text;
	char *line;
	struct lane_device *made = NULL;

	assert_non_null(text);
	json_object_object_add(whole, "gpulane_device", json_object_new_int(2));
	while ((line = strsep(&rest, "\n"))) {
		char kind[64], name[64];

		if (sscanf(line, "[%63[a-z_] %63[^]]]", kind, name) == 2)
			section = device_member(device_member(whole, kind), name);
		else if (sscanf(line, "[%63[a-z_]]", kind) == 1)
			section = device_member(whole, kind);
		else if (section == whole && sscanf(line, "%63s %63[^\n]", kind, name) == 2)
			json_object_object_add(whole, kind, json_object_new_string(name));
		else if (section != whole)
			device_key(section, line);
	}
	check(model_device_parse(json_object_to_json_string(whole), "test.dev", &made));
	json_object_put(whole);
	free(text);
	return made;
}

#endif
