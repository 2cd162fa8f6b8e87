// SPDX-License-Identifier: MIT
// Finds events that several buffers have recorded: of one CPU, thread, kind and payload, at nearly
// the same time.
#include "decode/duplicates.h"

#include <stdlib.h>

#include "base/table.h"

enum {
	/* Events of one kind on one CPU that not every buffer has yet: an interrupt records its own
	 * between those of what it interrupted, and a coarse clock gives many the same time. */
	MOST_OPEN = 16,
};

struct seen_event {
	uint64_t ns;
	uint64_t hash;
	uint64_t buffers; /* that had it, a bit each: from one of them it is another event */
};

/* The last events of one kind on one CPU, a ring. */
struct seen_kind {
	struct seen_event events[MOST_OPEN];
	uint32_t n; /* so far */
};

struct lane_duplicates {
	struct lane_table by_kind; /* CPU, kind */
	struct lane_pool pool;
	uint64_t within_ns;
};

struct lane_duplicates *decode_duplicates_create(uint64_t within_ns)
{
	struct lane_duplicates *doubles = calloc(1, sizeof(*doubles));

	if (!doubles)
		return NULL;
	doubles->pool.size = sizeof(struct seen_kind);
	doubles->within_ns = within_ns;
	return doubles;
}

void decode_duplicates_destroy(struct lane_duplicates *doubles)
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
	uint64_t hash = 0xcbf29ce484222325ull ^ (uint32_t)event->wire.tid;

	for (unsigned int i = 0; i < lane_kinds[event->wire.kind].payload_bytes; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

/* The first of the events that is `now` and that its buffer has not told yet. NULL: none. */
static struct seen_event *find_seen(const struct lane_duplicates *doubles, struct seen_kind *kind,
				    const struct seen_event *now)
{
	struct seen_event *found = NULL;

	for (uint32_t back = 1; back <= MOST_OPEN && back <= kind->n; back++) {
		struct seen_event *seen = &kind->events[(kind->n - back) % MOST_OPEN];

		if (now->ns - seen->ns > doubles->within_ns)
			break;
		if (seen->hash == now->hash && !(seen->buffers & now->buffers))
			found = seen;
	}
	return found;
}

bool decode_duplicates_has(struct lane_duplicates *doubles, const struct lane_event *event,
			   uint32_t buffer)
{
	const struct seen_event now = { event->wire.ts_ns, hash_of(event), 1ull << buffer % 64 };
	uint64_t cpu = (uint64_t)(uint32_t)event->cpu;
	struct seen_kind *kind = lane_table_get(&doubles->by_kind, cpu, event->wire.kind);
	struct seen_event *seen;

	if (!kind) {
		/* Without memory doubles stay: better than events that are missing. */
		kind = lane_pool_get(&doubles->pool);
		if (!kind || !lane_table_put(&doubles->by_kind, cpu, event->wire.kind, kind))
			return false;
	}
	seen = find_seen(doubles, kind, &now);
	if (seen)
		seen->buffers |= now.buffers;
	else
		kind->events[kind->n++ % MOST_OPEN] = now;
	return seen != NULL;
}
