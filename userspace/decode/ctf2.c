// SPDX-License-Identifier: MIT
// The fragments of CTF 2's metadata: preamble, aliases, trace, clocks, streams, events.
#include "base/stop.h"
#include "decode/ctf2_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A fragment that later ones name: it is kept, to its id. */
static bool ctf2_keep(struct lane_ctf2_parser *p, struct json_object *kept, const char *id,
		      struct json_object *what)
{
	p->n_kept_values += p->n_values;
	if (decode_ctf2_get(kept, id))
		return decode_ctf2_unknown(p, "two of one name", id);
	if (p->n_kept_values > 1 << 18)
		return decode_ctf2_unknown(p, "very many values in all", id);
	return !json_object_object_add(kept, id, json_object_get(what)) ||
	       decode_ctf2_unknown(p, "no memory", NULL);
}

/* --- the trace --- */

static bool take_uuid(struct json_object *from, uint8_t uuid[16])
{
	struct json_object *list = decode_ctf2_get(from, "uuid");

	if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) != 16)
		return false;
	for (size_t i = 0; i < 16; i++) {
		struct json_object *byte = json_object_array_get_idx(list, i);
		int64_t value = json_object_get_int64(byte);

		if (!json_object_is_type(byte, json_type_int) || value < 0 || value > 255)
			return false;
		uuid[i] = (uint8_t)value;
	}
	return true;
}

/* Of the extensions that are declared none is known, and each may change the format. */
static bool has_no_extension(struct lane_ctf2_parser *p, struct json_object *from)
{
	struct json_object *spaces = decode_ctf2_get(from, "extensions");

	if (!json_object_is_type(spaces, json_type_object))
		return !spaces || decode_ctf2_unknown(p, "extensions that are none", NULL);
	json_object_object_foreach(spaces, space, names) {
		(void)space;
		if (!json_object_is_type(names, json_type_object))
			return decode_ctf2_unknown(p, "extensions that are none", NULL);
		json_object_object_foreach(names, name, value) {
			(void)value;
			return decode_ctf2_unknown(p, "an extension of CTF 2 that is not known",
						   name);
		}
	}
	return true;
}

static bool take_preamble(struct lane_ctf2_parser *p, struct json_object *from)
{
	uint64_t version = 0;

	if (p->tsdl->is_ctf2)
		return decode_ctf2_unknown(p, "a second preamble", NULL);
	if (!decode_ctf2_number(p, from, "version", UINT64_MAX, &version) ||
	    !has_no_extension(p, from))
		return false;
	if (version != 2)
		return decode_ctf2_unknown(p, "a version that is not 2", NULL);
	p->tsdl->is_ctf2 = true;
	p->tsdl->has_uuid = take_uuid(from, p->tsdl->uuid);
	return p->tsdl->has_uuid || !decode_ctf2_get(from, "uuid") ||
	       decode_ctf2_unknown(p, "a uuid that is none", NULL);
}

static bool take_environment(struct lane_ctf2_parser *p, struct json_object *from)
{
	struct lane_tsdl *tsdl = p->tsdl;
	struct json_object *entries = decode_ctf2_get(from, "environment");
	size_t n;

	if (!entries)
		return true;
	if (!json_object_is_type(entries, json_type_object))
		return decode_ctf2_unknown(p, "an environment that is none", NULL);
	n = (size_t)json_object_object_length(entries);
	tsdl->env = decode_ctf2_take(p, (n + 1) * sizeof(*tsdl->env));
	if (!tsdl->env)
		return false;
	json_object_object_foreach(entries, key, value) {
		struct lane_tsdl_env *to = &tsdl->env[tsdl->n_env++];
		char *name = decode_ctf2_take(p, strlen(key) + 1);
		bool is_number = json_object_is_type(value, json_type_int);

		if (!name || (!is_number && !decode_ctf2_text(p, entries, key, &to->text)))
			return false;
		strcpy(name, key);
		to->name = name;
		to->number = is_number ? json_object_get_int64(value) : 0;
	}
	return true;
}

/* A structure of the packet or the event, which may be there or not. */
static bool take_root(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
		      enum lane_ctf2_scope scope, const struct lane_tsdl_type **to)
{
	struct json_object *class;

	*to = p->roots[scope] = NULL;
	if (!json_object_object_get_ex(from, key, &class))
		return true;
	p->scope = scope;
	p->depth = 0;
	p->where = key;
	*to = decode_ctf2_type(p, class);
	p->roots[scope] = *to;
	if (!*to)
		return false;
	return (*to)->kind == LANE_TSDL_STRUCT ||
	       decode_ctf2_unknown(p, "what should be a structure is none", key);
}

static bool ctf2_take_trace(struct lane_ctf2_parser *p, struct json_object *from)
{
	if (p->tsdl->n_streams || p->tsdl->env || p->tsdl->packet_header)
		return decode_ctf2_unknown(p, "a trace class behind another, or behind a stream",
					   NULL);
	return take_environment(p, from) &&
	       take_root(p, from, "packet-header-field-class", LANE_CTF2_PACKET_HEADER,
			 &p->tsdl->packet_header);
}

static bool take_alias(struct lane_ctf2_parser *p, struct json_object *from)
{
	struct json_object *class = decode_ctf2_get(from, "field-class"), *alias;
	const char *name = NULL;
	bool is_kept;

	if (!decode_ctf2_text(p, from, "name", &name))
		return false;
	if (!name || !class)
		return decode_ctf2_unknown(p, "a field class alias without a name or a class",
					   name);
	alias = json_object_new_array();
	if (!alias)
		return decode_ctf2_unknown(p, "no memory", NULL);
	json_object_array_add(alias, json_object_new_int64(p->n_aliases++));
	json_object_array_add(alias, json_object_get(class));
	is_kept = ctf2_keep(p, p->aliases, name, alias);
	json_object_put(alias);
	p->alias_end = p->n_aliases;
	return is_kept;
}

/* --- clocks --- */

static bool ctf2_take_clock(struct lane_ctf2_parser *p, struct json_object *from)
{
	const char *id = NULL;

	if (!decode_ctf2_text(p, from, "id", &id))
		return false;
	return id ? ctf2_keep(p, p->clocks, id, from)
		  : decode_ctf2_unknown(p, "a clock without an id", NULL);
}

/* Its offset is one to 1970 only if that is its origin. */
static bool take_offset(struct lane_ctf2_parser *p, struct json_object *from,
			struct lane_tsdl_clock *clock)
{
	struct json_object *origin = decode_ctf2_get(from, "origin");
	struct json_object *offset = decode_ctf2_get(from, "offset-from-origin"), *seconds;
	uint64_t cycles = 0;

	if (!offset)
		return true;
	if (!json_object_is_type(offset, json_type_object))
		return decode_ctf2_unknown(p, "a clock's offset that is none", clock->name);
	seconds = decode_ctf2_get(offset, "seconds");
	if (seconds && !json_object_is_type(seconds, json_type_int))
		return decode_ctf2_unknown(p, "a clock's offset that is none", clock->name);
	if (!decode_ctf2_number(p, offset, "cycles", clock->frequency - 1, &cycles))
		return false;
	if (!json_object_is_type(origin, json_type_string) ||
	    strcmp(json_object_get_string(origin), "unix-epoch") != 0)
		return true;
	clock->offset_s = json_object_get_int64(seconds);
	clock->offset = (int64_t)cycles;
	return true;
}

/* The clock that a stream names. Another stream's may be the same. */
static bool use_clock(struct lane_ctf2_parser *p, const char *id)
{
	struct lane_tsdl *tsdl = p->tsdl;
	struct json_object *from = decode_ctf2_get(p->clocks, id);
	struct lane_tsdl_clock *clock;

	for (uint32_t i = 0; i < tsdl->n_clocks; i++)
		if (!strcmp(tsdl->clocks[i].name, id))
			return true;
	if (!from)
		return decode_ctf2_unknown(p, "a clock that is not declared", id);
	if (!tsdl->clocks)
		tsdl->clocks = decode_ctf2_take(p, LANE_TSDL_STREAMS * sizeof(*tsdl->clocks));
	if (!tsdl->clocks)
		return false;
	clock = &tsdl->clocks[tsdl->n_clocks++];
	clock->name = id;
	if (!decode_ctf2_number(p, from, "frequency", INT64_MAX, &clock->frequency) ||
	    !decode_ctf2_text(p, from, "uid", &clock->uuid))
		return false;
	if (!clock->frequency)
		return decode_ctf2_unknown(p, "a clock without a frequency", id);
	return take_offset(p, from, clock);
}

/* --- streams and events --- */

static bool take_stream(struct lane_ctf2_parser *p, struct json_object *from)
{
	struct lane_tsdl *tsdl = p->tsdl;
	struct lane_tsdl_stream *stream;
	const char *clock = NULL;

	if (!tsdl->streams)
		tsdl->streams = decode_ctf2_take(p, LANE_TSDL_STREAMS * sizeof(*tsdl->streams));
	if (!tsdl->streams)
		return false;
	if (tsdl->n_streams == LANE_TSDL_STREAMS)
		return decode_ctf2_unknown(p, "very many streams", NULL);
	stream = &tsdl->streams[tsdl->n_streams++];
	if (!decode_ctf2_number(p, from, "id", UINT64_MAX - 1, &stream->id) ||
	    !decode_ctf2_text(p, from, "default-clock-class-id", &clock) ||
	    (clock && !use_clock(p, clock)))
		return false;
	p->has_clock = clock;
	p->roots[LANE_CTF2_PACKET_HEADER] = tsdl->packet_header;
	for (unsigned int i = LANE_CTF2_PACKET_CONTEXT; i < LANE_CTF2_SCOPES; i++)
		p->roots[i] = NULL;
	return take_root(p, from, "packet-context-field-class", LANE_CTF2_PACKET_CONTEXT,
			 &stream->packet_context) &&
	       take_root(p, from, "event-record-header-field-class", LANE_CTF2_EVENT_HEADER,
			 &stream->header) &&
	       take_root(p, from, "event-record-common-context-field-class",
			 LANE_CTF2_COMMON_CONTEXT, &stream->event_context);
}

/* Room for one more event, by doubling. */
static struct lane_tsdl_event *new_event(struct lane_ctf2_parser *p)
{
	struct lane_tsdl *tsdl = p->tsdl;
	uint32_t n = tsdl->n_events;
	struct lane_tsdl_event *more;

	if (n < 8 ? !n : !(n & (n - 1))) {
		more = decode_ctf2_take(p, sizeof(*more) * (n ? (size_t)n * 2 : 8));
		if (!more)
			return NULL;
		if (n)
			memcpy(more, tsdl->events, n * sizeof(*more));
		tsdl->events = more;
	}
	tsdl->n_events++;
	return &tsdl->events[n];
}

static bool ctf2_take_event(struct lane_ctf2_parser *p, struct json_object *from)
{
	struct lane_tsdl_event *event = new_event(p);
	const struct lane_tsdl_stream *stream = NULL;

	if (!event || !decode_ctf2_number(p, from, "id", UINT64_MAX, &event->id) ||
	    !decode_ctf2_number(p, from, "data-stream-class-id", UINT64_MAX, &event->stream_id) ||
	    !decode_ctf2_text(p, from, "name", &event->name))
		return false;
	event->has_stream_id = true;
	for (uint32_t i = 0; i < p->tsdl->n_streams && !stream; i++)
		if (p->tsdl->streams[i].id == event->stream_id)
			stream = &p->tsdl->streams[i];
	if (!stream)
		return decode_ctf2_unknown(p, "an event of no stream", event->name);
	p->has_clock = false;
	p->roots[LANE_CTF2_PACKET_HEADER] = p->tsdl->packet_header;
	p->roots[LANE_CTF2_PACKET_CONTEXT] = stream->packet_context;
	p->roots[LANE_CTF2_EVENT_HEADER] = stream->header;
	p->roots[LANE_CTF2_COMMON_CONTEXT] = stream->event_context;
	return take_root(p, from, "specific-context-field-class", LANE_CTF2_SPECIFIC_CONTEXT,
			 &event->context) &&
	       take_root(p, from, "payload-field-class", LANE_CTF2_PAYLOAD, &event->fields);
}

/* --- all of it --- */

static bool take_fragment(struct lane_ctf2_parser *p, struct json_object *from)
{
	static const struct {
		const char *name;
		bool (*take)(struct lane_ctf2_parser *p, struct json_object *from);
	} fragments[] = {
		{ "event-record-class", ctf2_take_event }, { "data-stream-class", take_stream },
		{ "clock-class", ctf2_take_clock },	   { "field-class-alias", take_alias },
		{ "trace-class", ctf2_take_trace },	   { "preamble", take_preamble },
	};
	const char *type = NULL;

	if (!decode_ctf2_text(p, from, "type", &type))
		return false;
	if (!p->tsdl->is_ctf2 && (!type || strcmp(type, "preamble") != 0))
		return decode_ctf2_unknown(p, "no preamble", NULL);
	for (size_t i = 0; type && i < sizeof(fragments) / sizeof(fragments[0]); i++)
		if (!strcmp(fragments[i].name, type))
			return fragments[i].take(p, from);
	return decode_ctf2_unknown(p, "a fragment that is not known", type);
}

static void take_all(struct lane_ctf2_parser *p)
{
	struct json_object *fragment;

	p->aliases = json_object_new_object();
	p->clocks = json_object_new_object();
	while ((fragment = decode_ctf2_next(p))) {
		if (lane_stop_signal)
			decode_ctf2_unknown(p, "interrupted", NULL);
		else
			take_fragment(p, fragment);
		json_object_put(fragment);
	}
	if (!p->failed && !p->tsdl->is_ctf2)
		decode_ctf2_unknown(p, "no preamble", NULL);
	json_object_put(p->aliases);
	json_object_put(p->clocks);
}

struct lane_tsdl *decode_ctf2_parse(const char *text, size_t bytes, char *why, size_t size)
{
	LANE_CLEANUP(lane_free) struct lane_ctf2_parser *p = calloc(1, sizeof(*p));
	struct lane_arena *arena = decode_arena_create();
	struct lane_tsdl *tsdl = arena ? decode_arena_take(arena, sizeof(*tsdl)) : NULL;

	snprintf(why, size, "no memory");
	if (!p || !tsdl) {
		decode_arena_destroy(arena);
		return NULL;
	}
	*tsdl = (struct lane_tsdl){ .arena = arena, .has_order = true };
	*p = (struct lane_ctf2_parser){ .tsdl = tsdl,
					.arena = arena,
					.at = text,
					.end = text + bytes,
					.counted = text,
					.line = 1,
					.why = why,
					.why_size = size };
	take_all(p);
	if (!p->failed)
		return tsdl;
	decode_arena_destroy(arena);
	return NULL;
}

bool decode_ctf2_uuid(const char *text, size_t bytes, uint8_t uuid[16])
{
	char why[8];
	struct lane_ctf2_parser p = { .at = text,
				      .end = text + bytes,
				      .counted = text,
				      .why = why,
				      .why_size = sizeof(why) };
	struct json_object *preamble = decode_ctf2_next(&p);
	bool has_uuid = preamble && take_uuid(preamble, uuid);

	json_object_put(preamble);
	return has_uuid;
}
