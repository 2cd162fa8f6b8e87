/* SPDX-License-Identifier: MIT */
/* A binary heap of streams by the time of their next event, for merging them in time order. */
#ifndef LANE_BASE_HEAP_H
#define LANE_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct lane_heap_entry {
	uint64_t ns;
	uint32_t stream; /* among equal times the lower one comes first */
};

struct lane_heap {
	struct lane_heap_entry *entries; /* the user's: as many as there are streams */
	uint32_t n;
};

static inline bool lane_heap_before(struct lane_heap_entry a, struct lane_heap_entry b)
{
	return a.ns < b.ns || (a.ns == b.ns && a.stream < b.stream);
}

/* Puts an entry in the place of the first one. */
static inline void lane_heap_replace(struct lane_heap *heap, struct lane_heap_entry entry)
{
	struct lane_heap_entry *entries = heap->entries;
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= heap->n)
			break;
		if (child + 1 < heap->n && lane_heap_before(entries[child + 1], entries[child]))
			child++;
		if (!lane_heap_before(entries[child], entry))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = entry;
}

/* An entry of the first one's stream stays the first before this time; there must be one. */
static inline uint64_t lane_heap_first_ns(const struct lane_heap *heap)
{
	const struct lane_heap_entry *entries = heap->entries;
	uint32_t stream = entries[0].stream;
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t i = 1; i < heap->n && i <= 2; i++) {
		uint64_t ns = entries[i].ns + (stream < entries[i].stream);

		first_ns = ns < first_ns ? ns : first_ns;
	}
	return first_ns;
}

/* Takes the first one out; there must be one. */
static inline void lane_heap_pop(struct lane_heap *heap)
{
	struct lane_heap_entry last = heap->entries[--heap->n];

	if (heap->n)
		lane_heap_replace(heap, last);
}

/* Adds an entry; there must be room. */
static inline void lane_heap_push(struct lane_heap *heap, struct lane_heap_entry entry)
{
	uint32_t at = heap->n++;

	while (at && lane_heap_before(entry, heap->entries[(at - 1) / 2])) {
		heap->entries[at] = heap->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->entries[at] = entry;
}

#endif
