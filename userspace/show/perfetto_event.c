// SPDX-License-Identifier: MIT
// Packs Perfetto's packets with protobuf-c, each by itself: a trace is a sequence of field 1.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "show/perfetto_pack.h"

/* Of the track that holds a machine's; none of the others' uuids has these bits. */
#define MACHINE_UUID 0xf

typedef Perfetto__Protos__TracePacket packet;
typedef Perfetto__Protos__TrackEvent track_event;

enum {
	SEQUENCE = 1, /* of what was found */
	SEQUENCE_FTRACE,
	STATE_CLEARED = 1, /* TracePacket.SequenceFlags */
	NEEDS_STATE = 2,
	CLOCK_REALTIME_ID = 1, /* BuiltinClock */
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_BOOTTIME_ID = 6,
	TAG = 1 << 3 | 2, /* Trace.packet: field 1, with its length before it */
	PACKET_BYTES = 16384,
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

/* A number as protobuf has it; returns how many bytes. */
static size_t put_varint(uint8_t *at, uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		at[n++] = (uint8_t)(value | 0x80);
	at[n++] = (uint8_t)value;
	return n;
}

static void put_out(struct lane_packets *packets, const void *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, packets->to) != n)
		packets->failed = errno ? errno : EIO;
}

void show_pack_put(struct lane_packets *packets, packet *what)
{
	uint8_t bytes[PACKET_BYTES], head[12] = { TAG };
	size_t size;

	what->has_machine_id = packets->machine_index;
	what->machine_id = packets->machine_index;
	size = perfetto__protos__trace_packet__get_packed_size(what);
	if (size > sizeof(bytes)) {
		packets->failed = EMSGSIZE;
		return;
	}
	perfetto__protos__trace_packet__pack(what, bytes);
	put_out(packets, head, 1 + put_varint(head + 1, size));
	put_out(packets, bytes, size);
}

void show_packet_pieces(struct lane_packets *packets, unsigned int number,
			const struct lane_piece *pieces, unsigned int n)
{
	enum {
		SEQUENCE_ID = 10,
		MACHINE_ID = 98,
	};
	uint8_t head[12] = { TAG }, of[12], tail[16];
	size_t size = 0, n_of, n_tail;

	for (unsigned int i = 0; i < n; i++)
		size += pieces[i].n;
	n_of = put_varint(of, number << 3 | 2);
	n_of += put_varint(of + n_of, size);
	n_tail = put_varint(tail, SEQUENCE_ID << 3);
	n_tail += put_varint(tail + n_tail, SEQUENCE_FTRACE);
	if (packets->machine_index) {
		n_tail += put_varint(tail + n_tail, MACHINE_ID << 3);
		n_tail += put_varint(tail + n_tail, packets->machine_index);
	}
	put_out(packets, head, 1 + put_varint(head + 1, n_of + size + n_tail));
	put_out(packets, of, n_of);
	for (unsigned int i = 0; i < n; i++)
		put_out(packets, pieces[i].bytes, pieces[i].n);
	put_out(packets, tail, n_tail);
}

void show_pack_head(packet *p)
{
	perfetto__protos__trace_packet__init(p);
	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
}

/* What later packets rest on. */
static void put_defaults(struct lane_packets *packets)
{
	Perfetto__Protos__TracePacketDefaults defaults =
		PERFETTO__PROTOS__TRACE_PACKET_DEFAULTS__INIT;
	packet p;

	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_MONOTONIC_ID;
	show_pack_head(&p);
	p.has_sequence_flags = true;
	p.sequence_flags = STATE_CLEARED | NEEDS_STATE;
	p.trace_packet_defaults = &defaults;
	show_pack_put(packets, &p);
}

/* Perfetto wants to know how its own clock, BOOTTIME, stands to a trace's. */
static void put_clocks(struct lane_packets *packets, const struct lane_trace_info *info)
{
	static const uint32_t ids[] = { CLOCK_MONOTONIC_ID, CLOCK_BOOTTIME_ID, CLOCK_REALTIME_ID };
	Perfetto__Protos__ClockSnapshot snapshot = PERFETTO__PROTOS__CLOCK_SNAPSHOT__INIT;
	Perfetto__Protos__ClockSnapshot__Clock clocks[3], *list[3];
	const int64_t offsets[] = { 0, info->slept_ns, info->epoch_offset_ns };
	packet p;

	for (int i = 0; i < 3; i++) {
		list[i] = &clocks[i];
		perfetto__protos__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = info->begin_ns + (uint64_t)offsets[i];
	}
	snapshot.n_clocks = info->epoch_offset_ns ? 3 : 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_MONOTONIC_ID;
	show_pack_head(&p);
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	p.clock_snapshot = &snapshot;
	show_pack_put(packets, &p);
}

/* Of the kernel's release depends how the states of threads are read. */
static void put_system(struct lane_packets *packets, const struct lane_trace_info *info)
{
	Perfetto__Protos__SystemInfo system = PERFETTO__PROTOS__SYSTEM_INFO__INIT;
	Perfetto__Protos__Utsname name = PERFETTO__PROTOS__UTSNAME__INIT;
	char release[sizeof(info->release)];
	packet p;

	name.sysname = (char *)"Linux";
	name.release = lane_clean_copy(release, sizeof(release), info->release, LANE_CLEAN_LINE);
	system.utsname = &name;
	show_pack_head(&p);
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_SYSTEM_INFO;
	p.system_info = &system;
	if (*release)
		show_pack_put(packets, &p);
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
	lane_table_free(&packets->numbers);
	free(packets->texts);
}

void show_packet_track(struct lane_packets *packets, const struct lane_packet_track *track)
{
	Perfetto__Protos__TrackDescriptor is = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ProcessDescriptor process = PERFETTO__PROTOS__PROCESS_DESCRIPTOR__INIT;
	Perfetto__Protos__ThreadDescriptor thread = PERFETTO__PROTOS__THREAD_DESCRIPTOR__INIT;
	Perfetto__Protos__CounterDescriptor counter = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__INIT;
	bool is_top = packets->machine && !track->parent && !track->is_process &&
		      !track->is_thread && track->uuid != MACHINE_UUID;
	char text[256], name[256];
	packet p;

	/* Protocol buffers' strings are UTF-8. */
	snprintf(text, sizeof(text), "%s%s%s", is_top ? packets->machine : "", is_top ? ": " : "",
		 track->name ? track->name : "");
	lane_clean_copy(name, sizeof(name), text, LANE_CLEAN_LINE);
	is.has_uuid = true;
	is.uuid = track->uuid ^ packets->salt;
	is.has_parent_uuid = track->parent || is_top;
	is.parent_uuid = (is_top ? MACHINE_UUID : track->parent) ^ packets->salt;
	is.name = name;
	is.has_sibling_order_rank = track->rank != 0;
	is.sibling_order_rank = track->rank;
	is.has_child_ordering = !track->is_counter;
	is.child_ordering = PERFETTO__PROTOS__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	process.has_pid = thread.has_pid = thread.has_tid = true;
	process.pid = thread.pid = track->pid;
	thread.tid = track->tid;
	process.process_name = thread.thread_name = *name ? name : NULL;
	if (track->is_process)
		is.process = &process;
	if (track->is_thread)
		is.thread = &thread;
	counter.has_unit = true;
	counter.unit = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
	if (track->is_counter)
		is.counter = &counter;
	show_pack_head(&p);
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_DESCRIPTOR;
	p.track_descriptor = &is;
	show_pack_put(packets, &p);
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
				       char kind)
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
	value(packets, arg, 'n')->number = number;
}

void show_packet_signed(struct lane_packets *packets, enum lane_packet_arg arg, int64_t number)
{
	value(packets, arg, 's')->number = (uint64_t)number;
}

void show_packet_flag(struct lane_packets *packets, enum lane_packet_arg arg, bool flag)
{
	value(packets, arg, 'b')->number = flag;
}

void show_packet_text(struct lane_packets *packets, enum lane_packet_arg arg, const char *text)
{
	struct lane_packet_value *is = value(packets, arg, 't');

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

uint32_t show_pack_name(struct lane_packets *packets, struct lane_pack_texts *told)
{
	bool is_new;
	uint32_t number = show_pack_text(packets, packets->name, LANE_TEXT_NAME, &is_new);

	told->data = (Perfetto__Protos__InternedData)PERFETTO__PROTOS__INTERNED_DATA__INIT;
	told->n = 0;
	told->data.debug_annotation_string_values = told->value_list;
	told->data.event_names = &told->name_is;
	told->name_is = &told->name;
	perfetto__protos__event_name__init(&told->name);
	told->name.has_iid = true;
	told->name.iid = number;
	told->name.name = packets->name;
	told->data.n_event_names = is_new;
	return number;
}

uint32_t show_pack_value(struct lane_packets *packets, const char *text,
			 struct lane_pack_texts *told)
{
	Perfetto__Protos__InternedString *is = &told->values[told->n];
	bool is_new;
	uint32_t number = show_pack_text(packets, text, LANE_TEXT_VALUE, &is_new);

	if (!is_new)
		return number;
	perfetto__protos__interned_string__init(is);
	is->has_iid = true;
	is->iid = number;
	is->str = (char *)text;
	told->value_list[told->n++] = is;
	told->data.n_debug_annotation_string_values = told->n;
	return number;
}

bool show_pack_has_texts(const struct lane_pack_texts *told)
{
	return told->data.n_event_names || told->n || told->data.n_debug_annotation_names ||
	       told->data.n_compute_arg_names;
}

/* The name of an argument that has not been told yet; NULL: it has. */
const char *show_pack_arg(struct lane_packets *packets, enum lane_packet_arg arg,
			  enum lane_text_use use, char *buffer, size_t size)
{
	if (packets->told_args[arg] & use)
		return NULL;
	packets->told_args[arg] |= (uint8_t)use;
	return arg_name(arg, buffer, size);
}

/* An argument, and what it tells for the first time. */
static void perfetto_event_fill(struct lane_packets *packets, const struct lane_packet_value *from,
				Perfetto__Protos__DebugAnnotation *to, struct lane_pack_texts *told)
{
	perfetto__protos__debug_annotation__init(to);
	to->has_name_iid = true;
	to->name_iid = (uint64_t)from->arg + 1;
	switch (from->kind) {
	case 't':
		to->string_value_iid = show_pack_value(packets, from->text, told);
		to->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE_IID;
		if (to->string_value_iid)
			break;
		to->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
		to->string_value = (char *)from->text;
		break;
	case 's':
		to->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_INT_VALUE;
		to->int_value = (int64_t)from->number;
		break;
	case 'b':
		to->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_BOOL_VALUE;
		to->bool_value = from->number != 0;
		break;
	default:
		to->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_UINT_VALUE;
		to->uint_value = from->number;
	}
}

static void put_event(struct lane_packets *packets, track_event *what, uint64_t uuid,
		      uint64_t at_ns, Perfetto__Protos__TrackEvent__Type type,
		      Perfetto__Protos__InternedData *told)
{
	packet p;

	what->has_type = true;
	what->type = type;
	what->has_track_uuid = true;
	what->track_uuid = uuid ^ packets->salt;
	show_pack_head(&p);
	p.has_timestamp = true;
	p.timestamp = at_ns;
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT;
	p.track_event = what;
	p.interned_data = told;
	p.has_sequence_flags = type == PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
	p.sequence_flags = NEEDS_STATE;
	show_pack_put(packets, &p);
}

void show_packet_send(struct lane_packets *packets)
{
	Perfetto__Protos__DebugAnnotation args[LANE_PACKET_MAX_ARGS], *list[LANE_PACKET_MAX_ARGS];
	Perfetto__Protos__DebugAnnotationName names[LANE_PACKET_MAX_ARGS],
		*name_list[LANE_PACKET_MAX_ARGS];
	char buffers[LANE_PACKET_MAX_ARGS][LANE_PACKET_ARG_NAME];
	Perfetto__Protos__GpuCorrelation gpu = PERFETTO__PROTOS__GPU_CORRELATION__INIT;
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	struct lane_pack_texts told;
	size_t n = 0;

	what.name_iid = show_pack_name(packets, &told);
	what.name_field_case = what.name_iid ? PERFETTO__PROTOS__TRACK_EVENT__NAME_FIELD_NAME_IID
					     : PERFETTO__PROTOS__TRACK_EVENT__NAME_FIELD_NAME;
	if (!what.name_iid)
		what.name = packets->name;
	for (uint32_t i = 0; i < packets->n_args; i++) {
		enum lane_packet_arg arg = packets->args[i].arg;
		const char *name =
			show_pack_arg(packets, arg, LANE_TEXT_NAME, buffers[n], sizeof(buffers[n]));

		perfetto_event_fill(packets, &packets->args[i], &args[i], &told);
		list[i] = &args[i];
		if (!name)
			continue;
		perfetto__protos__debug_annotation_name__init(&names[n]);
		names[n].has_iid = true;
		names[n].iid = (uint64_t)arg + 1;
		names[n].name = (char *)name;
		name_list[n] = &names[n];
		n++;
	}
	told.data.n_debug_annotation_names = n;
	told.data.debug_annotation_names = name_list;
	what.n_debug_annotations = packets->n_args;
	what.debug_annotations = list;
	what.n_flow_ids = packets->n_flows;
	what.flow_ids = packets->flows;
	gpu.n_render_stage_submission_event_ids = packets->n_submits;
	gpu.render_stage_submission_event_ids = packets->submits;
	gpu.n_render_stage_wait_event_ids = packets->waits != 0;
	gpu.render_stage_wait_event_ids = &packets->waits;
	if (packets->n_submits || packets->waits)
		what.gpu_correlation = &gpu;
	what.has_gpu_api = packets->is_opencl;
	what.gpu_api = LANE_PACKET_OPENCL;
	put_event(packets, &what, packets->uuid, packets->at_ns,
		  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		  show_pack_has_texts(&told) ? &told.data : NULL);
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
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	put_event(packets, &what, uuid, at_ns, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END,
		  NULL);
}

void show_packet_counter(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns, int64_t count)
{
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	what.has_counter_value = true;
	what.counter_value = count;
	put_event(packets, &what, uuid, at_ns, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER,
		  NULL);
}
