/* SPDX-License-Identifier: MIT */
/* What the state of a request, an engine or a recording says. R2, R3, ... are the rules of
 * docs/analysis.md. */
#ifndef LANE_TIMELINE_STATE_H
#define LANE_TIMELINE_STATE_H

#include "timeline/model.h"

/* Events of this kind are not recorded. */
static inline bool timeline_is_absent(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->info.presence[kind] == LANE_PRESENCE_ABSENT;
}

/* The driver's ports have been without it since: it was taken back, which is not recorded, or it
 * was complete. */
static inline bool timeline_request_is_off_ports(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return rq->handed.is_off && eng && eng->model->has_sets;
}

/* rq stands taken back, by its own event or, where that is not recorded, by what was seen of
 * others.
 */
static inline bool timeline_request_is_back(const struct lane_rq *rq)
{
	return rq->handed.is_taken_back || timeline_request_is_off_ports(rq);
}

/* Since when rq can have ended. */
static inline uint64_t timeline_request_began(const struct lane_rq *rq)
{
	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		return rq->now.no_sooner_ns;
	return rq->pub.state == LANE_RQ_STATE_PREEMPTED ? rq->now.off.lo : rq->pub.execute_ns;
}

/* A dequeue has interrupts off (execlists_dequeue_irq() of 6.1): it is not quiet for so long, where
 * it may be over. */
#define LANE_DEQUEUE_NS 100000

/* Between the driver's pause of the ring and the first request that it takes back are a few
 * instructions, with interrupts off. */
#define LANE_PAUSE_NS 1000

/* An interrupt that a CPU sends itself comes within this time. */
#define LANE_SELF_INTERRUPT_NS 2000

/*
 * What told that rq is complete began at at_ns, when somebody had just begun to listen: rq may have
 * been complete by then. The listening hands a complete request to the breadcrumbs' work
 * (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1), which another CPU may be at for another
 * request.
 */
static inline bool timeline_request_listened_late(const struct lane_rq *rq, uint64_t at_ns)
{
	return rq->listen.is_active && !rq->listen.is_sure && rq->alive.ns == rq->listen.ns &&
	       at_ns <= rq->listen.ns + LANE_SELF_INTERRUPT_NS &&
	       !(rq->pub.state == LANE_RQ_STATE_RUNNING &&
		 (timeline_request_began(rq) >= rq->listen.ns ||
		  rq->pub.execute_ns >= rq->listen.ns));
}

/* rq has come into being while that was recorded. */
static inline bool timeline_request_is_born(const struct lane_rq *rq)
{
	return rq->pub.seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD | LANE_SEEN_SUBMIT);
}

/* More requests than an engine can have: guards loops against what a damaged trace makes of it. */
#define LANE_ENG_MOST (1u << 20)

/* After a loss: what is ahead of what has been seen is not known. */
static inline bool timeline_engine_unproven(const struct lane_eng *eng)
{
	return eng->proof.proven_epoch != eng->proof.epoch;
}

/* Something of eng cannot be as it stands. What a loss that was told may have hidden is no
 * contradiction. */
static inline void timeline_engine_contradicts(struct lane_timeline *tl, const struct lane_eng *eng)
{
	tl->figures.contradictions += eng->proof.lost_epoch <= eng->proof.proven_epoch;
}

/*
 * Only some processes' events are recorded, and not this thread's: it is seen where it ran in
 * place of one of theirs, or was woken by one, and what it did else is not (docs/bpf.md).
 */
static inline bool timeline_is_stranger(const struct lane_timeline *tl, const struct lane_thr *thr)
{
	return tl->info.follows_some && !(thr && thr->is_followed);
}

/* A virtual engine can use the engine, too. */
static inline bool timeline_engine_is_shared(const struct lane_timeline *tl,
					     const struct lane_eng *eng)
{
	return tl->shared >> (eng->pub.class % 64) & 1;
}

/* What virtual engines of eng's class have been given. */
static inline struct lane_virtuals *timeline_engine_virtuals(struct lane_timeline *tl,
							     const struct lane_engine *eng)
{
	return &tl->virtuals[eng->class % 64];
}

/* rq does not count among the requests of virtual engines any more. */
static inline void timeline_request_not_virtual(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (!rq->is_virtual)
		return;
	timeline_engine_virtuals(tl, rq->pub.host_engine)->open--;
	timeline_engine_virtuals(tl, rq->pub.host_engine)->changed_ns = tl->now_ns;
	rq->is_virtual = false;
}

/* Whoever has the engine, no event tells. */
static inline bool timeline_engine_is_blind(const struct lane_timeline *tl,
					    const struct lane_eng *eng)
{
	return tl->hooks_hide && eng->model->is_hooked;
}

static inline bool timeline_engine_sees_unsubmit(const struct lane_timeline *tl)
{
	return tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED;
}

/* What is known within bounds does not leave a queue before it was in it. */
static inline uint64_t timeline_not_before(uint64_t ns, uint64_t earliest)
{
	return ns > earliest ? ns : earliest;
}

/* Since when rq is what its state says. */
static inline struct lane_span timeline_request_since(const struct lane_rq *rq)
{
	return rq->pub.state == LANE_RQ_STATE_RUNNING ? rq->now.since : rq->now.off;
}

/* rq was complete by that time, or, where that was heard of late, by the one at which it is told to
 * have begun. */
static inline uint64_t timeline_by_then(const struct lane_rq *rq, uint64_t ns)
{
	struct lane_span since = timeline_request_since(rq);

	return since.hi == LANE_NEVER ? ns : timeline_not_before(ns, since.hi);
}

/* It may be complete, unheard: it has not been seen incomplete since. */
static inline bool timeline_request_may_be_over(const struct lane_rq *rq)
{
	return rq->over.how;
}

/* It was off its engine, and is known to have been incomplete then, or after that. */
static inline bool timeline_request_was_preempted(const struct lane_rq *rq)
{
	return rq->now.off.hi &&
	       !(timeline_request_may_be_over(rq) && rq->over.how == LANE_OVER_BEFORE);
}

/* A dequeue had shown it complete before at_ns, when that was heard of. */
static inline bool timeline_request_was_over_before(const struct lane_rq *rq, uint64_t at_ns)
{
	return rq->known.hi && rq->known.hi < at_ns;
}

/* Whether it had its last turn is not known: it is as it was before that, or it ran. */
static inline bool timeline_request_is_void(const struct lane_rq *rq)
{
	return rq->now.maybe.hi || rq->now.less;
}

/* It stands nowhere, and has not been seen incomplete since it may have run, nor run again: if it
 * is over, it ended then. */
static inline bool timeline_request_ran_unsure(const struct lane_rq *rq)
{
	return timeline_request_is_void(rq) && rq->pub.state != LANE_RQ_STATE_RUNNING &&
	       !rq->order && !timeline_request_is_off_ports(rq) && timeline_request_may_be_over(rq);
}

static inline bool timeline_seqno_upto(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

#endif
