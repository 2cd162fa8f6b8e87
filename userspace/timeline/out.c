// SPDX-License-Identifier: MIT
// What the ports tell: that one is given back, or what is on them.
#include "timeline/out.h"
#include "timeline/end.h"
#include "timeline/engine.h"
#include "timeline/objects.h"
#include "timeline/order.h"
#include "timeline/ports.h"
#include "timeline/run.h"
#include "timeline/section.h"
#include "timeline/state.h"

#include <string.h>

/* Where taking back is not seen: rq ran, or it had ended unheard and one behind it ran. */
static void others_may_have_run(const struct lane_rq *rq, uint32_t last)
{
	for (; rq; rq = rq->next)
		if (rq->next && timeline_seqno_upto(rq->next->pub.seqno, last) &&
		    !rq->next->pub.started)
			rq->next->maybe.has_run = true;
}

/* Up to Linux 5.3 a preemption idles the engine: all that stands is taken back, but what runs. */
static void take_back_all(struct lane_eng *eng)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq; rq = next) {
		next = rq->dev_next;
		timeline_engine_put_away(eng, rq);
		rq->handed.is_off = true;
	}
	eng->given.set++;
}

/* R12, R18. A port is given back, its context incomplete: the set has been replaced. */
static void given_back(struct lane_timeline *tl, struct lane_eng *eng,
		       const struct lane_entry *port, uint64_t now_ns)
{
	struct lane_rq *rq = eng->mode == LANE_MODE_PER_REQUEST ? eng->running : eng->leaver;

	if (eng->mode == LANE_MODE_PER_REQUEST) {
		take_back_all(eng);
		eng->leaver = rq;
		if (rq)
			rq->begun.is_unsure = !rq->begun.is_reported &&
					      rq->since.hi > eng->dequeue.wrote_before_ns;
	}
	if (!rq || rq->pub.context != &port->ctx->pub)
		return;
	if ((!timeline_engine_sees_unsubmit(tl) || eng->mode == LANE_MODE_PER_REQUEST) &&
	    eng->running == rq)
		others_may_have_run(rq, port->seqno);
	/* It was incomplete: what its set's successor had ended by then did not run before. */
	timeline_engine_change_over(tl, eng,
				    eng->dequeue.passed.hi ? eng->dequeue.passed
							   : timeline_span_exact(now_ns));
}

/* At the end of the section that is being read the set that was written last had been taken: it is
 * active, or gives ports back. */
static bool last_is_taken(const struct lane_eng *eng)
{
	uint32_t i = 0;

	while (i < eng->given.n && timeline_ports_entry(eng, i)->set != eng->given.set)
		i++;
	return !eng->section.closing || i == eng->given.n || timeline_section_outs_left(eng) > i ||
	       timeline_ports_are_from(eng, eng->section.closing, i);
}

/*
 * When the driver read that port was left, a newer set may have been taken: then the hardware may
 * have left the port for that set, and its request may have been complete before (the promotion in
 * process_csb(), gt/intel_execlists_submission.c of 6.1). Only what is on the ports at its end
 * tells that, and one run of the tasklet from the next.
 */
static bool may_be_replaced(const struct lane_timeline *tl, const struct lane_eng *eng,
			    const struct lane_entry *port)
{
	bool seen = tl->info.presence[LANE_PORTS] == LANE_PRESENCE_RECORDED && !eng->section.is_cut;

	if (eng->mode != LANE_MODE_PORTS ||
	    (port->set == eng->given.set && (seen || !timeline_section_writes(eng))))
		return false;
	return !seen || last_is_taken(eng);
}

/*
 * A set may begin with what has had the engine all along. If that was complete by the time at which
 * the hardware took the set, the hardware loads its context, finds nothing left to do and goes on:
 * the `out` tells that, soon after the set was taken, and not the end.
 */
static bool may_have_been_over(const struct lane_eng *eng, const struct lane_entry *port,
			       const struct lane_rq *rq, uint64_t now_ns)
{
	uint64_t taken_ns = eng->given.taken_ns;

	return eng->mode == LANE_MODE_PORTS && port->is_again && port->set == eng->given.set &&
	       rq->alive.at_ns < taken_ns &&
	       now_ns <= taken_ns + LANE_SWITCH_NS + LANE_INTERRUPT_NS;
}

/*
 * What was to leave does not have the engine, by what has been seen, and the port that it is on is
 * given back by a later `out` of this tasklet, at back_ns: it did not run, unless it was complete.
 */
static void pass_leaver(const struct lane_timeline *tl, struct lane_eng *eng, uint64_t back_ns,
			uint64_t now_ns)
{
	struct lane_rq *rq = eng->leaver;

	/*
	 * Only what is on the ports at its end tells one run of the tasklet from the next.
	 * If there were two, the leaver ran until its port was given back.
	 */
	if (tl->info.presence[LANE_PORTS] != LANE_PRESENCE_RECORDED) {
		rq->doubt.is_device_unsure = true;
		eng->taken_by_ns = back_ns;
	}
	/* It may have run after all, and ended, with nothing to tell. */
	timeline_request_doubt_alive(rq, now_ns, !rq->pub.started);
	rq->unheard.was_passed = true;
	eng->leaver = NULL;
}

/* What the completion of port tells of what runs now. */
static void follow_completion(const struct lane_timeline *tl, struct lane_eng *eng,
			      const struct lane_entry *port, uint64_t now_ns)
{
	struct lane_rq *rq = eng->running;

	/* What begins behind another of its own context begins without a report. */
	if (eng->last_ctx != (struct lane_ctx *)rq->pub.context && port->set == eng->given.set &&
	    !may_be_replaced(tl, eng, port) &&
	    (eng->mode != LANE_MODE_PER_REQUEST ||
	     !timeline_section_gives_back(eng, rq->pub.context)))
		rq->begun.is_reported = true;
	if (!rq->begun.taken_ns && timeline_ports_taken(eng))
		rq->begun.taken_ns = now_ns;
}

/* The port is left, and not for a newer set: its ring waits for no end of a pause. */
static void went_on(const struct lane_timeline *tl, struct lane_eng *eng,
		    const struct lane_entry *port)
{
	if (port->set == eng->given.set && !may_be_replaced(tl, eng, port) &&
	    port->ctx->paused == eng->paused)
		eng->paused = 0;
}

/* When rq ended, whose port of before what has been seen is given back: that may have been left for
 * a newer set, the request complete before (may_be_replaced()). */
static struct lane_span end_given_back(const struct lane_eng *eng, const struct lane_rq *rq,
				       uint64_t now_ns)
{
	return (struct lane_span){ eng->mode == LANE_MODE_PORTS ? rq->pub.execute_ns : now_ns,
				   now_ns };
}

/* When rq ended, whose port an `out` gives back as complete. */
static struct lane_span end_by_out(const struct lane_timeline *tl, const struct lane_eng *eng,
				   const struct lane_entry *port, const struct lane_rq *rq,
				   bool unproven, uint64_t now_ns)
{
	if (may_be_replaced(tl, eng, port) || may_have_been_over(eng, port, rq, now_ns))
		return (struct lane_span){ rq->pub.execute_ns, now_ns };
	if (unproven && !port->is_fresh)
		return end_given_back(eng, rq, now_ns);
	return timeline_span_exact(now_ns);
}

/*
 * R3. rq is complete by its `out`. What would run from this `out` to the one of the same tasklet
 * that gives its port back did not, unless rq had been known to be over.
 */
static void completed(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_entry *port,
		      struct lane_rq *rq, bool unproven, uint64_t now_ns)
{
	bool over = port->ctx->is_over && timeline_seqno_upto(port->seqno, port->ctx->over_seqno);
	uint64_t back_ns = 0;

	/* Left for a newer set, it may have been complete for long, and the leaver have run since.
	 */
	if (eng->leaver && eng->running != eng->leaver && !over &&
	    (port->set == eng->given.set || eng->mode != LANE_MODE_PORTS))
		back_ns = timeline_section_gives_back(eng, eng->leaver->pub.context);
	if (back_ns)
		pass_leaver(tl, eng, back_ns, now_ns);
	eng->given.is_told = true;
	if (rq)
		timeline_end_request(tl, rq, end_by_out(tl, eng, port, rq, unproven, now_ns));
	eng->given.is_told = false;
	went_on(tl, eng, port);
	if (eng->running)
		follow_completion(tl, eng, port, now_ns);
	eng->taken_by_ns = 0;
}

/* An `out` that is not the head's: of a port from before what has been seen, or something is
 * missing. */
static void stray_out(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!timeline_engine_unproven(eng)) {
		timeline_engine_contradiction(tl, eng);
		return;
	}
	/* Something hidden had the engine until now. */
	eng->proof.hidden_ns = tl->now_ns;
	timeline_end_doubt_order(eng, 0);
	for (struct lane_rq *rq = eng->away.first; rq; rq = rq->dev_next)
		timeline_end_doubt(rq, rq->pub.execute_ns);
}

/* Of an engine without ports: only where `in` is not recorded does an `out` come there. */
static void out_without_ports(struct lane_timeline *tl, struct lane_rq *rq, bool complete,
			      uint64_t now_ns)
{
	if (rq && complete &&
	    (tl->has_half_ports || tl->info.submission == LANE_SUBMISSION_EXECLISTS))
		timeline_end_request(tl, rq, timeline_span_exact(now_ns));
}

/* The place of the port that an `out` gives back, -1: none that it can be of. */
static int place_given_back(const struct lane_eng *eng, const struct lane_event *event)
{
	int place = timeline_ports_place(eng, event);

	if (place > 0 && (!timeline_engine_unproven(eng) ||
			  !timeline_ports_entry(eng, (uint32_t)place)->is_fresh))
		return -1;
	return place;
}

/* Takes the port of that place out of those given, and what is before it: their `out`s are missing.
 */
static struct lane_entry take_port(struct lane_eng *eng, int place, uint64_t now_ns)
{
	bool is_first = !place, is_unproven = timeline_engine_unproven(eng);
	struct lane_entry port;

	while (place--)
		timeline_ports_pop(eng);
	port = *timeline_ports_entry(eng, 0);
	timeline_ports_pop(eng);
	if (port.set != eng->given.set && eng->given.n &&
	    timeline_ports_entry(eng, 0)->set == eng->given.set)
		eng->given.taken_ns = now_ns;
	if (is_unproven && port.is_fresh && is_first)
		timeline_engine_prove(eng, true);
	return port;
}

/* A port is given back, its request complete; unproven: the order was not certain before. */
static void out_complete(struct lane_timeline *tl, struct lane_eng *eng,
			 const struct lane_entry *port, struct lane_rq *rq, bool unproven,
			 uint64_t now_ns)
{
	/* Its end is not what freed the engine, by what has been seen: it may be now. */
	if ((rq ? rq->doubt.is_detached : unproven && eng->proof.epoch > 1) && !eng->running)
		eng->free.hi = timeline_not_before(now_ns, eng->free.hi);
	completed(tl, eng, port, rq, unproven, now_ns);
}

static void out_incomplete(struct lane_timeline *tl, struct lane_eng *eng,
			   const struct lane_entry *port, struct lane_rq *rq, bool unproven,
			   uint64_t now_ns)
{
	/* It may be of a set of before what has been seen, and that port be given still. */
	if (unproven && !port->is_fresh && eng->leaver &&
	    eng->leaver->pub.context == &port->ctx->pub)
		stray_out(tl, eng);
	given_back(tl, eng, port, now_ns);
	if (rq && rq->unheard.ns == now_ns)
		rq->unheard.ns = 0;
}

/*
 * The driver says whether a port's request is complete as it fires the `out`, behind its dequeue.
 * What was to leave, and was incomplete in that dequeue, left the port of the replaced set so.
 * Where taking back is not recorded, so did whatever it was incomplete of: what completes behind
 * the driver's pause is followed by nothing, and no event tells of that pause.
 */
static bool left_incomplete(const struct lane_timeline *tl, const struct lane_eng *eng,
			    const struct lane_entry *port, const struct lane_rq *rq)
{
	return rq && port->set != eng->given.set &&
	       (rq == eng->leaver || !timeline_engine_sees_unsubmit(tl)) &&
	       timeline_section_looked_at(eng, rq);
}

/* The port of that place is given back, as the `out` that is read now says. */
static void give_back(struct lane_timeline *tl, struct lane_eng *eng, uint32_t place,
		      struct lane_rq *rq, bool complete, bool unproven)
{
	uint64_t now_ns = tl->now_ns;
	struct lane_entry port = take_port(eng, (int)place, now_ns);
	bool left = !complete || left_incomplete(tl, eng, &port, rq);

	if (rq && !complete)
		timeline_engine_alive(tl, rq, now_ns);
	(left ? out_incomplete : out_complete)(tl, eng, &port, rq, unproven, now_ns);
	if (rq && rq->pub.state == LANE_RQ_STATE_PREEMPTED && rq->since.hi == now_ns)
		rq->left.is_told = true; /* its own `out` says so */
}

void timeline_engine_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 const struct lane_event *event)
{
	bool complete = event->u.i915_request_out.completed,
	     unproven = timeline_engine_unproven(eng);
	uint64_t now_ns = event->wire.ts_ns;
	int place;

	if (eng->mode == LANE_MODE_UNKNOWN || eng->mode == LANE_MODE_RING)
		timeline_engine_becomes_ported(tl, eng);
	/* Its signal may have come before the recording did. */
	if (rq && complete && !rq->listen.ns && !(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_END;
	if (!timeline_engine_has_ports(eng)) {
		out_without_ports(tl, rq, complete, now_ns);
		return;
	}
	place = place_given_back(eng, event);
	if (place < 0) {
		stray_out(tl, eng);
		if (rq && complete)
			timeline_end_request(tl, rq, end_given_back(eng, rq, now_ns));
		return;
	}
	give_back(tl, eng, (uint32_t)place, rq, complete, unproven);
}

/*
 * The last dequeue handed rq over, and this is the set that it wrote, without rq though a port is
 * free: what looks like one dequeue was two, and the later one's set is yet to be taken.
 */
static bool is_of_later(const struct lane_eng *eng, const struct lane_rq *rq,
			const struct lane_p_i915_engine_ports *now)
{
	return rq->handed.no == eng->dequeue.no && now->ctx0 == eng->dequeue.first_ctx &&
	       now->seqno0 == eng->dequeue.first_seqno && !now->ctx1;
}

/* It was on the ports and stands since, and its context is on none of these. */
static bool is_off(const struct lane_eng *eng, const struct lane_rq *rq,
		   const struct lane_p_i915_engine_ports *now)
{
	uint64_t ctx = rq->pub.context->ctx;

	return ctx != now->ctx0 && ctx != now->ctx1 && rq != eng->leaver &&
	       timeline_ports_was_on(eng, rq) && !is_of_later(eng, rq, now);
}

/*
 * R9. What was on the ports and is on none any more has ended, if it runs or has not been handed
 * over again since, and with it what is before it.
 */
static void off_the_ports(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_p_i915_engine_ports *now, uint64_t now_ns)
{
	struct lane_rq *last = NULL;

	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		if ((rq->handed.no < eng->dequeue.no || rq->handed.execute_ns <= eng->ports.ns) &&
		    is_off(eng, rq, now))
			last = rq;
	if (last)
		timeline_engine_bring_to_front(tl, eng, last, now_ns);
	for (uint32_t guard = 0; eng->running && guard < LANE_ENG_MOST; guard++) {
		struct lane_rq *rq = eng->running;

		if (!is_off(eng, rq, now))
			return;
		timeline_end_infer(tl, eng, rq,
				   (struct lane_span){ timeline_request_began(rq), now_ns });
		if (eng->running == rq)
			return;
	}
}

void timeline_engine_ports(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	struct lane_eng *eng = timeline_engine_get(tl, ports->dev, ports->class, ports->instance);
	const struct lane_rq *first;

	if (!eng)
		return;
	timeline_section_end_by(tl, eng, event);
	if (eng->running && eng->running->pub.context->ctx == ports->ctx0 &&
	    eng->last_ctx != (struct lane_ctx *)eng->running->pub.context)
		eng->running->begun.is_reported = true; /* its port is first: others' are over */
	if (eng->mode != LANE_MODE_HOOKS) {
		eng->ports.on = *ports;
		return;
	}
	for (first = eng->order.first; first && timeline_engine_is_unheard(eng, first);)
		first = first->dev_next;
	if (eng->leaver && first && first->pub.context->ctx == ports->ctx0 &&
	    timeline_seqno_upto(first->pub.seqno, ports->seqno0) &&
	    eng->leaver->pub.context->ctx != ports->ctx0)
		timeline_engine_change_over_by(tl, eng, event->wire.ts_ns);
	off_the_ports(tl, eng, ports, event->wire.ts_ns);
	if (memcmp(&eng->ports.on, ports, sizeof(*ports)) != 0)
		eng->ports.changed_ns = event->wire.ts_ns;
	eng->ports.on = *ports;
	eng->ports.ns = event->wire.ts_ns;
	timeline_ports_unpause(eng);
	eng->proof.told_ns = timeline_not_before(event->wire.ts_ns, eng->proof.told_ns);
}
