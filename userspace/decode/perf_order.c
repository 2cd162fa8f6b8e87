// SPDX-License-Identifier: MIT
/*
 * Puts the events of a perf.data in order. perf reads the CPUs' buffers in turn and notes the end
 * of each round (PERF_RECORD_FINISHED_ROUND): what is in a buffer after a round is later than all
 * that was read in the round before. So events wait for the end of the next round, and no longer.
 * What waits is bounded: beyond that the older half is given out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "decode/perf_data.h"

enum {
	FULL_BYTES = 64 << 20, /* of events that wait */
};

/* An event as it waits; its payload's bytes follow, then what goes with it. */
struct packed {
	int32_t cpu;
	uint32_t n_more;
	struct lane_raw raw;
	struct lane_wire wire;
};

/* How much of an event waits: its payload; add_dep's ring of before Linux 6.17 stands behind it. */
static size_t payload_of(const struct lane_wire *wire)
{
	if (wire->kind == LANE_PERF_NO_EVENT)
		return 0;
	return wire->kind == LANE_DRM_ADD_DEP ? sizeof(((struct lane_event *)NULL)->u.drm_wait)
					      : lane_kinds[wire->kind].payload_bytes;
}

static size_t bytes_of(const struct packed *packed)
{
	return (sizeof(*packed) + payload_of(&packed->wire) + packed->n_more + 7) & ~(size_t)7;
}

struct packed_entry {
	uint64_t ns;
	uint64_t at; /* of its packed, rising as they came */
};

struct lane_perf_order {
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	struct packed_entry
		*entries; /* those before n_ready are sorted, and given out up to next */
	size_t n, cap, n_ready, next;
	uint64_t max_ns, round_ns; /* of all; of those before the last round's end */
	bool has_begun;		   /* something was given out */
	uint64_t first_ns;	   /* the earliest time that is one */
};

struct lane_perf_order *decode_perf_order_create(void)
{
	struct lane_perf_order *order = calloc(1, sizeof(*order));

	if (order)
		order->first_ns = UINT64_MAX;
	return order;
}

void decode_perf_order_destroy(struct lane_perf_order *order)
{
	if (!order)
		return;
	free(order->bytes);
	free(order->entries);
	free(order);
}

static bool perf_order_reserve(struct lane_perf_order *order, size_t bytes)
{
	return LANE_GROW(order->bytes, order->cap_bytes, order->n_bytes + bytes) &&
	       LANE_GROW(order->entries, order->cap, order->n + 1);
}

bool decode_perf_order_add(struct lane_perf_order *order, const struct lane_event *event,
			   const void *more, size_t n_more)
{
	const struct packed packed = { event->cpu, (uint32_t)n_more, event->raw, event->wire };
	size_t payload = payload_of(&event->wire);
	size_t bytes = bytes_of(&packed);
	uint8_t *to;

	if (!perf_order_reserve(order, bytes))
		return false;
	order->entries[order->n++] = (struct packed_entry){ event->wire.ts_ns, order->n_bytes };
	to = order->bytes + order->n_bytes;
	memcpy(to, &packed, sizeof(packed));
	memcpy(to + sizeof(packed), &event->u, payload);
	if (n_more)
		memcpy(to + sizeof(packed) + payload, more, n_more);
	order->n_bytes += bytes;
	if (event->wire.ts_ns > order->max_ns)
		order->max_ns = event->wire.ts_ns;
	if (event->wire.ts_ns && event->wire.ts_ns < order->first_ns)
		order->first_ns = event->wire.ts_ns;
	return true;
}

bool decode_perf_order_is_full(const struct lane_perf_order *order)
{
	return order->n_bytes >= FULL_BYTES;
}

uint64_t decode_perf_order_last(const struct lane_perf_order *order)
{
	return order->max_ns;
}

LANE_ORDER(compare, struct packed_entry, LANE_UP(ns) ?: LANE_UP(at))

/* Forgets what was given out. */
static bool perf_order_compact(struct lane_perf_order *order)
{
	size_t left = order->n - order->next, n_bytes = 0;
	uint8_t *bytes = NULL;

	if (!order->next)
		return true;
	if (left) {
		bytes = malloc(order->cap_bytes);
		if (!bytes)
			return false;
	}
	for (size_t i = 0; i < left; i++) {
		struct packed_entry *entry = &order->entries[order->next + i];
		struct packed packed;
		size_t n;

		memcpy(&packed, order->bytes + entry->at, sizeof(packed));
		n = bytes_of(&packed);
		memcpy(bytes + n_bytes, order->bytes + entry->at, n);
		order->entries[i] = (struct packed_entry){ entry->ns, n_bytes };
		n_bytes += n;
	}
	if (left) {
		free(order->bytes);
		order->bytes = bytes;
	}
	order->n = left;
	order->n_bytes = n_bytes;
	order->next = order->n_ready = 0;
	return true;
}

/* Sorts what waits. */
static bool perf_order_sort(struct lane_perf_order *order)
{
	/* Without a time: before the events, or behind those that were given out. */
	uint64_t untimed_ns = order->has_begun ? order->max_ns : order->first_ns;

	if (!perf_order_compact(order))
		return false;
	if (untimed_ns != UINT64_MAX)
		for (size_t i = 0; i < order->n; i++)
			if (!order->entries[i].ns)
				order->entries[i].ns = untimed_ns;
	LANE_SORT(order->entries, order->n, compare);
	return true;
}

bool decode_perf_order_round(struct lane_perf_order *order)
{
	uint64_t limit_ns = order->round_ns;

	order->round_ns = order->max_ns;
	if (!perf_order_sort(order))
		return false;
	while (order->n_ready < order->n && order->entries[order->n_ready].ns <= limit_ns)
		order->n_ready++;
	order->has_begun |= order->n_ready > 0;
	return true;
}

bool decode_perf_order_flush(struct lane_perf_order *order, bool all)
{
	if (!perf_order_sort(order))
		return false;
	order->n_ready = all ? order->n : (order->n + 1) / 2;
	order->has_begun = true;
	return true;
}

bool decode_perf_order_next(struct lane_perf_order *order, struct lane_event *event,
			    const uint8_t **more, size_t *n_more)
{
	const struct packed_entry *entry;
	struct packed packed;
	size_t payload;

	if (order->next == order->n_ready)
		return false;
	entry = &order->entries[order->next++];
	memcpy(&packed, order->bytes + entry->at, sizeof(packed));
	event->wire = packed.wire;
	event->wire.ts_ns = entry->ns;
	event->cpu = packed.cpu;
	event->host = 0;
	event->raw = packed.raw;
	payload = payload_of(&packed.wire);
	memcpy(&event->u, order->bytes + entry->at + sizeof(packed), payload);
	*more = order->bytes + entry->at + sizeof(packed) + payload;
	*n_more = packed.n_more;
	return true;
}
