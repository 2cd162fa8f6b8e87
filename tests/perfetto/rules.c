// SPDX-License-Identifier: MIT
// Reads a Perfetto trace by the schema and holds it to its rules: slices nest on their tracks,
// flows go forward and from one track to another, every track is described. Says what the slices
// add up to.
#include "rules.h"

#include "ftrace_rules.h"
#include "gpu_rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "perfetto/trace.pb-c.h"

typedef Perfetto__Protos__TracePacket packet;
typedef Perfetto__Protos__TrackEvent track_event;
typedef Perfetto__Protos__TrackDescriptor descriptor;

struct one {
	uint64_t at_ns;
	size_t order;
	const track_event *event;
};

struct track {
	const descriptor *is;
	size_t depth, max_depth, slices;
	uint64_t begin_ns[16]; /* of what is open */
	uint64_t sum_ns;       /* of slices that are in no other */
};

struct flow {
	size_t steps;
	uint64_t last_ns, last_track;
	bool moved; /* to another track */
};

static struct lane_table tracks, flows, names, values;
static const char *args[256];
static size_t faults, n_flows_in_one_place;
static FILE *told;

static void fault(const char *what, uint64_t uuid, uint64_t at_ns)
{
	if (faults++ < 20)
		fprintf(told, "fault: %s (track %" PRIx64 ", at %" PRIu64 ")\n", what, uuid, at_ns);
}

static void *get(struct lane_table *table, uint64_t key, size_t size)
{
	void *value = lane_table_get(table, key, 1);

	if (value)
		return value;
	value = calloc(1, size);
	if (!value || !lane_table_put(table, key, 1, value))
		exit(2);
	return value;
}

static int by_time(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* The sums of arguments of requests, for the caller to compare: `arg NAME SUM COUNT`. */
static uint64_t arg_sums[256], arg_counts[256];

static void add_arg(uint64_t name_iid, uint64_t value)
{
	if (name_iid >= 256)
		return;
	arg_sums[name_iid] += value;
	arg_counts[name_iid]++;
}

static void add_args(const track_event *event)
{
	for (size_t i = 0; i < event->n_debug_annotations; i++) {
		const Perfetto__Protos__DebugAnnotation *a = event->debug_annotations[i];

		if (a->name_iid >= 256 || !args[a->name_iid])
			fault("an argument without a name", event->track_uuid, 0);
		else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_UINT_VALUE)
			add_arg(a->name_iid, a->uint_value);
	}
}

static void step(uint64_t id, const struct one *one)
{
	struct flow *flow = get(&flows, id, sizeof(*flow));

	if (flow->steps && flow->last_ns > one->at_ns)
		fault("a flow goes back", one->event->track_uuid, one->at_ns);
	flow->moved |= flow->steps && flow->last_track != one->event->track_uuid;
	flow->steps++;
	flow->last_ns = one->at_ns;
	flow->last_track = one->event->track_uuid;
}

static void take(const struct one *one)
{
	const track_event *event = one->event;
	struct track *track = lane_table_get(&tracks, event->track_uuid, 1);

	if (!track) {
		fault("a track that is not described", event->track_uuid, one->at_ns);
		return;
	}
	if (event->type == PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER) {
		if (!track->is->counter || event->counter_value < 0)
			fault("a counter that is none", event->track_uuid, one->at_ns);
		return;
	}
	if (event->type == PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN) {
		if (track->depth == 16) {
			fault("too deep", event->track_uuid, one->at_ns);
			return;
		}
		track->begin_ns[track->depth++] = one->at_ns;
		if (track->depth > track->max_depth)
			track->max_depth = track->depth;
		for (size_t i = 0; i < event->n_flow_ids; i++)
			step(event->flow_ids[i], one);
		if (!strcmp(track->is->name, "requests"))
			add_args(event);
		return;
	}
	if (event->type != PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END || !track->depth) {
		fault("an end without a begin", event->track_uuid, one->at_ns);
		return;
	}
	if (!--track->depth) {
		track->slices++;
		track->sum_ns += one->at_ns - track->begin_ns[0];
	}
}

/* Of arguments of one name Perfetto keeps the last. */
static void check_names(const track_event *event)
{
	for (size_t i = 0; i < event->n_debug_annotations; i++)
		for (size_t k = 0; k < i; k++)
			if (event->debug_annotations[i]->name_iid ==
			    event->debug_annotations[k]->name_iid)
				fault("two arguments of one name", event->track_uuid, 0);
}

/* Perfetto's own clock has to be there: all others are told in it. */
static void check_clocks(const Perfetto__Protos__ClockSnapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_clocks; i++)
		if (snapshot->clocks[i]->clock_id == 6)
			return;
	fault("no BOOTTIME among the clocks", 0, 0);
}

/* What is told once is told before it is a number. */
static void check_numbers(const packet *p)
{
	const Perfetto__Protos__InternedData *data = p->interned_data;
	const track_event *event = p->track_event;

	for (size_t i = 0; data && i < data->n_event_names; i++)
		get(&names, data->event_names[i]->iid, 1);
	for (size_t i = 0; data && i < data->n_debug_annotation_string_values; i++)
		get(&values, data->debug_annotation_string_values[i]->iid, 1);
	if (p->data_case != PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT)
		return;
	if (event->name_field_case == PERFETTO__PROTOS__TRACK_EVENT__NAME_FIELD_NAME_IID &&
	    !lane_table_get(&names, event->name_iid, 1))
		fault("the number of no name", event->track_uuid, p->timestamp);
	for (size_t i = 0; i < event->n_debug_annotations; i++)
		if (event->debug_annotations[i]->value_case ==
			    PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE_IID &&
		    !lane_table_get(&values, event->debug_annotations[i]->string_value_iid, 1))
			fault("the number of no text", event->track_uuid, p->timestamp);
}

static void learn(const Perfetto__Protos__Trace *trace)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		const packet *p = trace->packet[i];

		if (p->trusted_packet_sequence_id == 1)
			check_numbers(p);
		if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_FTRACE_EVENTS)
			faults += perfetto_ftrace_rules(p->ftrace_events, told);
		if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT)
			check_names(p->track_event);
		if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_CLOCK_SNAPSHOT)
			check_clocks(p->clock_snapshot);
		if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_DESCRIPTOR) {
			struct track *track =
				get(&tracks, p->track_descriptor->uuid, sizeof(*track));

			track->is = p->track_descriptor;
		}
		for (size_t k = 0;
		     p->interned_data && k < p->interned_data->n_debug_annotation_names; k++)
			if (p->interned_data->debug_annotation_names[k]->iid < 256)
				args[p->interned_data->debug_annotation_names[k]->iid] =
					p->interned_data->debug_annotation_names[k]->name;
		for (size_t k = 0; p->interned_data && k < p->interned_data->n_compute_arg_names;
		     k++)
			if (p->interned_data->compute_arg_names[k]->iid < 256)
				args[p->interned_data->compute_arg_names[k]->iid] =
					p->interned_data->compute_arg_names[k]->name;
	}
}

/* The name of a track with its parents' before it. */
static void full_name(const struct track *track, char *buffer, size_t size)
{
	const struct track *parent = lane_table_get(&tracks, track->is->parent_uuid, 1);
	char before[256] = "";

	if (track->is->parent_uuid && !parent)
		fault("a parent that is not described", track->is->uuid, 0);
	if (parent && track->is->parent_uuid)
		full_name(parent, before, sizeof(before));
	snprintf(buffer, size, "%s%s%s", before, *before ? "/" : "", track->is->name);
	if (track->is->process)
		snprintf(buffer, size, "%s[%d]", track->is->name, track->is->process->pid);
	if (track->is->thread)
		snprintf(buffer, size, "%s[%d]", track->is->name, track->is->thread->tid);
}

static void print_tracks(void)
{
	char name[512];

	for (size_t i = 0; tracks.slots && i <= tracks.mask; i++) {
		const struct track *track = tracks.slots[i].value;

		if (!track)
			continue;
		full_name(track, name, sizeof(name));
		if (track->depth)
			fault("a slice that does not end", track->is->uuid, track->begin_ns[0]);
		if (track->slices)
			fprintf(told, "track\t%s\t%zu\t%" PRIu64 "\t%zu\n", name, track->slices,
				track->sum_ns, track->max_depth);
	}
	for (int i = 0; i < 256; i++)
		if (arg_counts[i])
			fprintf(told, "arg\t%s\t%" PRIu64 "\t%" PRIu64 "\n", args[i], arg_sums[i],
				arg_counts[i]);
}

static void forget(struct lane_table *table)
{
	for (size_t i = 0; table->slots && i <= table->mask; i++)
		free(table->slots[i].value);
	lane_table_free(table);
	memset(table, 0, sizeof(*table));
}

static void tell_texts(const packet *p, void (*text)(const char *text))
{
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_DESCRIPTOR) {
		const descriptor *is = p->track_descriptor;

		text(is->name ? is->name : "");
		text(is->process && is->process->process_name ? is->process->process_name : "");
		text(is->thread && is->thread->thread_name ? is->thread->thread_name : "");
	}
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT) {
		const track_event *event = p->track_event;

		for (size_t i = 0; i < event->n_debug_annotations; i++)
			if (event->debug_annotations[i]->value_case ==
			    PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE)
				text(event->debug_annotations[i]->string_value);
	}
	for (size_t i = 0; p->interned_data && i < p->interned_data->n_event_names; i++)
		text(p->interned_data->event_names[i]->name);
	for (size_t i = 0;
	     p->interned_data && i < p->interned_data->n_debug_annotation_string_values; i++)
		text(p->interned_data->debug_annotation_string_values[i]->str);
	perfetto_gpu_texts(p, text);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_FTRACE_EVENTS)
		perfetto_ftrace_texts(p->ftrace_events, text);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_PROCESS_TREE)
		perfetto_tree_texts(p->process_tree, text);
}

size_t perfetto_rules(const uint8_t *bytes, size_t size, FILE *to, void (*text)(const char *text))
{
	Perfetto__Protos__Trace *trace = perfetto__protos__trace__unpack(NULL, size, bytes);
	struct one *all = trace ? calloc(trace->n_packet + 1, sizeof(*all)) : NULL;
	size_t n = 0, n_flows = 0;

	told = to;
	faults = n_flows_in_one_place = 0;
	memset(args, 0, sizeof(args));
	memset(arg_sums, 0, sizeof(arg_sums));
	memset(arg_counts, 0, sizeof(arg_counts));
	if (!all) {
		fprintf(told, "fault: not a trace\n");
		return 1;
	}
	learn(trace);
	faults += perfetto_gpu_rules(trace, told, add_arg);
	for (size_t i = 0; i < trace->n_packet; i++) {
		if (trace->packet[i]->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT)
			all[n++] = (struct one){ trace->packet[i]->timestamp, i,
						 trace->packet[i]->track_event };
		if (text)
			tell_texts(trace->packet[i], text);
	}
	qsort(all, n, sizeof(*all), by_time);
	for (size_t i = 0; i < n; i++)
		take(&all[i]);
	print_tracks();
	for (size_t i = 0; flows.slots && i <= flows.mask; i++) {
		const struct flow *flow = flows.slots[i].value;

		if (!flow)
			continue;
		n_flows++;
		n_flows_in_one_place += !flow->moved;
	}
	fprintf(told, "events\t%zu\nflows\t%zu\nflows in one place\t%zu\nfaults\t%zu\n", n, n_flows,
		n_flows_in_one_place, faults);
	forget(&tracks);
	forget(&flows);
	forget(&names);
	forget(&values);
	perfetto__protos__trace__free_unpacked(trace, NULL);
	free(all);
	return faults;
}
