// SPDX-License-Identifier: MIT
// Reads trace-cmd's trace.dat: the CPUs' pages, in time order.
#include "decode/trace_dat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/stop.h"
#include "decode/bytes.h"
#include "decode/call_chain.h"
#include "decode/duplicates.h"
#include "decode/merge.h"
#include "decode/ring_page.h"

#define MIB (1024ull * 1024)

/*
 * ftrace's own event of the kernel's stack (kernel/trace/trace.h: TRACE_STACK; trace_entries.h:
 * kernel_stack), behind the event whose it is: the head that all have, with the thread, a number of
 * frames, and their addresses, the innermost first.
 */
#define STACK_ID     4
#define STACK_THREAD 4
#define STACK_COUNT  8
#define STACK_BYTES  16

enum {
	READ_BYTES = 32 << 10, /* of pages at a time, where they are not packed */
	CHUNK_BYTES = 4 << 20, /* no chunk of pages is larger, unpacked; trace-cmd packs 10 pages */
	DOUBLE_NS = 100 * 1000 * 1000, /* several buffers record one event within that time: a
					* host may take the CPU from a guest meanwhile */
	HELD_MIB = 128,		       /* chunks in memory, over all streams */
	UNPACKED_MIB = 64, /* what is unpacked in all, besides UNPACKED_RATIO times the file */
	UNPACKED_RATIO = 64,
};

/* One CPU of one buffer. */
struct dat_stream {
	const struct lane_dat_part *part;
	struct lane_account *account;
	uint64_t at; /* in the file: what comes next */
	uint32_t chunks_left;
	bool has_begun;
	uint8_t *chunk;
	size_t chunk_bytes, chunk_cap, chunk_at;
	uint64_t page_place; /* in the file, or of its chunk: for messages */
	struct lane_ring_page page;
	uint64_t last_ns; /* of the event before, of whatever kind */
	bool has_last;
	bool is_dead;
	uint64_t lost; /* told up to now, where that is counted */
	bool lost_uncounted;
	struct lane_merge_stream next;
	struct lane_event event;
	struct lane_event loss; /* the event may have been read already */
	const uint8_t *stack;	/* addresses of the event's, on its page */
	uint32_t n_stack;
};

struct dat {
	struct lane_decoder base;
	struct lane_dat_head head;
	struct dat_stream *streams;
	struct lane_account *accounts;
	struct lane_merge merge;
	uint64_t held, unpacked, first_ns;
	bool is_over; /* more was unpacked than there can be */
	uint8_t *packed;
	size_t packed_cap;
	struct lane_duplicates *doubles; /* where there are several buffers */
	struct lane_call_chains stacks;
	struct lane_kernel_functions functions;
	bool has_functions;	  /* they were looked for */
	struct lane_event *after; /* of the stack that is told; NULL: none is */
};

static struct dat *dat_of(struct lane_decoder *decoder)
{
	return (struct dat *)decoder;
}

static struct lane_error *bad_place(const struct dat *dat, const struct dat_stream *stream,
				    uint64_t at, const char *why)
{
	const char *name = dat->head.buffers[stream->part->buffer].name;

	return lane_error("%s: %s%s%sCPU %d: byte %" PRIu64 ": %s", dat->base.path,
			  *name ? "buffer " : "", name, *name ? ": " : "", stream->part->cpu, at,
			  why);
}

/* A time of the buffer's clock in nanoseconds. */
static uint64_t clock_ns(const struct lane_dat_head *head, uint64_t ticks)
{
	if (!head->tsc_mult)
		return ticks;
	return (uint64_t)(((unsigned __int128)ticks * head->tsc_mult) >> head->tsc_shift) +
	       head->tsc_offset;
}

/* Makes room for a chunk of that many bytes. */
static struct lane_error *trace_dat_reserve(struct dat *dat, struct dat_stream *stream,
					    size_t bytes)
{
	uint8_t *chunk;

	if (bytes <= stream->chunk_cap)
		return NULL;
	if (dat->held - stream->chunk_cap + bytes > HELD_MIB * MIB)
		return bad_place(dat, stream, stream->at,
				 "the pages of all CPUs together are too large");
	chunk = realloc(stream->chunk, bytes);
	if (!chunk)
		return &lane_enomem;
	dat->held += bytes - stream->chunk_cap;
	stream->chunk = chunk;
	stream->chunk_cap = bytes;
	return NULL;
}

/* Reads some pages as they are. */
static struct lane_error *read_plain(struct dat *dat, struct dat_stream *stream)
{
	uint64_t left = stream->part->end - stream->at;
	size_t pages = READ_BYTES / stream->part->page_bytes;
	size_t bytes = (pages ? pages : 1) * stream->part->page_bytes;
	struct lane_error *err;

	if (left < bytes)
		bytes = (size_t)left;
	err = trace_dat_reserve(dat, stream, bytes);
	if (err)
		return err;
	if (!decode_read_at(dat->base.fd, stream->at, stream->chunk, bytes))
		return bad_place(dat, stream, stream->at, "the file cannot be read there");
	stream->page_place = stream->at;
	stream->at += bytes;
	stream->chunk_bytes = bytes;
	return NULL;
}

/* The two sizes before a chunk. */
static struct lane_error *read_sizes(struct dat *dat, struct dat_stream *stream, uint32_t sizes[2])
{
	uint64_t left = stream->part->end - stream->at;

	if (left < 8 || !decode_read_at(dat->base.fd, stream->at, sizes, 8) || sizes[0] > left - 8)
		return bad_place(dat, stream, stream->at, "its compressed pages are cut off");
	if (sizes[1] > CHUNK_BYTES || sizes[0] > 2 * CHUNK_BYTES)
		return bad_place(dat, stream, stream->at, "compressed pages are larger than any");
	dat->unpacked += sizes[1];
	dat->is_over = dat->unpacked > UNPACKED_MIB * MIB + UNPACKED_RATIO * dat->head.bytes;
	if (dat->is_over)
		return bad_place(dat, stream, stream->at,
				 "compressed pages become larger than pages can");
	return NULL;
}

/* Unpacks the next chunk. */
static struct lane_error *read_packed(struct dat *dat, struct dat_stream *stream)
{
	struct lane_error *err;
	uint32_t sizes[2];

	err = read_sizes(dat, stream, sizes);
	if (!err)
		err = trace_dat_reserve(dat, stream, sizes[1]);
	if (err)
		return err;
	if (sizes[0] > dat->packed_cap) {
		uint8_t *packed = realloc(dat->packed, sizes[0]);

		if (!packed)
			return &lane_enomem;
		dat->packed = packed;
		dat->packed_cap = sizes[0];
	}
	if (!decode_read_at(dat->base.fd, stream->at + 8, dat->packed, sizes[0]) ||
	    !decode_unpack(dat->head.packing, dat->packed, sizes[0], stream->chunk, sizes[1]))
		return bad_place(dat, stream, stream->at, "its compressed pages are damaged");
	stream->page_place = stream->at;
	stream->at += 8 + (uint64_t)sizes[0];
	stream->chunk_bytes = sizes[1];
	stream->chunks_left--;
	return NULL;
}

/* Reads further pages; *more is false when there are none. */
static struct lane_error *read_chunk(struct dat *dat, struct dat_stream *stream, bool *more)
{
	const struct lane_dat_part *part = stream->part;

	*more = false;
	stream->chunk_at = stream->chunk_bytes = 0;
	if (lane_stop_signal)
		return lane_error("interrupted");
	if (part->is_packed && !stream->has_begun && stream->at < part->end) {
		if (part->end - stream->at < 4 ||
		    !decode_read_at(dat->base.fd, stream->at, &stream->chunks_left, 4))
			return bad_place(dat, stream, stream->at,
					 "its compressed pages are cut off");
		stream->at += 4;
	}
	stream->has_begun = true;
	if (part->is_packed && dat->is_over) {
		stream->account->is_damaged = true; /* told of the first */
		return NULL;
	}
	*more = part->is_packed ? stream->chunks_left > 0 : stream->at < part->end;
	if (!*more)
		return NULL;
	return part->is_packed ? read_packed(dat, stream) : read_plain(dat, stream);
}

/* What was lost before a page, between the event before it and its first one. */
static void trace_dat_add_loss(struct dat *dat, struct dat_stream *stream, uint64_t count,
			       uint64_t end_ns)
{
	struct lane_lost_time loss = { .count = count, .end_ns = end_ns };

	loss.begin_ns = stream->has_last			  ? stream->last_ns
			: dat->first_ns && dat->first_ns < end_ns ? dat->first_ns
								  : end_ns;
	if (!decode_lost_is_possible(count, loss.begin_ns, loss.end_ns))
		loss.count = 0;
	stream->lost += loss.count;
	stream->lost_uncounted |= !loss.count;
	decode_losses_add(&stream->next.losses, loss);
}

/* Goes to the next page; *more is false when there is none. */
static struct lane_error *next_page(struct dat *dat, struct dat_stream *stream, bool *more)
{
	struct lane_error *err;
	size_t bytes;
	uint64_t ns;

	*more = true;
	while (stream->chunk_at >= stream->chunk_bytes) {
		err = read_chunk(dat, stream, more);
		if (err || !*more)
			return err;
	}
	bytes = stream->chunk_bytes - stream->chunk_at;
	if (bytes > stream->part->page_bytes)
		bytes = stream->part->page_bytes;
	if (!stream->part->is_packed && stream->chunk_at)
		stream->page_place += stream->part->page_bytes;
	if (!decode_ring_page_init(&stream->page, stream->chunk + stream->chunk_at, bytes,
				   dat->head.long_bytes))
		return bad_place(dat, stream, stream->page_place, "the head of a page is damaged");
	stream->chunk_at += bytes;
	ns = clock_ns(&dat->head, stream->page.ts);
	if (stream->has_last && ns < stream->last_ns && stream->page.bytes)
		return bad_place(dat, stream, stream->page_place, "time goes back");
	if (stream->page.missed)
		trace_dat_add_loss(dat, stream, stream->page.n_missed, ns);
	return NULL;
}

/* The stack behind the event, if it is on the same page: one in thirty or so is not, and is left
 * out. */
static void find_stack(const struct dat *dat, struct dat_stream *stream)
{
	struct lane_ring_page ahead = stream->page;
	const uint8_t *record;
	uint32_t n, tid;
	size_t bytes;

	stream->n_stack = 0;
	if (dat->head.long_bytes != sizeof(uint64_t) || !decode_call_chain_why(&stream->event) ||
	    decode_ring_page_next(&ahead, &record, &bytes) != LANE_RING_EVENT ||
	    bytes < STACK_BYTES || decode_tracepoint_id(record) != STACK_ID)
		return;
	memcpy(&tid, record + STACK_THREAD, sizeof(tid));
	memcpy(&n, record + STACK_COUNT, sizeof(n));
	if (tid != (uint32_t)stream->event.wire.tid || n > (bytes - STACK_BYTES) / sizeof(uint64_t))
		return;
	stream->stack = record + STACK_BYTES;
	stream->n_stack = n;
}

/* Takes a record; false when it is of no kind of ours. */
static struct lane_error *trace_dat_take_record(struct dat *dat, struct dat_stream *stream,
						const uint8_t *record, size_t bytes)
{
	const struct lane_tracepoint *plan;
	uint64_t ns = clock_ns(&dat->head, stream->page.ts);

	if (stream->has_last && ns < stream->last_ns)
		return bad_place(dat, stream, stream->page_place, "time goes back");
	stream->last_ns = ns;
	stream->has_last = true;
	stream->account->events++;
	stream->account->end_ns = ns;
	if (bytes < LANE_RECORD_BYTES)
		return bad_place(dat, stream, stream->page_place, "an event is cut off");
	plan = decode_tracepoints_find(&dat->head.tracepoints, decode_tracepoint_id(record));
	if (!plan) {
		/* A stack has been looked at with its event. */
		dat->base.skipped += decode_tracepoint_id(record) != STACK_ID;
		return NULL;
	}
	if (!decode_tracepoint_read(plan, record, bytes, &stream->event))
		return bad_place(dat, stream, stream->page_place, "an event is cut off");
	stream->event.wire.ts_ns = stream->next.event_ns = ns;
	stream->event.cpu = stream->part->cpu;
	stream->next.has_event = true;
	find_stack(dat, stream);
	return NULL;
}

/* What the kernel counts as lost of a CPU and no page tells was lost behind the last one, up to the
 * time of that count. */
static void trace_dat_end_stream(struct dat *dat, struct dat_stream *stream)
{
	static const struct lane_dat_stats none = { 0 };
	const struct lane_dat_stats *counted =
		dat->head.stats ? &dat->head.stats[stream->part->cpu] : &none;
	uint64_t until_ns = clock_ns(&dat->head, counted->until);

	stream->is_dead = true;
	if (dat->head.n_buffers == 1 && !stream->lost_uncounted && counted->lost > stream->lost)
		trace_dat_add_loss(dat, stream, counted->lost - stream->lost,
				   until_ns > stream->last_ns ? until_ns : stream->last_ns);
}

/* Reads on to the next event of the table. */
static struct lane_error *trace_dat_find_event(struct dat *dat, struct dat_stream *stream)
{
	struct lane_error *err = NULL;
	const uint8_t *record;
	size_t bytes;
	bool more = true;

	while (!err && more && !stream->next.has_event) {
		switch (decode_ring_page_next(&stream->page, &record, &bytes)) {
		case LANE_RING_EVENT:
			err = trace_dat_take_record(dat, stream, record, bytes);
			break;
		case LANE_RING_END:
			err = next_page(dat, stream, &more);
			break;
		default:
			err = bad_place(dat, stream, stream->page_place,
					"the events of a page are damaged");
		}
	}
	if (err) {
		stream->account->is_damaged = true;
		stream->is_dead = true;
		stream->next.has_event = false;
	} else if (!more) {
		trace_dat_end_stream(dat, stream);
	}
	return err;
}

static struct lane_merge_stream *trace_dat_merge_stream(void *dat, uint32_t index)
{
	return &((struct dat *)dat)->streams[index].next;
}

static struct lane_error *trace_dat_merge_find(void *dat, uint32_t index)
{
	struct dat_stream *stream = &((struct dat *)dat)->streams[index];

	stream->next.has_event = false;
	return stream->is_dead ? NULL : trace_dat_find_event(dat, stream);
}

/* The stack and its frames go ahead of the event. */
static struct lane_error *take_stack(struct dat *dat, struct dat_stream *stream)
{
	if (!dat->has_functions)
		decode_dat_functions(&dat->head, &dat->functions);
	dat->has_functions = true;
	for (uint32_t i = 0; i < stream->n_stack; i++) {
		struct lane_p_gpulane_stack_frame frame = { 0 };
		const char *name;
		uint64_t address, offset;

		memcpy(&address, stream->stack + i * sizeof(address), sizeof(address));
		if (!address || address == UINT64_MAX)
			break;
		name = lane_kernel_function_at(&dat->functions, address, &offset);
		frame.offset = name ? offset : address;
		if (name) {
			frame.what = LANE_FRAME_OF_KERNEL;
			snprintf(frame.name, sizeof(frame.name), "%s", name);
		}
		decode_call_chain_add(&dat->stacks, &frame, true);
	}
	stream->n_stack = 0;
	dat->after = &stream->event;
	return decode_call_chain_end(&dat->stacks, &stream->event,
				     decode_call_chain_why(&stream->event))
		       ? NULL
		       : &lane_enomem;
}

/* What is left of a stack, and the event behind it. */
static struct lane_event *next_of_stack(struct dat *dat)
{
	struct lane_event *event = decode_call_chain_next(&dat->stacks);

	return event ? event : LANE_TAKE(dat->after);
}

static struct lane_error *dat_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct dat *dat = dat_of(decoder);
	struct lane_error *err;
	struct dat_stream *stream;
	uint32_t index;
	bool is_loss;

	*result = next_of_stack(dat);
	if (*result)
		return NULL;
	do {
		err = decode_merge_next(&dat->merge, &index, &is_loss);
		if (err || index == dat->head.n_parts)
			return err;
		stream = &dat->streams[index];
		if (!is_loss)
			continue;
		decode_losses_take(&stream->next.losses, stream->account, stream->part->cpu,
				   &stream->loss);
		*result = &stream->loss;
		return NULL;
	} while (dat->doubles &&
		 decode_duplicates_has(dat->doubles, &stream->event, stream->part->buffer));
	*result = &stream->event;
	if (!stream->n_stack)
		return NULL;
	err = take_stack(dat, stream);
	if (!err)
		*result = next_of_stack(dat);
	return err;
}

static void dat_end(struct lane_decoder *decoder)
{
	struct dat *dat = dat_of(decoder);

	for (uint32_t i = 0; dat->streams && i < dat->head.n_parts; i++)
		free(dat->streams[i].chunk);
	decode_dat_head_deinit(&dat->head);
	decode_merge_deinit(&dat->merge);
	decode_duplicates_destroy(dat->doubles);
	free(dat->streams);
	free(dat->accounts);
	free(dat->packed);
	decode_call_chains_free(&dat->stacks);
	lane_kernel_functions_free(&dat->functions);
}

/* The parts of a file do not lie on each other: what is read is no more than there is. */
static struct lane_error *check_parts(const struct dat *dat)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < dat->head.n_parts; i++) {
		bytes += dat->head.parts[i].end - dat->head.parts[i].at;
		if (bytes > dat->head.bytes)
			return lane_error("%s: the events of its CPUs are larger than the file "
					  "(is it damaged?)",
					  dat->base.path);
	}
	return NULL;
}

/* The earliest page: what is lost before a CPU's first event was lost from then on. */
static void find_first(struct dat *dat)
{
	for (uint32_t i = 0; i < dat->head.n_parts; i++) {
		const struct lane_dat_part *part = &dat->head.parts[i];
		uint64_t ticks, ns;

		if (part->is_packed || part->end - part->at < sizeof(ticks) ||
		    !decode_read_at(dat->base.fd, part->at, &ticks, sizeof(ticks)))
			continue;
		ns = clock_ns(&dat->head, ticks);
		if (ns && (!dat->first_ns || ns < dat->first_ns))
			dat->first_ns = ns;
	}
}

static struct lane_error *dat_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	struct dat *dat = dat_of(decoder);
	struct lane_error *err;

	dat->base.info = &dat->head.info;
	dat->merge.arg = dat;
	dat->merge.stream = trace_dat_merge_stream;
	dat->merge.find = trace_dat_merge_find;
	err = decode_dat_head_read(decoder->path, decoder->fd, names, &dat->head);
	if (!err)
		err = check_parts(dat);
	if (err)
		return err;
	find_first(dat);
	dat->streams = calloc(dat->head.n_parts + 1, sizeof(*dat->streams));
	dat->accounts = calloc(dat->head.n_parts + 1, sizeof(*dat->accounts));
	if (dat->head.n_buffers > 1)
		dat->doubles = decode_duplicates_create(DOUBLE_NS);
	if (!dat->streams || !dat->accounts || (dat->head.n_buffers > 1 && !dat->doubles) ||
	    !decode_merge_init(&dat->merge, dat->head.n_parts))
		return &lane_enomem;
	dat->base.accounts = dat->accounts;
	dat->base.n_accounts = dat->head.n_parts;
	for (uint32_t i = 0; i < dat->head.n_parts; i++) {
		dat->streams[i].part = &dat->head.parts[i];
		dat->streams[i].at = dat->head.parts[i].at;
		dat->streams[i].account = &dat->accounts[i];
		dat->accounts[i].cpu = dat->head.parts[i].cpu;
	}
	return NULL;
}

static bool dat_probe(const char *path)
{
	static const char magic[] = "\x17\x08\x44tracing";

	return lane_file_begins(path, magic, sizeof(magic) - 1);
}

const struct lane_format lane_format_trace_dat = {
	.name = "trace.dat",
	.help = "trace-cmd's trace.dat, versions 6 and 7",
	.probe = dat_probe,
	.bytes = sizeof(struct dat),
	.begin = dat_begin,
	.next = dat_next,
	.end = dat_end,
};
