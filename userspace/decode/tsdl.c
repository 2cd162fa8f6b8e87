// SPDX-License-Identifier: MIT
// The blocks of CTF metadata: trace, env, clock, stream, event.
#include "decode/tsdl_parse.h"

#include <stdio.h>
#include <stdlib.h>

const char *decode_tsdl_path(struct lane_tsdl_parser *p)
{
	struct lane_token all = p->token;

	if (all.kind != LANE_TOKEN_WORD) {
		decode_tsdl_unknown(p, "a name that is none");
		return NULL;
	}
	decode_tsdl_advance(p);
	if (!decode_token_is_sign(&p->token, '.'))
		return decode_tsdl_copy(p, &all);
	while (decode_tsdl_take_sign(p, '.')) {
		if (p->token.kind != LANE_TOKEN_WORD) {
			decode_tsdl_unknown(p, "a name that is none");
			return NULL;
		}
		/* As it is written, spaces and all: no name that is known has any. */
		all.length = (size_t)(p->token.text + p->token.length - all.text);
		decode_tsdl_advance(p);
	}
	return decode_tsdl_copy(p, &all);
}

bool decode_tsdl_value(struct lane_tsdl_parser *p, struct lane_tsdl_value *value)
{
	bool is_negative = decode_tsdl_take_sign(p, '-');

	if (!is_negative)
		decode_tsdl_take_sign(p, '+');
	*value = (struct lane_tsdl_value){ .is_number = p->token.kind == LANE_TOKEN_NUMBER };
	if (value->is_number) {
		value->number = (int64_t)(is_negative ? 0 - p->token.number : p->token.number);
		decode_tsdl_advance(p);
		return true;
	}
	if (p->token.kind == LANE_TOKEN_TEXT) {
		value->text = decode_tsdl_copy(p, &p->token);
		decode_tsdl_advance(p);
		return value->text;
	}
	value->text = decode_tsdl_path(p);
	return value->text;
}

bool decode_tsdl_uuid(const char *text, uint8_t uuid[16])
{
	unsigned int n = 0;

	memset(uuid, 0, 16);
	for (unsigned int i = 0; text[i]; i++) {
		char c = text[i];
		int digit;

		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (c != '-')
				return false;
			continue;
		}
		digit = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10
					       : -1;
		if (digit < 0 || n == 32)
			return false;
		uuid[n / 2] = (uint8_t)(n % 2 ? uuid[n / 2] | digit : digit << 4);
		n++;
	}
	return n == 32;
}

const struct lane_tsdl_member *decode_tsdl_member(const struct lane_tsdl_type *type,
						  const char *name)
{
	for (uint32_t i = 0; type && i < type->n_members; i++)
		if (!strcmp(type->members[i].name, name))
			return &type->members[i];
	return NULL;
}

/* What a block says in one line: a value, or a type. */
struct block_statement {
	const char *name;
	struct lane_tsdl_value value;
	const struct lane_tsdl_type *type; /* NULL: it is a value */
};

/*
 * The next line of a block that is open, up to its brace: *more is false then. Types that are named
 * in it are taken on the way.
 */
static bool next_statement(struct lane_tsdl_parser *p, struct block_statement *statement,
			   bool *more)
{
	*more = true;
	while (decode_tsdl_begins_definition(p))
		if (!decode_tsdl_definition(p))
			return false;
	if (decode_tsdl_take_sign(p, '}')) {
		*more = false;
		decode_tsdl_take_sign(p, ';');
		return true;
	}
	*statement = (struct block_statement){ .name = decode_tsdl_path(p) };
	if (!statement->name)
		return false;
	if (p->token.kind == LANE_TOKEN_ASSIGN) {
		decode_tsdl_advance(p);
		statement->type = decode_tsdl_type(p);
		return statement->type && decode_tsdl_expect(p, ';');
	}
	return decode_tsdl_expect(p, '=') && decode_tsdl_value(p, &statement->value) &&
	       decode_tsdl_expect(p, ';');
}

/* Takes one line of a block into `to`; false, told: it is not known. */
typedef bool take_statement(struct lane_tsdl_parser *p, const struct block_statement *statement,
			    void *to);

static bool block(struct lane_tsdl_parser *p, take_statement *take, void *to)
{
	uint32_t n_names = p->n_names;
	struct block_statement statement;
	bool more;

	if (!decode_tsdl_expect(p, '{'))
		return false;
	for (;;) {
		if (!next_statement(p, &statement, &more))
			return false;
		if (!more)
			break;
		if (!take(p, &statement, to))
			return decode_tsdl_unknown_name(p, "a line that is not known",
							statement.name);
	}
	p->n_names = n_names;
	return true;
}

/* True when the line has that name and a value of that sort. */
static bool says(const struct block_statement *statement, const char *name, bool is_number)
{
	return !statement->type && statement->value.is_number == is_number &&
	       !strcmp(statement->name, name);
}

static bool is_type(const struct block_statement *statement, const char *name)
{
	return statement->type && !strcmp(statement->name, name);
}

static bool tsdl_take_trace(struct lane_tsdl_parser *p, const struct block_statement *statement,
			    void *to)
{
	struct lane_tsdl *tsdl = to;
	const struct lane_tsdl_value *value = &statement->value;

	(void)p;
	if (says(statement, "major", true))
		return value->number == 1;
	if (says(statement, "minor", true))
		return value->number == 8;
	if (says(statement, "uuid", false))
		return tsdl->has_uuid = decode_tsdl_uuid(value->text, tsdl->uuid);
	if (says(statement, "byte_order", false)) {
		tsdl->has_order = true;
		tsdl->is_big = !strcmp(value->text, "be") || !strcmp(value->text, "network");
		return tsdl->is_big || !strcmp(value->text, "le");
	}
	if (is_type(statement, "packet.header")) {
		tsdl->packet_header = statement->type;
		return true;
	}
	return false;
}

static bool take_env(struct lane_tsdl_parser *p, const struct block_statement *statement, void *to)
{
	struct lane_tsdl *tsdl = to;

	if (statement->type || !decode_tsdl_grow(p, &tsdl->env, tsdl->n_env, sizeof(*tsdl->env)))
		return false;
	tsdl->env[tsdl->n_env++] = (struct lane_tsdl_env){ statement->name, statement->value.text,
							   statement->value.number };
	return true;
}

static bool tsdl_take_clock(struct lane_tsdl_parser *p, const struct block_statement *statement,
			    void *to)
{
	struct lane_tsdl_clock *clock = to;
	const struct lane_tsdl_value *value = &statement->value;

	(void)p;
	if (says(statement, "name", false)) {
		clock->name = value->text;
	} else if (says(statement, "uuid", false)) {
		uint8_t uuid[16];

		clock->uuid = value->text;
		return decode_tsdl_uuid(value->text, uuid);
	} else if (says(statement, "freq", true)) {
		clock->frequency = (uint64_t)value->number;
		return value->number > 0;
	} else if (says(statement, "offset_s", true)) {
		clock->offset_s = value->number;
	} else if (says(statement, "offset", true)) {
		clock->offset = value->number;
		return value->number >= 0;
	} else {
		return says(statement, "description", false) ||
		       says(statement, "precision", true) || !strcmp(statement->name, "absolute");
	}
	return true;
}

static bool tsdl_take_stream(struct lane_tsdl_parser *p, const struct block_statement *statement,
			     void *to)
{
	struct lane_tsdl_stream *stream = to;

	(void)p;
	if (says(statement, "id", true)) {
		stream->id = (uint64_t)statement->value.number;
		return statement->value.number >= 0;
	}
	if (is_type(statement, "event.header"))
		stream->header = statement->type;
	else if (is_type(statement, "packet.context"))
		stream->packet_context = statement->type;
	else if (is_type(statement, "event.context"))
		stream->event_context = statement->type;
	else
		return false;
	return true;
}

static bool tsdl_take_event(struct lane_tsdl_parser *p, const struct block_statement *statement,
			    void *to)
{
	struct lane_tsdl_event *event = to;

	(void)p;
	if (says(statement, "id", true)) {
		event->id = (uint64_t)statement->value.number;
		return statement->value.number >= 0;
	}
	if (says(statement, "stream_id", true)) {
		event->stream_id = (uint64_t)statement->value.number;
		return event->has_stream_id = statement->value.number >= 0;
	}
	if (says(statement, "name", false))
		event->name = statement->value.text;
	else if (is_type(statement, "context"))
		event->context = statement->type;
	else if (is_type(statement, "fields"))
		event->fields = statement->type;
	else
		return says(statement, "loglevel", true) || says(statement, "model.emf.uri", false);
	return true;
}

static bool clock_block(struct lane_tsdl_parser *p)
{
	struct lane_tsdl *tsdl = p->tsdl;

	if (!decode_tsdl_grow(p, &tsdl->clocks, tsdl->n_clocks, sizeof(*tsdl->clocks)))
		return false;
	tsdl->clocks[tsdl->n_clocks] = (struct lane_tsdl_clock){ .frequency = 1000000000 };
	return block(p, tsdl_take_clock, &tsdl->clocks[tsdl->n_clocks++]);
}

static bool stream_block(struct lane_tsdl_parser *p)
{
	struct lane_tsdl *tsdl = p->tsdl;

	if (!decode_tsdl_grow(p, &tsdl->streams, tsdl->n_streams, sizeof(*tsdl->streams)))
		return false;
	tsdl->streams[tsdl->n_streams] = (struct lane_tsdl_stream){ 0 };
	return block(p, tsdl_take_stream, &tsdl->streams[tsdl->n_streams++]);
}

static bool event_block(struct lane_tsdl_parser *p)
{
	struct lane_tsdl *tsdl = p->tsdl;

	if (!decode_tsdl_grow(p, &tsdl->events, tsdl->n_events, sizeof(*tsdl->events)))
		return false;
	tsdl->events[tsdl->n_events] = (struct lane_tsdl_event){ 0 };
	return block(p, tsdl_take_event, &tsdl->events[tsdl->n_events++]);
}

/* One block, or names of types. */
static bool top_level(struct lane_tsdl_parser *p)
{
	if (decode_tsdl_begins_definition(p))
		return decode_tsdl_definition(p);
	if (decode_tsdl_take_word(p, "event"))
		return event_block(p);
	if (decode_tsdl_take_word(p, "stream"))
		return stream_block(p);
	if (decode_tsdl_take_word(p, "clock"))
		return clock_block(p);
	if (decode_tsdl_take_word(p, "trace"))
		return block(p, tsdl_take_trace, p->tsdl);
	if (decode_tsdl_take_word(p, "env"))
		return block(p, take_env, p->tsdl);
	return decode_tsdl_take_sign(p, ';') || decode_tsdl_unknown(p, "a block that is not known");
}

struct lane_tsdl *decode_tsdl_parse(const char *text, size_t bytes, char *why, size_t size)
{
	struct lane_tsdl_parser *p = calloc(1, sizeof(*p));
	struct lane_arena *arena = decode_arena_create();
	struct lane_tsdl *tsdl = arena ? decode_arena_take(arena, sizeof(*tsdl)) : NULL;

	snprintf(why, size, "no memory");
	if (!p || !tsdl) {
		decode_arena_destroy(arena);
		free(p);
		return NULL;
	}
	tsdl->arena = arena;
	p->tsdl = tsdl;
	p->arena = arena;
	p->begin = p->at = text;
	p->end = text + bytes;
	p->why = why;
	p->why_size = size;
	decode_tsdl_advance(p);
	while (!p->failed && p->token.kind != LANE_TOKEN_END)
		if (!top_level(p))
			p->failed = true;
	if (!p->failed && !tsdl->has_order)
		decode_tsdl_unknown(p, "no byte order");
	if (p->failed) {
		decode_arena_destroy(arena);
		tsdl = NULL;
	}
	free(p);
	return tsdl;
}

void decode_tsdl_free(struct lane_tsdl *tsdl)
{
	if (tsdl)
		decode_arena_destroy(tsdl->arena);
}
