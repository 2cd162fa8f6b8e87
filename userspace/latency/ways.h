/* SPDX-License-Identifier: MIT */
/* Times in which something was under way, each counted once: the last ones, in no order and over
 * each other, and for how long before. */
#ifndef LANE_LATENCY_WAYS_H
#define LANE_LATENCY_WAYS_H

#include "timeline/timeline.h"

struct lane_ways {
	struct lane_span *all;
	uint32_t n, room;
	uint64_t ns, until_ns; /* so long up to then; of what comes later, and was before, nothing
				* counts any more */
	bool is_short;	       /* something came too late to be counted whole */
};

/* false: no memory. */
bool latency_ways_add(struct lane_ways *ways, struct lane_span way);

/* All that was added is in `ns` now. */
void latency_ways_sum(struct lane_ways *ways);

void latency_ways_deinit(struct lane_ways *ways);

#endif
