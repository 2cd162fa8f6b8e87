// SPDX-License-Identifier: MIT
// Reads perf's perf.data: samples of tracepoints, in time order, and what was lost.
#include "decode/perf_data.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/vector.h"
#include "decode/call_chain.h"

/* PERF_RECORD_*; from 64 on perf's own */
enum {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_LOST_SAMPLES = 13,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_HEADER_FEATURE = 80,
};

enum {
	MAX_CPUS = 8192,
	MISC_LOST_BY_BPF = 1 << 15, /* a filter has left them out: they are not lost */
	MMAP_BYTES = 32,	    /* ahead of the path */
	MMAP2_BYTES = 64,
	MISC_MMAP_DATA = 1 << 13, /* no code */
	MISC_COMM_EXEC = 1 << 13,
	MISC_MMAP_BUILD_ID = 1 << 14,
};

struct perf {
	struct lane_decoder base;
	struct lane_perf_head head;
	struct lane_perf_records *records;
	struct lane_perf_order *order;
	struct lane_perf_record pending; /* what was read when the head of a pipe was at its end */
	bool has_pending;
	bool has_ended;
	struct lane_error *err; /* to be told behind the events before it */
	uint64_t *last_ns;	/* by CPU */
	uint64_t first_ns;	/* of the first sample */
	uint64_t lost_in_all;	/* as perf record counts at its end, by event */
	uint32_t last_cpus;
	struct lane_account account;
	struct lane_event event;
	struct lane_call_chains stacks; /* of call chains */
	struct lane_event after;	/* its stack comes first */
	bool has_event;			/* `after` is one */
	/* where one program was recorded: */
	uint64_t told_ns; /* of the event before; 0: there is none */
	bool has_told_of_one;
	/* where buffers are overwritten: */
	uint64_t begun[(MAX_CPUS + 63) / 64]; /* CPUs whose first event was handed out */
	uint64_t begin_ns;		      /* the first event of all */
	struct lane_event loss;		      /* handed out before `event`, */
	bool is_behind_loss;		      /* which is still to come */
};

static struct perf *perf_of(struct lane_decoder *decoder)
{
	return (struct perf *)decoder;
}

static struct lane_error *bad_record(const struct perf *perf, const struct lane_perf_record *record,
				     const char *why)
{
	return lane_error("%s: byte %" PRIu64 ": %s", perf->base.path, record->at, why);
}

static struct lane_error *add_with(struct perf *perf, const struct lane_event *event,
				   const void *more, size_t n_more)
{
	return decode_perf_order_add(perf->order, event, more, n_more) ? NULL : &lane_enomem;
}

static struct lane_error *perf_data_add(struct perf *perf, const struct lane_event *event)
{
	return add_with(perf, event, NULL, 0);
}

/* The place of a CPU's last time; NULL: it is no CPU, or there is no memory. */
static uint64_t *last_of(struct perf *perf, int32_t cpu)
{
	if (cpu < 0 || cpu >= MAX_CPUS)
		return NULL;
	if (!LANE_GROW(perf->last_ns, perf->last_cpus, (size_t)cpu + 1))
		return NULL;
	return &perf->last_ns[cpu];
}

/* The event a sample is of; NULL: nobody knows. */
static const struct lane_perf_attr *attr_of(const struct perf *perf,
					    const struct lane_perf_record *record)
{
	const struct lane_perf_head *head = &perf->head;
	uint64_t id;

	if (head->n_attrs == 1)
		return head->attrs;
	if (!decode_perf_sample_id(head->attrs[0].sample_type, record->data, record->bytes, &id))
		return NULL;
	return decode_perf_head_find(head, id);
}

/* PERF_CONTEXT_*: whose the addresses behind it are. */
#define CONTEXT_FIRST ((uint64_t)-4095)
#define CONTEXT_USER  ((uint64_t)-512)

/*
 * The program's part of a call chain: the event that goes ahead of the sample's, and the frames
 * that have not been told. Which function lies at an address of the kernel's the file does not say.
 */
static struct lane_error *take_chain(struct perf *perf, const uint8_t *chain, size_t bytes)
{
	bool is_look = perf->event.wire.kind == LANE_STACK;
	uint32_t why = is_look ? LANE_STACK_RUNS : decode_call_chain_why(&perf->event);
	struct lane_p_gpulane_stack_frame frame;
	bool is_program = false;
	uint64_t address;

	for (size_t i = 0; why && i + sizeof(address) <= bytes; i += sizeof(address)) {
		memcpy(&address, chain + i, sizeof(address));
		if (address >= CONTEXT_FIRST) {
			is_program = address == CONTEXT_USER;
			continue;
		}
		if (!is_program)
			continue;
		decode_perf_maps_frame(&perf->head.maps, perf->event.wire.pid, address, &frame);
		decode_call_chain_add(&perf->stacks, &frame, false);
	}
	perf->after = perf->event;
	perf->has_event = !is_look;
	return decode_call_chain_end(&perf->stacks, &perf->event, why) ? NULL : &lane_enomem;
}

/* A thread is looked at: where it is is all that there is of it. */
static struct lane_error *take_look(struct perf *perf, const struct lane_perf_sample *sample)
{
	struct lane_event *event = &perf->event;

	decode_event_clear(event, LANE_STACK);
	event->wire.ts_ns = sample->ns;
	event->wire.tid = sample->tid;
	event->wire.pid = sample->pid;
	event->wire.origin = LANE_ORIGIN_TRACEPOINT;
	event->cpu = sample->cpu < 0 || sample->cpu >= MAX_CPUS ? -1 : sample->cpu;
	return add_with(perf, event, sample->chain, 8 * (size_t)sample->n_chain);
}

static struct lane_error *take_sample(struct perf *perf, const struct lane_perf_record *record)
{
	const struct lane_perf_attr *attr = attr_of(perf, record);
	struct lane_event *event = &perf->event;
	struct lane_perf_sample sample;
	uint64_t *last_ns;

	if (!attr)
		return bad_record(perf, record, "a sample of an event that nobody asked for");
	perf->account.events++;
	if (!decode_perf_sample_read(attr, record->data, record->bytes, &sample))
		return bad_record(perf, record, "a sample is cut off or damaged");
	last_ns = last_of(perf, sample.cpu);
	if (last_ns)
		*last_ns = sample.ns;
	if (!perf->first_ns)
		perf->first_ns = sample.ns;
	if (!attr->plan && attr->is_clock && sample.n_chain && sample.ns && sample.tid >= 0)
		return take_look(perf, &sample);
	if (!attr->plan) {
		perf->base.skipped++;
		return NULL;
	}
	if (sample.raw_bytes < LANE_RECORD_BYTES ||
	    decode_tracepoint_id(sample.raw) != (attr->plan->id & 0xffff) ||
	    !decode_tracepoint_read(attr->plan, sample.raw, sample.raw_bytes, event))
		return bad_record(perf, record, "the fields of an event are cut off or damaged");
	event->wire.ts_ns = sample.ns;
	event->cpu = sample.cpu < 0 || sample.cpu >= MAX_CPUS ? -1 : sample.cpu;
	if (sample.tid == event->wire.tid)
		event->wire.pid = sample.pid;
	return add_with(perf, event, sample.chain, 8 * (size_t)sample.n_chain);
}

/* What says where files lie waits with the events: its time counts, not its place in the file. */
static struct lane_error *put_off(struct perf *perf, const struct lane_perf_record *record,
				  size_t least)
{
	struct lane_perf_sample sample;
	struct lane_event event = { .wire = { .kind = LANE_PERF_NO_EVENT } };

	if (!perf->head.has_chains)
		return NULL;
	if (record->bytes < least)
		return bad_record(perf, record, "it is cut off");
	decode_perf_trailer_read(perf->head.attrs, record->data, record->bytes, &sample);
	event.wire.ts_ns = sample.ns;
	event.wire.tid = (int32_t)record->type;
	event.wire.pid = record->misc;
	return add_with(perf, &event, record->data, record->bytes);
}

/* A file, or memory without one, becomes a part of a process's memory: pid, tid, address, length
 * and the offset in the file; of RECORD_MMAP2 the inode or the build id, and two words. */
static bool take_mmap(struct lane_perf_maps *maps, uint32_t type, uint32_t misc,
		      const uint8_t *data, size_t bytes)
{
	size_t path = type == RECORD_MMAP ? MMAP_BYTES : MMAP2_BYTES;
	const char *name = (const char *)data + path;
	uint64_t is[3]; /* address, length, offset */
	size_t n = 0;	/* bytes of its build id */
	int32_t pid;

	memcpy(&pid, data, sizeof(pid));
	memcpy(is, data + 8, sizeof(is));
	if (pid < 0 || misc & MISC_MMAP_DATA) /* the kernel's */
		return true;
	if (type == RECORD_MMAP2 && misc & MISC_MMAP_BUILD_ID)
		n = data[32] < 20 ? data[32] : 20;
	return decode_perf_maps_add(maps, pid, is[0], is[1], is[2], name, bytes - path, data + 36,
				    n);
}

/* The time of such a record has come. False: no memory. */
static bool take_put_off(struct perf *perf, const uint8_t *data, size_t bytes)
{
	uint32_t type = (uint32_t)perf->event.wire.tid, misc = (uint32_t)perf->event.wire.pid;
	struct lane_perf_maps *maps = &perf->head.maps;
	int32_t is[4]; /* pid and the parent's, tid and the parent's */

	if (type == RECORD_MMAP || type == RECORD_MMAP2)
		return take_mmap(maps, type, misc, data, bytes);
	memcpy(is, data, type == RECORD_COMM ? 8 : sizeof(is)); /* of RECORD_LOST any */
	if (type == RECORD_FORK)
		return decode_perf_maps_fork(maps, is[0], is[1]);
	if (type == RECORD_LOST)
		decode_perf_maps_forget(maps);
	if (type == RECORD_COMM || is[0] == is[2]) /* it executes another program, or ends */
		decode_perf_maps_drop(maps, is[0]);
	return true;
}

/* Lost: between the record of that CPU before and this one. */
static struct lane_error *take_lost(struct perf *perf, const struct lane_perf_record *record)
{
	size_t at = record->type == RECORD_LOST ? 8 : 0; /* behind the event's id */
	struct lane_event *event = &perf->event;
	struct lane_perf_sample sample;
	struct lane_error *err;
	uint64_t count, *last_ns;

	if (record->bytes < at + sizeof(count))
		return bad_record(perf, record, "a record of lost events is cut off");
	memcpy(&count, record->data + at, sizeof(count));
	if (!count || record->misc & MISC_LOST_BY_BPF)
		return NULL;
	decode_perf_trailer_read(perf->head.attrs, record->data + at + 8, record->bytes - at - 8,
				 &sample);
	if (record->type == RECORD_LOST_SAMPLES && !sample.ns) {
		/* perf record's own, at its end: what LOST has told is in it. */
		perf->lost_in_all += count;
		return NULL;
	}
	last_ns = last_of(perf, sample.cpu);
	decode_event_clear(event, LANE_LOST);
	event->cpu = event->u.gpulane_lost.lost_cpu = last_ns ? sample.cpu : -1;
	event->wire.ts_ns = sample.ns;
	event->u.gpulane_lost.end_ns = sample.ns;
	event->u.gpulane_lost.begin_ns = last_ns && *last_ns < sample.ns ? *last_ns : sample.ns;
	if (!decode_lost_is_possible(count, event->u.gpulane_lost.begin_ns, sample.ns))
		count = 0;
	event->u.gpulane_lost.count = count;
	perf->account.lost += count;
	perf->account.lost_uncounted |= !count;
	err = record->type == RECORD_LOST ? put_off(perf, record, 16) : NULL;
	return err ? err : perf_data_add(perf, event);
}

/* What is counted as lost and no record tells was lost somewhere. */
static struct lane_error *add_rest(struct perf *perf)
{
	struct lane_event *event = &perf->event;
	struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;

	if (perf->lost_in_all <= perf->account.lost || perf->account.lost_uncounted)
		return NULL;
	decode_event_clear(event, LANE_LOST);
	lost->lost_cpu = -1;
	lost->end_ns = event->wire.ts_ns = decode_perf_order_last(perf->order);
	lost->begin_ns = perf->first_ns < lost->end_ns ? perf->first_ns : lost->end_ns;
	lost->count = perf->lost_in_all - perf->account.lost;
	if (!decode_lost_is_possible(lost->count, lost->begin_ns, lost->end_ns))
		lost->count = 0;
	perf->account.lost += lost->count;
	return perf_data_add(perf, event);
}

/* The name of a thread, and its process: of those that were there before with the time 0. */
static struct lane_error *take_comm(struct perf *perf, const struct lane_perf_record *record)
{
	struct lane_event *event = &perf->event;
	struct lane_p_lttng_statedump_process_state *state =
		&event->u.lttng_statedump_process_state;
	struct lane_perf_sample sample;
	size_t n;

	if (record->bytes < 8)
		return bad_record(perf, record, "the name of a thread is cut off");
	decode_event_clear(event, LANE_STATEDUMP);
	memcpy(&state->pid, record->data, 4);
	memcpy(&state->tid, record->data + 4, 4);
	n = strnlen((const char *)record->data + 8, record->bytes - 8);
	memcpy(state->name, record->data + 8, n < sizeof(state->name) ? n : sizeof(state->name));
	state->vtid = state->tid;
	state->vpid = state->pid;
	decode_perf_trailer_read(perf->head.attrs, record->data + 8 + n, record->bytes - 8 - n,
				 &sample);
	event->wire.ts_ns = sample.ns;
	event->wire.tid = state->tid;
	event->wire.pid = state->pid;
	event->wire.origin = LANE_ORIGIN_SNAPSHOT;
	event->cpu = sample.ns && last_of(perf, sample.cpu) ? sample.cpu : -1;
	return perf_data_add(perf, event);
}

static struct lane_error *take_record(struct perf *perf, const struct lane_perf_record *record)
{
	struct lane_error *err;
	uint64_t bytes;

	switch (record->type) {
	case RECORD_SAMPLE:
		return take_sample(perf, record);
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		return take_lost(perf, record);
	case RECORD_COMM:
		err = record->misc & MISC_COMM_EXEC ? put_off(perf, record, 8) : NULL;
		return err ? err : take_comm(perf, record);
	case RECORD_MMAP:
		return put_off(perf, record, MMAP_BYTES + 1);
	case RECORD_MMAP2:
		return put_off(perf, record, MMAP2_BYTES + 1);
	case RECORD_FORK:
	case RECORD_EXIT:
		return put_off(perf, record, 16);
	case RECORD_HEADER_BUILD_ID:
		return decode_perf_head_build(&perf->head, record->misc, record->data,
					      record->bytes);
	case RECORD_FINISHED_ROUND:
		return decode_perf_order_round(perf->order) ? NULL : &lane_enomem;
	case RECORD_AUXTRACE:
		/* what the processor traced follows, and is no record */
		if (record->bytes < sizeof(bytes))
			return bad_record(perf, record, "it is cut off");
		memcpy(&bytes, record->data, sizeof(bytes));
		if (!decode_perf_records_skip(perf->records, bytes))
			return bad_record(perf, record, "it is cut off");
		return NULL;
	default:
		return NULL;
	}
}

/* Reads on until events are given out, or the end. */
static struct lane_error *perf_data_read_on(struct perf *perf)
{
	struct lane_perf_record record;
	struct lane_error *err = NULL;
	bool more = true;

	if (perf->has_pending)
		record = perf->pending;
	else
		err = decode_perf_records_next(perf->records, &record, &more);
	perf->has_pending = false;
	if (!err && more)
		err = take_record(perf, &record);
	if (!err && more && decode_perf_order_is_full(perf->order) &&
	    !decode_perf_order_flush(perf->order, false))
		err = &lane_enomem;
	if (!err && more)
		return NULL;
	perf->has_ended = true;
	perf->account.is_damaged = err;
	if (!err)
		err = add_rest(perf);
	perf->err = err;
	return decode_perf_order_flush(perf->order, true) ? NULL : &lane_enomem;
}

static void set_loss(struct perf *perf, int32_t cpu, uint64_t begin_ns)
{
	struct lane_p_gpulane_lost *lost = &perf->loss.u.gpulane_lost;

	decode_event_clear(&perf->loss, LANE_LOST);
	perf->loss.cpu = lost->lost_cpu = cpu;
	perf->loss.wire.ts_ns = lost->end_ns = perf->event.wire.ts_ns;
	lost->begin_ns = begin_ns;
	perf->account.lost_uncounted = true;
}

/*
 * What other tasks did, and the interrupts that hit them, is not there: between two events anything
 * may have happened, on any CPU. True: there is such a loss before the event.
 */
static bool misses_others(struct perf *perf)
{
	uint64_t before_ns = perf->told_ns;

	if (!perf->head.is_of_one || !perf->event.wire.ts_ns)
		return false;
	perf->told_ns = perf->event.wire.ts_ns;
	if (!before_ns || before_ns >= perf->told_ns)
		return false;
	set_loss(perf, -1, before_ns);
	return true;
}

/*
 * perf record --overwrite keeps the newest records of each CPU. The event is the first of its CPU:
 * what that CPU recorded since the recording's first event is not there. True: there is such a
 * loss.
 */
static bool begins_late(struct perf *perf)
{
	const struct lane_event *event = &perf->event;
	uint64_t bit;

	if (!perf->head.is_overwriting || event->cpu < 0 || !event->wire.ts_ns)
		return false;
	bit = 1ull << (event->cpu % 64);
	if (perf->begun[event->cpu / 64] & bit)
		return false;
	perf->begun[event->cpu / 64] |= bit;
	if (!perf->begin_ns)
		perf->begin_ns = event->wire.ts_ns;
	if (perf->begin_ns == event->wire.ts_ns)
		return false;
	set_loss(perf, event->cpu, perf->begin_ns);
	return true;
}

/* The next event, its stack ahead of it, into perf->event; *more is false when more has to be read.
 */
static struct lane_error *next_event(struct perf *perf, bool *more)
{
	struct lane_error *err = NULL;
	const uint8_t *data;
	size_t bytes;

	*more = true;
	while (!err) {
		struct lane_event *of_stack = decode_call_chain_next(&perf->stacks);

		if (of_stack || perf->has_event) {
			perf->event = of_stack ? *of_stack : perf->after;
			perf->has_event &= of_stack != NULL;
			return NULL;
		}
		*more = decode_perf_order_next(perf->order, &perf->event, &data, &bytes);
		if (!*more || (!bytes && perf->event.wire.kind != LANE_PERF_NO_EVENT))
			return NULL;
		if (perf->event.wire.kind != LANE_PERF_NO_EVENT)
			err = take_chain(perf, data, bytes);
		else if (!take_put_off(perf, data, bytes))
			err = &lane_enomem;
	}
	return err;
}

static struct lane_error *perf_next(struct lane_decoder *decoder, struct lane_event **event)
{
	struct perf *perf = perf_of(decoder);
	struct lane_error *err;
	bool more;

	*event = NULL;
	if (perf->head.is_of_one && !perf->has_told_of_one) {
		perf->has_told_of_one = true;
		return lane_error("%s: only one program's threads were recorded (perf record -a "
				  "records all)",
				  perf->base.path);
	}
	if (perf->is_behind_loss) {
		perf->is_behind_loss = false;
		*event = &perf->event;
		return NULL;
	}
	for (;;) {
		err = next_event(perf, &more);
		if (err)
			return err;
		if (more)
			break;
		if (perf->has_ended)
			return LANE_TAKE(perf->err);
		err = perf_data_read_on(perf);
		if (err)
			return err;
	}
	if (perf->event.wire.ts_ns > perf->account.end_ns)
		perf->account.end_ns = perf->event.wire.ts_ns;
	perf->is_behind_loss = misses_others(perf) || begins_late(perf);
	*event = perf->is_behind_loss ? &perf->loss : &perf->event;
	return NULL;
}

/* A record of the head of what came through a pipe; *is_head is false when it is none. */
static struct lane_error *take_head(struct perf *perf, const struct lane_perf_record *record,
				    bool *is_head)
{
	struct lane_perf_head *head = &perf->head;
	uint32_t size;
	uint64_t feature, at;
	struct lane_error *err;

	*is_head = true;
	switch (record->type) {
	case RECORD_HEADER_ATTR:
		if (record->bytes < 8)
			return bad_record(perf, record, "what is said of an event is cut off");
		memcpy(&size, record->data + 4, sizeof(size));
		if (size > record->bytes)
			return bad_record(perf, record, "what is said of an event is cut off");
		return decode_perf_head_attr(head, record->data, size, record->data + size,
					     (record->bytes - size) / 8);
	case RECORD_HEADER_TRACING_DATA:
		if (record->bytes < sizeof(size))
			return bad_record(perf, record, "it is cut off");
		memcpy(&size, record->data, sizeof(size));
		at = decode_perf_records_place(perf->records);
		if (!decode_perf_records_skip(perf->records, size))
			return bad_record(perf, record, "the formats of events are cut off");
		err = decode_perf_head_formats(head, at, at + size);
		return err;
	case RECORD_HEADER_FEATURE:
		if (record->bytes < sizeof(feature))
			return bad_record(perf, record, "it is cut off");
		memcpy(&feature, record->data, sizeof(feature));
		decode_perf_head_feature(head, feature, record->data + 8, record->bytes - 8);
		return NULL;
	default:
		*is_head = record->type >= RECORD_HEADER_EVENT_TYPE &&
			   record->type != RECORD_FINISHED_ROUND && record->type != RECORD_AUXTRACE;
		return NULL;
	}
}

static struct lane_error *read_pipe_head(struct perf *perf)
{
	struct lane_error *err;
	bool is_head = true, more;

	while (is_head) {
		err = decode_perf_records_next(perf->records, &perf->pending, &more);
		if (err || !more)
			return err;
		/* Names of threads come before the formats. */
		if (perf->pending.type < RECORD_HEADER_ATTR && !perf->head.has_formats &&
		    perf->pending.type != RECORD_SAMPLE) {
			if (perf->head.n_attrs)
				err = take_record(perf, &perf->pending);
		} else {
			err = take_head(perf, &perf->pending, &is_head);
		}
		if (err)
			return err;
	}
	perf->has_pending = true;
	return NULL;
}

static void perf_end(struct lane_decoder *decoder)
{
	struct perf *perf = perf_of(decoder);

	decode_perf_records_destroy(perf->records);
	decode_perf_order_destroy(perf->order);
	decode_perf_head_deinit(&perf->head);
	decode_call_chains_free(&perf->stacks);
	lane_error_free(perf->err);
	free(perf->last_ns);
}

static struct lane_error *perf_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	struct perf *perf = perf_of(decoder);
	struct lane_error *err;

	perf->base.info = &perf->head.info;
	perf->account.cpu = -1;
	perf->base.accounts = &perf->account;
	perf->base.n_accounts = 1;
	err = decode_perf_head_read(decoder->path, decoder->fd, names, &perf->head);
	if (err)
		return err;
	perf->records = decode_perf_records_create(decoder->path, decoder->fd, perf->head.data_at,
						   perf->head.data_end, perf->head.bytes);
	perf->order = decode_perf_order_create();
	if (!perf->records || !perf->order)
		return &lane_enomem;
	if (perf->head.is_pipe)
		err = read_pipe_head(perf);
	return err ? err : decode_perf_head_done(&perf->head);
}

static bool perf_probe(const char *path)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	LANE_CLEANUP(lane_drop_error)
	struct lane_error *err = lane_file_open(AT_FDCWD, path, path, &fd);
	char head[8];

	return !err && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       (!memcmp(head, "PERFILE2", sizeof(head)) ||
		!memcmp(head, "2ELIFREP", sizeof(head)) || !memcmp(head, "PERFFILE", sizeof(head)));
}

const struct lane_format lane_format_perf_data = {
	.name = "perf.data",
	.help = "perf record's perf.data",
	.probe = perf_probe,
	.bytes = sizeof(struct perf),
	.begin = perf_begin,
	.next = perf_next,
	.end = perf_end,
};
