// SPDX-License-Identifier: MIT
// When a request ended, as far as its own events tell it (docs/analysis.md, An end within bounds).
#include "timeline/ending.h"
#include "timeline/losses.h"
#include "timeline/state.h"
#include "timeline/world.h"

/* What would have told of rq between the two times may be missing. */
static bool may_be_missing(const struct lane_timeline *tl, const struct lane_rq *rq,
			   uint64_t since_ns, uint64_t until_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return tl->ends_hide || (eng && timeline_engine_is_blind(tl, eng)) ||
	       timeline_loss_between(tl, since_ns, until_ns);
}

/*
 * What would have shown an earlier end may be among what was lost since rq was last seen alive.
 * That somebody began to listen is no sign of life if the signal that came at once may be lost.
 */
static void weaken(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span *end)
{
	if (rq->alive.ns == rq->listen.ns && rq->listen.ns && !(rq->pub.seen & LANE_SEEN_SIGNAL) &&
	    may_be_missing(tl, rq, rq->listen.ns, end->hi))
		timeline_world_not_alive(tl, rq);
	if (rq->alive.ns <= end->lo && may_be_missing(tl, rq, rq->alive.ns, end->hi)) {
		end->lo = rq->alive.ns;
		rq->doubt.is_weak = true;
	}
}

/* What has been raised since then may not have come by now_ns. */
static uint64_t interrupts_since(const struct lane_timeline *tl, uint64_t now_ns)
{
	uint64_t late_ns = LANE_INTERRUPT_NS;

	if (tl->off.lo < now_ns && tl->off.hi + LANE_INTERRUPT_NS > now_ns)
		late_ns += tl->off.hi - tl->off.lo;
	return now_ns > late_ns ? now_ns - late_ns : 0;
}

/* rq was handed over before the recording, and that it is taken back is not recorded. */
static bool may_be_back_unseen(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.host_engine;

	return !rq->pub.engine && !timeline_engine_sees_unsubmit(tl) &&
	       (eng ? eng->model->has_sets
		    : tl->has_in && tl->info.submission != LANE_SUBMISSION_GUC);
}

/*
 * R13. Somebody listens, and nothing was heard until now_ns: the interrupt would have come within
 * LANE_INTERRUPT_NS of the end, but for the time that a dequeue had interrupts off. Who listens is
 * put off as the request is taken back, and asks again as it is handed over.
 */
static void hear(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	uint64_t since_ns = timeline_not_before(rq->listen.ns, rq->handed.execute_ns);
	uint64_t then_ns = interrupts_since(tl, now_ns);

	if (rq->listen.ns && since_ns < then_ns && rq->alive.ns < then_ns &&
	    !timeline_request_is_back(rq) && !may_be_back_unseen(tl, rq) && !rq->doubt.is_hit &&
	    !tl->ends_hide && !timeline_loss_between(tl, since_ns, now_ns))
		timeline_world_alive(tl, rq, then_ns);
}

/*
 * Where the order is in doubt another end that was told meanwhile may be of one behind rq, and have
 * told rq's; but no longer ago than an interrupt takes.
 */
static struct lane_span or_told_by_another(const struct lane_timeline *tl, struct lane_eng *eng,
					   const struct lane_rq *rq, struct lane_span end)
{
	uint64_t since_ns = timeline_not_before(
		rq->alive.ns, end.lo > LANE_INTERRUPT_NS ? end.lo - LANE_INTERRUPT_NS : 0);
	bool sure = true;

	if (!eng || !rq->is_on_device) {
		sure = tl->info.submission == LANE_SUBMISSION_GUC;
	} else if (!eng->model->is_firmware && (tl->n_losses || eng->proof.is_from_before)) {
		sure = (!timeline_engine_unproven(eng) && !rq->doubt.is_hit &&
			!rq->doubt.is_detached) ||
		       (eng->proof.told_ns <= since_ns &&
			!timeline_loss_between(tl, since_ns, end.hi));
	}
	if (eng)
		eng->proof.told_ns = timeline_not_before(end.hi, eng->proof.told_ns);
	if (!sure && end.lo == end.hi && since_ns < end.lo)
		end.lo = since_ns;
	return end;
}

/* rq was incomplete up to its end, which is known exactly: nothing says that it had ended before.
 */
static bool lived_until(const struct lane_rq *rq, struct lane_span end, bool alive_away)
{
	if (end.lo != end.hi || !rq->listen.ns || timeline_request_may_be_over(rq) ||
	    timeline_request_was_over_before(rq, end.lo))
		return false;
	return (alive_away || rq->pub.state != LANE_RQ_STATE_PREEMPTED) &&
	       !timeline_request_is_back(rq) && !rq->handed.is_off;
}

/* Before this it was not over, whenever that was heard of; R13: an interrupt takes no longer. */
static uint64_t no_sooner(const struct lane_rq *rq, struct lane_span end)
{
	uint64_t ns = rq->alive.ns;

	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		ns = timeline_not_before(ns, rq->now.no_sooner_ns);

	return end.lo == end.hi && end.lo > LANE_INTERRUPT_NS
		       ? timeline_not_before(end.lo - LANE_INTERRUPT_NS, ns)
		       : ns;
}

/* What tells an end may tell it late: because of another process's, which is not recorded. */
static struct lane_span or_hidden_by_others(const struct lane_timeline *tl,
					    const struct lane_rq *rq, struct lane_span end)
{
	if (tl->info.follows_some && tl->info.submission != LANE_SUBMISSION_GUC &&
	    rq->pub.execute_ns < end.lo)
		end.lo = rq->pub.execute_ns;
	return end;
}

/* The bounds of an end as far as what has been seen of rq itself bears them. */
static struct lane_end_told bounds_of_end(struct lane_timeline *tl, struct lane_rq *rq,
					  struct lane_span end, bool alive_away)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_end_told ending = { .is_alive_away = alive_away };
	bool exact;

	end = or_hidden_by_others(tl, rq, end);
	if (tl->n_losses || tl->ends_hide || tl->hooks_hide)
		weaken(tl, rq, &end);
	end = or_told_by_another(tl, eng, rq, end);
	exact = end.lo == end.hi;
	ending.no_sooner_ns = no_sooner(rq, end);
	if (lived_until(rq, end, alive_away))
		timeline_world_alive(tl, rq, end.hi);
	if (!rq->doubt.is_weak && end.lo < rq->alive.ns && rq->alive.ns <= end.hi)
		end.lo = rq->alive.ns;
	if (rq->doubt.may_have_run && !exact && rq->alive.ns < end.lo)
		end.lo = rq->alive.ns;
	/* An `out` that would have come before may be among what was lost. */
	if (rq->doubt.since_ns < end.lo)
		end.lo = rq->doubt.since_ns;
	ending.end = end;
	return ending;
}

/* The listening has just begun: it may find rq complete yet, when it has signalled others. */
static bool is_being_looked_at(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return rq->listen.is_active && rq->alive.ns == rq->listen.ns &&
	       !(rq->pub.seen & LANE_SEEN_SIGNAL) && rq->listen.cpu >= 0 &&
	       (uint32_t)rq->listen.cpu < tl->n_cpus &&
	       tl->cpus[rq->listen.cpu].events == rq->listen.event;
}

/* What has been signalled or retired was over by then, whatever tells later. */
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
 * The listening may have found rq complete. If another CPU has signalled it, that was about to
 * because of an interrupt, which is rq's own if nothing has been handed over behind it. R13: it
 * takes no longer.
 */
static void found_complete(struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	uint64_t then_ns = interrupts_since(tl, rq->listen.ns);

	timeline_world_not_alive(tl, rq);
	if (eng && eng->model->is_one_ring && rq->listen.is_elsewhere && rq->order &&
	    !timeline_engine_unproven(eng) &&
	    (!rq->dev_next || rq->dev_next->pub.execute_ns > rq->listen.ns) &&
	    rq->alive.ns < then_ns)
		timeline_world_alive(tl, rq, then_ns);
}

static bool is_by_signal(const struct lane_rq *rq, struct lane_span end)
{
	return (rq->pub.seen & LANE_SEEN_SIGNAL) && rq->pub.signal_ns == end.hi;
}

struct lane_end_told timeline_ending_of(struct lane_timeline *tl, struct lane_rq *rq,
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
	hear(tl, rq, end.hi);
	return bounds_of_end(tl, rq, end, timeline_request_was_preempted(rq));
}

/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
bool timeline_ending_is_shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq)
{
	bool told =
		eng->model->is_idled || (eng->model->has_sets && timeline_engine_sees_unsubmit(tl));

	bool guessed = eng->model->has_sets && !timeline_engine_sees_unsubmit(tl);

	return (timeline_engine_unproven(eng) && (eng->proof.epoch > 1 || guessed)) ||
	       rq->doubt.is_hit || timeline_engine_is_blind(tl, eng) ||
	       (told && (rq->pub.doubt & LANE_DOUBT_DEVICE));
}
