// SPDX-License-Identifier: MIT
// Unpacks blocks of zlib and zstd.
#include "decode/unpack.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

bool decode_unpack(enum lane_packing packing, const void *from, size_t n, void *to, size_t to_bytes)
{
	uLongf done = to_bytes;

	if (packing == LANE_PACKING_ZSTD)
		return ZSTD_decompress(to, to_bytes, from, n) == to_bytes;
	if (packing == LANE_PACKING_ZLIB)
		return uncompress(to, &done, from, n) == Z_OK && done == to_bytes;
	return false;
}

/* Makes room for more; false: it becomes larger than max, or there is no memory. */
static bool unpack_grow(uint8_t **to, size_t *room, size_t max)
{
	size_t more = *room ? 2 * *room : 64 << 10;
	uint8_t *bytes;

	if (*room >= max)
		return false;
	if (more > max)
		more = max;
	bytes = realloc(*to, more);
	if (!bytes)
		return false;
	*to = bytes;
	*room = more;
	return true;
}

static bool inflate_all(const void *from, size_t n, size_t max, uint8_t **to, size_t *to_bytes)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)n };
	size_t room = 0;
	int status = Z_OK;

	if (n > UINT32_MAX || inflateInit(&stream) != Z_OK)
		return false;
	while (status == Z_OK && (*to_bytes < room || unpack_grow(to, &room, max))) {
		stream.next_out = *to + *to_bytes;
		stream.avail_out = (uInt)(room - *to_bytes);
		status = inflate(&stream, Z_NO_FLUSH);
		*to_bytes = room - stream.avail_out;
	}
	inflateEnd(&stream);
	return status == Z_STREAM_END;
}

static bool unzstd_all(const void *from, size_t n, size_t max, uint8_t **to, size_t *to_bytes)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { from, n, 0 };
	size_t room = 0, status = 1, before;

	while (stream && status && !ZSTD_isError(status) &&
	       (*to_bytes < room || unpack_grow(to, &room, max))) {
		ZSTD_outBuffer out = { *to, room, *to_bytes };

		before = in.pos + out.pos;
		status = ZSTD_decompressStream(stream, &out, &in);
		*to_bytes = out.pos;
		if (status && in.pos + out.pos == before)
			break; /* it is cut off */
	}
	ZSTD_freeDStream(stream);
	return !status;
}

bool decode_unpack_unsized(enum lane_packing packing, const void *from, size_t n, size_t max,
			   uint8_t **to, size_t *to_bytes)
{
	*to = NULL;
	*to_bytes = 0;
	if (packing == LANE_PACKING_ZLIB)
		return inflate_all(from, n, max, to, to_bytes);
	if (packing == LANE_PACKING_ZSTD)
		return unzstd_all(from, n, max, to, to_bytes);
	return false;
}
