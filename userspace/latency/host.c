// SPDX-License-Identifier: MIT
// Whom requests in the driver's queue stood behind: what ran on their engine meanwhile.
#include "latency/sums.h"

#include <stdlib.h>

/*
 * The last runs of an engine. A request that waited for longer than they reach back has the rest of
 * its time blamed on nobody.
 */
#define RUNS 128

struct lane_recent {
	struct lane_recent_run {
		uint64_t begin_ns, end_ns;
		uint32_t context;
	} runs[RUNS];
	uint32_t n;   /* so many in all */
	uint32_t now; /* id of the context that runs, valid if running */
	uint64_t since_ns;
	bool running;
};

static struct lane_recent *recent_of(struct lane_latency *latency, const struct lane_engine *engine)
{
	struct lane_engine_stats *stats = lane_engine_stats(latency, engine);

	if (!stats)
		return NULL;
	if (!stats->recent) {
		stats->recent = calloc(1, sizeof(*stats->recent));
		latency->no_memory |= !stats->recent;
	}
	return stats->recent;
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? b - a : 0;
}

static void blame(struct lane_latency *latency, const struct lane_request *rq, uint32_t context,
		  uint64_t ns)
{
	struct lane_blame *sum;
	bool fresh;

	if (!ns)
		return;
	sum = LANE_SUM_OF(latency, host_blames, (uint64_t)rq->context->client->id << 32 | context,
			  rq->engine->id, &fresh);
	if (!sum)
		return;
	if (fresh) {
		sum->victim = rq->context->client->id;
		sum->engine = rq->engine->id;
		sum->context = context;
	}
	sum->requests++;
	lane_span_add(&sum->ns, lane_span_exact(ns));
}

/* rq leaves the driver's queue: what ran since its submit was before it. */
static void leaves_host(struct lane_latency *latency, const struct lane_request *rq, uint64_t at_ns)
{
	struct lane_recent *recent = recent_of(latency, rq->engine);
	uint64_t from_ns = rq->submit_ns;

	if (!recent || !(rq->seen & LANE_SEEN_SUBMIT) || !lane_selected(latency, rq))
		return;
	if (recent->running)
		blame(latency, rq, recent->now, overlap(recent->since_ns, at_ns, from_ns, at_ns));
	for (uint32_t i = 0; i < recent->n && i < RUNS; i++) {
		const struct lane_recent_run *run = &recent->runs[(recent->n - 1 - i) % RUNS];

		if (run->end_ns <= from_ns)
			return;
		blame(latency, rq, run->context,
		      overlap(run->begin_ns, run->end_ns, from_ns, at_ns));
	}
}

void lane_on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		   uint64_t at_ns)
{
	struct lane_latency *latency = arg;
	struct lane_recent *recent;

	if (!rq->engine)
		return;
	if (from == LANE_RQ_STATE_HOST && rq->state == LANE_RQ_STATE_DEVICE)
		leaves_host(latency, rq, at_ns);
	if (from != LANE_RQ_STATE_RUNNING && rq->state != LANE_RQ_STATE_RUNNING)
		return;
	recent = recent_of(latency, rq->engine);
	if (!recent)
		return;
	if (recent->running && at_ns > recent->since_ns)
		recent->runs[recent->n++ % RUNS] =
			(struct lane_recent_run){ recent->since_ns, at_ns, recent->now };
	recent->running = rq->state == LANE_RQ_STATE_RUNNING;
	recent->now = rq->context->id;
	recent->since_ns = at_ns;
}
