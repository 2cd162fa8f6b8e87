// SPDX-License-Identifier: MIT
// A dequeue of the driver: what it takes back, hands over and writes to the ports.
#include "timeline/dequeue.h"
#include "timeline/end.h"
#include "timeline/engine.h"
#include "timeline/idle.h"
#include "timeline/model.h"
#include "timeline/order.h"
#include "timeline/ports.h"
#include "timeline/run.h"
#include "timeline/state.h"
#include "timeline/tell.h"

#include <string.h>

/* Between the driver's pause of the ring and the first request that it takes back are a few
 * instructions, with interrupts off. */
#define PAUSE_NS 1000

/* A virtual engine's request was taken back and goes to another sibling. */
static void move(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng, uint64_t at_ns)
{
	struct lane_engine *from = rq->pub.engine;

	if (((struct lane_eng *)from)->running == rq) { /* that it left is missing */
		timeline_engine_contradicts(tl, (struct lane_eng *)from);
		timeline_engine_doubt(tl, (struct lane_eng *)from, at_ns, at_ns);
	}
	if (rq->pub.state == LANE_RQ_STATE_DEVICE) {
		timeline_queue_changes(tl, from, LANE_QUEUE_DEVICE, rq, -1, at_ns);
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, at_ns);
	}
	timeline_request_unlink(rq);
	timeline_request_link(eng, rq);
}

static void hand_over(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
		      uint64_t at_ns)
{
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1, at_ns);
	timeline_request_link(eng, rq);
	rq->handed.device_ns = at_ns;
	timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, at_ns);
	timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, at_ns);
}

void timeline_engine_gets(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			  uint64_t at_ns)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before = rq;

	/*
	 * Requests of a context are handed over in order: those before it have been, back to the
	 * last of which that is known.
	 */
	if (ctx->live && (int32_t)(ctx->live->pub.seqno - rq->pub.seqno) < 0)
		while (before != ctx->live && before->prev && !before->prev->is_on_device &&
		       !before->prev->ended)
			before = before->prev;
	for (; before != rq; before = before->next) {
		if (before->is_on_device || before->ended || before->doubt.is_detached)
			continue;
		before->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
		hand_over(tl, before, eng, at_ns);
	}
	if (rq->ended)
		return;
	if (rq->is_on_device) {
		if (rq->pub.engine != &eng->pub)
			move(tl, rq, eng, at_ns);
		return;
	}
	if (!(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
	eng->proof.is_from_before |= !timeline_request_is_born(rq);
	hand_over(tl, rq, eng, at_ns);
}

/* R20. The driver looks for work only when the hardware has taken the last set. */
static void begin_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (eng->dequeue.is_open)
		return;
	if (eng->leaver && eng->section.is_cut && timeline_engine_has_ports(eng)) {
		/* The `out` that marks the change-over may be among what is missing. */
		timeline_end_doubt(eng->leaver, now_ns);
		timeline_end_doubt_order(eng, now_ns);
	}
	if (eng->leaver)
		timeline_engine_change_over_by(
			tl, eng, timeline_not_before(now_ns, eng->dequeue.no_sooner_ns));
	eng->dequeue.is_open = true;
	eng->dequeue.no++;
	eng->dequeue.stood = eng->orders;
	eng->dequeue.oldest = NULL;
	eng->dequeue.in_place = NULL;
	eng->dequeue.oldest_order = 0;
	eng->dequeue.census_ns = 0;
	eng->dequeue.pause_ns = 0;
	eng->dequeue.passed = (struct lane_span){ 0, 0 };
	eng->dequeue.has_again = false;
	eng->dequeue.is_mixed = false;
	eng->dequeue.has_written = false;
}

/* rq is taken back; the oldest that is had the engine, or was to have it next. */
static void take_back(struct lane_eng *eng, struct lane_rq *rq)
{
	if (!eng->dequeue.oldest || rq->order < eng->dequeue.oldest_order) {
		eng->dequeue.oldest = rq;
		eng->dequeue.oldest_order = rq->order;
		eng->dequeue.oldest_in = rq->handed.in;
	}
}

void timeline_engine_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			      const struct lane_event *event)
{
	if (eng->model)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	eng->dequeue.census_ns = 0;
	if (!eng->dequeue.pause_ns)
		eng->dequeue.pause_ns = timeline_not_before(
			eng->dequeue.before_ns,
			event->wire.ts_ns > PAUSE_NS ? event->wire.ts_ns - PAUSE_NS : 1);
	if (!rq->is_on_device) /* handed over before the recording, or in a loss */
		timeline_engine_gets(tl, rq, eng, event->wire.ts_ns);
	if (rq->is_on_device && rq->pub.engine == &eng->pub) {
		rq->handed.back_no = eng->dequeue.no;
		eng->dequeue.oldest = NULL; /* the newest come first */
		take_back(eng, rq);
		timeline_engine_put_away(eng, rq);
	}
}

/* How the events of an engine are read, as far as its first `execute` tells. */
static void find_mode(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (eng->mode == LANE_MODE_UNKNOWN && !tl->has_in)
		timeline_engine_becomes(tl, eng,
					timeline_engine_sees_unsubmit(tl) ? LANE_MODE_HOOKS
									  : LANE_MODE_RING);
	if (eng->mode == LANE_MODE_UNKNOWN && tl->figures.by_kind[LANE_RQ_GUC_SUBMIT])
		timeline_engine_becomes(tl, eng, LANE_MODE_GUC);
}

/* rq gets its place behind all that has been handed over. */
static void place(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  uint64_t now_ns)
{
	if (!eng->dequeue.census_ns) {
		eng->dequeue.census_ns = now_ns;
		eng->dequeue.first_ctx = rq->pub.context->ctx;
	}
	if (rq->pub.context->ctx == eng->dequeue.first_ctx)
		eng->dequeue.first_seqno = rq->pub.seqno;
	if (!rq->order && rq->handed.back_no != eng->dequeue.no)
		rq->handed.ns = now_ns;
	rq->handed.no = eng->dequeue.no;
	if (rq->order) {
		eng->dequeue.has_again = true;
		take_back(eng, rq);
	} else if (eng->mode == LANE_MODE_PORTS && !timeline_engine_sees_unsubmit(tl) &&
		   !timeline_request_is_born(rq)) {
		eng->dequeue.is_misplaced = true; /* it may have stood before the recording */
	}
	timeline_engine_stand(eng, rq);
	rq->handed.is_on_port = false;
	if (!timeline_engine_has_ports(eng))
		rq->handed.in =
			(struct lane_span){ now_ns,
					    eng->mode == LANE_MODE_HOOKS ? LANE_NEVER : now_ns };
}

void timeline_engine_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;

	find_mode(tl, eng);
	if (rq->is_on_device && rq->pub.engine != &eng->pub &&
	    rq->pub.state == LANE_RQ_STATE_RUNNING)
		timeline_engine_contradiction(tl, (struct lane_eng *)rq->pub.engine);
	timeline_engine_gets(tl, rq, eng, now_ns);
	if (eng->model) {
		if (rq->is_on_device)
			eng->model->execute(tl, eng, rq, now_ns);
		return;
	}
	begin_dequeue(tl, eng, now_ns);
	if (rq->is_on_device)
		place(tl, eng, rq, now_ns);
}

/* Two dequeues are held as one: rq may have been handed over in the first, which left it on its
 * port and wrote none. */
static bool may_be_on_port(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->dequeue.is_split && rq->handed.in.lo &&
	       rq->pub.context->ctx == eng->dequeue.first_ctx;
}

/* An `in` of rq puts all that is handed over of its context, up to it, on the port. */
static void put_on_port(struct lane_eng *eng, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_rq *first = rq;

	while (first->prev && !first->prev->ended && !first->prev->handed.is_on_port &&
	       first->prev->is_on_device && first->prev->pub.engine == &eng->pub)
		first = first->prev;
	for (;; first = first->next) {
		if (!first->ended && first->is_on_device && !first->handed.is_on_port) {
			if (!first->order) { /* its execute was not seen: nor was its place */
				timeline_engine_stand(eng, first);
				eng->dequeue.is_misplaced = true;
			}
			first->handed.in.hi = now_ns;
			if (!may_be_on_port(eng, first))
				first->handed.in.lo = now_ns;
			first->handed.is_on_port = true;
		}
		if (first == rq)
			return;
	}
}

/* A port is given; its `out` is to come. No hardware has that many: their `out`s are missing, or
 * not recorded at all. */
static void give(struct lane_timeline *tl, struct lane_eng *eng, struct lane_entry entry)
{
	if (timeline_ports_are_full(eng) && timeline_is_absent(tl, LANE_RQ_OUT))
		timeline_ports_pop(eng);
	else if (timeline_ports_are_full(eng))
		timeline_engine_contradiction(tl, eng); /* it forgets them all */
	timeline_ports_push(eng, entry);
}

/* Collects a set: its `in`s come in descending port order, it is read in ascending order. */
static void in_of_set(struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_entry *entry, uint32_t port)
{
	const uint32_t most = sizeof(eng->given.building) / sizeof(eng->given.building[0]);

	if (port >= most ||
	    (eng->given.building_port >= 0 && port != (uint32_t)eng->given.building_port - 1)) {
		eng->given.building_port = -1;
		timeline_engine_contradiction(tl, eng);
		if (port >= most)
			return;
	}
	if (eng->given.building_port < 0)
		eng->given.set++;
	eng->given.building[port] = *entry;
	eng->given.building[port].set = eng->given.set;
	eng->given.building[port].is_again &= !port;
	eng->given.building_port = (int)port;
	if (port)
		return;
	for (uint32_t i = 0;
	     i < most && eng->given.building[i].set == eng->given.set && eng->given.building[i].ctx;
	     i++)
		give(tl, eng, eng->given.building[i]);
	memset(eng->given.building, 0, sizeof(eng->given.building));
	eng->given.building_port = -1;
	eng->dequeue.has_written = true;
}

void timeline_engine_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_entry entry = { .ctx = (struct lane_ctx *)rq->pub.context,
				    .seqno = rq->pub.seqno,
				    .is_fresh = timeline_engine_is_fresh(eng, rq),
				    .is_again = rq->pub.executes > 1 ||
						rq->handed.no != eng->dequeue.no };
	struct lane_entry *tail;

	timeline_engine_becomes_ported(tl, eng);
	timeline_engine_gets(tl, rq, eng, event->wire.ts_ns);
	if (eng->model)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	put_on_port(eng, rq, event->wire.ts_ns);
	if (eng->mode == LANE_MODE_PORTS) {
		in_of_set(tl, eng, &entry, event->u.i915_request_in.port);
		return;
	}
	tail = eng->given.n ? timeline_ports_entry(eng, eng->given.n - 1) : NULL;
	entry.set = eng->given.set;
	if (tail && tail->ctx == entry.ctx && tail->set == entry.set)
		tail->seqno = entry.seqno;
	else
		give(tl, eng, entry);
}

/*
 * R8. All that was incomplete has been taken back: what stands still is complete. A signal or an
 * `out` that is to come tells when.
 */
static void take_census(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = next) {
		next = rq->dev_next;
		rq->unheard.complete_ns = now_ns;
		/* Behind one that is not: it ended before it left the engine last, or as it had it
		 * with no time to run in. */
		if (rq->order > eng->dequeue.oldest_order &&
		    (rq->pub.state == LANE_RQ_STATE_PREEMPTED || rq->maybe.at.hi)) {
			uint64_t by_ns = rq->unheard.was_passed && timeline_request_may_be_over(rq)
						 ? rq->unheard.ns
						 : 0;

			if (rq->since.hi == LANE_NEVER)
				by_ns = now_ns;
			timeline_engine_put_away(eng, rq);
			if (timeline_engine_is_silent(tl, eng, rq))
				timeline_end_infer(
					tl, eng, rq,
					(struct lane_span){ rq->pub.execute_ns,
							    timeline_by_then(rq, by_ns) });
		}
	}
	eng->unwound = eng->dequeue.stood;
}

/*
 * What stood up to this number is complete: it is not on the ports any more, and what stood behind
 * it is, so that nothing was taken back; or something was, but this was not. What has been taken
 * back before may have run before what it stands behind: it shows nothing.
 */
static uint64_t complete_upto(const struct lane_eng *eng)
{
	uint64_t upto = 0, gone = 0;

	for (const struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = rq->dev_next)
		if (!timeline_ports_cover(eng, rq))
			gone = rq->order;
		else if (!eng->dequeue.has_again || rq->pub.executes == 1)
			upto = eng->dequeue.has_again && !eng->dequeue.is_split ? rq->order : gone;
	return upto;
}

/*
 * Where taking back is not recorded: what was executed again had been taken back, and what the new
 * set does not have has been, or is complete. Who runs when is not known then of what stands.
 */
static void guess_census(struct lane_eng *eng, uint64_t now_ns)
{
	uint64_t upto = eng->dequeue.has_written ? complete_upto(eng) : 0;
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = next) {
		next = rq->dev_next;
		if (rq->order <= upto) {
			rq->unheard.complete_ns = now_ns;
			eng->unwound = rq->order;
		} else if (eng->dequeue.has_written && !timeline_ports_cover(eng, rq)) {
			/* Those before it may be over: then it has had the engine. */
			rq->maybe.has_run |= eng->dequeue.oldest && !rq->pub.started;
			take_back(eng, rq);
			timeline_engine_put_away(eng, rq);
			rq->handed.is_off = true;
		}
	}
	if (!eng->dequeue.has_again)
		return;
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	for (struct lane_rq *rq = eng->away.first; rq; rq = rq->dev_next)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
}

/*
 * The same: what was taken back was so behind the driver's pause, before the first was handed over;
 * for each that stood there is PAUSE_NS.
 */
static void guess_pause(struct lane_eng *eng, uint64_t handed_over_ns)
{
	uint64_t most_ns = PAUSE_NS;

	if (!eng->dequeue.oldest)
		return;
	for (const struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		most_ns += PAUSE_NS;
	eng->dequeue.pause_ns = timeline_not_before(
		eng->dequeue.before_ns, handed_over_ns > most_ns ? handed_over_ns - most_ns : 1);
}

/* What runs is complete, as has been seen, and nothing of its own will tell. */
static void end_unheard(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *rq;

	while ((rq = eng->running) && timeline_engine_is_unheard(eng, rq) &&
	       timeline_engine_is_silent(tl, eng, rq)) {
		timeline_end_infer(tl, eng, rq,
				   (struct lane_span){ timeline_request_began(rq),
						       timeline_by_then(rq, now_ns) });
		if (eng->running == rq)
			return;
	}
}

/*
 * What leaves has the engine by an `out` that is held behind this dequeue. If the same run fired
 * it, what it tells of came before the dequeue; if the run that gives the leaver's port back did,
 * the hardware may have gone from the one before it straight to the new set. Only what is on the
 * ports at a run's end, or what was taken back, tells one from the other.
 */
static bool may_be_passed_over(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *leaver)
{
	return eng->mode == LANE_MODE_PORTS && !timeline_engine_sees_unsubmit(tl) &&
	       tl->info.presence[LANE_PORTS] != LANE_PRESENCE_RECORDED &&
	       leaver->since.hi > tl->now_ns && leaver->since.hi != LANE_NEVER;
}

/* The oldest that was taken back goes on, in its place or as the one that leaves; or it cannot be.
 */
static void find_leaver(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *first = eng->order.first, *oldest = eng->dequeue.oldest;

	while (first && timeline_engine_is_unheard(eng, first))
		first = first->dev_next;
	if (eng->mode == LANE_MODE_PER_REQUEST)
		oldest = NULL; /* up to 5.3 the engine is idle when requests are taken back */
	if (oldest && !oldest->ended && oldest != first) {
		eng->leaver = oldest;
		eng->leaver_in = eng->dequeue.oldest_in;
		oldest->begun.is_unsure =
			eng->running == oldest && !timeline_run_had_begun(eng, oldest);
		oldest->doubt.is_device_unsure |=
			eng->running == oldest && may_be_passed_over(tl, eng, oldest);
	} else if (oldest && oldest == first) {
		eng->dequeue.in_place = oldest;
		oldest->handed.in = eng->dequeue.oldest_in; /* it is on the hardware already */
	}
	end_unheard(tl, eng, now_ns);
	if (eng->running && eng->running != oldest &&
	    !timeline_engine_is_unheard(eng, eng->running))
		timeline_engine_contradiction(tl, eng);
}

/* The same ports as before are not written again: what was executed again is on them still. */
static void stay_on_ports(struct lane_eng *eng)
{
	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev)
		rq->handed.is_on_port |= rq->handed.in.hi != 0;
}

/*
 * What else this dequeue did may be missing: when what it has handed over runs, and who has the
 * engine until then, is for that to say. The engine is not certainly idle from then on.
 */
static void doubt_handed_over(struct lane_timeline *tl, struct lane_eng *eng)
{
	uint64_t since_ns = LANE_NEVER;

	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev) {
		since_ns = rq->handed.execute_ns;
		if (!rq->pub.started)
			timeline_end_doubt(rq, rq->pub.execute_ns);
		else if (eng->dequeue.oldest)
			timeline_end_doubt(rq, rq->alive.at_ns);
		rq->doubt.is_hit |= eng->dequeue.oldest != NULL;
	}
	if (since_ns != LANE_NEVER)
		timeline_idle_end(tl, eng, NULL, since_ns, timeline_engine_unproven(eng));
}

/* HOOKS: `in` is not seen, but it has come by the end of the dequeue. */
static void bound_ports(struct lane_eng *eng, uint64_t now_ns)
{
	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev)
		rq->handed.in.hi = now_ns;
}

/* Who was complete by the dequeue, and who has the engine until the hardware takes the new set. */
static void conclude_dequeue(struct lane_timeline *tl, struct lane_eng *eng)
{
	uint64_t census_ns = eng->dequeue.census_ns ? eng->dequeue.census_ns : tl->now_ns;
	bool sees_unsubmit = timeline_engine_sees_unsubmit(tl);

	if (eng->mode == LANE_MODE_PORTS && !sees_unsubmit) {
		guess_census(eng, census_ns);
		guess_pause(eng, census_ns);
	}
	if (sees_unsubmit && (eng->dequeue.oldest || eng->dequeue.pause_ns))
		take_census(tl, eng, census_ns);
	if (eng->dequeue.oldest)
		find_leaver(tl, eng, census_ns);
	else
		end_unheard(tl, eng, census_ns);
	eng->dequeue.oldest = NULL;
}

void timeline_engine_dequeued(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (!eng->dequeue.is_open)
		return;
	eng->dequeue.is_open = false;
	if (eng->section.is_cut) {
		doubt_handed_over(tl, eng);
		return;
	}
	if (eng->mode == LANE_MODE_HOOKS)
		bound_ports(eng, now_ns);
	if (eng->dequeue.is_misplaced)
		timeline_end_doubt_order(eng, 0);
	eng->dequeue.is_misplaced = false;
	if (eng->mode == LANE_MODE_PORTS && !eng->dequeue.has_written)
		stay_on_ports(eng);
	conclude_dequeue(tl, eng);
	if (!eng->running)
		timeline_engine_update(tl, eng);
}
