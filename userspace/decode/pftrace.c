// SPDX-License-Identifier: MIT
// Reads the ftrace events of Perfetto's traces, in time order, and what was lost.
#include "decode/pftrace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/stop.h"
#include "base/vector.h"
#include "decode/bytes.h"
#include "decode/duplicates.h"
#include "decode/merge.h"

#define MIB (1024ull * 1024)

/* CompactSched (ftrace_event_bundle.proto) */
enum {
	SWITCH_NS = 1,
	SWITCH_STATE = 2,
	SWITCH_TID = 3,
	SWITCH_PRIO = 4,
	NAMES = 5,
	SWITCH_NAME = 6,
	WAKING_NS = 7,
	WAKING_TID = 8,
	WAKING_CPU = 9,
	WAKING_PRIO = 10,
	WAKING_NAME = 11,
	LAST_LIST = 11,
};

enum {
	BUNDLE_EVENT = 2,
	BUNDLE_SCHED = 4,
	EVENT_TIMESTAMP = 1,
	HELD_MIB = 128,	 /* bundles in memory, over all CPUs, with the copy that sorting makes */
	CACHED = 32,	 /* unpacked chunks that are kept, */
	CACHED_MIB = 64, /* of so many bytes at most */
	TIMES = 16,	 /* that a chunk may be unpacked, in the mean: bundles may lie so that each
			  * needs another one */
};

/* What comes next of a bundle; of one time, in this order. */
enum what {
	IS_EVENT,  /* an FtraceEvent */
	IS_WAKING, /* of a CompactSched */
	IS_SWITCH,
	IS_NONE,
};

/* An FtraceEvent of a bundle; their order is that of time, then of the bundle. */
struct bundle_event {
	uint64_t ns;
	uint32_t at, n; /* bytes of the bundle */
};

/* A name of a CompactSched, likewise. */
struct bundle_name {
	uint32_t at, n;
};

/* The times of a list of a CompactSched, of which none is before the one before. */
struct bundle_times {
	struct lane_proto steps; /* behind the next one */
	uint64_t ns;		 /* the next one */
	bool has_next;
};

/* What a data source has of a CPU. */
struct bundle_stream {
	const struct lane_pf_part *part;
	struct lane_account *account;
	size_t taken; /* of its bundles */
	uint8_t *bytes;
	size_t cap_bytes;
	struct bundle_event *entries;
	size_t n_entries, at_entry, cap_entries;
	struct lane_proto lists[LAST_LIST + 1]; /* of its CompactSched: what is not taken yet */
	struct bundle_times times[IS_NONE];	/* by enum what */
	bool has_sched;
	struct bundle_name *names;
	size_t n_names, cap_names;
	uint64_t last_ns;	/* of the event before, of whatever kind */
	bool has_last, is_lost; /* the latter: a bundle, up to the next one */
	/* Who runs, as the last sched_switch of a CompactSched says, which names no one that
	 * leaves. */
	int32_t tid, prio;
	char comm[LANE_PF_COMM];
	uint64_t lost; /* what is known to be lost of the one loss there is; 0: not known */
	struct lane_merge_stream next;
	struct lane_event event;
	struct lane_event loss; /* the event may have been read already */
};

struct cached {
	uint32_t chunk; /* 0: none */
	uint32_t cap;	/* of `bytes` */
	uint8_t *bytes;
	uint64_t used; /* when */
};

struct trace {
	struct lane_decoder base;
	struct lane_pf_index index;
	struct bundle_stream *streams; /* by part */
	struct lane_account *accounts;
	struct lane_merge merge;	 /* the last stream is that of the threads */
	struct lane_duplicates *doubles; /* where there are several data sources */
	struct lane_merge_stream threads;
	size_t at_thread;
	struct lane_event thread;
	struct cached cached[CACHED];
	uint64_t uses, held, in_cache, unpacked;
	bool has_told_damage;
};

static struct trace *trace_of(struct lane_decoder *decoder)
{
	return (struct trace *)decoder;
}

/* --- the bytes of a bundle --- */

/* Makes room for n things of a list, within what may be held over all CPUs. */
static bool pftrace_reserve(struct trace *trace, void **list, size_t *cap, size_t n, size_t size)
{
	size_t room = *cap, most = room + (HELD_MIB * MIB - trace->held) / size;
	void *bigger;

	if (n <= *cap)
		return true;
	bigger = lane_vector_grow(*list, &room, n, most, size);
	if (!bigger)
		return false;
	trace->held += (room - *cap) * size;
	*list = bigger;
	*cap = room;
	return true;
}

/* A place with memory for a chunk of that size; NULL: there is none. Those that were not used for
 * longest make room, and the memory of one is taken as it is where it is of about that size. */
static struct cached *place_for(struct trace *trace, uint32_t bytes)
{
	for (;;) {
		struct cached *place = NULL, *oldest = NULL;

		for (unsigned int i = 0; i < CACHED; i++) {
			struct cached *it = &trace->cached[i];

			if (!it->bytes)
				place = it;
			else if (!oldest || it->used < oldest->used)
				oldest = it;
		}
		if (place && (!oldest || trace->in_cache + bytes <= CACHED_MIB * MIB)) {
			place->bytes = malloc(bytes);
			if (!place->bytes)
				return NULL;
			place->cap = bytes;
			trace->in_cache += bytes;
			return place;
		}
		if (oldest->cap >= bytes && oldest->cap / 2 <= bytes)
			return oldest;
		trace->in_cache -= oldest->cap;
		free(oldest->bytes);
		*oldest = (struct cached){ 0 };
	}
}

/* The unpacked bytes of a chunk; NULL: they cannot be had. */
static const uint8_t *chunk_bytes(struct trace *trace, uint32_t number)
{
	const struct lane_pf_chunk *chunk = &trace->index.chunks[number - 1];
	LANE_CLEANUP(lane_free) uint8_t *packed = NULL;
	struct cached *place;

	for (unsigned int i = 0; i < CACHED; i++)
		if (trace->cached[i].chunk == number) {
			trace->cached[i].used = ++trace->uses;
			return trace->cached[i].bytes;
		}
	trace->unpacked += chunk->bytes;
	if (trace->unpacked > TIMES * trace->index.unpacked)
		return NULL;
	place = place_for(trace, chunk->bytes);
	packed = malloc(chunk->packed);
	if (!place || !packed)
		return NULL;
	place->chunk = 0;
	place->used = 0;
	if (!decode_read_at(trace->base.fd, chunk->at, packed, chunk->packed) ||
	    !decode_unpack(chunk->packing, packed, chunk->packed, place->bytes, chunk->bytes))
		return NULL;
	place->chunk = number;
	place->used = ++trace->uses;
	return place->bytes;
}

/* --- a bundle --- */

static bool add_entry(struct trace *trace, struct bundle_stream *stream, struct bundle_event entry)
{
	if (!pftrace_reserve(trace, (void **)&stream->entries, &stream->cap_entries,
			     stream->n_entries + 1, sizeof(entry)))
		return false;
	stream->entries[stream->n_entries++] = entry;
	return true;
}

static bool add_name(struct trace *trace, struct bundle_stream *stream,
		     const struct lane_proto_field *name)
{
	if (!pftrace_reserve(trace, (void **)&stream->names, &stream->cap_names,
			     stream->n_names + 1, sizeof(*stream->names)))
		return false;
	stream->names[stream->n_names++] =
		(struct bundle_name){ .at = (uint32_t)(name->bytes - stream->bytes),
				      .n = (uint32_t)name->n };
	return true;
}

/* The first time of a list is as it is, each next one is told from the one before. */
static void next_time(struct bundle_times *times)
{
	uint64_t step;

	times->has_next = decode_proto_number(&times->steps, &step);
	times->ns += times->has_next ? step : 0;
}

/* False: the list is damaged. */
static bool begin_times(struct bundle_times *times, struct lane_proto numbers)
{
	uint64_t ns = 0, step;

	*times = (struct bundle_times){ .steps = numbers };
	while (decode_proto_number(&numbers, &step))
		if (__builtin_add_overflow(ns, step, &ns))
			return false;
	next_time(times);
	return !numbers.is_damaged;
}

/* The lists of the bundle's CompactSched, of which there is one; each is packed, as Perfetto writes
 * it. */
static bool add_sched(struct trace *trace, struct bundle_stream *stream, struct lane_proto message)
{
	struct lane_proto_field field;

	if (stream->has_sched)
		return false;
	stream->has_sched = true;
	while (decode_proto_next(&message, &field)) {
		if (field.number == NAMES && field.is_bytes) {
			if (!add_name(trace, stream, &field))
				return false;
		} else if (field.number <= LAST_LIST && field.is_bytes) {
			stream->lists[field.number] = decode_proto_in(&field);
		}
	}
	return !message.is_damaged &&
	       begin_times(&stream->times[IS_SWITCH], stream->lists[SWITCH_NS]) &&
	       begin_times(&stream->times[IS_WAKING], stream->lists[WAKING_NS]);
}

LANE_ORDER(compare_entries, struct bundle_event, LANE_UP(ns) ?: LANE_UP(at))

/* Most bundles have their events in order. False: there is no room for sorting. */
static bool order_entries(struct trace *trace, struct bundle_stream *stream)
{
	size_t i = 1;

	while (i < stream->n_entries && stream->entries[i - 1].ns <= stream->entries[i].ns)
		i++;
	if (i >= stream->n_entries)
		return true;
	if (trace->held + stream->n_entries * sizeof(*stream->entries) > HELD_MIB * MIB)
		return false;
	LANE_SORT(stream->entries, stream->n_entries, compare_entries);
	return true;
}

/* Finds the events of the bundle whose bytes are there; false: it is damaged. */
static bool find_entries(struct trace *trace, struct bundle_stream *stream, size_t n)
{
	struct lane_proto message = decode_proto_of(stream->bytes, n);
	struct lane_proto_field field, part;

	while (decode_proto_next(&message, &field)) {
		struct lane_proto event = decode_proto_in(&field);
		struct bundle_event entry = { 0 };

		if (field.number == BUNDLE_SCHED && field.is_bytes &&
		    !add_sched(trace, stream, event))
			return false;
		if (field.number != BUNDLE_EVENT || !field.is_bytes)
			continue;
		while (!entry.ns && decode_proto_next(&event, &part))
			if (part.number == EVENT_TIMESTAMP && !part.is_bytes)
				entry.ns = part.value;
		entry.at = (uint32_t)(field.bytes - stream->bytes);
		entry.n = (uint32_t)field.n;
		if (event.is_damaged || !add_entry(trace, stream, entry))
			return false;
	}
	return !message.is_damaged && order_entries(trace, stream);
}

/* What comes next of the bundle, and when. */
static enum what next_what(const struct bundle_stream *stream, uint64_t *ns)
{
	enum what next = IS_NONE;

	if (stream->at_entry < stream->n_entries) {
		next = IS_EVENT;
		*ns = stream->entries[stream->at_entry].ns;
	}
	for (enum what what = IS_WAKING; what < IS_NONE; what++) {
		const struct bundle_times *times = &stream->times[what];

		if (times->has_next && (next == IS_NONE || times->ns < *ns)) {
			next = what;
			*ns = times->ns;
		}
	}
	return next;
}

/* Nothing of a bundle is left. */
static void empty_bundle(struct bundle_stream *stream)
{
	stream->n_entries = stream->at_entry = stream->n_names = 0;
	stream->has_sched = false;
	memset(stream->lists, 0, sizeof(stream->lists));
	memset(stream->times, 0, sizeof(stream->times));
}

/* The one thing that is told of damage in bundles. */
static struct lane_error *bad_bundle(struct trace *trace, const struct lane_pf_bundle *bundle,
				     const char *why)
{
	uint64_t at = bundle->chunk ? trace->index.chunks[bundle->chunk - 1].at : bundle->at;

	if (trace->has_told_damage)
		return NULL;
	trace->has_told_damage = true;
	return lane_error("%s: CPU %u: byte %" PRIu64 ": %s (further ones are not told)",
			  trace->base.path, bundle->cpu, at, why);
}

/* What was lost between the event before and ns; count 0: that many are not known. */
static void add_loss(struct trace *trace, struct bundle_stream *stream, uint64_t ns, uint64_t count)
{
	struct lane_lost_time loss = { .count = count, .end_ns = ns };

	if (stream->has_last && ns < stream->last_ns)
		loss.end_ns = stream->last_ns;
	loss.begin_ns = stream->has_last ? stream->last_ns : trace->index.first_ns;
	if (loss.begin_ns > loss.end_ns)
		loss.begin_ns = loss.end_ns;
	if (!decode_lost_is_possible(loss.count, loss.begin_ns, loss.end_ns))
		loss.count = 0;
	stream->tid = -1;
	decode_losses_add(&stream->next.losses, loss);
}

/* The number of the one loss that the kernel counts. */
static uint64_t take_count(struct bundle_stream *stream)
{
	uint64_t count = stream->lost;

	stream->lost = 0;
	return count;
}

/* Whether events are missing before a bundle, as it or the one before it says. */
static bool is_lost_before(const struct bundle_stream *stream, const struct lane_pf_bundle *bundle)
{
	if (bundle->is_lost)
		return true;
	return bundle->before_ns && bundle->before_ns < bundle->first_ns &&
	       (!stream->has_last || bundle->before_ns > stream->last_ns);
}

/* Goes to the part's next bundle; its events are found. */
static struct lane_error *next_bundle(struct trace *trace, struct bundle_stream *stream)
{
	const struct lane_pf_bundle *bundle =
		&trace->index.bundles[stream->part->first + stream->taken++];
	const uint8_t *chunk = NULL;
	struct lane_error *err = NULL;
	bool is_there;

	if (lane_stop_signal)
		return lane_error("interrupted");
	empty_bundle(stream);
	if (!pftrace_reserve(trace, (void **)&stream->bytes, &stream->cap_bytes, bundle->bytes,
			     1)) {
		err = bad_bundle(trace, bundle, "the bundles of all CPUs together are too large");
		stream->is_lost = true;
		return err;
	}
	if (bundle->chunk)
		chunk = chunk_bytes(trace, bundle->chunk);
	if (chunk)
		memcpy(stream->bytes, chunk + bundle->at, bundle->bytes);
	is_there = bundle->chunk ? chunk != NULL
				 : decode_read_at(trace->base.fd, bundle->at, stream->bytes,
						  bundle->bytes);
	if (stream->is_lost)
		add_loss(trace, stream, bundle->first_ns, 0);
	else if (is_lost_before(stream, bundle))
		add_loss(trace, stream, bundle->first_ns, take_count(stream));
	stream->is_lost = false;
	if (!is_there || !find_entries(trace, stream, bundle->bytes)) {
		empty_bundle(stream);
		stream->is_lost = true;
		err = bad_bundle(trace, bundle, "a bundle of events is damaged");
	}
	return err;
}

/* --- events --- */

/* The next number of a list of a CompactSched. What a list that is not there says is otherwise; one
 * that ends before the times do is damaged. */
static int64_t pftrace_take(struct bundle_stream *stream, unsigned int list, int64_t otherwise,
			    bool *is_damaged)
{
	uint64_t value;

	if (!stream->lists[list].end)
		return otherwise;
	if (decode_proto_number(&stream->lists[list], &value))
		return (int64_t)value;
	*is_damaged = true;
	return otherwise;
}

static void pftrace_take_name(struct bundle_stream *stream, unsigned int list, char *name,
			      bool *is_damaged)
{
	int64_t number = pftrace_take(stream, list, -1, is_damaged);

	if (number >= 0 && (uint64_t)number < stream->n_names)
		decode_pf_text(
			&(struct lane_proto_field){
				.bytes = stream->bytes + stream->names[number].at,
				.n = stream->names[number].n,
			},
			name, LANE_PF_COMM);
	else
		*is_damaged |= stream->lists[list].end != NULL;
}

static enum lane_pf_read take_switch(struct bundle_stream *stream)
{
	struct lane_p_sched_switch *to = &stream->event.u.sched_switch;
	bool is_damaged = false;

	decode_event_clear(&stream->event, LANE_SWITCH);
	to->prev_state = pftrace_take(stream, SWITCH_STATE, LANE_STATE_UNKNOWN, &is_damaged);
	/* The name it has now nobody says: it may have another one since it came. */
	to->prev_tid = stream->tid;
	to->prev_prio = stream->tid >= 0 ? stream->prio : 0;
	to->next_tid = (int32_t)pftrace_take(stream, SWITCH_TID, -1, &is_damaged);
	to->next_prio = (int32_t)pftrace_take(stream, SWITCH_PRIO, 0, &is_damaged);
	pftrace_take_name(stream, SWITCH_NAME, to->next_comm, &is_damaged);
	stream->event.wire.tid = stream->tid;
	stream->tid = to->next_tid;
	stream->prio = to->next_prio;
	return is_damaged ? LANE_PF_DAMAGED : LANE_PF_EVENT;
}

static enum lane_pf_read take_waking(struct bundle_stream *stream)
{
	struct lane_p_sched_waking *to = &stream->event.u.sched_waking;
	bool is_damaged = false;

	decode_event_clear(&stream->event, LANE_WAKING);
	to->tid = (int32_t)pftrace_take(stream, WAKING_TID, -1, &is_damaged);
	to->target_cpu = (uint32_t)pftrace_take(stream, WAKING_CPU, LANE_CPU_UNKNOWN, &is_damaged);
	to->prio = (int32_t)pftrace_take(stream, WAKING_PRIO, 0, &is_damaged);
	pftrace_take_name(stream, WAKING_NAME, to->comm, &is_damaged);
	stream->event.wire.tid = stream->tid;
	return is_damaged ? LANE_PF_DAMAGED : LANE_PF_EVENT;
}

/* A switch that comes as an event of its own says who runs then, too. */
static void follow_switch(struct bundle_stream *stream)
{
	const struct lane_p_sched_switch *sw = &stream->event.u.sched_switch;

	if (stream->event.wire.kind != LANE_SWITCH)
		return;
	stream->tid = sw->next_tid;
	stream->prio = sw->next_prio;
}

static enum lane_pf_read pftrace_take_event(struct trace *trace, struct bundle_stream *stream)
{
	const struct bundle_event *entry = &stream->entries[stream->at_entry++];

	return decode_pf_event_read(&trace->index.plans,
				    decode_proto_of(stream->bytes + entry->at, entry->n),
				    &stream->event);
}

/* Takes the next event of the bundle, which is this one at ns. */
static struct lane_error *take_next(struct trace *trace, struct bundle_stream *stream,
				    enum what what, uint64_t ns)
{
	const struct lane_pf_bundle *bundle =
		&trace->index.bundles[stream->part->first + stream->taken - 1];
	enum lane_pf_read how = LANE_PF_EVENT;
	struct lane_error *err = NULL;

	stream->account->events++;
	if (what == IS_SWITCH)
		how = take_switch(stream);
	else if (what == IS_WAKING)
		how = take_waking(stream);
	else
		how = pftrace_take_event(trace, stream);
	if (what != IS_EVENT)
		next_time(&stream->times[what]);
	if (how == LANE_PF_DAMAGED)
		err = bad_bundle(trace, bundle, "an event is damaged");
	else if (stream->has_last && ns < stream->last_ns)
		err = bad_bundle(trace, bundle, "time goes back");
	if (how == LANE_PF_DAMAGED || (stream->has_last && ns < stream->last_ns)) {
		add_loss(trace, stream, ns, 1);
		return err;
	}
	stream->last_ns = ns;
	stream->has_last = true;
	stream->account->end_ns = ns;
	if (how == LANE_PF_OTHER) {
		trace->base.skipped++;
		return NULL;
	}
	if (what == IS_EVENT)
		follow_switch(stream);
	stream->event.wire.ts_ns = stream->next.event_ns = ns;
	stream->event.wire.origin = LANE_ORIGIN_TRACEPOINT;
	stream->event.cpu = (int32_t)bundle->cpu;
	stream->next.has_event = true;
	return NULL;
}

/* What was lost behind the last event. */
static void end_stream(struct trace *trace, struct bundle_stream *stream)
{
	const struct lane_pf_part *part = stream->part;

	if (stream->is_lost)
		add_loss(trace, stream, stream->last_ns, 0);
	else if (part->is_lost || stream->lost)
		add_loss(trace, stream, stream->last_ns, take_count(stream));
	stream->account->is_damaged = trace->index.is_cut;
	stream->taken = part->n + 1;
}

static struct lane_error *find_event(struct trace *trace, struct bundle_stream *stream)
{
	struct lane_error *err = NULL;
	enum what what;
	uint64_t ns;

	while (!err && !stream->next.has_event && stream->taken <= stream->part->n) {
		what = next_what(stream, &ns);
		if (what != IS_NONE)
			err = take_next(trace, stream, what, ns);
		else if (stream->taken < stream->part->n)
			err = next_bundle(trace, stream);
		else
			end_stream(trace, stream);
	}
	return err;
}

/* The threads that process trees tell. */
static void find_thread(struct trace *trace)
{
	struct lane_p_lttng_statedump_process_state *state =
		&trace->thread.u.lttng_statedump_process_state;
	const struct lane_pf_thread *thread;

	trace->threads.has_event = trace->at_thread < trace->index.n_threads;
	if (!trace->threads.has_event)
		return;
	thread = &trace->index.threads[trace->at_thread++];
	decode_event_clear(&trace->thread, LANE_STATEDUMP);
	state->tid = state->vtid = thread->tid;
	state->pid = state->vpid = thread->pid;
	state->ppid = state->vppid = thread->ppid;
	memcpy(state->name, thread->name, sizeof(thread->name));
	trace->thread.wire.ts_ns = trace->threads.event_ns = thread->ns;
	trace->thread.wire.tid = thread->tid;
	trace->thread.wire.pid = thread->pid;
	trace->thread.wire.origin = LANE_ORIGIN_SNAPSHOT;
}

/* --- the decoder --- */

static struct lane_merge_stream *pftrace_merge_stream(void *arg, uint32_t index)
{
	struct trace *trace = arg;

	return index < trace->index.n_parts ? &trace->streams[index].next : &trace->threads;
}

static struct lane_error *pftrace_merge_find(void *arg, uint32_t index)
{
	struct trace *trace = arg;
	struct bundle_stream *stream;

	if (index == trace->index.n_parts) {
		find_thread(trace);
		return NULL;
	}
	stream = &trace->streams[index];
	stream->next.has_event = false;
	return find_event(trace, stream);
}

static struct lane_error *trace_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct trace *trace = trace_of(decoder);
	struct bundle_stream *stream;
	struct lane_error *err;
	uint32_t index;
	bool is_loss;

	*result = NULL;
	if (trace->index.err) {
		trace->has_told_damage = true;
		return LANE_TAKE(trace->index.err);
	}
	do {
		err = decode_merge_next(&trace->merge, &index, &is_loss);
		if (err || index == trace->merge.n)
			return err;
		if (index == trace->index.n_parts) {
			*result = &trace->thread;
			return NULL;
		}
		stream = &trace->streams[index];
	} while (!is_loss && trace->doubles &&
		 decode_duplicates_has(trace->doubles, &stream->event, stream->part->source));
	if (is_loss)
		decode_losses_take(&stream->next.losses, stream->account, stream->account->cpu,
				   &stream->loss);
	*result = is_loss ? &stream->loss : &stream->event;
	return NULL;
}

static void trace_end(struct lane_decoder *decoder)
{
	struct trace *trace = trace_of(decoder);

	for (uint32_t i = 0; trace->streams && i < trace->index.n_parts; i++) {
		free(trace->streams[i].bytes);
		free(trace->streams[i].entries);
		free(trace->streams[i].names);
	}
	for (unsigned int i = 0; i < CACHED; i++)
		free(trace->cached[i].bytes);
	decode_pf_index_deinit(&trace->index);
	decode_merge_deinit(&trace->merge);
	decode_duplicates_destroy(trace->doubles);
	free(trace->streams);
	free(trace->accounts);
}

/* What the kernel counts as lost of a CPU, where it was lost at one time. Two data sources tell of
 * one loss twice. */
static uint64_t counted(const struct lane_pf_index *index, const struct lane_pf_part *part)
{
	const struct lane_pf_cpu *cpu = &index->cpus[part->cpu];
	unsigned int n = part->is_lost;

	for (size_t i = 0; i < part->n; i++)
		n += index->bundles[part->first + i].is_lost;
	if (n > 1 || cpu->n_parts > 1 || !cpu->has_begin || !cpu->has_end ||
	    cpu->lost_end < cpu->lost_begin)
		return 0;
	return cpu->lost_end - cpu->lost_begin;
}

static struct lane_error *trace_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	struct trace *trace = trace_of(decoder);
	struct lane_error *err;
	size_t n;

	trace->base.info = &trace->index.info;
	trace->merge.arg = trace;
	trace->merge.stream = pftrace_merge_stream;
	trace->merge.find = pftrace_merge_find;
	err = decode_pf_index_read(decoder->path, decoder->fd, names, &trace->index);
	if (err)
		return err;
	n = trace->index.n_parts;
	trace->streams = calloc(n + 1, sizeof(*trace->streams));
	trace->accounts = calloc(n + 1, sizeof(*trace->accounts));
	if (trace->index.n_sources > 1)
		trace->doubles = decode_duplicates_create(0); /* of one ring */
	if (!trace->streams || !trace->accounts ||
	    (trace->index.n_sources > 1 && !trace->doubles) ||
	    !decode_merge_init(&trace->merge, (uint32_t)n + 1))
		return &lane_enomem;
	trace->base.accounts = trace->accounts;
	trace->base.n_accounts = n;
	for (size_t i = 0; i < n; i++) {
		struct bundle_stream *stream = &trace->streams[i];

		stream->part = &trace->index.parts[i];
		stream->account = &trace->accounts[i];
		stream->account->cpu = (int32_t)stream->part->cpu;
		stream->tid = -1;
		stream->lost = counted(&trace->index, stream->part);
	}
	return NULL;
}

/*
 * The first packet, which is whole, and behind it another one or the end. A text may begin as a
 * packet does, with an empty line.
 */
static bool trace_probe(const char *path)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	LANE_CLEANUP(lane_drop_error)
	struct lane_error *err = lane_file_open(AT_FDCWD, path, path, &fd);
	uint8_t head[4096];
	struct lane_proto file, packet;
	struct lane_proto_field field;
	ssize_t n;
	uint64_t key, bytes;

	if (err)
		return false;
	n = read(fd, head, sizeof(head));
	if (n <= 2 || head[0] != (1 << 3 | 2))
		return false;
	file = decode_proto_of(head, (size_t)n);
	if (!decode_proto_number(&file, &key) || !decode_proto_number(&file, &bytes) || !bytes)
		return false;
	if (bytes > (size_t)(file.end - file.at))
		return n == sizeof(head) && (file.at[0] & 7) <= 2; /* a large one */
	packet = decode_proto_of(file.at, (size_t)bytes);
	while (decode_proto_next(&packet, &field))
		;
	file.at += bytes;
	return !packet.is_damaged && (file.at == file.end || *file.at == (1 << 3 | 2));
}

const struct lane_format lane_format_perfetto = {
	.name = "perfetto",
	.help = "Perfetto's traces with ftrace events",
	.probe = trace_probe,
	.bytes = sizeof(struct trace),
	.begin = trace_begin,
	.next = trace_next,
	.end = trace_end,
};
