/* SPDX-License-Identifier: MIT */
/* Containers: an open-addressing hash table and a pool of equal objects. */
#ifndef LANE_BASE_TABLE_H
#define LANE_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linear probing, deletion by shifting back; a key is two numbers, a value a pointer that is not
 * NULL. Keys that a hostile file chose to collide make a table choose a secret: who reads no such
 * file has the same order every time. */
struct lane_slot {
	uint64_t a;
	uint64_t b;
	void *value;
};

struct lane_table {
	struct lane_slot *slots;
	size_t mask; /* number of slots - 1; 0 with slots NULL when empty */
	size_t used;
	uint64_t secret; /* 0: none was needed */
};

static inline uint64_t lane_table_hash(const struct lane_table *table, uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ table->secret) *
				    (b ^ table->secret ^ 0x9e3779b97f4a7c15ull);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The value under (a, b), NULL when there is none. */
static inline void *lane_table_get(const struct lane_table *table, uint64_t a, uint64_t b)
{
	const struct lane_slot *slot;

	if (!table->slots)
		return NULL;
	for (size_t i = lane_table_hash(table, a, b);; i++) {
		slot = &table->slots[i & table->mask];
		if (!slot->value || (slot->a == a && slot->b == b))
			return slot->value;
	}
}

/* Puts value, not NULL, under a key that is not there. False: no memory. */
bool lane_table_put(struct lane_table *table, uint64_t a, uint64_t b, void *value);

/* Forgets the key, if it is there. */
void lane_table_del(struct lane_table *table, uint64_t a, uint64_t b);

void lane_table_free(struct lane_table *table);

/* A text as part of a key: FNV-1a, 64 bits. */
static inline uint64_t lane_hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* Objects of one size, taken from chunks and never given back to the system before the end. */
struct lane_pool {
	size_t size; /* of an object, set by the user; at least a pointer */
	void *free;
	struct lane_chunk *chunks;
};

/* A zeroed object; NULL: no memory. */
void *lane_pool_get(struct lane_pool *pool);

void lane_pool_put(struct lane_pool *pool, void *object);

void lane_pool_free(struct lane_pool *pool);

#endif
