/* SPDX-License-Identifier: MIT */
/* What the files that pack Perfetto's packets share. A packet has its fields in the order of their
 * numbers, which are those of Perfetto's protos/perfetto/trace (tests/perfetto/trace.proto). */
#ifndef LANE_SHOW_PERFETTO_PACK_H
#define LANE_SHOW_PERFETTO_PACK_H

#include "show/perfetto_packet.h"

/* Fields of TracePacket. */
enum {
	PACKET_FTRACE = 1,
	PACKET_TREE = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_SYSTEM = 45,
	PACKET_COUNTER = 52,
	PACKET_STAGE = 53,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_MACHINE = 98,
	PACKET_GPUS = 128,
};

/* Values of PACKET_SEQUENCE and PACKET_FLAGS. */
enum {
	SEQUENCE = 1, /* of what was found */
	SEQUENCE_FTRACE,
	STATE_CLEARED = 1,
	NEEDS_STATE = 2,
};

/* What a text, or an argument's name, is told as: each has its own list in InternedData. */
enum lane_text_use {
	LANE_TEXT_NAME = 1 << 0,  /* event_names; of arguments debug_annotation_names */
	LANE_TEXT_VALUE = 1 << 1, /* debug_annotation_string_values */
	LANE_TEXT_KERNEL = 1 << 2,
	LANE_TEXT_STAGE_ARG = 1 << 3,
};

/* Which fields arguments are: their list, their names' list in InternedData, and their values. */
struct lane_pack_fields {
	unsigned int args, names, text_number, of[LANE_PACKET_KINDS];
	enum lane_text_use use;
};

/* Begins a packet; show_pack_put() writes it. */
struct lane_message *show_pack_begin(struct lane_packets *packets);
void show_pack_put(struct lane_packets *packets);

/* The same in two steps, for a field behind the machine's. */
void show_pack_machine(struct lane_packets *packets);
void show_pack_write(struct lane_packets *packets);

/* The number of a text; 0: it has none, and is told as it is. */
uint32_t show_pack_text(struct lane_packets *packets, const char *text, enum lane_text_use use,
			bool *is_new);

/* An item of a list of InternedData: its number, and its name. */
void show_pack_named(struct lane_message *to, unsigned int list, uint64_t number, const char *name);

/* Makes the arguments of the event that is being made, and what it and they tell for the first
 * time: later ones have a number in its place. Returns the number of its name, or 0. */
uint32_t show_pack_args(struct lane_packets *packets, const struct lane_pack_fields *as);

#endif
