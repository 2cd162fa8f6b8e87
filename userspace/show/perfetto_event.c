// SPDX-License-Identifier: MIT
// Packs Perfetto's packets, each by itself: a trace is a sequence of field 1.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "show/perfetto_pack.h"

/* Of the track that holds a machine's; none of the others' uuids has these bits. */
#define MACHINE_UUID 0xf

enum {
	CLOCK_REALTIME_ID = 1, /* BuiltinClock */
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_BOOTTIME_ID = 6,
	TRACE_PACKET = 1, /* Trace.packet */
	SLICE_BEGIN = 1,  /* TrackEvent.Type */
	SLICE_END = 2,
	COUNTER = 4,
	ORDER_EXPLICIT = 3, /* TrackDescriptor.ChildTracksOrdering */
	UNIT_COUNT = 2,	    /* CounterDescriptor.Unit */
	ARG_NAME = 40,	    /* bytes of an argument's name */
};

static const char *arg_name(unsigned int arg, char *buffer, size_t size)
{
	static const char *const names[] = {
#define A(id, name) name,
		LANE_PACKET_ARGS(A)
#undef A
	};
	unsigned int stage;

	if (arg < LANE_ARG_CAUSES)
		return names[arg];
	if (arg < LANE_ARG_OTHERS) {
		snprintf(buffer, size, "%s_ns", lane_idle_names[arg - LANE_ARG_CAUSES]);
		return buffer;
	}
	if (arg < LANE_ARG_STAGES) {
		static const char *const of[] = { "", "_ns", "_cpu" };
		unsigned int other = arg - LANE_ARG_OTHERS;

		snprintf(buffer, size, "culprit_%u%s", 2 + other / 3, of[other % 3]);
		return buffer;
	}
	stage = arg - LANE_ARG_STAGES;
	snprintf(buffer, size, "%s_%s", lane_stage_names[stage / 2], stage % 2 ? "max_ns" : "ns");
	return buffer;
}

struct lane_message *show_pack_begin(struct lane_packets *packets)
{
	packets->packet.n = 0;
	packets->begun = show_message_begin(&packets->packet, TRACE_PACKET);
	return &packets->packet;
}

void show_pack_machine(struct lane_packets *packets)
{
	if (packets->machine_index)
		show_message_field(&packets->packet, PACKET_MACHINE, packets->machine_index);
}

void show_pack_write(struct lane_packets *packets)
{
	const struct lane_message *m = &packets->packet;

	show_message_end(&packets->packet, packets->begun);
	if (m->has_failed)
		packets->failed = ENOMEM;
	else if (fwrite(m->bytes, 1, m->n, packets->to) != m->n)
		packets->failed = errno ? errno : EIO;
}

void show_pack_put(struct lane_packets *packets)
{
	show_pack_machine(packets);
	show_pack_write(packets);
}

/* What later packets rest on. */
static void put_defaults(struct lane_packets *packets)
{
	struct lane_message *m = show_pack_begin(packets);
	size_t defaults;

	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	show_message_field(m, PACKET_FLAGS, STATE_CLEARED | NEEDS_STATE);
	defaults = show_message_begin(m, PACKET_DEFAULTS);
	show_message_field(m, PACKET_CLOCK_ID, CLOCK_MONOTONIC_ID);
	show_message_end(m, defaults);
	show_pack_put(packets);
}

/* Perfetto wants to know how its own clock, BOOTTIME, stands to a trace's. */
static void put_clocks(struct lane_packets *packets, const struct lane_trace_info *info)
{
	static const uint32_t ids[] = { CLOCK_MONOTONIC_ID, CLOCK_BOOTTIME_ID, CLOCK_REALTIME_ID };
	const int64_t offsets[] = { 0, info->slept_ns, info->epoch_offset_ns };
	struct lane_message *m = show_pack_begin(packets);
	size_t clocks = show_message_begin(m, PACKET_CLOCKS), clock;

	for (int i = 0; i < (info->epoch_offset_ns ? 3 : 2); i++) {
		clock = show_message_begin(m, 1); /* Clock: clock_id, timestamp */
		show_message_field(m, 1, ids[i]);
		show_message_field(m, 2, info->begin_ns + (uint64_t)offsets[i]);
		show_message_end(m, clock);
	}
	show_message_field(m, 2, CLOCK_MONOTONIC_ID); /* primary_trace_clock */
	show_message_end(m, clocks);
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	show_pack_put(packets);
}

/* Of the kernel's release depends how the states of threads are read. */
static void put_system(struct lane_packets *packets, const struct lane_trace_info *info)
{
	struct lane_message *m = show_pack_begin(packets);
	char release[sizeof(info->release)];
	size_t system, name;

	lane_clean_copy(release, sizeof(release), info->release, LANE_CLEAN_LINE);
	if (!*release)
		return;
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	system = show_message_begin(m, PACKET_SYSTEM);
	name = show_message_begin(m, 1); /* Utsname: sysname, release */
	show_message_text(m, 1, "Linux");
	show_message_text(m, 3, release);
	show_message_end(m, name);
	show_message_end(m, system);
	show_pack_put(packets);
}

struct lane_error *show_packets_begin(struct lane_packets *packets, FILE *to,
				      const struct lane_trace_info *info, const char *machine,
				      unsigned int machine_index)
{
	*packets = (struct lane_packets){ .to = to,
					  .machine = machine,
					  .machine_index = machine_index,
					  .salt = (uint64_t)machine_index << 60 };
	packets->texts = calloc(LANE_PACKET_TEXTS, sizeof(*packets->texts));
	if (!packets->texts)
		return &lane_enomem;
	put_clocks(packets, info);
	put_system(packets, info);
	put_defaults(packets);
	if (machine)
		show_packet_track(packets, &(struct lane_packet_track){ .uuid = MACHINE_UUID,
									.name = machine });
	return NULL;
}

void show_packets_deinit(struct lane_packets *packets)
{
	show_message_deinit(&packets->packet);
	show_message_deinit(&packets->made_args);
	show_message_deinit(&packets->told);
	show_message_deinit(&packets->told_names);
	show_message_deinit(&packets->told_values);
	lane_table_free(&packets->numbers);
	free(packets->texts);
}

static uint64_t as_signed(int64_t number)
{
	return (uint64_t)number;
}

void show_packet_track(struct lane_packets *packets, const struct lane_packet_track *track)
{
	bool is_top = packets->machine && !track->parent && !track->is_process &&
		      !track->is_thread && track->uuid != MACHINE_UUID;
	struct lane_message *m = show_pack_begin(packets);
	char text[256], name[256];
	size_t descriptor, of;

	snprintf(text, sizeof(text), "%s%s%s", is_top ? packets->machine : "", is_top ? ": " : "",
		 track->name ? track->name : "");
	lane_clean_copy(name, sizeof(name), text, LANE_CLEAN_LINE);
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	descriptor = show_message_begin(m, PACKET_TRACK);
	show_message_field(m, 1, track->uuid ^ packets->salt);
	show_message_text(m, 2, name);
	if (track->is_process) {
		of = show_message_begin(m, 3); /* ProcessDescriptor: pid, process_name */
		show_message_field(m, 1, as_signed(track->pid));
		if (*name)
			show_message_text(m, 6, name);
		show_message_end(m, of);
	}
	if (track->is_thread) {
		of = show_message_begin(m, 4); /* ThreadDescriptor: pid, tid, thread_name */
		show_message_field(m, 1, as_signed(track->pid));
		show_message_field(m, 2, as_signed(track->tid));
		if (*name)
			show_message_text(m, 5, name);
		show_message_end(m, of);
	}
	if (track->parent || is_top) /* parent_uuid */
		show_message_field(m, 5, (is_top ? MACHINE_UUID : track->parent) ^ packets->salt);
	if (track->is_counter) {
		of = show_message_begin(m, 8); /* CounterDescriptor: unit */
		show_message_field(m, 3, UNIT_COUNT);
		show_message_end(m, of);
	} else {
		show_message_field(m, 11, ORDER_EXPLICIT); /* child_ordering */
	}
	if (track->rank) /* sibling_order_rank */
		show_message_field(m, 12, as_signed(track->rank));
	show_message_end(m, descriptor);
	show_pack_put(packets);
}

void show_packet_begin(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns,
		       const char *name)
{
	packets->uuid = uuid;
	packets->at_ns = at_ns;
	packets->n_flows = 0;
	packets->n_args = 0;
	packets->n_submits = 0;
	packets->waits = 0;
	packets->is_opencl = false;
	lane_clean_copy(packets->name, sizeof(packets->name), name, LANE_CLEAN_LINE);
}

static struct lane_packet_value *value(struct lane_packets *packets, enum lane_packet_arg arg,
				       enum lane_packet_kind kind)
{
	static struct lane_packet_value none;
	struct lane_packet_value *is = &none;

	if (packets->n_args < LANE_PACKET_MAX_ARGS)
		is = &packets->args[packets->n_args++];
	is->arg = arg;
	is->kind = kind;
	return is;
}

void show_packet_number(struct lane_packets *packets, enum lane_packet_arg arg, uint64_t number)
{
	value(packets, arg, LANE_PACKET_NUMBER)->number = number;
}

void show_packet_signed(struct lane_packets *packets, enum lane_packet_arg arg, int64_t number)
{
	value(packets, arg, LANE_PACKET_SIGNED)->number = (uint64_t)number;
}

void show_packet_flag(struct lane_packets *packets, enum lane_packet_arg arg, bool flag)
{
	value(packets, arg, LANE_PACKET_FLAG)->number = flag;
}

void show_packet_text(struct lane_packets *packets, enum lane_packet_arg arg, const char *text)
{
	struct lane_packet_value *is = value(packets, arg, LANE_PACKET_STRING);

	lane_clean_copy(is->text, sizeof(is->text), text, LANE_CLEAN_LINE);
}

void show_packet_flow(struct lane_packets *packets, uint64_t flow)
{
	if (packets->n_flows < sizeof(packets->flows) / sizeof(packets->flows[0]))
		packets->flows[packets->n_flows++] = flow ^ packets->salt >> 3;
}

/* The number of a text; 0: it is told as it is, as it is long, or there are too many. */
static uint32_t perfetto_event_number_of(struct lane_packets *packets, const char *text)
{
	uint64_t hash = lane_hash_text(text);
	uint32_t number = (uint32_t)(uintptr_t)lane_table_get(&packets->numbers, hash, 1);

	if (number)
		return strcmp(packets->texts[number - 1].text, text) ? 0 : number;
	if (packets->n_texts == LANE_PACKET_TEXTS || strlen(text) >= LANE_PACKET_TEXT ||
	    !lane_table_put(&packets->numbers, hash, 1, (void *)((uintptr_t)packets->n_texts + 1)))
		return 0;
	strcpy(packets->texts[packets->n_texts].text, text);
	return ++packets->n_texts;
}

uint32_t show_pack_text(struct lane_packets *packets, const char *text, enum lane_text_use use,
			bool *is_new)
{
	uint32_t number = perfetto_event_number_of(packets, text);

	*is_new = number && !(packets->texts[number - 1].told & use);
	if (*is_new)
		packets->texts[number - 1].told |= (uint8_t)use;
	return number;
}

void show_pack_named(struct lane_message *to, unsigned int list, uint64_t number, const char *name)
{
	size_t item = show_message_begin(to, list);

	show_message_field(to, 1, number);
	show_message_text(to, 2, name);
	show_message_end(to, item);
}

static void pack_text(struct lane_packets *packets, const char *text,
		      const struct lane_pack_fields *as)
{
	enum {
		STRING_VALUES = 29, /* InternedData.debug_annotation_string_values */
	};
	bool is_new;
	uint32_t number = show_pack_text(packets, text, LANE_TEXT_VALUE, &is_new);

	if (is_new)
		show_pack_named(&packets->told_values, STRING_VALUES, number, text);
	if (number)
		show_message_field(&packets->made_args, as->text_number, number);
	else
		show_message_text(&packets->made_args, as->of[LANE_PACKET_STRING], text);
}

uint32_t show_pack_args(struct lane_packets *packets, const struct lane_pack_fields *as)
{
	enum {
		EVENT_NAMES = 2, /* InternedData.event_names */
	};
	struct lane_message *m = &packets->made_args;
	bool is_new;
	uint32_t name = show_pack_text(packets, packets->name, LANE_TEXT_NAME, &is_new);

	m->n = packets->told.n = packets->told_names.n = packets->told_values.n = 0;
	if (is_new)
		show_pack_named(&packets->told, EVENT_NAMES, name, packets->name);
	for (uint32_t i = 0; i < packets->n_args; i++) {
		const struct lane_packet_value *value = &packets->args[i];
		uint8_t *told_as = &packets->told_args[value->arg];
		uint64_t number = (uint64_t)value->arg + 1;
		size_t arg = show_message_begin(m, as->args);
		char buffer[ARG_NAME];

		show_message_field(m, 1, number);
		if (value->kind == LANE_PACKET_STRING)
			pack_text(packets, value->text, as);
		else
			show_message_field(m, as->of[value->kind], value->number);
		show_message_end(m, arg);
		if (!(*told_as & as->use))
			show_pack_named(&packets->told_names, as->names, number,
					arg_name(value->arg, buffer, sizeof(buffer)));
		*told_as |= (uint8_t)as->use;
	}
	return name;
}

static size_t begin_event(struct lane_packets *packets, uint64_t at_ns)
{
	struct lane_message *m = show_pack_begin(packets);

	show_message_field(m, PACKET_TIMESTAMP, at_ns);
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	return show_message_begin(m, PACKET_EVENT);
}

/* Fields of TrackEvent. */
enum {
	EVENT_ARGS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_NUMBER = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_CORRELATION = 3000,
	EVENT_API = 3001,
};

/* GpuCorrelation: what the slice led to, and for what it waits. */
static void put_correlation(struct lane_packets *packets)
{
	struct lane_message *m = &packets->packet;
	size_t correlation;

	if (!packets->n_submits && !packets->waits)
		return;
	correlation = show_message_begin(m, EVENT_CORRELATION);
	for (uint32_t i = 0; i < packets->n_submits; i++)
		show_message_field(m, 1, packets->submits[i]);
	if (packets->waits)
		show_message_field(m, 2, packets->waits);
	show_message_end(m, correlation);
}

void show_packet_send(struct lane_packets *packets)
{
	static const struct lane_pack_fields fields = {
		.args = EVENT_ARGS,
		.names = 3,
		.text_number = 17,
		.of = { [LANE_PACKET_NUMBER] = 3,
			[LANE_PACKET_SIGNED] = 4,
			[LANE_PACKET_FLAG] = 2,
			[LANE_PACKET_STRING] = 6 },
		.use = LANE_TEXT_NAME,
	};
	uint32_t name = show_pack_args(packets, &fields);
	size_t event = begin_event(packets, packets->at_ns), told;
	struct lane_message *m = &packets->packet;

	show_message_append(m, &packets->made_args);
	show_message_field(m, EVENT_TYPE, SLICE_BEGIN);
	if (name)
		show_message_field(m, EVENT_NAME_NUMBER, name);
	show_message_field(m, EVENT_TRACK, packets->uuid ^ packets->salt);
	if (!name)
		show_message_text(m, EVENT_NAME, packets->name);
	for (uint32_t i = 0; i < packets->n_flows; i++)
		show_message_fixed(m, EVENT_FLOW, packets->flows[i]);
	put_correlation(packets);
	if (packets->is_opencl)
		show_message_field(m, EVENT_API, LANE_PACKET_OPENCL);
	show_message_end(m, event);
	if (packets->told.n || packets->told_names.n || packets->told_values.n) {
		told = show_message_begin(m, PACKET_INTERNED);
		show_message_append(m, &packets->told);
		show_message_append(m, &packets->told_names);
		show_message_append(m, &packets->told_values);
		show_message_end(m, told);
	}
	show_message_field(m, PACKET_FLAGS, NEEDS_STATE);
	show_pack_put(packets);
}

void show_packet_submits(struct lane_packets *packets, uint64_t event)
{
	if (packets->n_submits < LANE_PACKET_SUBMITS)
		packets->submits[packets->n_submits++] = event;
}

void show_packet_waits(struct lane_packets *packets, uint64_t event)
{
	packets->waits = event;
}

void show_packet_is_opencl(struct lane_packets *packets)
{
	packets->is_opencl = true;
}

void show_packet_end(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns)
{
	size_t event = begin_event(packets, at_ns);

	show_message_field(&packets->packet, EVENT_TYPE, SLICE_END);
	show_message_field(&packets->packet, EVENT_TRACK, uuid ^ packets->salt);
	show_message_end(&packets->packet, event);
	show_pack_put(packets);
}

void show_packet_counter(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns, int64_t count)
{
	size_t event = begin_event(packets, at_ns);

	show_message_field(&packets->packet, EVENT_TYPE, COUNTER);
	show_message_field(&packets->packet, EVENT_TRACK, uuid ^ packets->salt);
	show_message_field(&packets->packet, EVENT_COUNTER, as_signed(count));
	show_message_end(&packets->packet, event);
	show_pack_put(packets);
}
