// SPDX-License-Identifier: MIT
// When a request ended, as far as its own events tell it (docs/analysis.md, An end within bounds).
#include "timeline/i915/ending.h"
#include "timeline/losses.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/world.h"

/* An event that would have told of rq between the two times may be missing. */
static bool may_be_missing(const struct lane_timeline *tl, const struct lane_rq *rq,
			   uint64_t since_ns, uint64_t until_ns)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return tl->is_without_ends || (eng && timeline_engine_is_unseen(tl, eng)) ||
	       timeline_loss_between(tl, since_ns, until_ns);
}

/* An event that showed rq's end earlier may have been lost since rq was last seen incomplete. */
static bool is_hidden(const struct lane_timeline *tl, const struct lane_rq *rq,
		      const struct lane_bounds *end)
{
	return (tl->n_losses || tl->is_without_ends || tl->is_without_runs) &&
	       rq->alive.ns <= end->lo && may_be_missing(tl, rq, rq->alive.ns, end->hi);
}

/* R13. Returns the time since which an interrupt may have been raised and not have come by `now`.
 */
static struct lane_bound interrupts_since(const struct lane_timeline *tl, struct lane_bound now)
{
	bool is_off = tl->off.lo < now.ns && tl->off.hi + LANE_INTERRUPT_NS > now.ns;

	return timeline_r13_unheard(now, is_off ? tl->off.hi - tl->off.lo : 0);
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
 * R13. Somebody listens, and nothing told of rq's end until `now`. The interrupt comes within
 * LANE_INTERRUPT_NS of the end, but for the time that a dequeue had interrupts off. A request that
 * is taken back loses its listeners until it is handed over again.
 */
static void alive_by_silence(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bound now)
{
	uint64_t since_ns = timeline_not_before(rq->listen.ns, rq->handed.execute_ns);
	struct lane_bound then;

	if (!rq->listen.ns || since_ns + LANE_INTERRUPT_NS >= now.ns)
		return;
	then = interrupts_since(tl, now);
	if (since_ns < then.ns && rq->handed.back == LANE_BACK_NOT && !may_be_back_unseen(tl, rq) &&
	    !rq->doubt.is_hidden && !timeline_loss_between(tl, since_ns, now.ns))
		timeline_world_alive(rq, then);
}

/* R7. Where the order is not certain, another request whose end was told may stand behind rq. Then
 * rq had ended by that other end, at most LANE_INTERRUPT_NS before its own end was told. */
static void or_told_by_another(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *rq, struct lane_bounds *end)
{
	struct lane_bound since;
	bool sure = true;

	if (!timeline_bounds_are_exact(end))
		return;
	since = timeline_bound_later(rq->alive, timeline_r13_unheard(timeline_bounds_lo(end), 0));

	if (!eng || !rq->is_on_device) {
		sure = tl->info.submission == LANE_SUBMISSION_GUC;
	} else if (!eng->model->is_firmware && (tl->n_losses || eng->proof.is_from_before)) {
		sure = !timeline_engine_unproven(eng) && !rq->doubt.is_hidden &&
		       !timeline_request_is_detached(rq);
	}
	if (!sure)
		timeline_bounds_lower(end, since);
}

/* rq was incomplete until this time, whenever its end was told. */
static struct lane_bound no_sooner(const struct lane_rq *rq, const struct lane_bounds *end)
{
	struct lane_bound since = rq->alive;

	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		since = timeline_bound_later(since, rq->no_sooner);
	return timeline_bounds_are_exact(end)
		       ? timeline_bound_later(since,
					      timeline_r13_unheard(timeline_bounds_lo(end), 0))
		       : since;
}

/* What tells an end may tell it late: the first event that told it may be of another process, which
 * is not recorded. */
static void or_hidden_by_others(const struct lane_timeline *tl, const struct lane_rq *rq,
				struct lane_bounds *end)
{
	if (tl->info.follows_some && tl->info.submission != LANE_SUBMISSION_GUC &&
	    rq->pub.execute_ns < end->lo)
		timeline_bounds_set_lo(end, timeline_request_executed(rq));
}

/* Bounds rq's end, as rq's own events allow it. */
static void bound_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_end_told *ending)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_bounds *end = &ending->end;

	or_hidden_by_others(tl, rq, end);
	ending->is_end_hidden = is_hidden(tl, rq, end);
	if (ending->is_end_hidden)
		timeline_bounds_set_lo(end, rq->alive);
	or_told_by_another(tl, eng, rq, end);
	ending->no_sooner = no_sooner(rq, end);
	if (!ending->is_end_hidden && rq->alive.ns <= end->hi)
		timeline_bounds_raise(end, rq->alive);
	/* An `out` of rq may have been lost before. */
	timeline_bounds_lower(end, rq->doubt.since);
}

/* R4, R5. A request that was signalled or retired was complete by then, whatever tells later. */
static void by_signal(const struct lane_rq *rq, struct lane_bounds *end)
{
	struct lane_bound by;

	if (!(rq->pub.seen & (LANE_SEEN_SIGNAL | LANE_SEEN_RETIRE)))
		return;
	by = timeline_request_over_by(rq);
	if (end->hi <= by.ns)
		return;
	if (timeline_bounds_are_exact(end) || end->lo > by.ns)
		timeline_bounds_set_lo(end,
				       timeline_bound_sooner(timeline_request_executed(rq), by));
	timeline_bounds_set_hi(end, by);
}

static bool is_by_signal(const struct lane_rq *rq, const struct lane_bounds *end)
{
	return (rq->pub.seen & LANE_SEEN_SIGNAL) && rq->pub.signal_ns == end->hi;
}

/* The signal of rq that the listening may have led to may be yet to come, or be lost. */
static bool may_be_unheard(const struct lane_timeline *tl, const struct lane_rq *rq,
			   const struct lane_bounds *end)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, rq->listen.cpu);

	return !(rq->pub.seen & LANE_SEEN_SIGNAL) &&
	       ((cpu && cpu->event == rq->listen.event) ||
		may_be_missing(tl, rq, rq->listen.ns, end->hi));
}

/*
 * R11. Somebody began to listen to rq. Had rq been complete, the listening would have had it
 * signalled (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1). That signal may be the one that
 * tells rq's end: then the listening does not bound the end.
 */
static void listened(const struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds *end)
{
	bool is_signal = is_by_signal(rq, end);

	if (timeline_request_listened_late(rq, is_signal ? rq->listen.work_ns : end->hi)) {
		if (is_signal)
			timeline_bounds_set_lo(end, timeline_request_not_over_before(rq));
	} else if (rq->listen.how != LANE_LISTENING_UNSURE && rq->listen.ns &&
		   rq->listen.ns <= end->hi && !may_be_unheard(tl, rq, end)) {
		timeline_world_alive(rq, timeline_r11_listened(rq));
	}
}

struct lane_end_told timeline_ending_conclude(struct lane_timeline *tl, struct lane_rq *rq,
					      const struct lane_bounds *told)
{
	struct lane_end_told ending = { .end = *told };

	by_signal(rq, &ending.end);
	listened(tl, rq, &ending.end);
	alive_by_silence(tl, rq, timeline_bounds_hi(&ending.end));
	bound_end(tl, rq, &ending);
	return ending;
}

bool timeline_ending_is_unsure(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *rq)
{
	bool told = eng->model->has_ports &&
		    (!eng->model->has_sets || timeline_engine_sees_unsubmit(tl));

	bool guessed = eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) && !rq->known.hi;

	return (timeline_engine_unproven(eng) && (!timeline_engine_lost_nothing(eng) || guessed)) ||
	       rq->doubt.is_hidden || timeline_engine_is_unseen(tl, eng) ||
	       (told && (rq->pub.doubt & LANE_DOUBT_DEVICE));
}
