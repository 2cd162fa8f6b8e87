/* SPDX-License-Identifier: MIT */
/*
 * The rules by which i915's events bound a time: a function each, with the rule's number
 * (bound/rules.def has their sentences, their places in the driver, and which model uses which). No
 * other file of i915/ makes a bound by a rule. R16, R17, R21 and R23 are made of another time's
 * bound alone, R18, R20 and R25 sometimes: bound/bound.c. A function asks nothing: who calls it has
 * found that the rule holds. The last ones, timeline_request_*(), say what the rules make of a
 * request's own events.
 */
#ifndef LANE_TIMELINE_RULES_H
#define LANE_TIMELINE_RULES_H

#include "timeline/state.h"

/* The event that is being read, and its time; by no rule. */
static inline struct lane_bound timeline_now(const struct lane_timeline *tl)
{
	return timeline_bound(tl->now.ns, LANE_RULE_NONE, tl->now.event);
}

/* R2: the prompt signal that is being read. */
static inline struct lane_bound timeline_r02_prompt(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_PROMPT);
}

/* R3: the `out`, completed = 1, that is being read. */
static inline struct lane_bound timeline_r03_out(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_OUT);
}

/* R4: a signal, and its event's number. */
static inline struct lane_bound timeline_r04_signalled(uint64_t ns, uint64_t event)
{
	return timeline_bound(ns, LANE_RULE_SIGNALLED, event);
}

/* R26: what the interrupts of rq's engine told of its number, at ns. */
static inline struct lane_bound timeline_r26_notified(uint64_t ns, const struct lane_rq *rq)
{
	return timeline_bound(ns, LANE_RULE_NOTIFIED, rq->pub.by.retire);
}

/* R5: rq's retire, or R26. */
static inline struct lane_bound timeline_r05_retired(const struct lane_rq *rq)
{
	if (rq->known.hi_why.rule == LANE_RULE_NOTIFIED)
		return timeline_bounds_hi(&rq->known);
	return timeline_bound(rq->pub.retire_ns, LANE_RULE_RETIRED, rq->pub.by.retire);
}

/* R6: a later request of the context was complete by `end`, or ran by then. */
static inline struct lane_bound timeline_r06_later(struct lane_bound end)
{
	return timeline_bound_of_earlier(end, LANE_RULE_LATER);
}

/* R7: a request behind it on the engine was complete by `end`, or ran by then. */
static inline struct lane_bound timeline_r07_behind(struct lane_bound end)
{
	return timeline_bound_of_earlier(end, LANE_RULE_BEHIND);
}

/* R8: `handed` is the first handing over behind the taking back, or the dequeue's end. */
static inline struct lane_bound timeline_r08_census(struct lane_bound handed)
{
	return timeline_bound_by(handed, LANE_RULE_CENSUS);
}

/* R9: the i915_engine_ports that is being read. */
static inline struct lane_bound timeline_r09_off_ports(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_OFF_PORTS);
}

/* R10: the driver's look, and the number of the event that tells it. */
static inline struct lane_bound timeline_r10_looked(uint64_t ns, uint64_t event)
{
	return timeline_bound(ns, LANE_RULE_LOOKED, event);
}

/* R11: the listening that began last. */
static inline struct lane_bound timeline_r11_listened(const struct lane_rq *rq)
{
	return timeline_bound(rq->listen.ns, LANE_RULE_LISTENED, rq->listen.event);
}

/* R12: the `out`, completed = 0, that is being read. */
static inline struct lane_bound timeline_r12_left(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_LEFT);
}

/* R13: `told` tells an end. An interrupt takes LANE_INTERRUPT_NS at most, and off_ns more if a CPU
 * had interrupts off so long. Then no single event shows it. */
static inline struct lane_bound timeline_r13_unheard(struct lane_bound told, uint64_t off_ns)
{
	uint64_t late_ns = LANE_INTERRUPT_NS + off_ns;
	uint64_t ns = told.ns > late_ns ? told.ns - late_ns : 0;

	return off_ns ? timeline_bound_bare(ns)
		      : timeline_bound(ns, LANE_RULE_UNHEARD, told.why.event);
}

/* R14: the `in` that is being read. */
static inline struct lane_bound timeline_r14_written(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_WRITTEN);
}

/* R15: `handed` is the event that handed the request over. */
static inline struct lane_bound timeline_r15_handed(struct lane_bound handed)
{
	return timeline_bound_by(handed, LANE_RULE_HANDED);
}

/* R18: `shown` shows that the hardware has taken the new ports. */
static inline struct lane_bound timeline_r18_changeover(struct lane_bound shown)
{
	return timeline_bound_by(shown, LANE_RULE_CHANGEOVER);
}

/* R19: rq stands in the new set; its port was written then. */
static inline struct lane_bound timeline_r19_new_set(const struct lane_rq *rq)
{
	return timeline_bound_by(timeline_bounds_lo(&rq->handed.in), LANE_RULE_NEW_SET);
}

/* R20: the event that is being read begins a dequeue. */
static inline struct lane_bound timeline_r20_dequeued(const struct lane_timeline *tl,
						      uint64_t now_ns)
{
	return timeline_bound(now_ns, LANE_RULE_DEQUEUED, tl->now.event);
}

/* R22: the dequeue's CPU is at the event that was pushed last. */
static inline struct lane_bound timeline_r22_section(const struct lane_timeline *tl)
{
	return timeline_bound(tl->pushed->wire.ts_ns, LANE_RULE_SECTION, tl->pushes);
}

/* R25: the driver hands over a later request of the context, by the event that is being read, and
 * not this one. */
static inline struct lane_bound timeline_r25_gone(const struct lane_timeline *tl)
{
	return timeline_bound_by(timeline_now(tl), LANE_RULE_GONE);
}

/* The first event that handed rq over: the driver looked then, and rq was incomplete. */
static inline struct lane_bound timeline_request_executed(const struct lane_rq *rq)
{
	return timeline_r10_looked(rq->pub.execute_ns, rq->pub.by.execute);
}

/* R4, R5. A request that was signalled or retired was complete by then; NEVER: it was neither. */
static inline struct lane_bound timeline_request_over_by(const struct lane_rq *rq)
{
	struct lane_bound by = timeline_bound_bare(LANE_NEVER);

	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		by = timeline_r04_signalled(rq->pub.signal_ns, rq->pub.by.signal);
	if (rq->pub.seen & LANE_SEEN_RETIRE)
		by = timeline_bound_sooner(by, timeline_r05_retired(rq));
	return by;
}

/* The earliest time at which rq can have ended. What a loss took off its engine may have ended
 * there before. If rq's first `execute` is missing, rq may have ended before the one that was seen.
 */
static inline struct lane_bound timeline_request_not_over_before(const struct lane_rq *rq)
{
	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		return rq->no_sooner;
	if (rq->pub.state != LANE_RQ_STATE_PREEMPTED)
		return (rq->pub.doubt & LANE_DOUBT_EXECUTE) && rq->alive.ns < rq->pub.execute_ns
			       ? rq->alive
			       : timeline_request_executed(rq);
	return rq->doubt.is_hidden ? rq->alive : timeline_bounds_lo(&rq->now.preempted_since);
}

/*
 * What told of rq's end began at at_ns, within LANE_SELF_INTERRUPT_NS of the time at which somebody
 * began to listen to rq. So rq may have been complete before the listening: that hands a complete
 * request to the breadcrumbs' work (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1), which
 * another CPU may be doing for another request.
 */
static inline bool timeline_request_listened_late(const struct lane_rq *rq, uint64_t at_ns)
{
	return rq->listen.how == LANE_LISTENING_LOOKS && rq->alive.ns <= rq->listen.ns &&
	       at_ns <= rq->listen.ns + LANE_SELF_INTERRUPT_NS &&
	       !(rq->pub.state == LANE_RQ_STATE_RUNNING &&
		 (timeline_request_not_over_before(rq).ns >= rq->listen.ns ||
		  rq->pub.execute_ns >= rq->listen.ns));
}

#endif
