// SPDX-License-Identifier: MIT
// Which contexts had the engine while requests waited in the driver's queue (host_queue).
#include "latency/sums.h"

#include <stdlib.h>

/* Runs kept of each engine. For waiting before the oldest of them no context is blamed. */
#define RUNS 128

struct lane_recent {
	struct lane_recent_run {
		struct lane_span begin, end;
		uint32_t context;
		bool is_doubtful; /* its request may not have had the engine then */
	} runs[RUNS];
	uint32_t n;		/* number of runs so far */
	uint32_t now;		/* id of the context that runs, valid if is_running */
	uint32_t seqno;		/* of the request that runs */
	struct lane_span since; /* begin of its run */
	struct lane_span ran;	/* time of its earlier runs */
	bool is_running, is_doubtful;
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

/* The overlap of a run with [from, to]. The begin and the end of the run have bounds. */
static struct lane_span overlaps(const struct lane_recent_run *run, uint64_t from, uint64_t to)
{
	return (struct lane_span){ run->is_doubtful ? 0
						    : overlap(run->begin.hi, run->end.lo, from, to),
				   overlap(run->begin.lo, run->end.hi, from, to) };
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
	if (sum->last != latency->n_handed_over) {
		sum->requests++;
		sum->last_ns = 0;
	}
	sum->last = latency->n_handed_over;
	/* Two runs in a row share a boundary. Both upper bounds contain its span: the sum may be
	 * beyond the whole time. */
	if (ns.hi > whole_ns - sum->last_ns)
		ns.hi = whole_ns - sum->last_ns;
	sum->last_ns += ns.hi;
	timeline_span_add(&sum->ns, ns);
}

/* What runs on rq's engine may be over, unheard: nothing tells that the jobs of its ring are done.
 */
static bool may_be_over(const struct lane_latency *latency, const struct lane_request *rq)
{
	return rq->context->is_drm && latency->info.presence[LANE_DRM_DONE] == LANE_PRESENCE_ABSENT;
}

/* rq is handed over: blames the contexts that ran between its submit and now. */
static void blame_host_queue(struct lane_latency *latency, const struct lane_request *rq,
			     uint64_t at_ns)
{
	struct lane_recent *recent = recent_of(latency, rq->engine);
	uint64_t from_ns = rq->submit_ns;

	if (!recent || !(rq->seen & LANE_SEEN_SUBMIT) || from_ns > at_ns ||
	    !latency_selected(latency, rq))
		return;
	latency->n_handed_over++;
	if (recent->is_running)
		blame(latency, rq, recent->now,
		      overlaps(&(struct lane_recent_run){ .begin = recent->since,
							  .end = { at_ns, at_ns },
							  .is_doubtful = recent->is_doubtful ||
									 may_be_over(latency, rq) },
			       from_ns, at_ns),
		      at_ns - from_ns);
	for (uint32_t i = 0; i < recent->n && i < RUNS; i++) {
		const struct lane_recent_run *run = &recent->runs[(recent->n - 1 - i) % RUNS];

		if (run->end.hi <= from_ns)
			return;
		blame(latency, rq, run->context, overlaps(run, from_ns, at_ns), at_ns - from_ns);
	}
}

/*
 * The earliest end of a run that began at begin_ns and is closed at at_ns. A job of drm_sched whose
 * end is not known may have been ended by a reset, which tells so some time after (R33).
 */
static uint64_t earliest_end(const struct lane_request *rq, uint64_t begin_ns, uint64_t at_ns)
{
	if (!rq->context->is_drm || !(rq->doubt & LANE_DOUBT_END) || rq->end.lo > at_ns)
		return at_ns;
	return rq->end.lo > begin_ns ? rq->end.lo : begin_ns;
}

/* rq may not have had the engine. What a job of drm_sched had has bounds of its own
 * (earliest_end()). */
static bool is_doubtful(const struct lane_request *rq)
{
	return rq->doubt & LANE_DOUBT_DEVICE && !rq->context->is_drm;
}

/* Keeps the run of rq, which ended at at_ns or later. The length of the run narrows its bounds. */
static void keep_run(struct lane_recent *recent, const struct lane_request *rq, uint64_t at_ns)
{
	uint64_t least = rq->running.lo > recent->ran.lo ? rq->running.lo - recent->ran.lo : 0;
	uint64_t most = rq->running.hi > recent->ran.hi ? rq->running.hi - recent->ran.hi : 0;
	struct lane_recent_run run = { .begin = recent->since,
				       .context = recent->now,
				       .is_doubtful = recent->is_doubtful || is_doubtful(rq) };

	run.end.lo = earliest_end(rq, run.begin.lo, at_ns);
	run.end.hi = saturated(run.begin.lo, most);
	if (run.end.hi < at_ns)
		run.end.hi = at_ns;
	if (least < at_ns && at_ns - least < run.begin.hi && at_ns - least >= run.begin.lo)
		run.begin.hi = at_ns - least;
	if (run.end.hi > run.begin.lo)
		recent->runs[recent->n++ % RUNS] = run;
}

/*
 * Keeps the run before, whose end is not reported yet: another request has the engine since
 * `since`. So the run before ended by since.hi. Its length is not known here.
 */
static void keep_displaced_run(struct lane_recent *recent, struct lane_span since)
{
	recent->runs[recent->n++ % RUNS] = (struct lane_recent_run){
		.begin = recent->since,
		.end = { recent->since.lo, since.hi },
		.context = recent->now,
		.is_doubtful = recent->is_doubtful,
	};
}

/* The begin of rq's run: bounded by its first start, or by the bounds of its time preempted. */
static struct lane_span run_begin(const struct lane_request *rq, uint64_t at_ns)
{
	uint64_t hi = rq->preempted.hi ? saturated(at_ns, rq->preempted.hi - rq->preempted.lo)
				       : rq->start.hi;

	return (struct lane_span){ at_ns, hi > at_ns ? hi : at_ns };
}

static void begin_run(struct lane_recent *recent, const struct lane_request *rq, uint64_t at_ns)
{
	recent->is_running = true;
	recent->now = rq->context->id;
	recent->seqno = rq->seqno;
	recent->ran = rq->running;
	recent->since = run_begin(rq, at_ns);
	recent->is_doubtful = is_doubtful(rq);
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

	/* The jobs of an unordered ring run in an unknown order: no context can be blamed. */
	if (!rq->engine || rq->engine->is_unordered)
		return;
	if (from == LANE_RQ_STATE_HOST && rq->state == LANE_RQ_STATE_DEVICE)
		blame_host_queue(latency, rq, at_ns);
	if (from != LANE_RQ_STATE_RUNNING && rq->state != LANE_RQ_STATE_RUNNING)
		return;
	recent = recent_of(latency, rq->engine);
	if (!recent)
		return;
	if (from == LANE_RQ_STATE_RUNNING && is_running(recent, rq)) {
		keep_run(recent, rq, at_ns);
		recent->is_running = false;
	}
	if (rq->state == LANE_RQ_STATE_RUNNING) {
		if (recent->is_running)
			keep_displaced_run(recent, run_begin(rq, at_ns));
		begin_run(recent, rq, at_ns);
	}
}
