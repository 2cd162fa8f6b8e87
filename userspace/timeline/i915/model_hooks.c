// SPDX-License-Identifier: MIT
/* Execlists on a stock kernel: function hooks tell what is handed over and taken back. No event but
 * i915_engine_ports tells what is on the ports. */
#include "timeline/i915/chain.h"
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"

/* R22. `in` is not seen, but the ports were written by the end of the dequeue. R18: the hardware
 * has what is first on them. */
static void bound_ports(const struct lane_timeline *tl, struct lane_eng *eng, struct lane_bound now)
{
	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev)
		timeline_bounds_set_hi(&rq->handed.in,
				       now.why.rule == LANE_RULE_CHANGEOVER &&
						       tl->pushed->u.i915_engine_ports.ctx0 !=
							       rq->pub.context->ctx
					       ? timeline_bound_bare(now.ns)
					       : now);
}

/*
 * The ports that were seen last are the set that was written last. A request that the last dequeue
 * handed over for the first time is on no older set. A request that it handed over again may be on
 * an older set; but then another request is the first there, or the ports are told no more: an
 * i915_engine_ports comes when they have changed.
 */
static bool is_last_taken(const struct lane_eng *eng)
{
	const struct lane_p_i915_engine_ports *on = &eng->seen_ports.on;
	const struct lane_rq *last = eng->order.last;
	uint64_t ctx = last ? last->pub.context->ctx : 0;

	if (!last || eng->seen_ports.ns < last->handed.execute_ns ||
	    !((on->ctx0 == ctx && timeline_seqno_upto(last->pub.seqno, on->seqno0)) ||
	      (on->ctx1 == ctx && timeline_seqno_upto(last->pub.seqno, on->seqno1))))
		return false;
	return last->pub.executes == 1 ||
	       (on->ctx0 == eng->dequeue.first_ctx && on->seqno0 == eng->dequeue.first_seqno);
}

/* rq was on the ports: they were seen with it, or the driver has dequeued since (R20). */
static bool was_on(const struct lane_eng *eng, const struct lane_rq *rq)
{
	const struct lane_p_i915_engine_ports *on = &eng->seen_ports.on;
	uint64_t ctx = rq->pub.context->ctx;

	return rq->handed.no < eng->dequeue.no ||
	       (rq->handed.execute_ns <= eng->seen_ports.ns &&
		((on->ctx0 == ctx && timeline_seqno_upto(rq->pub.seqno, on->seqno0)) ||
		 (on->ctx1 == ctx && timeline_seqno_upto(rq->pub.seqno, on->seqno1))));
}

/*
 * R9. What was on the ports and is on none of `now` has ended. Where somebody listens, the signal
 * that is to come tells when.
 */
static void off_the_ports(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_p_i915_engine_ports *now)
{
	struct lane_rq *rq;

	while ((rq = eng->running) && !eng->leaver && rq->pub.context->ctx != now->ctx0 &&
	       rq->pub.context->ctx != now->ctx1 && was_on(eng, rq) &&
	       timeline_engine_no_end_to_come(tl, eng, rq)) {
		timeline_chain_infer(tl, eng, rq,
				     timeline_bounds(timeline_request_not_over_before(rq),
						     timeline_r09_off_ports(tl)));
		if (eng->running == rq)
			return;
	}
}

static void see_ports(struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	const struct lane_rq *first;

	off_the_ports(tl, eng, ports);
	first = timeline_engine_first_open(eng);
	if (eng->running && eng->running->pub.context->ctx == ports->ctx0 &&
	    eng->last_ctx != (struct lane_ctx *)eng->running->pub.context)
		eng->run.is_reported = true; /* its port is first: others' are given back */
	if (eng->leaver && first && first->pub.context->ctx == ports->ctx0 &&
	    timeline_seqno_upto(first->pub.seqno, ports->seqno0) &&
	    eng->leaver->pub.context->ctx != ports->ctx0)
		timeline_chain_change_over_by(tl, eng, timeline_r18_changeover(timeline_now(tl)));
	eng->seen_ports.on = *ports;
	eng->seen_ports.ns = event->wire.ts_ns;
	timeline_pause_over(eng);
}

const struct lane_model lane_model_hooks = {
	.is_known = true,
	.has_tasklet = true,
	.is_hooked = true,
	.dequeued = bound_ports,
	.see_ports = see_ports,
	.is_last_taken = is_last_taken,
};
