// SPDX-License-Identifier: MIT
// Mutations of traces in the text format that keep its grammar.
#include "hostile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

enum {
	VALUE_BYTES = 1200,
};

/* The trace that is changed. */
struct edit {
	char *text;
	size_t size, max;
	uint64_t random;
};

static uint64_t draw(struct edit *e, uint64_t below)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 7;
	e->random ^= e->random << 17;
	return below ? e->random % below : 0;
}

/* Puts n bytes in the place of the `old` bytes at `at`, unless there is no room for them. */
static void splice(struct edit *e, size_t at, size_t old, const char *with, size_t n)
{
	if (e->size - old + n > e->max)
		return;
	memmove(e->text + at + n, e->text + at + old, e->size - at - old);
	memcpy(e->text + at, with, n);
	e->size += n - old;
}

/* --- what is put in --- */

static size_t hostile_number(struct edit *e, uint64_t was, char *to)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  UINT8_MAX,
					  UINT16_MAX,
					  INT32_MAX,
					  1ull + INT32_MAX,
					  UINT32_MAX,
					  1ull + UINT32_MAX,
					  INT64_MAX,
					  1ull + INT64_MAX,
					  UINT64_MAX,
					  65534,
					  4096,
					  1000000000 };
	uint64_t edge = edges[draw(e, sizeof(edges) / sizeof(edges[0]))];

	switch (draw(e, 8)) {
	case 0:
		return (size_t)sprintf(to, "-%" PRIu64, draw(e, 2) ? edge : 1);
	case 1:
		return (size_t)sprintf(to, "%" PRIu64, was + 1);
	case 2:
		return (size_t)sprintf(to, "%" PRIu64, was - 1);
	case 3:
		return (size_t)sprintf(to, "0x%" PRIx64, edge - draw(e, 3));
	case 4:
		return (size_t)sprintf(to, "%" PRIu64, draw(e, 16));
	default:
		return (size_t)sprintf(to, "%" PRIu64, edge + draw(e, 3) - 1);
	}
}

/* In quotes, as the text format escapes it. */
static size_t hostile_name(struct edit *e, char *to)
{
	static const char *const parts[] = { "\\x1b[31m",
					     "\\x1b]0;p\\x07",
					     "\\xc2\\x9b",
					     "\\xe2\\x80\\xae",
					     "\\xe2\\x81\\xa6",
					     "\\xff",
					     "\\xc0\\xaf",
					     "\\xed\\xa0\\x80",
					     "\\xe3\\x81",
					     "\\xf0\\x9f\\x98\\x80",
					     "=",
					     "@",
					     "-",
					     "+",
					     "-1",
					     ",",
					     "\\\"",
					     "\\\\",
					     "</script>",
					     "<!--",
					     "&",
					     "\\x0d\\x0a",
					     "\\x00",
					     "\\x7f",
					     "%s",
					     " ",
					     "A",
					     "\\xef\\xbb\\xbf",
					     "\\xf3\\xa0\\x80\\x81",
					     "'" };
	static const unsigned int lengths[] = { 1, 2, 3, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255 };
	size_t most = lengths[draw(e, sizeof(lengths) / sizeof(lengths[0]))];
	size_t bytes = 0, n = 0;
	bool same = draw(e, 2);
	const char *part = NULL;

	to[n++] = '"';
	while (bytes < most) {
		size_t length, of = 0;

		if (!part || !same)
			part = parts[draw(e, sizeof(parts) / sizeof(parts[0]))];
		length = strlen(part);
		for (const char *at = part; *at; of++)
			at += *at != '\\' ? 1 : at[1] == 'x' ? 4 : 2;
		if (n + length + 2 > VALUE_BYTES)
			break;
		memcpy(to + n, part, length);
		n += length;
		bytes += of;
	}
	to[n++] = '"';
	return n;
}

/* --- where --- */

static size_t line_begin(const struct edit *e, size_t at)
{
	while (at > 0 && e->text[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const struct edit *e, size_t at)
{
	while (at < e->size && e->text[at] != '\n')
		at++;
	return at < e->size ? at + 1 : at;
}

/* The end of the value that begins there. */
static size_t value_end(const struct edit *e, size_t at)
{
	bool quoted = at < e->size && e->text[at] == '"';

	for (at += quoted; at < e->size && e->text[at] != '\n'; at++) {
		if (quoted && e->text[at] == '\\' && at + 1 < e->size)
			at++;
		else if (quoted && e->text[at] == '"')
			return at + 1;
		else if (!quoted && e->text[at] == ' ')
			return at;
	}
	return at;
}

/* Behind a `=`, somewhere; 0: there is none. */
static size_t some_value(struct edit *e)
{
	size_t from = draw(e, e->size);

	for (size_t i = 0; i < e->size; i++) {
		size_t at = (from + i) % e->size;

		if (e->text[at] == '=')
			return at + 1;
	}
	return 0;
}

static bool is_name(const struct edit *e, size_t value)
{
	static const char *const names[] = { "comm", "name", "driver", "timeline" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (value > n && !memcmp(e->text + value - 1 - n, names[i], n))
			return true;
	}
	return false;
}

/* --- how --- */

static void change_value(struct edit *e)
{
	size_t at = some_value(e);
	char value[VALUE_BYTES];
	size_t n;

	if (!at)
		return;
	n = is_name(e, at) ? hostile_name(e, value)
			   : hostile_number(e, strtoull(e->text + at, NULL, 0), value);
	splice(e, at, value_end(e, at) - at, value, n);
}

static void copy_value(struct edit *e)
{
	size_t to = some_value(e), from = some_value(e);
	char value[VALUE_BYTES];
	size_t n;

	if (!to || !from)
		return;
	n = value_end(e, from) - from;
	if (n > sizeof(value))
		return;
	memcpy(value, e->text + from, n);
	splice(e, to, value_end(e, to) - to, value, n);
}

/* A column before the fields: time, CPU, thread; or a fact of the head. */
static void change_column(struct edit *e)
{
	size_t at = line_begin(e, draw(e, e->size)), end;
	uint64_t column = draw(e, 4);
	char value[VALUE_BYTES];
	size_t n;

	for (uint64_t i = 0; i < column && at < e->size; i++)
		at = value_end(e, at) + 1;
	if (at >= e->size)
		return;
	end = value_end(e, at);
	if (column == 2 && memchr(e->text + at, '/', end - at)) {
		n = hostile_number(e, strtoull(e->text + at, NULL, 10), value);
		value[n++] = '/';
		n += hostile_number(e, strtoull(e->text + at, NULL, 10), value + n);
	} else {
		n = hostile_number(e, strtoull(e->text + at, NULL, 10), value);
	}
	splice(e, at, end - at, value, n);
}

static void drop_line(struct edit *e)
{
	size_t at = line_begin(e, draw(e, e->size));

	splice(e, at, line_end(e, at) - at, "", 0);
}

/* A line again, at a line further on, with that one's time. */
static void repeat_line(struct edit *e)
{
	size_t from = line_begin(e, draw(e, e->size)), end = line_end(e, from);
	size_t to = line_begin(e, draw(e, e->size)), time = value_end(e, to) - to;
	size_t skip = value_end(e, from), rest = end - skip;
	char line[VALUE_BYTES];

	if (end <= skip || time + rest > sizeof(line))
		return;
	memcpy(line, e->text + to, time);
	memcpy(line + time, e->text + skip, rest);
	splice(e, to, 0, line, time + rest);
}

/* What comes after a line comes later: a time that leaps. */
static void move_on(struct edit *e)
{
	static const uint64_t leaps[] = { 1,	      1000,	  1000000000,
					  1ull << 32, 1ull << 40, 1000000000000000,
					  1ull << 62, 1ull << 63 };
	uint64_t by = leaps[draw(e, sizeof(leaps) / sizeof(leaps[0]))];
	size_t at = line_begin(e, draw(e, e->size));
	bool once = false;

	while (at < e->size) {
		size_t end = value_end(e, at);
		char time[24];

		if (e->text[at] >= '0' && e->text[at] <= '9') {
			uint64_t was = strtoull(e->text + at, NULL, 10);

			if (was > UINT64_MAX - by && once)
				return;
			splice(e, at, end - at, time, (size_t)sprintf(time, "%" PRIu64, was + by));
			once = true;
		}
		at = line_end(e, at);
	}
}

/* `absent` becomes `recorded`, or the other way round, or neither is said. */
static void change_presence(struct edit *e)
{
	size_t at = line_begin(e, draw(e, e->size / 2 + 1));

	if (e->size - at > 9 && !memcmp(e->text + at, "absent ", 7))
		splice(e, at, 6, "recorded", 8);
	else if (e->size - at > 9 && !memcmp(e->text + at, "recorded ", 9))
		splice(e, at, 8, "absent", 6);
}

size_t fuzz_hostile_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	static void (*const changes[])(struct edit * e) = {
		change_value, change_value, change_value, copy_value, change_column,
		drop_line,    repeat_line,  repeat_line,  move_on,    change_presence
	};
	/* The last byte stays 0: numbers are read up to it. */
	char *text = malloc(max + 1);
	struct edit e = { text, size, max, seed * 0x9e3779b97f4a7c15ull + 1 };
	uint64_t n;

	if (!text)
		abort();
	draw(&e, 1);
	n = draw(&e, 8);
	if (!n || !size) {
		free(text);
		return LLVMFuzzerMutate(data, size, max);
	}
	memcpy(text, data, size);
	for (; n && e.size; n--) {
		e.text[e.size] = '\0';
		changes[draw(&e, sizeof(changes) / sizeof(changes[0]))](&e);
	}
	memcpy(data, text, e.size);
	free(text);
	return e.size;
}
