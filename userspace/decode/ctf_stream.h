/* SPDX-License-Identifier: MIT */
/* One stream of a CTF trace: its files, packets and events. */
#ifndef LANE_DECODE_CTF_STREAM_H
#define LANE_DECODE_CTF_STREAM_H

#include <string.h>

#include "decode/ctf_schema.h"
#include "decode/merge.h"

/* A file of a stream. */
struct lane_stream_file {
	char *path;
	uint64_t begin;	       /* of its first packet, by the clock */
	bool is_behind_others; /* that packet is not the first of its stream */
};

struct lane_read_stream {
	struct lane_event event; /* the next one, when next.has_event */
	struct lane_merge_stream next;
	const struct lane_schema *schema;
	const struct lane_stream_class *class; /* NULL: its first packet cannot be read */
	uint64_t instance_id;		       /* UINT64_MAX: not said */
	int32_t cpu;
	struct lane_account *account;
	struct lane_decoder *decoder;
	struct lane_error **complaint; /* what ends no stream goes here */
	struct lane_lost_count lost;
	bool has_told_count; /* that its count of losses is damaged */
	bool is_dead;	     /* nothing more is to be read */

	struct lane_stream_file *files; /* in the order of time */
	size_t n_files, file;
	bool is_open; /* of files[file] */
	int fd;
	uint64_t file_bytes;

	struct lane_packet_head head; /* of the packet before, then of this one */
	bool has_head;
	uint64_t packet_at, packet_bytes; /* of this packet, in the file */
	uint64_t content_bits;

	char *window; /* a part of the file in memory */
	size_t window_room, window_bytes;
	uint64_t window_at; /* of the file; a multiple of 8 behind the packet's begin */
	struct lane_cursor cursor;
};

enum {
	LANE_STREAM_WINDOW = 64 << 10, /* LANE_MOST_BYTES can be read at its end */
};

/*
 * Reads the head of the first packet of files[0], and with it class, instance and the file's begin.
 * What is wrong with it is told when the first event is asked for.
 */
struct lane_error *decode_stream_look(struct lane_read_stream *stream) LANE_MUST_CHECK;

/* Finds the next event and the losses before it; next.has_event is false at the end. */
struct lane_error *decode_stream_find(struct lane_read_stream *stream) LANE_MUST_CHECK;

/*
 * Takes the next event if it lies in the window as it is to be in memory, and is before that time.
 * Nothing has changed when it is false.
 */
static inline bool decode_stream_take_wire(struct lane_read_stream *s, uint64_t before_ns)
{
	uint64_t at = (s->cursor.at + 63) & ~(uint64_t)63;
	const struct lane_wire *wire = (const struct lane_wire *)(s->window + at / 8);
	const struct lane_event_class *class;

	if (at + sizeof(*wire) * 8 > s->cursor.end || wire->kind >= s->class->n_events)
		return false;
	class = &s->class->events[wire->kind];
	if (!class->wire_bytes || at + class->wire_bytes * 8u > s->cursor.end ||
	    wire->ts_ns < s->next.event_ns || wire->ts_ns >= before_ns)
		return false;
	memcpy(&s->event, wire, LANE_MOST_BYTES);
	if (class->wire_bytes > LANE_MOST_BYTES)
		memcpy((char *)&s->event + LANE_MOST_BYTES, (const char *)wire + LANE_MOST_BYTES,
		       class->wire_bytes - LANE_MOST_BYTES);
	s->event.wire.kind = (uint32_t) class->kind;
	if (s->event.wire.origin >= LANE_ORIGIN_COUNT)
		s->event.wire.origin = LANE_ORIGIN_UNKNOWN;
	s->event.cpu = s->cpu;
	s->event.host = 0;
	s->event.raw = (struct lane_raw){ .ring = LANE_RING_NONE };
	s->cursor.at = at + class->wire_bytes * 8u;
	s->next.event_ns = wire->ts_ns;
	s->next.has_event = true;
	s->account->events++;
	return true;
}

/* A time of the clock in nanoseconds. */
static inline uint64_t decode_schema_ns(const struct lane_schema *schema, uint64_t value)
{
	if (schema->frequency == 1000000000)
		return value;
	return (uint64_t)((unsigned __int128)value * 1000000000u / schema->frequency);
}

void decode_stream_deinit(struct lane_read_stream *stream);

#endif
