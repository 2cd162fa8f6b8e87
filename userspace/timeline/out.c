// SPDX-License-Identifier: MIT
// What the ports tell: that one is given back, or what is on them.
#include "timeline/engine.h"

/* Where taking back is not seen: rq ran, or it had ended unheard and one behind it ran. */
static void others_may_have_run(const struct lane_rq *rq, uint32_t last)
{
	for (; rq; rq = rq->next)
		if (rq->next && lane_seqno_upto(rq->next->pub.seqno, last) &&
		    !rq->next->pub.started)
			rq->next->maybe.has_run = true;
}

/* Up to Linux 5.3 a preemption idles the engine: all that stands is taken back, but what runs. */
static void take_back_all(struct lane_eng *eng)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq; rq = next) {
		next = rq->dev_next;
		lane_eng_put_away(eng, rq);
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
			rq->begun.is_unsure =
				!rq->begun.is_reported && rq->since.hi > eng->dequeue.run_before_ns;
	}
	if (!rq || rq->pub.context != &port->ctx->pub)
		return;
	if ((!lane_eng_sees_unsubmit(tl) || eng->mode == LANE_MODE_PER_REQUEST) &&
	    eng->running == rq)
		others_may_have_run(rq, port->seqno);
	lane_eng_change_over(tl, eng, lane_span_exact(now_ns));
}

/* At the end of the section that is being read the set that was written last had been taken: it is
 * active, or gives ports back. */
static bool last_is_taken(const struct lane_eng *eng)
{
	uint32_t i = 0;

	while (i < eng->given.n && lane_ports_entry(eng, i)->set != eng->given.set)
		i++;
	return !eng->section.closing || i == eng->given.n || lane_section_outs_left(eng) > i ||
	       lane_ports_are_from(eng, eng->section.closing, i);
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
	    (port->set == eng->given.set && (seen || !lane_section_writes(eng))))
		return false;
	return !seen || last_is_taken(eng);
}

/*
 * R3. rq is complete by its `out`. What would run from this `out` to the one of the same tasklet
 * that gives its port back did not, unless rq had been known to be over.
 */
static void completed(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_entry *port,
		      struct lane_rq *rq, uint64_t now_ns)
{
	bool over = port->ctx->over && lane_seqno_upto(port->seqno, port->ctx->over_seqno);
	uint64_t back_ns = 0;

	/* Left for a newer set, it may have been complete for long, and the leaver have run since.
	 */
	if (eng->leaver && eng->running != eng->leaver && !over &&
	    (port->set == eng->given.set || eng->mode != LANE_MODE_PORTS))
		back_ns = lane_section_gives_back(eng, eng->leaver->pub.context);
	if (back_ns) {
		/*
		 * Only what is on the ports at its end tells one run of the tasklet from the next.
		 * If there were two, the leaver ran until its port was given back.
		 */
		if (tl->info.presence[LANE_PORTS] != LANE_PRESENCE_RECORDED) {
			eng->leaver->doubt.is_device_unsure = true;
			eng->taken_by_ns = back_ns;
		}
		/* It may have run after all, and ended, with nothing to tell. */
		lane_rq_doubt_alive(eng->leaver, now_ns, !eng->leaver->pub.started);
		eng->leaver->unheard.was_passed = true;
		eng->leaver = NULL;
	}
	if (rq)
		lane_end_request(tl, rq,
				 (struct lane_span){ may_be_replaced(tl, eng, port)
							     ? rq->pub.execute_ns
							     : now_ns,
						     now_ns });
	if (eng->running && port->set == eng->given.set && !may_be_replaced(tl, eng, port) &&
	    (eng->mode != LANE_MODE_PER_REQUEST ||
	     !lane_section_gives_back(eng, eng->running->pub.context)))
		eng->running->begun.is_reported = true;
	if (eng->running && !eng->running->begun.taken_ns && lane_ports_taken(eng, eng->running))
		eng->running->begun.taken_ns = now_ns;
	eng->taken_by_ns = 0;
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
	eng->proof.hidden_ns = tl->now_ns;
	lane_end_doubt_order(eng, 0);
	for (struct lane_rq *rq = eng->away.first; rq; rq = rq->dev_next)
		lane_end_doubt(rq, rq->pub.execute_ns);
}

void lane_eng_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  const struct lane_event *event)
{
	bool complete = event->u.i915_request_out.completed;
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_entry port;
	bool unproven = lane_eng_unproven(eng), first;
	int place;

	if (eng->mode == LANE_MODE_UNKNOWN || eng->mode == LANE_MODE_RING)
		lane_eng_becomes_ported(tl, eng);
	/* Its signal may have come before the recording did. */
	if (rq && complete && !rq->listen.ns && !(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_END;
	if (!lane_eng_has_ports(eng)) {
		if (rq && complete &&
		    (tl->half_ports || tl->info.submission == LANE_SUBMISSION_EXECLISTS))
			lane_end_request(tl, rq, lane_span_exact(now_ns));
		return;
	}
	place = lane_ports_place(eng, event);
	if (place && (place < 0 || !lane_eng_unproven(eng) ||
		      !lane_ports_entry(eng, (uint32_t)place)->fresh)) {
		stray_out(tl, eng);
		if (rq && complete)
			lane_end_request(tl, rq, lane_span_exact(now_ns));
		return;
	}
	first = !place;
	while (place--)
		lane_ports_pop(eng);
	port = *lane_ports_entry(eng, 0);
	lane_ports_pop(eng);
	if (port.set != eng->given.set && eng->given.n &&
	    lane_ports_entry(eng, 0)->set == eng->given.set)
		eng->given.taken_ns = now_ns;
	if (unproven && port.fresh && first)
		lane_eng_prove(eng, true);
	/* Its end is not what freed the engine, by what has been seen: it may be now. */
	if (complete && (rq ? rq->doubt.is_detached : unproven && eng->proof.epoch > 1) &&
	    !eng->running)
		eng->free.hi = lane_not_before(now_ns, eng->free.hi);
	if (rq && !complete)
		lane_eng_alive(tl, rq, now_ns);
	if (complete) {
		completed(tl, eng, &port, rq, now_ns);
	} else {
		/* It may be of a set of before what has been seen, and that port be given still. */
		if (unproven && !port.fresh && eng->leaver &&
		    eng->leaver->pub.context == &port.ctx->pub)
			stray_out(tl, eng);
		given_back(tl, eng, &port, now_ns);
	}
	if (rq && rq->pub.state == LANE_RQ_STATE_PREEMPTED && rq->since.hi == now_ns)
		rq->left.is_told = true; /* its own `out` says so */
	if (rq && !complete && rq->unheard.ns == now_ns)
		rq->unheard.ns = 0;
}

/* It was on the ports and stands since, and its context is on none of these. */
static bool is_off(const struct lane_eng *eng, const struct lane_rq *rq,
		   const struct lane_p_i915_engine_ports *now)
{
	uint64_t ctx = rq->pub.context->ctx;

	return ctx != now->ctx0 && ctx != now->ctx1 && rq != eng->leaver &&
	       lane_ports_was_on(eng, rq);
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
		lane_eng_bring_to_front(tl, eng, last, now_ns);
	for (uint32_t guard = 0; eng->running && guard < LANE_ENG_MOST; guard++) {
		struct lane_rq *rq = eng->running;

		if (!is_off(eng, rq, now))
			return;
		lane_end_infer(tl, eng, rq, (struct lane_span){ rq->since.lo, now_ns });
		if (eng->running == rq)
			return;
	}
}

void lane_eng_ports(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	struct lane_eng *eng = lane_eng_get(tl, ports->dev, ports->class, ports->instance);
	const struct lane_rq *first;

	if (!eng)
		return;
	lane_section_end_by(tl, eng, event);
	if (eng->running && eng->running->pub.context->ctx == ports->ctx0 &&
	    eng->last_ctx != (struct lane_ctx *)eng->running->pub.context)
		eng->running->begun.is_reported = true; /* its port is first: others' are over */
	if (eng->mode != LANE_MODE_HOOKS) {
		eng->ports.on = *ports;
		return;
	}
	for (first = eng->order.first; first && lane_eng_is_unheard(eng, first);)
		first = first->dev_next;
	if (eng->leaver && first && first->pub.context->ctx == ports->ctx0 &&
	    lane_seqno_upto(first->pub.seqno, ports->seqno0) &&
	    eng->leaver->pub.context->ctx != ports->ctx0)
		lane_eng_change_over_by(tl, eng, event->wire.ts_ns);
	off_the_ports(tl, eng, ports, event->wire.ts_ns);
	eng->ports.on = *ports;
	eng->ports.ns = event->wire.ts_ns;
	eng->proof.told_ns = lane_not_before(event->wire.ts_ns, eng->proof.told_ns);
}
