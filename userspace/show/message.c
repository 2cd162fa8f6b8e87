// SPDX-License-Identifier: MIT
// Writes the wire format of protocol buffers (protobuf.dev, "Encoding"); decode/proto.c reads it.
#include "show/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

enum {
	VARINT = 10, /* bytes, at most */
	TYPE_FIXED = 1,
	TYPE_BYTES = 2,
};

static bool message_reserve(struct lane_message *m, size_t n)
{
	if (!LANE_GROW(m->bytes, m->room, m->n + n))
		m->has_failed = true;
	return !m->has_failed;
}

void show_message_number(struct lane_message *m, uint64_t number)
{
	if (!message_reserve(m, VARINT))
		return;
	for (; number > 0x7f; number >>= 7)
		m->bytes[m->n++] = (uint8_t)(number | 0x80);
	m->bytes[m->n++] = (uint8_t)number;
}

void show_message_field(struct lane_message *m, unsigned int field, uint64_t number)
{
	show_message_number(m, (uint64_t)field << 3);
	show_message_number(m, number);
}

static void message_copy(struct lane_message *m, const void *bytes, size_t n)
{
	if (!n || !message_reserve(m, n))
		return;
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

void show_message_bytes(struct lane_message *m, unsigned int field, const void *bytes, size_t n)
{
	show_message_number(m, field << 3 | TYPE_BYTES);
	show_message_number(m, n);
	message_copy(m, bytes, n);
}

void show_message_append(struct lane_message *m, const struct lane_message *from)
{
	m->has_failed |= from->has_failed;
	message_copy(m, from->bytes, from->n);
}

void show_message_text(struct lane_message *m, unsigned int field, const char *text)
{
	show_message_bytes(m, field, text, strlen(text));
}

void show_message_within(struct lane_message *m, unsigned int field,
			 const struct lane_message *within)
{
	m->has_failed |= within->has_failed;
	show_message_bytes(m, field, within->bytes, within->n);
}

/* Lowest byte first. */
void show_message_fixed(struct lane_message *m, unsigned int field, uint64_t number)
{
	show_message_number(m, field << 3 | TYPE_FIXED);
	for (int i = 0; i < 8 && message_reserve(m, 1); i++)
		m->bytes[m->n++] = (uint8_t)(number >> 8 * i);
}

size_t show_message_begin(struct lane_message *m, unsigned int field)
{
	show_message_number(m, field << 3 | TYPE_BYTES);
	return m->n;
}

/* The length, which is known now, comes before what it is of. */
void show_message_end(struct lane_message *m, size_t begun)
{
	size_t n = m->n - begun, head;

	show_message_number(m, n);
	if (m->has_failed)
		return;
	head = m->n - begun - n;
	memmove(m->bytes + begun + head, m->bytes + begun, n);
	m->n = begun;
	show_message_number(m, n);
	m->n += n;
}

void show_message_deinit(struct lane_message *m)
{
	free(m->bytes);
	*m = (struct lane_message){ .n = 0 };
}
