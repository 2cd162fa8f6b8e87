// SPDX-License-Identifier: MIT
// Reads CTF traces through libbabeltrace2: LTTng's kernel traces, ours, and others with the same
// names. It runs in a child process only (ctf_child.c).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "decode/ctf_child.h"
#include "decode/ctf_graph.h"
#include "decode/ctf_plan.h"
#include "decode/merge.h"

enum {
	FIRST_PLANS = 128
}; /* slots of the table of plans, a power of two */

/* What is known of an event class, found by its address. */
struct class_plan {
	const bt_event_class *event_class;
	struct lane_plan plan;
};

/* One stream of the trace, usually one CPU's. */
struct graph_stream {
	struct lane_event event;       /* the next one */
	const bt_message *unread;      /* an event's message that is to be read into it */
	const struct lane_plan *plan;  /* how */
	struct lane_merge_stream next; /* the event of unread */
	uint64_t frequency;	       /* of the stream's clock */
	int32_t cpu;
	struct lane_account *account;
	struct lane_lost_count lost;
	bool has_told_count; /* that its count of losses is damaged */
	bool is_dead;	     /* nothing more is to be read */
};

struct ctf {
	struct lane_decoder base;
	const struct lane_names *names;
	char *path;
	struct lane_ctf_graph *graph;
	struct lane_trace_info info;
	bool has_info;
	bool is_own;   /* of our own recorder */
	bool is_lttng; /* of LTTng's */
	bool is_ust;   /* of LTTng's in programs: the OpenCL layer's */
	bool is_perf;  /* of perf's data convert */
	uint32_t n_streams;
	struct graph_stream *streams;
	struct lane_account *accounts; /* of each stream */
	struct lane_merge merge;
	struct class_plan *plans;
	uint32_t plan_slots;
	uint32_t n_plans;
	struct lane_error *err;	      /* met while a stream was begun, not told yet */
	struct lane_error *complaint; /* what ends no stream, not told yet */
};

static struct ctf *ctf_of(struct lane_decoder *decoder)
{
	return (struct ctf *)decoder;
}

/* A clock's value in nanoseconds. LTTng's and our clock count them. */
static uint64_t clock_ns(uint64_t frequency, uint64_t value)
{
	if (frequency == 1000000000)
		return value;
	return (uint64_t)((unsigned __int128)value * 1000000000u / frequency);
}

static uint64_t snapshot_ns(const struct graph_stream *stream, const bt_clock_snapshot *snapshot)
{
	return clock_ns(stream->frequency, bt_clock_snapshot_get_value(snapshot));
}

static struct class_plan *plan_slot(struct class_plan *plans, uint32_t slots,
				    const bt_event_class *event_class)
{
	uint32_t at = (uint32_t)((uintptr_t)event_class >> 4) * 2654435761u & (slots - 1);

	while (plans[at].event_class && plans[at].event_class != event_class)
		at = (at + 1) & (slots - 1);
	return &plans[at];
}

/* Doubles the table of plans; streams point at plans, so it is done before any is in use. */
static struct lane_error *reserve_plans(struct ctf *ctf, uint64_t classes)
{
	uint32_t slots = FIRST_PLANS;
	struct class_plan *plans;

	if (ctf->n_plans + classes > 1u << 20)
		return lane_error("%s: more than %u event classes", ctf->path, 1u << 20);
	while (slots < 2 * (ctf->n_plans + classes))
		slots *= 2;
	if (slots <= ctf->plan_slots)
		return NULL;
	plans = calloc(slots, sizeof(*plans));
	if (!plans)
		return &lane_enomem;
	for (uint32_t i = 0; i < ctf->plan_slots; i++)
		if (ctf->plans[i].event_class)
			*plan_slot(plans, slots, ctf->plans[i].event_class) = ctf->plans[i];
	for (uint32_t i = 0; i < ctf->n_streams; i++)
		if (ctf->streams[i].unread)
			ctf->streams[i].plan =
				&plan_slot(plans, slots,
					   bt_event_borrow_class_const(
						   bt_message_event_borrow_event_const(
							   ctf->streams[i].unread)))
					 ->plan;
	free(ctf->plans);
	ctf->plans = plans;
	ctf->plan_slots = slots;
	return NULL;
}

static void copy_env(const bt_trace *trace, const char *name, char *to, size_t size)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (value && bt_value_is_string(value))
		snprintf(to, size, "%s", bt_value_string_get(value));
}

static int64_t env_number(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_signed_integer(value) ? bt_value_integer_signed_get(value) : 0;
}

static void read_clock(struct ctf *ctf, const bt_clock_class *clock)
{
	/* perf's is drawn anew by each conversion: it names no boot. */
	bt_uuid uuid = ctf->is_perf ? NULL : bt_clock_class_get_uuid(clock);
	uint64_t frequency = bt_clock_class_get_frequency(clock);
	uint64_t cycles;
	int64_t seconds;

	if (!frequency)
		return;
	bt_clock_class_get_offset(clock, &seconds, &cycles);
	ctf->info.epoch_offset_ns =
		(int64_t)((uint64_t)seconds * 1000000000u + clock_ns(frequency, cycles));
	for (int i = 0, at = 0; uuid && i < 16; i++)
		at += sprintf(ctf->info.clock_uuid + at, "%s%02x",
			      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* The facts of the trace, from its first stream. */
static void read_info(struct ctf *ctf, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	char tracer[32] = "", own[8] = "";

	if (ctf->has_info)
		return;
	ctf->has_info = true;
	copy_env(trace, "hostname", ctf->info.host, sizeof(ctf->info.host));
	copy_env(trace, "kernel_release", ctf->info.release, sizeof(ctf->info.release));
	copy_env(trace, "tracer_name", tracer, sizeof(tracer));
	copy_env(trace, "gpulane_version", own, sizeof(own));
	ctf->is_own = *own;
	ctf->is_lttng = !strcmp(tracer, "lttng-modules") && !ctf->is_own;
	ctf->is_ust = !strcmp(tracer, "lttng-ust");
	ctf->is_perf = !strcmp(tracer, "perf");
	if (ctf->is_perf) {
		copy_env(trace, "host", ctf->info.host, sizeof(ctf->info.host));
		copy_env(trace, "release", ctf->info.release, sizeof(ctf->info.release));
		copy_env(trace, "version", ctf->info.tracer_version,
			 sizeof(ctf->info.tracer_version));
	}
	if (ctf->is_lttng)
		snprintf(ctf->info.tracer_version, sizeof(ctf->info.tracer_version), "%u.%u.%u",
			 (unsigned int)env_number(trace, "tracer_major") % 1000,
			 (unsigned int)env_number(trace, "tracer_minor") % 1000,
			 (unsigned int)env_number(trace, "tracer_patchlevel") % 1000);
	strcpy(ctf->info.tracer, ctf->is_lttng ? "lttng" : ctf->is_ust ? "ust" : tracer);
	if (ctf->is_own)
		copy_env(trace, "gpulane_tracer", ctf->info.tracer, sizeof(ctf->info.tracer));
	if (clock)
		read_clock(ctf, clock);
}

/*
 * True when events of the class are of no use to the analyses: an `out` that does not say whether
 * the request is complete (Linux up to 4.18) is as good as none.
 */
static bool is_half(const bt_event_class *class, int kind)
{
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);

	return kind == LANE_RQ_OUT &&
	       (!payload ||
		!bt_field_class_structure_borrow_member_by_name_const(payload, "completed"));
}

/*
 * LTTng declares the events that were enabled and were there: what is not declared cannot have been
 * recorded. Our own traces declare all, their recording.json tells.
 */
static void read_presence(struct ctf *ctf, const bt_stream_class *class)
{
	uint64_t n = bt_stream_class_get_event_class_count(class);

	if (ctf->is_own)
		return;
	for (int kind = 0; (ctf->is_lttng || ctf->is_ust || ctf->is_perf) && kind < LANE_KIND_COUNT;
	     kind++)
		if (!lane_is_derived((unsigned int)kind) &&
		    ctf->info.presence[kind] == LANE_PRESENCE_UNKNOWN)
			ctf->info.presence[kind] = LANE_PRESENCE_ABSENT;
	for (uint64_t i = 0; i < n; i++) {
		const bt_event_class *event =
			bt_stream_class_borrow_event_class_by_index_const(class, i);
		const char *name = bt_event_class_get_name(event);
		int kind;

		if (name && ctf->is_perf)
			name = decode_names_of_perf(name);
		kind = name ? decode_names_kind(ctf->names, name, strlen(name)) : -1;
		if (name && !strcmp(name, LANE_ENGINE_NOTIFY))
			kind = LANE_FENCE_SIGNALED;
		if (kind >= 0 && !lane_is_derived((unsigned int)kind))
			ctf->info.presence[kind] = is_half(event, kind) ? LANE_PRESENCE_ABSENT
									: LANE_PRESENCE_RECORDED;
	}
}

static struct lane_error *begin_stream(struct ctf *ctf, struct graph_stream *to,
				       const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);

	to->frequency = clock ? bt_clock_class_get_frequency(clock) : 0;
	if (!to->frequency)
		return lane_error("%s: a stream has no clock, its events have no order", ctf->path);
	read_info(ctf, stream);
	read_presence(ctf, class);
	return reserve_plans(ctf, bt_stream_class_get_event_class_count(class));
}

static void begin_packet(struct graph_stream *stream, const bt_message *message)
{
	const bt_field *context = bt_packet_borrow_context_field_const(
		bt_message_packet_beginning_borrow_packet_const(message));
	const bt_field *cpu = NULL;

	if (context)
		cpu = bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
	stream->cpu = -1;
	if (cpu && decode_plan_is_unsigned(bt_field_borrow_class_const(cpu)))
		stream->cpu = (int32_t)(bt_field_integer_unsigned_get_value(cpu) & INT32_MAX);
}

/* The count of a packet's head against the one before it, as libbabeltrace2 subtracts them. */
static void add_loss(struct ctf *ctf, struct graph_stream *stream, const bt_message *message)
{
	struct lane_lost_time loss = { 0 };
	bool is_possible;

	loss.begin_ns = snapshot_ns(
		stream,
		bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message));
	loss.end_ns = snapshot_ns(
		stream,
		bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message));
	if (bt_message_discarded_events_get_count(message, &loss.count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		loss.count = 0;
	if (loss.count && (ctf->is_lttng || ctf->is_ust))
		is_possible = decode_lost_count_change(&stream->lost, &loss);
	else
		is_possible = decode_lost_is_possible(loss.count, loss.begin_ns, loss.end_ns);
	if (!is_possible) {
		loss.count = 0;
		if (!ctf->complaint && !stream->has_told_count) {
			ctf->complaint = lane_error(LANE_LOST_COUNT_WRONG, ctf->path, stream->cpu);
			stream->has_told_count = true;
		}
	}
	decode_losses_add(&stream->next.losses, loss);
}

/* Whole packets were lost: how many events were in them nobody knows. */
static void add_packet_loss(struct graph_stream *stream, const bt_message *message)
{
	struct lane_lost_time loss = { 0 };

	loss.begin_ns = snapshot_ns(
		stream, bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				message));
	loss.end_ns = snapshot_ns(
		stream,
		bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message));
	decode_losses_add(&stream->next.losses, loss);
}

/* Looks at an event's message; false when it is of no kind of ours. */
static bool take_event(struct ctf *ctf, struct graph_stream *stream, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_event_class *event_class = bt_event_borrow_class_const(event);
	struct class_plan *slot = plan_slot(ctf->plans, ctf->plan_slots, event_class);

	if (!slot->event_class) {
		/* There is room: the classes were counted when the stream began. */
		slot->event_class = event_class;
		ctf->n_plans++;
		decode_plan_init(&slot->plan, event_class, ctf->names, ctf->is_perf);
	}
	stream->account->events += !slot->plan.tells_loss;
	if (slot->plan.kind < 0) {
		ctf->base.skipped += !slot->plan.tells_loss;
		return false;
	}
	stream->unread = message;
	stream->plan = &slot->plan;
	stream->next.event_ns =
		snapshot_ns(stream, bt_message_event_borrow_default_clock_snapshot_const(message));
	stream->account->end_ns = stream->next.event_ns;
	return true;
}

/* Reads on to the next event's message: unread, NULL at the end. */
static struct lane_error *read_messages(struct ctf *ctf, uint32_t index)
{
	struct graph_stream *stream = &ctf->streams[index];
	struct lane_error *err = NULL;
	const bt_message *message;

	while (!err) {
		err = decode_graph_next(ctf->graph, index, &message);
		if (err || !message)
			return err;
		switch (bt_message_get_type(message)) {
		case BT_MESSAGE_TYPE_EVENT:
			if (take_event(ctf, stream, message))
				return NULL;
			break;
		case BT_MESSAGE_TYPE_PACKET_BEGINNING:
			begin_packet(stream, message);
			break;
		case BT_MESSAGE_TYPE_STREAM_BEGINNING:
			err = begin_stream(ctf, stream, message);
			break;
		case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
			add_loss(ctf, stream, message);
			break;
		case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
			add_packet_loss(stream, message);
			break;
		default:
			break;
		}
	}
	return err;
}

static struct lane_error *read_stream(struct ctf *ctf, uint32_t index)
{
	struct graph_stream *stream = &ctf->streams[index];
	struct lane_error *err;

	stream->unread = NULL;
	if (stream->is_dead)
		return NULL;
	err = read_messages(ctf, index);
	stream->is_dead = err || !stream->unread;
	stream->account->is_damaged |= err != NULL;
	return err;
}

static struct lane_merge_stream *merge_stream(void *ctf, uint32_t index)
{
	return &((struct ctf *)ctf)->streams[index].next;
}

static struct lane_error *merge_find(void *ctf, uint32_t index)
{
	struct graph_stream *stream = &((struct ctf *)ctf)->streams[index];
	struct lane_error *err = read_stream(ctf, index);

	stream->next.has_event = stream->unread;
	return err;
}

/*
 * The streams' events in time order. A loss comes before the packet behind it, in the order of
 * messages, and ends in it: it waits for its end.
 */
static struct lane_error *ctf_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct ctf *ctf = ctf_of(decoder);
	struct lane_error *err;
	struct graph_stream *stream;
	uint32_t index;
	bool is_loss;

	*result = NULL;
	err = ctf->err ? LANE_TAKE(ctf->err) : LANE_TAKE(ctf->complaint);
	if (!err)
		err = decode_merge_next(&ctf->merge, &index, &is_loss);
	if (err || index == ctf->n_streams)
		return err;
	stream = &ctf->streams[index];
	if (is_loss) {
		decode_losses_take(&stream->next.losses, stream->account, stream->cpu,
				   &stream->event);
	} else {
		decode_plan_read(stream->plan, bt_message_event_borrow_event_const(stream->unread),
				 &stream->event);
		stream->event.wire.ts_ns = stream->next.event_ns;
		if (stream->event.cpu < 0)
			stream->event.cpu = stream->cpu;
		if (ctf->is_ust)
			stream->event.wire.origin = LANE_ORIGIN_LAYER;
		else if (ctf->is_perf)
			stream->event.wire.origin = LANE_ORIGIN_TRACEPOINT;
	}
	*result = &stream->event;
	return NULL;
}

static void ctf_close(struct lane_decoder *decoder)
{
	struct ctf *ctf = ctf_of(decoder);

	if (!ctf)
		return;
	decode_graph_close(ctf->graph);
	lane_error_free(ctf->err);
	lane_error_free(ctf->complaint);
	decode_merge_deinit(&ctf->merge);
	free(ctf->streams);
	free(ctf->accounts);
	free(ctf->plans);
	free(ctf->path);
	free(ctf);
}

static void close_guard(struct ctf **ctf)
{
	if (*ctf)
		ctf_close(&(*ctf)->base);
}

static struct lane_error *ctf_open(const char *path, const struct lane_names *names,
				   struct lane_decoder **decoder)
{
	LANE_CLEANUP(close_guard) struct ctf *ctf = calloc(1, sizeof(*ctf));
	struct lane_error *err;

	if (!ctf)
		return &lane_enomem;
	ctf->base.format = &lane_format_ctf_inside;
	ctf->merge.arg = ctf;
	ctf->merge.stream = merge_stream;
	ctf->merge.find = merge_find;
	ctf->names = names;
	ctf->path = strdup(path);
	if (!ctf->path)
		return &lane_enomem;
	err = decode_graph_open(path, &ctf->graph);
	if (err)
		return err;
	ctf->n_streams = decode_graph_streams(ctf->graph);
	ctf->streams = calloc(ctf->n_streams + 1, sizeof(*ctf->streams));
	ctf->accounts = calloc(ctf->n_streams + 1, sizeof(*ctf->accounts));
	if (!ctf->streams || !ctf->accounts || !decode_merge_init(&ctf->merge, ctf->n_streams))
		return &lane_enomem;
	for (uint32_t i = 0; i < ctf->n_streams; i++) {
		ctf->streams[i].cpu = -1;
		ctf->streams[i].account = &ctf->accounts[i];
	}
	/* What the trace says of itself is in its streams' classes. Errors wait for next. */
	ctf->err = decode_merge_begin(&ctf->merge);
	*decoder = &LANE_TAKE(ctf)->base;
	return NULL;
}

static const struct lane_trace_info *ctf_info(struct lane_decoder *decoder)
{
	return &ctf_of(decoder)->info;
}

static const struct lane_account *ctf_accounts(struct lane_decoder *decoder, size_t *n)
{
	struct ctf *ctf = ctf_of(decoder);

	for (uint32_t i = 0; i < ctf->n_streams; i++)
		ctf->accounts[i].cpu = ctf->streams[i].cpu;
	*n = ctf->n_streams;
	return ctf->accounts;
}

const struct lane_format lane_format_ctf_inside = {
	.name = "ctf-inside",
	.help = "CTF 1.8, in this process",
	.open = ctf_open,
	.info = ctf_info,
	.next = ctf_next,
	.accounts = ctf_accounts,
	.close = ctf_close,
};
