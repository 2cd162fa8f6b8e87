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
		struct lane_span begin, end;
		uint32_t context;
	} runs[RUNS];
	uint32_t n;	/* so many in all */
	uint32_t now;	/* id of the context that runs, valid if running */
	uint32_t seqno; /* of the request that runs */
	struct lane_span since;
	struct lane_span ran; /* what runs had run for before */
	bool is_running;
};

static struct lane_recent *recent_of(struct lane_latency *latency, const struct lane_engine *engine)
{
	struct lane_engine_stats *stats = latency_engine_stats(latency, engine);

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

/* Of a run whose begin and end are known within bounds. */
static struct lane_span overlaps(struct lane_span begin, struct lane_span end, uint64_t from,
				 uint64_t to)
{
	return (struct lane_span){ overlap(begin.hi, end.lo, from, to),
				   overlap(begin.lo, end.hi, from, to) };
}

static uint64_t saturated(uint64_t ns, uint64_t more)
{
	return ns > UINT64_MAX - more ? UINT64_MAX : ns + more;
}

static void blame(struct lane_latency *latency, const struct lane_request *rq, uint32_t context,
		  struct lane_span ns, uint64_t whole_ns)
{
	struct lane_blame *sum;
	bool fresh;

	if (!ns.hi)
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
	if (sum->last != latency->leaves) {
		sum->requests++;
		sum->of_last_ns = 0;
	}
	sum->last = latency->leaves;
	/* Runs that follow each other share a boundary that both bounds take in. */
	if (ns.hi > whole_ns - sum->of_last_ns)
		ns.hi = whole_ns - sum->of_last_ns;
	sum->of_last_ns += ns.hi;
	timeline_span_add(&sum->ns, ns);
}

/* rq leaves the driver's queue: what ran since its submit was before it. */
static void leaves_host(struct lane_latency *latency, const struct lane_request *rq, uint64_t at_ns)
{
	struct lane_recent *recent = recent_of(latency, rq->engine);
	uint64_t from_ns = rq->submit_ns;

	if (!recent || !(rq->seen & LANE_SEEN_SUBMIT) || from_ns > at_ns ||
	    !latency_selected(latency, rq))
		return;
	latency->leaves++;
	if (recent->is_running)
		blame(latency, rq, recent->now,
		      overlaps(recent->since, (struct lane_span){ at_ns, at_ns }, from_ns, at_ns),
		      at_ns - from_ns);
	for (uint32_t i = 0; i < recent->n && i < RUNS; i++) {
		const struct lane_recent_run *run = &recent->runs[(recent->n - 1 - i) % RUNS];

		if (run->end.hi <= from_ns)
			return;
		blame(latency, rq, run->context, overlaps(run->begin, run->end, from_ns, at_ns),
		      at_ns - from_ns);
	}
}

/*
 * When a run that began at begin_ns was over at the earliest. A job that left its ring without a
 * known end may never have been in the hardware; one that has begun had its ring until shortly
 * before (R33).
 */
static uint64_t over_since(const struct lane_request *rq, uint64_t begin_ns, uint64_t at_ns)
{
	if (rq->may_be_skipped)
		return begin_ns;
	if (!rq->context->is_drm || !(rq->doubt & LANE_DOUBT_END))
		return at_ns;
	return at_ns - begin_ns > LANE_INTERRUPT_NS ? at_ns - LANE_INTERRUPT_NS : begin_ns;
}

/* What ran is over, at at_ns at the earliest: how long it ran bounds when it began and ended. */
static void closes(struct lane_recent *recent, const struct lane_request *rq, uint64_t at_ns)
{
	uint64_t least = rq->running.lo > recent->ran.lo ? rq->running.lo - recent->ran.lo : 0;
	uint64_t most = rq->running.hi > recent->ran.hi ? rq->running.hi - recent->ran.hi : 0;
	struct lane_recent_run run = { .begin = recent->since, .context = recent->now };

	run.end.lo = over_since(rq, run.begin.lo, at_ns);
	run.end.hi = saturated(run.begin.lo, most);
	if (run.end.hi < at_ns)
		run.end.hi = at_ns;
	if (least < at_ns && at_ns - least < run.begin.hi && at_ns - least >= run.begin.lo)
		run.begin.hi = at_ns - least;
	if (run.end.hi > run.begin.lo)
		recent->runs[recent->n++ % RUNS] = run;
}

/*
 * What ran has its end told later, but something else has the engine since then: it was over by
 * that. How long it ran is not known here.
 */
static void gives_way(struct lane_recent *recent, struct lane_span since)
{
	recent->runs[recent->n++ % RUNS] = (struct lane_recent_run){
		.begin = recent->since,
		.end = { recent->since.lo, since.hi },
		.context = recent->now,
	};
}

/* Since when rq has the engine: bounded by its first start, or by how long it was away. */
static struct lane_span since_when(const struct lane_request *rq, uint64_t at_ns)
{
	uint64_t hi = rq->preempted.hi ? saturated(at_ns, rq->preempted.hi - rq->preempted.lo)
				       : rq->start.hi;

	return (struct lane_span){ at_ns, hi > at_ns ? hi : at_ns };
}

static void opens(struct lane_recent *recent, const struct lane_request *rq, uint64_t at_ns)
{
	recent->is_running = true;
	recent->now = rq->context->id;
	recent->seqno = rq->seqno;
	recent->ran = rq->running;
	recent->since = since_when(rq, at_ns);
}

static bool is_running(const struct lane_recent *recent, const struct lane_request *rq)
{
	return recent->is_running && recent->now == rq->context->id && recent->seqno == rq->seqno;
}

void latency_on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		      uint64_t at_ns)
{
	struct lane_latency *latency = arg;
	struct lane_recent *recent;

	/* Behind whom a job stood there nobody knows: the ring's jobs run in an order of their own.
	 */
	if (!rq->engine || rq->engine->is_unordered)
		return;
	if (from == LANE_RQ_STATE_HOST && rq->state == LANE_RQ_STATE_DEVICE)
		leaves_host(latency, rq, at_ns);
	if (from != LANE_RQ_STATE_RUNNING && rq->state != LANE_RQ_STATE_RUNNING)
		return;
	recent = recent_of(latency, rq->engine);
	if (!recent)
		return;
	if (from == LANE_RQ_STATE_RUNNING && is_running(recent, rq)) {
		closes(recent, rq, at_ns);
		recent->is_running = false;
	}
	if (rq->state == LANE_RQ_STATE_RUNNING) {
		if (recent->is_running)
			gives_way(recent, since_when(rq, at_ns));
		opens(recent, rq, at_ns);
	}
}
