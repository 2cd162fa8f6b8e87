/* SPDX-License-Identifier: MIT */
/* Bytes read front to back, of a part of a file or of memory; nothing is read beyond their end. */
#ifndef LANE_DECODE_BYTES_H
#define LANE_DECODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LANE_BYTES_BUFFER = 4096
};

struct lane_bytes {
	int fd; /* of the file; not used where memory is set */
	const uint8_t *memory;
	uint64_t at;  /* place of the next byte in the file or in memory */
	uint64_t end; /* place behind the last one */
	uint64_t buffer_at;
	size_t buffered;
	uint8_t buffer[LANE_BYTES_BUFFER];
};

/* The bytes [at, end) of a file that stays open. */
void decode_bytes_of_file(struct lane_bytes *bytes, int fd, uint64_t at, uint64_t end);

/* n bytes of memory that stays. */
void decode_bytes_of_memory(struct lane_bytes *bytes, const void *memory, size_t n);

/* Copies the next n bytes; false: there are not as many, or the file cannot be read. */
bool decode_bytes_get(struct lane_bytes *bytes, void *to, size_t n);

/* Goes n bytes on; false: there are not as many. */
bool decode_bytes_skip(struct lane_bytes *bytes, uint64_t n);

/* Reads a text and the NUL behind it; false: it does not end, or has size bytes or more. */
bool decode_bytes_text(struct lane_bytes *bytes, char *to, size_t size);

/* A number of two, four and eight bytes, little-endian. */
bool decode_bytes_u16(struct lane_bytes *bytes, uint16_t *to);
bool decode_bytes_u32(struct lane_bytes *bytes, uint32_t *to);
bool decode_bytes_u64(struct lane_bytes *bytes, uint64_t *to);

static inline uint64_t decode_bytes_left(const struct lane_bytes *bytes)
{
	return bytes->end - bytes->at;
}

/* Reads exactly n bytes at that place of a file; false: there are not as many. */
bool decode_read_at(int fd, uint64_t at, void *to, size_t n);

#endif
