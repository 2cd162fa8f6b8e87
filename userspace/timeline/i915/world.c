// SPDX-License-Identifier: MIT
// The worlds of one request: the histories that the events allow.
#include "timeline/i915/world.h"

static struct lane_span hull(struct lane_span a, struct lane_span b)
{
	return (struct lane_span){ a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi };
}

/* ---- runs ---- */

void timeline_world_begin(struct lane_rq *rq, struct lane_span at, uint64_t no_sooner_ns)
{
	rq->now.since = at;
	rq->no_sooner_ns = no_sooner_ns < at.lo ? no_sooner_ns : at.lo;
}

void timeline_world_fit(struct lane_rq *rq, struct lane_span *at)
{
	struct lane_world *now = &rq->now;

	at->lo = timeline_not_before(at->lo, at->lo == at->hi ? now->since.lo : rq->no_sooner_ns);
	at->hi = timeline_not_before(at->hi, now->since.lo);
	if (now->since.hi > at->hi)
		now->since.hi = at->hi;
}

/* w's last run is over at a time in `at`. Adds the run, and the time off the engine before it, to
 * the sums. */
static void add_run(struct lane_world *w, struct lane_span at)
{
	struct lane_span off = timeline_span_between(w->preempted_since, w->since);

	timeline_span_add(&w->running, timeline_span_between(w->since, at));
	if (w->preempted_since.hi) {
		off.lo -= w->maybe_ran_ns < off.lo ? w->maybe_ran_ns : off.lo;
		timeline_span_add(&w->preempted, off);
	}
	if (!timeline_world_has_begun(w)) {
		w->start = w->since;
		if (w->maybe_since.hi) {
			w->start.lo = w->maybe_since.lo;
			w->preempted.hi += w->since.hi - w->maybe_since.lo;
		}
	}
	w->maybe_since = w->preempted_since = (struct lane_span){ 0, 0 };
	w->maybe_ran_ns = 0;
}

/* When the request ended in its world `complete`: not before alive_ns, when it was incomplete. */
static struct lane_span complete_end(const struct lane_complete *complete, uint64_t alive_ns)
{
	struct lane_span end = complete->end;

	if (end.lo < alive_ns)
		end.lo = alive_ns < end.hi ? alive_ns : end.hi;
	return end;
}

/* Merges two worlds `complete` into one, with the bounds of both. */
static void merge(struct lane_complete *into, struct lane_complete with)
{
	struct lane_world *world = &into->world;

	add_run(world, into->end);
	add_run(&with.world, with.end);
	world->start = hull(world->start, with.world.start);
	world->running = hull(world->running, with.world.running);
	world->preempted = hull(world->preempted, with.world.preempted);
	into->end = world->since = hull(into->end, with.end);
	into->next_ns = with.next_ns < into->next_ns ? with.next_ns : into->next_ns;
	into->how = with.how > into->how ? with.how : into->how;
	into->is_reported &= with.is_reported;
}

/* Adds a world `complete` to *to, which holds another one (how is not LANE_COMPLETE_NOT) or none.
 */
static void add_complete(const struct lane_rq *rq, struct lane_complete *to,
			 struct lane_complete complete)
{
	if (to->how) {
		struct lane_complete first = *to;

		first.end = complete_end(to, rq->alive.sure_ns);
		merge(&complete, first);
	}
	*to = complete;
}

void timeline_world_settle(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (rq->doubted)
		lane_pool_put(&tl->complete_pool, rq->doubted);
	rq->doubted = NULL;
}

/* R11. Adds a world `complete` that counts only if the listening that began last found rq complete.
 */
static void add_doubted(struct lane_timeline *tl, struct lane_rq *rq, struct lane_complete complete)
{
	if (!rq->doubted)
		rq->doubted = lane_pool_get(&tl->complete_pool);
	if (rq->doubted)
		add_complete(rq, rq->doubted, complete);
	else
		tl->no_memory = true;
}

/* rq may have ended in the run that is over at a time in `at`, and nothing has told of it. */
static void may_have_ended(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span at,
			   enum lane_complete_how how)
{
	struct lane_complete complete = { .world = rq->now, .how = how, .is_reported = true };
	uint64_t since_ns = rq->now.since.lo;

	if (rq->alive.sure_ns >= at.hi)
		return;
	complete.end = (struct lane_span){ since_ns < at.hi ? since_ns : at.hi, at.hi };
	if (rq->alive.ns < at.hi)
		add_complete(rq, &rq->complete, complete);
	else
		add_doubted(tl, rq, complete);
}

/* ---- signs of life ---- */

static bool is_complete_by(const struct lane_rq *rq, uint64_t at_ns)
{
	return rq->complete.how && at_ns >= rq->complete.end.hi;
}

void timeline_world_seems_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	rq->alive.sure_ns = rq->alive.ns;
	rq->alive.ns = at_ns;
	timeline_world_settle(tl, rq);
	if (!is_complete_by(rq, at_ns))
		return;
	add_doubted(tl, rq, rq->complete);
	rq->complete.how = LANE_COMPLETE_NOT;
}

void timeline_world_not_alive(struct lane_timeline *tl, struct lane_rq *rq)
{
	rq->alive.ns = rq->alive.sure_ns;
	if (rq->doubt.is_unclear)
		timeline_world_doubt(rq, rq->alive.ns);
	if (rq->doubted)
		add_complete(rq, &rq->complete, *rq->doubted);
	timeline_world_settle(tl, rq);
}

void timeline_world_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	rq->alive.ns = rq->alive.sure_ns = at_ns;
	timeline_world_settle(tl, rq);
	if (is_complete_by(rq, at_ns))
		rq->complete.how = LANE_COMPLETE_NOT;
}

void timeline_world_was_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	rq->alive.sure_ns = timeline_not_before(at_ns, rq->alive.sure_ns);
	if (rq->doubted && at_ns >= rq->doubted->end.hi)
		timeline_world_settle(tl, rq);
}

void timeline_world_looked_at(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	timeline_world_alive(tl, rq, at_ns);
	if (rq->complete.is_reported)
		rq->complete.how = LANE_COMPLETE_NOT;
}

/* ---- its runs ---- */

void timeline_world_leave(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span at)
{
	may_have_ended(tl, rq, at, LANE_COMPLETE_BEFORE);
	add_run(&rq->now, at);
	rq->now.preempted_since = at;
}

void timeline_world_unsure(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span at)
{
	struct lane_world *now = &rq->now;
	uint64_t most = at.hi - now->since.lo;

	may_have_ended(tl, rq, at, LANE_COMPLETE_PASSED);
	now->running.hi += most;
	if (now->preempted_since.hi)
		now->maybe_ran_ns += most;
	else
		now->maybe_since = (struct lane_span){ now->maybe_since.hi ? now->maybe_since.lo
									   : now->since.lo,
						       at.hi };
}

void timeline_world_left_sooner(struct lane_rq *rq, struct lane_span at)
{
	struct lane_span *running = &rq->now.running;
	uint64_t less = rq->now.preempted_since.lo - at.lo;

	running->lo -= less < running->lo ? less : running->lo;
	running->hi -= rq->now.preempted_since.lo - at.hi;
	rq->now.preempted_since = at;
}

void timeline_world_left_incomplete(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	if (rq->complete.end.hi == at_ns)
		rq->complete.how = LANE_COMPLETE_NOT;
	if (rq->doubted && rq->doubted->end.hi == at_ns)
		timeline_world_settle(tl, rq);
}

void timeline_world_overtaken(struct lane_rq *rq, uint64_t by_ns, bool is_reported)
{
	struct lane_complete complete = { .world = rq->now,
					  .how = LANE_COMPLETE_IN_PLACE,
					  .is_reported = is_reported };
	struct lane_span *since = &complete.world.since;

	if (rq->pub.state != LANE_RQ_STATE_RUNNING)
		*since = (struct lane_span){ rq->handed.in.lo < by_ns ? rq->handed.in.lo : by_ns,
					     by_ns };
	complete.end = (struct lane_span){ since->lo < by_ns ? since->lo : by_ns, by_ns };
	add_complete(rq, &rq->complete, complete);
}

void timeline_world_followed(struct lane_rq *rq, uint64_t by_ns)
{
	rq->complete.next_ns = by_ns;
}

void timeline_world_passed(struct lane_rq *rq, struct lane_span at)
{
	struct lane_complete complete = { .world = rq->now,
					  .how = LANE_COMPLETE_PASSED,
					  .is_reported = true };

	complete.world.since = complete.end = at;
	add_complete(rq, &rq->complete, complete);
}

void timeline_world_publish(struct lane_rq *rq, struct lane_span runs_since)
{
	struct lane_world w = rq->now;

	if (runs_since.hi)
		add_run(&w, runs_since);
	rq->pub.start = w.start;
	rq->pub.running = rq->now.running;
	rq->pub.preempted = w.preempted;
}

/* ---- its end ---- */

struct world_sum {
	struct lane_world all;
	struct lane_span end;
	bool has_any;
};

static void add(struct world_sum *sum, struct lane_world w, struct lane_span end)
{
	if (!sum->has_any) {
		sum->all = w;
		sum->end = end;
	} else {
		sum->all.start = hull(sum->all.start, w.start);
		sum->all.running = hull(sum->all.running, w.running);
		sum->all.preempted = hull(sum->all.preempted, w.preempted);
		sum->end = hull(sum->end, end);
	}
	sum->has_any = true;
}

static void add_now(const struct lane_rq *rq, struct world_sum *sum, struct lane_span end)
{
	struct lane_world w = rq->now;

	add_run(&w, end);
	add(sum, w, end);
}

static void add_off(const struct lane_rq *rq, struct world_sum *sum, struct lane_span end)
{
	struct lane_world w = rq->now;
	struct lane_span off = timeline_span_between(w.preempted_since, end);

	off.lo -= w.maybe_ran_ns < off.lo ? w.maybe_ran_ns : off.lo;
	timeline_span_add(&w.preempted, off);
	add(sum, w, end);
}

/* rq ran at some time since it left the engine or, if it never did, since it was handed over. */
static void add_again(const struct lane_rq *rq, struct world_sum *sum, struct lane_span end)
{
	struct lane_world w = rq->now;
	uint64_t from_ns = w.preempted_since.hi ? w.preempted_since.lo : rq->handed.in.lo;
	uint64_t most = end.hi > from_ns ? end.hi - from_ns : 0;

	if (!timeline_world_has_begun(&w))
		w.start =
			(struct lane_span){ w.maybe_since.hi ? w.maybe_since.lo : from_ns, end.hi };
	w.running.hi += most;
	w.preempted.hi += most;
	add(sum, w, end);
}

/* rq ended as its world `complete` says, and by by_ns at the latest. */
static void add_complete_to(const struct lane_rq *rq, struct world_sum *sum, uint64_t by_ns)
{
	struct lane_world w = rq->complete.world;
	struct lane_span end = complete_end(&rq->complete, rq->alive.ns);

	if (by_ns < end.hi)
		end.hi = timeline_not_before(by_ns, end.lo);

	add_run(&w, end);
	add(sum, w, end);
}

struct lane_span timeline_world_end(struct lane_rq *rq, struct lane_span end, uint32_t ways)
{
	struct world_sum sum = { .has_any = false };

	if (ways & LANE_WORLD_NOW)
		add_now(rq, &sum, end);
	if (ways & LANE_WORLD_PREEMPTED)
		add_off(rq, &sum, end);
	if (ways & LANE_WORLD_AGAIN)
		add_again(rq, &sum, end);
	if ((ways & LANE_WORLD_COMPLETE) && rq->complete.how)
		add_complete_to(rq, &sum, end.hi);
	if (!sum.has_any)
		add(&sum, rq->now, end);
	rq->pub.start = sum.all.start;
	if (rq->pub.start.hi > sum.end.hi) /* it began before it ended */
		rq->pub.start.hi = timeline_not_before(sum.end.hi, rq->pub.start.lo);
	rq->pub.running = sum.all.running;
	rq->pub.preempted = sum.all.preempted;
	return sum.end;
}

void timeline_world_doubt(struct lane_rq *rq, uint64_t at_ns)
{
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (at_ns < rq->doubt.since_ns)
		rq->doubt.since_ns = at_ns;
}
