// SPDX-License-Identifier: MIT
// Text from outside before it is shown.
#include "base/clean.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* From and to, both included: what is not to be shown. In order. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{ 0x00, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },	  { 0x61c, 0x61c },
	{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },	  { 0x200b, 0x200f },
	{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },	  { 0xfe00, 0xfe0f },
	{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },	  { 0xfffe, 0xffff },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

/* The bytes of the character at `text`, of n; 0 when it is no UTF-8. *code is what it is. */
static size_t clean_decode(const unsigned char *text, size_t n, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = *text < 0x80		 ? 1
			: (*text & 0xe0) == 0xc0 ? 2
			: (*text & 0xf0) == 0xe0 ? 3
			: (*text & 0xf8) == 0xf0 ? 4
						 : 0;

	if (!length || length > n)
		return 0;
	*code = length == 1 ? *text : *text & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

static bool is_hidden(uint32_t code, enum lane_clean use)
{
	if (code < 0x20)
		return use == LANE_CLEAN_LINE;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && hidden[i].from <= code; i++)
		if (code <= hidden[i].to)
			return true;
	return false;
}

/*
 * Takes the character at *text, which is before end. Returns how many bytes it has when it is
 * clean, which *clean points to.
 */
static size_t clean_take(const char **text, const char *end, enum lane_clean use,
			 const char **clean)
{
	uint32_t code;
	size_t length = clean_decode((const unsigned char *)*text, (size_t)(end - *text), &code);
	bool dot = !length || is_hidden(code, use);

	*clean = dot ? "." : *text;
	*text += length ? length : 1;
	return dot ? 1 : length;
}

/*
 * Cleans n bytes into `to` (which may be `from`) as far as they fit `room`. Returns how many came
 * out.
 */
static size_t clean(char *to, size_t room, const char *from, size_t n, enum lane_clean use)
{
	const char *end = from + n, *bytes;
	size_t out = 0;

	while (from < end) {
		size_t length = clean_take(&from, end, use, &bytes);

		if (out + length > room)
			break;
		memmove(to + out, bytes, length);
		out += length;
	}
	return out;
}

char *lane_clean(char *text, enum lane_clean use)
{
	size_t n = strlen(text);

	text[clean(text, n, text, n, use)] = 0;
	return text;
}

void lane_clean_bytes(char *text, size_t n)
{
	size_t left = clean(text, n, text, strnlen(text, n), LANE_CLEAN_LINE);

	memset(text + left, 0, n - left);
}

char *lane_clean_copy(char *to, size_t size, const char *from, enum lane_clean use)
{
	to[clean(to, size - 1, from, strlen(from), use)] = 0;
	return to;
}

void lane_clean_print(FILE *to, const char *text)
{
	const char *end = text + strlen(text), *bytes;

	while (text < end) {
		size_t n = clean_take(&text, end, LANE_CLEAN_LINE, &bytes);

		fwrite(bytes, 1, n, to);
	}
}

char *lane_clean_dup(const char *text, enum lane_clean use)
{
	char *copy = strdup(text);

	return copy ? lane_clean(copy, use) : NULL;
}

void lane_clean_json(FILE *to, const char *text)
{
	const char *end = text + strlen(text), *bytes;

	fputc('"', to);
	while (text < end) {
		size_t n = clean_take(&text, end, LANE_CLEAN_JSON, &bytes);

		if ((unsigned char)*bytes < ' ')
			fprintf(to, "\\u%04x", (unsigned int)*bytes);
		else if (*bytes == '"' || *bytes == '\\')
			fprintf(to, "\\%c", *bytes);
		else
			fwrite(bytes, 1, n, to);
	}
	fputc('"', to);
}

void lane_clean_csv(FILE *to, const char *text)
{
	const char *end = text + strlen(text), *bytes;
	bool quoted = strpbrk(text, ",\"");

	if (quoted)
		fputc('"', to);
	if (*text && text[1] && strchr("=+-@", *text))
		fputc('\'', to);
	while (text < end) {
		size_t n = clean_take(&text, end, LANE_CLEAN_LINE, &bytes);

		if (*bytes == '"')
			fputc('"', to);
		fwrite(bytes, 1, n, to);
	}
	if (quoted)
		fputc('"', to);
}
