// SPDX-License-Identifier: MIT
// Whose requests had an engine while another request waited.
#include "latency/ahead.h"

#include <stdlib.h>

#include "base/vector.h"

/* Runs and idle times kept of each engine. What was before the oldest of them is unknown. */
#define RUNS 1024

struct ahead_entry {
	const struct lane_context *context; /* NULL: the engine was idle */
	struct lane_client *client;	    /* who submitted it; NULL: not seen */
	struct lane_span begin, end;
	uint32_t seqno;
	bool is_certain; /* it had the engine then, within these bounds */
	bool is_maybe;	 /* it had the engine then, or nobody had */
};

struct lane_ahead_line {
	struct ahead_entry *entries; /* a ring of RUNS, which grows to that */
	size_t room;
	uint64_t n;		/* so far */
	uint64_t ordered;	/* from this one on each begins no sooner than the one before it */
	struct ahead_entry now; /* what runs: its end is not told yet */
	bool is_running;
};

/* The line of an engine, made anew; NULL: there is no memory. */
static struct lane_ahead_line *line_new(struct lane_ahead *ahead, const struct lane_engine *engine)
{
	struct lane_ahead_line **line;

	if (!LANE_GROW(ahead->lines, ahead->n, (size_t)engine->id + 1)) {
		ahead->no_memory = true;
		return NULL;
	}
	line = &ahead->lines[engine->id];
	*line = calloc(1, sizeof(**line));
	ahead->no_memory |= !*line;
	return *line;
}

/* The line of an engine; NULL: its jobs run in an unknown order, or there is no memory. */
static inline struct lane_ahead_line *line_of(struct lane_ahead *ahead,
					      const struct lane_engine *engine)
{
	if (engine->is_unordered)
		return NULL;
	return engine->id < ahead->n && ahead->lines[engine->id] ? ahead->lines[engine->id]
								 : line_new(ahead, engine);
}

static void ahead_keep(struct lane_ahead *ahead, const struct lane_engine *engine,
		       struct ahead_entry entry)
{
	struct lane_ahead_line *line = line_of(ahead, engine);

	if (!line)
		return;
	if (line->n && entry.begin.lo < line->entries[(line->n - 1) % RUNS].begin.lo)
		line->ordered = line->n;
	if (!LANE_GROW(line->entries, line->room, line->n % RUNS + 1)) {
		ahead->no_memory = true;
		return;
	}
	line->entries[line->n++ % RUNS] = entry;
}

static bool ahead_is_of(const struct ahead_entry *e, const struct lane_request *rq)
{
	return e->context == rq->context && e->seqno == rq->seqno;
}

void latency_ahead_runs(struct lane_ahead *ahead, const struct lane_request *rq, uint64_t at_ns)
{
	bool runs = rq->state == LANE_RQ_STATE_RUNNING;
	struct lane_ahead_line *line = rq->engine ? line_of(ahead, rq->engine) : NULL;

	if (!line || (!runs && !ahead_is_of(&line->now, rq)))
		return;
	line->is_running = runs;
	line->now = (struct ahead_entry){
		.context = rq->context,
		.client = rq->client,
		.begin = { at_ns, LANE_NEVER },
		.end = { 0, LANE_NEVER },
		.seqno = rq->seqno,
	};
}

void latency_ahead_run(struct lane_ahead *ahead, const struct lane_run *run, bool is_maybe)
{
	ahead_keep(ahead, run->engine,
		   (struct ahead_entry){ .context = run->request->context,
					 .client = run->request->client,
					 .begin = run->begin,
					 .end = run->end,
					 .seqno = run->request->seqno,
					 .is_certain = !run->is_unsure,
					 .is_maybe = is_maybe });
}

void latency_ahead_idle(struct lane_ahead *ahead, const struct lane_idle *idle)
{
	if (!idle->is_unsure && !idle->is_first)
		ahead_keep(ahead, idle->engine,
			   (struct ahead_entry){ .begin = timeline_span_exact(idle->begin_ns),
						 .end = timeline_span_exact(idle->end_ns),
						 .is_certain = true });
}

void latency_ahead_loss(struct lane_ahead *ahead, const struct lane_loss *loss)
{
	ahead->lossy_until_ns = timeline_later(ahead->lossy_until_ns, loss->end_ns);
	ahead->losses[ahead->n_losses++ % LANE_AHEAD_LOSSES] =
		(struct lane_ahead_loss){ { loss->begin_ns, loss->end_ns }, ahead->lossy_until_ns };
}

bool latency_ahead_is_lossy(const struct lane_ahead *ahead, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t i = ahead->n_losses;
	uint64_t oldest = i > LANE_AHEAD_LOSSES ? i - LANE_AHEAD_LOSSES : 0;

	while (i-- > oldest) {
		const struct lane_ahead_loss *loss = &ahead->losses[i % LANE_AHEAD_LOSSES];

		if (from_ns > loss->until_ns)
			return false;
		if (loss->span.lo <= to_ns && loss->span.hi >= from_ns)
			return true;
	}
	/* The oldest of them took the place of another one. */
	return oldest && from_ns <= ahead->losses[oldest % LANE_AHEAD_LOSSES].span.hi;
}

uint64_t latency_ahead_lost_ns(const struct lane_ahead *ahead, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = 0;

	if (ahead->n_losses > LANE_AHEAD_LOSSES)
		return UINT64_MAX;
	for (uint64_t i = 0; i < ahead->n_losses; i++)
		ns += timeline_overlap(ahead->losses[i].span.lo, ahead->losses[i].span.hi, from_ns,
				       to_ns);
	return ns;
}

/* For how long it had the engine from `from` to `to`. */
static inline struct lane_span had(const struct ahead_entry *e, struct lane_span from,
				   struct lane_span to)
{
	return (struct lane_span){
		e->is_certain ? timeline_overlap(e->begin.hi, e->end.lo, from.hi, to.lo) : 0,
		timeline_overlap(e->begin.lo, e->end.hi, from.lo, to.hi),
	};
}

/* Adds a run to its context's part. */
static inline void ahead_add_run(struct lane_ahead_sum *sum, const struct ahead_entry *e,
				 struct lane_span ns)
{
	struct lane_client *client = timeline_one_of_several(e->context, e->client);
	struct lane_ahead_part *part = sum->parts, *end = sum->parts + sum->n;

	while (part < end && (part->context != e->context || part->client != client))
		part++;
	if (part < end) {
		timeline_span_add(&part->ns, ns);
	} else if (sum->n < LANE_AHEAD_CONTEXTS) {
		*part = (struct lane_ahead_part){ e->context, client, ns };
		sum->n++;
	} else {
		sum->unknown_ns += ns.hi;
	}
}

/* Nobody had it for longer than there is time beside the others. */
static void ahead_bound(struct lane_ahead_sum *sum, uint64_t whole_ns, uint64_t certain_ns)
{
	for (uint32_t i = 0; i < sum->n; i++) {
		struct lane_span *ns = &sum->parts[i].ns;
		uint64_t others_ns = certain_ns - ns->lo;
		uint64_t most_ns = whole_ns > others_ns ? whole_ns - others_ns : 0;

		ns->hi += sum->unknown_ns;
		if (ns->hi > most_ns)
			ns->hi = most_ns > ns->lo ? most_ns : ns->lo;
	}
}

/*
 * Between two certain runs that are told one after the other nobody had the engine, unless events
 * were lost there. A run that may have been is told between them.
 */
static void ahead_add_line(const struct lane_ahead *ahead, const struct lane_ahead_line *line,
			   const struct lane_request *rq, uint64_t idle_until_ns,
			   struct lane_span from, struct lane_span to, struct lane_ahead_sum *sum)
{
	const struct ahead_entry *const first = line->entries, *const last = first + RUNS - 1;
	const struct ahead_entry *e = first + line->n % RUNS, *before;
	uint64_t left = 0, most = timeline_sooner(line->n, RUNS);
	uint64_t ordered = line->n - line->ordered; /* so many are in order */
	uint64_t covered_ns = timeline_later(from.lo, idle_until_ns), certain_ns = 0;
	bool follows = false;
	struct lane_span ns;

	/* Back to the oldest that may reach into this time. */
	for (; left < most; left++, e = before) {
		before = e == first ? last : e - 1;
		follows = before->end.hi <= from.lo && before->is_certain;
		if (follows)
			break;
	}
	for (; left; left--, e = e == last ? first : e + 1) {
		/* None of the rest had it in this time, or tells that it was idle. */
		if (e->begin.lo >= to.hi && (covered_ns >= to.hi || !follows) && left <= ordered)
			break;
		if (e->is_certain) {
			if (e->begin.lo > covered_ns &&
			    (!follows || latency_ahead_is_lossy(ahead, covered_ns, e->begin.lo)))
				sum->unknown_ns +=
					timeline_overlap(covered_ns, e->begin.lo, from.lo, to.hi);
			covered_ns = timeline_later(covered_ns, e->end.hi);
			follows = true;
		} else if (!e->is_maybe) {
			follows = false;
		}
		if (e->begin.lo >= to.hi || ahead_is_of(e, rq))
			continue;
		ns = had(e, from, to);
		certain_ns += ns.lo;
		if (e->context && ns.hi)
			ahead_add_run(sum, e, ns);
	}
	if (line->is_running && line->now.begin.lo < to.hi && !ahead_is_of(&line->now, rq))
		ahead_add_run(sum, &line->now, had(&line->now, from, to));
	sum->unknown_ns += timeline_overlap(covered_ns, to.hi, from.lo, to.hi);
	/* Runs that nobody is known for may lie over each other. */
	sum->unknown_ns = timeline_sooner(sum->unknown_ns, to.hi - from.lo);
	ahead_bound(sum, to.hi - from.lo, certain_ns);
}

void latency_ahead_of(const struct lane_ahead *ahead, const struct lane_request *rq,
		      struct lane_span from, struct lane_span to, struct lane_ahead_sum *sum)
{
	const struct lane_engine *engine = rq->first_engine ? rq->first_engine : rq->engine;

	sum->n = 0;
	sum->unknown_ns = to.hi > from.lo ? to.hi - from.lo : 0;
	if (!sum->unknown_ns || !engine || engine->id >= ahead->n || !ahead->lines[engine->id])
		return;
	/* Of a firmware's engine the next run may be told first. */
	if (engine->submission != LANE_SUBMISSION_GUC)
		sum->unknown_ns = 0;
	ahead_add_line(ahead, ahead->lines[engine->id], rq, engine->idle_until_ns, from, to, sum);
}

static const struct lane_client *ahead_owner_of(const struct lane_ahead_part *part)
{
	return part->client ? part->client : part->context->client;
}

struct lane_ahead_part latency_ahead_most(const struct lane_ahead_sum *sum, uint64_t half_ns)
{
	struct lane_ahead_part most = { 0 };

	for (uint32_t i = 0; i < sum->n; i++) {
		struct lane_ahead_part all = sum->parts[i];

		for (uint32_t k = i + 1; k < sum->n; k++)
			if (ahead_owner_of(&sum->parts[k]) == ahead_owner_of(&all))
				timeline_span_add(&all.ns, sum->parts[k].ns);
		if (all.ns.lo >= half_ns && all.ns.lo > most.ns.lo)
			most = all;
	}
	return most;
}

void latency_ahead_deinit(struct lane_ahead *ahead)
{
	for (uint32_t i = 0; i < ahead->n; i++) {
		if (ahead->lines[i])
			free(ahead->lines[i]->entries);
		free(ahead->lines[i]);
	}
	free(ahead->lines);
	*ahead = (struct lane_ahead){ 0 };
}
