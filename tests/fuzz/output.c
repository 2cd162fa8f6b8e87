// SPDX-License-Identifier: MIT
// A trace through the pipeline into an output, and what every output has to be.
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading --- */

static void drop(struct fuzz_export *of)
{
	of->exporter->destroy(of->export);
	of->export = NULL;
	if (of->to.file)
		fclose(of->to.file);
	of->to.file = NULL;
	free(of->text);
	of->text = NULL;
}

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct fuzz_export *of = arg;

	drop(of);
	if (of->exporter->is_directory)
		of->empty(of->to.dir_fd);
	else
		of->to.file = open_memstream(&of->text, &of->bytes);
	of->to.info = info;
	of->to.lost = of->session->lost;
	of->to.n_lost = of->session->n_lost;
	return of->exporter->create(&of->to, &of->export, hooks);
}

static struct lane_error *event(void *arg, const struct lane_event *event)
{
	struct fuzz_export *of = arg;

	return of->exporter->event ? of->exporter->event(of->export, event) : NULL;
}

bool fuzz_export(const uint8_t *data, size_t bytes, struct fuzz_export *of)
{
	const struct session_listener listener = { of, begin, event };
	char path[64];
	const struct lane_place place = { .path = path };
	struct session session = { .place = &place,
				   .listeners = &listener,
				   .n_listeners = 1,
				   .damage = { .is_quiet = true } };
	int fd = fuzz_file(data, bytes, path);
	struct lane_error *err;

	of->session = &session;
	err = session_read(&session);
	if (!err)
		err = of->exporter->finish(
			of->export, &(struct lane_export_figures){ .latency = &session.latency });
	if (of->to.file)
		fflush(of->to.file);
	of->exporter->destroy(of->export);
	of->export = NULL;
	session_deinit(&session);
	close(fd);
	lane_error_free(err);
	return !err;
}

void fuzz_export_deinit(struct fuzz_export *of)
{
	drop(of);
}

/* --- what it has to be --- */

/* The character at *at, which is moved behind it; -1: no UTF-8. */
static int32_t character(const unsigned char **at, const unsigned char *end)
{
	static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	int32_t c = *(*at)++;
	int more = c < 0x80 ? 0 : c < 0xc0 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf8 ? 3 : -1;

	if (more < 0 || end - *at < more)
		return -1;
	c &= more ? 0x3f >> more : 0x7f;
	for (int i = 0; i < more; i++) {
		if ((**at & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (*(*at)++ & 0x3f);
	}
	return c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? -1 : c;
}

static bool does_more_than_be_read(int32_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xe0000 && c <= 0xe007f);
}

void fuzz_check_clean(const char *text, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + bytes;

	while (at < end) {
		const unsigned char *from = at;
		int32_t c = character(&at, end);

		if (c != '\n' && does_more_than_be_read(c))
			fuzz_fail("not clean: U+%04x at %zu: %.60s", (unsigned int)c,
				  (size_t)(from - (const unsigned char *)text), (const char *)from);
	}
}

static void check_value(struct json_object *value)
{
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, item) {
			fuzz_check_clean(key, strlen(key));
			check_value(item);
		}
	} else if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			check_value(json_object_array_get_idx(value, i));
	} else if (json_object_is_type(value, json_type_double)) {
		if (!isfinite(json_object_get_double(value)))
			fuzz_fail("a number that is none");
	}
}

struct json_object *fuzz_check_json(const char *text, size_t bytes)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *value;

	if (!tokener)
		abort();
	fuzz_check_clean(text, bytes);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	value = json_tokener_parse_ex(tokener, text, (int)bytes);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		fuzz_fail("not JSON: %s: %.200s",
			  json_tokener_error_desc(json_tokener_get_error(tokener)), text);
	for (size_t at = json_tokener_get_parse_end(tokener); at < bytes; at++)
		if (!isspace((unsigned char)text[at]))
			fuzz_fail("more than JSON: %.60s", text + at);
	json_tokener_free(tokener);
	check_value(value);
	return value;
}

void fuzz_check_json_lines(const char *text, size_t bytes)
{
	const char *end = text + bytes;

	while (text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		if (!line)
			fuzz_fail("a line without an end");
		json_object_put(fuzz_check_json(text, (size_t)(line - text) + 1));
		text = line + 1;
	}
}

/* Moves behind a cell. */
static const char *cell(const char *at, const char *end)
{
	bool quoted = at < end && *at == '"';
	const char *from = at += quoted;

	while (at < end && (quoted || (*at != ',' && *at != '\n'))) {
		if (*at == '"') {
			if (!quoted)
				fuzz_fail("a quote in a cell without quotes: %.60s", from);
			if (at + 1 == end || at[1] != '"')
				break;
			at++;
		}
		at++;
	}
	if (quoted && (at == end || *at != '"'))
		fuzz_fail("a cell without an end: %.60s", from);
	if (at - from > 1 && strchr("=+@-", *from)) {
		char *number;

		(void)strtod(from, &number);
		if (number != at)
			fuzz_fail("a formula: %.60s", from);
	}
	return at + quoted;
}

void fuzz_check_csv(const char *text, size_t bytes)
{
	const char *at = text, *end = text + bytes;
	size_t columns = 0;

	fuzz_check_clean(text, bytes);
	while (at < end) {
		const char *line = at;
		size_t n = 0;

		do {
			at = cell(n ? at + 1 : at, end);
			n++;
		} while (at < end && *at == ',');
		if (at == end || *at != '\n')
			fuzz_fail("a row without an end: %.200s", line);
		at++;
		columns = columns ? columns : n;
		if (n != columns)
			fuzz_fail("%zu cells, not %zu: %.200s", n, columns, line);
	}
}
