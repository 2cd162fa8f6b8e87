// SPDX-License-Identifier: MIT
// Which events are of one run of the tasklet, and which of another.
#include "timeline/tasklet_parts.h"
#include "timeline/given.h"
#include "timeline/objects.h"
#include "timeline/tasklet_held.h"
#include "timeline/waiting.h"

/*
 * Where the dequeue begins that wrote the ports. One that leaves them as they are fires no `in`,
 * and may be held with it; but a dequeue hands requests over in the order of its ports, and the
 * `in`s come the other way round.
 */
uint32_t timeline_tasklet_last_dequeue(const struct lane_eng *eng)
{
	uint32_t port = 0, i;

	while (port < eng->tasklet.n && (!timeline_held_is_dequeue(&eng->tasklet.held[port]) ||
					 eng->tasklet.held[port].event.wire.kind != LANE_RQ_IN))
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
			      const struct lane_rq *rq)
{
	bool back = timeline_request_is_back(rq), wrote = false, kept = false;

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_event *event = &eng->tasklet.held[i].event;

		if (!timeline_held_is_dequeue(&eng->tasklet.held[i]))
			continue;
		if (event->wire.kind == LANE_RQ_IN) {
			wrote = true;
			kept |= event->u.rq.ctx == rq->pub.context->ctx;
		} else if (timeline_held_is_of(event, rq)) {
			back = event->wire.kind == LANE_RQ_UNSUBMIT;
		}
	}
	/* Where taking back is not recorded, it has been if the new set is without it. */
	return back ||
	       (wrote && !kept && eng->model->has_sets && !timeline_engine_sees_unsubmit(tl));
}

/* It is handed over by what is held before the n-th item. */
static bool is_given(const struct lane_eng *eng, const struct lane_rq *rq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (timeline_held_is_dequeue(&eng->tasklet.held[i]) &&
		    eng->tasklet.held[i].event.wire.kind == LANE_RQ_EXECUTE &&
		    timeline_held_is_of(&eng->tasklet.held[i].event, rq))
			return true;
	return false;
}

/* True when the signals that came since the dequeue were not fired by it: it is over since them. */
bool timeline_tasklet_was_over(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	bool signals = false, others = false;

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (timeline_held_is_own_end(held) && is_given(eng, held->rq, i))
			return true;
		others |=
			timeline_held_is_out(held) || (timeline_held_is_own_end(held) &&
						       timeline_tasklet_is_back(tl, eng, held->rq));
		signals |= timeline_held_is_own_end(held);
	}
	return signals && !others;
}

/* The dequeue took the request of an `out` back, or put it on a port: the driver cannot have read
 * before that dequeue that the request was complete. */
bool timeline_tasklet_was_alive(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; event->u.i915_request_out.completed && i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (timeline_held_is_dequeue(held) &&
		    timeline_held_same_request(&held->event, event))
			return true;
	}
	return false;
}

/*
 * An `out` has come that is not of this run. Of those straight before it those are that leave
 * on the ports what was seen there last, for nothing else has been; where that does not decide,
 * those that must be.
 */
static uint32_t end_of_run(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	uint32_t outs = 0, before = timeline_held_outs(eng), first = eng->tasklet.n;

	while (first && timeline_held_is_out(&eng->tasklet.held[first - 1])) {
		first--;
		outs++;
	}
	before -= outs;
	if (tl->info.presence[LANE_PORTS] == LANE_PRESENCE_RECORDED)
		for (uint32_t n = outs + 1; n--;)
			if (timeline_engine_ports_stay(eng, before + n))
				return first + n;
	while (first < eng->tasklet.n && timeline_engine_out_is_sure(eng, before++))
		first++;
	return first;
}

/* The last item that the run's CPU told. */
static const struct lane_held *last_own(const struct lane_eng *eng)
{
	uint32_t n = eng->tasklet.n;

	while (n > 1 && eng->tasklet.held[n - 1].is_foreign)
		n--;
	return &eng->tasklet.held[n - 1];
}

/*
 * One dequeue fills two ports, each with requests of one context (EXECLIST_MAX_PORTS of 6.1): with
 * a third context, or the first again behind the second, another dequeue is there. Where the second
 * context is first handed over, among the items; 0: event is of the first two, in their order.
 */
static uint32_t second_port(const struct lane_eng *eng, const struct lane_event *event)
{
	const struct lane_event *first = NULL;
	uint32_t second = 0;

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_event *held = &eng->tasklet.held[i].event;

		if (!timeline_held_is_execute(eng, i))
			continue;
		if (!first)
			first = held;
		else if (!second && !timeline_held_same_context(held, first))
			second = i;
	}
	return second && !timeline_held_same_context(event, &eng->tasklet.held[second].event)
		       ? second
		       : 0;
}

/*
 * The dequeue that is held took requests back, and nothing waited: it did so because the first port
 * was not complete, and this is its `out`.
 */
static bool is_of_what_yielded(const struct lane_timeline *tl, const struct lane_eng *eng,
			       uint32_t outs)
{
	const struct lane_event *first = NULL;

	for (uint32_t i = 0; i < eng->tasklet.n && !first; i++)
		if (timeline_held_is_dequeue(&eng->tasklet.held[i]))
			first = &eng->tasklet.held[i].event;
	return first && first->wire.kind == LANE_RQ_UNSUBMIT && eng->model->has_sets &&
	       timeline_ports_is_first_of_two(eng, outs) &&
	       timeline_waiting_yields_to_ports(tl, eng);
}

/* The dequeue that is held puts rq on a port. */
static bool puts_on_port(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0; i < eng->tasklet.n; i++)
		if (timeline_held_is_dequeue(&eng->tasklet.held[i]) &&
		    eng->tasklet.held[i].event.wire.kind == LANE_RQ_IN &&
		    timeline_held_is_of(&eng->tasklet.held[i].event, rq))
			return true;
	return false;
}

bool timeline_tasklet_began_with(const struct lane_timeline *tl, const struct lane_eng *eng,
				 const struct lane_rq *rq)
{
	uint32_t outs = timeline_held_outs(eng);
	const struct lane_entry *port;

	if (eng->tasklet.is_cut || !eng->model->has_sets || !rq->order)
		return false;
	if (puts_on_port(eng, rq))
		return true;
	if (!is_of_what_yielded(tl, eng, outs))
		return false;
	port = timeline_ports_entry(eng, outs);
	return &port->ctx->pub == rq->pub.context && port->seqno == rq->pub.seqno;
}

/* The `out` cannot be of the run that is held. */
static bool is_out_of_another(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_event *event)
{
	uint32_t outs = timeline_held_outs(eng);

	if (eng->model->has_sets && timeline_engine_out_is_sure(eng, outs) &&
	    timeline_engine_out_is_due(eng, event, outs))
		return false; /* the dequeue waited for that set's end, and this tells it */
	return timeline_held_has_dequeue(eng) &&
	       (timeline_tasklet_was_over(tl, eng) || timeline_tasklet_was_alive(eng, event) ||
		is_of_what_yielded(tl, eng, outs) || !timeline_engine_out_is_due(eng, event, outs));
}

/* The dequeue that is held hands over a request for the first time, from the first-th item on. */
static bool has_new(struct lane_timeline *tl, const struct lane_eng *eng, uint32_t first)
{
	for (uint32_t i = first; i < eng->tasklet.n; i++) {
		const struct lane_rq *rq =
			timeline_held_is_execute(eng, i)
				? timeline_request_find(tl, &eng->tasklet.held[i].event)
				: NULL;

		if (rq && !(rq->pub.seen & LANE_SEEN_EXECUTE))
			return true;
	}
	return false;
}

/*
 * More of the dequeue is to come, however late: what it takes back makes room for something, and a
 * request that was on no port before goes to one at its end, port 0 last (execlists_dequeue() of
 * 6.1). A virtual machine that gets no processor amid the dequeue is quiet for long.
 */
bool timeline_tasklet_is_amid_dequeue(struct lane_timeline *tl, const struct lane_eng *eng)
{
	const struct lane_held *last = last_own(eng);
	uint32_t kind = last->event.wire.kind;

	return eng->model->has_sets && !timeline_is_absent(tl, LANE_RQ_IN) &&
	       !eng->tasklet.is_over && last->what == HELD_EVENT &&
	       (kind == LANE_RQ_UNSUBMIT || (kind == LANE_RQ_EXECUTE && has_new(tl, eng, 0)) ||
		(kind == LANE_RQ_IN && last->event.u.i915_request_in.port));
}

/*
 * The request was submitted behind all that is held of a dequeue: that had the lock which
 * submitting takes (execlists_submit_request() of 6.1), so another dequeue hands the request over.
 * A virtual engine's requests have a lock of their own.
 */
static bool is_submitted_since(struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_event *event)
{
	const struct lane_rq *rq = timeline_request_find(tl, event);

	return rq && rq->pub.submit_ns > eng->tasklet.ns && timeline_held_has_dequeue(eng) &&
	       rq->pub.host_engine && !timeline_engine_is_virtual(rq->pub.host_engine);
}

/* A dequeue hands over each request once, and those of a context in their order. */
static bool is_handed_over_again(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = eng->tasklet.n; i--;)
		if (timeline_held_is_execute(eng, i) &&
		    timeline_held_same_context(&eng->tasklet.held[i].event, event))
			return timeline_seqno_upto(event->u.rq.seqno,
						   eng->tasklet.held[i].event.u.rq.seqno);
	return false;
}

/* True when an event of this kind cannot follow in the same run, whatever ports it is about. */
static bool cannot_follow(struct lane_timeline *tl, const struct lane_eng *eng,
			  const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	const struct lane_held *last = last_own(eng);

	if (eng->tasklet.is_over || timeline_held_upto_out(eng) || last->what == HELD_END ||
	    (event->wire.ts_ns > eng->tasklet.ns + LANE_DEQUEUE_NS &&
	     !timeline_tasklet_is_amid_dequeue(tl, eng)) ||
	    (kind == LANE_RQ_EXECUTE && is_submitted_since(tl, eng, event)))
		return true;
	return last->event.wire.kind == LANE_RQ_IN
		       ? kind != LANE_RQ_IN
		       : last->event.wire.kind == LANE_RQ_EXECUTE && kind == LANE_RQ_UNSUBMIT;
}

/*
 * How many of the items that are held are of an older run than the event; 0: none. Of three
 * contexts the second may be in the dequeue of the first or in that of the third. Where no `in`
 * says so it is taken for the third's, and that one for no older than the third. Where `in` is seen
 * none has come: the first's dequeue left the ports as they were, and what is new is the third's.
 */
uint32_t timeline_tasklet_older_items(struct lane_timeline *tl, struct lane_eng *eng,
				      const struct lane_event *event)
{
	uint32_t second;

	if (event->wire.kind == LANE_RQ_OUT)
		return is_out_of_another(tl, eng, event) ? end_of_run(tl, eng) : 0;
	if (cannot_follow(tl, eng, event))
		return eng->tasklet.n;
	if (event->wire.kind != LANE_RQ_EXECUTE)
		return 0;
	second = eng->model->is_idled ? 0 : second_port(eng, event);
	if (second && eng->model->is_hooked)
		eng->dequeue.no_sooner_ns = event->wire.ts_ns;
	else if (second ? !has_new(tl, eng, second) : is_handed_over_again(eng, event))
		return eng->tasklet.n;
	return second;
}

/* The `in` of that port in the set that the run writes, NULL: it writes none. */
static const struct lane_event *written(const struct lane_eng *eng, uint32_t port)
{
	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_event *event = &eng->tasklet.held[i].event;

		if (timeline_held_is_dequeue(&eng->tasklet.held[i]) &&
		    event->wire.kind == LANE_RQ_IN && event->u.i915_request_in.port == port)
			return event;
	}
	return NULL;
}

/* The ports that the driver knows to be active are the set that the run writes. */
bool timeline_tasklet_is_taken(const struct lane_eng *eng,
			       const struct lane_p_i915_engine_ports *now)
{
	const struct lane_event *first = written(eng, 0), *second = written(eng, 1);

	return first && first->u.rq.ctx == now->ctx0 && first->u.rq.seqno == now->seqno0 &&
	       (second ? second->u.rq.ctx : 0) == now->ctx1 &&
	       (second ? second->u.rq.seqno : 0) == now->seqno1;
}

/* Where the `out`s of a later run begin, if the ports were at the end of the first as they were
 * told last; the number of items: nowhere. */
uint32_t timeline_tasklet_later_outs(const struct lane_eng *eng)
{
	uint32_t n = timeline_held_outs(eng), i = eng->tasklet.n;

	while (n && !timeline_engine_ports_stay(eng, n)) {
		while (!timeline_held_is_out(&eng->tasklet.held[--i]))
			;
		n--;
	}
	return n || timeline_engine_ports_stay(eng, 0) ? i : eng->tasklet.n;
}
