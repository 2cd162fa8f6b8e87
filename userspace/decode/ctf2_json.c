// SPDX-License-Identifier: MIT
// The fragments of CTF 2's metadata: JSON texts with a record separator before each (RFC 7464).
#include <stdio.h>
#include <string.h>

#include "decode/ctf2_parse.h"
#include "decode/ctf_schema.h"

enum {
	MOST_VALUES = 1 << 18, /* of a fragment, and of those that are kept */
	MOST_DEPTH = 160,      /* of JSON; a type in a type is four */
	MOST_LOOKS = 1 << 22,
};

bool decode_ctf2_unknown(struct lane_ctf2_parser *p, const char *what, const char *name)
{
	if (p->failed)
		return false;
	p->failed = true;
	snprintf(p->why, p->why_size, name && *name ? "line %u: %s (%.60s)" : "line %u: %s",
		 p->line, what, name);
	return false;
}

bool decode_ctf2_look(struct lane_ctf2_parser *p, uint64_t n)
{
	p->looks += n;
	return p->looks <= MOST_LOOKS ||
	       decode_ctf2_unknown(p, "structures that take too long", NULL);
}

void *decode_ctf2_take(struct lane_ctf2_parser *p, size_t bytes)
{
	void *to = decode_arena_take(p->arena, bytes);

	if (!to)
		decode_ctf2_unknown(p, "too much of it", NULL);
	return to;
}

/* --- properties --- */

bool decode_ctf2_text(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
		      const char **text)
{
	struct json_object *value = decode_ctf2_get(from, key);
	size_t n;
	char *copy;

	if (!value)
		return true;
	if (!json_object_is_type(value, json_type_string))
		return decode_ctf2_unknown(p, "a text that is none", key);
	n = (size_t)json_object_get_string_len(value);
	copy = decode_ctf2_take(p, n + 1);
	if (!copy)
		return false;
	memcpy(copy, json_object_get_string(value), n);
	*text = copy;
	return true;
}

bool decode_ctf2_number(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
			uint64_t most, uint64_t *number)
{
	struct json_object *value = decode_ctf2_get(from, key);

	if (!value)
		return true;
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0 ||
	    json_object_get_uint64(value) > most)
		return decode_ctf2_unknown(p, "a number that is none, or too large", key);
	*number = json_object_get_uint64(value);
	return true;
}

struct json_object *decode_ctf2_array(struct lane_ctf2_parser *p, struct json_object *from,
				      const char *key)
{
	struct json_object *value = decode_ctf2_get(from, key);

	if (json_object_is_type(value, json_type_array))
		return value;
	decode_ctf2_unknown(p, "a list that is none", key);
	return NULL;
}

/* --- fragments --- */

/* Behind the text literal that begins at `at`; NULL: it does not end, or has a NUL. */
static const char *behind_text(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && (++at == end || (end - at > 4 && !memcmp(at, "u0000", 5))))
			return NULL;
	return at < end ? at + 1 : NULL;
}

/* Behind a number's digits; NULL: they are more than 64 bits. */
static const char *behind_digits(const char *at, const char *end, char before)
{
	const char *most = before == '-' ? "9223372036854775808" : "18446744073709551615";
	size_t n = 0, room = strlen(most);
	bool is_whole = before != '.';

	while (at + n < end && at[n] >= '0' && at[n] <= '9')
		n++;
	if (is_whole && (n > room || (n == room && memcmp(at, most, n) > 0)))
		return NULL;
	return at + n;
}

/*
 * Counts a fragment's values and properties, before it is parsed: what is small as text is large in
 * memory.
 */
static bool ctf2_json_count(struct lane_ctf2_parser *p, const char *at, const char *end,
			    uint32_t *n_properties)
{
	char before = ' ';

	*n_properties = p->n_values = 0;
	while (at && at < end) {
		char c = *at;

		if (c == '"') {
			at = behind_text(at, end);
			if (!at)
				return decode_ctf2_unknown(
					p, "a text that does not end, or has a NUL", NULL);
		} else if (c >= '0' && c <= '9') {
			at = behind_digits(at, end, before);
		} else {
			*n_properties += c == ':';
			p->n_values += c == ',' || c == ':' || c == '[' || c == '{';
			at++;
		}
		before = c;
	}
	if (!at)
		return decode_ctf2_unknown(p, "a number of more than 64 bits", NULL);
	return p->n_values <= MOST_VALUES || decode_ctf2_unknown(p, "very many values", NULL);
}

/* The properties of an object and of all in it: of those that have one name, one is left. */
static uint32_t properties(struct json_object *in)
{
	uint32_t n = 0;

	if (json_object_is_type(in, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(in); i++)
			n += properties(json_object_array_get_idx(in, i));
	} else if (json_object_is_type(in, json_type_object)) {
		json_object_object_foreach(in, key, value) {
			(void)key;
			n += 1 + properties(value);
		}
	}
	return n;
}

/* The JSON between both places. */
static struct json_object *ctf2_json_parse(struct lane_ctf2_parser *p, const char *at,
					   const char *end)
{
	struct json_tokener *tokener;
	struct json_object *made;
	enum json_tokener_error why;
	uint32_t n_properties;

	if (!ctf2_json_count(p, at, end, &n_properties))
		return NULL;
	tokener = json_tokener_new_ex(MOST_DEPTH);
	if (!tokener) {
		decode_ctf2_unknown(p, "no memory", NULL);
		return NULL;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	made = json_tokener_parse_ex(tokener, at, (int)(end - at));
	why = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	if (why == json_tokener_continue)
		decode_ctf2_unknown(p, "JSON that is cut off", NULL);
	else if (why != json_tokener_success)
		decode_ctf2_unknown(p, "JSON that is none", json_tokener_error_desc(why));
	else if (!json_object_is_type(made, json_type_object))
		decode_ctf2_unknown(p, "a fragment that is no object", NULL);
	else if (properties(made) != n_properties)
		decode_ctf2_unknown(p, "two properties of one name", NULL);
	if (!p->failed)
		return made;
	json_object_put(made);
	return NULL;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

struct json_object *decode_ctf2_next(struct lane_ctf2_parser *p)
{
	while (!p->failed && p->at < p->end) {
		const char *at = p->at, *end, *next;

		while (at < p->end && (*at == LANE_CTF2_BEGIN || is_space(*at)))
			at++;
		next = memchr(at, LANE_CTF2_BEGIN, (size_t)(p->end - at));
		end = p->at = next ? next : p->end;
		while (end > at && is_space(end[-1]))
			end--;
		for (; p->counted < at; p->counted++)
			p->line += *p->counted == '\n';
		if (end > at)
			return ctf2_json_parse(p, at, end);
	}
	return NULL;
}
