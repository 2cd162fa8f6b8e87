// SPDX-License-Identifier: MIT
/*
 * timeline/i915/world.c alone: the histories of one request, on a request that no engine has.
 * Random calls against a reference that keeps every history, each with exact times, and makes none
 * of two. What is told to the nanosecond is in the golden texts.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/i915/world.h"

#define SPAN(lo, hi) ((struct lane_span){ lo, hi })
#define AT(ns)	     SPAN(ns, ns)
#define BARE(ns)     timeline_bound_bare(ns)

static struct lane_bounds bounds(struct lane_span at)
{
	return timeline_bounds(BARE(at.lo), BARE(at.hi));
}

static struct lane_span end_of(struct lane_rq *rq, struct lane_span at, uint32_t ways)
{
	struct lane_bounds end = timeline_world_end(rq, bounds(at), ways);

	return timeline_bounds_span(&end);
}

static void fit(struct lane_rq *rq, struct lane_span *at)
{
	struct lane_bounds fitted = bounds(*at);

	timeline_world_fit(rq, &fitted);
	*at = timeline_bounds_span(&fitted);
}

/* Handed over at that time. */
static void hand_over(struct lane_rq *rq, uint64_t ns)
{
	memset(rq, 0, sizeof(*rq));
	rq->pub.state = LANE_RQ_STATE_DEVICE;
	rq->pub.execute_ns = ns;
	rq->handed.in = bounds(AT(ns));
}

static void begin(struct lane_rq *rq, struct lane_span at)
{
	timeline_world_begin(rq, bounds(at), BARE(at.lo));
	rq->pub.state = LANE_RQ_STATE_RUNNING;
}

static void leave(struct lane_rq *rq, struct lane_span at)
{
	timeline_world_leave(rq, bounds(at));
	rq->pub.state = LANE_RQ_STATE_PREEMPTED;
}

static void void_run(struct lane_rq *rq, struct lane_span at)
{
	fit(rq, &at);
	timeline_world_unsure(rq, bounds(at));
	rq->pub.state = rq->now.preempted_since.hi ? LANE_RQ_STATE_PREEMPTED : LANE_RQ_STATE_DEVICE;
}

static bool may_be_over(const struct lane_rq *rq)
{
	return timeline_request_may_be_complete(rq);
}

/* ---- all histories ---- */

/*
 * The reference: every history that the calls allow, with exact times, as what it is: when it began
 * first, when it was taken off last, when its run began, when it ended. None is merged with
 * another. world.c has two, with bounds: they must hold all of these.
 */
struct history {
	bool has_begun, is_running, is_over;
	uint64_t start, off, since, end; /* off 0: not yet */
	uint64_t running, preempted;
	enum lane_complete_how how;
};

#define MOST_HISTORIES 6000

struct histories {
	struct history list[MOST_HISTORIES];
	uint32_t n;
	bool is_full;
	uint64_t alive_ns; /* it was incomplete then, last, */
};

struct world {
	struct lane_rq rq;
	struct histories all;
	uint64_t now_ns;
	uint32_t random;
};

static uint32_t draw(struct world *w, uint32_t below)
{
	w->random = w->random * 1664525 + 1013904223;
	return (w->random >> 8) % below;
}

/* A few ns on, for one time or a few. */
static struct lane_span later(struct world *w)
{
	uint64_t lo = w->now_ns + draw(w, 4), hi = lo + (draw(w, 2) ? draw(w, 3) : 0);

	w->now_ns = hi;
	return SPAN(lo, hi);
}

/* It can have had the engine again from then on: it had no run in the place that it may have had.
 */
static uint64_t again_from(const struct history *history)
{
	return history->off > history->since ? history->off : history->since;
}

static void keep(struct histories *to, struct history history)
{
	if (to->n == MOST_HISTORIES)
		to->is_full = true;
	else
		to->list[to->n++] = history;
}

/* In this history it is complete then: it has not been seen incomplete since. */
static void keep_over(struct histories *to, struct history history, uint64_t end,
		      enum lane_complete_how how)
{
	if (end <= to->alive_ns)
		return;
	history.running += end - history.since;
	history.is_running = false;
	history.is_over = true;
	history.end = end;
	history.how = how;
	keep(to, history);
}

/* It has the engine from then on. */
static struct history begun(struct history history, uint64_t at)
{
	if (history.off)
		history.preempted += at - history.off;
	if (!history.has_begun)
		history.start = at;
	history.has_begun = history.is_running = true;
	history.since = at;
	return history;
}

static struct history left(struct history history, uint64_t at)
{
	history.running += at - history.since;
	history.is_running = false;
	history.off = at;
	return history;
}

/* What becomes of each history that goes on; those that are over stay. */
typedef void become_fn(struct histories *to, struct history history, struct lane_span at, int what);

static become_fn become_left, become_voided;

static void each(struct world *w, struct lane_span at, int what, become_fn *become)
{
	static struct histories before;

	before.n = w->all.n;
	memcpy(before.list, w->all.list, before.n * sizeof(before.list[0]));
	w->all.n = 0;
	for (uint32_t i = 0; i < before.n; i++) {
		struct history history = before.list[i];

		if (!history.is_over) {
			become(&w->all, history, at, what);
			continue;
		}
		/* where it was is not where it is any more */
		if (become == become_left || become == become_voided)
			history.how = LANE_COMPLETE_BEFORE;
		keep(&w->all, history);
	}
}

static void become_running(struct histories *to, struct history history, struct lane_span at,
			   int what)
{
	(void)what;
	for (uint64_t ns = at.lo; ns <= at.hi; ns++)
		if (ns >= again_from(&history))
			keep(to, begun(history, ns));
}

static void become_left(struct histories *to, struct history history, struct lane_span at, int how)
{
	for (uint64_t ns = history.since; ns <= at.hi; ns++)
		keep_over(to, history, ns, (enum lane_complete_how)how);
	for (uint64_t ns = at.lo; ns <= at.hi; ns++)
		if (ns >= history.since)
			keep(to, left(history, ns));
}

static void become_overtaken(struct histories *to, struct history history, struct lane_span in,
			     int what)
{
	(void)what;
	keep(to, history);
	for (uint64_t from = history.is_running ? in.hi : in.lo; from <= in.hi; from++)
		for (uint64_t ns = history.is_running ? history.since : from;
		     from >= again_from(&history) && ns <= in.hi; ns++)
			keep_over(to, history.is_running ? history : begun(history, from), ns,
				  LANE_COMPLETE_IN_PLACE);
}

/* Of the histories in which it is over those stay that are over later. */
static void kill_over(struct histories *all, uint64_t at_ns)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++)
		if (!all->list[i].is_over || all->list[i].end > at_ns)
			all->list[n++] = all->list[i];
	all->n = n;
}

/* ---- random calls ---- */

static bool is_running(const struct world *w)
{
	return w->rq.pub.state == LANE_RQ_STATE_RUNNING;
}

static void do_begin(struct world *w)
{
	struct lane_span at = later(w);

	if (is_running(w))
		return;
	each(w, at, 0, become_running);
	begin(&w->rq, at);
}

/* When its run is over: world.c says how that fits with its begin. */
static struct lane_span fitted(struct world *w)
{
	struct lane_span at = later(w);

	fit(&w->rq, &at);
	return at;
}

static void do_leave(struct world *w)
{
	struct lane_span at;

	if (!is_running(w))
		return;
	at = fitted(w);
	each(w, at, LANE_COMPLETE_BEFORE, become_left);
	leave(&w->rq, at);
}

/* It may never have had this run: then it is as it was before that. */
static void become_voided(struct histories *to, struct history history, struct lane_span at,
			  int what)
{
	struct history never = history;

	become_left(to, history, at, what);
	never.is_running = false;
	if (never.off)
		never.preempted -= never.since - never.off;
	else
		never.has_begun = false;
	keep(to, never);
}

static void do_void(struct world *w)
{
	struct lane_span at;

	if (!is_running(w))
		return;
	at = fitted(w);
	each(w, at, LANE_COMPLETE_MAYBE_RUN, become_voided);
	void_run(&w->rq, at);
}

/* It was incomplete then. */
static void lived(struct histories *all, uint64_t at_ns)
{
	kill_over(all, at_ns);
	if (at_ns > all->alive_ns)
		all->alive_ns = at_ns;
}

static void do_alive(struct world *w)
{
	uint64_t at_ns = w->now_ns - draw(w, 4);

	timeline_world_alive(&w->rq, BARE(at_ns));
	lived(&w->all, at_ns);
}

static void do_overtake(struct world *w)
{
	uint64_t by_ns = w->now_ns += draw(w, 3);

	each(w, SPAN(w->rq.handed.in.lo, by_ns), 0, become_overtaken);
	timeline_world_overtaken(&w->rq, BARE(by_ns));
}

/* It is handed over once more. */
static void do_hand_over(struct world *w)
{
	if (!is_running(w))
		w->rq.handed.in = bounds(later(w));
}

static void (*const calls[])(struct world *) = {
	do_begin, do_begin, do_leave, do_leave, do_void, do_alive, do_overtake, do_hand_over,
};

/* ---- the bounds hold every history ---- */

static void expect_within(uint64_t ns, struct lane_span span, const char *what, uint32_t seed)
{
	if (ns >= span.lo && ns <= span.hi)
		return;
	print_error("seed %u: %s %llu is not in [%llu, %llu]\n", seed, what, (unsigned long long)ns,
		    (unsigned long long)span.lo, (unsigned long long)span.hi);
	fail();
}

/* What the public part says of a history that is over, or is being told. */
static void expect_told(const struct world *w, const struct history *history, uint32_t seed)
{
	const struct lane_request *told = &w->rq.pub;

	expect_within(history->start, told->start, "start", seed);
	expect_within(history->running, told->running, "running", seed);
	if (history->is_running || history->is_over) /* else it is not up to now */
		expect_within(history->preempted, told->preempted, "preempted", seed);
}

/* It has ended: one history is among those that the bounds are of. */
static void expect_end(const struct world *w, const struct history *history, struct lane_span end,
		       uint32_t seed)
{
	assert_true(history->running + history->preempted <= history->end - history->start);
	expect_told(w, history, seed);
	expect_within(history->preempted, w->rq.pub.preempted, "preempted", seed);
	expect_within(history->end, end, "end", seed);
}

/* The least of the sums is no more than the time that there was. */
static void expect_conserved(const struct world *w, struct lane_span end)
{
	const struct lane_request *told = &w->rq.pub;

	assert_true(told->running.lo <= told->running.hi);
	assert_true(told->preempted.lo <= told->preempted.hi);
	assert_true(told->start.lo <= told->start.hi);
	assert_true(end.lo <= end.hi);
	assert_true(told->running.lo + told->preempted.lo <= end.hi - told->start.lo);
}

/* Runs again unseen, once, and ends as it does; or is off until it ends. */
static void expect_again(const struct world *w, const struct history *history, struct lane_span end,
			 uint32_t seed)
{
	uint64_t from_ns = w->rq.handed.in.lo;

	if (from_ns < again_from(history))
		from_ns = again_from(history);
	for (uint64_t from = from_ns; from <= end.hi; from++)
		for (uint64_t ns = end.lo > from ? end.lo : from; ns <= end.hi; ns++) {
			struct history again = left(begun(*history, from), ns);

			again.end = ns;
			expect_end(w, &again, end, seed);
		}
}

static void expect_way(const struct world *w, const struct history *history, struct lane_span at,
		       struct lane_span end, uint32_t ways, uint32_t seed)
{
	struct history last = *history;

	if (history->is_over) {
		if (ways & LANE_WORLD_COMPLETE)
			expect_end(w, history, end, seed);
		return;
	}
	for (last.end = at.lo; last.end <= at.hi; last.end++) {
		struct history now = last;

		if ((ways & LANE_WORLD_NOW) && last.end >= last.since) {
			now.running += now.end - now.since;
			expect_end(w, &now, end, seed);
		}
		if ((ways & LANE_WORLD_PREEMPTED) && last.off && last.end >= last.off) {
			now.preempted += now.end - now.off;
			expect_end(w, &now, end, seed);
		}
	}
	if (ways & LANE_WORLD_AGAIN)
		expect_again(w, history, at, seed);
}

/* All the ways in which a request ends that is in this state. */
static uint32_t ways_of(const struct world *w)
{
	if (is_running(w))
		return LANE_WORLD_NOW;
	/* Nobody asks: it is complete as it may have run, or has no bounds. */
	if (w->rq.now.maybe.hi && !w->rq.now.preempted_since.hi)
		return 0;
	return LANE_WORLD_AGAIN | (w->rq.now.preempted_since.hi ? LANE_WORLD_PREEMPTED : 0);
}

static void end_and_compare(struct world *w, uint32_t seed)
{
	uint32_t ways = (ways_of(w) & (1 + draw(w, 15))) | (draw(w, 2) ? LANE_WORLD_COMPLETE : 0);
	struct lane_span at = later(w), end;

	if (is_running(w))
		fit(&w->rq, &at);
	if (!(ways & ~LANE_WORLD_COMPLETE) && !may_be_over(&w->rq))
		ways |= ways_of(w);
	if (!ways)
		return;
	end = end_of(&w->rq, at, ways);
	expect_conserved(w, end);
	for (uint32_t i = 0; i < w->all.n; i++)
		expect_way(w, &w->all.list[i], at, end, ways, seed);
}

/* While it goes on: what is told of it by now is so in all histories in which it does. */
static void compare_by_now(struct world *w, uint32_t seed)
{
	timeline_world_publish(&w->rq, is_running(w) ? &w->rq.now.since : NULL);
	for (uint32_t i = 0; timeline_has_started(&w->rq.pub) && i < w->all.n; i++)
		if (!w->all.list[i].is_over)
			expect_told(w, &w->all.list[i], seed);
}

TEST(bounds_hold_every_history)
{
	static struct world w;
	uint64_t told = 0, complete = 0, most = 0;

	for (uint32_t seed = 1; seed <= 20000; seed++) {
		memset(&w, 0, sizeof(w));
		w.random = seed;
		w.now_ns = 100;
		hand_over(&w.rq, 100);
		keep(&w.all, (struct history){ .how = LANE_COMPLETE_NOT });
		for (uint32_t n = 2 + draw(&w, 14); n-- && !w.all.is_full;) {
			calls[draw(&w, sizeof(calls) / sizeof(calls[0]))](&w);
			if (!w.all.is_full)
				compare_by_now(&w, seed);
		}
		if (w.all.is_full)
			continue;
		told++;
		complete += may_be_over(&w.rq);
		most = w.all.n > most ? w.all.n : most;
		end_and_compare(&w, seed);
	}
	/* it is no empty test */
	assert_true(told > 10000);
	assert_true(complete > 2000);
	assert_true(most > 1000);
}
