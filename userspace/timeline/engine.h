/* SPDX-License-Identifier: MIT */
/* What the files of an engine share: its order (engine.c), what runs (run.c), how requests end
 * (end.c). R2, R3, ... are the rules of docs/analysis.md. */
#ifndef LANE_TIMELINE_ENGINE_H
#define LANE_TIMELINE_ENGINE_H

#include "timeline/internal.h"

/* More requests than an engine can have: guards loops against what a damaged trace makes of it. */
#define LANE_ENG_MOST (1u << 20)

static inline bool lane_eng_has_ports(const struct lane_eng *eng)
{
	return eng->mode == LANE_MODE_PORTS || eng->mode == LANE_MODE_PER_REQUEST;
}

/* After a loss: what is ahead of what has been seen is not known. */
static inline bool lane_eng_unproven(const struct lane_eng *eng)
{
	return eng->proof.proven_epoch != eng->proof.epoch;
}

/* Whoever has the engine, no event tells. */
static inline bool lane_eng_is_blind(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	return tl->hooks_hide && eng->mode == LANE_MODE_HOOKS;
}

static inline bool lane_eng_sees_unsubmit(const struct lane_timeline *tl)
{
	return tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED;
}

/* What is known within bounds does not leave a queue before it was in it. */
static inline uint64_t lane_not_before(uint64_t ns, uint64_t earliest)
{
	return ns > earliest ? ns : earliest;
}

/* rq has been seen incomplete since it left its engine last. */
static inline bool lane_rq_alive_since_left(const struct lane_rq *rq)
{
	return rq->alive.step > rq->left.step || rq->alive.at_ns >= rq->left.ns;
}

/* It may have been over, unheard, when an end behind it was told: it has not been seen alive since.
 */
static inline bool lane_rq_may_be_over(const struct lane_rq *rq)
{
	return rq->unheard.ns &&
	       (rq->alive.at_ns < rq->unheard.ns ||
		(rq->alive.at_ns == rq->unheard.ns && rq->alive.step <= rq->unheard.step));
}

/* It stands nowhere, and has not been seen incomplete since it may have run: if it is over, it
 * ended then. */
static inline bool lane_rq_ran_unsure(const struct lane_rq *rq)
{
	return rq->maybe.at.hi && rq->unheard.ns == rq->maybe.at.hi && !rq->order &&
	       lane_rq_may_be_over(rq);
}

/* It may be over, unheard, by at_ns; unseen: then it has run, and that has not been seen. */
static inline void lane_rq_doubt_alive(struct lane_rq *rq, uint64_t at_ns, bool unseen)
{
	rq->unheard.is_unseen = unseen || (rq->unheard.is_unseen && lane_rq_may_be_over(rq));
	rq->unheard.ns = at_ns;
	rq->unheard.step = rq->alive.step;
	rq->unheard.is_exact = false;
}

static inline bool lane_seqno_upto(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

/* engine.c */
void lane_end_request(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* rq has ended, by what has not been seen of it. */
void lane_end_infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_span end);
/* rq stands last from here on. */
void lane_eng_stand(struct lane_eng *eng, struct lane_rq *rq);
/* It stands nowhere: taken back, or nobody knows where. */
void lane_eng_put_away(struct lane_eng *eng, struct lane_rq *rq);
/* Nothing of the time before rq was handed over is in doubt. */
bool lane_eng_is_fresh(const struct lane_eng *eng, const struct lane_rq *rq);
/* rq stands since before the last taking back, which shows that it was complete by then. */
bool lane_eng_is_unheard(const struct lane_eng *eng, const struct lane_rq *rq);
/* Somebody listens, or has begun to before the recording did, or in a loss. */
bool lane_eng_may_be_heard(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Nothing of its own will tell of its end. */
bool lane_eng_is_silent(const struct lane_timeline *tl, const struct lane_eng *eng,
			const struct lane_rq *rq);
/* The next set has taken the engine from what was taken back with the last one, at a time in `at`.
 */
void lane_eng_change_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at);
/* The same where no event marks it: since the set was written. */
void lane_eng_change_over_by(struct lane_timeline *tl, struct lane_eng *eng, uint64_t by_ns);
void lane_eng_prove(struct lane_eng *eng, bool nothing_ahead);
void lane_eng_contradiction(struct lane_timeline *tl, struct lane_eng *eng);
/* What was taken for a ring has ports. */
void lane_eng_becomes_ported(struct lane_timeline *tl, struct lane_eng *eng);
/* The engine is free since eng->free: what is next by the order starts, or it is idle. */
void lane_eng_update(struct lane_timeline *tl, struct lane_eng *eng);
/* Has rq running, so that it can end: what stands before it is over by `by_ns`. */
void lane_eng_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     uint64_t by_ns);
/* True when a comes before b in the driver's order, or may. */
bool lane_eng_is_ahead(const struct lane_rq *a, const struct lane_rq *b);

/* ports.c */
/* No more can be given. */
static inline bool lane_ports_are_full(const struct lane_eng *eng)
{
	return eng->given.n == LANE_MAX_PORTS;
}

/* A port is given; its `out` is to come. */
void lane_ports_push(struct lane_eng *eng, struct lane_entry entry);
/* The first is given back. */
void lane_ports_pop(struct lane_eng *eng);
/* The i-th port whose `out` is to come. */
struct lane_entry *lane_ports_entry(const struct lane_eng *eng, uint32_t i);
/* The place of the port that an `out` is of, -1: none. */
int lane_ports_place(const struct lane_eng *eng, const struct lane_event *event);
/* True when rq is the last request of a port: its end shows by its own `out`. */
bool lane_ports_is_last(const struct lane_eng *eng, const struct lane_rq *rq);
/* True when the last set has rq on a port. */
bool lane_ports_cover(const struct lane_eng *eng, const struct lane_rq *rq);
/* The hardware has been seen to have taken the set of ports that rq is on. */
bool lane_ports_taken(const struct lane_eng *eng, const struct lane_rq *rq);
/* The same, and not by the event that is being read: a set that has just been taken may begin with
 * a context that has nothing left to do, which the hardware loads first. */
bool lane_ports_taken_before(const struct lane_timeline *tl, const struct lane_eng *eng,
			     const struct lane_rq *rq);
/* True when a set that has been replaced has another port behind the one that rq is on. */
bool lane_ports_has_behind(const struct lane_eng *eng, const struct lane_rq *rq);
/* rq has been on the ports since it was handed over: it was seen there, or the driver has dequeued
 * since, which it does when the hardware has taken what was written. */
bool lane_ports_was_on(const struct lane_eng *eng, const struct lane_rq *rq);
/* These ports are those from the i-th that is to be given back on, of one set. */
bool lane_ports_are_from(const struct lane_eng *eng, const struct lane_p_i915_engine_ports *ports,
			 uint32_t i);
/* An `out` can come from the tasklet that is at a dequeue, so many `out`s of which have come: it
 * read the port's completion, or that the set before the last one that was written was replaced. */
bool lane_eng_out_is_due(const struct lane_eng *eng, const struct lane_event *event,
			 uint32_t before);
/* The set that the k-th `out` to come is of was replaced before the driver wrote again. */
bool lane_eng_out_is_sure(const struct lane_eng *eng, uint32_t k);
/* The hardware has on its ports what was recorded last of them, if so many `out`s have come since:
 * else the tasklet that fired them would have said so at its end. */
bool lane_eng_ports_stay(const struct lane_eng *eng, uint32_t outs);

/* run.c */
/* rq starts, or starts again, at a time in `at`. */
void lane_run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_span at);
/* What runs stops, at a time in *at, which is made consistent with its start. */
void lane_run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span *at);
/* It is off the engine, incomplete: the next to start there is the culprit. */
void lane_run_taken_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_span at);
/* A preempted request is back on an engine, or over. */
void lane_run_away_until(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span until);
/* rq had begun before the driver paused the ring for its last taking back. */
bool lane_run_had_begun(const struct lane_eng *eng, const struct lane_rq *rq);
/* What has the engine until a time in `at` may have stood behind the driver's pause of the ring,
 * and never begun. */
void lane_run_void(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at);
/* rq was taken off its engine, and has been seen alive after that. */
void lane_run_tell_preemption(struct lane_timeline *tl, struct lane_rq *rq);

/* end.c */
/* The bounds of an end as far as what has been seen of rq itself bears them; *alive_away: it has
 * been incomplete since it left its engine. */
struct lane_span lane_end_bounds(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
				 bool *alive_away);
/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
bool lane_end_is_shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
		       const struct lane_rq *rq);
/* It is over, as is seen now, and may have been, unheard, when what took its place was to run. */
bool lane_end_left_or_over(const struct lane_rq *rq, struct lane_span end);
/* The story of rq with the hardware is over. */
void lane_end_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
/* What runs ends: eng->free says when the engine is free. */
void lane_end_running(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      struct lane_span end);
/* The end of what was taken off its engine and has not been seen to run again. */
void lane_end_away(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		   struct lane_span end);
/* rq has ended when it may have run. */
void lane_end_as_it_left(struct lane_timeline *tl, const struct lane_eng *eng, struct lane_rq *rq,
			 struct lane_span end);
/* The bounds of an end of what has not been seen to have its turn. */
struct lane_span lane_end_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
				      struct lane_span end);
/* The end of what a firmware schedules: all before it in its context have ended. */
void lane_end_in_firmware(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_span end);
/* rq is out of the way, ended or not: its own events will tell. */
void lane_end_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
/* When rq ran and ended is not known from at_ns on. */
void lane_end_doubt(struct lane_rq *rq, uint64_t at_ns);
/* The same of all that stands in the order, since at_ns or, if that is later, its execute. */
void lane_end_doubt_order(struct lane_eng *eng, uint64_t at_ns);

#endif
