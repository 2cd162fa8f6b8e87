/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The identity of a driver: a hash over its BTF, computed alike by gen-layout and by the module.
 */
#ifndef LANE_MODULE_IDENTITY_H
#define LANE_MODULE_IDENTITY_H

#define LANE_IDENTITY_START 0xcbf29ce484222325ULL

/*
 * Goes on with a hash (FNV-1a, 64 bits; draft-eastlake-fnv, section 2) over size bytes at data.
 * The first part starts from LANE_IDENTITY_START.
 */
static inline unsigned long long lane_identity(unsigned long long hash, const void *data,
					       unsigned long size)
{
	const unsigned char *byte = data, *end = byte + size;

	while (byte < end)
		hash = (hash ^ *byte++) * 0x100000001b3ULL;
	return hash;
}

#endif
