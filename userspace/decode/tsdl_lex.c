// SPDX-License-Identifier: MIT
// Tokens of TSDL, and the memory of what is parsed.
#include "decode/tsdl_parse.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	CHUNK_BYTES = 256 << 10,
	MOST_BYTES = 96 << 20, /* of one trace's metadata */
};

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

struct lane_arena {
	struct chunk *chunks;
	size_t bytes;
};

struct lane_arena *decode_arena_create(void)
{
	return calloc(1, sizeof(struct lane_arena));
}

void decode_arena_destroy(struct lane_arena *arena)
{
	while (arena && arena->chunks) {
		struct chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	free(arena);
}

void *decode_arena_take(struct lane_arena *arena, size_t bytes)
{
	struct chunk *chunk = arena->chunks;
	void *to;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < bytes) {
		size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

		if (size > MOST_BYTES - arena->bytes)
			return NULL;
		chunk = calloc(1, sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		chunk->size = size;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->bytes += size;
	}
	to = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return to;
}

static bool tsdl_lex_unknown(struct lane_tsdl_parser *p, const char *what, const char *name,
			     size_t length)
{
	unsigned int line = 1;

	if (p->failed)
		return false;
	p->failed = true;
	for (const char *at = p->begin; at < p->at; at++)
		line += *at == '\n';
	snprintf(p->why, p->why_size, length ? "line %u: %s (%.*s)" : "line %u: %s", line, what,
		 length < 40 ? (int)length : 40, name);
	return false;
}

bool decode_tsdl_unknown(struct lane_tsdl_parser *p, const char *what)
{
	bool is_word = p->token.kind == LANE_TOKEN_WORD;

	return tsdl_lex_unknown(p, what, p->token.text, is_word ? p->token.length : 0);
}

bool decode_tsdl_unknown_name(struct lane_tsdl_parser *p, const char *what, const char *name)
{
	return tsdl_lex_unknown(p, what, name, strlen(name));
}

static bool tsdl_lex_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Goes to the first character of a token. */
static void skip_space(struct lane_tsdl_parser *p)
{
	for (;;) {
		while (p->at < p->end && (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')))
			p->at++;
		if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '*') {
			const char *close =
				memmem(p->at + 2, (size_t)(p->end - p->at - 2), "*/", 2);

			p->at = close ? close + 2 : p->end;
		} else if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '/') {
			const char *line = memchr(p->at, '\n', (size_t)(p->end - p->at));

			p->at = line ? line : p->end;
		} else {
			return;
		}
	}
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* A number: decimal, 0x or octal, with C's suffixes. */
static void lex_number(struct lane_tsdl_parser *p)
{
	struct lane_token *token = &p->token;
	unsigned int base = 10;
	bool any = false;

	token->kind = LANE_TOKEN_NUMBER;
	token->number = 0;
	if (*p->at == '0' && p->end - p->at > 1 && (p->at[1] == 'x' || p->at[1] == 'X')) {
		base = 16;
		p->at += 2;
	} else if (*p->at == '0') {
		base = 8;
	}
	for (; p->at < p->end && digit_of(*p->at) < (int)base; p->at++) {
		unsigned int digit = (unsigned int)digit_of(*p->at);

		if (token->number > (UINT64_MAX - digit) / base)
			token->kind = LANE_TOKEN_BAD;
		token->number = token->number * base + digit;
		any = true;
	}
	while (p->at < p->end && strchr("uUlL", *p->at) && *p->at)
		p->at++;
	if (!any || (p->at < p->end && tsdl_lex_is_word(*p->at)))
		token->kind = LANE_TOKEN_BAD;
}

static void lex_text(struct lane_tsdl_parser *p)
{
	p->token.text = ++p->at;
	while (p->at < p->end && *p->at != '"' && *p->at != '\n')
		p->at += *p->at == '\\' && p->end - p->at > 1 ? 2 : 1;
	p->token.kind = p->at < p->end && *p->at == '"' ? LANE_TOKEN_TEXT : LANE_TOKEN_BAD;
	p->token.length = (size_t)(p->at - p->token.text);
	if (p->at < p->end)
		p->at++;
}

void decode_tsdl_advance(struct lane_tsdl_parser *p)
{
	struct lane_token *token = &p->token;

	skip_space(p);
	token->text = p->at;
	if (p->at == p->end) {
		token->kind = LANE_TOKEN_END;
	} else if (*p->at >= '0' && *p->at <= '9') {
		lex_number(p);
	} else if (tsdl_lex_is_word(*p->at)) {
		while (p->at < p->end && tsdl_lex_is_word(*p->at))
			p->at++;
		token->kind = LANE_TOKEN_WORD;
		token->length = (size_t)(p->at - token->text);
	} else if (*p->at == '"') {
		lex_text(p);
	} else if (p->end - p->at >= 2 && !memcmp(p->at, ":=", 2)) {
		token->kind = LANE_TOKEN_ASSIGN;
		p->at += 2;
	} else if (p->end - p->at >= 3 && !memcmp(p->at, "...", 3)) {
		token->kind = LANE_TOKEN_DOTS;
		p->at += 3;
	} else {
		token->kind = LANE_TOKEN_SIGN;
		token->sign = *p->at++;
	}
}

bool decode_tsdl_take_word(struct lane_tsdl_parser *p, const char *word)
{
	if (!decode_token_is(&p->token, word))
		return false;
	decode_tsdl_advance(p);
	return true;
}

bool decode_tsdl_take_sign(struct lane_tsdl_parser *p, char sign)
{
	if (!decode_token_is_sign(&p->token, sign))
		return false;
	decode_tsdl_advance(p);
	return true;
}

bool decode_tsdl_expect(struct lane_tsdl_parser *p, char sign)
{
	char what[] = "no ` '";

	what[4] = sign;
	return decode_tsdl_take_sign(p, sign) || decode_tsdl_unknown(p, what);
}

/* The character of an escape at *at, behind its backslash; goes behind it. */
static char unescape(const char **at, const char *end)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *name = strchr(names, **at);
	unsigned int value = 0;

	if (**at >= '0' && **at <= '7') {
		for (int i = 0; i < 3 && *at < end && **at >= '0' && **at <= '7'; i++)
			value = value * 8 + (unsigned int)(*(*at)++ - '0');
		return (char)value;
	}
	if (**at == 'x') {
		++*at;
		for (int i = 0; i < 2 && *at < end && digit_of(**at) < 16; i++)
			value = value * 16 + (unsigned int)digit_of(*(*at)++);
		return (char)value;
	}
	return name && **at ? (++*at, values[name - names]) : *(*at)++;
}

const char *decode_tsdl_copy(struct lane_tsdl_parser *p, const struct lane_token *token)
{
	const char *at = token->text, *end = token->text + token->length;
	char *copy = decode_arena_take(p->arena, token->length + 1);
	size_t n = 0;

	if (!copy) {
		decode_tsdl_unknown(p, "too much of it");
		return NULL;
	}
	while (at < end) {
		if (*at == '\\' && token->kind == LANE_TOKEN_TEXT && end - at > 1) {
			at++;
			copy[n++] = unescape(&at, end);
		} else {
			copy[n++] = *at++;
		}
	}
	copy[n] = '\0';
	return copy;
}

bool decode_tsdl_grow(struct lane_tsdl_parser *p, void *array, uint32_t n, size_t bytes)
{
	void *more, *before;

	/* There is room up to the next power of two. */
	if (n & (n - 1) || (n && n < 8))
		return true;
	if (n > UINT32_MAX / 2)
		return decode_tsdl_unknown(p, "too much of it");
	more = decode_arena_take(p->arena, bytes * (n ? (size_t)n * 2 : 8));
	if (!more)
		return decode_tsdl_unknown(p, "too much of it");
	memcpy(&before, array, sizeof(before));
	if (n)
		memcpy(more, before, n * bytes);
	memcpy(array, &more, sizeof(more));
	return true;
}
