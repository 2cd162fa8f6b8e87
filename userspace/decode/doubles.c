// SPDX-License-Identifier: MIT
// Finds events that two buffers have recorded: of one CPU, kind and payload, at nearly the same
// time.
#include "decode/doubles.h"

#include <stdlib.h>

#include "base/table.h"

/* The last event of one kind on one CPU. */
struct seen_event {
	uint64_t ns;
	uint64_t hash;
	uint64_t buffers; /* that had it, a bit each: from one of them it is another event */
};

struct lane_doubles {
	struct lane_table by_kind; /* CPU, kind */
	struct lane_pool pool;
	uint64_t within_ns;
};

struct lane_doubles *decode_doubles_create(uint64_t within_ns)
{
	struct lane_doubles *doubles = calloc(1, sizeof(*doubles));

	if (!doubles)
		return NULL;
	doubles->pool.size = sizeof(struct seen_event);
	doubles->within_ns = within_ns;
	return doubles;
}

void decode_doubles_destroy(struct lane_doubles *doubles)
{
	if (!doubles)
		return;
	lane_table_free(&doubles->by_kind);
	lane_pool_free(&doubles->pool);
	free(doubles);
}

static uint64_t hash_of(const struct lane_event *event)
{
	const uint8_t *at = (const uint8_t *)&event->u;
	uint64_t hash = 0xcbf29ce484222325ull;

	for (unsigned int i = 0; i < lane_kinds[event->wire.kind].payload_bytes; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

bool decode_doubles_has(struct lane_doubles *doubles, const struct lane_event *event,
			uint32_t buffer)
{
	const struct seen_event now = { event->wire.ts_ns, hash_of(event), 1ull << buffer % 64 };
	uint64_t cpu = (uint64_t)(uint32_t)event->cpu;
	struct seen_event *seen = lane_table_get(&doubles->by_kind, cpu, event->wire.kind);

	if (!seen) {
		/* Without memory doubles stay: better than events that are missing. */
		seen = lane_pool_get(&doubles->pool);
		if (seen && lane_table_put(&doubles->by_kind, cpu, event->wire.kind, seen))
			*seen = now;
		return false;
	}
	if (!(seen->buffers & now.buffers) && seen->hash == now.hash &&
	    now.ns - seen->ns <= doubles->within_ns) {
		seen->buffers |= now.buffers;
		return true;
	}
	*seen = now;
	return false;
}
