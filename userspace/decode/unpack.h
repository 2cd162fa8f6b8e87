/* SPDX-License-Identifier: MIT */
/* Compressed blocks whose size is known before they are unpacked. */
#ifndef LANE_DECODE_UNPACK_H
#define LANE_DECODE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

enum lane_packing {
	LANE_PACKING_NONE,
	LANE_PACKING_ZLIB,
	LANE_PACKING_ZSTD,
};

/* Unpacks n bytes to exactly to_bytes; false: the block is damaged, or of another size. */
bool lane_unpack(enum lane_packing packing, const void *from, size_t n, void *to, size_t to_bytes);

#endif
