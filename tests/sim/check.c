// SPDX-License-Identifier: MIT
// The differential test: what the timeline tells of a simulated trace, held against the truth.
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "check_parts.h"

void sim_complain(struct check *c, uint64_t *counter, const char *format, ...)
{
	va_list args;

	++*counter;
	if (!c->log || !c->shout)
		return;
	c->shout--;
	fprintf(c->log, "%s: ", c->name);
	va_start(args, format);
	vfprintf(c->log, format, args);
	va_end(args);
	fputc('\n', c->log);
}

#define KEY_FORMAT "%u/%" PRIu64 "/%u"
#define KEY(r)	   (r)->dev, (r)->ctx, (r)->seqno

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->ctx != y->ctx)
		return x->ctx < y->ctx ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->seqno < y->seqno ? -1 : x->seqno > y->seqno;
}

/* The request of the truth, SIM_NO if there is none of this key. */
static uint32_t find(const struct check *c, uint32_t dev, uint64_t ctx, uint32_t seqno)
{
	struct key wanted = { ctx, dev, seqno, 0 };
	const struct key *found =
		bsearch(&wanted, c->keys, c->truth->n_requests, sizeof(*c->keys), compare_keys);

	return found ? found->request : SIM_NO;
}

uint32_t sim_find_rq(const struct check *c, const struct lane_request *rq)
{
	if (rq->context->is_drm)
		return rq->context->ctx < LANE_OWN_CONTEXT ? find(c, 0, rq->context->ctx, rq->seqno)
							   : sim_find_own(c->truth, rq);
	return find(c, rq->context->dev, rq->context->ctx, rq->seqno);
}

static bool in(uint64_t value, struct lane_span span)
{
	return value != SIM_NONE && value >= span.lo && value <= span.hi;
}

/* True if a perfect observer knows this stage exactly (docs/sim.md). */
static bool is_exact(const struct check *c, uint32_t request, enum sim_stage stage)
{
	const struct sim_request *t = &c->truth->requests[request];
	bool certain = t->ran_on != SIM_NO && t->start >= c->certain[t->ran_on];

	switch (stage) {
	case SIM_DEVICE_QUEUE:
		return t->start_exact && certain && !c->told[request].start_undecided;
	case SIM_RUNNING:
	case SIM_PREEMPTED:
		return c->told[request].spans_exact && certain;
	case SIM_SIGNAL:
		return t->end_exact && !c->told[request].end_undecided;
	default:
		return true;
	}
}

/*
 * What is told of a start or an end holds the truth. The truth's times are those of the events that
 * tell (docs/sim.md). Where some of these are missing, bounds that hold the hardware's own time are
 * right, too.
 */
static bool holds_time(const struct check *c, struct lane_span told, uint64_t truth, uint64_t hw)
{
	return in(truth, told) ||
	       (c->demand != SIM_FULL && told.lo != told.hi && hw != SIM_NONE && in(hw, told));
}

/* What is told of a stage holds the truth. */
static bool holds(const struct check *c, const struct sim_request *t, enum sim_stage stage,
		  struct lane_span ns)
{
	uint64_t truth = t->stage_ns[stage], hw = SIM_NONE;

	if (stage == SIM_SIGNAL && t->signaled != SIM_NONE && t->hw_end != SIM_NONE)
		hw = t->signaled - t->hw_end;
	if (stage == SIM_DEVICE_QUEUE && t->execute != SIM_NONE && t->hw_start != SIM_NONE)
		hw = t->hw_start - t->execute;
	return holds_time(c, ns, truth, hw);
}

static void check_stage(struct check *c, uint32_t request, enum sim_stage stage,
			const struct lane_stages *stages)
{
	const struct sim_request *t = &c->truth->requests[request];
	uint64_t truth = t->stage_ns[stage];
	struct lane_span ns = stages->ns[stage];
	bool known = stages->known >> stage & 1;

	c->verdict->values++;
	if (known && !holds(c, t, stage, ns))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " %s: told %" PRIu64 "..%" PRIu64 ", is %" PRId64, KEY(t),
			     sim_stage_names[stage], ns.lo, ns.hi, (int64_t)truth);
	if (truth == SIM_NONE)
		return;
	if (!known)
		c->verdict->unknown++;
	else if (ns.lo == ns.hi)
		c->verdict->exact++;
	else
		c->verdict->bounded++;
	if (c->demand == SIM_FULL && t->signaled != SIM_NONE && (!known || ns.lo != ns.hi) &&
	    is_exact(c, request, stage))
		sim_complain(c, &c->verdict->missing,
			     KEY_FORMAT " %s: %" PRIu64 " is exact, told %s %" PRIu64 "..%" PRIu64,
			     KEY(t), sim_stage_names[stage], truth, known ? "bounded" : "unknown",
			     ns.lo, ns.hi);
}

/* hw: the hardware's own time, if that will do; else SIM_NONE. */
static void check_time(struct check *c, const struct sim_request *t, const char *what,
		       uint64_t truth, uint64_t hw, struct lane_span told)
{
	c->verdict->values++;
	if (!holds_time(c, told, truth, hw))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " %s: told %" PRIu64 "..%" PRIu64 ", is %" PRId64, KEY(t),
			     what, told.lo, told.hi, (int64_t)truth);
}

/* It begins before it ends, and ends before anybody is told so. */
static void check_order(struct check *c, const struct sim_request *t, const struct lane_request *rq)
{
	if (rq->state != LANE_RQ_STATE_ENDED || rq->doubt & LANE_DOUBT_END)
		return;
	c->verdict->values++;
	if (rq->seen & LANE_SEEN_SIGNAL && rq->end.hi > rq->signal_ns)
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " may end at %" PRIu64 ", signalled at %" PRIu64, KEY(t),
			     rq->end.hi, rq->signal_ns);
	if (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE) &&
	    rq->start.hi > rq->end.hi)
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " may start at %" PRIu64 ", ends by %" PRIu64, KEY(t),
			     rq->start.hi, rq->end.hi);
}

/* What is told of a stage; what it is if it is not known. */
static struct lane_span told_or(const struct lane_stages *stages, enum lane_stage stage,
				uint64_t truth)
{
	return stages->known >> stage & 1 ? stages->ns[stage] : (struct lane_span){ truth, truth };
}

/* What the queues' changes of a request add up to is what is told that it spent in them. */
static void check_queues(struct check *c, uint32_t request, const struct lane_stages *stages)
{
	const struct sim_request *t = &c->truth->requests[request];
	const struct told *told = &c->told[request];
	struct lane_span host, preempted, device;

	if (c->demand != SIM_FULL || t->stage_ns[SIM_RUNNING] == SIM_NONE || !told->spans_exact ||
	    t->submit == SIM_NONE || !(stages->known >> SIM_RUNNING & 1))
		return;
	host = told_or(stages, LANE_STAGE_HOST_QUEUE, t->stage_ns[SIM_HOST_QUEUE]);
	preempted = told_or(stages, LANE_STAGE_PREEMPTED, t->stage_ns[SIM_PREEMPTED]);
	host.lo += preempted.lo;
	host.hi += preempted.hi;
	device = told_or(stages, LANE_STAGE_DEVICE_QUEUE, t->stage_ns[SIM_DEVICE_QUEUE]);
	c->verdict->values++;
	if (!in((uint64_t)told->host_ns, host))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " host queue's length: %" PRId64 " ns, is told %" PRIu64
					" to %" PRIu64,
			     KEY(t), told->host_ns, host.lo, host.hi);
	if (!in((uint64_t)told->device_ns, device))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " device queue's length: %" PRId64 " ns, is told %" PRIu64
					" to %" PRIu64,
			     KEY(t), told->device_ns, device.lo, device.hi);
}

/* The wake of the longest wait for it, and its part on a run queue. */
void sim_check_wake(struct check *c, uint32_t request, const struct lane_stages *stages)
{
	const struct sim_request *t = &c->truth->requests[request];
	uint64_t told = stages->ns[LANE_STAGE_WAKE].lo, longest = 0;
	uint64_t runqueue = stages->ns[LANE_STAGE_WAKE_RUNQUEUE].lo;
	bool divided = !(stages->known >> LANE_STAGE_WAKE_RUNQUEUE & 1);

	if (!(stages->known >> LANE_STAGE_WAKE & 1))
		return;
	for (size_t i = 0; i < c->truth->n_waits; i++) {
		const struct sim_wait *w = &c->truth->waits[i];

		if (w->request != request || w->end == SIM_NONE || w->wake_ns == SIM_NONE)
			continue;
		longest = w->wake_ns > longest ? w->wake_ns : longest;
		divided |= w->wake_ns == told && w->wake_runqueue_ns == runqueue;
	}
	c->verdict->values++;
	if (told != longest || !divided)
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " wake: told %" PRIu64 " (%" PRIu64
					" on a run queue), is %" PRIu64,
			     KEY(t), told, runqueue, longest);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct check *c = arg;
	uint32_t request = sim_find_rq(c, rq);
	const struct sim_request *t = &c->truth->requests[request];
	struct lane_stages stages;

	c->adds_up.request(c->adds_up.arg, rq);
	c->verdict->requests++;
	if (request == SIM_NO) {
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT " does not exist", rq->context->dev,
			     rq->context->ctx, rq->seqno);
		return;
	}
	if (c->told[request].times++)
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT " told %u times", KEY(t),
			     c->told[request].times);
	latency_stages_of(c->info, rq, &stages);
	for (int s = 0; s < SIM_STAGE_COUNT; s++)
		check_stage(c, request, (enum sim_stage)s, &stages);
	if (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE))
		check_time(c, t, "start", t->start, t->hw_start, rq->start);
	if (rq->state == LANE_RQ_STATE_ENDED && !(rq->doubt & LANE_DOUBT_END))
		check_time(c, t, "end", t->end, t->hw_end, rq->end);
	check_order(c, t, rq);
	check_queues(c, request, &stages);
	sim_check_wake(c, request, &stages);
	if (rq->behind && !(stages.known >> LANE_STAGE_DEVICE_QUEUE & 1))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " stood behind others, in a device_queue that is unknown",
			     KEY(t));
}

static void on_queue(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		     const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct check *c = arg;
	uint32_t request = sim_find_rq(c, rq);

	(void)engine;
	if (request == SIM_NO)
		return;
	if (queue == LANE_QUEUE_HOST)
		c->told[request].host_ns -= delta * (int64_t)now_ns;
	else
		c->told[request].device_ns -= delta * (int64_t)now_ns;
}

static int compare_spans(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static const struct sim_span *first_span(const struct check *c, uint32_t request)
{
	size_t low = 0, high = c->truth->n_spans;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->spans[mid].request < request)
			low = mid + 1;
		else
			high = mid;
	}
	return &c->spans[low];
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct check *c = arg;
	uint32_t request = sim_find_rq(c, p->victim);
	const struct sim_span *span, *end = c->spans + c->truth->n_spans;
	const struct sim_request *t = &c->truth->requests[request], *by;

	c->verdict->preemptions++;
	c->verdict->values++;
	if (request == SIM_NO)
		return;
	c->told[request].preemptions++;
	for (span = first_span(c, request); span < end && span->request == request; span++)
		if (!span->complete && in(span->end, p->at))
			break;
	if (p->unless_ns && (span == end || span->request != request)) {
		c->told[request].preemptions--; /* told to be none if another had ended then */
		return;
	}
	if (span == end || span->request != request) {
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " was not preempted at %" PRIu64 "..%" PRIu64, KEY(t),
			     p->at.lo, p->at.hi);
		return;
	}
	if (!p->culprit || span->culprit == SIM_NO)
		return;
	by = &c->truth->requests[span->culprit];
	if (p->at.lo == p->at.hi && (p->culprit->ctx != by->ctx || p->culprit_seqno != by->seqno))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " at %" PRIu64 ": culprit " KEY_FORMAT ", told %" PRIu64
					"/%u",
			     KEY(t), p->at.lo, KEY(by), p->culprit->ctx, p->culprit_seqno);
}

int sim_compare_states(const void *a, const void *b)
{
	const struct sim_state *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* The state of thread tid at `at`, or the next one. */
static const struct sim_state *state_at(const struct check *c, int32_t tid, uint64_t at)
{
	size_t low = 0, high = c->truth->n_states;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->states[mid].tid < tid ||
		    (c->states[mid].tid == tid && c->states[mid].to <= at))
			low = mid + 1;
		else
			high = mid;
	}
	return &c->states[low];
}

static void on_thread(void *arg, const struct lane_thread_interval *i)
{
	static const enum sim_thread_state states[LANE_THREAD_STATE_COUNT] = {
		[LANE_THREAD_RUNNING] = SIM_RUNNING_ON_CPU,
		[LANE_THREAD_RUNNABLE] = SIM_RUNNABLE,
		[LANE_THREAD_BLOCKED] = SIM_BLOCKED,
	};
	struct check *c = arg;
	const struct sim_state *s, *end = c->states + c->truth->n_states;
	const char *name;

	if (i->state == LANE_THREAD_UNKNOWN || i->state == LANE_THREAD_DEAD || !i->thread->tid ||
	    i->begin_ns == i->end_ns)
		return;
	name = i->state == LANE_THREAD_RUNNING	  ? "running"
	       : i->state == LANE_THREAD_RUNNABLE ? "runnable"
						  : "blocked";
	c->verdict->values++;
	s = state_at(c, i->thread->tid, i->begin_ns);
	for (; s < end && s->tid == i->thread->tid && s->from < i->end_ns; s++) {
		if (s->state != states[i->state]) {
			sim_complain(c, &c->verdict->wrong,
				     "thread %d %s in %" PRIu64 "..%" PRIu64
				     ", is in state %d from %" PRIu64,
				     s->tid, name, i->begin_ns, i->end_ns, s->state, s->from);
			return;
		}
		if (s->state != SIM_BLOCKED || !i->wait)
			continue;
		if (s->request == SIM_NO || sim_find_rq(c, i->wait) != s->request)
			sim_complain(c, &c->verdict->wrong,
				     "thread %d blocked at %" PRIu64 ": not on that request",
				     s->tid, s->from);
	}
}

/* For whom a thread waits while it is being woken: where migrations are not recorded, sched_wakeup
 * tells its CPU. */
static void on_starvation(void *arg, const struct lane_starvation *v)
{
	struct check *c = arg;
	const struct sim_state *s, *end = c->states + c->truth->n_states;

	if (v->tid < 0 || v->begin_ns == v->end_ns)
		return;
	c->verdict->values++;
	s = state_at(c, v->victim->tid, v->begin_ns);
	for (; s < end && s->tid == v->victim->tid && s->from < v->end_ns; s++)
		if (s->state != SIM_RUNNABLE ||
		    (s->culprit != v->tid && s->to - s->from >= SIM_WAKING_NS)) {
			sim_complain(c, &c->verdict->wrong,
				     "thread %d starved by %d in %" PRIu64 "..%" PRIu64
				     ": is in state %d, culprit %d from %" PRIu64,
				     s->tid, v->tid, v->begin_ns, v->end_ns, s->state, s->culprit,
				     s->from);
			return;
		}
}

static void on_wait(void *arg, const struct lane_wait *told)
{
	struct check *c = arg;
	const struct sim_wait *wait = NULL;
	uint32_t request = sim_find_rq(c, told->request);

	c->verdict->values++;
	for (size_t i = 0; i < c->truth->n_waits && !wait; i++) {
		const struct sim_wait *w = &c->truth->waits[i];

		if (w->tid == told->thread->tid && w->begin == told->begin_ns &&
		    w->request == request)
			wait = w;
	}
	if (!wait || (wait->end != told->end_ns && wait->end != SIM_NONE)) {
		sim_complain(c, &c->verdict->wrong, "thread %d: no wait in %" PRIu64 "..%" PRIu64,
			     told->thread->tid, told->begin_ns, told->end_ns);
		return;
	}
	if (wait->end != SIM_NONE && told->slept_known && told->slept != wait->slept)
		sim_complain(c, &c->verdict->wrong,
			     "thread %d: wait at %" PRIu64 ": slept told %d, is %d", wait->tid,
			     wait->begin, told->slept, wait->slept);
	if (wait->end == SIM_NONE || !told->runqueue_known || !told->signal_ns)
		return;
	if (told->runqueue_ns != wait->wake_runqueue_ns)
		sim_complain(c, &c->verdict->wrong,
			     "thread %d: wait at %" PRIu64 ": wake_runqueue told %" PRIu64
			     ", is %" PRIu64,
			     wait->tid, wait->begin, told->runqueue_ns, wait->wake_runqueue_ns);
}

/* Every request that has an event is told of, and every preemption that is over. */
static void check_missing(struct check *c)
{
	for (size_t i = 0; i < c->truth->n_requests; i++) {
		const struct sim_request *t = &c->truth->requests[i];

		if (c->told[i].times)
			continue;
		c->verdict->unknown += SIM_STAGE_COUNT;
		if (c->demand == SIM_FULL &&
		    (t->queue != SIM_NONE || t->add != SIM_NONE || t->submit != SIM_NONE))
			sim_complain(c, &c->verdict->missing, KEY_FORMAT " is not told of", KEY(t));
	}
	for (size_t i = 0; c->demand == SIM_FULL && i < c->truth->n_requests; i++) {
		const struct sim_request *t = &c->truth->requests[i];

		if (c->told[i].spans_exact && t->end != SIM_NONE &&
		    c->told[i].preemptions != t->preemptions)
			sim_complain(c, &c->verdict->missing,
				     KEY_FORMAT ": %u preemptions, told %u", KEY(t), t->preemptions,
				     c->told[i].preemptions);
	}
}

/*
 * A recording may begin while an engine is busy with what it has not seen: until the first out of a
 * request whose execute it has, nobody knows what else is on the ports.
 */
static void find_certain(struct check *c, const struct lane_event *events, size_t n)
{
	const struct sim_truth *t = c->truth;
	size_t left = t->n_engines;

	for (size_t e = 0; e < t->n_engines; e++)
		c->certain[e] = SIM_NONE;
	for (size_t i = 0; i < n && left; i++) {
		const struct lane_event *event = &events[i];

		for (size_t e = 0; event->wire.kind == LANE_RQ_OUT && e < t->n_engines; e++) {
			const struct sim_engine *id = &t->engines[e];

			if (c->certain[e] != SIM_NONE || id->dev != event->u.rq.dev ||
			    id->class != event->u.rq.class || id->instance != event->u.rq.instance)
				continue;
			c->certain[e] = event->wire.ts_ns + 1;
			left--;
		}
	}
}

/*
 * What the events say of when a request was complete: it was not yet at `alive`, it was at `dead`.
 * Two histories that differ only in between give the same events.
 */
struct life {
	uint64_t alive, dead;
	uint64_t sure;		 /* the same as alive, whatever it did meanwhile */
	uint64_t executed, back; /* last */
	size_t place;		 /* of its last execute, among all events */
	size_t dead_place;	 /* of what told that it was complete */
	bool left;		 /* and never seen to be incomplete after that */
};

/* Requests of one context have neighbouring keys, in order of seqno. */
static void dies(struct life *life, const struct check *c, size_t key,
		 const struct lane_event *events, size_t place)
{
	for (size_t i = key + 1; i-- && c->keys[i].ctx == c->keys[key].ctx &&
				 c->keys[i].dev == c->keys[key].dev &&
				 life[c->keys[i].request].dead == SIM_NONE;) {
		life[c->keys[i].request].dead = events[place].wire.ts_ns;
		life[c->keys[i].request].dead_place = place;
	}
}

static size_t key_of(const struct check *c, const struct lane_event *event)
{
	bool fence = event->wire.kind == LANE_FENCE_SIGNALED;
	struct key wanted = { fence ? event->u.fence.context : event->u.rq.ctx,
			      fence ? 0 : event->u.rq.dev,
			      fence ? (uint32_t)event->u.fence.seqno : event->u.rq.seqno, 0 };
	const struct key *found = NULL;

	for (uint32_t dev = 0; !found && dev < 4; dev++) {
		wanted.dev = fence ? dev : wanted.dev;
		found = bsearch(&wanted, c->keys, c->truth->n_requests, sizeof(*c->keys),
				compare_keys);
	}
	return found ? (size_t)(found - c->keys) : SIM_NO;
}

/* What is taken back stands; what of its context is before it and was not taken back is complete.
 */
static void taken_back(struct life *life, const struct check *c, const struct lane_event *events,
		       size_t i, size_t n, size_t key)
{
	size_t next = i + 1;

	life[c->keys[key].request].alive = events[i].wire.ts_ns;
	while (next < n && events[next].wire.kind != LANE_RQ_EXECUTE &&
	       events[next].wire.kind != LANE_RQ_UNSUBMIT && events[next].wire.kind != LANE_RQ_IN)
		next++;
	if (!key || c->keys[key - 1].ctx != c->keys[key].ctx || next == n)
		return;
	for (size_t k = i + 1; k < n && events[k].wire.kind != LANE_RQ_EXECUTE; k++)
		if (events[k].wire.kind == LANE_RQ_UNSUBMIT && key_of(c, &events[k]) == key - 1)
			return;
	dies(life, c, key - 1, events, next);
}

static struct life *find_lives(struct check *c, const struct lane_event *events, size_t n)
{
	struct life *life = calloc(c->truth->n_requests + 1, sizeof(*life));

	for (size_t i = 0; life && i < c->truth->n_requests; i++)
		life[i].dead = SIM_NONE;
	for (size_t i = 0; life && i < n; i++) {
		const struct lane_event *event = &events[i];
		bool relevant = event->wire.kind == LANE_RQ_EXECUTE ||
				event->wire.kind == LANE_RQ_UNSUBMIT ||
				event->wire.kind == LANE_RQ_OUT ||
				event->wire.kind == LANE_RQ_RETIRE ||
				event->wire.kind == LANE_FENCE_SIGNALED;
		size_t key = relevant ? key_of(c, event) : SIM_NO;
		struct life *own;

		if (key == SIM_NO)
			continue;
		own = &life[c->keys[key].request];
		if (event->wire.kind == LANE_RQ_EXECUTE)
			own->alive = own->executed = event->wire.ts_ns, own->place = i;
		else if (event->wire.kind == LANE_RQ_UNSUBMIT) {
			own->back = event->wire.ts_ns;
			taken_back(life, c, events, i, n, key);
		} else if (event->wire.kind == LANE_RQ_OUT && !event->u.i915_request_out.completed)
			own->alive = event->wire.ts_ns;
		else
			dies(life, c, key, events, i);
	}
	return life;
}

/* Its signal is to come: it may be the end, whatever else shows that it is complete. */
static bool is_awaited(const struct sim_truth *t, uint32_t request, uint64_t at)
{
	const struct sim_request *r = &t->requests[request];

	return r->enable_signal != SIM_NONE && r->enable_signal <= at && r->signaled > at;
}

/* True when what starts at s on an engine may as well not have: something ahead of it may have been
 * alive. */
static bool start_is_undecided(const struct check *c, const struct life *life,
			       const struct sim_span *span)
{
	const struct sim_truth *t = c->truth;

	for (size_t i = 0; i < t->n_spans && t->spans[i].start <= span->start; i++) {
		const struct sim_span *p = &t->spans[i];

		if (p->engine == span->engine && p->complete && !p->end_exact &&
		    p->request != span->request && p->end <= span->start &&
		    (life[p->request].dead > span->start || is_awaited(t, p->request, span->start)))
			return true;
	}
	return false;
}

/*
 * A signal that is heard tells that the request had not ended before, but for the time that an
 * interrupt may take. If it left its engine later than it was seen alive, it may as well have ended
 * before it left.
 */
static void end_decides(struct check *c, struct life *life, uint32_t request)
{
	const struct sim_request *t = &c->truth->requests[request];
	const struct sim_span *end = c->spans + c->truth->n_spans;

	life->sure = life->alive;
	if (t->end_exact && t->end == t->signaled && t->end - LANE_INTERRUPT_NS > life->alive)
		life->sure = t->end - LANE_INTERRUPT_NS;
	if (!t->end_exact || t->end == SIM_NONE || t->end <= life->alive)
		return;
	if (t->end == t->signaled && t->end - LANE_INTERRUPT_NS > life->alive)
		life->alive = t->end - LANE_INTERRUPT_NS;
	for (const struct sim_span *s = first_span(c, request); s < end && s->request == request;
	     s++)
		if (!s->complete && s->told >= life->alive) {
			c->told[request].end_undecided = true;
			return;
		}
	life->alive = t->end;
}

/* The request left its engine at `left`, stands there again, and nothing shows that it was
 * incomplete then. */
static bool may_have_ended(const struct life *life, uint64_t left)
{
	return left <= life->dead && life->dead != SIM_NONE && life->sure <= left &&
	       life->executed >= life->back;
}

/* That p's request is complete is told before the end of the span is. */
static bool is_told_first(const struct life *life, const struct sim_span *p,
			  const struct sim_span *span)
{
	const struct life *a = &life[p->request], *b = &life[span->request];

	return a->dead < span->end ||
	       (a->dead == span->end && b->dead == span->end && a->dead_place < b->dead_place);
}

/*
 * True when the span may have been over before its end was told: another request, that had left the
 * engine and stood behind it, is told complete meanwhile. Either that one ran again, after this, or
 * it had ended before it left.
 */
static bool end_is_undecided(const struct check *c, const struct life *life,
			     const struct sim_span *span)
{
	const struct sim_truth *t = c->truth;

	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *p = &t->spans[i];
		uint64_t dead = life[p->request].dead;

		if (p->engine == span->engine && p->request != span->request &&
		    p->end != SIM_NONE && (!p->complete || !p->end_exact) &&
		    may_have_ended(&life[p->request], p->told) &&
		    life[span->request].place < life[p->request].place &&
		    life[span->request].executed <= dead && is_told_first(life, p, span) &&
		    life[span->request].sure <= dead)
			return true;
	}
	return false;
}

/*
 * A request that left its engine and was never after that seen to be incomplete may as well have
 * been complete, unheard, before it left: no event tells the one from the other.
 */
static bool find_undecided(struct check *c, const struct lane_event *events, size_t n)
{
	LANE_CLEANUP(lane_free) struct life *life = find_lives(c, events, n);
	LANE_CLEANUP(lane_free)
	uint64_t *undecided_end = calloc(c->truth->n_engines + 1, sizeof(*undecided_end));

	if (!life || !undecided_end)
		return false;
	for (size_t i = 0; i < c->truth->n_requests; i++) {
		const struct sim_request *t = &c->truth->requests[i];

		end_decides(c, &life[i], (uint32_t)i);
		if (t->unsure) {
			c->told[i].start_undecided = true;
			c->told[i].spans_exact = false;
		}
		if (t->late_listener || t->late_out) {
			c->told[i].end_undecided = true;
			c->told[i].spans_exact = false;
		}
		/* It may as well have ended in the run that no time was given. */
		if (t->skipped != SIM_NONE && t->skipped >= life[i].sure) {
			life[i].left = true;
			c->told[i].start_undecided = c->told[i].end_undecided = true;
			c->told[i].spans_exact = false;
		}
	}
	for (size_t i = 0; i < c->truth->n_spans; i++) {
		const struct sim_span *span = &c->truth->spans[i];
		bool undecided = start_is_undecided(c, life, span) ||
				 span->start == undecided_end[span->engine];

		if (!span->complete && span->end != SIM_NONE &&
		    span->told >= life[span->request].alive)
			life[span->request].left = true;
		if (undecided || life[span->request].left)
			c->told[span->request].spans_exact = false;
		/* It may have been over, unheard, when it left behind a pause. */
		if (span->complete &&
		    (life[span->request].left || c->truth->requests[span->request].unsure ||
		     c->truth->requests[span->request].late_listener ||
		     c->truth->requests[span->request].late_out))
			undecided_end[span->engine] = span->end;
		if (undecided && span->start == c->truth->requests[span->request].start)
			c->told[span->request].start_undecided = true;
		if (end_is_undecided(c, life, span)) {
			undecided_end[span->engine] = span->end;
			c->told[span->request].spans_exact = false;
			c->told[span->request].end_undecided |= span->complete;
			c->told[span->request].start_undecided = true;
		}
	}
	return true;
}

static bool prepare(struct check *c)
{
	const struct sim_truth *t = c->truth;

	c->keys = malloc((t->n_requests + 1) * sizeof(*c->keys));
	c->told = calloc(t->n_requests + 1, sizeof(*c->told));
	c->states = malloc((t->n_states + 1) * sizeof(*c->states));
	c->spans = malloc((t->n_spans + 1) * sizeof(*c->spans));
	c->certain = malloc((t->n_engines + 1) * sizeof(*c->certain));
	if (!c->keys || !c->told || !c->states || !c->spans || !c->certain)
		return false;
	for (uint32_t i = 0; i < t->n_requests; i++) {
		const struct sim_request *r = &t->requests[i];

		c->keys[i] = (struct key){ r->ctx, r->dev, r->seqno, i };
		c->told[i].spans_exact = true;
	}
	qsort(c->keys, t->n_requests, sizeof(*c->keys), compare_keys);
	memcpy(c->states, t->states, t->n_states * sizeof(*c->states));
	qsort(c->states, t->n_states, sizeof(*c->states), sim_compare_states);
	memcpy(c->spans, t->spans, t->n_spans * sizeof(*c->spans));
	qsort(c->spans, t->n_spans, sizeof(*c->spans), compare_spans);
	for (size_t i = 0; i < t->n_spans; i++)
		if (!t->spans[i].start_exact || !t->spans[i].end_exact)
			c->told[t->spans[i].request].spans_exact = false;
	return true;
}

struct lane_error *sim_check(const char *name, const struct sim_truth *truth,
			     const struct lane_trace_info *info, const struct lane_event *events,
			     size_t n, enum sim_demand demand, struct sim_verdict *verdict,
			     FILE *log, unsigned int shout)
{
	struct check c = { .name = name,
			   .truth = truth,
			   .info = info,
			   .demand = demand,
			   .verdict = verdict,
			   .log = log,
			   .shout = shout };
	struct lane_hooks hooks = { .arg = &c,
				    .request = truth->is_sched ? sim_check_job : on_request,
				    .queue = truth->is_sched ? NULL : on_queue,
				    .run = sim_check_run,
				    .idle = sim_check_idle,
				    .preemption = on_preemption,
				    .thread = on_thread,
				    .starvation = on_starvation,
				    .wait = on_wait };
	struct lane_select everything = { 0 };
	struct lane_error *err = latency_init(&c.latency, info, &everything);
	struct lane_timeline *timeline = NULL;

	if (err)
		return err;
	err = &lane_enomem;
	c.adds_up = latency_hooks(&c.latency);
	if (prepare(&c) && (truth->is_sched || find_undecided(&c, events, n))) {
		find_certain(&c, events, n);
		err = sim_feed(info, events, n, &hooks, &timeline);
		if (!err)
			err = latency_finish(&c.latency, timeline);
		if (!err)
			sim_check_engines(&c);
	}
	if (!err && !truth->is_sched)
		check_missing(&c);
	if (!err && truth->is_sched)
		sim_check_untold(&c);
	timeline_destroy(timeline);
	free(c.keys);
	free(c.told);
	free(c.states);
	free(c.spans);
	free(c.certain);
	latency_deinit(&c.latency);
	return err;
}
