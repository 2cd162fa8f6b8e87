/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The identity of a driver: a hash over what its BTF describes, computed alike by gen-layout and by
 * the module.
 *
 * The numbers of types and the places of names are left out. The kernel and libbpf change both
 * where a module was built outside the kernel's tree: they fit its BTF to the kernel's (section
 * .BTF.base, since Linux 6.11).
 */
#ifndef LANE_MODULE_IDENTITY_H
#define LANE_MODULE_IDENTITY_H

#include <linux/btf.h>

#define LANE_IDENTITY_START 0xcbf29ce484222325ULL

/* As since Linux 7.1; before, the bits between were not used. */
#define LANE_BTF_KIND(info)   ((info) >> 24 & 0x7f)
#define LANE_BTF_LENGTH(info) ((info)&0xffffff)

/* What stands behind a type of each kind: `once` bytes, or `each` bytes as often as its length
 * says. */
struct lane_btf_kind {
	unsigned char is_sized; /* its third word is a size, not the number of a type */
	unsigned char once, each;
	unsigned char skipped; /* the first bytes of each: names and numbers of types */
};

static const struct lane_btf_kind lane_btf_kinds[] = {
	[BTF_KIND_INT] = { .is_sized = 1, .once = 4 },
	[BTF_KIND_PTR] = { 0 },
	[BTF_KIND_ARRAY] = { .once = 12, .skipped = 8 },
	[BTF_KIND_STRUCT] = { .is_sized = 1, .each = 12, .skipped = 8 },
	[BTF_KIND_UNION] = { .is_sized = 1, .each = 12, .skipped = 8 },
	[BTF_KIND_ENUM] = { .is_sized = 1, .each = 8, .skipped = 4 },
	[BTF_KIND_FUNC_PROTO] = { .each = 8, .skipped = 8 },
	[BTF_KIND_VAR] = { .once = 4 },
	[BTF_KIND_DATASEC] = { .is_sized = 1, .each = 12, .skipped = 4 },
	[BTF_KIND_FLOAT] = { .is_sized = 1 },
	[BTF_KIND_DECL_TAG] = { .once = 4 },
	[BTF_KIND_TYPE_TAG] = { 0 },
	[BTF_KIND_ENUM64] = { .is_sized = 1, .each = 12, .skipped = 4 },
};

/* Goes on with a hash (FNV-1a, 64 bits; draft-eastlake-fnv, section 2) over size bytes at data. */
static inline unsigned long long lane_hash(unsigned long long hash, const void *data,
					   unsigned long size)
{
	const unsigned char *byte = data, *end = byte + size;

	while (byte < end)
		hash = (hash ^ *byte++) * 0x100000001b3ULL;
	return hash;
}

/* The hash of the types between `at` and `end`, going on from one; 0 where they are none. */
static inline unsigned long long lane_hash_types(unsigned long long hash, const unsigned char *at,
						 const unsigned char *end)
{
	while (at < end) {
		const struct btf_type *type = (const void *)at;
		const struct lane_btf_kind *kind;
		unsigned long size, n, skipped;

		if ((unsigned long)(end - at) < sizeof(*type) ||
		    LANE_BTF_KIND(type->info) >= sizeof(lane_btf_kinds) / sizeof(*kind))
			return 0;
		kind = &lane_btf_kinds[LANE_BTF_KIND(type->info)];
		hash = lane_hash(hash, &type->info, sizeof(type->info));
		if (kind->is_sized)
			hash = lane_hash(hash, &type->size, sizeof(type->size));
		at += sizeof(*type);
		size = kind->each ? kind->each : kind->once;
		n = kind->each ? LANE_BTF_LENGTH(type->info) : kind->once != 0;
		skipped = kind->skipped;
		if ((unsigned long)(end - at) < n * size)
			return 0;
		for (; n; n--, at += size)
			hash = lane_hash(hash, at + skipped, size - skipped);
	}
	return hash;
}

/* The identity of the driver with this BTF, as in its section or in /sys/kernel/btf; 0 where it is
 * none. */
static inline unsigned long long lane_identity(const void *btf, unsigned long size)
{
	const struct btf_header *header = btf;
	const unsigned char *data;
	unsigned long long hash;

	if (size < sizeof(*header) || header->magic != BTF_MAGIC || header->hdr_len > size)
		return 0;
	data = (const unsigned char *)btf + header->hdr_len;
	size -= header->hdr_len;
	if (header->str_off > size || header->str_len > size - header->str_off ||
	    header->type_off > size || header->type_len > size - header->type_off ||
	    header->type_off % 4)
		return 0;
	hash = lane_hash(LANE_IDENTITY_START, data + header->str_off, header->str_len);
	return lane_hash_types(hash, data + header->type_off,
			       data + header->type_off + header->type_len);
}

#endif
