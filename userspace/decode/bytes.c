// SPDX-License-Identifier: MIT
// Reads bytes of a file or of memory front to back, with a small buffer.
#include "decode/bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void decode_bytes_of_file(struct lane_bytes *bytes, int fd, uint64_t at, uint64_t end)
{
	bytes->fd = fd;
	bytes->memory = NULL;
	bytes->at = at;
	bytes->end = end > at ? end : at;
	bytes->buffered = 0;
}

void decode_bytes_of_memory(struct lane_bytes *bytes, const void *memory, size_t n)
{
	bytes->fd = -1;
	bytes->memory = memory;
	bytes->at = 0;
	bytes->end = n;
	bytes->buffered = 0;
}

bool decode_read_at(int fd, uint64_t at, void *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t now = pread(fd, (char *)to + done, n - done, (off_t)(at + done));

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return false;
		done += (size_t)now;
	}
	return true;
}

/* Sees to it that the next byte is in the buffer. */
static bool bytes_fill(struct lane_bytes *bytes)
{
	uint64_t left = decode_bytes_left(bytes);
	size_t n = left < LANE_BYTES_BUFFER ? (size_t)left : LANE_BYTES_BUFFER;

	if (bytes->buffered && bytes->at >= bytes->buffer_at &&
	    bytes->at < bytes->buffer_at + bytes->buffered)
		return true;
	bytes->buffered = 0;
	if (!n || !decode_read_at(bytes->fd, bytes->at, bytes->buffer, n))
		return false;
	bytes->buffer_at = bytes->at;
	bytes->buffered = n;
	return true;
}

bool decode_bytes_get(struct lane_bytes *bytes, void *to, size_t n)
{
	if (decode_bytes_left(bytes) < n)
		return false;
	if (bytes->memory) {
		if (n)
			memcpy(to, bytes->memory + bytes->at, n);
		bytes->at += n;
		return true;
	}
	if (n > LANE_BYTES_BUFFER) {
		if (!decode_read_at(bytes->fd, bytes->at, to, n))
			return false;
		bytes->at += n;
		return true;
	}
	while (n) {
		size_t there;

		if (!bytes_fill(bytes))
			return false;
		there = (size_t)(bytes->buffer_at + bytes->buffered - bytes->at);
		if (there > n)
			there = n;
		memcpy(to, bytes->buffer + (bytes->at - bytes->buffer_at), there);
		to = (char *)to + there;
		bytes->at += there;
		n -= there;
	}
	return true;
}

bool decode_bytes_skip(struct lane_bytes *bytes, uint64_t n)
{
	if (decode_bytes_left(bytes) < n)
		return false;
	bytes->at += n;
	return true;
}

bool decode_bytes_text(struct lane_bytes *bytes, char *to, size_t size)
{
	for (size_t n = 0; n < size; n++) {
		if (!decode_bytes_get(bytes, to + n, 1))
			return false;
		if (!to[n])
			return true;
	}
	return false;
}

bool decode_bytes_u16(struct lane_bytes *bytes, uint16_t *to)
{
	return decode_bytes_get(bytes, to, sizeof(*to));
}

bool decode_bytes_u32(struct lane_bytes *bytes, uint32_t *to)
{
	return decode_bytes_get(bytes, to, sizeof(*to));
}

bool decode_bytes_u64(struct lane_bytes *bytes, uint64_t *to)
{
	return decode_bytes_get(bytes, to, sizeof(*to));
}
