/* SPDX-License-Identifier: MIT */
/*
 * Messages of protocol buffers as they are written: fields one behind the other, a message in a
 * message between its begin and its end. Memory is kept from message to message. Without memory a
 * message has failed, and what is put into it is of no use.
 */
#ifndef LANE_SHOW_MESSAGE_H
#define LANE_SHOW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lane_message {
	uint8_t *bytes;
	size_t n, room;
	bool has_failed;
};

/* A number alone, as a packed field has it. */
void show_message_number(struct lane_message *m, uint64_t number);

/* A field: a number (of a signed one (uint64_t)(int64_t)), bytes, a text, all of another message,
 * eight bytes. */
void show_message_field(struct lane_message *m, unsigned int field, uint64_t number);
void show_message_bytes(struct lane_message *m, unsigned int field, const void *bytes, size_t n);
void show_message_text(struct lane_message *m, unsigned int field, const char *text);
void show_message_within(struct lane_message *m, unsigned int field,
			 const struct lane_message *within);
void show_message_fixed(struct lane_message *m, unsigned int field, uint64_t number);

/* The fields of another message. */
void show_message_append(struct lane_message *m, const struct lane_message *from);

/* A field that is a message; its end is told what its begin returned. */
size_t show_message_begin(struct lane_message *m, unsigned int field);
void show_message_end(struct lane_message *m, size_t begun);

void show_message_deinit(struct lane_message *m);

#endif
