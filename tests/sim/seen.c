// SPDX-License-Identifier: MIT
// The truth of who runs: the hardware's runs, each boundary at the time of the event that tells it
// (docs/sim.md). What is known while the world turns is collected, the times are made at its end.
#include <string.h>

#include "internal.h"

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

struct stamp seen_now(struct world *w, bool exact)
{
	return (struct stamp){ w->now, ++w->stamps, w->section, exact };
}

/* The hardware begins with rq, whose port was given by an `in` at that stamp. */
void seen_start(struct world *w, struct engine *e, struct rq *rq, struct stamp in)
{
	struct run *run = &vec_push(w, w->runs);

	*run = (struct run){ .rq = rq, .engine = e, .in = in, .hw_start = w->now };
	run->hw_end = SIM_NONE;
	vec_push(w, e->runs) = w->runs.n - 1;
}

/* The hardware stops with what it began last. */
void seen_stop(struct world *w, struct engine *e, bool complete)
{
	struct run *run = &w->runs.v[e->runs.v[e->runs.n - 1]];

	run->hw_end = w->now;
	run->complete = complete;
}

/* Other ports take the place of those that what ran last was on. */
void seen_replaced(struct world *w, struct engine *e)
{
	struct run *run = e->runs.n ? &w->runs.v[e->runs.v[e->runs.n - 1]] : NULL;

	if (!run || run->rq->ctx != e->hw.ctx)
		return;
	run->replaced = true;
	run->set = e->hw.load_set;
}

/* What a perfect observer cannot tell: so long may a pause come before the first that is taken
 * back. */
#define PAUSE_NS 1000

/* The request before rq in its context, NULL: there is none. */
static struct rq *one_before(const struct rq *rq)
{
	struct rq *before = NULL;

	for (uint32_t i = 0; i < rq->ctx->ring.n && rq->ctx->ring.v[i] != rq; i++)
		before = rq->ctx->ring.v[i];
	return before;
}

void seen_paused(struct world *w, struct engine *e, struct rq *rq)
{
	struct rq *before = rq ? one_before(rq) : NULL;

	if (before && before->complete && !before->told.no)
		vec_push(w, w->pauses) = (struct pause){ rq, before, w->section };
	for (uint32_t i = e->runs.n; rq && i--;) {
		const struct run *run = &w->runs.v[e->runs.v[i]];

		if (!run->complete)
			continue;
		if (!run->rq->told.no || run->rq->told.no < e->taken.no ||
		    run->rq->told.at + PAUSE_NS > w->now)
			vec_push(w, w->pauses) = (struct pause){ rq, run->rq, w->section };
		return;
	}
}

void seen_fired(struct world *w, struct engine *e)
{
	if (e->fired.section != w->section)
		e->fired_before = e->fired;
	e->fired = seen_now(w, false);
}

/*
 * When the driver began to idle the engine no event tells: after the run before. Only what that run
 * or an earlier one reported complete was so before the idling for sure, or what was told by then.
 */
void seen_idled(struct world *w, struct engine *e, struct rq *rq)
{
	for (uint32_t i = e->runs.n; rq && i--;) {
		const struct run *run = &w->runs.v[e->runs.v[i]];
		const struct stamp *told = &run->rq->told;

		if (!run->complete)
			continue;
		if (!told->no || (told->at > e->fired_before.at &&
				  !(told->exact && told->section && told->section != w->section)))
			rq_truth(w, rq)->unsure = true;
		return;
	}
}

/* Unless the hardware reported the completion to the tasklet that then set the pause. */
static void find_unsure(struct world *w)
{
	for (uint32_t i = 0; i < w->pauses.n; i++) {
		const struct pause *p = &w->pauses.v[i];

		if (!p->before->told.exact || p->before->told.section != p->section)
			rq_truth(w, p->rq)->unsure = true;
	}
}

/* The event that was just fired tells that rq is complete. exact: it stamps the end. */
void seen_complete(struct world *w, struct rq *rq, bool exact)
{
	if (!rq->told.no)
		rq->told = seen_now(w, exact);
}

/* A switch, an interrupt, and the rest of the run of the tasklet that told of the switch. */
#define LATE_NS 1200000

/*
 * A set may begin with what had the engine before: complete by the time at which the hardware took
 * the set, it is left at once. The interrupt that tells takes up to a millisecond.
 */
static bool may_be_older(const struct world *w, const struct engine *e, const struct port *port)
{
	return port->again && w->now <= e->taken.at + LATE_NS;
}

/*
 * The `out` of rq's port was fired: what ran there and is not complete left with it. If another set
 * had been taken the hardware may have left for that one, and rq been complete before.
 */
void seen_out(struct world *w, struct engine *e, struct rq *rq, const struct port *port)
{
	uint32_t set = port->set;

	if (rq->complete) {
		if (!w->sc->stock)
			seen_complete(w, rq, !port->replaced);
		if (may_be_older(w, e, port))
			rq_truth(w, rq)->late_out = true;
		return;
	}
	for (uint32_t i = e->runs.n; i--;) {
		struct run *run = &w->runs.v[e->runs.v[i]];

		if (run->replaced && run->set < set)
			break;
		if (!run->replaced || run->set != set || run->rq->ctx != rq->ctx)
			continue;
		if (!w->sc->stock)
			run->left = seen_now(w, true);
		return;
	}
	w->truth->seen.lite_restores++;
}

/*
 * Where no `out` is seen: the event that was just fired tells that the hardware has taken the ports
 * that the driver knows to be there. It marks no time.
 */
void seen_changed_over(struct world *w, struct engine *e)
{
	uint32_t set = e->inflight[e->active].set;

	for (uint32_t i = e->runs.n; w->sc->stock && i--;) {
		struct run *run = &w->runs.v[e->runs.v[i]];

		if (run->left.no)
			return;
		if (run->replaced && e->inflight[e->active].rq && run->set < set)
			run->left = seen_now(w, false);
	}
}

/* The event that tells itself that a run is over; no 0: none does. */
static struct stamp own_stamp(const struct run *run)
{
	struct stamp told = run->rq->told;

	return run->complete && told.no && (!run->left.no || told.no < run->left.no) ? told
										     : run->left;
}

static bool is_on(const struct lane_p_i915_engine_ports *ports, const struct rq *rq)
{
	return (ports->ctx0 == rq->ctx->id && rq->seqno <= ports->seqno0) ||
	       (ports->ctx1 == rq->ctx->id && rq->seqno <= ports->seqno1);
}

/*
 * rq is known to have been on the hardware: it was on ports that were told, or the driver has
 * dequeued since it was handed over, which it does when the hardware has taken what was written.
 */
static bool was_on(const struct world *w, const struct engine *e, const struct rq *rq)
{
	return is_on(&e->ports, rq) || (!w->sc->no_dequeues && rq->handed < e->dequeued);
}

/* The same: what was on the ports, and whose context is on none now, is complete. */
void seen_off_ports(struct world *w, struct engine *e, const struct lane_p_i915_engine_ports *now)
{
	for (uint32_t i = e->runs.n; w->sc->stock && i--;) {
		struct run *run = &w->runs.v[e->runs.v[i]];
		uint64_t ctx = run->rq->ctx->id;

		if (own_stamp(run).no) /* then those before it are told of, too */
			return;
		if (was_on(w, e, run->rq) && run->complete && ctx != now->ctx0 && ctx != now->ctx1)
			run->left = seen_now(w, false);
	}
}

/* What is known of a later end is known of those before it: `by` is the first event that tells. */
static void find_stamps(const struct world *w, const struct engine *e, struct stamp *by)
{
	struct stamp first = { 0 };

	for (uint32_t i = e->runs.n; i--;) {
		struct stamp own = own_stamp(&w->runs.v[e->runs.v[i]]);

		if (own.no && (!first.no || own.no < first.no))
			first = own;
		else
			first.exact = false;
		by[i] = first;
	}
}

static void add_span(struct world *w, const struct run *run, struct sim_span span)
{
	struct sim_request *t = rq_truth(w, run->rq);

	span.request = run->rq->index;
	span.engine = run->engine->index;
	span.culprit = SIM_NO;
	span.hw_start = run->hw_start;
	span.hw_end = run->hw_end;
	span.complete = run->complete;
	if (t->start == SIM_NONE || span.start < t->start) {
		t->start = span.start;
		t->start_exact = span.start_exact;
	}
	if (run->complete) {
		t->end = span.end;
		t->end_exact = span.end_exact;
	} else if (span.end != SIM_NONE) {
		t->preemptions++;
		w->truth->seen.preemptions++;
	}
	vec_push(w, w->spans) = span;
}

/* One run after the other: none begins before the one before it is over, or before its `in`. */
static void make_spans(struct world *w, const struct engine *e, struct stamp *by)
{
	struct sim_span last = { 0 };
	struct stamp over = { 0 }; /* tells that the one before is; exact: when */
	uint32_t victim = SIM_NO;

	for (uint32_t i = 0; i < e->runs.n; i++) {
		const struct run *run = &w->runs.v[e->runs.v[i]];
		bool waited = !over.no || over.no > run->in.no; /* for what ran before */
		struct sim_span span = { .start = last.end, .start_exact = !i || over.exact };

		if (!waited)
			span.start_exact = true;
		if (run->in.at > span.start)
			span.start = run->in.at;
		span.told = by[i].no ? by[i].at : SIM_NONE;
		span.end_exact = by[i].exact && (!run->complete || by[i].no == run->rq->told.no);
		if (by[i].exact)
			span.end = by[i].at;
		else if (run->hw_end != SIM_NONE)
			span.end = clamp(run->hw_end, span.start, by[i].no ? by[i].at : SIM_NONE);
		else
			span.end = SIM_NONE;
		if (by[i].no && by[i].at < run->hw_end)
			w->truth->seen.inconsistent++;
		/* That it began and that it left are told by one and the same tasklet: no time is
		 * between the two. (Up to 5.3 a tasklet cannot be told from the next.) */
		if (w->sc->submission != LANE_SUBMISSION_PER_REQUEST && by[i].exact && over.exact &&
		    over.section && over.section == by[i].section && waited &&
		    by[i].no == run->left.no) {
			rq_truth(w, run->rq)->skipped = by[i].at;
			if (!run->complete)
				continue;
			span.end = span.start;
			span.start_exact = false;
			by[i] = over;
		}
		if (victim != SIM_NO)
			w->spans.v[victim].culprit = run->rq->index;
		add_span(w, run, span);
		victim = run->complete ? SIM_NO : w->spans.n - 1;
		last = span;
		over = by[i];
	}
}

/* Of its context, up to last; NULL: none. */
static struct rq *first_incomplete(const struct rq *last)
{
	for (uint32_t i = 0; i < last->ctx->ring.n; i++) {
		struct rq *rq = last->ctx->ring.v[i];

		if (!rq->complete)
			return rq->seqno <= last->seqno ? rq : NULL;
	}
	return NULL;
}

/*
 * The events tell of a start before the hardware starts: what it is about to begin with at the end
 * of the simulation has begun.
 */
static void begin_next(struct world *w, struct engine *e)
{
	const struct hw *hw = &e->hw;
	bool changes = hw->changing && hw->load[1];
	bool waits = hw->stalled && !hw->elsp_full; /* for the driver to let it go on */

	for (int i = 0; i < SIM_PORTS && !hw->rq && (changes || waits || hw->elsp_full); i++) {
		const struct rq *last = changes ? hw->load[1] : waits ? hw->load[i] : hw->elsp[i];
		struct stamp in = changes ? hw->load_in[1]
				  : waits ? hw->load_in[i]
					  : hw->elsp_in[i];
		struct rq *rq = last ? first_incomplete(last) : NULL;

		if (!rq)
			continue;
		if (w->sc->submission == LANE_SUBMISSION_PER_REQUEST)
			in = rq->in;
		seen_start(w, e, rq, in);
		return;
	}
}

void seen_spans(struct world *w)
{
	for (uint32_t i = 0; i < w->n_engines; i++) {
		struct engine *e = &w->engines[i];
		struct stamp *by;

		begin_next(w, e);
		by = world_alloc(w, (e->runs.n + 1) * sizeof(*by));
		find_stamps(w, e, by);
		make_spans(w, e, by);
	}
	find_unsure(w);
}
