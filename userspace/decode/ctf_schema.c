// SPDX-License-Identifier: MIT
// From the metadata of a CTF trace to the programs that read its packets and events.
#include "decode/ctf_schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

enum {
	MOST_IDS = 1 << 16,   /* of events in a stream class; LTTng counts from 0 */
	MOST_STEPS = 1 << 20, /* of all programs together */
};

/* --- facts --- */

static const struct lane_tsdl_env *find_env(const struct lane_tsdl *tsdl, const char *name)
{
	for (uint32_t i = 0; i < tsdl->n_env; i++)
		if (!strcmp(tsdl->env[i].name, name))
			return &tsdl->env[i];
	return NULL;
}

static void copy_env(const struct lane_tsdl *tsdl, const char *name, char *to, size_t size)
{
	const struct lane_tsdl_env *env = find_env(tsdl, name);

	if (env && env->text)
		snprintf(to, size, "%s", env->text);
}

static unsigned int env_number(const struct lane_tsdl *tsdl, const char *name)
{
	const struct lane_tsdl_env *env = find_env(tsdl, name);

	return env && !env->text ? (unsigned int)env->number % 1000 : 0;
}

static void ctf_schema_read_clock(struct lane_schema *schema, const struct lane_tsdl_clock *clock)
{
	__int128 ns = (__int128)clock->offset_s * 1000000000 +
		      (__int128)clock->offset * 1000000000 / clock->frequency;
	struct lane_trace_info *info = &schema->info;
	uint8_t uuid[16];

	schema->frequency = clock->frequency;
	/* One that no time has is none. */
	info->epoch_offset_ns = ns == (int64_t)ns ? (int64_t)ns : 0;
	/* perf's is drawn anew by each conversion: it names no boot. */
	if (schema->is_perf || !clock->uuid || !decode_tsdl_uuid(clock->uuid, uuid))
		return;
	for (int i = 0, at = 0; i < 16; i++)
		at += sprintf(info->clock_uuid + at, "%s%02x",
			      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void read_facts(struct lane_schema *schema, const struct lane_tsdl *tsdl)
{
	struct lane_trace_info *info = &schema->info;
	char tracer[32] = "", own[8] = "";

	copy_env(tsdl, "hostname", info->host, sizeof(info->host));
	copy_env(tsdl, "kernel_release", info->release, sizeof(info->release));
	copy_env(tsdl, "tracer_name", tracer, sizeof(tracer));
	copy_env(tsdl, "gpulane_version", own, sizeof(own));
	schema->is_own = *own;
	schema->is_lttng = !strcmp(tracer, "lttng-modules") && !schema->is_own;
	schema->is_ust = !strcmp(tracer, "lttng-ust");
	schema->is_perf = !strcmp(tracer, "perf");
	schema->origin = schema->is_ust	   ? LANE_ORIGIN_LAYER
			 : schema->is_perf ? LANE_ORIGIN_TRACEPOINT
					   : LANE_ORIGIN_UNKNOWN;
	if (schema->is_perf) {
		copy_env(tsdl, "host", info->host, sizeof(info->host));
		copy_env(tsdl, "release", info->release, sizeof(info->release));
		copy_env(tsdl, "version", info->tracer_version, sizeof(info->tracer_version));
	}
	if (schema->is_lttng)
		snprintf(info->tracer_version, sizeof(info->tracer_version), "%u.%u.%u",
			 env_number(tsdl, "tracer_major"), env_number(tsdl, "tracer_minor"),
			 env_number(tsdl, "tracer_patchlevel"));
	strcpy(info->tracer, schema->is_lttng ? "lttng" : schema->is_ust ? "ust" : tracer);
	if (schema->is_own)
		copy_env(tsdl, "gpulane_tracer", info->tracer, sizeof(info->tracer));
	ctf_schema_read_clock(schema, &tsdl->clocks[0]);
	/* Up to barectf 2.3.0 a packet's begin was taken behind its first event's time. */
	if (!strcmp(info->tracer, "barectf"))
		schema->early = schema->frequency / 1000;
}

/* True of tracers that declare the events that were asked for, and no others. */
static bool declares_all(const struct lane_schema *schema)
{
	return schema->is_lttng || schema->is_ust || schema->is_perf;
}

void decode_schema_presence(const struct lane_schema *schema,
			    const struct lane_stream_class *stream, struct lane_trace_info *info)
{
	if (schema->is_own)
		return;
	for (int kind = 0; declares_all(schema) && kind < LANE_KIND_COUNT; kind++)
		if (!lane_is_derived((unsigned int)kind) &&
		    info->presence[kind] == LANE_PRESENCE_UNKNOWN)
			info->presence[kind] = LANE_PRESENCE_ABSENT;
	for (uint32_t i = 0; i < stream->n_events; i++) {
		const struct lane_event_class *event = &stream->events[i];
		int kind = event->is_engine_notify ? (int)LANE_FENCE_SIGNALED : event->kind;

		if (kind >= 0 && !lane_is_derived((unsigned int)kind))
			info->presence[kind] =
				event->is_half ? LANE_PRESENCE_ABSENT : LANE_PRESENCE_RECORDED;
	}
}

const struct lane_stream_class *decode_schema_stream(const struct lane_schema *schema, uint64_t id)
{
	if (id == UINT64_MAX)
		return schema->n_streams == 1 ? &schema->streams[0] : NULL;
	for (uint32_t i = 0; i < schema->n_streams; i++)
		if (schema->streams[i].id == id)
			return &schema->streams[i];
	return NULL;
}

/* --- packets --- */

/* A field is known by its role, or, where there are none, by its name. */
struct field_place {
	const char *name;
	uint16_t role;
	uint16_t offset;
	bool has_it;
};

struct head_places {
	bool is_ctf2;
	struct field_place all[8];
};

/* CTF 2 has no role for a CPU's number. */
static bool ctf_schema_is_of(const struct field_place *place, const struct lane_tsdl_member *member,
			     bool is_ctf2)
{
	return is_ctf2 && place->role ? member->type->roles & place->role
				      : !strcmp(place->name, decode_tsdl_shown(member->name));
}

/* Numbers go to the head's places; of the trace's uuid, 16 bytes. */
static bool place_head(void *arg, const struct lane_tsdl_member *member,
		       struct lane_field_slot *slot)
{
	bool is_number = member->type->kind == LANE_TSDL_INTEGER && !member->type->is_signed;
	struct head_places *places = arg;

	for (struct field_place *place = places->all; place->name; place++) {
		if (!ctf_schema_is_of(place, member, places->is_ctf2))
			continue;
		if (strcmp(place->name, "uuid") != 0 && !is_number)
			return false;
		place->has_it = true;
		*slot = (struct lane_field_slot){ place->offset, is_number ? 8 : 16,
						  LANE_TYPE_u64 };
		return true;
	}
	return false;
}

#define PLACE(of, role, what)                                                                      \
	{                                                                                          \
		of, role, offsetof(struct lane_packet_head, what), false                           \
	}

/* Goes through all of a packet's head that has roles. */
static void compile_head(struct lane_compiler *compiler, const struct lane_tsdl_type *type,
			 struct head_places *places)
{
	if (places->is_ctf2)
		decode_compiler_go_deep(compiler);
	decode_compile(compiler, type, place_head, places, false);
}

static bool compile_packet_header(struct lane_schema *schema, struct lane_tsdl *tsdl,
				  const char **why)
{
	struct head_places places = {
		tsdl->is_ctf2,
		{ PLACE("magic", LANE_ROLE_MAGIC, magic), PLACE("uuid", LANE_ROLE_UUID, uuid),
		  PLACE("stream_id", LANE_ROLE_STREAM, stream_id),
		  PLACE("stream_instance_id", LANE_ROLE_INSTANCE, instance_id) }
	};
	struct lane_compiler *compiler = decode_compiler_create(tsdl, why);

	if (!compiler)
		return false;
	compile_head(compiler, tsdl->packet_header, &places);
	schema->has_uuid_field = places.all[1].has_it;
	return decode_compiler_finish(compiler, &schema->packet_header);
}

/* Its times are the clock's, of which there is one: perf and others do not say so. */
static bool compile_packet_context(struct lane_stream_class *to, struct lane_tsdl *tsdl,
				   const struct lane_tsdl_stream *stream, const char **why)
{
	struct head_places places = { tsdl->is_ctf2,
				      { PLACE("timestamp_begin", LANE_ROLE_TIME, begin),
					PLACE("timestamp_end", LANE_ROLE_END, end),
					PLACE("content_size", LANE_ROLE_CONTENT, content_bits),
					PLACE("packet_size", LANE_ROLE_TOTAL, packet_bits),
					PLACE("packet_seq_num", LANE_ROLE_NUMBER, seq_num),
					PLACE("events_discarded", LANE_ROLE_DISCARDED, discarded),
					PLACE("cpu_id", 0, cpu_id) } };
	struct lane_compiler *compiler = decode_compiler_create(tsdl, why);

	if (!compiler)
		return false;
	compile_head(compiler, stream->packet_context, &places);
	if (!decode_compiler_finish(compiler, &to->packet_context))
		return false;
	*why = "packets without a time or a size";
	/* CTF 2: a size that is not there is the other one. */
	return places.all[0].has_it && places.all[1].has_it &&
	       (tsdl->is_ctf2 ? places.all[2].has_it || places.all[3].has_it
			      : places.all[2].has_it && places.all[3].has_it);
}

/* --- the heads of events --- */

static bool ctf_schema_has_clock(const struct lane_tsdl_type *type, unsigned int depth)
{
	if (type->clock)
		return true;
	for (uint32_t i = 0; depth && i < type->n_members; i++)
		if (ctf_schema_has_clock(type->members[i].type, depth - 1))
			return true;
	return false;
}

/* A little-endian integer of so many bits. */
static bool is_little(const struct lane_tsdl *tsdl, const struct lane_tsdl_type *type,
		      uint32_t bits)
{
	bool is_big = type->order == LANE_TSDL_NATIVE ? tsdl->is_big : type->order == LANE_TSDL_BIG;

	return type->kind == LANE_TSDL_INTEGER && !is_big && !type->is_signed &&
	       !type->is_reversed && type->size == bits;
}

/* True when the first member is the id, and the tag of the second, a variant. */
static bool has_id_and_variant(const struct lane_tsdl *tsdl, const struct lane_tsdl_type *type)
{
	const struct lane_tsdl_member *id = type->members;
	const struct lane_tsdl_type *variant;

	if (type->n_members != 2 || type->members[1].type->kind != LANE_TSDL_VARIANT)
		return false;
	variant = type->members[1].type;
	if (tsdl->is_ctf2)
		return id->type->roles & LANE_ROLE_EVENT && !id->far && id->place &&
		       id->place == variant->ref_place;
	return !strcmp(id->name, "id") && variant->ref && !strcmp(variant->ref, "id");
}

/* The one range of ids for which a variant has an option; NULL: it is not one. */
static const struct lane_tsdl_label *range_of(const struct lane_tsdl_type *id,
					      const struct lane_tsdl_member *option)
{
	if (option->ranges)
		return option->n_ranges == 1 ? option->ranges : NULL;
	return id->n_labels == 2 && !strcmp(id->labels[0].name, option->name) ? id->labels : NULL;
}

/* The heads that LTTng has: an id, and a variant whose option `compact` is a time and no more. */
static void know_header(struct lane_stream_class *to, const struct lane_tsdl *tsdl,
			const struct lane_tsdl_type *type)
{
	const struct lane_tsdl_type *id, *time;
	const struct lane_tsdl_member *compact;
	const struct lane_tsdl_label *range;
	uint32_t bits;

	if (!has_id_and_variant(tsdl, type))
		return;
	id = type->members[0].type;
	compact = decode_tsdl_member(type->members[1].type, "compact");
	if (!compact || compact->type->kind != LANE_TSDL_STRUCT || compact->type->n_members != 1 ||
	    compact->type->members[0].place)
		return;
	time = compact->type->members[0].type;
	range = range_of(id, compact);
	bits = id->size;
	if (!((is_little(tsdl, id, 5) && is_little(tsdl, time, 27)) ||
	      (is_little(tsdl, id, 16) && is_little(tsdl, time, 32))) ||
	    !time->clock || time->roles & LANE_ROLE_EVENT || !range || range->from ||
	    range->to != (1u << bits) - 2 || type->align < 8)
		return;
	to->header_align = (uint8_t)type->align;
	to->time_align = (uint8_t)compact->type->align;
	if (bits == 5 && to->time_align == 1)
		to->header_kind = LANE_HEADER_COMPACT;
	else if (bits == 16 && to->time_align >= 8)
		to->header_kind = LANE_HEADER_LARGE;
}

static bool compile_event_header(struct lane_stream_class *to, struct lane_tsdl *tsdl,
				 const struct lane_tsdl_stream *stream, const char **why)
{
	struct lane_compiler *compiler;

	*why = "events without a time (a field that is mapped to the clock)";
	if (!stream->header || !ctf_schema_has_clock(stream->header, 4))
		return false;
	compiler = decode_compiler_create(tsdl, why);
	if (!compiler)
		return false;
	decode_compile(compiler, stream->header, NULL, NULL, true);
	know_header(to, tsdl, stream->header);
	return decode_compiler_finish(compiler, &to->header);
}

/* --- events --- */

/* An integer whose bytes are as they are in memory. */
static bool is_plain(const struct lane_tsdl *tsdl, const struct lane_tsdl_type *type, uint32_t bits)
{
	bool is_big = type->order == LANE_TSDL_NATIVE ? tsdl->is_big : type->order == LANE_TSDL_BIG;

	return type->kind == LANE_TSDL_INTEGER && !is_big && !type->is_reversed &&
	       type->size == bits && type->align == bits;
}

/* What an event begins with is struct lane_wire. */
static bool begins_as_wire(const struct lane_tsdl *tsdl, const struct lane_tsdl_stream *stream)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} members[] = {
		{ "timestamp", 64 }, { "id", 32 }, { "tid", 32 }, { "pid", 32 }, { "source", 32 },
	};
	const struct lane_tsdl_type *header = stream->header, *context = stream->event_context;

	if (header->n_members != 2 || !context || context->n_members != 3)
		return false;
	for (uint32_t i = 0; i < 5; i++) {
		const struct lane_tsdl_member *member =
			i < 2 ? &header->members[i] : &context->members[i - 2];

		if (strcmp(decode_tsdl_shown(member->name), members[i].name) != 0 ||
		    !is_plain(tsdl, member->type, members[i].bits) ||
		    (member->type->clock != NULL) != !i)
			return false;
	}
	return true;
}

/*
 * The bytes of an event of our own recordings, which have the fields of the table, as they lie in
 * memory; 0: not so. What was found and what was lost is looked at one by one.
 */
static uint16_t wire_bytes(const struct lane_tsdl *tsdl, const struct lane_tsdl_stream *stream,
			   const struct lane_tsdl_event *event, int kind)
{
	const struct lane_kind_info *info = &lane_kinds[kind];
	const struct lane_tsdl_type *fields = event->fields;

	if (lane_is_derived((unsigned int)kind) || event->context || !fields ||
	    fields->n_members != info->n_fields || !begins_as_wire(tsdl, stream))
		return 0;
	for (uint32_t i = 0; i < info->n_fields; i++) {
		const struct lane_tsdl_type *type = fields->members[i].type;
		const struct lane_field *field = &info->fields[i];
		bool is_text = lane_type_is_text(field->type);

		if (strcmp(decode_tsdl_shown(fields->members[i].name), field->name) != 0 ||
		    (is_text && (type->kind != LANE_TSDL_ARRAY || type->length != field->size ||
				 !is_plain(tsdl, type->element, 8))) ||
		    (!is_text && !is_plain(tsdl, type, field->size * 8u)))
			return 0;
	}
	return (uint16_t)(sizeof(struct lane_wire) + info->payload_bytes);
}

struct event_arg {
	struct lane_tsdl *tsdl;
	const struct lane_names *names;
	bool is_perf;
	const struct lane_tsdl_type *context;
	struct lane_event_class *to;
};

static bool ctf_schema_shows(const struct lane_tsdl_type *type, const char *name)
{
	for (uint32_t i = 0; i < type->n_members; i++)
		if (!strcmp(decode_tsdl_shown(type->members[i].name), name))
			return true;
	return false;
}

static bool place_context(void *arg, const struct lane_tsdl_member *member,
			  struct lane_field_slot *slot)
{
	const struct event_arg *event = arg;
	const char *name = decode_tsdl_shown(member->name);
	const struct lane_field_slot *found;

	found = event->to->kind < 0 ? NULL : decode_names_context_slot(name);
	if (!found)
		return false;
	event->tsdl->looks += event->context->n_members;
	if (*name == 'v' && ctf_schema_shows(event->context, name + 1))
		return false;
	*slot = *found;
	return member->type->kind == LANE_TSDL_INTEGER;
}

static bool place_field(void *arg, const struct lane_tsdl_member *member,
			struct lane_field_slot *slot)
{
	const struct event_arg *event = arg;
	struct lane_event_class *to = event->to;
	const char *name = decode_tsdl_shown(member->name);
	const struct lane_field_slot *found;

	if (to->kind < 0)
		return false;
	found = event->is_perf ? decode_names_perf_slot(name) : NULL;
	if (found) {
		*slot = *found;
		return member->type->kind == LANE_TSDL_INTEGER;
	}
	if (lane_is_fence((uint32_t)to->kind) && !strcmp(name, "context") &&
	    member->type->kind == LANE_TSDL_INTEGER)
		to->is_narrow = member->type->size && member->type->size < 64;
	return decode_names_slot(event->names, to->kind, name, strlen(name), slot);
}

static bool compile_event(struct lane_event_class *to, struct lane_tsdl *tsdl,
			  const struct lane_tsdl_stream *stream,
			  const struct lane_tsdl_event *event, const struct lane_names *names,
			  bool is_perf, const char **why)
{
	struct event_arg arg = { tsdl, names, is_perf, stream->event_context, to };
	struct lane_compiler *compiler = decode_compiler_create(tsdl, why);
	const char *name = event->name && is_perf ? decode_names_of_perf(event->name) : event->name;

	if (!compiler)
		return false;
	to->is_declared = true;
	to->kind = name ? decode_names_kind(names, name, strlen(name)) : -1;
	to->is_engine_notify = to->kind >= 0 && !strcmp(name, LANE_ENGINE_NOTIFY);
	to->is_half = to->kind == LANE_RQ_OUT &&
		      !(event->fields && ctf_schema_shows(event->fields, "completed"));
	to->tells_loss = to->kind == LANE_LOST;
	decode_compile(compiler, stream->event_context, place_context, &arg, false);
	decode_compile(compiler, event->context, NULL, NULL, false);
	if (to->kind >= 0 && lane_is_packet((unsigned int)to->kind))
		decode_compiler_go_deep(compiler);
	decode_compile(compiler, event->fields, place_field, &arg, false);
	if (to->kind >= 0)
		to->wire_bytes = wire_bytes(tsdl, stream, event, to->kind);
	return decode_compiler_finish(compiler, &to->program);
}

/* --- all of it --- */

/* The stream block that an event belongs to, by its place; n_streams: none. */
static uint32_t stream_of(const struct lane_tsdl *tsdl, const struct lane_tsdl_event *event)
{
	uint32_t i;

	if (!event->has_stream_id)
		return tsdl->n_streams == 1 ? 0 : tsdl->n_streams;
	for (i = 0; i < tsdl->n_streams; i++)
		if (tsdl->streams[i].id == event->stream_id)
			break;
	return i;
}

/* Room for the events of each stream class, by their ids. */
static bool make_tables(struct lane_schema *schema, const struct lane_tsdl *tsdl, const char **met,
			const char **why)
{
	for (uint32_t i = 0; i < tsdl->n_events; i++) {
		uint32_t stream = stream_of(tsdl, &tsdl->events[i]);

		*met = tsdl->events[i].name;
		*why = "an event of no stream";
		if (stream == tsdl->n_streams)
			return false;
		*why = "an event of a large number";
		if (tsdl->events[i].id >= MOST_IDS)
			return false;
		if (tsdl->events[i].id >= schema->streams[stream].n_events)
			schema->streams[stream].n_events = (uint32_t)tsdl->events[i].id + 1;
	}
	*why = "no memory";
	for (uint32_t i = 0; i < tsdl->n_streams; i++) {
		struct lane_stream_class *to = &schema->streams[i];

		to->events = calloc(to->n_events + 1, sizeof(*to->events));
		if (!to->events)
			return false;
		for (uint32_t k = 0; k < to->n_events; k++)
			to->events[k].kind = -1;
	}
	return true;
}

static bool compile_streams(struct lane_schema *schema, struct lane_tsdl *tsdl, const char **why)
{
	for (uint32_t i = 0; i < tsdl->n_streams; i++) {
		struct lane_stream_class *to = &schema->streams[i];

		*why = "two streams of one number";
		for (uint32_t k = 0; k < i; k++)
			if (tsdl->streams[k].id == tsdl->streams[i].id)
				return false;
		to->id = tsdl->streams[i].id;
		if (!compile_packet_context(to, tsdl, &tsdl->streams[i], why) ||
		    !compile_event_header(to, tsdl, &tsdl->streams[i], why))
			return false;
	}
	return true;
}

static bool compile_events(struct lane_schema *schema, struct lane_tsdl *tsdl,
			   const struct lane_names *names, const char **met, const char **why)
{
	uint64_t steps = 0;

	for (uint32_t i = 0; i < tsdl->n_events; i++) {
		const struct lane_tsdl_event *event = &tsdl->events[i];
		uint32_t stream = stream_of(tsdl, event);
		struct lane_event_class *to = &schema->streams[stream].events[event->id];

		*met = event->name;
		*why = "two events of one number";
		if (to->is_declared)
			return false;
		if (!compile_event(to, tsdl, &tsdl->streams[stream], event, names, schema->is_perf,
				   why))
			return false;
		steps += to->program.n_steps;
		*why = lane_stop_signal ? "interrupted" : "very many fields";
		if (steps > MOST_STEPS || lane_stop_signal)
			return false;
	}
	return true;
}

/* False: *why says why, and *met, unless it is NULL, of what. */
static bool ctf_schema_make(struct lane_schema *schema, struct lane_tsdl *tsdl,
			    const struct lane_names *names, const char **met, const char **why)
{
	*why = "no clock: its events have no times";
	if (!tsdl->n_clocks)
		return false;
	*why = "more than one clock";
	*met = tsdl->n_clocks > 1 ? tsdl->clocks[1].name : NULL;
	if (*met)
		return false;
	*why = tsdl->n_streams ? "very many streams" : "no stream";
	if (!tsdl->n_streams || tsdl->n_streams > LANE_TSDL_STREAMS)
		return false;
	read_facts(schema, tsdl);
	schema->has_uuid = tsdl->has_uuid;
	memcpy(schema->uuid, tsdl->uuid, sizeof(schema->uuid));
	*why = "no memory";
	schema->streams = calloc(tsdl->n_streams, sizeof(*schema->streams));
	if (!schema->streams)
		return false;
	schema->n_streams = tsdl->n_streams;
	if (!make_tables(schema, tsdl, met, why))
		return false;
	*met = NULL;
	return compile_packet_header(schema, tsdl, why) && compile_streams(schema, tsdl, why) &&
	       compile_events(schema, tsdl, names, met, why);
}

struct lane_schema *decode_schema_make(const char *text, size_t bytes,
				       const struct lane_names *names, char *why, size_t size)
{
	struct lane_schema *schema = calloc(1, sizeof(*schema));
	bool is_ctf2 = bytes && *text == LANE_CTF2_BEGIN;
	struct lane_tsdl *tsdl = is_ctf2 ? decode_ctf2_parse(text, bytes, why, size)
					 : decode_tsdl_parse(text, bytes, why, size);
	const char *reason = "no memory", *met = NULL;

	if (!tsdl || !schema || !ctf_schema_make(schema, tsdl, names, &met, &reason)) {
		if (tsdl)
			snprintf(why, size, met ? "%s (%s)" : "%s", reason, met);
		decode_schema_free(schema);
		schema = NULL;
	}
	decode_tsdl_free(tsdl);
	return schema;
}

void decode_schema_free(struct lane_schema *schema)
{
	if (!schema)
		return;
	for (uint32_t i = 0; i < schema->n_streams; i++) {
		struct lane_stream_class *stream = &schema->streams[i];

		for (uint32_t k = 0; stream->events && k < stream->n_events; k++)
			decode_program_free(&stream->events[k].program);
		free(stream->events);
		decode_program_free(&stream->header);
		decode_program_free(&stream->packet_context);
	}
	decode_program_free(&schema->packet_header);
	free(schema->streams);
	free(schema);
}
