// SPDX-License-Identifier: MIT
// The truth of who runs, as the driver's events have it: the rules of docs/sim.md, driven by
// causes.
#include <string.h>

#include "internal.h"

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Nothing will tell of its end: nobody listens, no port has it as its last request. */
static bool is_silent(const struct rq *rq)
{
	return rq->complete && !rq->listed && !rq->due && !rq->in_count;
}

static void start(struct world *w, struct engine *e, struct rq *rq, uint64_t at, bool exact)
{
	struct sim_request *t = rq_truth(w, rq);
	struct sim_span *span = &vec_push(w, w->spans);

	/* The in that a port was given for it may be later than the end of what ran before. */
	if (!at && w->sc->submission != LANE_SUBMISSION_PER_REQUEST)
		at = rq->in_last; /* the engine was idle */
	else if (rq->in_stamp != SIM_NONE && rq->in_stamp > at)
		at = rq->in_stamp;
	*span = (struct sim_span){ .request = rq->index, .engine = e->index, .start = at };
	span->end = span->hw_end = SIM_NONE;
	span->hw_start = rq->started ? rq->hw_start : SIM_NONE;
	span->start_exact = exact;
	span->culprit = SIM_NO;
	if (t->start == SIM_NONE) {
		t->start = at;
		t->start_exact = exact;
	}
	if (e->seen.victim != SIM_NO)
		w->spans.v[e->seen.victim].culprit = rq->index;
	e->seen.victim = SIM_NO;
	e->seen.cur = rq;
	e->seen.span = w->spans.n - 1;
	e->seen.leaving = false;
}

static void end(struct world *w, struct engine *e, uint64_t at, bool complete, bool exact)
{
	struct sim_span *span = &w->spans.v[e->seen.span];
	struct rq *rq = e->seen.cur;
	struct sim_request *t = rq_truth(w, rq);

	span->end = at;
	span->end_exact = exact;
	span->complete = complete;
	span->hw_start = rq->started ? rq->hw_start : SIM_NONE;
	span->hw_end = e->hw.rq == rq ? SIM_NONE : rq->hw_stop;
	e->seen.cur = NULL;
	e->seen.leaving = false;
	if (complete) {
		t->end = at;
		t->end_exact = exact;
		rq->ended = true;
		vec_drop(e->seen.order, rq);
	} else {
		t->preemptions++;
		w->truth->seen.preemptions++;
		e->seen.victim = e->seen.span;
	}
}

static void settle(struct world *w, struct engine *e);

/* Who runs now: what is complete and not yet known to be, who leaves after it, the first in order.
 */
static void next(struct world *w, struct engine *e, uint64_t at, bool exact)
{
	struct seen *s = &e->seen;
	struct rq *first = s->order.n ? s->order.v[0] : NULL;

	if (s->leaver && !(first && first->execute_no <= s->unwound_at)) {
		start(w, e, s->leaver, at, false);
		s->leaver = NULL;
		s->leaving = true;
		s->leave_set = s->leaver_set;
	} else if (first) {
		vec_remove_at(s->order, 0);
		start(w, e, first, at, exact);
	} else {
		return;
	}
	settle(w, e);
}

/* The hardware's time of what nothing tells of, within what is known. */
static uint64_t unheard(struct world *w, const struct engine *e)
{
	return clamp(e->seen.cur->hw_stop, w->spans.v[e->seen.span].start, w->now);
}

/* The running request may have ended long ago, unheard. */
static void settle(struct world *w, struct engine *e)
{
	struct seen *s = &e->seen;

	if (s->cur && is_silent(s->cur) && !s->leaving) {
		uint64_t at = unheard(w, e);

		end(w, e, at, true, false);
		next(w, e, at, false);
	}
}

void seen_execute(struct world *w, struct engine *e, struct rq *rq)
{
	if (w->sc->submission == LANE_SUBMISSION_GUC)
		return;
	rq->execute_no = ++e->seen.executes;
	vec_push(w, e->seen.order) = rq;
}

void seen_unsubmit(struct world *w, struct engine *e, struct rq *rq)
{
	struct seen *s = &e->seen;

	(void)w;
	vec_drop(s->order, rq);
	if (!s->oldest_back)
		s->was_leaving = s->leaving;
	s->oldest_back = rq; /* the newest come first */
	s->unwound_at = s->executes;
	if (s->cur == rq)
		s->leaving = true;
}

/* Something behind the running request is known to be complete: so is it, or it has left. */
static void pass(struct world *w, struct engine *e)
{
	struct seen *s = &e->seen;
	uint64_t at = unheard(w, e);
	bool complete = s->cur->complete;

	if (!complete && !s->leaving)
		w->truth->seen.inconsistent++;
	end(w, e, at, complete, false);
	next(w, e, at, false);
}

/*
 * What runs was complete when the others were taken back, or is leaving since an earlier dequeue
 * whose outs have not been fired: then the oldest of what was taken back ran, or had its turn.
 */
static void find_leaver(struct seen *s, uint32_t active_set)
{
	uint32_t first = 0;

	while (first < s->order.n && s->order.v[first]->execute_no <= s->unwound_at)
		first++;
	if (first < s->order.n && s->order.v[first] != s->oldest_back) {
		s->leaver = s->oldest_back;
		s->leaver_set = active_set;
	}
}

/* The dequeue has written its ports, or found them written already. active_set: what they replace.
 */
void seen_submitted(struct world *w, struct engine *e, uint32_t active_set)
{
	struct seen *s = &e->seen;

	if (s->oldest_back && s->cur && (!s->leaving || s->was_leaving)) {
		find_leaver(s, active_set);
		/* Without outs it is this that shows who was complete. */
		while (w->sc->stock && s->cur && s->cur->complete && !s->leaving)
			pass(w, e);
	} else if (s->oldest_back && s->leaving)
		s->leave_set = active_set;
	s->oldest_back = NULL;
	if (s->leaving && !s->leaver && s->order.n && s->order.v[0] == s->cur) {
		vec_remove_at(s->order, 0);
		s->leaving = false;
		settle(w, e);
	}
	if (!s->cur)
		next(w, e, 0, true);
}

void seen_in(struct world *w, struct engine *e, struct rq *last)
{
	if (w->sc->submission == LANE_SUBMISSION_PER_REQUEST) {
		last->in_stamp = w->now;
		return;
	}
	for (uint32_t i = 0; i < e->seen.order.n; i++) {
		struct rq *rq = e->seen.order.v[i];

		if (rq->ctx != last->ctx || rq->seqno > last->seqno)
			continue;
		rq->in_last = w->now;
		rq->in_set = e->sets;
		if (rq->in_stamp == SIM_NONE)
			rq->in_stamp = w->now;
	}
}

/* The set was replaced by one without the context on port 0: only a later in counts for it now. */
static void off_port(struct rq *rq, const struct context *ctx, uint32_t set)
{
	if (rq->ctx == ctx)
		rq->in_stamp = rq->in_set > set ? rq->in_last : SIM_NONE;
}

/*
 * The event that was just fired tells that rq is complete. exact: it stamps the end, which else
 * lies somewhere before.
 */
void seen_complete(struct world *w, struct rq *rq, bool exact)
{
	struct engine *e = rq->engine;
	struct seen *s = &e->seen;
	uint64_t at;

	if (rq->ended || w->sc->submission == LANE_SUBMISSION_GUC)
		return;
	while (s->cur && s->cur != rq && (vec_find(s->order, rq) != SIM_NO || s->leaver == rq))
		pass(w, e);
	if (rq->ended)
		return;
	if (s->cur != rq) {
		/* Taken back before its turn was seen, and complete nevertheless. */
		struct rq *cur = s->cur;
		uint32_t span = s->span;
		bool leaving = s->leaving;

		start(w, e, rq, clamp(rq->hw_start, 0, w->now), false);
		end(w, e, w->now, true, false);
		s->cur = cur;
		s->span = span;
		s->leaving = leaving;
		return;
	}
	at = exact ? w->now : unheard(w, e);
	end(w, e, at, true, exact);
	next(w, e, at, exact);
}

/* rq is complete, and nobody will tell. */
void seen_silent(struct world *w, struct rq *rq)
{
	struct engine *e = rq->engine;

	if (w->sc->submission != LANE_SUBMISSION_GUC && !rq->ended && e->seen.cur == rq)
		settle(w, e);
}

/* The port of another context, or of none, has taken the engine from what runs. */
static void taken(struct world *w, struct engine *e, uint32_t set)
{
	struct seen *s = &e->seen;
	bool complete = s->cur->complete;

	if (w->sc->submission != LANE_SUBMISSION_PER_REQUEST) {
		off_port(s->cur, s->cur->ctx, set);
		for (uint32_t i = 0; i < s->order.n; i++)
			off_port(s->order.v[i], s->cur->ctx, set);
	}
	if (w->sc->stock) {
		pass(w, e);
		return;
	}
	end(w, e, w->now, complete, !complete);
	if (w->sc->submission != LANE_SUBMISSION_PER_REQUEST)
		next(w, e, w->now, true);
}

/* The outs of a tasklet: what would run from one to the next of them did not. */
void seen_outs(struct engine *e, const struct port *post, uint32_t n)
{
	struct seen *s = &e->seen;

	for (uint32_t i = 0; i < n && s->leaver; i++)
		if (!post[i].rq->complete && post[i].rq->ctx == s->leaver->ctx &&
		    post[i].set == s->leaver_set && s->cur && s->cur->ctx != s->leaver->ctx)
			s->leaver = NULL;
}

void seen_out(struct world *w, struct engine *e, struct rq *rq, uint32_t set)
{
	struct seen *s = &e->seen;
	bool legacy = w->sc->submission == LANE_SUBMISSION_PER_REQUEST;

	if (rq->complete) {
		seen_complete(w, rq, !w->sc->stock);
		return;
	}
	while (s->cur && s->cur->complete && !s->leaving && s->cur->ctx == rq->ctx &&
	       (legacy || (s->leaver && s->leaver->ctx == rq->ctx)))
		pass(w, e);
	if (!s->cur || s->cur->ctx != rq->ctx ||
	    (!legacy && (!s->leaving || set != s->leave_set))) {
		w->truth->seen.lite_restores++;
		return;
	}
	taken(w, e, set);
}
