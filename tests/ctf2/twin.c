// SPDX-License-Identifier: MIT
// The metadata of a CTF 1.8 trace, written anew as CTF 2 for the same streams. What CTF 1.8 says by
// names is said by roles; where a length or a tag is, by its scope or by its way up.
#include "twin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_DEPTH = 64,
};

static const char *fault;
static const struct lane_tsdl *tsdl;
static const char *scope;
static const struct lane_tsdl_type *open_types[MOST_DEPTH];
static uint32_t open_members[MOST_DEPTH]; /* how many of each are before */
static unsigned int depth;

static void die(const char *why)
{
	fault = fault ? fault : why;
}

static void put_text(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		if ((unsigned char)*text < 32)
			fprintf(to, "\\u%04x", *text);
		else
			putc(*text, to);
	}
	putc('"', to);
}

/* --- lengths and tags --- */

/* The member that a type has its length or its tag in, and where that is. */
static const struct lane_tsdl_member *put_location(FILE *to, const char *key,
						   const struct lane_tsdl_type *type)
{
	unsigned int up = 0;

	for (unsigned int i = depth; type->ref && i--;) {
		if (open_types[i]->kind != LANE_TSDL_STRUCT)
			continue;
		for (uint32_t k = open_members[i]; k--;) {
			const struct lane_tsdl_member *member = &open_types[i]->members[k];

			if (strcmp(member->name, type->ref) != 0)
				continue;
			fprintf(to, "\"%s\":{", key);
			if (!i)
				fprintf(to, "\"origin\":\"%s\",", scope);
			fprintf(to, "\"path\":[");
			while (i && up--)
				fprintf(to, "null,");
			put_text(to, decode_tsdl_shown(member->name));
			fprintf(to, "]}");
			return member;
		}
		up++;
	}
	die("a length or a tag that is elsewhere");
	return NULL;
}

static void put_range(FILE *to, const struct lane_tsdl_label *label, bool is_signed, bool is_first)
{
	fprintf(to, is_signed ? "%s[%" PRId64 ",%" PRId64 "]" : "%s[%" PRIu64 ",%" PRIu64 "]",
		is_first ? "" : ",", label->from, label->to);
}

/* The ranges of all labels of that name; how many they are. */
static unsigned int put_ranges(FILE *to, const struct lane_tsdl_type *type, const char *name)
{
	unsigned int n = 0;

	fprintf(to, "[");
	for (uint32_t i = 0; i < type->n_labels; i++)
		if (!strcmp(type->labels[i].name, name))
			put_range(to, &type->labels[i], type->is_signed, !n++);
	fprintf(to, "]");
	return n;
}

/* --- roles --- */

static const struct {
	const char *scope, *name, *role;
} roles[] = {
	{ "packet-header", "magic", "packet-magic-number" },
	{ "packet-header", "uuid", "metadata-stream-uuid" },
	{ "packet-header", "stream_id", "data-stream-class-id" },
	{ "packet-header", "stream_instance_id", "data-stream-id" },
	{ "packet-context", "timestamp_begin", "default-clock-timestamp" },
	{ "packet-context", "timestamp_end", "packet-end-default-clock-timestamp" },
	{ "packet-context", "content_size", "packet-content-length" },
	{ "packet-context", "packet_size", "packet-total-length" },
	{ "packet-context", "packet_seq_num", "packet-sequence-number" },
	{ "packet-context", "events_discarded", "discarded-event-record-counter-snapshot" },
	{ "event-record-header", "id", "event-record-class-id" },
};

static const char *role_of(const struct lane_tsdl_type *type, const char *name)
{
	bool is_header = !strcmp(scope, "event-record-header");

	if (is_header && type->clock)
		return "default-clock-timestamp";
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(roles[i].scope, scope) && !strcmp(roles[i].name, name) &&
		    (depth == 1 || is_header) && !type->is_signed)
			return roles[i].role;
	return NULL;
}

/* --- types --- */

static void put_type(FILE *to, const struct lane_tsdl_type *type, const char *name);

static void put_mappings(FILE *to, const struct lane_tsdl_type *type)
{
	const char *separator = "";

	fprintf(to, ",\"mappings\":{");
	for (uint32_t i = 0; i < type->n_labels; i++) {
		bool is_first = true;

		for (uint32_t k = 0; k < i; k++)
			is_first &= strcmp(type->labels[k].name, type->labels[i].name) != 0;
		if (!is_first)
			continue;
		fprintf(to, "%s", separator);
		separator = ",";
		put_text(to, type->labels[i].name);
		fprintf(to, ":");
		put_ranges(to, type, type->labels[i].name);
	}
	fprintf(to, "}");
}

static void put_number(FILE *to, const struct lane_tsdl_type *type, const char *role)
{
	bool is_big = type->order == LANE_TSDL_NATIVE ? tsdl->is_big : type->order == LANE_TSDL_BIG;

	fprintf(to,
		"{\"type\":\"fixed-length-%s\",\"length\":%u,\"byte-order\":\"%s-endian\","
		"\"alignment\":%u",
		type->kind == LANE_TSDL_FLOAT ? "floating-point-number"
		: type->is_signed	      ? "signed-integer"
					      : "unsigned-integer",
		type->size, is_big ? "big" : "little", type->align);
	if (type->kind == LANE_TSDL_INTEGER && type->n_labels)
		put_mappings(to, type);
	if (role)
		fprintf(to, ",\"roles\":[\"%s\"]", role);
	fprintf(to, "}");
}

/* An array; texts of whole bytes are strings, a uuid is a blob. */
static void put_array(FILE *to, const struct lane_tsdl_type *type, const char *name)
{
	const struct lane_tsdl_type *element = type->element;
	bool is_text = element->kind == LANE_TSDL_INTEGER && element->is_text &&
		       element->size == 8 && element->align == 8;
	const char *role = type->kind == LANE_TSDL_ARRAY ? role_of(type, name) : NULL;
	const char *what = is_text ? "string" : role ? "blob" : "array";

	fprintf(to, "{\"type\":\"%s-length-%s\",",
		type->kind == LANE_TSDL_ARRAY ? "static" : "dynamic", what);
	if (type->kind == LANE_TSDL_ARRAY)
		fprintf(to, "\"length\":%" PRIu64, type->length);
	else
		put_location(to, "length-field-location", type);
	if (role)
		fprintf(to, ",\"roles\":[\"%s\"]", role);
	if (*what == 'a') {
		fprintf(to, ",\"minimum-alignment\":%u,\"element-field-class\":", type->align);
		open_members[depth] = 0;
		open_types[depth++] = type;
		put_type(to, element, "");
		depth--;
	}
	fprintf(to, "}");
}

static void put_members(FILE *to, const struct lane_tsdl_type *type)
{
	open_types[depth++] = type;
	for (uint32_t i = 0; i < type->n_members; i++) {
		const char *name = decode_tsdl_shown(type->members[i].name);

		open_members[depth - 1] = i;
		fprintf(to, "%s{\"name\":", i ? "," : "");
		put_text(to, name);
		fprintf(to, ",\"field-class\":");
		put_type(to, type->members[i].type, name);
		fprintf(to, "}");
	}
	depth--;
}

/* An option that the tag never takes is none. */
static void put_variant(FILE *to, const struct lane_tsdl_type *type)
{
	const struct lane_tsdl_member *tag;
	const char *separator = "";

	fprintf(to, "{\"type\":\"variant\",");
	tag = put_location(to, "selector-field-location", type);
	if (!tag)
		return;
	fprintf(to, ",\"options\":[");
	open_types[depth++] = type;
	for (uint32_t i = 0; i < type->n_members; i++) {
		const char *name = type->members[i].name;
		bool is_taken = false;

		for (uint32_t k = 0; k < tag->type->n_labels; k++)
			is_taken |= !strcmp(tag->type->labels[k].name, name);
		if (!is_taken)
			continue;
		open_members[depth - 1] = i;
		fprintf(to, "%s{\"name\":", separator);
		separator = ",";
		put_text(to, name);
		fprintf(to, ",\"selector-field-ranges\":");
		put_ranges(to, tag->type, name);
		fprintf(to, ",\"field-class\":");
		put_type(to, type->members[i].type, name);
		fprintf(to, "}");
	}
	depth--;
	fprintf(to, "]}");
}

static void put_type(FILE *to, const struct lane_tsdl_type *type, const char *name)
{
	if (depth == MOST_DEPTH) {
		die("types in too many types");
		return;
	}
	switch (type->kind) {
	case LANE_TSDL_STRING:
		fprintf(to, "{\"type\":\"null-terminated-string\"}");
		break;
	case LANE_TSDL_STRUCT:
		fprintf(to, "{\"type\":\"structure\",\"minimum-alignment\":%u,\"member-classes\":[",
			type->align);
		put_members(to, type);
		fprintf(to, "]}");
		break;
	case LANE_TSDL_VARIANT:
		put_variant(to, type);
		break;
	case LANE_TSDL_ARRAY:
	case LANE_TSDL_SEQUENCE:
		put_array(to, type, name);
		break;
	default:
		put_number(to, type, role_of(type, name));
	}
}

static void put_root(FILE *to, const char *key, const char *of, const struct lane_tsdl_type *type)
{
	if (!type)
		return;
	scope = of;
	depth = 0;
	fprintf(to, ",\"%s-field-class\":", key);
	put_type(to, type, "");
}

/* --- fragments --- */

static void put_trace(FILE *to)
{
	fprintf(to, "\x1e{\"type\":\"preamble\",\"version\":2");
	if (tsdl->has_uuid)
		fprintf(to, ",\"uuid\":[");
	for (unsigned int i = 0; tsdl->has_uuid && i < 16; i++)
		fprintf(to, "%s%u", i ? "," : "", tsdl->uuid[i]);
	fprintf(to, "%s}\n\x1e{\"type\":\"trace-class\",\"environment\":{",
		tsdl->has_uuid ? "]" : "");
	for (uint32_t i = 0; i < tsdl->n_env; i++) {
		fprintf(to, i ? "," : "");
		put_text(to, tsdl->env[i].name);
		fprintf(to, ":");
		if (tsdl->env[i].text)
			put_text(to, tsdl->env[i].text);
		else
			fprintf(to, "%" PRId64, tsdl->env[i].number);
	}
	fprintf(to, "}");
	put_root(to, "packet-header", "packet-header", tsdl->packet_header);
	fprintf(to, "}\n");
}

static void put_clock(FILE *to, const struct lane_tsdl_clock *clock)
{
	int64_t seconds = clock->offset_s + clock->offset / (int64_t)clock->frequency;

	fprintf(to,
		"\x1e{\"type\":\"clock-class\",\"origin\":\"unix-epoch\",\"frequency\":%" PRIu64
		",\"offset-from-origin\":{\"seconds\":%" PRId64 ",\"cycles\":%" PRId64 "},\"id\":",
		clock->frequency, seconds, clock->offset % (int64_t)clock->frequency);
	put_text(to, clock->name ? clock->name : "");
	if (clock->uuid) {
		fprintf(to, ",\"uid\":");
		put_text(to, clock->uuid);
	}
	fprintf(to, "}\n");
}

static void put_stream(FILE *to, const struct lane_tsdl_stream *stream)
{
	fprintf(to, "\x1e{\"type\":\"data-stream-class\",\"id\":%" PRIu64, stream->id);
	if (tsdl->n_clocks) {
		fprintf(to, ",\"default-clock-class-id\":");
		put_text(to, tsdl->clocks[0].name ? tsdl->clocks[0].name : "");
	}
	put_root(to, "packet-context", "packet-context", stream->packet_context);
	put_root(to, "event-record-header", "event-record-header", stream->header);
	put_root(to, "event-record-common-context", "event-record-common-context",
		 stream->event_context);
	fprintf(to, "}\n");
}

static void put_event(FILE *to, const struct lane_tsdl_event *event)
{
	fprintf(to, "\x1e{\"type\":\"event-record-class\",\"id\":%" PRIu64, event->id);
	fprintf(to, ",\"data-stream-class-id\":%" PRIu64,
		event->has_stream_id || !tsdl->n_streams ? event->stream_id : tsdl->streams[0].id);
	if (event->name) {
		fprintf(to, ",\"name\":");
		put_text(to, event->name);
	}
	put_root(to, "specific-context", "event-record-specific-context", event->context);
	put_root(to, "payload", "event-record-payload", event->fields);
	fprintf(to, "}\n");
}

const char *twin_write(FILE *to, const struct lane_tsdl *of)
{
	tsdl = of;
	fault = NULL;
	put_trace(to);
	for (uint32_t i = 0; i < tsdl->n_clocks; i++)
		put_clock(to, &tsdl->clocks[i]);
	for (uint32_t i = 0; i < tsdl->n_streams; i++)
		put_stream(to, &tsdl->streams[i]);
	for (uint32_t i = 0; i < tsdl->n_events; i++)
		put_event(to, &tsdl->events[i]);
	return fault;
}
