// SPDX-License-Identifier: MIT
// Which events are of one run of the tasklet, and which of another.
#include "timeline/i915/tasklet_parts.h"
#include "timeline/i915/ports.h"
#include "timeline/objects.h"
#include "timeline/i915/tasklet_held.h"
#include "timeline/i915/rules.h"

/*
 * A dequeue that leaves the ports as they are fires no `in`. Such a dequeue may be held together
 * with the one that wrote the ports. A dequeue hands requests over in the order of its ports, and
 * the `in`s come in the reverse order: that tells the two apart.
 */
uint32_t timeline_tasklet_last_dequeue(const struct lane_eng *eng)
{
	uint32_t port = 0, i;

	while (port < eng->tasklet.n && !timeline_held_is(eng, port, LANE_RQ_IN))
		port++;
	if (port == eng->tasklet.n || !eng->model->has_sets || eng->tasklet.is_cut)
		return 0;
	for (i = port; i--;) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (!timeline_held_is_dequeue(held))
			continue;
		if (held->event.wire.kind != LANE_RQ_EXECUTE)
			return 0;
		while (port < eng->tasklet.n &&
		       (!timeline_held_is_dequeue(&eng->tasklet.held[port]) ||
			!timeline_held_same_context(&eng->tasklet.held[port].event, &held->event)))
			port++;
		if (port == eng->tasklet.n)
			return i + 1;
	}
	return 0;
}

bool timeline_tasklet_is_back(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq, uint64_t since_ns)
{
	bool back = rq->handed.back != LANE_BACK_NOT ||
		    (rq->pub.executes > 1 && rq->handed.execute_ns >= since_ns);
	bool again = rq->pub.executes;

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_event *event = &eng->tasklet.held[i].event;

		if (!timeline_held_is_dequeue(&eng->tasklet.held[i]))
			continue;
		if (event->wire.kind != LANE_RQ_IN && timeline_held_is_of(event, rq)) {
			back = event->wire.kind == LANE_RQ_UNSUBMIT ||
			       (again && (event->wire.ts_ns >= since_ns ||
					  !timeline_engine_sees_unsubmit(tl)));
			again = true;
		}
	}
	return back;
}

bool timeline_tasklet_was_over(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	bool signals = false, others = false;

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (timeline_held_is_own_end(held) &&
		    timeline_held_has(eng, 1u << LANE_RQ_EXECUTE, held->rq, i))
			return true;
		others |= timeline_held_is_out(held) ||
			  (timeline_held_is_own_end(held) &&
			   timeline_tasklet_is_back(tl, eng, held->rq, LANE_NEVER));
		signals |= timeline_held_is_own_end(held);
	}
	return signals && !others;
}

/* The dequeue that is held took back, handed over or put on a port the request of `event`, an
 * `out`, completed = 1. So it was incomplete then, and the `out` is of a later run. */
static bool was_alive(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; event->u.i915_request_out.completed && i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (timeline_held_is_dequeue(held) &&
		    timeline_held_same_request(&held->event, event))
			return true;
	}
	return false;
}

/* An `out` has come that is not of the run that is held. Of the `out`s straight before it, those
 * are of the held run that must be: of ports that were replaced before. Returns the number of items
 * of the held run. */
static uint32_t tasklet_parts_end_of_run(const struct lane_eng *eng)
{
	uint32_t before = eng->tasklet.sum->outs, first = eng->tasklet.n;

	while (first && timeline_held_is_out(&eng->tasklet.held[first - 1])) {
		first--;
		before--;
	}
	while (first < eng->tasklet.n && timeline_ports_was_replaced(eng, before++))
		first++;
	return first;
}

/* The last item that the run's own CPU told. */
static const struct lane_held *last_own(const struct lane_eng *eng)
{
	return &eng->tasklet.held[eng->tasklet.sum->last_own];
}

/*
 * One dequeue fills two ports, each with requests of one context (EXECLIST_MAX_PORTS of 6.1). With
 * a third context, or the first again behind the second, another dequeue is there. Returns the item
 * that first hands over the second context; 0: event is of the first two contexts, in their order.
 */
static uint32_t second_port(const struct lane_eng *eng, const struct lane_event *event)
{
	uint32_t second = eng->tasklet.sum->second;

	return second && !timeline_held_same_context(event, &eng->tasklet.held[second - 1].event)
		       ? second - 1
		       : 0;
}

/* `event`, an `out`, is not of the run that is held. */
static bool is_out_of_another(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_event *event)
{
	uint32_t outs = eng->tasklet.sum->outs;

	if (eng->model->has_sets && timeline_ports_was_replaced(eng, outs) &&
	    timeline_engine_out_is_due(eng, event, outs))
		return false; /* the driver dequeued because that set was gone, and this `out` tells
			       * so */
	return eng->tasklet.sum->dequeues &&
	       (timeline_tasklet_was_over(tl, eng) || was_alive(eng, event) ||
		!timeline_engine_out_is_due(eng, event, outs));
}

/* From the first-th item on, the item in which the dequeue that is held hands over a request for
 * the first time; the number of items: there is none. */
static uint32_t first_new(const struct lane_timeline *tl, const struct lane_eng *eng,
			  uint32_t first)
{
	for (uint32_t i = first; i < eng->tasklet.n; i++) {
		const struct lane_rq *rq =
			timeline_held_is(eng, i, LANE_RQ_EXECUTE)
				? timeline_request_find(tl, &eng->tasklet.held[i].event)
				: NULL;

		if (rq && !(rq->pub.seen & LANE_SEEN_EXECUTE))
			return i;
	}
	return eng->tasklet.n;
}

/*
 * What a dequeue takes back makes room for another request. A request that was on no port before
 * gets one at the end of the dequeue, port 0 last (execlists_dequeue() of 6.1). A virtual machine
 * that gets no processor amid the dequeue fires no event for long.
 */
bool timeline_tasklet_is_amid_dequeue(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	const struct lane_held *last = last_own(eng);
	uint32_t kind = last->event.wire.kind;

	return eng->model->has_sets && !timeline_is_absent(tl, LANE_RQ_IN) &&
	       !eng->tasklet.is_over && last->what == HELD_EVENT &&
	       (kind == LANE_RQ_UNSUBMIT ||
		(kind == LANE_RQ_EXECUTE && first_new(tl, eng, 0) < eng->tasklet.n) ||
		(kind == LANE_RQ_IN && last->event.u.i915_request_in.port));
}

/* True when an event of this kind cannot follow in the same run, whatever its ports. */
static bool cannot_follow(const struct lane_timeline *tl, const struct lane_eng *eng,
			  const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	const struct lane_held *last = last_own(eng);

	if (eng->tasklet.is_over || eng->tasklet.sum->outs ||
	    (event->wire.ts_ns > timeline_held_last(eng)->wire.ts_ns + LANE_DEQUEUE_NS &&
	     !timeline_tasklet_is_amid_dequeue(tl, eng)))
		return true;
	return last->event.wire.kind == LANE_RQ_IN
		       ? kind != LANE_RQ_IN
		       : last->event.wire.kind == LANE_RQ_EXECUTE && kind == LANE_RQ_UNSUBMIT;
}

/*
 * Of three contexts the second may be of the dequeue of the first or of that of the third. Where no
 * `in` is recorded, it is read with the third, whose dequeue began no sooner than at this event.
 * Where `in` is recorded, none has come: the dequeue of the first left the ports as they were, and
 * handed over again what stood on them. What is new is then of the third's dequeue.
 */
uint32_t timeline_tasklet_older_items(struct lane_timeline *tl, struct lane_eng *eng,
				      const struct lane_event *event)
{
	uint32_t second;

	if (event->wire.kind == LANE_RQ_OUT)
		return is_out_of_another(tl, eng, event) ? tasklet_parts_end_of_run(eng) : 0;
	if (cannot_follow(tl, eng, event))
		return eng->tasklet.n;
	if (event->wire.kind != LANE_RQ_EXECUTE)
		return 0;
	second = second_port(eng, event);
	if (second && eng->model->is_hooked) {
		eng->dequeue.no_sooner = timeline_r20_dequeued(tl, event->wire.ts_ns);
		return second;
	}
	return second ? first_new(tl, eng, second) : 0;
}
