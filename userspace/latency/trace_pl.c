// SPDX-License-Identifier: MIT
// The figures that IGT's trace.pl computes, by its formulas (docs/trace-pl.md).
#include "latency/sums.h"

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void latency_trace_pl_request(struct lane_engine_stats *engine, const struct lane_request *rq)
{
	const uint8_t all =
		LANE_SEEN_ADD | LANE_SEEN_SUBMIT | LANE_SEEN_IN | LANE_SEEN_OUT | LANE_SEEN_SIGNAL;
	struct lane_trace_pl *pl = &engine->trace_pl;

	if ((rq->seen & all) != all)
		return;
	pl->requests++;
	pl->submit_delay_ns += minus(rq->submit_ns, rq->add_ns);
	pl->execute_delay_ns += minus(rq->in_ns, rq->submit_ns);
	pl->duration_ns += minus(rq->signal_ns, rq->in_ns);
	pl->context_save_ns += minus(rq->out_ns, rq->signal_ns);
	pl->total_ns += minus(rq->out_ns, rq->in_ns);
	latency_engine_time_busy_in(&pl->on_ports, rq->in_ns, rq->out_ns);
}
