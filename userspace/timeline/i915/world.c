// SPDX-License-Identifier: MIT
// The worlds of one request: the histories that the events allow.
#include "timeline/i915/world.h"

static const struct lane_bounds none;

static struct lane_span hull(struct lane_span a, struct lane_span b)
{
	return (struct lane_span){ a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi };
}

/* The duration from one time to another. */
static struct lane_span world_between(const struct lane_bounds *from, const struct lane_bounds *to)
{
	return timeline_span_between(timeline_bounds_span(from), timeline_bounds_span(to));
}

/* ---- runs ---- */

void timeline_world_begin(struct lane_rq *rq, struct lane_bounds at, struct lane_bound no_sooner)
{
	rq->now.since = at;
	rq->no_sooner = timeline_bound_sooner(timeline_bounds_lo(&at), no_sooner);
}

void timeline_world_fit(struct lane_rq *rq, struct lane_bounds *at)
{
	struct lane_world *now = &rq->now;

	timeline_bounds_raise(at, timeline_bounds_are_exact(at) ? timeline_bounds_lo(&now->since)
								: rq->no_sooner);
	timeline_bounds_widen(at, timeline_bounds_lo(&now->since));
	timeline_bounds_cut(&now->since, timeline_bounds_hi(at));
}

/* Since it left it may have run so long: it may have been off so much less. */
static uint64_t most_maybe(const struct lane_world *w)
{
	return w->maybe.hi - w->maybe.lo;
}

/* w's last run is over at a time in `at`. Adds the run, and the time off the engine before it, to
 * the sums. */
static void world_add_run(struct lane_world *w, const struct lane_bounds *at)
{
	struct lane_span off = world_between(&w->preempted_since, &w->since);

	timeline_span_add(&w->running, world_between(&w->since, at));
	if (w->preempted_since.hi) {
		off.lo = timeline_not_before(off.lo, most_maybe(w)) - most_maybe(w);
		timeline_span_add(&w->preempted, off);
	}
	if (!timeline_world_has_run(w)) {
		w->start = w->since;
		if (w->maybe.hi) {
			timeline_bounds_set_lo(&w->start, timeline_bounds_lo(&w->maybe));
			w->preempted.hi += w->since.hi - w->maybe.lo;
		}
	}
	w->maybe = w->preempted_since = none;
}

/* When the request ended in its world `complete`: not before it was incomplete. */
static struct lane_bounds complete_end(const struct lane_complete *complete,
				       struct lane_bound alive)
{
	struct lane_bounds end = complete->end;

	timeline_bounds_raise(&end, timeline_bound_sooner(alive, timeline_bounds_hi(&end)));
	return end;
}

/* Merges two worlds `complete` into one, with the bounds of both. Both ran to their ends: the sums
 * have their last runs from here on, and the last run of the merged one begins as it ends. */
static void world_merge(struct lane_complete *into, struct lane_complete with)
{
	struct lane_world *world = &into->world;

	world_add_run(world, &into->end);
	world_add_run(&with.world, &with.end);
	world->start = timeline_bounds_hull(world->start, &with.world.start);
	world->running = hull(world->running, with.world.running);
	world->preempted = hull(world->preempted, with.world.preempted);
	into->end = world->since = timeline_bounds_hull(into->end, &with.end);
	into->how = with.how > into->how ? with.how : into->how;
}

/* Adds a world `complete` to *to, which holds another one (how is not LANE_COMPLETE_NOT) or none.
 */
static void add_complete(const struct lane_rq *rq, struct lane_complete *to,
			 struct lane_complete complete)
{
	if (to->how) {
		struct lane_complete first = *to;

		first.end = complete_end(to, rq->alive);
		world_merge(&complete, first);
	}
	*to = complete;
}

/* rq may have ended in the run that is over at a time in `at`, and nothing has told of it. */
static void may_have_ended(struct lane_rq *rq, struct lane_bounds at, enum lane_complete_how how)
{
	struct lane_complete complete = { .world = rq->now, .how = how };
	struct lane_bound hi = timeline_bounds_hi(&at);

	if (rq->alive.ns >= at.hi)
		return;
	complete.end =
		timeline_bounds(timeline_bound_sooner(timeline_bounds_lo(&rq->now.since), hi), hi);
	add_complete(rq, &rq->complete, complete);
}

/* ---- signs of life ---- */

static bool is_complete_by(const struct lane_rq *rq, uint64_t at_ns)
{
	return rq->complete.how && at_ns >= rq->complete.end.hi;
}

void timeline_world_alive(struct lane_rq *rq, struct lane_bound at)
{
	rq->alive = timeline_bound_later(rq->alive, at);
	if (is_complete_by(rq, rq->alive.ns))
		rq->complete.how = LANE_COMPLETE_NOT;
}

/* ---- its runs ---- */

void timeline_world_leave(struct lane_rq *rq, struct lane_bounds at)
{
	may_have_ended(rq, at, LANE_COMPLETE_BEFORE);
	world_add_run(&rq->now, &at);
	rq->now.preempted_since = at;
}

void timeline_world_unsure(struct lane_rq *rq, struct lane_bounds at)
{
	struct lane_world *now = &rq->now;
	uint64_t most = at.hi - now->since.lo;

	may_have_ended(rq, at, LANE_COMPLETE_MAYBE_RUN);
	now->running.hi += most;
	now->maybe = timeline_bounds(timeline_bounds_lo(now->maybe.hi ? &now->maybe : &now->since),
				     timeline_bounds_hi(&at));
}

void timeline_world_overtaken(struct lane_rq *rq, struct lane_bound by)
{
	struct lane_complete complete = { .world = rq->now, .how = LANE_COMPLETE_IN_PLACE };
	struct lane_bounds *since = &complete.world.since;

	if (rq->pub.state != LANE_RQ_STATE_RUNNING)
		*since = timeline_bounds(
			timeline_bound_sooner(timeline_bounds_lo(&rq->handed.in), by), by);
	complete.end = timeline_bounds(timeline_bound_sooner(timeline_bounds_lo(since), by), by);
	add_complete(rq, &rq->complete, complete);
}

void timeline_world_publish(struct lane_rq *rq, const struct lane_bounds *runs_since)
{
	struct lane_world w = rq->now;

	if (runs_since)
		world_add_run(&w, runs_since);
	timeline_request_set_start(rq, &w.start);
	rq->pub.running = rq->now.running;
	rq->pub.preempted = w.preempted;
}

/* ---- its end ---- */

struct world_sum {
	struct lane_world all;
	struct lane_bounds end;
	bool has_any;
};

static void world_add(struct world_sum *sum, const struct lane_world *w,
		      const struct lane_bounds *end)
{
	if (!sum->has_any) {
		sum->all = *w;
		sum->end = *end;
	} else {
		sum->all.start = timeline_bounds_hull(sum->all.start, &w->start);
		sum->all.running = hull(sum->all.running, w->running);
		sum->all.preempted = hull(sum->all.preempted, w->preempted);
		sum->end = timeline_bounds_hull(sum->end, end);
	}
	sum->has_any = true;
}

static void add_now(const struct lane_rq *rq, struct world_sum *sum, const struct lane_bounds *end)
{
	struct lane_world w = rq->now;

	world_add_run(&w, end);
	world_add(sum, &w, end);
}

static void add_off(const struct lane_rq *rq, struct world_sum *sum, const struct lane_bounds *end)
{
	struct lane_world w = rq->now;
	struct lane_span off = world_between(&w.preempted_since, end);

	off.lo = timeline_not_before(off.lo, most_maybe(&w)) - most_maybe(&w);
	timeline_span_add(&w.preempted, off);
	world_add(sum, &w, end);
}

/* rq ran at some time since it left the engine or, if it never did, since it was handed over. */
static void add_again(const struct lane_rq *rq, struct world_sum *sum,
		      const struct lane_bounds *end)
{
	struct lane_world w = rq->now;
	struct lane_bound from =
		timeline_bounds_lo(w.preempted_since.hi ? &w.preempted_since : &rq->handed.in);
	uint64_t most = end->hi > from.ns ? end->hi - from.ns : 0;

	if (!timeline_world_has_run(&w))
		w.start = timeline_bounds(w.maybe.hi ? timeline_bounds_lo(&w.maybe) : from,
					  timeline_bounds_hi(end));
	w.running.hi += most;
	w.preempted.hi += most;
	world_add(sum, &w, end);
}

/* rq ended as its world `complete` says, and by `by` at the latest. */
static void add_complete_to(const struct lane_rq *rq, struct world_sum *sum, struct lane_bound by)
{
	struct lane_world w = rq->complete.world;
	struct lane_bounds end = complete_end(&rq->complete, rq->alive);

	timeline_bounds_cut(&end, timeline_bound_later(by, timeline_bounds_lo(&end)));
	world_add_run(&w, &end);
	world_add(sum, &w, &end);
}

struct lane_bounds timeline_world_end(struct lane_rq *rq, struct lane_bounds end, uint32_t ways)
{
	struct world_sum sum = { .has_any = false };
	struct lane_bounds *start = &sum.all.start;

	if (ways & LANE_WORLD_NOW)
		add_now(rq, &sum, &end);
	if (ways & LANE_WORLD_PREEMPTED)
		add_off(rq, &sum, &end);
	if (ways & LANE_WORLD_AGAIN)
		add_again(rq, &sum, &end);
	if ((ways & LANE_WORLD_COMPLETE) && rq->complete.how)
		add_complete_to(rq, &sum, timeline_bounds_hi(&end));
	if (!sum.has_any)
		world_add(&sum, &rq->now, &end);
	/* It began before it ended. */
	timeline_bounds_cut(start, timeline_bound_later(timeline_bounds_hi(&sum.end),
							timeline_bounds_lo(start)));
	timeline_request_set_start(rq, start);
	rq->pub.running = sum.all.running;
	rq->pub.preempted = sum.all.preempted;
	return sum.end;
}

void timeline_world_doubt(struct lane_rq *rq, struct lane_bound at)
{
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	rq->doubt.since = timeline_bound_sooner(rq->doubt.since, at);
}
