// SPDX-License-Identifier: MIT
// An engine: in which order its requests stand, what is on its ports, what runs next
// (docs/analysis.md).
#include "timeline/engine.h"

#include <string.h>

static bool seqno_upto(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

/* ---- the ports whose `out` is to come ---- */

static struct lane_entry *entry_at(const struct lane_eng *eng, uint32_t i)
{
	return &((struct lane_eng *)eng)->fifo[(eng->fifo_head + i) % LANE_MAX_PORTS];
}

static void pop(struct lane_eng *eng)
{
	eng->fifo_head++;
	eng->fifo_n--;
}

/* No hardware holds that many: their `out`s are missing, or not recorded at all. */
static void make_way(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (tl->info.presence[LANE_RQ_OUT] == LANE_PRESENCE_ABSENT)
		pop(eng);
	else
		lane_eng_contradiction(tl, eng);
}

static void push(struct lane_timeline *tl, struct lane_eng *eng, struct lane_entry entry)
{
	if (eng->fifo_n == LANE_MAX_PORTS)
		make_way(tl, eng);
	*entry_at(eng, eng->fifo_n++) = entry;
}

static bool is_port_of(const struct lane_entry *entry, const struct lane_event *event)
{
	return entry->seqno == event->u.rq.seqno && entry->ctx->pub.ctx == event->u.rq.ctx &&
	       entry->ctx->pub.dev == event->u.rq.dev;
}

/* The place of the port that an `out` is of, -1: none. */
static int place_of(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; i < eng->fifo_n; i++)
		if (is_port_of(entry_at(eng, i), event))
			return (int)i;
	return -1;
}

/* True when rq is the last request of a port: its end shows by its own `out`. */
static bool is_ports_last(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0; i < eng->fifo_n; i++)
		if (entry_at(eng, i)->seqno == rq->pub.seqno &&
		    &entry_at(eng, i)->ctx->pub == rq->pub.context)
			return true;
	return false;
}

/* True when the last set has rq on a port. */
static bool is_covered(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = eng->fifo_n; i-- && entry_at(eng, i)->set == eng->set;)
		if (&entry_at(eng, i)->ctx->pub == rq->pub.context &&
		    seqno_upto(rq->pub.seqno, entry_at(eng, i)->seqno))
			return true;
	return false;
}

/* ---- the order ---- */

static struct lane_rq_list *list_of(struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->order ? &eng->order : &eng->away;
}

static void unlink_from(struct lane_rq_list *list, struct lane_rq *rq)
{
	*(rq->dev_prev ? &rq->dev_prev->dev_next : &list->first) = rq->dev_next;
	*(rq->dev_next ? &rq->dev_next->dev_prev : &list->last) = rq->dev_prev;
	rq->dev_next = rq->dev_prev = NULL;
}

static void link_to(struct lane_rq_list *list, struct lane_rq *rq)
{
	rq->dev_prev = list->last;
	*(list->last ? &list->last->dev_next : &list->first) = rq;
	list->last = rq;
}

void lane_rq_link(struct lane_eng *eng, struct lane_rq *rq)
{
	rq->pub.engine = &eng->pub;
	rq->on_device = true;
	rq->order = 0;
	link_to(&eng->away, rq);
}

void lane_rq_unlink(struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (!rq->on_device)
		return;
	if (eng->leaver == rq)
		eng->leaver = NULL;
	if (eng->oldest == rq)
		eng->oldest = NULL;
	unlink_from(list_of(eng, rq), rq);
	rq->order = 0;
	rq->on_device = false;
}

/* rq stands last from here on. */
static void stand(struct lane_eng *eng, struct lane_rq *rq)
{
	unlink_from(list_of(eng, rq), rq);
	link_to(&eng->order, rq);
	rq->order = ++eng->orders;
	rq->off = false;
}

/* It stands nowhere: taken back, or nobody knows where. */
static void put_away(struct lane_eng *eng, struct lane_rq *rq)
{
	unlink_from(list_of(eng, rq), rq);
	link_to(&eng->away, rq);
	rq->order = 0;
}

bool lane_eng_is_ahead(const struct lane_rq *a, const struct lane_rq *b)
{
	if (a->pub.context == b->pub.context)
		return !seqno_upto(b->pub.seqno, a->pub.seqno);
	return !a->order || !b->order || a->order < b->order;
}

/*
 * Nothing hidden is ahead of what has been seen. After a loss what was taken back meanwhile may be
 * about to come again: only an engine that has been empty since is certain.
 */
void lane_eng_prove(struct lane_eng *eng, bool nothing_ahead)
{
	if (nothing_ahead)
		eng->fresh_epoch = eng->epoch;
	if (eng->fresh_epoch == eng->epoch &&
	    (eng->epoch == 1 || (!eng->order.first && !eng->away.first)))
		eng->proven_epoch = eng->epoch;
}

/* Nothing of the time before rq was handed over is in doubt. */
static bool is_fresh(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_EXECUTE) && !(rq->pub.doubt & LANE_DOUBT_EXECUTE) &&
	       rq->pub.execute_ns >= eng->doubt_until;
}

void lane_eng_contradiction(struct lane_timeline *tl, struct lane_eng *eng)
{
	tl->figures.contradictions++;
	lane_eng_doubt(tl, eng, tl->now_ns, tl->now_ns);
}

/* ---- what runs ---- */

/*
 * True when an `out` can come from the tasklet that is at a dequeue: it read the port's completion,
 * or that the set before the last one that has been written was replaced.
 */
bool lane_eng_out_is_due(const struct lane_eng *eng, const struct lane_event *event,
			 uint32_t before)
{
	if (eng->mode == LANE_MODE_PER_REQUEST || before >= eng->fifo_n ||
	    !is_port_of(entry_at(eng, before), event))
		return false;
	return event->u.i915_request_out.completed || entry_at(eng, before)->set != eng->set;
}

/*
 * True when the hardware has on its ports what was recorded last of them, if so many `out`s have
 * come since: else the tasklet that fired them would have said so at its end.
 */
bool lane_eng_ports_stay(const struct lane_eng *eng, uint32_t outs)
{
	struct lane_p_i915_engine_ports now = eng->ports;
	const struct lane_entry *port = outs < eng->fifo_n ? entry_at(eng, outs) : NULL;
	const struct lane_entry *next = outs + 1 < eng->fifo_n ? entry_at(eng, outs + 1) : NULL;

	if (next && next->set != port->set)
		next = NULL;
	now.ctx0 = port ? port->ctx->pub.ctx : 0;
	now.seqno0 = port ? port->seqno : 0;
	now.ctx1 = next ? next->ctx->pub.ctx : 0;
	now.seqno1 = next ? next->seqno : 0;
	return now.ctx0 == eng->ports.ctx0 && now.seqno0 == eng->ports.seqno0 &&
	       now.ctx1 == eng->ports.ctx1 && now.seqno1 == eng->ports.seqno1;
}

/* The set that the k-th `out` to come is of was replaced before the driver wrote again. */
bool lane_eng_out_is_sure(const struct lane_eng *eng, uint32_t k)
{
	return k < eng->fifo_n && entry_at(eng, k)->set != eng->set;
}

/* rq stands since before the last taking back, which shows that it was complete by then. */
static bool is_unheard(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->order && rq->order <= eng->unwound;
}

/* What is complete and not heard of yet, then what was taken back with the ports, then the order.
 */
static struct lane_rq *next_to_run(const struct lane_eng *eng)
{
	struct lane_rq *first = eng->order.first;

	return eng->leaver && !(first && is_unheard(eng, first)) ? eng->leaver : first;
}

/* True when rq runs, or will before what runs now is over. */
static bool runs_after(const struct lane_eng *eng, const struct lane_rq *now,
		       const struct lane_rq *rq)
{
	if (rq == eng->leaver)
		return is_unheard(eng, now);
	if (!rq->order)
		return false;
	return now == eng->leaver ? !is_unheard(eng, rq) : now->order < rq->order;
}

/* Nothing of its own will tell of its end. */
static bool is_silent(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return !rq->listen_ns && !is_ports_last(eng, rq);
}

void lane_eng_update(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *next;

	if (eng->updating || eng->mode == LANE_MODE_UNKNOWN)
		return;
	eng->updating = true;
	while (!eng->running && (next = next_to_run(eng))) {
		struct lane_span at = eng->free,
				 in = next == eng->leaver ? eng->leaver_in : next->in;

		if (in.lo > at.lo)
			at.lo = in.lo;
		if (in.hi > at.hi)
			at.hi = in.hi;
		lane_run_begin(tl, eng, next, at);
		if (next->complete_ns && is_unheard(eng, next) && is_silent(eng, next))
			lane_end_infer(tl, eng, next,
				       (struct lane_span){ next->since.lo,
							   lane_not_before(next->complete_ns,
									   next->since.hi) });
	}
	eng->updating = false;
	if (!eng->running && !eng->settling && !eng->idle && !lane_eng_unproven(eng))
		lane_idle_begin(tl, eng, eng->free.hi);
}

/* The next set has taken the engine from what was taken back with the last one, at a time in `at`.
 */
static void change_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at)
{
	struct lane_rq *rq = eng->leaver;

	for (uint32_t guard = 0; eng->running && eng->running != rq && guard < LANE_ENG_MOST;
	     guard++) {
		struct lane_rq *unheard = eng->running;
		uint64_t by_ns = unheard->complete_ns ? unheard->complete_ns : at.hi;

		lane_end_infer(tl, eng, unheard,
			       (struct lane_span){ unheard->since.lo,
						   lane_not_before(by_ns, unheard->since.lo) });
	}
	eng->leaver = NULL;
	if (!rq || rq->ended || eng->running != rq)
		return;
	lane_run_close(tl, eng, &at);
	lane_run_taken_off(tl, eng, rq, at);
	lane_eng_update(tl, eng);
}

/* The same where no event marks it: since the set was written. */
static void change_over_by(struct lane_timeline *tl, struct lane_eng *eng, uint64_t by_ns)
{
	const struct lane_rq *first = eng->order.first;

	while (first && is_unheard(eng, first))
		first = first->dev_next;
	change_over(tl, eng,
		    (struct lane_span){ first && first->in.lo < by_ns ? first->in.lo : 0, by_ns });
}

void lane_eng_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     uint64_t by_ns)
{
	if (eng->mode == LANE_MODE_UNKNOWN) {
		eng->mode = LANE_MODE_RING;
		lane_eng_update(tl, eng);
	}
	for (uint32_t guard = 0; guard < LANE_ENG_MOST && eng->running != rq; guard++) {
		struct lane_rq *front = eng->running;

		if (!front || !runs_after(eng, front, rq))
			return;
		if (front == eng->leaver)
			change_over_by(tl, eng, by_ns);
		else
			lane_end_infer(tl, eng, front,
				       (struct lane_span){ front->since.lo, by_ns });
		if (eng->running == front) { /* it comes first by any order: it cannot be */
			lane_end_detach(tl, eng, front);
			lane_eng_update(tl, eng);
		}
	}
}

/* ---- a dequeue ---- */

/* The driver looks for work only when the hardware has taken the last set. */
static void begin_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (eng->dequeuing)
		return;
	if (eng->leaver)
		change_over_by(tl, eng, now_ns);
	eng->dequeuing = true;
	eng->stood = eng->orders;
	eng->oldest = NULL;
	eng->oldest_order = 0;
	eng->census_ns = 0;
	eng->again = false;
	eng->wrote = false;
}

/* rq is taken back; the oldest that is had the engine, or was to have it next. */
static void take_back(struct lane_eng *eng, struct lane_rq *rq)
{
	if (!eng->oldest || rq->order < eng->oldest_order) {
		eng->oldest = rq;
		eng->oldest_order = rq->order;
		eng->oldest_in = rq->in;
	}
}

void lane_eng_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       const struct lane_event *event)
{
	if (eng->mode == LANE_MODE_GUC || eng->mode == LANE_MODE_RING)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	eng->census_ns = 0;
	if (rq->on_device && rq->pub.engine == &eng->pub) {
		eng->oldest = NULL; /* the newest come first */
		take_back(eng, rq);
		put_away(eng, rq);
	}
}

void lane_eng_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;

	if (eng->mode == LANE_MODE_UNKNOWN && !tl->has_in)
		eng->mode = lane_eng_sees_unsubmit(tl) ? LANE_MODE_HOOKS : LANE_MODE_RING;
	if (eng->mode == LANE_MODE_UNKNOWN && tl->figures.by_kind[LANE_RQ_GUC_SUBMIT])
		eng->mode = LANE_MODE_GUC;
	if (rq->on_device && rq->pub.engine != &eng->pub && rq->pub.state == LANE_RQ_STATE_RUNNING)
		lane_eng_contradiction(tl, (struct lane_eng *)rq->pub.engine);
	if (eng->mode == LANE_MODE_GUC && eng->idle)
		lane_idle_end(tl, eng, rq, now_ns, lane_eng_unproven(eng));
	lane_rq_executed(tl, rq, eng, now_ns);
	if (eng->mode == LANE_MODE_GUC || (eng->mode == LANE_MODE_RING && rq->order))
		return;
	if (eng->mode != LANE_MODE_RING)
		begin_dequeue(tl, eng, now_ns);
	if (!rq->on_device)
		return;
	if (!eng->census_ns)
		eng->census_ns = now_ns;
	if (rq->order) {
		eng->again = true;
		take_back(eng, rq);
	}
	stand(eng, rq);
	rq->on_port = false;
	if (!lane_eng_has_ports(eng))
		rq->in = (struct lane_span){ now_ns,
					     eng->mode == LANE_MODE_HOOKS ? LANE_NEVER : now_ns };
	if (eng->mode == LANE_MODE_RING && !eng->running)
		lane_eng_update(tl, eng);
}

/* What was taken for a ring has ports: nothing has run by that reading yet. */
static void becomes_ported(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (lane_eng_has_ports(eng) || eng->mode == LANE_MODE_GUC)
		return;
	eng->mode = tl->figures.by_kind[LANE_RQ_GUC_SUBMIT] ? LANE_MODE_GUC : LANE_MODE_PORTS;
	if (eng->running)
		lane_eng_contradiction(tl, eng);
}

/* An `in` of rq puts all that is handed over of its context, up to it, on the port. */
static void put_on_port(struct lane_eng *eng, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_rq *first = rq;

	while (first->prev && !first->prev->ended && !first->prev->on_port &&
	       first->prev->on_device && first->prev->pub.engine == &eng->pub)
		first = first->prev;
	for (;; first = first->next) {
		if (!first->ended && first->on_device && !first->on_port) {
			if (!first->order) { /* its execute was not seen: nor was its place */
				stand(eng, first);
				eng->misplaced = true;
			}
			first->in = lane_span_exact(now_ns);
			first->on_port = true;
		}
		if (first == rq)
			return;
	}
}

/* Collects a set: its `in`s come in descending port order, it is read in ascending order. */
static void in_of_set(struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_entry *entry, uint32_t port)
{
	const uint32_t most = sizeof(eng->building) / sizeof(eng->building[0]);

	if (port >= most || (eng->building_port >= 0 && port != (uint32_t)eng->building_port - 1)) {
		eng->building_port = -1;
		lane_eng_contradiction(tl, eng);
		if (port >= most)
			return;
	}
	if (eng->building_port < 0)
		eng->set++;
	eng->building[port] = *entry;
	eng->building[port].set = eng->set;
	eng->building_port = (int)port;
	if (port)
		return;
	for (uint32_t i = 0; i < most && eng->building[i].set == eng->set && eng->building[i].ctx;
	     i++)
		push(tl, eng, eng->building[i]);
	memset(eng->building, 0, sizeof(eng->building));
	eng->building_port = -1;
	eng->wrote = true;
}

void lane_eng_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		 const struct lane_event *event)
{
	struct lane_entry entry = { .ctx = (struct lane_ctx *)rq->pub.context,
				    .seqno = rq->pub.seqno,
				    .fresh = is_fresh(eng, rq) };
	struct lane_entry *tail;

	becomes_ported(tl, eng);
	lane_rq_executed(tl, rq, eng, event->wire.ts_ns);
	if (eng->mode == LANE_MODE_GUC)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	put_on_port(eng, rq, event->wire.ts_ns);
	if (eng->mode == LANE_MODE_PORTS) {
		in_of_set(tl, eng, &entry, event->u.i915_request_in.port);
		return;
	}
	tail = eng->fifo_n ? entry_at(eng, eng->fifo_n - 1) : NULL;
	entry.set = eng->set;
	if (tail && tail->ctx == entry.ctx && tail->set == entry.set)
		tail->seqno = entry.seqno;
	else
		push(tl, eng, entry);
}

/*
 * All that was incomplete has been taken back: what stands still is complete. A signal or an `out`
 * that is to come tells when.
 */
static void take_census(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->stood; rq = next) {
		next = rq->dev_next;
		rq->complete_ns = now_ns;
		/* Behind one that is not: it ended before it left the engine last. */
		if (rq->order > eng->oldest_order && rq->pub.state == LANE_RQ_STATE_PREEMPTED) {
			put_away(eng, rq);
			if (is_silent(eng, rq))
				lane_end_infer(
					tl, eng, rq,
					(struct lane_span){ rq->pub.execute_ns, rq->since.hi });
		}
	}
	eng->unwound = eng->stood;
}

/*
 * Where taking back is not recorded: what was executed again had been taken back, and what the new
 * set does not have has been, or is complete. Who runs when is not known then of what stands.
 */
static void guess_census(struct lane_eng *eng)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->stood; rq = next) {
		next = rq->dev_next;
		if (!eng->wrote || is_covered(eng, rq))
			continue;
		take_back(eng, rq);
		put_away(eng, rq);
		rq->off = true;
	}
	if (!eng->again)
		return;
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	for (struct lane_rq *rq = eng->away.first; rq; rq = rq->dev_next)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
}

/* The oldest that was taken back goes on, in its place or as the one that leaves; or it cannot be.
 */
static void find_leaver(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *first = eng->order.first, *oldest = eng->oldest;

	while (first && is_unheard(eng, first))
		first = first->dev_next;
	if (oldest && !oldest->ended && oldest != first) {
		eng->leaver = oldest;
		eng->leaver_in = eng->oldest_in;
	} else if (oldest && oldest == first) {
		oldest->in = eng->oldest_in; /* it is on the hardware already */
	}
	while ((first = eng->running) && is_unheard(eng, first) && is_silent(eng, first)) {
		lane_end_infer(tl, eng, first,
			       (struct lane_span){ first->since.lo,
						   lane_not_before(now_ns, first->since.hi) });
		if (eng->running == first)
			break;
	}
	if (eng->running && eng->running != oldest && !is_unheard(eng, eng->running))
		lane_eng_contradiction(tl, eng);
}

/* The same ports as before are not written again: what was executed again is on them still. */
static void stay_on_ports(struct lane_eng *eng)
{
	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->stood; rq = rq->dev_prev)
		rq->on_port |= rq->in.hi != 0;
}

void lane_eng_dequeued(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (!eng->dequeuing)
		return;
	eng->dequeuing = false;
	if (eng->cut_off)
		return;
	if (eng->mode == LANE_MODE_HOOKS)
		for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->stood;
		     rq = rq->dev_prev)
			rq->in.hi = now_ns;
	if (eng->misplaced)
		for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
			lane_end_doubt(rq, rq->pub.execute_ns);
	eng->misplaced = false;
	if (eng->mode == LANE_MODE_PORTS && !eng->wrote)
		stay_on_ports(eng);
	if (eng->mode == LANE_MODE_PORTS && !lane_eng_sees_unsubmit(tl))
		guess_census(eng);
	if (eng->oldest) {
		if (lane_eng_sees_unsubmit(tl))
			take_census(tl, eng, eng->census_ns ? eng->census_ns : tl->now_ns);
		find_leaver(tl, eng, eng->census_ns ? eng->census_ns : tl->now_ns);
	}
	eng->oldest = NULL;
	if (!eng->running)
		lane_eng_update(tl, eng);
}

/* ---- what is given back ---- */

/* Where taking back is not seen: rq ran, or it had ended unheard and one behind it ran. */
static void others_may_have_run(const struct lane_rq *rq, uint32_t last)
{
	for (; rq && !rq->listen_ns; rq = rq->next)
		if (rq->next && seqno_upto(rq->next->pub.seqno, last) && !rq->next->pub.started)
			rq->next->maybe_ran = true;
}

/* Up to Linux 5.3 a preemption idles the engine: all that stands is taken back, but what runs. */
static void take_back_all(struct lane_eng *eng)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq; rq = next) {
		next = rq->dev_next;
		put_away(eng, rq);
		rq->off = true;
	}
	eng->set++;
}

/* A port is given back, its context incomplete: the set has been replaced. */
static void given_back(struct lane_timeline *tl, struct lane_eng *eng,
		       const struct lane_entry *port, uint64_t now_ns)
{
	struct lane_rq *rq = eng->mode == LANE_MODE_PER_REQUEST ? eng->running : eng->leaver;

	if (eng->mode == LANE_MODE_PER_REQUEST) {
		take_back_all(eng);
		eng->leaver = rq;
	}
	if (!rq || rq->pub.context != &port->ctx->pub)
		return;
	if (!lane_eng_sees_unsubmit(tl) && eng->running == rq)
		others_may_have_run(rq, port->seqno);
	change_over(tl, eng, lane_span_exact(now_ns));
}

/*
 * rq is complete by its `out`. What would run from this `out` to the one of the same tasklet that
 * gives its port back did not.
 */
static void completed(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      uint64_t now_ns)
{
	if (eng->leaver && eng->running != eng->leaver &&
	    lane_section_gives_back(eng, eng->leaver->pub.context)) {
		/* Only what is on the ports at its end tells one run of the tasklet from the next.
		 */
		if (tl->info.presence[LANE_PORTS] != LANE_PRESENCE_RECORDED)
			lane_end_doubt(eng->leaver, now_ns);
		if (!eng->leaver->listen_ns) {
			/* It may have run after all, and ended, with nothing to tell. */
			eng->leaver->over_ns = now_ns;
			eng->leaver->over_exact = false;
			eng->leaver->unseen_start |= !eng->leaver->pub.started;
		}
		eng->leaver = NULL;
	}
	if (rq)
		lane_end_request(tl, rq, lane_span_exact(now_ns));
}

/* An `out` that is not the head's: of a port from before what has been seen, or something is
 * missing. */
static void stray_out(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!lane_eng_unproven(eng)) {
		lane_eng_contradiction(tl, eng);
		return;
	}
	/* Something hidden had the engine until now. */
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		lane_end_doubt(rq, rq->pub.execute_ns);
	for (struct lane_rq *rq = eng->away.first; rq; rq = rq->dev_next)
		lane_end_doubt(rq, rq->pub.execute_ns);
}

void lane_eng_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  const struct lane_event *event)
{
	bool complete = event->u.i915_request_out.completed;
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_entry port;
	int place;

	if (eng->mode == LANE_MODE_UNKNOWN || eng->mode == LANE_MODE_RING)
		becomes_ported(tl, eng);
	/* Its signal may have come before the recording did. */
	if (rq && complete && !rq->listen_ns && !(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_END;
	if (!lane_eng_has_ports(eng)) {
		if (rq && complete && tl->info.submission == LANE_SUBMISSION_EXECLISTS)
			lane_end_request(tl, rq, lane_span_exact(now_ns));
		return;
	}
	place = place_of(eng, event);
	if (place &&
	    (place < 0 || !lane_eng_unproven(eng) || !entry_at(eng, (uint32_t)place)->fresh)) {
		stray_out(tl, eng);
		if (rq && complete)
			lane_end_request(tl, rq, lane_span_exact(now_ns));
		return;
	}
	while (place--)
		pop(eng);
	port = *entry_at(eng, 0);
	pop(eng);
	if (lane_eng_unproven(eng) && port.fresh)
		lane_eng_prove(eng, true);
	if (rq && !complete)
		lane_eng_alive(tl, rq, now_ns);
	if (complete)
		completed(tl, eng, rq, now_ns);
	else
		given_back(tl, eng, &port, now_ns);
	if (rq && rq->pub.state == LANE_RQ_STATE_PREEMPTED && rq->since.hi == now_ns)
		rq->left_told = true; /* its own `out` says so */
}

/* What was on a port up to seqno, and is on none any more, has ended. */
static void off_the_ports(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_p_i915_engine_ports *ports, uint64_t now_ns)
{
	const struct lane_p_i915_engine_ports *before = &eng->ports;

	for (uint32_t guard = 0; eng->running && guard < LANE_ENG_MOST; guard++) {
		const struct lane_rq *rq = eng->running;
		uint64_t ctx = rq->pub.context->ctx;
		bool was = (before->ctx0 == ctx && seqno_upto(rq->pub.seqno, before->seqno0)) ||
			   (before->ctx1 == ctx && seqno_upto(rq->pub.seqno, before->seqno1));

		if (!was || ctx == ports->ctx0 || ctx == ports->ctx1 || rq == eng->leaver)
			return;
		lane_end_infer(tl, eng, eng->running, (struct lane_span){ rq->since.lo, now_ns });
	}
}

void lane_eng_ports(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	struct lane_eng *eng = lane_eng_get(tl, ports->dev, ports->class, ports->instance);
	const struct lane_rq *first;

	if (!eng)
		return;
	lane_section_settle(tl, eng, event->wire.ts_ns);
	if (eng->mode != LANE_MODE_HOOKS) {
		eng->ports = *ports;
		return;
	}
	for (first = eng->order.first; first && is_unheard(eng, first);)
		first = first->dev_next;
	if (eng->leaver && first && first->pub.context->ctx == ports->ctx0 &&
	    eng->leaver->pub.context->ctx != ports->ctx0)
		change_over_by(tl, eng, event->wire.ts_ns);
	off_the_ports(tl, eng, ports, event->wire.ts_ns);
	eng->ports = *ports;
}

/* ---- what is missing ---- */

/* Of rq's context, `before` should have been handed over again with it or before it, had it not
 * ended. */
static bool was_passed_over(const struct lane_timeline *tl, const struct lane_eng *eng,
			    const struct lane_rq *before, const struct lane_rq *rq)
{
	if (!before->on_device || before->pub.engine != &eng->pub)
		return false;
	if (!before->order)
		return before->taken_back || before->off;
	return !lane_eng_sees_unsubmit(tl) && rq->order && before->order < rq->order &&
	       before->order <= eng->stood;
}

void lane_eng_unheard(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before, *next;

	if (rq->next && rq->on_device)
		rq->next->maybe_ran = false; /* rq was not complete, so it did not run */
	if (eng->mode == LANE_MODE_GUC || eng->mode == LANE_MODE_RING)
		return;
	for (before = ctx->live; before && before != rq; before = next) {
		uint64_t left_ns = tl->now_ns;

		next = before->next;
		if (!was_passed_over(tl, eng, before, rq) ||
		    (before->listen_ns && !before->taken_back)) /* its signal is under way */
			continue;
		/* It may have ended long ago: then this one ran, and who was preempted is not
		 * known. */
		if (!lane_eng_sees_unsubmit(tl))
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
		if (before->pub.state == LANE_RQ_STATE_PREEMPTED)
			left_ns = before->since.hi;
		if (!before->pub.started)
			before->pub.doubt |= LANE_DOUBT_DEVICE;
		lane_end_infer(tl, eng, before,
			       (struct lane_span){ before->pub.execute_ns, left_ns });
	}
}

void lane_eng_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
		    uint64_t until_ns)
{
	struct lane_rq *rq;

	if (!eng->settling)
		lane_section_cut(tl, eng, now_ns);
	eng->epoch++;
	eng->doubt_until = until_ns > eng->doubt_until ? until_ns : eng->doubt_until;
	if (eng->running) {
		struct lane_span at = { now_ns, now_ns };

		rq = eng->running;
		lane_end_doubt(rq, now_ns);
		rq->hit = true;
		lane_run_close(tl, eng, &at);
		/* It ended, was taken off, or runs on: it counts as preempted until its end shows.
		 */
		lane_run_taken_off(tl, eng, rq, at);
		rq->pub.preemptions--;
	}
	while ((rq = eng->order.first))
		put_away(eng, rq);
	for (rq = eng->away.first; rq; rq = rq->dev_next) {
		lane_end_doubt(rq, now_ns);
		rq->hit = true;
	}
	eng->victim = eng->leaver = eng->oldest = NULL;
	eng->fifo_n = 0;
	eng->building_port = -1;
	memset(eng->building, 0, sizeof(eng->building));
	eng->dequeuing = false;
	if (eng->idle) {
		eng->idle = false;
		if (eng->pub.id < 64)
			tl->idle_mask &= ~(1ull << eng->pub.id);
	}
}
