/* SPDX-License-Identifier: MIT */
/* What the files that pack Perfetto's packets share. */
#ifndef LANE_SHOW_PERFETTO_PACK_H
#define LANE_SHOW_PERFETTO_PACK_H

#include "show/perfetto_packet.h"
#include "show/trace.pb-c.h"

#define LANE_PACKET_ARG_NAME 40

/* What a text, or an argument's name, is told as: each has its own list in InternedData. */
enum lane_text_use {
	LANE_TEXT_NAME = 1 << 0,  /* event_names; of arguments debug_annotation_names */
	LANE_TEXT_VALUE = 1 << 1, /* debug_annotation_string_values */
	LANE_TEXT_KERNEL = 1 << 2,
	LANE_TEXT_STAGE_ARG = 1 << 3,
};

/* What an event tells for the first time: it and later ones have a number in its place. */
struct lane_pack_texts {
	Perfetto__Protos__InternedData data;
	Perfetto__Protos__EventName name, *name_is;
	Perfetto__Protos__InternedString values[LANE_PACKET_MAX_ARGS],
		*value_list[LANE_PACKET_MAX_ARGS];
	size_t n;
};

/* What every packet says. */
void show_pack_head(Perfetto__Protos__TracePacket *p);

void show_pack_put(struct lane_packets *packets, Perfetto__Protos__TracePacket *what);

/* The number of a text; 0: it has none, and is told as it is. */
uint32_t show_pack_text(struct lane_packets *packets, const char *text, enum lane_text_use use,
			bool *is_new);

/* Begins told with the name of the event that is being made. Returns its number, or 0. */
uint32_t show_pack_name(struct lane_packets *packets, struct lane_pack_texts *told);

/* The number of an argument's text, which is kept until the packet is put, or 0. */
uint32_t show_pack_value(struct lane_packets *packets, const char *text,
			 struct lane_pack_texts *told);

bool show_pack_has_texts(const struct lane_pack_texts *told);

/* The name of an argument that has not been told yet, which may be in buffer; NULL: it has. */
const char *show_pack_arg(struct lane_packets *packets, enum lane_packet_arg arg,
			  enum lane_text_use use, char *buffer, size_t size);

#endif
