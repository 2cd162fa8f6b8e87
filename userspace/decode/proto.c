// SPDX-License-Identifier: MIT
// Takes protobuf's wire format apart (protobuf.dev, "Encoding").
#include "decode/proto.h"

#include <string.h>

enum {
	WIRE_NUMBER = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5,
	MAX_NUMBER = (1 << 29) - 1, /* of a field */
};

static bool proto_damaged(struct lane_proto *message)
{
	message->is_damaged = true;
	message->at = message->end;
	return false;
}

/* Seven bits a byte, the lowest first; the last byte has no top bit. */
static bool take_varint(struct lane_proto *message, uint64_t *value)
{
	unsigned int shift = 0;

	*value = 0;
	for (; message->at < message->end && shift < 64; shift += 7) {
		uint8_t byte = *message->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

bool decode_proto_number(struct lane_proto *numbers, uint64_t *value)
{
	if (numbers->at == numbers->end)
		return false;
	return take_varint(numbers, value) || proto_damaged(numbers);
}

/* A number of fixed size; what it means nobody asks. */
static bool proto_take_fixed(struct lane_proto *message, size_t n, uint64_t *value)
{
	if ((size_t)(message->end - message->at) < n)
		return false;
	*value = 0;
	memcpy(value, message->at, n);
	message->at += n;
	return true;
}

static bool proto_take_bytes(struct lane_proto *message, struct lane_proto_field *field)
{
	uint64_t n;

	if (!take_varint(message, &n) || n > (size_t)(message->end - message->at))
		return false;
	field->is_bytes = true;
	field->bytes = message->at;
	field->n = (size_t)n;
	message->at += n;
	return true;
}

bool decode_proto_next(struct lane_proto *message, struct lane_proto_field *field)
{
	uint64_t key;
	bool is_whole;

	if (message->at == message->end)
		return false;
	if (!take_varint(message, &key) || !(key >> 3) || key >> 3 > MAX_NUMBER)
		return proto_damaged(message);
	*field = (struct lane_proto_field){ .number = (uint32_t)(key >> 3) };
	switch (key & 7) {
	case WIRE_NUMBER:
		is_whole = take_varint(message, &field->value);
		break;
	case WIRE_64:
		is_whole = proto_take_fixed(message, 8, &field->value);
		break;
	case WIRE_BYTES:
		is_whole = proto_take_bytes(message, field);
		break;
	case WIRE_32:
		is_whole = proto_take_fixed(message, 4, &field->value);
		break;
	default: /* groups, which nobody writes any more */
		is_whole = false;
	}
	return is_whole || proto_damaged(message);
}
