/* SPDX-License-Identifier: MIT */
/* The parser of TSDL, private to tsdl*.c: memory, tokens (tsdl_lex.c), types (tsdl_type.c). */
#ifndef LANE_DECODE_TSDL_PARSE_H
#define LANE_DECODE_TSDL_PARSE_H

#include <string.h>

#include "decode/tsdl.h"

/* Memory that is freed at once; no more than a limit of it. */
struct lane_arena;

struct lane_arena *decode_arena_create(void);
void decode_arena_destroy(struct lane_arena *arena);

/* Zeroed bytes that live as long as the arena; NULL: there is no more. */
void *decode_arena_take(struct lane_arena *arena, size_t bytes);

enum lane_token_kind {
	LANE_TOKEN_END,
	LANE_TOKEN_WORD,
	LANE_TOKEN_NUMBER,
	LANE_TOKEN_TEXT,   /* a string literal, its quotes not in it */
	LANE_TOKEN_ASSIGN, /* := */
	LANE_TOKEN_DOTS,   /* ... */
	LANE_TOKEN_BAD,
	LANE_TOKEN_SIGN, /* any other character, in `sign` */
};

struct lane_token {
	enum lane_token_kind kind;
	char sign;
	const char *text;
	size_t length;
	uint64_t number;
};

/* A name that a type has been given: "uint8_t", "unsigned long", "struct packet_context". */
struct lane_tsdl_name {
	const char *name;
	const struct lane_tsdl_type *type;
};

enum {
	LANE_TSDL_NAMES = 256, /* at once; LTTng has ten */
	LANE_TSDL_DEPTH = 32,  /* of blocks in blocks */
};

struct lane_tsdl_parser {
	struct lane_tsdl *tsdl;
	struct lane_arena *arena;
	const char *begin, *at, *end;
	struct lane_token token; /* the next one, looked at and not taken */
	struct lane_tsdl_name names[LANE_TSDL_NAMES];
	uint32_t n_names; /* those of the blocks that are open */
	unsigned int depth;
	char *why;
	size_t why_size;
	bool failed;
};

/* Reads the token behind the one that is looked at. */
void decode_tsdl_advance(struct lane_tsdl_parser *p);

/*
 * What is met is not known: nothing more is parsed. Always false. The name is that of the next
 * token, or is said.
 */
bool decode_tsdl_unknown(struct lane_tsdl_parser *p, const char *what);
bool decode_tsdl_unknown_name(struct lane_tsdl_parser *p, const char *what, const char *name);

static inline bool decode_token_is(const struct lane_token *token, const char *word)
{
	return token->kind == LANE_TOKEN_WORD && strlen(word) == token->length &&
	       !memcmp(token->text, word, token->length);
}

static inline bool decode_token_is_sign(const struct lane_token *token, char sign)
{
	return token->kind == LANE_TOKEN_SIGN && token->sign == sign;
}

/* Takes the sign; false, told, when it is not the next token. */
bool decode_tsdl_expect(struct lane_tsdl_parser *p, char sign);

/* Takes the word, or the sign, when it is the next token. */
bool decode_tsdl_take_word(struct lane_tsdl_parser *p, const char *word);
bool decode_tsdl_take_sign(struct lane_tsdl_parser *p, char sign);

/* A copy of the token's text; of a literal, without its escapes. NULL, told: no memory. */
const char *decode_tsdl_copy(struct lane_tsdl_parser *p, const struct lane_token *token);

/*
 * Makes room for one more in an array of the arena's, that doubles: *array, of n elements of bytes
 * each. False, told: no memory.
 */
bool decode_tsdl_grow(struct lane_tsdl_parser *p, void *array, uint32_t n, size_t bytes);

/* What stands behind a `=`: a number, a word, a text, or a path of words with dots between. */
struct lane_tsdl_value {
	bool is_number;
	int64_t number;
	const char *text; /* of what is no number */
};

bool decode_tsdl_value(struct lane_tsdl_parser *p, struct lane_tsdl_value *value);

/* A path of words with dots between, as text. NULL, told: there is none. */
const char *decode_tsdl_path(struct lane_tsdl_parser *p);

/* True when the next token begins a definition of names: typealias, typedef, a type with a name. */
bool decode_tsdl_begins_definition(const struct lane_tsdl_parser *p);

/* Parses what gives types names: up to its `;`. */
bool decode_tsdl_definition(struct lane_tsdl_parser *p);

/* Parses a type; NULL, told: it is not understood. */
const struct lane_tsdl_type *decode_tsdl_type(struct lane_tsdl_parser *p);

#endif
