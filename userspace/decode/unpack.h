/* SPDX-License-Identifier: MIT */
/* Compressed blocks. */
#ifndef LANE_DECODE_UNPACK_H
#define LANE_DECODE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_packing {
	LANE_PACKING_NONE,
	LANE_PACKING_ZLIB,
	LANE_PACKING_ZSTD,
};

/* Unpacks n bytes to exactly to_bytes; false: the block is damaged, or of another size. */
bool decode_unpack(enum lane_packing packing, const void *from, size_t n, void *to,
		   size_t to_bytes);

/*
 * Unpacks n bytes of which it is not known how many they become, at most max. *to is the caller's,
 * to be freed whatever happens. False: the block is damaged, or becomes larger.
 */
bool decode_unpack_unsized(enum lane_packing packing, const void *from, size_t n, size_t max,
			   uint8_t **to, size_t *to_bytes);

#endif
