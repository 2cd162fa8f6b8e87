// SPDX-License-Identifier: MIT
// CTF traces of other tracers: what is read is what was written. Their layouts are drawn: heads as
// LTTng and others have them, structures of whatever they can declare.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../ctf2/twin.h"
#include "check.h"
#include "draw.h"
#include "decode/known_names.h"
#include "norm/norm.h"

enum {
	LAYOUTS = 60,
	EVENT_CLASSES = 40, /* more than a compact head has numbers for */
	STREAMS = 3,
	PACKETS = 12,
};

/* --- bits --- */

struct bits {
	uint8_t data[1 << 16];
	uint64_t at;
};

static void put_align(struct bits *b, unsigned int align)
{
	while (b->at % align)
		b->at++;
}

static void put_bits(struct bits *b, uint64_t value, unsigned int size, bool big)
{
	for (unsigned int i = 0; i < size; i++, b->at++) {
		unsigned int bit = big ? size - 1 - i : i;
		unsigned int place = big ? 7 - b->at % 8 : (unsigned int)(b->at % 8);

		assert_true(b->at / 8 < sizeof(b->data));
		if (value >> bit & 1)
			b->data[b->at / 8] |= (uint8_t)(1u << place);
		else
			b->data[b->at / 8] &= (uint8_t) ~(1u << place);
	}
}

/* --- types --- */

enum kind {
	INTEGER,
	STRING,
	ARRAY,
	SEQUENCE,
	STRUCTURE,
	VARIANT,
	KINDS,
};

struct type {
	enum kind kind;
	unsigned int size, align, length;
	bool is_signed, is_swapped, is_text;
	const char *name; /* NULL: by its place */
	struct type *members[8];
	unsigned int n;
};

struct layout {
	bool big;
	unsigned int head; /* of events */
	bool has_seq, has_context, has_instance, is_packed;
	unsigned int discarded_bits;
	struct type *context;
	struct type *fields[EVENT_CLASSES];
};

static struct type *integer(const struct layout *layout, const char *name)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64, 5, 27, 1, 33 };
	struct type *type = calloc(1, sizeof(*type));

	type->kind = INTEGER;
	type->name = name;
	type->size = sizes[draw(layout->is_packed ? 4 : 8)];
	type->align = type->size % 8 ? 1 : 8;
	if (type->size % 8 == 0 && !layout->is_packed && draw(2))
		type->align = type->size;
	type->is_signed = draw(2);
	type->is_swapped = type->align >= 8 && !draw(8);
	type->is_text = type->size == 8 && type->align == 8 && draw(2);
	return type;
}

static struct type *draw_type(const struct layout *layout, unsigned int depth)
{
	struct type *type = integer(layout, NULL);

	type->kind = (enum kind)draw(depth ? KINDS : STRUCTURE);
	if (type->kind == ARRAY)
		type->length = (unsigned int)draw(6);
	if (type->kind < STRUCTURE)
		return type;
	type->n = 1 + (unsigned int)draw(4);
	for (unsigned int i = 0; i < type->n; i++)
		type->members[i] = draw_type(layout, depth - 1);
	return type;
}

static void free_type(struct type *type)
{
	for (unsigned int i = 0; type && i < type->n; i++)
		free_type(type->members[i]);
	free(type);
}

static void write_integer(FILE *to, const struct layout *layout, const struct type *type)
{
	fprintf(to, "integer { size = %u; align = %u; signed = %s; %s%s}", type->size, type->align,
		type->is_signed ? "true" : "false",
		!type->is_swapped ? ""
		: layout->big	  ? "byte_order = le; "
				  : "byte_order = be; ",
		type->is_text ? "encoding = UTF8; base = 10; " : "");
}

static void write_type(FILE *to, const struct layout *layout, const struct type *type,
		       const char *name);

static void write_members(FILE *to, const struct layout *layout, const struct type *type)
{
	for (unsigned int i = 0; i < type->n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "_%s%.0u",
			 type->members[i]->name ? type->members[i]->name : "f",
			 type->members[i]->name ? 0 : i + 1);
		write_type(to, layout, type->members[i], name);
	}
}

/* Declares a type, with what has to stand before it. */
static void write_type(FILE *to, const struct layout *layout, const struct type *type,
		       const char *name)
{
	switch (type->kind) {
	case STRING:
		fprintf(to, "string %s;\n", name);
		break;
	case STRUCTURE:
		fprintf(to, "struct {\n");
		write_members(to, layout, type);
		fprintf(to, "} %s;\n", name);
		break;
	case VARIANT:
		fprintf(to, "enum : integer { size = 8; align = 8; signed = %d; } {",
			type->is_signed);
		for (unsigned int i = 0; i < type->n; i++)
			fprintf(to, " _o%u = %u ... %u,", i, i * 10, i * 10 + i);
		fprintf(to, " } _%s_tag;\nvariant <_%s_tag> {\n", name, name);
		for (unsigned int i = 0; i < type->n; i++) {
			char option[16];

			snprintf(option, sizeof(option), "_o%u", i);
			/* What stands before it cannot stand in a variant. */
			if (type->members[i]->kind == SEQUENCE || type->members[i]->kind == VARIANT)
				type->members[i]->kind = INTEGER;
			write_type(to, layout, type->members[i], option);
		}
		fprintf(to, "} %s;\n", name);
		break;
	case SEQUENCE:
		fprintf(to, "integer { size = 16; align = 8; } _%s_length;\n", name);
		write_integer(to, layout, type);
		fprintf(to, " %s[ _%s_length ];\n", name, name);
		break;
	case ARRAY:
		write_integer(to, layout, type);
		fprintf(to, " %s[%u];\n", name, type->length);
		break;
	default:
		write_integer(to, layout, type);
		fprintf(to, " %s;\n", name);
	}
}

static unsigned int align_of(const struct type *type)
{
	unsigned int align = type->align;

	if (type->kind == STRING)
		return 8;
	if (type->kind == SEQUENCE)
		return align > 8 ? align : 8;
	if (type->kind == VARIANT)
		return 8; /* its tag's */
	if (type->kind != STRUCTURE)
		return align;
	align = 1;
	for (unsigned int i = 0; i < type->n; i++)
		if (align_of(type->members[i]) > align)
			align = align_of(type->members[i]);
	return align;
}

/* What was put last, as a reader has it: an integer, or the characters of a text. */
static struct {
	uint64_t value;
	char text[32];
	unsigned int length;
} last;

static void put_integer(struct bits *b, const struct layout *layout, const struct type *type)
{
	uint64_t value = draw(4) ? draw(200) : draw(UINT64_MAX);

	if (type->is_text)
		value = draw(8) ? 'a' + draw(26) : 0;
	if (type->size < 64)
		value &= (1ull << type->size) - 1;
	put_align(b, type->align);
	put_bits(b, value, type->size, layout->big != type->is_swapped);
	if (type->is_signed && type->size < 64 && value >> (type->size - 1))
		value |= ~((1ull << type->size) - 1);
	last.value = value;
	if (last.length < sizeof(last.text))
		last.text[last.length++] = (char)value;
}

static void put_type(struct bits *b, const struct layout *layout, const struct type *type)
{
	unsigned int n = type->length, option;

	last.length = 0;
	switch (type->kind) {
	case STRING:
		put_align(b, 8);
		for (n = (unsigned int)draw(20); n; n--) {
			last.text[last.length++] = (char)('a' + draw(26));
			put_bits(b, (uint64_t)last.text[last.length - 1], 8, layout->big);
		}
		put_bits(b, 0, 8, layout->big);
		break;
	case STRUCTURE:
		put_align(b, align_of(type));
		for (unsigned int i = 0; i < type->n; i++)
			put_type(b, layout, type->members[i]);
		break;
	case VARIANT:
		option = (unsigned int)draw(type->n);
		put_align(b, 8);
		put_bits(b, option * 10 + draw(option + 1), 8, layout->big);
		put_type(b, layout, type->members[option]);
		break;
	case SEQUENCE:
		n = (unsigned int)draw(5);
		put_align(b, 8);
		put_bits(b, n, 16, layout->big);
		/* fallthrough */
	case ARRAY:
		put_align(b, type->align);
		for (; n; n--)
			put_integer(b, layout, type);
		break;
	default:
		put_integer(b, layout, type);
	}
}

/* --- layouts --- */

enum {
	COMPACT,
	LARGE,
	PLAIN, /* id and time, as perf has them */
	HEADS,
};

/* The events' names: some of the table, some of nobody's. */
static const struct {
	const char *name;
	const char *fields[6]; /* that stand first in their payload; the others are drawn */
} events[] = {
	{ "sched_wakeup", { "comm", "tid", "prio", "target_cpu" } },
	{ "sched_switch",
	  { "prev_comm", "prev_tid", "prev_prio", "prev_state", "next_comm", "next_tid" } },
	{ "sched_process_exit", { "comm", "tid", "prio" } },
	{ "dma_fence_signaled", { "driver", "timeline", "context", "seqno" } },
	{ "i915_request_in", { "ctx", "dev", "seqno", "class", "instance", "port" } },
	{ "i915_request_retire", { "ctx", "ring", "seqno" } },
	{ "somebody_elses", { "what" } },
};

#define N_EVENTS (sizeof(events) / sizeof(events[0]))

static struct type *draw_payload(const struct layout *layout, unsigned int index)
{
	struct type *type = calloc(1, sizeof(*type));
	const char *const *names = events[index % N_EVENTS].fields;
	bool is_text;

	type->kind = STRUCTURE;
	for (; type->n < 6 && names[type->n]; type->n++) {
		struct type *member = integer(layout, names[type->n]);

		is_text = strstr(member->name, "comm") || !strcmp(member->name, "driver") ||
			  !strcmp(member->name, "timeline");
		if (is_text || !draw(12))
			member->kind = (enum kind)(STRING + draw(3));
		if (member->kind == ARRAY)
			member->length = 16;
		type->members[type->n] = member;
	}
	for (unsigned int more = (unsigned int)draw(3); more && type->n < 8; more--)
		type->members[type->n++] = draw_type(layout, 2);
	return type;
}

static void draw_layout(struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	layout->big = !draw(4);
	layout->head = (unsigned int)draw(HEADS);
	layout->is_packed = draw(2);
	layout->has_seq = draw(2);
	layout->has_instance = draw(2);
	layout->has_context = draw(2);
	layout->discarded_bits = draw(2) ? 64 : 32;
	if (layout->has_context) {
		static const char *const names[] = { "tid", "vtid", "procname", "pid" };

		layout->context = calloc(1, sizeof(*layout->context));
		layout->context->kind = STRUCTURE;
		for (; layout->context->n < 4; layout->context->n++) {
			struct type *member = integer(layout, names[layout->context->n]);

			if (layout->context->n == 2)
				*member = (struct type){ .kind = ARRAY,
							 .size = 8,
							 .align = 8,
							 .is_text = true,
							 .length = 17,
							 .name = "procname" };
			layout->context->members[layout->context->n] = member;
		}
	}
	for (unsigned int i = 0; i < EVENT_CLASSES; i++)
		layout->fields[i] = draw_payload(layout, i);
}

static void free_layout(struct layout *layout)
{
	free_type(layout->context);
	for (unsigned int i = 0; i < EVENT_CLASSES; i++)
		free_type(layout->fields[i]);
}

static void write_metadata(const char *dir, const struct layout *layout, const char *more)
{
	unsigned int align = layout->is_packed ? 8 : 32;
	char path[256];
	FILE *to;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	to = fopen(path, "w");
	assert_non_null(to);
	fprintf(to,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; } := uint64_t;\n"
		"typealias integer { size = %u; align = 8; } := unsigned long;\n"
		"typealias integer { size = 5; align = 1; } := uint5_t;\n"
		"typealias integer { size = 16; align = 8; } := uint16_t;\n"
		"trace {\n major = 1;\n minor = 8;\n uuid = "
		"\"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";\n"
		" byte_order = %s;\n packet.header := struct { uint32_t magic; uint8_t uuid[16]; "
		"uint32_t stream_id; %s};\n};\n"
		"env { hostname = \"a \\\"host\\\"\"; domain = \"kernel\"; tracer_name = "
		"\"lttng-modules\"; tracer_major = 2; tracer_minor = 12; };\n"
		"clock { name = \"monotonic\"; uuid = \"2E68f7af-b6b5-4a43-ae94-1e4b62740e3f\"; "
		"freq = "
		"%u; offset_s = 1500000000; offset = %d; };\n"
		"typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := t27;\n"
		"typealias integer { size = 32; align = %u; map = clock.monotonic.value; } := "
		"t32;\n"
		"typealias integer { size = 64; align = %u; map = clock.monotonic.value; } := "
		"t64;\n",
		layout->discarded_bits, layout->big ? "be" : "le",
		layout->has_instance ? "uint64_t stream_instance_id; " : "",
		layout->head == PLAIN ? 1000000 : 1000000000, layout->big ? 5 : 1700000001, align,
		align);
	if (layout->head == COMPACT)
		fprintf(to,
			"struct head { enum : uint5_t { compact = 0 ... 30, extended = 31 } id; "
			"variant "
			"<id> { struct { t27 timestamp; } compact; struct { uint32_t id; t64 "
			"timestamp; "
			"} extended; } v; } align(%u);\n",
			align);
	else if (layout->head == LARGE)
		fprintf(to,
			"struct head { enum : uint16_t { compact = 0 ... 65534, extended = 65535 } "
			"id; "
			"variant <id> { struct { t32 timestamp; } compact; struct { uint32_t id; "
			"t64 "
			"timestamp; } extended; } v; } align(%u);\n",
			layout->is_packed ? 8 : 16);
	else
		fprintf(to, "struct head { uint32_t id; t64 timestamp; };\n");
	fprintf(to,
		"struct context { t64 timestamp_begin; t64 timestamp_end; uint64_t content_size; "
		"uint64_t "
		"packet_size; %sunsigned long events_discarded; uint32_t cpu_id; };\n"
		"stream {\n id = 0;\n event.header := struct head;\n packet.context := struct "
		"context;\n",
		layout->has_seq ? "uint64_t packet_seq_num; " : "");
	if (layout->has_context) {
		fprintf(to, " event.context := struct {\n");
		write_members(to, layout, layout->context);
		fprintf(to, "};\n");
	}
	fprintf(to, "};\n%s", more);
	for (unsigned int i = 0; i < EVENT_CLASSES; i++) {
		fprintf(to,
			"event {\n name = \"%s\";\n id = %u;\n stream_id = 0;\n loglevel = 13;\n "
			"fields := "
			"struct {\n",
			events[i % N_EVENTS].name, i);
		write_members(to, layout, layout->fields[i]);
		fprintf(to, "};\n};\n");
	}
	assert_int_equal(fclose(to), 0);
}

/* --- packets --- */

struct stream {
	uint32_t cpu;
	uint64_t clock, seq, discarded;
	FILE *events; /* what is to be read of it, NULL: nobody asks */
};

static void write_event(FILE *to, const struct lane_event *event)
{
	decode_text_write_event(to, event);
	fprintf(to, "%d\n", event->raw.narrow);
}

/* Puts a structure; what has a place in the event goes there. */
static void put_structure(struct bits *b, const struct layout *layout, const struct type *type,
			  struct lane_event *event)
{
	put_align(b, align_of(type));
	for (unsigned int i = 0; i < type->n; i++) {
		const struct type *member = type->members[i];
		const struct lane_field_slot *found = NULL;
		struct lane_field_slot slot;
		bool is_number = member->kind == INTEGER;

		put_type(b, layout, member);
		if (event->wire.kind == LANE_KIND_COUNT || !member->name)
			continue;
		/* A thread's number in its own namespace is not asked for: there is another. */
		if (type == layout->context && *member->name != 'v')
			found = decode_names_context_slot(member->name);
		else if (type != layout->context &&
			 decode_names_slot(NULL, (int)event->wire.kind, member->name,
					   strlen(member->name), &slot))
			found = &slot;
		if (is_number && lane_is_fence((int)event->wire.kind) &&
		    !strcmp(member->name, "context"))
			event->raw.narrow = member->size < 64;
		if (found && is_number && !lane_type_is_text(found->type))
			decode_slot_store(event, found, last.value);
		/* Characters are what is said to be such, or has no sign. */
		else if (found && lane_type_is_text(found->type) && !is_number &&
			 (member->kind == STRING || member->is_text || !member->is_signed))
			decode_slot_text((char *)event + found->offset, found, last.text,
					 strnlen(last.text, last.length));
	}
}

static void put_event(struct bits *b, const struct layout *layout, const struct stream *stream,
		      uint32_t id)
{
	const char *name = events[id % N_EVENTS].name;
	int kind = decode_names_kind(NULL, name, strlen(name));
	struct lane_event event;

	decode_event_clear(&event, kind < 0 ? LANE_LOST : kind);
	event.wire.ts_ns = stream->clock * (layout->head == PLAIN ? 1000 : 1);
	event.cpu = (int32_t)stream->cpu;
	if (kind < 0)
		event.wire.kind = LANE_KIND_COUNT;
	if (layout->has_context)
		put_structure(b, layout, layout->context, &event);
	put_structure(b, layout, layout->fields[id], &event);
	if (kind >= 0 && stream->events)
		write_event(stream->events, &event);
}

static void put_header(struct bits *b, const struct layout *layout, uint32_t id, uint64_t clock,
		       uint64_t before)
{
	unsigned int align = layout->is_packed ? 8 : 32;
	bool is_extended;

	switch (layout->head) {
	case COMPACT:
		is_extended = id >= 31 || clock - before >= 1u << 27;
		put_align(b, align > 32 ? align : is_extended && !layout->is_packed ? 32 : align);
		put_bits(b, is_extended ? 31 : id, 5, layout->big);
		if (!is_extended) {
			put_bits(b, clock & ((1u << 27) - 1), 27, layout->big);
			return;
		}
		break;
	case LARGE:
		is_extended = clock - before >= 1ull << 32 || !draw(9);
		put_align(b, layout->is_packed ? 8 : 16);
		put_bits(b, is_extended ? 65535 : id, 16, layout->big);
		if (!is_extended) {
			put_align(b, align);
			put_bits(b, clock & UINT32_MAX, 32, layout->big);
			return;
		}
		break;
	default:
		break;
	}
	put_align(b, align);
	put_bits(b, id, 32, layout->big);
	put_align(b, align);
	put_bits(b, clock, 64, layout->big);
}

/* A packet of some events, at the end of the file. */
static void put_packet(FILE *to, const struct layout *layout, struct stream *stream)
{
	static struct bits b;
	unsigned int align = layout->is_packed ? 8 : 32, head = 0;
	uint64_t begin = stream->clock, content, end_at, size_at;

	memset(&b, 0, sizeof(b));
	put_bits(&b, 0xc1fc1fc1, 32, layout->big);
	for (unsigned int i = 0; i < 16; i++)
		put_bits(&b,
			 (uint64_t) "\x2a\x64\x22\xd0\x6c\xee\x11\xe0\x8c\x08\xcb\x07\xd7\xb3\xa5"
				    "\x64"[i] &
				 255,
			 8, layout -> big);
	put_bits(&b, 0, 32, layout->big);
	if (layout->has_instance)
		put_bits(&b, stream->cpu, 64, layout->big);
	put_align(&b, align);
	put_bits(&b, begin, 64, layout->big);
	end_at = b.at;
	put_bits(&b, 0, 64, layout->big);
	size_at = b.at;
	put_bits(&b, 0, 64, layout->big);
	put_bits(&b, 0, 64, layout->big);
	if (layout->has_seq)
		put_bits(&b, stream->seq, 64, layout->big);
	put_bits(&b, stream->discarded, layout->discarded_bits, layout->big);
	put_bits(&b, stream->cpu, 32, layout->big);
	for (unsigned int n = (unsigned int)draw(30); n; n--) {
		uint32_t id = (uint32_t)draw(EVENT_CLASSES);
		uint64_t before = stream->clock;

		stream->clock += draw(20) ? draw(100000) : draw(10000000000);
		put_header(&b, layout, id, stream->clock, before);
		put_event(&b, layout, stream, id);
	}
	content = b.at;
	head = (unsigned int)(b.at / 8 + 64) & ~63u;
	b.at = end_at;
	put_bits(&b, stream->clock, 64, layout->big);
	b.at = size_at;
	put_bits(&b, content, 64, layout->big);
	put_bits(&b, head * 8, 64, layout->big);
	assert_int_equal(fwrite(b.data, 1, head, to), head);
	stream->seq += draw(6) ? 1 : 1 + draw(3);
	stream->discarded += draw(5) ? 0 : draw(100);
	/* LTTng's count may go back; some other's is damaged then. */
	stream->discarded -= draw(9) ? 0 : draw(stream->discarded + 1);
	stream->clock += draw(1000);
}

static FILE *open_stream(const char *dir, uint32_t cpu, unsigned int file, const char *mode)
{
	char path[256];
	FILE *to;

	snprintf(path, sizeof(path), file ? "%s/c_%u_%u" : "%s/c_%u", dir, cpu, file);
	to = fopen(path, mode);
	assert_non_null(to);
	return to;
}

static void empty_folder(void)
{
	assert_int_equal(system("rm -rf -- *"), 0);
}

/* A trace of STREAMS streams, in one file each, or rotated; their events go to said.
 */
static void write_trace(const struct layout *layout, FILE *const *said)
{
	bool is_rotated = layout->has_instance && draw(2);

	write_metadata(".", layout, "");
	for (uint32_t cpu = 0; cpu < STREAMS; cpu++) {
		struct stream stream = { .cpu = cpu,
					 .clock = 1000 + draw(1ull << 40),
					 .events = said[cpu] };
		FILE *to = open_stream(".", cpu, is_rotated, "w");

		for (unsigned int i = 0; i < PACKETS; i++) {
			if (is_rotated && i && !draw(4)) {
				fclose(to);
				to = open_stream(".", cpu, i + 1, "w");
			}
			put_packet(to, layout, &stream);
		}
		fclose(to);
	}
}

/* The events of each CPU, as they were written. */
static void expect_trace(char *const *written)
{
	const char *at[STREAMS];
	struct lane_decoder *decoder;
	struct lane_event *event;
	uint64_t before = 0;

	for (unsigned int i = 0; i < STREAMS; i++)
		at[i] = written[i];
	check(decode_open(&lane_format_ctf, ".", NULL, &decoder));
	for (;;) {
		char *text = NULL;
		size_t bytes;
		FILE *to;

		check(lane_format_ctf.next(decoder, &event));
		if (!event)
			break;
		assert_true(event->wire.ts_ns >= before && event->cpu < STREAMS);
		before = event->wire.ts_ns;
		if (event->wire.kind == LANE_LOST)
			continue;
		to = open_memstream(&text, &bytes);
		write_event(to, event);
		fclose(to);
		if (strncmp(at[event->cpu], text, bytes) != 0)
			fail_msg("read: %swritten: %.*s", text, (int)strcspn(at[event->cpu], "\n"),
				 at[event->cpu]);
		at[event->cpu] += bytes;
		free(text);
	}
	for (unsigned int i = 0; i < STREAMS; i++)
		assert_string_equal(at[i], "");
	decode_close(decoder);
}

/* The same trace with metadata of CTF 2. */
static void write_twin(void)
{
	char *text = check_read("metadata"), why[160];
	struct lane_tsdl *tsdl = decode_tsdl_parse(text, strlen(text), why, sizeof(why));
	FILE *to = fopen("metadata", "w");

	assert_non_null(tsdl);
	assert_non_null(to);
	assert_null(twin_write(to, tsdl));
	assert_int_equal(fclose(to), 0);
	decode_tsdl_free(tsdl);
	free(text);
}

TEST_IN_FOLDER(layouts)
{

	seed = 1;
	for (unsigned int i = 0; i < LAYOUTS; i++) {
		struct layout layout;
		FILE *said[STREAMS];
		char *written[STREAMS];
		size_t bytes[STREAMS];

		for (unsigned int cpu = 0; cpu < STREAMS; cpu++)
			said[cpu] = open_memstream(&written[cpu], &bytes[cpu]);
		draw_layout(&layout);
		write_trace(&layout, said);
		for (unsigned int cpu = 0; cpu < STREAMS; cpu++)
			fclose(said[cpu]);
		assert_non_null(strstr(written[0], "sched_wakeup"));
		expect_trace(written);
		write_twin();
		expect_trace(written);
		for (unsigned int cpu = 0; cpu < STREAMS; cpu++)
			free(written[cpu]);
		free_layout(&layout);
		empty_folder();
	}
}

/* What the metadata say beyond what is known is named before anything is read. */
TEST_IN_FOLDER(unknown_metadata)
{
	static const struct {
		const char *more, *said;
	} cases[] = {
		{ "callsite { name = \"a\"; };\n", "a block that is not known (callsite)" },
		{ "clock { name = \"other\"; };\n", "more than one clock (other)" },
		{ "event { name = \"one\"; id = 1; stream_id = 0; };\n",
		  "two events of one number (" },
		{ "event { name = \"far\"; id = 99999999; stream_id = 0; };\n",
		  "an event of a large number (far)" },
		{ "typealias integer { size = 8; colour = 1; } := t;\n",
		  "an attribute that is not known (colour)" },
	};
	struct lane_decoder *decoder;
	struct layout layout;

	seed = 2;
	draw_layout(&layout);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lane_error *err;

		write_metadata(".", &layout, cases[i].more);
		err = decode_open(&lane_format_ctf, ".", NULL, &decoder);
		if (!err || !strstr(lane_error_message(err), cases[i].said))
			fail_msg("%s: %s", cases[i].said, err ? lane_error_message(err) : "read");
		lane_error_free(err);
	}
	free_layout(&layout);
}

/*
 * barectf takes a packet's begin behind its first event's time, up to 2.3.0: the event's 32 bits
 * are less than those of the begin, and have not wrapped. That the packet's times are the clock's
 * need not be said.
 */
TEST_IN_FOLDER(before_its_packet)
{
	static const char metadata[] =
		"/* CTF 1.8 */\n"
		"typealias integer { size = 32; align = 8; } := u32;\n"
		"trace { major = 1; minor = 8; byte_order = le; };\n"
		"env { tracer_name = \"barectf\"; };\n"
		"clock { name = default; freq = 1000000; };\n"
		"stream { packet.context := struct { u32 timestamp_begin; u32 timestamp_end; u32 "
		"content_size; u32 packet_size; }; event.header := struct { integer { size = 32; "
		"align = 8; map = clock.default.value; } timestamp; }; };\n"
		"event { name = \"sched_wakeup\"; fields := struct { u32 tid; }; };\n";
	static const uint32_t packet[] = { 5000, 6000, 256, 256, 4999, 7, 5001, 8 };
	char *text;
	FILE *to;

	check_write("metadata", metadata);
	to = open_stream(".", 0, 0, "w");
	assert_int_equal(fwrite(packet, sizeof(packet), 1, to), 1);
	fclose(to);
	text = check_trace(&lane_format_ctf, ".", NULL);
	assert_non_null(strstr(text, "4999000 - -/- - sched_wakeup tid=7"));
	assert_non_null(strstr(text, "5001000 - -/- - sched_wakeup tid=8"));
	free(text);
}

/* An event that is longer than what is read of a file at a time. */
TEST_IN_FOLDER(long_event)
{
	static const char metadata[] =
		"/* CTF 1.8 */\n"
		"typealias integer { size = 32; align = 8; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; } := uint64_t;\n"
		"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t "
		"magic; }; };\n"
		"clock { name = \"monotonic\"; freq = 1000000000; };\n"
		"typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := t64;\n"
		"stream { packet.context := struct { t64 timestamp_begin; t64 timestamp_end; "
		"uint64_t "
		"content_size; uint64_t packet_size; uint32_t cpu_id; }; event.header := struct { "
		"uint32_t "
		"id; t64 timestamp; }; };\n"
		"event { name = \"sched_wakeup\"; id = 0; fields := struct { string what; string "
		"comm; "
		"uint32_t tid; }; };\n";
	enum {
		LONG = 300000,
		EVENTS = 3,
		BYTES = 40 + EVENTS * (12 + LONG + 1 + 5 + 4)
	};
	static uint8_t data[BYTES];
	const uint64_t bits[] = { 1000, 9000, 8ull * BYTES, 8ull * BYTES };
	char *text;
	uint8_t *at = data;
	FILE *to;

	memcpy(at, "\xc1\x1f\xfc\xc1", 4);
	memcpy(at + 4, bits, sizeof(bits));
	memset(at + 36, 0, 4);
	at += 40;
	for (uint64_t i = 0; i < EVENTS; i++) {
		uint64_t ns = 2000 + i;

		memset(at, 0, 4);
		memcpy(at + 4, &ns, 8);
		memset(at + 12, 'x', LONG);
		at[12 + LONG] = 0;
		memcpy(at + 12 + LONG + 1, "name\0\7\0\0", 9);
		at += 12 + LONG + 1 + 5 + 4;
	}
	check_write("metadata", metadata);
	to = open_stream(".", 0, 0, "w");
	assert_int_equal(fwrite(data, 1, BYTES, to), BYTES);
	fclose(to);
	text = check_trace(&lane_format_ctf, ".", NULL);
	assert_non_null(strstr(text, "2002 0 -/- - sched_wakeup tid=7"));
	free(text);
}

static char *norm_text(const char *path)
{
	const struct lane_event *event;
	struct lane_input *input;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	check(norm_input_open(path, &input));
	for (;;) {
		check(norm_input_next(input, &event));
		if (!event)
			break;
		decode_text_write_event(to, event);
	}
	norm_input_close(input);
	fclose(to);
	return text;
}

/* The chunks of a session, and snapshots that overlap, are one trace: as if it had never been cut.
 */
TEST_IN_FOLDER(chunks)
{
	struct layout layout;

	seed = 4;
	for (unsigned int round = 0; round < 12; round++) {
		char chunk[16];
		char *one, *other;
		uint64_t overlap;

		do {
			if (round)
				memset(&layout, 0, sizeof(layout));
			draw_layout(&layout);
		} while (!layout.has_instance && (free_layout(&layout), true));
		overlap = layout.has_seq ? draw(3) : 0;
		mkdir("whole", 0700);
		mkdir("cut", 0700);
		write_metadata("whole", &layout, "");
		for (uint32_t cpu = 0; cpu < STREAMS; cpu++) {
			struct stream stream = { .cpu = cpu, .clock = 1000 + draw(1000) };
			long at[PACKETS + 1] = { 0 };
			FILE *to = open_stream("whole", cpu, 0, "w+");

			for (unsigned int i = 0; i < PACKETS; i++) {
				put_packet(to, &layout, &stream);
				stream.clock++;
				at[i + 1] = ftell(to);
			}
			/* Four chunks of a quarter each, and what they have in common. */
			for (unsigned int i = 0; i < 4; i++) {
				unsigned int from = i * PACKETS / 4,
					     to_packet = (i + 1) * PACKETS / 4;
				static char copy[1 << 20];
				FILE *part;

				from -= from > overlap ? (unsigned int)overlap : 0;
				snprintf(chunk, sizeof(chunk), "cut/%u", i);
				mkdir(chunk, 0700);
				if (!cpu)
					write_metadata(chunk, &layout, i ? "\n" : "");
				part = open_stream(chunk, cpu, 0, "w");
				fseek(to, at[from], SEEK_SET);
				assert_true((size_t)(at[to_packet] - at[from]) <= sizeof(copy));
				assert_int_equal(
					fread(copy, 1, (size_t)(at[to_packet] - at[from]), to),
					at[to_packet] - at[from]);
				fwrite(copy, 1, (size_t)(at[to_packet] - at[from]), part);
				fclose(part);
				fseek(to, 0, SEEK_END);
			}
			fclose(to);
		}
		one = norm_text("whole");
		other = norm_text("cut");
		assert_string_equal(one, other);
		free(one);
		free(other);
		free_layout(&layout);
		empty_folder();
	}
}
