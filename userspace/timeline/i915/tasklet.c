// SPDX-License-Identifier: MIT
/*
 * One run of an engine's submission tasklet, on one CPU. The driver reads what the hardware has
 * reported, then dequeues. Only at its end does it fire the `out`s of what it read at its beginning
 * (execlists_submission_tasklet()). So the events of a run are held until it is over, and then read
 * in the order of their causes.
 *
 * The other CPUs do not stop for the run. What they tell meanwhile of the engine's requests is held
 * with the run, and never ends or divides it. They may signal, as a poller or in the breadcrumbs'
 * work, retire, or begin to listen (i915_request_wait_timeout(), signal_irq_work(),
 * i915_request_retire(), i915_request_enable_breadcrumb() of 6.1).
 */
#include "timeline/i915/tasklet.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet_held.h"
#include "timeline/i915/tasklet_parts.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

static inline struct lane_held *tasklet_hold(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!LANE_GROW(eng->tasklet.held, eng->tasklet.sum->room, eng->tasklet.n + 1)) {
		tl->no_memory = true;
		return NULL;
	}
	return &eng->tasklet.held[eng->tasklet.n++];
}

/* Adds the i-th item to the sum of what is held. */
static inline void sum_item(struct lane_eng *eng, uint32_t i)
{
	const struct lane_held *held = &eng->tasklet.held[i];
	struct lane_held_sum *sum = eng->tasklet.sum;
	uint32_t kind = held->event.wire.kind;

	if (!held->is_foreign)
		sum->last_own = i;
	if (held->what != HELD_EVENT)
		return;
	sum->last_event = i;
	if (kind == LANE_RQ_OUT) {
		sum->outs++;
		return;
	}
	sum->dequeues++;
	if (kind == LANE_RQ_IN)
		sum->ins++;
	if (kind != LANE_RQ_EXECUTE || sum->second)
		return;
	if (!sum->first)
		sum->first = i + 1;
	else if (!timeline_held_same_context(&held->event,
					     &eng->tasklet.held[sum->first - 1].event))
		sum->second = i + 1;
}

/* The first n items are those that are held. */
static void hold_only(struct lane_eng *eng, uint32_t n)
{
	eng->tasklet.n = n;
	*eng->tasklet.sum = (struct lane_held_sum){ .room = eng->tasklet.sum->room,
						    .facts = eng->tasklet.sum->facts };
	for (uint32_t i = 0; i < n; i++)
		sum_item(eng, i);
}

/* rq ended at a time in `end`, which was told at told_ns. What is being read may be older. */
static void end_told(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end,
		     uint64_t told_ns, uint64_t event)
{
	struct lane_now was = tl->now;

	tl->now.event = event;
	tl->now.ns = timeline_not_before(told_ns, was.ns);
	tl->reader->end(tl, rq, end);
	tl->now = was;
}

static void replay(struct lane_timeline *tl, struct lane_eng *eng, uint32_t i)
{
	struct lane_held *held = &eng->tasklet.held[i];

	eng->tasklet.reading->at = i;
	if (held->is_gone)
		return;
	held->is_gone = true;
	tl->now.event = held->number;
	switch (held->what) {
	case HELD_END:
		end_told(tl, held->rq, held->span, held->told_ns, held->number);
		return;
	case HELD_RETIRE:
		tl->reader->retired(tl, held->rq);
		return;
	default:
		tl->now.ns = held->event.wire.ts_ns;
		tl->now.looked_ns = held->before_ns;
		tl->reader->event(tl, &held->event);
	}
}

/* The event is of a dequeue of eng. */
static bool is_of_dequeue(const struct lane_eng *eng, const struct lane_event *event)
{
	return event->wire.kind < 32 && (HELD_DEQUEUE >> event->wire.kind & 1) &&
	       event->u.rq.class == eng->pub.class && event->u.rq.instance == eng->pub.instance &&
	       event->u.rq.dev == eng->pub.dev;
}

/* R22. A dequeue is over at now_ns, at the latest: its CPU is at another event, or R18, the
 * engine's ports are told. */
static struct lane_bound over_by(const struct lane_timeline *tl, const struct lane_eng *eng,
				 uint64_t now_ns)
{
	const struct lane_event *next = tl->pushed;

	if (!eng->model->is_hooked || !next || next->wire.ts_ns != now_ns ||
	    is_of_dequeue(eng, next))
		return timeline_bound_bare(now_ns);
	if (next->cpu == timeline_held_last(eng)->cpu)
		return timeline_r22_section(tl);
	return next->wire.kind == LANE_PORTS ? timeline_r18_changeover(timeline_r22_section(tl))
					     : timeline_bound_bare(now_ns);
}

static void replay_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	uint32_t last = timeline_tasklet_last_dequeue(eng);
	struct lane_bound now = over_by(tl, eng, now_ns);

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		if (i && i == last) {
			tl->reader->dequeued(tl, eng, now);
			eng->dequeue.is_split = true;
		}
		if (timeline_held_is_dequeue(&eng->tasklet.held[i]))
			replay(tl, eng, i);
	}
	tl->reader->dequeued(tl, eng, now);
	eng->dequeue.is_split = false;
}

/* Reads what comes before the dequeue in the order of causes: of the first n items the `out`s, and
 * what was told of requests that the dequeue had not touched by then. */
static void replay_reports(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (timeline_held_is_out(held) ||
		    (held->what != HELD_EVENT && held->what != HELD_VOID &&
		     !timeline_held_dequeues(eng, held->rq, i)))
			replay(tl, eng, i);
	}
}

/* Reads all that has not been read yet. */
static void replay_rest(struct lane_timeline *tl, struct lane_eng *eng)
{
	for (uint32_t i = 0; i < eng->tasklet.n; i++)
		if (!timeline_held_is_dequeue(&eng->tasklet.held[i]))
			replay(tl, eng, i);
}

/* The number of all items, also while only a part of them is being read. */
static uint32_t all_held(const struct lane_eng *eng)
{
	return eng->tasklet.reading ? eng->tasklet.reading->all : eng->tasklet.n;
}

static bool names(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0, n = all_held(eng); i < n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (held->what == HELD_EVENT
			    ? !held->is_gone && timeline_held_is_of(&held->event, rq)
			    : held->rq == rq)
			return true;
	}
	return false;
}

void timeline_tasklet_release_later(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (rq->release.at)
		return;
	rq->release.at = &tl->released;
	rq->release.next = tl->released;
	if (tl->released)
		tl->released->release.at = &rq->release.next;
	tl->released = rq;
}

/* Takes rq from the timeline's released ones, if it is among them. */
static void take_released(struct lane_rq *rq)
{
	if (!rq->release.at)
		return;
	*rq->release.at = rq->release.next;
	if (rq->release.next)
		rq->release.next->release.at = rq->release.at;
	rq->release.at = NULL;
}

/* The first n items have been read. Requests that waited for that are released before the next
 * event, not here: the caller that settled the run may be at work on one of them. */
static void tasklet_release(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lane_rq *rq = eng->tasklet.held[i].rq;

		if (!rq)
			continue;
		eng->tasklet.held[i].rq = NULL;
		eng->tasklet.sum->facts--;
		if (rq->release.is_due)
			timeline_tasklet_release_later(tl, rq);
	}
}

void timeline_tasklet_release(struct lane_timeline *tl)
{
	struct lane_rq *rq;

	while ((rq = tl->released)) {
		take_released(rq);
		if (!rq->waiters)
			tl->reader->release(tl, rq);
	}
}

/*
 * A dequeue has interrupts off, and its CPU may be the one that gets the engine's interrupts. They
 * are late by the time that the dequeue takes. LANE_INTERRUPT_NS allows for a dequeue of half that
 * time. Two long dequeues that follow each other closely count as one.
 */
static void note_interrupts_off(struct lane_timeline *tl, const struct lane_eng *eng)
{
	struct lane_span off = { 0, 0 };

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if (!timeline_held_is_dequeue(held) || held->is_gone)
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

/* Reads the first n items that are held, in the order of causes. */
static void read_held(struct lane_timeline *tl, struct lane_eng *eng, uint32_t n, uint64_t now_ns)
{
	uint32_t rest = eng->tasklet.n - n;
	struct lane_now was = tl->now;
	struct lane_reading reading = { .all = eng->tasklet.n };

	tl->readings++;
	eng->tasklet.reading = &reading;
	if (rest)
		hold_only(eng, n);
	note_interrupts_off(tl, eng);
	replay_reports(tl, eng, timeline_held_upto_out(eng));
	replay_dequeue(tl, eng, now_ns);
	replay_rest(tl, eng);
	eng->tasklet.reading = NULL;
	tl->readings--;
	eng->tasklet.n = n + rest;
	tasklet_release(tl, eng, n);
	memmove(eng->tasklet.held, eng->tasklet.held + n, rest * sizeof(*eng->tasklet.held));
	hold_only(eng, rest);
	tl->now = was;
	tl->reader->over(tl, eng);
}

void timeline_tasklet_settle(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_cpu *cpu;

	if (!eng->tasklet.n || eng->tasklet.reading)
		return;
	cpu = timeline_cpu_at(tl, timeline_held_last(eng)->cpu);
	if (cpu)
		cpu->tasklet = NULL;
	tl->tasklets--;
	read_held(tl, eng, eng->tasklet.n, now_ns);
}

void timeline_tasklets_settle(struct lane_timeline *tl, uint64_t now_ns)
{
	for (uint32_t i = 0; tl->tasklets && i < tl->n_cpus; i++)
		if (tl->cpus[i].tasklet)
			timeline_tasklet_settle(tl, tl->cpus[i].tasklet, now_ns);
}

bool timeline_tasklet_may_pass_over(const struct lane_timeline *tl, const struct lane_rq *rq,
				    int32_t cpu, uint64_t at_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	if (!eng && timeline_cpu_at(tl, cpu))
		eng = timeline_cpu_at(tl, cpu)->tasklet;
	return eng && eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) &&
	       eng->tasklet.n && eng->tasklet.sum->dequeues &&
	       at_ns <= timeline_held_last(eng)->wire.ts_ns + LANE_SELF_INTERRUPT_NS &&
	       !timeline_held_dequeues(eng, rq, eng->tasklet.n);
}

void timeline_tasklet_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  bool lost)
{
	eng->tasklet.is_cut = lost || !timeline_tasklet_was_over(tl, eng);
	timeline_tasklet_settle(tl, eng, now_ns);
	eng->tasklet.is_cut = false;
}

/* Holds a fact about rq, which `cpu` told. False: no memory. */
static bool hold_fact(struct lane_timeline *tl, struct lane_eng *eng, enum what_is_held what,
		      struct lane_rq *rq, int32_t cpu, struct lane_bounds span)
{
	bool is_foreign = timeline_held_last(eng)->cpu != cpu;
	struct lane_held *held = tasklet_hold(tl, eng);

	if (held)
		*held = (struct lane_held){
			.what = what,
			.is_foreign = is_foreign,
			.rq = rq,
			.span = span,
			.told_ns = tl->now.ns,
			.number = tl->now.event,
		};
	if (!held)
		return false;
	sum_item(eng, eng->tasklet.n - 1);
	eng->tasklet.sum->facts++;
	return true;
}

/* The recording may have begun in the middle of the dequeue: what it took back is not seen. */
static bool is_from_before(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_rq *rq = timeline_request_find(tl, event);

	return !rq || !timeline_request_is_born(rq);
}

/* The run that is held hands over an earlier request of the event's context, or gives its port
 * back. */
static bool had_context_before(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_held *held = &eng->tasklet.held[i];

		if ((timeline_held_is_out(held) ||
		     (timeline_held_is(eng, i, LANE_RQ_EXECUTE) &&
		      !timeline_seqno_upto(event->u.rq.seqno, held->event.u.rq.seqno))) &&
		    timeline_held_same_context(&held->event, event))
			return true;
	}
	return false;
}

/*
 * A virtual engine's requests may go to different engines, each when the one before it is complete
 * (__i915_request_ensure_ordering(), i915_request.c of 6.1) and no other engine has their context
 * on a port (virtual_matches(), gt/intel_execlists_submission.c). So if a run of another engine
 * handed over the one before, or gave the port back, that run is read first.
 */
static void read_others_before(struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_event *event)
{
	if (event->wire.kind != LANE_RQ_EXECUTE || !tl->tasklets ||
	    !timeline_engine_is_shared(tl, eng))
		return;
	for (uint32_t i = 0; i < tl->n_cpus; i++) {
		struct lane_eng *other = tl->cpus[i].tasklet;

		if (other && other != eng && had_context_before(other, event))
			timeline_tasklet_settle(tl, other, event->wire.ts_ns);
	}
}

/* Reads what is held of runs of other CPUs than the event's, or of other engines on that CPU. */
static void read_elsewhere(struct lane_timeline *tl, struct lane_eng *eng,
			   const struct lane_cpu *cpu, const struct lane_event *event)
{
	if (cpu && cpu->tasklet && cpu->tasklet != eng)
		timeline_tasklet_settle(tl, cpu->tasklet, event->wire.ts_ns);
	if (eng->tasklet.n &&
	    (timeline_held_last(eng)->cpu != event->cpu || eng->tasklet.n >= MOST_HELD))
		timeline_tasklet_settle(tl, eng, event->wire.ts_ns);
}

/* Reads what is held and is of another run than `event`, on the same CPU. */
static void read_older(struct lane_timeline *tl, struct lane_eng *eng,
		       const struct lane_event *event)
{
	uint32_t older = eng->tasklet.n ? timeline_tasklet_older_items(tl, eng, event) : 0;

	if (older)
		read_held(tl, eng, older, event->wire.ts_ns);
}

/* The run that is held begins with `event`. */
static void begin_run(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_cpu *cpu,
		      const struct lane_event *event)
{
	eng->dequeue.before_ns = cpu ? cpu->before_ns : 0;
	if (cpu && !cpu->before_ns && event->wire.kind == LANE_RQ_EXECUTE)
		eng->dequeue.is_misplaced |= is_from_before(tl, event);
}

/* Holds an event of the engine. False: no memory. */
static bool hold_event(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_cpu *cpu,
		       const struct lane_event *event)
{
	struct lane_held *held = tasklet_hold(tl, eng);

	if (!held)
		return false;
	held->what = HELD_EVENT;
	held->is_foreign = held->is_gone = false;
	held->rq = NULL;
	held->number = tl->now.event;
	held->before_ns = cpu ? cpu->before_ns : 0;
	lane_event_copy(&held->event, event);
	sum_item(eng, eng->tasklet.n - 1);
	return true;
}

/* `event` is an `out` of the set that the held run writes, while ports from before are still to be
 * given back: a reset has come since. */
static bool is_out_before_older(const struct lane_eng *eng, const struct lane_event *event)
{
	uint32_t outs = eng->tasklet.sum->outs;

	if (event->wire.kind != LANE_RQ_OUT || event->u.i915_request_out.completed ||
	    !eng->model->has_sets || timeline_engine_unproven(eng) || outs >= eng->ports.n ||
	    timeline_ports_place_from(eng, event, outs) == (int)outs)
		return false;
	for (uint32_t i = 0; i < eng->tasklet.n; i++)
		if (timeline_held_is(eng, i, LANE_RQ_IN) &&
		    timeline_held_same_request(&eng->tasklet.held[i].event, event))
			return true;
	return false;
}

/*
 * An engine reset gives back the ports of the written set first, and then those of the active one
 * (cancel_port_requests() of gt/intel_execlists_submission.c, 6.1). So `out`s of the set that was
 * written last show a reset while an older set has ports, and so does one that says that its
 * request is incomplete: no newer set has taken its port. The first `out` may be of either set; if
 * it is not of the first port, it is of the written set where that has the request, too.
 */
static bool is_by_reset(const struct lane_eng *eng, const struct lane_event *event)
{
	uint32_t outs;
	int place;

	if (event->wire.kind != LANE_RQ_OUT || !eng->model->has_sets)
		return false;
	outs = eng->tasklet.sum->outs;
	place = timeline_ports_place_from(eng, event, outs);
	if (place < 0 || eng->tasklet.sum->ins)
		return false;
	if ((uint32_t)place != outs && !timeline_engine_unproven(eng)) {
		int written = timeline_ports_place_from(
			eng, event, timeline_ports_first_of(eng, eng->ports.set));

		place = written < 0 ? place : written;
	}
	if (timeline_ports_entry(eng, (uint32_t)place)->set != eng->ports.set)
		return false;
	if (!event->u.i915_request_out.completed &&
	    ((uint32_t)place == outs || !timeline_engine_unproven(eng)))
		return true;
	return (uint32_t)place != outs && timeline_ports_was_replaced(eng, (uint32_t)place - 1);
}

/*
 * With `event` the run gives back all ports that the hardware has: nothing of it is to come. It is
 * over, so what threads do while the engine idles is known from here on.
 */
static bool gives_all_back(const struct lane_eng *eng, const struct lane_event *event)
{
	return event->wire.kind == LANE_RQ_OUT && eng->model->has_ports && !eng->tasklet.sum->ins &&
	       eng->tasklet.sum->outs >= eng->ports.n;
}

/* The engine whose run the event is held with; NULL: it is not held, or there is no memory. */
static struct lane_eng *holder(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_eng *eng = timeline_engine_of(tl, event);

	if (!eng || eng->tasklet.reading || !eng->model->has_tasklet)
		return NULL;
	if (!eng->tasklet.sum)
		eng->tasklet.sum = calloc(1, sizeof(*eng->tasklet.sum));
	tl->no_memory |= !eng->tasklet.sum;
	return eng->tasklet.sum ? eng : NULL;
}

bool timeline_tasklet_try_hold(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	struct lane_eng *eng = holder(tl, event);

	if (!eng)
		return false;
	read_others_before(tl, eng, event);
	read_elsewhere(tl, eng, cpu, event);
	if (is_out_before_older(eng, event))
		timeline_tasklet_settle(tl, eng, event->wire.ts_ns);
	if (is_by_reset(eng, event)) {
		tl->reader->reset(tl, eng, event);
		return true;
	}
	read_older(tl, eng, event);
	if (!cpu || cpu->tasklet != eng)
		tl->tasklets++;
	if (!hold_event(tl, eng, cpu, event))
		return true;
	if (eng->tasklet.n == 1)
		begin_run(tl, eng, cpu, event);
	if (event->wire.kind != LANE_RQ_OUT)
		eng->tasklet.is_over = false;
	if (cpu)
		cpu->tasklet = eng;
	if (!cpu || gives_all_back(eng, event))
		timeline_tasklet_settle(tl, eng, event->wire.ts_ns);
	return true;
}

struct lane_eng *timeline_tasklet_of(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	struct lane_eng *own = (struct lane_eng *)rq->pub.engine;

	if (!tl->tasklets || (own && own->tasklet.reading))
		return NULL;
	/* A request that was taken back may be handed over to another engine of its class. */
	for (uint32_t i = 0; i < tl->n_cpus && tl->tasklets > (own && own->tasklet.n); i++) {
		struct lane_eng *eng = tl->cpus[i].tasklet;

		if (eng && eng != own && !eng->tasklet.reading && names(eng, rq))
			return eng;
	}
	return own && own->tasklet.n ? own : NULL;
}

void timeline_tasklet_meet(struct lane_timeline *tl, uint64_t ctx, uint32_t seqno)
{
	for (uint32_t i = 0; tl->tasklets && i < tl->n_cpus; i++) {
		struct lane_eng *eng = tl->cpus[i].tasklet;

		for (uint32_t k = 0; eng && k < eng->tasklet.n; k++)
			if (eng->tasklet.held[k].what == HELD_EVENT &&
			    eng->tasklet.held[k].event.u.rq.ctx == ctx &&
			    eng->tasklet.held[k].event.u.rq.seqno == seqno) {
				timeline_tasklet_settle(tl, eng, tl->now.ns);
				break;
			}
	}
}

/* The held run that concerns rq, if a fact about rq at at_ns is to be held with it; NULL: none. A
 * run that has had no event for MOST_QUIET_NS is over, and is read. */
static struct lane_eng *run_for(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns)
{
	struct lane_eng *eng = timeline_tasklet_of(tl, rq);

	if (!eng)
		return NULL;
	if ((at_ns > timeline_held_last(eng)->wire.ts_ns + MOST_QUIET_NS &&
	     !timeline_tasklet_is_amid_dequeue(tl, eng)) ||
	    eng->tasklet.n >= MOST_HELD) {
		timeline_tasklet_settle(tl, eng, at_ns);
		return NULL;
	}
	return eng;
}

bool timeline_tasklet_try_hold_end(struct lane_timeline *tl, struct lane_rq *rq,
				   const struct lane_bounds *end, int32_t cpu)
{
	struct lane_eng *eng;

	eng = run_for(tl, rq, tl->now.ns);
	if (!eng)
		return false;
	if (cpu < 0) {
		timeline_tasklet_settle(tl, eng, tl->now.ns);
		return false;
	}
	return hold_fact(tl, eng, HELD_END, rq, cpu, *end);
}

bool timeline_tasklet_try_hold_retire(struct lane_timeline *tl, struct lane_rq *rq,
				      const struct lane_event *event)
{
	struct lane_eng *eng = run_for(tl, rq, event->wire.ts_ns);

	return eng && hold_fact(tl, eng, HELD_RETIRE, rq, event->cpu, (struct lane_bounds){ 0 });
}

bool timeline_tasklet_names(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	for (uint32_t i = 0; (tl->readings || tl->tasklets) && i < tl->n_engines; i++)
		if (names(tl->engine_by_id[i], rq))
			return true;
	return false;
}

static void tasklet_forget(struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0, n = all_held(eng); i < n && eng->tasklet.sum->facts; i++) {
		if (eng->tasklet.held[i].rq != rq)
			continue;
		eng->tasklet.held[i] =
			(struct lane_held){ .what = HELD_VOID,
					    .is_foreign = eng->tasklet.held[i].is_foreign,
					    .is_gone = true };
		eng->tasklet.sum->facts--;
	}
}

void timeline_tasklet_forget(struct lane_timeline *tl, struct lane_rq *rq)
{
	take_released(rq);
	/* One run may be read within another: any engine may hold something of rq. */
	for (uint32_t i = 0; (tl->readings || tl->tasklets) && i < tl->n_engines; i++)
		tasklet_forget(tl->engine_by_id[i], rq);
}

/*
 * What a dequeue takes back has an incomplete request on the active ports, and they stay active up
 * to the run's end. A reset empties them before the dequeue (cancel_port_requests() of 6.1). The
 * run's end comes within LANE_DEQUEUE_NS of its dequeue.
 */
static bool is_emptied_by_reset(const struct lane_eng *eng, const struct lane_event *event)
{
	return eng->model->is_hooked && !event->u.i915_engine_ports.ctx0 && eng->tasklet.n &&
	       !eng->tasklet.reading &&
	       timeline_held_has(eng, 1u << LANE_RQ_UNSUBMIT, NULL, eng->tasklet.n) &&
	       event->wire.ts_ns <= timeline_held_last(eng)->wire.ts_ns + LANE_DEQUEUE_NS;
}

void timeline_tasklet_end_by(struct lane_timeline *tl, struct lane_eng *eng,
			     const struct lane_event *event)
{
	if (is_emptied_by_reset(eng, event))
		tl->reader->reset(tl, eng, event);
	else
		timeline_tasklet_settle(tl, eng, event->wire.ts_ns);
}

uint64_t timeline_tasklet_dequeued_before(const struct lane_eng *eng)
{
	const struct lane_reading *reading = eng->tasklet.reading;

	for (uint32_t i = 0; reading && i < reading->at; i++)
		if (timeline_held_is_dequeue(&eng->tasklet.held[i]) &&
		    !eng->tasklet.held[i].is_gone)
			return eng->tasklet.held[i].event.wire.ts_ns;
	return 0;
}

const struct lane_p_i915_engine_ports *timeline_tasklet_closing(const struct lane_timeline *tl,
								const struct lane_eng *eng)
{
	const struct lane_p_i915_engine_ports *on;

	if (!eng->tasklet.reading || !tl->pushed || tl->pushed->wire.kind != LANE_PORTS)
		return NULL;
	on = &tl->pushed->u.i915_engine_ports;
	return on->dev == eng->pub.dev && on->class == eng->pub.class &&
			       on->instance == eng->pub.instance
		       ? on
		       : NULL;
}

uint32_t timeline_tasklet_outs_left(const struct lane_eng *eng)
{
	uint32_t outs = 0;

	for (uint32_t i = eng->tasklet.reading->at + 1; i < eng->tasklet.n; i++)
		outs += timeline_held_is_out(&eng->tasklet.held[i]);
	return outs;
}

bool timeline_tasklet_writes_these(const struct lane_eng *eng,
				   const struct lane_p_i915_engine_ports *on)
{
	uint64_t ctx[2] = { 0, 0 };
	uint32_t seqno[2] = { 0, 0 };

	for (uint32_t i = 0; i < eng->tasklet.n; i++) {
		const struct lane_event *event = &eng->tasklet.held[i].event;

		if (timeline_held_is(eng, i, LANE_RQ_IN) && event->u.i915_request_in.port < 2) {
			ctx[event->u.i915_request_in.port] = event->u.rq.ctx;
			seqno[event->u.i915_request_in.port] = event->u.rq.seqno;
		}
	}
	return on->ctx0 == ctx[0] && on->seqno0 == seqno[0] && on->ctx1 == ctx[1] &&
	       on->seqno1 == seqno[1];
}

bool timeline_tasklet_writes(const struct lane_eng *eng)
{
	return eng->tasklet.reading &&
	       timeline_held_has(eng, 1u << LANE_RQ_IN, NULL, eng->tasklet.n);
}

void timeline_tasklet_leave(struct lane_timeline *tl, struct lane_cpu *cpu,
			    const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	bool ported = cpu->tasklet->model->has_ports;

	if (kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT || kind == LANE_RQ_IN ||
	    kind == LANE_RQ_OUT || kind == LANE_PORTS)
		return; /* read elsewhere, which ends the run where it must */
	if (kind == LANE_LOST) {
		timeline_tasklet_cut(tl, cpu->tasklet, event->wire.ts_ns, true);
		return;
	}
	/* Signals, their call-backs, and the wake-up of the worker that retires do not end the
	 * run. */
	if (ported && (kind == LANE_FENCE_SIGNALED || kind == LANE_RQ_SUBMIT ||
		       (kind >= LANE_WAKING && kind <= LANE_MIGRATE && kind != LANE_WAKEUP_NEW))) {
		cpu->tasklet->tasklet.is_over = true;
		return;
	}
	timeline_tasklet_settle(tl, cpu->tasklet, event->wire.ts_ns);
}
