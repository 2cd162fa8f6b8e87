// SPDX-License-Identifier: MIT
// When a request ended, as far as its own events tell it (docs/analysis.md, An end within bounds).
#include "timeline/i915/ending.h"
#include "timeline/i915/listening.h"
#include "timeline/losses.h"
#include "timeline/state.h"
#include "timeline/i915/world.h"

/* An event that would have told of rq between the two times may be missing. */
static bool may_be_missing(const struct lane_timeline *tl, const struct lane_rq *rq,
			   uint64_t since_ns, uint64_t until_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return tl->ends_hide || (eng && timeline_engine_is_blind(tl, eng)) ||
	       timeline_loss_between(tl, since_ns, until_ns);
}

/* True, and *end is earlier: an event that showed that may have been lost since rq was last seen
 * incomplete. A listening is no sign of life if the signal that followed at once may be lost. */
static bool weaken(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span *end)
{
	if (rq->alive.ns == rq->listen.ns && rq->listen.ns && !(rq->pub.seen & LANE_SEEN_SIGNAL) &&
	    may_be_missing(tl, rq, rq->listen.ns, end->hi))
		timeline_world_not_alive(tl, rq);
	if (rq->alive.ns > end->lo || !may_be_missing(tl, rq, rq->alive.ns, end->hi))
		return false;
	end->lo = rq->alive.ns;
	return true;
}

/* Returns the time, ns, since which an interrupt may have been raised and not have come by
 * now_ns. */
static uint64_t interrupts_since(const struct lane_timeline *tl, uint64_t now_ns)
{
	uint64_t late_ns = LANE_INTERRUPT_NS;

	if (tl->off.lo < now_ns && tl->off.hi + LANE_INTERRUPT_NS > now_ns)
		late_ns += tl->off.hi - tl->off.lo;
	return now_ns > late_ns ? now_ns - late_ns : 0;
}

/* rq was handed over before the recording and may be taken back, which is not recorded. */
static bool may_be_back_unseen(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.host_engine;

	return !rq->pub.engine && !timeline_engine_sees_unsubmit(tl) &&
	       (eng ? eng->model->has_sets
		    : tl->has_in && tl->info.submission != LANE_SUBMISSION_GUC);
}

/*
 * R13. Somebody listens, and nothing told of rq's end until now_ns. The interrupt comes within
 * LANE_INTERRUPT_NS of the end, but for the time that a dequeue had interrupts off. A request that
 * is taken back loses its listeners until it is handed over again.
 */
static void alive_by_silence(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	uint64_t since_ns = timeline_not_before(rq->listen.ns, rq->handed.execute_ns);
	uint64_t then_ns = interrupts_since(tl, now_ns);

	if (rq->listen.ns && since_ns < then_ns && rq->alive.ns < then_ns &&
	    !timeline_request_is_back(rq) && !may_be_back_unseen(tl, rq) && !rq->doubt.is_hidden &&
	    !timeline_loss_between(tl, since_ns, now_ns))
		timeline_world_alive(tl, rq, then_ns);
}

/* R7. Where the order is not certain, another request whose end was told may stand behind rq. Then
 * rq had ended by that other end, at most LANE_INTERRUPT_NS before its own end was told. */
static struct lane_span or_told_by_another(const struct lane_timeline *tl,
					   const struct lane_eng *eng, const struct lane_rq *rq,
					   struct lane_span end)
{
	uint64_t since_ns = timeline_not_before(
		rq->alive.ns, end.lo > LANE_INTERRUPT_NS ? end.lo - LANE_INTERRUPT_NS : 0);
	bool sure = true;

	if (!eng || !rq->is_on_device) {
		sure = tl->info.submission == LANE_SUBMISSION_GUC;
	} else if (!eng->model->is_firmware && (tl->n_losses || eng->proof.is_from_before)) {
		sure = (!timeline_engine_unproven(eng) && !rq->doubt.is_hidden &&
			!rq->doubt.is_detached) ||
		       (eng->proof.told_ns <= since_ns &&
			!timeline_loss_between(tl, since_ns, end.hi));
	}
	if (!sure && end.lo == end.hi && since_ns < end.lo)
		end.lo = since_ns;
	return end;
}

/* rq was incomplete up to its end, which is exact: no world says that it ended before. */
static bool lived_until(const struct lane_rq *rq, struct lane_span end, bool alive_away)
{
	if (end.lo != end.hi || !rq->listen.ns || timeline_request_may_be_complete(rq) ||
	    timeline_request_was_complete_before(rq, end.lo))
		return false;
	return (alive_away || rq->pub.state != LANE_RQ_STATE_PREEMPTED) &&
	       !timeline_request_is_back(rq) && !rq->handed.is_back_unseen;
}

/* R13. rq was incomplete until this time, ns, whenever its end was told: an interrupt takes no
 * longer. */
static uint64_t no_sooner(const struct lane_rq *rq, struct lane_span end)
{
	uint64_t ns = rq->alive.ns;

	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		ns = timeline_not_before(ns, rq->no_sooner_ns);

	return end.lo == end.hi && end.lo > LANE_INTERRUPT_NS
		       ? timeline_not_before(end.lo - LANE_INTERRUPT_NS, ns)
		       : ns;
}

/* What tells an end may tell it late: the first event that told it may be of another process, which
 * is not recorded. */
static struct lane_span or_hidden_by_others(const struct lane_timeline *tl,
					    const struct lane_rq *rq, struct lane_span end)
{
	if (tl->info.follows_some && tl->info.submission != LANE_SUBMISSION_GUC &&
	    rq->pub.execute_ns < end.lo)
		end.lo = rq->pub.execute_ns;
	return end;
}

/* The bounds of rq's end, as rq's own events allow them. */
static struct lane_end_told bounds_of_end(struct lane_timeline *tl, struct lane_rq *rq,
					  struct lane_span end, bool alive_away)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_end_told ending = { .is_alive_away = alive_away };

	end = or_hidden_by_others(tl, rq, end);
	if (tl->n_losses || tl->ends_hide || tl->hooks_hide)
		ending.is_end_hidden = weaken(tl, rq, &end);
	end = or_told_by_another(tl, eng, rq, end);
	if (eng)
		eng->proof.told_ns = timeline_not_before(end.hi, eng->proof.told_ns);
	ending.no_sooner_ns = no_sooner(rq, end);
	if (lived_until(rq, end, alive_away))
		timeline_world_alive(tl, rq, end.hi);
	if (!ending.is_end_hidden && end.lo < rq->alive.ns && rq->alive.ns <= end.hi)
		end.lo = rq->alive.ns;
	/* An `out` of rq may have been lost before. */
	if (rq->doubt.since_ns < end.lo)
		end.lo = rq->doubt.since_ns;
	ending.end = end;
	return ending;
}

/* The listening is the last event of its CPU, so it may still show that it found rq complete: the
 * listener signals others first. */
static bool is_being_looked_at(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, rq->listen.cpu);

	return rq->listen.is_active && rq->alive.ns == rq->listen.ns &&
	       !(rq->pub.seen & LANE_SEEN_SIGNAL) && cpu && cpu->events == rq->listen.event;
}

/* R4, R5. A request that was signalled or retired was complete by then, whatever tells later. */
static struct lane_span by_signal(const struct lane_rq *rq, struct lane_span end)
{
	uint64_t by_ns = LANE_NEVER;

	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		by_ns = rq->pub.signal_ns;
	if ((rq->pub.seen & LANE_SEEN_RETIRE) && rq->pub.retire_ns < by_ns)
		by_ns = rq->pub.retire_ns;
	if (end.hi <= by_ns)
		return end;
	if (end.lo == end.hi || end.lo > by_ns)
		end.lo = rq->pub.execute_ns < by_ns ? rq->pub.execute_ns : by_ns;
	end.hi = by_ns;
	return end;
}

/*
 * The listening may have found rq complete. If another CPU signals rq, that CPU was handling an
 * interrupt already. It is rq's own if nothing was handed over behind rq. R13: then rq was
 * incomplete LANE_INTERRUPT_NS before the listening.
 */
static void found_complete(struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	uint64_t then_ns = interrupts_since(tl, rq->listen.ns);

	timeline_world_not_alive(tl, rq);
	if (eng && eng->model->is_one_ring && timeline_listening_is_elsewhere(rq) && rq->order &&
	    !timeline_engine_unproven(eng) &&
	    (!rq->dev_next || rq->dev_next->pub.execute_ns > rq->listen.ns) &&
	    rq->alive.ns < then_ns)
		timeline_world_alive(tl, rq, then_ns);
}

static bool is_by_signal(const struct lane_rq *rq, struct lane_span end)
{
	return (rq->pub.seen & LANE_SEEN_SIGNAL) && rq->pub.signal_ns == end.hi;
}

struct lane_end_told timeline_ending_conclude(struct lane_timeline *tl, struct lane_rq *rq,
					      struct lane_span end)
{
	end = by_signal(rq, end);
	if (is_by_signal(rq, end) && timeline_request_listened_late(rq, rq->listen.work_ns)) {
		found_complete(tl, rq);
		end.lo = timeline_request_began(rq);
	} else if (is_being_looked_at(tl, rq)) {
		timeline_world_not_alive(tl, rq);
	} else if (timeline_request_listened_late(rq, end.hi)) {
		found_complete(tl, rq);
	}
	alive_by_silence(tl, rq, end.hi);
	return bounds_of_end(tl, rq, end, timeline_request_was_preempted(rq));
}

bool timeline_ending_is_unsure(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *rq)
{
	bool told = eng->model->has_ports &&
		    (!eng->model->has_sets || timeline_engine_sees_unsubmit(tl));

	bool guessed = eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) && !rq->known.hi;

	return (timeline_engine_unproven(eng) && (eng->proof.epoch > 1 || guessed)) ||
	       rq->doubt.is_hidden || timeline_engine_is_blind(tl, eng) ||
	       (told && (rq->pub.doubt & LANE_DOUBT_DEVICE));
}
