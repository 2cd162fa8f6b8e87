// SPDX-License-Identifier: MIT
// Bounds of requests by the GPUs' counters: what the engine, or the client, was not counted to have
// run.
#include "timeline/narrow.h"

#include <stdlib.h>

#include "base/counter_kind.h"
#include "base/vector.h"
#include "timeline/state.h"

/* More than any machine has; a damaged recording may have any number. */
#define MOST (1u << 20)
/* The last readings that are kept of a counter. */
#define READINGS 64

struct reading {
	uint64_t lo, hi; /* it has all that ran up to lo, and nothing that ran after hi */
	uint64_t units;	 /* since the first reading */
	uint64_t event;
};

struct counter {
	struct counter *next; /* of the same client; the next engine's */
	uint32_t card;
	uint16_t class, instance;
	double ns; /* of a unit, at most; 0: not known yet */
	uint64_t n;
	uint64_t first_value, first_total, first_ns, most;
	struct reading last[READINGS]; /* of reading i: i % READINGS */
};

struct lane_counted {
	struct counter **all; /* by number; NULL: it bounds nothing */
	uint32_t n, room;
	struct counter *engines;
	struct lane_table clients; /* (client_id, 0): the first of its counters */
};

/*
 * What comes from fences, or lags without a limit, bounds nothing. i915 adds to a client's time
 * what has passed since it saw the context begin, which may be late; xe's are the hardware's.
 */
static bool is_bounding(const struct lane_p_gpulane_counter *is)
{
	if ((is->trust & (LANE_TRUST_LIVE | LANE_TRUST_FENCES)) != LANE_TRUST_LIVE)
		return false;
	return is->what == LANE_COUNTS_ENGINE_BUSY
		       ? is->per_second != 0
		       : is->what == LANE_COUNTS_CLIENT_BUSY && !is->per_second && is->client_id;
}

static bool narrow_put(struct lane_counted *counted, const struct lane_p_gpulane_counter *is,
		       struct counter *counter)
{
	struct counter *first = lane_table_get(&counted->clients, is->client_id, 0);

	counted->all[is->id] = counter;
	if (is->what == LANE_COUNTS_ENGINE_BUSY) {
		counter->next = counted->engines;
		counted->engines = counter;
		return true;
	}
	if (!first)
		return lane_table_put(&counted->clients, is->client_id, 0, counter);
	counter->next = first->next;
	first->next = counter;
	return true;
}

static bool narrow_describe(struct lane_timeline *tl, const struct lane_p_gpulane_counter *is)
{
	struct counter *counter;

	if (is->id >= MOST || !is_bounding(is))
		return true;
	if (!tl->counted)
		tl->counted = calloc(1, sizeof(*tl->counted));
	if (!tl->counted || !LANE_GROW(tl->counted->all, tl->counted->room, (size_t)is->id + 1))
		return false;
	if (tl->counted->n <= is->id)
		tl->counted->n = is->id + 1;
	if (tl->counted->all[is->id])
		return true;
	counter = calloc(1, sizeof(*counter));
	if (!counter)
		return false;
	counter->card = is->card;
	counter->class = is->class;
	counter->instance = is->instance;
	counter->ns = is->per_second ? 1e9 / (double)is->per_second : 0;
	return narrow_put(tl->counted, is, counter);
}

/* What goes back is older than what was read before: it tells nothing. */
static void narrow_add(struct counter *counter, const struct lane_p_gpulane_sample *sample,
		       uint64_t now_ns, uint64_t event)
{
	uint64_t from_ns = sample->from_ns < now_ns ? sample->from_ns : now_ns;
	double ns;

	if (counter->n && sample->value < counter->most)
		return;
	if (!counter->n) {
		counter->first_value = sample->value;
		counter->first_total = sample->total;
		counter->first_ns = from_ns;
	} else if (counter->first_total && sample->total > counter->first_total + 1) {
		ns = (double)(now_ns - counter->first_ns) /
		     (double)(sample->total - counter->first_total - 1);
		counter->ns = counter->ns > 0 && counter->ns < ns ? counter->ns : ns;
	}
	counter->most = sample->value;
	counter->last[counter->n++ % READINGS] =
		(struct reading){ .lo = from_ns > LANE_SWITCH_NS ? from_ns - LANE_SWITCH_NS : 0,
				  .hi = now_ns,
				  .units = sample->value - counter->first_value,
				  .event = event };
}

void timeline_narrow_event(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;

	if (event->wire.kind == LANE_COUNTER && event->u.gpulane_counter.gt < LANE_COUNTER_LINK)
		tl->has_tiles |= event->u.gpulane_counter.gt > 1;
	if (event->wire.kind == LANE_COUNTER)
		tl->no_memory |= !narrow_describe(tl, &event->u.gpulane_counter);
	else if (tl->counted && sample->id < tl->counted->n && tl->counted->all[sample->id])
		narrow_add(tl->counted->all[sample->id], sample, event->wire.ts_ns, tl->now.event);
}

/* How long a request ran in [from, to] at most, ns. Between two readings it ran what was counted,
 * at most; before and after them all the time. So those two count that bound best. */
static double most_in(const struct counter *counter, uint64_t from, uint64_t to)
{
	double before = -(double)LANE_NEVER, most = (double)(to - from);

	for (uint64_t i = counter->n > READINGS ? counter->n - READINGS : 0; i < counter->n; i++) {
		const struct reading *read = &counter->last[i % READINGS];
		double ran = (double)read->units * counter->ns;
		double left = ran - (read->hi > from ? (double)(read->hi - from) : 0);
		double right = ran + (to > read->lo ? (double)(to - read->lo) : 0);

		before = left > before ? left : before;
		/* Readings are cut off: a unit more may have run. */
		if (right - before + counter->ns < most)
			most = right - before + counter->ns;
	}
	return counter->ns > 0 ? most : (double)(to - from);
}

/* Until when nothing ran, from `from` on; `from` if that is not known. */
static struct lane_bound still_until(const struct counter *counter, uint64_t from)
{
	struct lane_bound until = timeline_bound_bare(from);
	uint64_t first = counter->n > READINGS ? counter->n - READINGS : 0;
	const struct reading *next = NULL;

	for (uint64_t i = counter->n; i-- > first;) {
		const struct reading *read = &counter->last[i % READINGS];

		if (!next || next->units != read->units)
			next = read;
		if (read->hi <= from)
			return timeline_bound_later(
				until, timeline_bound(next->lo, LANE_RULE_STILL, next->event));
	}
	return until;
}

static bool is_its(const struct counter *counter, const struct lane_engine *engine)
{
	return counter->card == engine->dev && counter->class == engine->class &&
	       (counter->instance == engine->instance || timeline_engine_is_virtual(engine));
}

static struct counter *narrow_next_of(struct counter *counter, const struct lane_request *rq)
{
	while (counter && !rq->engine->name && !is_its(counter, rq->engine))
		counter = counter->next;
	return counter;
}

/* It has bounds that a counter may tighten. */
static bool has_bounds(const struct lane_request *rq)
{
	return timeline_end_is_known(rq) && timeline_has_started(rq) &&
	       !(rq->doubt & LANE_DOUBT_DEVICE) &&
	       (!rq->first_engine || rq->first_engine == rq->engine) &&
	       rq->running.lo != rq->running.hi;
}

static void starts_since(struct lane_rq *rq, struct lane_bound start)
{
	struct lane_request *pub = &rq->pub;
	uint64_t left_ns = pub->end.hi - start.ns;

	if (start.ns <= pub->start.lo || start.ns > pub->start.hi || left_ns < pub->running.lo ||
	    left_ns < pub->preempted.lo)
		return;
	timeline_request_start_since(rq, start);
	pub->running.hi = pub->running.hi < left_ns ? pub->running.hi : left_ns;
	pub->preempted.hi = pub->preempted.hi < left_ns ? pub->preempted.hi : left_ns;
}

/* Of a request on a virtual engine all engines of the class count, of a client all its classes. */
void timeline_narrow_request(const struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_request *pub = &rq->pub;
	struct lane_bound start = timeline_bound_bare(LANE_NEVER);
	struct counter *counter;
	double most = 0;

	if (!tl->counted || !has_bounds(pub))
		return;
	counter = pub->engine->name ? lane_table_get(&tl->counted->clients, pub->drm_client, 0)
				    : tl->counted->engines;
	counter = narrow_next_of(counter, pub);
	if (!counter)
		return;
	for (; counter; counter = narrow_next_of(counter->next, pub)) {
		most += most_in(counter, pub->start.lo, pub->end.hi);
		start = timeline_bound_sooner(start, still_until(counter, pub->start.lo));
	}
	starts_since(rq, start);
	if (most < (double)pub->running.hi && most >= (double)pub->running.lo)
		pub->running.hi = (uint64_t)most + 1;
}

void timeline_narrow_free(struct lane_timeline *tl)
{
	if (!tl->counted)
		return;
	for (uint32_t i = 0; i < tl->counted->n; i++)
		free(tl->counted->all[i]);
	free(tl->counted->all);
	lane_table_free(&tl->counted->clients);
	free(tl->counted);
}
