// SPDX-License-Identifier: MIT
// Unpacks blocks of zlib and zstd.
#include "decode/unpack.h"

#include <zlib.h>
#include <zstd.h>

bool lane_unpack(enum lane_packing packing, const void *from, size_t n, void *to, size_t to_bytes)
{
	uLongf done = to_bytes;

	if (packing == LANE_PACKING_ZSTD)
		return ZSTD_decompress(to, to_bytes, from, n) == to_bytes;
	if (packing == LANE_PACKING_ZLIB)
		return uncompress(to, &done, from, n) == Z_OK && done == to_bytes;
	return false;
}
