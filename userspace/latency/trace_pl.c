// SPDX-License-Identifier: MIT
// The figures that IGT's trace.pl computes, by its formulas (docs/trace-pl.md).
#include "latency/sums.h"

#include <string.h>

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Adds [begin, end] to the union. Intervals come nearly in the order of their ends. */
static void unite(struct lane_trace_pl *pl, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_trace_pl_part part = { begin_ns, end_ns };
	uint32_t at;

	while (pl->n_parts) { /* merges the parts that touch the new interval */
		for (at = pl->n_parts; at; at--)
			if (pl->parts[at - 1].begin_ns <= part.end_ns)
				break;
		if (!at || pl->parts[at - 1].end_ns < part.begin_ns)
			break;
		if (pl->parts[at - 1].begin_ns < part.begin_ns)
			part.begin_ns = pl->parts[at - 1].begin_ns;
		if (pl->parts[at - 1].end_ns > part.end_ns)
			part.end_ns = pl->parts[at - 1].end_ns;
		memmove(&pl->parts[at - 1], &pl->parts[at],
			(pl->n_parts - at) * sizeof(pl->parts[0]));
		pl->n_parts--;
	}
	if (pl->n_parts == LANE_TRACE_PL_PARTS) {
		pl->union_ns += pl->parts[0].end_ns - pl->parts[0].begin_ns;
		memmove(pl->parts, pl->parts + 1, (pl->n_parts - 1) * sizeof(pl->parts[0]));
		pl->n_parts--;
	}
	for (at = pl->n_parts; at && pl->parts[at - 1].begin_ns > part.begin_ns; at--)
		pl->parts[at] = pl->parts[at - 1];
	pl->parts[at] = part;
	pl->n_parts++;
}

void latency_trace_pl_request(struct lane_latency *latency, const struct lane_request *rq)
{
	const uint8_t all =
		LANE_SEEN_ADD | LANE_SEEN_SUBMIT | LANE_SEEN_IN | LANE_SEEN_OUT | LANE_SEEN_SIGNAL;
	struct lane_trace_pl *pl;

	if (!rq->engine || (rq->seen & all) != all)
		return;
	pl = &latency->trace_pl[rq->engine->id];
	pl->requests++;
	pl->submit_delay_ns += minus(rq->submit_ns, rq->add_ns);
	pl->execute_delay_ns += minus(rq->in_ns, rq->submit_ns);
	pl->duration_ns += minus(rq->signal_ns, rq->in_ns);
	pl->context_save_ns += minus(rq->out_ns, rq->signal_ns);
	pl->total_ns += minus(rq->out_ns, rq->in_ns);
	if (rq->out_ns > rq->in_ns)
		unite(pl, rq->in_ns, rq->out_ns);
}

void latency_trace_pl_finish(struct lane_latency *latency)
{
	for (uint32_t i = 0; i < latency->n_engines; i++) {
		struct lane_trace_pl *pl = &latency->trace_pl[i];

		for (uint32_t k = 0; k < pl->n_parts; k++)
			pl->union_ns += pl->parts[k].end_ns - pl->parts[k].begin_ns;
		pl->n_parts = 0;
	}
}
