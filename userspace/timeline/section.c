// SPDX-License-Identifier: MIT
/*
 * A section of the driver: one run of an engine's submission tasklet, on one CPU. It reads what the
 * hardware has reported, then dequeues, and only at its end fires the `out`s of what it read at its
 * beginning (execlists_submission_tasklet()). Here its events are held until it is over, and then
 * read in the order of their causes.
 *
 * The other CPUs do not stop for it. What they tell meanwhile of the engine's requests is held with
 * it, and never ends or divides it: a poller or a breadcrumb work that signals, a retire, somebody
 * who begins to listen (i915_request_wait_timeout(), signal_irq_work(), i915_request_retire(),
 * i915_request_enable_breadcrumb() of 6.1).
 */
#include "timeline/section.h"
#include "base/vector.h"
#include "timeline/objects.h"
#include "timeline/ports.h"
#include "timeline/state.h"

#include <stdlib.h>
#include <string.h>

#define MOST_HELD 4096
/* No run of the tasklet is quiet for so long. */
#define MOST_QUIET_NS LANE_INTERRUPT_NS

enum what_is_held {
	HELD_EVENT,  /* of the tasklet */
	HELD_END,    /* rq has ended at a time in `span` */
	HELD_ALIVE,  /* somebody began to listen to rq at span.lo, and did not find it complete */
	HELD_RETIRE, /* rq has been retired */
	HELD_VOID,   /* its request is gone */
};

struct lane_held {
	enum what_is_held what;
	bool is_foreign; /* another CPU told it */
	bool is_gone;	 /* it has been read, or does not hold any more */
	struct lane_event event;
	uint64_t before_ns; /* the CPU's event before it */
	struct lane_rq *rq;
	struct lane_span span;
};

static bool is_out(const struct lane_held *held)
{
	return held->what == HELD_EVENT && held->event.wire.kind == LANE_RQ_OUT;
}

static bool is_dequeue(const struct lane_held *held)
{
	return held->what == HELD_EVENT && held->event.wire.kind != LANE_RQ_OUT;
}

/* An interrupt of the tasklet's own CPU, or the tasklet, has told of an end. */
static bool is_own_end(const struct lane_held *held)
{
	return held->what == HELD_END && !held->is_foreign;
}

static struct lane_held *hold(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!LANE_GROW(eng->section.held, eng->section.cap, eng->section.n + 1)) {
		tl->no_memory = true;
		return NULL;
	}
	return &eng->section.held[eng->section.n++];
}

static void replay(struct lane_timeline *tl, struct lane_eng *eng, uint32_t i)
{
	struct lane_held *held = &eng->section.held[i];

	eng->section.at = i;
	if (held->is_gone)
		return;
	held->is_gone = true;
	switch (held->what) {
	case HELD_END:
		tl->reader->end(tl, held->rq, held->span);
		return;
	case HELD_ALIVE:
		if (!held->rq->ended && !timeline_request_is_back(held->rq))
			tl->reader->alive(tl, held->rq, held->span.lo);
		return;
	case HELD_RETIRE:
		tl->reader->retired(tl, held->rq);
		return;
	default:
		tl->now_ns = held->event.wire.ts_ns;
		tl->looked_ns = held->before_ns;
		tl->reader->event(tl, &held->event);
	}
}

static bool same_context(const struct lane_event *a, const struct lane_event *b)
{
	return a->u.rq.ctx == b->u.rq.ctx && a->u.rq.dev == b->u.rq.dev;
}

static bool same_request(const struct lane_event *a, const struct lane_event *b)
{
	return a->u.rq.seqno == b->u.rq.seqno && same_context(a, b);
}

/*
 * Where the dequeue begins that wrote the ports. One that leaves them as they are fires no `in`,
 * and may be held with it; but a dequeue hands requests over in the order of its ports, and the
 * `in`s come the other way round.
 */
static uint32_t last_dequeue(const struct lane_eng *eng)
{
	uint32_t port = 0, i;

	while (port < eng->section.n && (!is_dequeue(&eng->section.held[port]) ||
					 eng->section.held[port].event.wire.kind != LANE_RQ_IN))
		port++;
	if (port == eng->section.n || eng->mode != LANE_MODE_PORTS || eng->section.is_cut)
		return 0;
	for (i = port; i--;) {
		const struct lane_held *held = &eng->section.held[i];

		if (!is_dequeue(held))
			continue;
		if (held->event.wire.kind != LANE_RQ_EXECUTE)
			return 0;
		while (port < eng->section.n &&
		       (!is_dequeue(&eng->section.held[port]) ||
			!same_context(&eng->section.held[port].event, &held->event)))
			port++;
		if (port == eng->section.n)
			return i + 1;
	}
	return 0;
}

static void replay_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	uint32_t last = last_dequeue(eng);

	eng->dequeue.is_split = eng->section.is_rest;
	eng->section.is_rest = false;
	for (uint32_t i = 0; i < eng->section.n; i++) {
		if (i && i == last) {
			tl->reader->dequeued(tl, eng, now_ns);
			eng->dequeue.is_split = true;
		}
		if (is_dequeue(&eng->section.held[i]))
			replay(tl, eng, i);
	}
	tl->reader->dequeued(tl, eng, now_ns);
	eng->dequeue.is_split = false;
}

static bool is_of(const struct lane_event *event, const struct lane_rq *rq)
{
	return event->u.rq.seqno == rq->pub.seqno && event->u.rq.ctx == rq->pub.context->ctx &&
	       event->u.rq.dev == rq->pub.context->dev;
}

/* The dequeue takes rq back, or hands it over, by what is held before the n-th item. */
static bool is_dequeued(const struct lane_eng *eng, const struct lane_rq *rq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_dequeue(&eng->section.held[i]) &&
		    eng->section.held[i].event.wire.kind != LANE_RQ_IN &&
		    is_of(&eng->section.held[i].event, rq))
			return true;
	return false;
}

/*
 * What comes before the dequeue by its causes: of the first n items the `out`s, and what was told
 * of requests that the dequeue had not touched by then.
 */
static void replay_reports(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct lane_held *held = &eng->section.held[i];

		if (is_out(held) || (held->what != HELD_EVENT && held->what != HELD_VOID &&
				     !is_dequeued(eng, held->rq, i)))
			replay(tl, eng, i);
	}
}

/* All that has not been read yet. */
static void replay_rest(struct lane_timeline *tl, struct lane_eng *eng)
{
	for (uint32_t i = 0; i < eng->section.n; i++)
		if (!is_dequeue(&eng->section.held[i]))
			replay(tl, eng, i);
}

/* How many items there are up to the last `out`, 0: there is none. */
static uint32_t upto_out(const struct lane_eng *eng)
{
	uint32_t n = eng->section.n;

	while (n && !is_out(&eng->section.held[n - 1]))
		n--;
	return n;
}

static uint32_t outs_held(const struct lane_eng *eng)
{
	uint32_t outs = 0;

	for (uint32_t i = 0; i < eng->section.n; i++)
		outs += is_out(&eng->section.held[i]);
	return outs;
}

static bool has_dequeue(const struct lane_eng *eng)
{
	for (uint32_t i = 0; i < eng->section.n; i++)
		if (is_dequeue(&eng->section.held[i]))
			return true;
	return false;
}

/* So much is held, be it that a part of it is being read. */
static uint32_t all_held(const struct lane_eng *eng)
{
	return eng->section.is_read ? eng->section.all : eng->section.n;
}

static bool names(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0, n = all_held(eng); i < n; i++) {
		const struct lane_held *held = &eng->section.held[i];

		if (held->what == HELD_EVENT ? !held->is_gone && is_of(&held->event, rq)
					     : held->rq == rq)
			return true;
	}
	return false;
}

void timeline_section_release_later(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (rq->kept.is_releasing)
		return;
	rq->kept.is_releasing = true;
	rq->kept.next = tl->released;
	tl->released = rq;
}

/*
 * The first n items have been read. Requests whose story waited for that are told before the next
 * event, not here: the caller that settled the section may be at work on one of them.
 */
static void release(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lane_rq *rq = eng->section.held[i].rq;

		if (!rq)
			continue;
		eng->section.held[i].rq = NULL;
		rq->kept.by--;
		if (rq->is_over)
			timeline_section_release_later(tl, rq);
	}
}

void timeline_section_release(struct lane_timeline *tl)
{
	struct lane_rq *rq;

	while ((rq = tl->released)) {
		tl->released = rq->kept.next;
		rq->kept.is_releasing = false;
		if (!rq->waiters)
			tl->reader->release(tl, rq);
	}
}

/*
 * A dequeue has interrupts off, and its CPU may be the one that the engine's interrupts come to:
 * what it takes long they are late. LANE_INTERRUPT_NS has room for one of half that time. Two that
 * follow each other closely are one.
 */
static void note_interrupts_off(struct lane_timeline *tl, const struct lane_eng *eng)
{
	struct lane_span off = { 0, 0 };

	for (uint32_t i = 0; i < eng->section.n; i++) {
		const struct lane_held *held = &eng->section.held[i];

		if (!is_dequeue(held) || held->is_gone)
			continue;
		off.hi = held->event.wire.ts_ns;
		if (!off.lo)
			off.lo = off.hi;
	}
	if (off.hi <= off.lo + LANE_INTERRUPT_NS / 2)
		return;
	if (tl->off.hi + LANE_INTERRUPT_NS < off.lo)
		tl->off.lo = off.lo;
	tl->off.hi = timeline_not_before(tl->off.hi, off.hi);
}

/* Reads the first n of what is held: its causes come first. */
static void read_held(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n, uint64_t now_ns)
{
	uint32_t rest = eng->section.n - n;
	uint64_t was_ns = tl->now_ns;
	struct lane_eng *outer = tl->reading;
	uint32_t outs;

	eng->section.is_read = true;
	tl->reading = eng;
	eng->section.all = eng->section.n;
	eng->section.n = n;
	note_interrupts_off(tl, eng);
	outs = upto_out(eng);
	replay_reports(tl, eng, outs);
	replay_dequeue(tl, eng, now_ns);
	replay_rest(tl, eng);
	eng->section.is_read = false;
	tl->reading = outer;
	eng->section.n = n + rest;
	release(tl, eng, n);
	memmove(eng->section.held, eng->section.held + n, rest * sizeof(*eng->section.held));
	eng->section.n = rest;
	tl->now_ns = was_ns;
	tl->reader->over(tl, eng);
}

void timeline_section_settle(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (!eng->section.n || eng->section.is_read)
		return;
	if ((uint32_t)eng->section.cpu < tl->n_cpus)
		tl->cpus[eng->section.cpu].section = NULL;
	tl->sections--;
	read_held(tl, eng, eng->section.n, now_ns);
}

void timeline_sections_settle(struct lane_timeline *tl, uint64_t now_ns)
{
	for (uint32_t i = 0; tl->sections && i < tl->n_cpus; i++)
		if (tl->cpus[i].section)
			timeline_section_settle(tl, tl->cpus[i].section, now_ns);
}

bool timeline_section_is_back(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq)
{
	bool back = timeline_request_is_back(rq), wrote = false, kept = false;

	for (uint32_t i = 0; i < eng->section.n; i++) {
		const struct lane_event *event = &eng->section.held[i].event;

		if (!is_dequeue(&eng->section.held[i]))
			continue;
		if (event->wire.kind == LANE_RQ_IN) {
			wrote = true;
			kept |= event->u.rq.ctx == rq->pub.context->ctx;
		} else if (is_of(event, rq)) {
			back = event->wire.kind == LANE_RQ_UNSUBMIT;
		}
	}
	/* Where taking back is not recorded, it has been if the new set is without it. */
	return back || (wrote && !kept && eng->mode == LANE_MODE_PORTS &&
			!timeline_engine_sees_unsubmit(tl));
}

bool timeline_section_may_have_passed(const struct lane_timeline *tl, const struct lane_rq *rq,
				      int32_t cpu, uint64_t at_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	if (!eng && cpu >= 0 && (uint32_t)cpu < tl->n_cpus)
		eng = tl->cpus[cpu].section;
	return eng && eng->mode == LANE_MODE_PORTS && !timeline_engine_sees_unsubmit(tl) &&
	       at_ns <= eng->section.ns + LANE_SELF_INTERRUPT_NS && has_dequeue(eng) &&
	       !is_dequeued(eng, rq, eng->section.n);
}

/* It is handed over by what is held before the n-th item. */
static bool is_given(const struct lane_eng *eng, const struct lane_rq *rq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_dequeue(&eng->section.held[i]) &&
		    eng->section.held[i].event.wire.kind == LANE_RQ_EXECUTE &&
		    is_of(&eng->section.held[i].event, rq))
			return true;
	return false;
}

/* True when the signals that came since the dequeue were not fired by it: it is over since them. */
static bool was_over(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	bool signals = false, others = false;

	for (uint32_t i = 0; i < eng->section.n; i++) {
		const struct lane_held *held = &eng->section.held[i];

		if (is_own_end(held) && is_given(eng, held->rq, i))
			return true;
		others |= is_out(held) ||
			  (is_own_end(held) && timeline_section_is_back(tl, eng, held->rq));
		signals |= is_own_end(held);
	}
	return signals && !others;
}

void timeline_section_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  bool lost)
{
	eng->section.is_cut = lost || !was_over(tl, eng);
	timeline_section_settle(tl, eng, now_ns);
	eng->section.is_cut = false;
}

/* The dequeue took the request of an `out` back, or put it on a port: the driver cannot have read
 * before that dequeue that the request was complete. */
static bool was_alive(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; event->u.i915_request_out.completed && i < eng->section.n; i++) {
		const struct lane_held *held = &eng->section.held[i];

		if (is_dequeue(held) && same_request(&held->event, event))
			return true;
	}
	return false;
}

/*
 * An `out` has come that is not of this section. Of those straight before it those are that leave
 * on the ports what was seen there last, for nothing else has been; where that does not decide,
 * those that must be.
 */
static uint32_t end_of_section(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	uint32_t outs = 0, before = outs_held(eng), first = eng->section.n;

	while (first && is_out(&eng->section.held[first - 1])) {
		first--;
		outs++;
	}
	before -= outs;
	if (tl->info.presence[LANE_PORTS] == LANE_PRESENCE_RECORDED)
		for (uint32_t n = outs + 1; n--;)
			if (timeline_engine_ports_stay(eng, before + n))
				return first + n;
	while (first < eng->section.n && timeline_engine_out_is_sure(eng, before++))
		first++;
	return first;
}

/* The last item that the section's CPU told. */
static const struct lane_held *last_own(const struct lane_eng *eng)
{
	uint32_t n = eng->section.n;

	while (n > 1 && eng->section.held[n - 1].is_foreign)
		n--;
	return &eng->section.held[n - 1];
}

/* The i-th item hands over a request. */
static bool is_execute(const struct lane_eng *eng, uint32_t i)
{
	return is_dequeue(&eng->section.held[i]) &&
	       eng->section.held[i].event.wire.kind == LANE_RQ_EXECUTE;
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

	for (uint32_t i = 0; i < eng->section.n; i++) {
		const struct lane_event *held = &eng->section.held[i].event;

		if (!is_execute(eng, i))
			continue;
		if (!first)
			first = held;
		else if (!second && !same_context(held, first))
			second = i;
	}
	return second && !same_context(event, &eng->section.held[second].event) ? second : 0;
}

/* The `out` cannot be of the run that is held. */
static bool is_out_of_another(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_event *event)
{
	uint32_t outs = outs_held(eng);

	if (eng->mode == LANE_MODE_PORTS && timeline_engine_out_is_sure(eng, outs) &&
	    timeline_engine_out_is_due(eng, event, outs))
		return false; /* the dequeue waited for that set's end, and this tells it */
	return has_dequeue(eng) && (was_over(tl, eng) || was_alive(eng, event) ||
				    !timeline_engine_out_is_due(eng, event, outs));
}

/* The dequeue that is held hands over a request for the first time, from the first-th item on. */
static bool has_new(struct lane_timeline *tl, const struct lane_eng *eng, uint32_t first)
{
	for (uint32_t i = first; i < eng->section.n; i++) {
		const struct lane_rq *rq =
			is_execute(eng, i) ? timeline_request_find(tl, &eng->section.held[i].event)
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
static bool is_amid_dequeue(struct lane_timeline *tl, const struct lane_eng *eng)
{
	const struct lane_held *last = last_own(eng);
	uint32_t kind = last->event.wire.kind;

	return eng->mode == LANE_MODE_PORTS && !timeline_is_absent(tl, LANE_RQ_IN) &&
	       !eng->section.is_over && last->what == HELD_EVENT &&
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

	return rq && rq->pub.submit_ns > eng->section.ns && has_dequeue(eng) &&
	       rq->pub.host_engine && !timeline_engine_is_virtual(rq->pub.host_engine);
}

/* A dequeue hands over each request once, and those of a context in their order. */
static bool is_handed_over_again(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = eng->section.n; i--;)
		if (is_execute(eng, i) && same_context(&eng->section.held[i].event, event))
			return timeline_seqno_upto(event->u.rq.seqno,
						   eng->section.held[i].event.u.rq.seqno);
	return false;
}

/* True when an event of this kind cannot follow in the same section, whatever ports it is about. */
static bool cannot_follow(struct lane_timeline *tl, const struct lane_eng *eng,
			  const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	const struct lane_held *last = last_own(eng);

	if (eng->section.is_over || upto_out(eng) || last->what == HELD_END ||
	    (event->wire.ts_ns > eng->section.ns + LANE_DEQUEUE_NS && !is_amid_dequeue(tl, eng)) ||
	    (kind == LANE_RQ_EXECUTE && is_submitted_since(tl, eng, event)))
		return true;
	return last->event.wire.kind == LANE_RQ_IN
		       ? kind != LANE_RQ_IN
		       : last->event.wire.kind == LANE_RQ_EXECUTE && kind == LANE_RQ_UNSUBMIT;
}

/*
 * How many of the items that are held are of an older section than the event; 0: none. Of three
 * contexts the second may be in the dequeue of the first or in that of the third. Where no `in`
 * says so it is taken for the third's, and that one for no older than the third. Where `in` is seen
 * none has come: the first's dequeue left the ports as they were, and what is new is the third's.
 */
static uint32_t older_items(struct lane_timeline *tl, struct lane_eng *eng,
			    const struct lane_event *event)
{
	uint32_t second;

	if (event->wire.kind == LANE_RQ_OUT)
		return is_out_of_another(tl, eng, event) ? end_of_section(tl, eng) : 0;
	if (cannot_follow(tl, eng, event))
		return eng->section.n;
	if (event->wire.kind != LANE_RQ_EXECUTE)
		return 0;
	second = eng->mode == LANE_MODE_PER_REQUEST ? 0 : second_port(eng, event);
	if (second && eng->mode == LANE_MODE_HOOKS)
		eng->dequeue.no_sooner_ns = event->wire.ts_ns;
	else if (second ? !has_new(tl, eng, second) : is_handed_over_again(eng, event))
		return eng->section.n;
	return second;
}

/* The recording may have begun amid the dequeue: what it took back is not seen. */
static bool is_from_before(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_rq *rq = timeline_request_find(tl, event);

	return !rq || !timeline_request_is_born(rq);
}

/*
 * Two runs that are held as one: the earlier took back what has come to an end since, and the later
 * tells of that.
 */
static void read_earlier(struct lane_timeline *tl, struct lane_eng *eng,
			 const struct lane_event *event)
{
	uint32_t first;

	if (event->wire.kind != LANE_RQ_OUT || !timeline_engine_sees_unsubmit(tl) ||
	    !was_alive(eng, event))
		return;
	first = last_dequeue(eng);
	if (first) {
		read_held(tl, eng, first, event->wire.ts_ns);
		eng->section.is_rest = true;
	}
}

/* The dequeue that is held hands over a request of the event's context that comes before the
 * event's. */
static bool hands_over_before(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; i < eng->section.n; i++)
		if (is_execute(eng, i) && same_context(&eng->section.held[i].event, event) &&
		    !timeline_seqno_upto(event->u.rq.seqno, eng->section.held[i].event.u.rq.seqno))
			return true;
	return false;
}

/*
 * A virtual engine's requests go to one engine after the other, each when the one before it is
 * complete (__i915_request_ensure_ordering(), i915_request.c of 6.1): another engine's dequeue that
 * handed that one over is over, and comes first.
 */
static void read_others_before(struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_event *event)
{
	if (event->wire.kind != LANE_RQ_EXECUTE || !tl->sections ||
	    !timeline_engine_is_shared(tl, eng))
		return;
	for (uint32_t i = 0; i < tl->n_cpus; i++) {
		struct lane_eng *other = tl->cpus[i].section;

		if (other && other != eng && hands_over_before(other, event))
			timeline_section_settle(tl, other, event->wire.ts_ns);
	}
}

/* What is held and is not of the run that event is of has been read then. */
static void read_older(struct lane_timeline *tl, struct lane_eng *eng, struct lane_cpu *cpu,
		       const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;
	uint32_t older;

	if (cpu && cpu->section && cpu->section != eng)
		timeline_section_settle(tl, cpu->section, now_ns);
	if (eng->section.n && (eng->section.cpu != event->cpu || eng->section.n >= MOST_HELD))
		timeline_section_settle(tl, eng, now_ns);
	else if (eng->section.n)
		read_earlier(tl, eng, event);
	older = eng->section.n ? older_items(tl, eng, event) : 0;
	if (older)
		read_held(tl, eng, older, now_ns);
}

/* The first event of a run is held. */
static void begin_run(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_cpu *cpu,
		      const struct lane_event *event)
{
	eng->dequeue.wrote_before_ns = eng->section.in_ns;
	eng->dequeue.before_ns = cpu ? cpu->before_ns : 0;
	if (cpu && cpu->events <= 1 && event->wire.kind == LANE_RQ_EXECUTE)
		eng->dequeue.is_misplaced |= is_from_before(tl, event);
}

bool timeline_section_takes(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	struct lane_eng *eng =
		timeline_engine_get(tl, event->u.rq.dev, event->u.rq.class, event->u.rq.instance);
	struct lane_held *held;

	if (!eng || eng->section.is_read || eng->model)
		return false;
	read_others_before(tl, eng, event);
	read_older(tl, eng, cpu, event);
	if (!cpu || cpu->section != eng)
		tl->sections++;
	held = hold(tl, eng);
	if (!held)
		return true;
	held->what = HELD_EVENT;
	held->is_foreign = held->is_gone = false;
	held->rq = NULL;
	held->span = (struct lane_span){ 0 };
	held->before_ns = cpu ? cpu->before_ns : 0;
	lane_event_copy(&held->event, event);
	if (eng->section.n == 1)
		begin_run(tl, eng, cpu, event);
	eng->section.ns = event->wire.ts_ns;
	if (event->wire.kind == LANE_RQ_IN)
		eng->section.in_ns = event->wire.ts_ns;
	if (event->wire.kind != LANE_RQ_OUT)
		eng->section.is_over = false;
	eng->section.cpu = event->cpu;
	if (cpu)
		cpu->section = eng;
	else
		timeline_section_settle(tl, eng, event->wire.ts_ns);
	return true;
}

struct lane_eng *timeline_section_of(struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_eng *own = (struct lane_eng *)rq->pub.engine;

	if (!tl->sections || (own && own->section.is_read))
		return NULL;
	/* What was taken back may be handed over to another engine of its class. */
	for (uint32_t i = 0; i < tl->n_cpus && tl->sections > (own && own->section.n); i++) {
		struct lane_eng *eng = tl->cpus[i].section;

		if (eng && eng != own && !eng->section.is_read && names(eng, rq))
			return eng;
	}
	return own && own->section.n ? own : NULL;
}

void timeline_section_meet(struct lane_timeline *tl, uint64_t ctx, uint32_t seqno)
{
	for (uint32_t i = 0; tl->sections && i < tl->n_cpus; i++) {
		struct lane_eng *eng = tl->cpus[i].section;

		for (uint32_t k = 0; eng && k < eng->section.n; k++)
			if (eng->section.held[k].what == HELD_EVENT &&
			    eng->section.held[k].event.u.rq.ctx == ctx &&
			    eng->section.held[k].event.u.rq.seqno == seqno) {
				timeline_section_settle(tl, eng, tl->now_ns);
				break;
			}
	}
}

/*
 * The section that is open and concerns rq, if what a CPU tells of rq at at_ns is to be held with
 * it. One that has been quiet for longer than a tasklet runs is over.
 */
static struct lane_eng *section_for(struct lane_timeline *tl, const struct lane_rq *rq,
				    uint64_t at_ns)
{
	struct lane_eng *eng = timeline_section_of(tl, rq);

	if (!eng)
		return NULL;
	if ((at_ns > eng->section.ns + MOST_QUIET_NS && !is_amid_dequeue(tl, eng)) ||
	    eng->section.n >= MOST_HELD) {
		timeline_section_settle(tl, eng, at_ns);
		return NULL;
	}
	return eng;
}

/* Holds a fact about rq; false: there is no memory. */
static bool hold_fact(struct lane_timeline *tl, struct lane_eng *eng, enum what_is_held what,
		      struct lane_rq *rq, int32_t cpu, struct lane_span span)
{
	struct lane_held *held = hold(tl, eng);

	if (held) {
		*held = (struct lane_held){
			.what = what, .is_foreign = eng->section.cpu != cpu, .rq = rq, .span = span
		};
		rq->kept.by++;
	}
	return held != NULL;
}

bool timeline_section_holds_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
				int32_t cpu)
{
	struct lane_eng *eng = section_for(tl, rq, tl->now_ns);

	if (!eng)
		return false;
	if (cpu < 0 || (eng->section.cpu == cpu && !timeline_engine_has_ports(eng))) {
		timeline_section_settle(tl, eng, tl->now_ns);
		return false;
	}
	return hold_fact(tl, eng, HELD_END, rq, cpu, end);
}

bool timeline_section_holds_alive(struct lane_timeline *tl, struct lane_rq *rq,
				  const struct lane_event *event)
{
	struct lane_eng *eng = section_for(tl, rq, event->wire.ts_ns);

	return eng && hold_fact(tl, eng, HELD_ALIVE, rq, event->cpu,
				timeline_span_exact(event->wire.ts_ns));
}

bool timeline_section_holds_retire(struct lane_timeline *tl, struct lane_rq *rq,
				   const struct lane_event *event)
{
	struct lane_eng *eng = section_for(tl, rq, event->wire.ts_ns);

	return eng && hold_fact(tl, eng, HELD_RETIRE, rq, event->cpu, (struct lane_span){ 0 });
}

void timeline_section_not_alive(struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_eng *eng = timeline_section_of(tl, rq);

	for (uint32_t i = 0; eng && i < eng->section.n; i++)
		if (eng->section.held[i].what == HELD_ALIVE && eng->section.held[i].rq == rq)
			eng->section.held[i].is_gone = true;
}

bool timeline_section_names(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	for (uint32_t i = 0; (tl->reading || tl->sections) && i < tl->n_engines; i++)
		if (names(tl->engine_by_id[i], rq))
			return true;
	return false;
}

uint64_t timeline_section_end(const struct lane_eng *eng, uint64_t at_ns)
{
	for (uint32_t i = eng->section.is_read ? eng->section.all : 0; i--;)
		if (eng->section.held[i].what == HELD_EVENT)
			return eng->section.held[i].event.wire.ts_ns;
	return at_ns;
}

static void forget(struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0, n = all_held(eng); i < n; i++)
		if (eng->section.held[i].rq == rq)
			eng->section.held[i] =
				(struct lane_held){ .what = HELD_VOID,
						    .is_foreign = eng->section.held[i].is_foreign,
						    .is_gone = true };
}

void timeline_section_forget(struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_rq **at = &tl->released;

	while (rq->kept.is_releasing && *at) {
		if (*at == rq) {
			*at = rq->kept.next;
			break;
		}
		at = &(*at)->kept.next;
	}
	/* One section may be read amid another: any engine may hold something of it. */
	for (uint32_t i = 0; rq->kept.by && i < tl->n_engines; i++)
		forget(tl->engine_by_id[i], rq);
}

/* The `in` of that port in the set that the section writes, NULL: it writes none. */
static const struct lane_event *written(const struct lane_eng *eng, uint32_t port)
{
	for (uint32_t i = 0; i < eng->section.n; i++) {
		const struct lane_event *event = &eng->section.held[i].event;

		if (is_dequeue(&eng->section.held[i]) && event->wire.kind == LANE_RQ_IN &&
		    event->u.i915_request_in.port == port)
			return event;
	}
	return NULL;
}

/* The ports that the driver knows to be active are the set that the section writes. */
static bool is_taken(const struct lane_eng *eng, const struct lane_p_i915_engine_ports *now)
{
	const struct lane_event *first = written(eng, 0), *second = written(eng, 1);

	return first && first->u.rq.ctx == now->ctx0 && first->u.rq.seqno == now->seqno0 &&
	       (second ? second->u.rq.ctx : 0) == now->ctx1 &&
	       (second ? second->u.rq.seqno : 0) == now->seqno1;
}

/* Where the `out`s of a later run begin, if the ports were at the end of the first as they were
 * told last; the number of items: nowhere. */
static uint32_t later_outs(const struct lane_eng *eng)
{
	uint32_t n = outs_held(eng), i = eng->section.n;

	while (n && !timeline_engine_ports_stay(eng, n)) {
		while (!is_out(&eng->section.held[--i]))
			;
		n--;
	}
	return n || timeline_engine_ports_stay(eng, 0) ? i : eng->section.n;
}

/*
 * What is active at the end of a run was so before its dequeue (process_csb() comes first): a set
 * that the section writes and that is active already was written by an earlier run, and some
 * `out`s may be of the later one.
 */
void timeline_section_end_by(struct lane_timeline *tl, struct lane_eng *eng,
			     const struct lane_event *event)
{
	uint32_t first;

	if (eng->section.n && !eng->section.is_read && is_taken(eng, &event->u.i915_engine_ports)) {
		first = later_outs(eng);
		if (first && first < eng->section.n)
			read_held(tl, eng, first, event->wire.ts_ns);
	}
	eng->section.closing = &event->u.i915_engine_ports;
	timeline_section_settle(tl, eng, event->wire.ts_ns);
	eng->section.closing = NULL;
}

uint32_t timeline_section_outs_left(const struct lane_eng *eng)
{
	uint32_t outs = 0;

	for (uint32_t i = eng->section.at + 1; eng->section.is_read && i < eng->section.n; i++)
		outs += is_out(&eng->section.held[i]);
	return outs;
}

bool timeline_section_looked_at(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0; eng->section.is_read && i < eng->section.at; i++)
		if (is_dequeue(&eng->section.held[i]) && is_of(&eng->section.held[i].event, rq))
			return true;
	return false;
}

bool timeline_section_dequeued_before(const struct lane_eng *eng)
{
	for (uint32_t i = 0; eng->section.is_read && i < eng->section.at; i++)
		if (is_dequeue(&eng->section.held[i]) && !eng->section.held[i].is_gone)
			return true;
	return false;
}

bool timeline_section_writes(const struct lane_eng *eng)
{
	for (uint32_t i = 0; eng->section.is_read && i < eng->section.n; i++)
		if (is_dequeue(&eng->section.held[i]) &&
		    eng->section.held[i].event.wire.kind == LANE_RQ_IN)
			return true;
	return false;
}

uint64_t timeline_section_gives_back(const struct lane_eng *eng, const struct lane_context *ctx)
{
	for (uint32_t i = eng->section.at + 1; eng->section.is_read && i < eng->section.n; i++) {
		const struct lane_event *event = &eng->section.held[i].event;

		if (is_out(&eng->section.held[i]) && !event->u.i915_request_out.completed &&
		    event->u.rq.ctx == ctx->ctx && event->u.rq.dev == ctx->dev)
			return event->wire.ts_ns;
	}
	return 0;
}

void timeline_section_leave(struct lane_timeline *tl, struct lane_cpu *cpu,
			    const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	bool ported = timeline_engine_has_ports(cpu->section);

	if (kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT || kind == LANE_RQ_IN ||
	    kind == LANE_RQ_OUT || kind == LANE_PORTS)
		return; /* theirs, or seen to there */
	if (kind == LANE_LOST) {
		timeline_section_cut(tl, cpu->section, event->wire.ts_ns, true);
		return;
	}
	/* Late signals, their call-backs, and the worker that retires what is given back. */
	if (ported && (kind == LANE_FENCE_SIGNALED || kind == LANE_RQ_SUBMIT ||
		       (kind >= LANE_WAKING && kind <= LANE_MIGRATE && kind != LANE_WAKEUP_NEW))) {
		cpu->section->section.is_over = true;
		return;
	}
	timeline_section_settle(tl, cpu->section, event->wire.ts_ns);
}
