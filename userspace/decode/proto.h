/* SPDX-License-Identifier: MIT */
/* Protobuf's wire format, field by field, out of memory; nothing is read beyond its end. */
#ifndef LANE_DECODE_PROTO_H
#define LANE_DECODE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, or what is left of it. */
struct lane_proto {
	const uint8_t *at, *end;
	bool is_damaged; /* it did not end where a field does */
};

struct lane_proto_field {
	uint32_t number;
	bool is_bytes;	      /* a text, a message or packed numbers; else a number */
	uint64_t value;	      /* of a number */
	const uint8_t *bytes; /* in the message */
	size_t n;
};

static inline struct lane_proto decode_proto_of(const void *bytes, size_t n)
{
	return (struct lane_proto){ .at = bytes, .end = n ? (const uint8_t *)bytes + n : bytes };
}

/* The message, or the packed numbers, that a field is. */
static inline struct lane_proto decode_proto_in(const struct lane_proto_field *field)
{
	return decode_proto_of(field->bytes, field->n);
}

/* Takes the next field; false at the end, or where the message is damaged. */
bool decode_proto_next(struct lane_proto *message, struct lane_proto_field *field);

/* Takes the next of packed numbers; false likewise. */
bool decode_proto_number(struct lane_proto *numbers, uint64_t *value);

#endif
