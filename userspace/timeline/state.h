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

/* Events of this kind are recorded: it is known so, or one has come. So the absence of one shows
 * something. */
static inline bool timeline_sees(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->info.presence[kind] == LANE_PRESENCE_RECORDED ||
	       (!timeline_is_absent(tl, kind) && tl->figures.by_kind[kind]);
}

/* Its end has been concluded. */
static inline bool timeline_request_has_ended(const struct lane_rq *rq)
{
	return rq->pub.state == LANE_RQ_STATE_ENDED;
}

/* A run of the request is over in this world. That it has begun, timeline_has_started() says. */
static inline bool timeline_world_has_run(const struct lane_world *world)
{
	return world->start.hi;
}

/* rq first had the engine at a time in `start`. */
static inline void timeline_request_set_start(struct lane_rq *rq, const struct lane_bounds *start)
{
	rq->pub.start = timeline_bounds_span(start);
	rq->pub.start_why = timeline_bounds_whys(start);
}

/* It had it no sooner than `lo`. */
static inline void timeline_request_start_since(struct lane_rq *rq, struct lane_bound lo)
{
	rq->pub.start.lo = lo.ns;
	rq->pub.start_why.lo = lo.why;
}

/* It had it by `hi`. */
static inline void timeline_request_start_by(struct lane_rq *rq, struct lane_bound hi)
{
	rq->pub.start.hi = hi.ns;
	rq->pub.start_why.hi = hi.why;
}

/* rq ended at a time in `end`. */
static inline void timeline_request_set_end(struct lane_rq *rq, const struct lane_bounds *end)
{
	rq->pub.end = timeline_bounds_span(end);
	rq->pub.end_why = timeline_bounds_whys(end);
}

/* A dequeue has interrupts off (execlists_dequeue_irq() of 6.1). If it fires no event for this
 * time, it may be over. */
#define LANE_DEQUEUE_NS 100000

/* An interrupt that a CPU sends itself comes within this time. */
#define LANE_SELF_INTERRUPT_NS 2000

/* An event of rq's making was recorded: queue, add or submit. */
static inline bool timeline_request_is_born(const struct lane_rq *rq)
{
	return rq->pub.seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD | LANE_SEEN_SUBMIT);
}

/* It has been given to its engine, and is not in its order any more: only its own events can end
 * it. */
static inline bool timeline_request_is_detached(const struct lane_rq *rq)
{
	return !rq->is_on_device && rq->pub.state >= LANE_RQ_STATE_DEVICE &&
	       rq->pub.state < LANE_RQ_STATE_ENDED;
}

/* settle() of the model of eng (model.h). */
static inline void timeline_engine_settle(struct lane_timeline *tl, struct lane_eng *eng,
					  struct lane_rq *rq)
{
	if (eng->model->settle)
		eng->model->settle(tl, eng, rq);
}

/* The order of eng is not certain, as after a loss: requests that were not seen may stand ahead of
 * those that were. */
static inline bool timeline_engine_unproven(const struct lane_eng *eng)
{
	return eng->proof.proven_epoch != eng->proof.epoch;
}

/* Nothing has put eng in doubt since the recording began. */
static inline bool timeline_engine_lost_nothing(const struct lane_eng *eng)
{
	return eng->proof.epoch == LANE_EPOCH_WHOLE;
}

/* An epoch of doubt begins: nothing before until_ns is certain to have been seen. */
static inline void timeline_engine_doubt(struct lane_eng *eng, uint64_t until_ns)
{
	eng->proof.epoch++;
	eng->proof.doubt_until_ns =
		until_ns > eng->proof.doubt_until_ns ? until_ns : eng->proof.doubt_until_ns;
}

/* The events of eng contradict what is known of it. This is not counted if a loss that was told may
 * be the reason. */
static inline void timeline_engine_contradicts(struct lane_timeline *tl, const struct lane_eng *eng)
{
	tl->figures.contradictions += eng->proof.lost_epoch <= eng->proof.proven_epoch;
}

/* Only some processes are recorded, and thr is of none of them. thr is seen only where it took the
 * CPU of a recorded thread, or was woken by one (docs/bpf.md). thr may be NULL: not known. */
static inline bool timeline_is_stranger(const struct lane_timeline *tl, const struct lane_thr *thr)
{
	return tl->info.follows_some && !(thr && thr->is_followed);
}

/* The place of eng's class in tables of classes. */
static inline uint32_t timeline_class_of(const struct lane_engine *eng)
{
	return eng->class % 64;
}

/* A virtual engine of eng's class has had requests. */
static inline bool timeline_engine_is_shared(const struct lane_timeline *tl,
					     const struct lane_eng *eng)
{
	return tl->shared >> timeline_class_of(&eng->pub) & 1;
}

/* What is kept of this CPU; NULL: its number is not known, or no event of it has come. */
static inline struct lane_cpu *timeline_cpu_at(const struct lane_timeline *tl, int32_t cpu)
{
	return cpu >= 0 && (uint32_t)cpu < tl->n_cpus ? &tl->cpus[cpu] : NULL;
}

/* No event tells who has the engine. */
static inline bool timeline_engine_is_unseen(const struct lane_timeline *tl,
					     const struct lane_eng *eng)
{
	return tl->is_without_runs && eng->model->is_hooked;
}

/* `unsubmit` is recorded. */
static inline bool timeline_engine_sees_unsubmit(const struct lane_timeline *tl)
{
	return tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED;
}

/* The later of both times, ns. */
static inline uint64_t timeline_not_before(uint64_t ns, uint64_t earliest)
{
	return ns > earliest ? ns : earliest;
}

/* Since when rq runs, or if it does not run, since when it is off the engine. */
static inline const struct lane_bounds *timeline_request_since(const struct lane_rq *rq)
{
	return rq->pub.state == LANE_RQ_STATE_RUNNING ? &rq->now.since : &rq->now.preempted_since;
}

/* rq was complete by `by`. Its present run, or its time off the engine, may be bounded by an event
 * that came later than that: then rq's end is told no sooner than that began. */
static inline struct lane_bound timeline_by_then(const struct lane_rq *rq, struct lane_bound by)
{
	struct lane_bound since = timeline_bounds_hi(timeline_request_since(rq));

	return since.ns == LANE_NEVER ? by : timeline_bound_later(by, since);
}

/* rq has a world `complete`: it may be complete, and nothing has told of it. */
static inline bool timeline_request_may_be_complete(const struct lane_rq *rq)
{
	return rq->complete.how;
}

/* rq was off its engine, and no world `complete` says that it was complete before it left. */
static inline bool timeline_request_was_preempted(const struct lane_rq *rq)
{
	return rq->now.preempted_since.hi && rq->complete.how != LANE_COMPLETE_BEFORE;
}

/* In one context: seqno a is b, or before b. */
static inline bool timeline_seqno_upto(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

#endif
