// SPDX-License-Identifier: MIT
// A hash table and an object pool.
#include "base/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* An object that is back in its pool is not to be touched: AddressSanitizer sees to it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, size)	 ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) ((void)0)
#endif

/* A pool's first chunk, and its largest: each is twice the one before. */
#define FIRST_OBJECTS 8
#define CHUNK_OBJECTS 128
#define FIRST_SLOTS   64

/* No honest file's keys lie side by side in so many slots, in a table that is at most half full. */
#define LONG_ROW 512

/* Whether it has become part of a long row: who looks for a key goes to its row's end. */
static bool table_place(struct lane_table *table, struct lane_slot slot)
{
	size_t begin = lane_table_hash(table, slot.a, slot.b), end = begin;

	while (table->slots[end & table->mask].value)
		end++;
	table->slots[end++ & table->mask] = slot;
	while (end - begin < LONG_ROW && table->slots[end & table->mask].value)
		end++;
	while (end - begin < LONG_ROW && table->slots[(begin - 1) & table->mask].value)
		begin--;
	return end - begin >= LONG_ROW;
}

static bool rebuild(struct lane_table *table, size_t n, uint64_t secret)
{
	struct lane_table next = { calloc(n, sizeof(struct lane_slot)), n - 1, table->used,
				   secret };

	if (!next.slots)
		return false;
	for (size_t i = 0; table->slots && i <= table->mask; i++)
		if (table->slots[i].value)
			table_place(&next, table->slots[i]);
	free(table->slots);
	*table = next;
	return true;
}

static uint64_t new_secret(const struct lane_table *table)
{
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != sizeof(secret))
		secret = (uint64_t)(uintptr_t)table->slots ^ (uint64_t)clock();
	return secret | 1;
}

bool lane_table_put(struct lane_table *table, uint64_t a, uint64_t b, void *value)
{
	size_t n = table->slots ? table->mask + 1 : 0;

	if (2 * (table->used + 1) > n && !rebuild(table, n ? 2 * n : FIRST_SLOTS, table->secret))
		return false;
	table->used++;
	return !table_place(table, (struct lane_slot){ a, b, value }) ||
	       rebuild(table, table->mask + 1, new_secret(table));
}

void lane_table_del(struct lane_table *table, uint64_t a, uint64_t b)
{
	struct lane_slot *slots = table->slots;
	size_t mask = table->mask;
	size_t hole, i;

	if (!slots)
		return;
	for (hole = lane_table_hash(table, a, b) & mask;; hole = (hole + 1) & mask) {
		if (!slots[hole].value)
			return;
		if (slots[hole].a == a && slots[hole].b == b)
			break;
	}
	/* What a probe that started at or before the hole would no longer find moves into it. */
	for (i = (hole + 1) & mask; slots[i].value; i = (i + 1) & mask) {
		size_t home = lane_table_hash(table, slots[i].a, slots[i].b) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		slots[hole] = slots[i];
		hole = i;
	}
	slots[hole].value = NULL;
	table->used--;
}

void lane_table_free(struct lane_table *table)
{
	free(table->slots);
	*table = (struct lane_table){ 0 };
}

struct lane_chunk {
	struct lane_chunk *next;
	size_t n;
	_Alignas(max_align_t) unsigned char bytes[];
};

void *lane_pool_get(struct lane_pool *pool)
{
	size_t size = (pool->size + _Alignof(max_align_t) - 1) & -_Alignof(max_align_t);
	struct lane_chunk *chunk = pool->chunks;
	void *object;

	if (!pool->free) {
		size_t n = chunk ? chunk->n : FIRST_OBJECTS / 2;

		n *= n < CHUNK_OBJECTS ? 2 : 1;
		chunk = malloc(sizeof(*chunk) + n * size);
		if (!chunk)
			return NULL;
		chunk->next = pool->chunks;
		chunk->n = n;
		pool->chunks = chunk;
		for (size_t i = 0; i < n; i++)
			lane_pool_put(pool, chunk->bytes + i * size);
	}
	object = pool->free;
	ASAN_UNPOISON_MEMORY_REGION(object, pool->size);
	memcpy(&pool->free, object, sizeof(void *));
	memset(object, 0, pool->size);
	return object;
}

void lane_pool_put(struct lane_pool *pool, void *object)
{
	memcpy(object, &pool->free, sizeof(void *));
	pool->free = object;
	ASAN_POISON_MEMORY_REGION(object, pool->size);
}

void lane_pool_free(struct lane_pool *pool)
{
	while (pool->chunks) {
		struct lane_chunk *next = pool->chunks->next;

		free(pool->chunks);
		pool->chunks = next;
	}
	pool->free = NULL;
}
