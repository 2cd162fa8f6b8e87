// SPDX-License-Identifier: MIT
// For how long something was under way, however many did it at once.
#include "latency/ways.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/vector.h"

#define WAYS (1u << 12)

LANE_ORDER(by_begin, struct lane_span, LANE_UP(lo))

void latency_ways_sum(struct lane_ways *ways)
{
	if (ways->n)
		qsort(ways->all, ways->n, sizeof(*ways->all), by_begin);
	for (uint32_t i = 0; i < ways->n; i++) {
		uint64_t from_ns = timeline_later(ways->all[i].lo, ways->until_ns);

		ways->ns += ways->all[i].hi > from_ns ? ways->all[i].hi - from_ns : 0;
		ways->until_ns = timeline_later(ways->until_ns, ways->all[i].hi);
	}
	ways->n = 0;
}

/* What overlaps the last one makes it longer. */
bool latency_ways_add(struct lane_ways *ways, struct lane_span way)
{
	struct lane_span *last = ways->n ? &ways->all[ways->n - 1] : NULL;

	ways->is_short |= way.lo < ways->until_ns;
	if (last && way.lo <= last->hi && way.hi >= last->lo) {
		*last = (struct lane_span){ timeline_sooner(last->lo, way.lo),
					    timeline_later(last->hi, way.hi) };
		return true;
	}
	if (ways->n == WAYS) {
		latency_ways_sum(ways);
		ways->is_short |= way.lo < ways->until_ns;
	}
	last = LANE_APPEND(ways->all, ways->n, ways->room);
	if (last)
		*last = way;
	return last;
}

void latency_ways_deinit(struct lane_ways *ways)
{
	free(ways->all);
}
