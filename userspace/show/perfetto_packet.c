// SPDX-License-Identifier: MIT
// Packs Perfetto's packets with protobuf-c, each by itself: a trace is a sequence of field 1.
#include "show/perfetto_packet.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "show/trace.pb-c.h"

/* Of the track that holds a machine's; none of the others' uuids has these bits. */
#define MACHINE_UUID (0xfull << 56)

typedef Perfetto__Protos__TracePacket packet;
typedef Perfetto__Protos__TrackEvent track_event;

enum {
	SEQUENCE = 1,	   /* of the one that writes */
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

static void put(struct lane_packets *packets, packet *what)
{
	uint8_t bytes[PACKET_BYTES], head[8] = { TAG };
	size_t size = perfetto__protos__trace_packet__get_packed_size(what), left = size, n = 1;

	if (size > sizeof(bytes)) {
		packets->failed = EMSGSIZE;
		return;
	}
	do {
		head[n++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
		left >>= 7;
	} while (left);
	perfetto__protos__trace_packet__pack(what, bytes);
	if (fwrite(head, 1, n, packets->to) != n || fwrite(bytes, 1, size, packets->to) != size)
		packets->failed = errno ? errno : EIO;
}

/* What every packet says. */
static void head(packet *p)
{
	perfetto__protos__trace_packet__init(p);
	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_sequence_flags = true;
	p->sequence_flags = NEEDS_STATE;
}

/* The names of arguments, said once; every event refers to them by number + 1. */
static void put_names(struct lane_packets *packets)
{
	Perfetto__Protos__TracePacketDefaults defaults =
		PERFETTO__PROTOS__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__Protos__InternedData data = PERFETTO__PROTOS__INTERNED_DATA__INIT;
	Perfetto__Protos__DebugAnnotationName names[LANE_ARG_COUNT], *list[LANE_ARG_COUNT];
	char buffers[LANE_ARG_COUNT][40];
	packet p;

	for (unsigned int i = 0; i < LANE_ARG_COUNT; i++) {
		perfetto__protos__debug_annotation_name__init(&names[i]);
		names[i].has_iid = true;
		names[i].iid = i + 1;
		names[i].name = (char *)arg_name(i, buffers[i], sizeof(buffers[i]));
		list[i] = &names[i];
	}
	data.n_debug_annotation_names = LANE_ARG_COUNT;
	data.debug_annotation_names = list;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_MONOTONIC_ID;
	head(&p);
	p.sequence_flags = STATE_CLEARED | NEEDS_STATE;
	p.interned_data = &data;
	p.trace_packet_defaults = &defaults;
	put(packets, &p);
}

/* Perfetto wants to know how its own clock, BOOTTIME, stands to a trace's. How long the machine
 * slept is not recorded: it is told as if it had not. */
static void put_clocks(struct lane_packets *packets, const struct lane_trace_info *info)
{
	static const uint32_t ids[] = { CLOCK_MONOTONIC_ID, CLOCK_BOOTTIME_ID, CLOCK_REALTIME_ID };
	Perfetto__Protos__ClockSnapshot snapshot = PERFETTO__PROTOS__CLOCK_SNAPSHOT__INIT;
	Perfetto__Protos__ClockSnapshot__Clock clocks[3], *list[3];
	uint64_t real_ns = info->begin_ns + (uint64_t)info->epoch_offset_ns;
	packet p;

	for (int i = 0; i < 3; i++) {
		list[i] = &clocks[i];
		perfetto__protos__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = ids[i] == CLOCK_REALTIME_ID ? real_ns : info->begin_ns;
	}
	snapshot.n_clocks = info->epoch_offset_ns ? 3 : 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_MONOTONIC_ID;
	head(&p);
	p.sequence_flags = 0;
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	p.clock_snapshot = &snapshot;
	put(packets, &p);
}

void show_packets_begin(struct lane_packets *packets, FILE *to, const struct lane_trace_info *info)
{
	memset(packets, 0, sizeof(*packets));
	packets->to = to;
	put_clocks(packets, info);
	put_names(packets);
}

void show_packets_machine(struct lane_packets *packets, const char *name, unsigned int index)
{
	packets->machine = name;
	packets->salt = (uint64_t)index << 60;
	show_packet_track(packets,
			  &(struct lane_packet_track){ .uuid = MACHINE_UUID, .name = name });
}

void show_packet_track(struct lane_packets *packets, const struct lane_packet_track *track)
{
	Perfetto__Protos__TrackDescriptor is = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ProcessDescriptor process = PERFETTO__PROTOS__PROCESS_DESCRIPTOR__INIT;
	Perfetto__Protos__ThreadDescriptor thread = PERFETTO__PROTOS__THREAD_DESCRIPTOR__INIT;
	Perfetto__Protos__CounterDescriptor counter = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__INIT;
	bool is_top = packets->machine && !track->parent && track->uuid != MACHINE_UUID;
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
	process.process_name = thread.thread_name = name;
	if (track->is_process && !packets->machine)
		is.process = &process;
	if (track->is_thread && !packets->machine)
		is.thread = &thread;
	counter.has_unit = true;
	counter.unit = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
	if (track->is_counter)
		is.counter = &counter;
	head(&p);
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_DESCRIPTOR;
	p.track_descriptor = &is;
	put(packets, &p);
}

void show_packet_begin(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns,
		       const char *name)
{
	packets->uuid = uuid;
	packets->at_ns = at_ns;
	packets->n_flows = 0;
	packets->n_args = 0;
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

static void fill(const struct lane_packet_value *from, Perfetto__Protos__DebugAnnotation *to)
{
	perfetto__protos__debug_annotation__init(to);
	to->has_name_iid = true;
	to->name_iid = (uint64_t)from->arg + 1;
	switch (from->kind) {
	case 't':
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
		      uint64_t at_ns, Perfetto__Protos__TrackEvent__Type type)
{
	packet p;

	what->has_type = true;
	what->type = type;
	what->has_track_uuid = true;
	what->track_uuid = uuid ^ packets->salt;
	head(&p);
	p.has_timestamp = true;
	p.timestamp = at_ns;
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT;
	p.track_event = what;
	put(packets, &p);
}

void show_packet_send(struct lane_packets *packets)
{
	Perfetto__Protos__DebugAnnotation args[LANE_PACKET_MAX_ARGS], *list[LANE_PACKET_MAX_ARGS];
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	for (uint32_t i = 0; i < packets->n_args; i++) {
		fill(&packets->args[i], &args[i]);
		list[i] = &args[i];
	}
	what.n_debug_annotations = packets->n_args;
	what.debug_annotations = list;
	what.name = packets->name;
	what.n_flow_ids = packets->n_flows;
	what.flow_ids = packets->flows;
	put_event(packets, &what, packets->uuid, packets->at_ns,
		  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN);
}

void show_packet_end(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns)
{
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	put_event(packets, &what, uuid, at_ns, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END);
}

void show_packet_counter(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns, int64_t count)
{
	track_event what = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	what.has_counter_value = true;
	what.counter_value = count;
	put_event(packets, &what, uuid, at_ns, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER);
}
