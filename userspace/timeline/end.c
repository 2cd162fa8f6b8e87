// SPDX-License-Identifier: MIT
// How a request ends on its engine, told by its own events or by what has not been seen of it
// (docs/analysis.md).
#include "timeline/end.h"
#include "timeline/idle.h"
#include "timeline/losses.h"
#include "timeline/order.h"
#include "timeline/ports.h"
#include "timeline/run.h"
#include "timeline/section.h"
#include "timeline/state.h"
#include "timeline/tell.h"

/* The story of rq with the hardware is over. */
/* What is over of its context, now that rq is. */
static void note_over(struct lane_ctx *ctx, const struct lane_rq *rq)
{
	if (ctx->live == rq)
		ctx->prev_end_lo = rq->pub.end.lo;
	if (!ctx->is_over || (int32_t)(rq->pub.seqno - ctx->over_seqno) > 0)
		ctx->over_seqno = rq->pub.seqno;
	if (!ctx->is_over || rq->pub.end.hi > ctx->over_ns)
		ctx->over_ns = rq->pub.end.hi;
	ctx->is_over = true;
	while (ctx->live && (ctx->live->ended || ctx->live->doubt.is_detached))
		ctx->live = ctx->live->next;
}

void timeline_end_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->is_on_device) {
		if (rq->pub.state == LANE_RQ_STATE_DEVICE)
			timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1,
					       timeline_not_before(end.lo, rq->handed.device_ns));
		else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
			timeline_queue_changes(tl, &rq->left.from->pub, LANE_QUEUE_HOST, rq, -1,
					       timeline_not_before(end.lo, rq->since.lo));
		timeline_request_unlink(rq);
	} else if (rq->pub.state == LANE_RQ_STATE_HOST) {
		timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1,
				       timeline_not_before(end.lo, rq->pub.submit_ns));
	}
	if (rq->left.from && rq->left.from->victim == rq)
		rq->left.from->victim = NULL;
	rq->ended = true;
	timeline_request_not_virtual(tl, rq);
	rq->pub.end = end;
	if (eng && timeline_engine_unproven(eng))
		timeline_engine_prove(eng, false);
	note_over(ctx, rq);
	timeline_request_state(tl, rq, LANE_RQ_STATE_ENDED, end.hi);
}

/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
bool timeline_end_is_shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
			   const struct lane_rq *rq)
{
	bool told = eng->mode == LANE_MODE_PER_REQUEST ||
		    (eng->mode == LANE_MODE_PORTS && timeline_engine_sees_unsubmit(tl));

	bool guessed = eng->mode == LANE_MODE_PORTS && !timeline_engine_sees_unsubmit(tl);

	return (timeline_engine_unproven(eng) && (eng->proof.epoch > 1 || guessed)) ||
	       rq->doubt.is_hit || timeline_engine_is_blind(tl, eng) ||
	       (told && (rq->pub.doubt & LANE_DOUBT_DEVICE));
}

void timeline_end_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_span at = timeline_span_exact(tl->now_ns);

	if (eng->running == rq)
		timeline_run_close(tl, eng, &at);
	if (rq->pub.state == LANE_RQ_STATE_DEVICE)
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, at.lo);
	else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
		timeline_queue_changes(tl, &rq->left.from->pub, LANE_QUEUE_HOST, rq, -1, at.lo);
	if (rq->left.from && rq->left.from->victim == rq)
		rq->left.from->victim = NULL;
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (rq->alive.at_ns < rq->doubt.since_ns)
		rq->doubt.since_ns = rq->alive.at_ns;
	timeline_request_unlink(rq);
	rq->doubt.is_detached = true;
	if (eng->mode != LANE_MODE_PER_REQUEST || rq->doubt.is_hit ||
	    eng->proof.epoch > 1) { /* it may have the engine still */
		eng->proof.epoch++;
		eng->proof.doubt_until_ns =
			timeline_not_before(tl->now_ns, eng->proof.doubt_until_ns);
	}
	while (ctx->live && (ctx->live->ended || ctx->live->doubt.is_detached))
		ctx->live = ctx->live->next;
}

/*
 * rq left the engine, incomplete as it seemed, and nothing has shown it alive since: it had ended
 * unheard before it left.
 */
static void ended_before_leaving(struct lane_rq *rq, struct lane_span *end)
{
	uint64_t lo = rq->alive.at_ns > rq->begun.ns ? rq->alive.at_ns : rq->begun.ns;
	uint64_t less;

	if (rq->doubt.is_weak)
		lo = end->lo;
	*end = (struct lane_span){ lo < rq->since.hi ? lo : rq->since.hi, rq->since.hi };
	less = end->hi - end->lo;
	rq->pub.running.lo -= less < rq->pub.running.lo ? less : rq->pub.running.lo;
	rq->pub.preemptions--;
}

/* True when what has the engine is known to be still at it. */
static bool front_is_alive(const struct lane_eng *eng, uint64_t now_ns)
{
	const struct lane_rq *front = eng->running;

	return front && front->alive.at_ns >= now_ns;
}

void timeline_end_doubt(struct lane_rq *rq, uint64_t at_ns)
{
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (at_ns < rq->doubt.since_ns)
		rq->doubt.since_ns = at_ns;
}

void timeline_end_doubt_order(struct lane_eng *eng, uint64_t at_ns)
{
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next) {
		timeline_end_doubt(rq, timeline_not_before(at_ns, rq->pub.execute_ns));
		rq->doubt.is_hit = true;
	}
}

/*
 * It ran again, by the order, and ended; or it had ended, unheard, before it left: nothing tells.
 * The bounds take in both.
 */
static void or_ended_before_leaving(struct lane_rq *rq, struct lane_span *end)
{
	if (rq->alive.running < rq->pub.running.lo)
		rq->pub.running.lo = rq->alive.running;
	if (rq->alive.preempted < rq->pub.preempted.lo)
		rq->pub.preempted.lo = rq->alive.preempted;
	if (rq->alive.at_ns < end->lo)
		end->lo = rq->alive.at_ns;
}

/* Whether it ran again before it ended, or had ended before it left, nothing tells. */
static void away_or_again(struct lane_rq *rq, struct lane_span *end)
{
	uint64_t most = end->hi > rq->since.lo ? end->hi - rq->since.lo : 0;

	rq->pub.running.hi += most;
	rq->pub.preempted.hi += most;
	end->lo = end->hi;
	or_ended_before_leaving(rq, end);
}

/* An end that is told though others are ahead of rq: they may be over, unheard. */
static void doubt_those_ahead(struct lane_eng *eng, const struct lane_rq *rq, struct lane_span end)
{
	struct lane_rq *last = NULL;

	for (struct lane_rq *other = eng->order.first; other; other = other->dev_next) {
		bool waits = other->pub.state == LANE_RQ_STATE_DEVICE ||
			     (other->pub.state == LANE_RQ_STATE_PREEMPTED &&
			      eng->mode == LANE_MODE_HOOKS);

		if ((other != eng->running && !waits) || !timeline_engine_is_ahead(other, rq) ||
		    (eng->given.is_told && timeline_ports_is_last(eng, other)))
			continue; /* its own `out` would have come first */
		timeline_request_doubt_alive(other, end.hi, waits);
		last = other;
	}
	if (last) /* unless rq may have ended before it left, and nothing tells */
		last->unheard.is_exact = end.lo == end.hi &&
					 (timeline_engine_has_ports(eng) || rq == eng->leaver) &&
					 (rq->pub.state != LANE_RQ_STATE_PREEMPTED ||
					  timeline_request_alive_since_left(rq));
}

/* It is over, as is seen now, and may have been, unheard, when what took its place was to run. */
bool timeline_end_left_or_over(const struct lane_rq *rq, struct lane_span end)
{
	return rq->unheard.was_passed && rq->pub.state != LANE_RQ_STATE_RUNNING &&
	       (end.lo != end.hi || rq->maybe.at.hi) && timeline_request_may_be_over(rq);
}

/* It does not stand any more: it was taken back, or was complete when others were. */
static bool is_known_over(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return !rq->order && (rq->handed.is_taken_back ||
			      (rq->handed.is_off && eng->mode == LANE_MODE_PER_REQUEST) ||
			      (rq->unheard.complete_ns &&
			       !(rq->unheard.was_passed && timeline_request_may_be_over(rq))));
}

/* How what was taken off its engine, and has not been seen to run again, has ended. */
enum way_away {
	ENDED_AWAY,	     /* it was away until then */
	ENDED_BEFORE,	     /* it had ended, unheard, before it left */
	ENDED_AWAY_OR_AGAIN, /* that, or it ran again: nothing tells */
	ENDED_BEHIND_OTHERS, /* the same, and what stands ahead of it may be over, too */
	ENDED_WITH_SOMETHING_MISSING,
};

static enum way_away way_of(const struct lane_timeline *tl, const struct lane_eng *eng,
			    const struct lane_rq *rq, struct lane_span end)
{
	bool is_shaky = timeline_end_is_shaky(tl, eng, rq);
	bool may_have_ended_before = !rq->left.is_told && !is_shaky;

	if (timeline_end_left_or_over(rq, end))
		return ENDED_BEHIND_OTHERS;
	if (timeline_request_alive_since_left(
		    rq)) /* while it was being taken back it had the engine */
		return rq->handed.is_taken_back && !rq->order && end.lo != end.hi
			       ? ENDED_AWAY_OR_AGAIN
			       : ENDED_AWAY;
	if (is_known_over(rq) && may_have_ended_before)
		return ENDED_BEFORE;
	if (end.lo == end.hi)
		return ENDED_BEHIND_OTHERS;
	if (may_have_ended_before && (front_is_alive(eng, end.hi) || rq->handed.is_taken_back))
		return ENDED_BEFORE;
	if (is_shaky)
		return ENDED_WITH_SOMETHING_MISSING;
	return rq->order ? ENDED_BEHIND_OTHERS : ENDED_AWAY_OR_AGAIN;
}

/*
 * The driver looked at rq when it had left, which was told only after that; and rq may have ended
 * before it was told. It left between the writing of the set that took it off and that look.
 */
static void left_before_told(const struct lane_eng *eng, struct lane_rq *rq, struct lane_span end)
{
	struct lane_span left = { rq->handed.in.lo, rq->alive.at_ns };
	uint64_t less;

	if (eng->mode != LANE_MODE_PORTS || end.lo >= rq->since.lo || left.hi >= rq->since.lo ||
	    left.lo > left.hi)
		return;
	less = rq->since.lo - left.lo;
	rq->pub.running.lo -= less < rq->pub.running.lo ? less : rq->pub.running.lo;
	rq->pub.running.hi -= rq->since.lo - left.hi;
	rq->since = left;
}

void timeline_end_away(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       struct lane_span end)
{
	enum way_away way = way_of(tl, eng, rq, end);

	if (timeline_request_alive_since_left(rq))
		left_before_told(eng, rq, end);
	if (way == ENDED_BEHIND_OTHERS || (way == ENDED_WITH_SOMETHING_MISSING && rq->order))
		doubt_those_ahead(eng, rq, end);
	switch (way) {
	case ENDED_AWAY:
		timeline_run_away_until(tl, rq, end);
		break;
	case ENDED_BEFORE:
		ended_before_leaving(rq, &end);
		break;
	case ENDED_AWAY_OR_AGAIN:
	case ENDED_BEHIND_OTHERS:
		away_or_again(rq, &end);
		break;
	case ENDED_WITH_SOMETHING_MISSING:
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		if (!rq->doubt.is_weak)
			end.lo = rq->alive.at_ns;
		break;
	}
	timeline_end_finish(tl, rq, end);
}

/* Since when it ran is not certain: only signs of its own say that it had not ended. */
static bool start_is_shaky(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->begun.epoch > eng->proof.proven_epoch || (rq->pub.doubt & LANE_DOUBT_DEVICE);
}

/*
 * What was to leave has ended by an event that does not say whether it had left, and come again:
 * where no `out` is seen; where the `out` says how it was as that was fired; or by a signal behind
 * another dequeue, for which the hardware had taken the set before (R20).
 */
static bool may_have_come_again(const struct lane_eng *eng, struct lane_span end)
{
	return eng->mode == LANE_MODE_HOOKS ||
	       (eng->mode == LANE_MODE_PORTS && ((eng->given.is_told && end.lo != end.hi) ||
						 timeline_section_dequeued_before(eng)));
}

/*
 * Where no `out` tells of a change-over: what was to leave stands again behind others, and has
 * ended before them; or they have had the engine, and are over, and it ended when it had it again.
 */
static void left_or_stayed(struct lane_eng *eng, struct lane_rq *rq, struct lane_span end)
{
	const struct lane_rq *first = eng->order.first;
	uint64_t away_ns;

	while (first && timeline_engine_is_unheard(eng, first))
		first = first->dev_next;
	if (!rq->order || !first || first == rq)
		return;
	away_ns = timeline_not_before(first->handed.in.lo, rq->since.lo);
	away_ns = end.hi > away_ns ? end.hi - away_ns : 0;
	rq->pub.running.lo -= away_ns < rq->pub.running.lo ? away_ns : rq->pub.running.lo;
	rq->pub.preempted.hi += away_ns;
	if (rq->begun.is_unsure && !rq->left.from) /* it may have begun when it had come again */
		rq->pub.start.hi = timeline_not_before(end.hi, rq->pub.start.hi);
	doubt_those_ahead(eng, rq, end);
}

/* Without `unsubmit`: what was behind rq on its ports may have the engine before the new ones. */
static bool others_may_follow(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq)
{
	return rq == eng->leaver && eng->mode == LANE_MODE_PORTS &&
	       !timeline_engine_sees_unsubmit(tl) &&
	       ((rq->next && rq->next->handed.is_off) || timeline_ports_has_behind(eng, rq));
}

/* The end of what ran, whose run was closed at `told`, with what it may have been instead; *free is
 * when the engine was. */
static struct lane_span end_of_run(struct lane_timeline *tl, const struct lane_eng *eng,
				   struct lane_rq *rq, struct lane_span end, struct lane_span told,
				   struct lane_span *free)
{
	*free = told;
	if (rq->doubt.is_weak)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	else if (!start_is_shaky(eng, rq))
		end = told;
	else if (end.lo != end.hi && rq->alive.at_ns < end.lo)
		end.lo = rq->alive.at_ns;
	if (timeline_request_may_be_over(rq)) {
		or_ended_before_leaving(rq, &end);
		/* If it was over by then, what came next ended then, and none began before. */
		free->lo = rq->unheard.is_exact && end.hi > rq->unheard.ns
				   ? timeline_not_before(rq->unheard.ns, rq->begun.no_sooner_ns)
				   : rq->begun.no_sooner_ns;
	}
	if (rq->left.is_untold && timeline_request_alive_since_left(rq)) {
		timeline_run_tell_preemption(tl, rq);
	} else if (rq->left.is_untold) {
		or_ended_before_leaving(rq, &end);
		free->lo = rq->begun.no_sooner_ns;
	}
	return end;
}

/* What stood straight behind what was complete at the last taking back goes on, or leaves. */
static bool has_gone_on(const struct lane_eng *eng)
{
	return eng->leaver || eng->dequeue.in_place;
}

/* Its last run may not have been one. */
static bool may_have_ended_before(const struct lane_rq *rq)
{
	return rq->maybe.at.hi || timeline_request_may_be_over(rq) ||
	       (rq->left.is_untold && !timeline_request_alive_since_left(rq));
}

/*
 * rq has ended, by end_ns at the latest. If that was behind the driver's pause, its ring waits for
 * the end of it. If rq may have run, and ended, in an earlier place, so may the ring of what ended
 * before rq.
 */
static void note_pause(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_rq *rq,
		       uint64_t end_ns)
{
	if (!eng->dequeue.pause_ns || end_ns <= eng->dequeue.pause_ns ||
	    timeline_ports_go_on(eng, rq->pub.context)) {
		eng->paused = 0;
		return;
	}
	if (!eng->paused || !may_have_ended_before(rq))
		eng->paused = ++tl->pauses;
	((struct lane_ctx *)rq->pub.context)->paused = eng->paused;
}

/* The engine is free, at a time in `free`, of what ended at a time in `end`. */
static void set_free(struct lane_eng *eng, const struct lane_rq *rq, struct lane_span end,
		     struct lane_span free, bool was_leaver)
{
	eng->free = (struct lane_span){ free.lo, timeline_not_before(free.hi, eng->taken_by_ns) };
	eng->free_no_sooner_ns = rq->begun.over_no_sooner_ns;
	eng->is_free_paused = was_leaver && end.lo != end.hi && !eng->given.is_told &&
			      eng->mode != LANE_MODE_PER_REQUEST;
}

/* Where no ports are seen: nothing hidden was ahead of what was handed over behind the doubt. */
static void prove_by_end(struct lane_eng *eng, const struct lane_rq *rq)
{
	if (timeline_engine_unproven(eng) && !timeline_engine_has_ports(eng) &&
	    (rq->pub.seen & LANE_SEEN_EXECUTE) && rq->pub.execute_ns >= eng->proof.doubt_until_ns)
		timeline_engine_prove(eng, true);
}

void timeline_end_running(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_span end)
{
	struct lane_span told = end, free;
	bool was_leaver = rq == eng->leaver;
	/* Heard of later than it was, and what came straight behind it is over, too. */
	bool was_over_before = end.hi < rq->since.lo ||
			       (timeline_request_was_over_before(rq, end.lo) && !has_gone_on(eng));

	if (others_may_follow(tl, eng, rq))
		timeline_end_doubt_order(eng, end.lo);
	if (end.lo == end.hi && end.lo < rq->since.lo)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	timeline_run_close(tl, eng, &told);
	if (was_leaver && may_have_come_again(eng, end))
		left_or_stayed(eng, rq, end);
	timeline_end_finish(tl, rq, end_of_run(tl, eng, rq, end, told, &free));
	prove_by_end(eng, rq);
	if (was_over_before)
		free.lo = rq->begun.over_no_sooner_ns;
	else
		free.lo = timeline_not_before(free.lo, free.lo == free.hi ? rq->since.lo
									  : rq->begun.no_sooner_ns);
	set_free(eng, rq, end, free, was_leaver);
	note_pause(tl, eng, rq, end.hi);
}

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
static void weaken(const struct lane_timeline *tl, struct lane_rq *rq, struct lane_span *end)
{
	if (rq->alive.at_ns == rq->listen.ns && rq->listen.ns &&
	    !(rq->pub.seen & LANE_SEEN_SIGNAL) && may_be_missing(tl, rq, rq->listen.ns, end->hi))
		timeline_engine_not_alive(rq);
	if (rq->alive.at_ns <= end->lo && may_be_missing(tl, rq, rq->alive.at_ns, end->hi)) {
		end->lo = rq->alive.at_ns;
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
	       (eng ? eng->mode == LANE_MODE_PORTS
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

	if (rq->listen.ns && since_ns < then_ns && rq->alive.at_ns < then_ns &&
	    !timeline_request_is_back(rq) && !may_be_back_unseen(tl, rq) && !rq->doubt.is_hit &&
	    !tl->ends_hide && !timeline_loss_between(tl, since_ns, now_ns))
		timeline_engine_alive(tl, rq, then_ns);
}

/*
 * Where the order is in doubt another end that was told meanwhile may be of one behind rq, and have
 * told rq's; but no longer ago than an interrupt takes.
 */
static struct lane_span or_told_by_another(const struct lane_timeline *tl, struct lane_eng *eng,
					   const struct lane_rq *rq, struct lane_span end)
{
	uint64_t since_ns = timeline_not_before(
		rq->alive.at_ns, end.lo > LANE_INTERRUPT_NS ? end.lo - LANE_INTERRUPT_NS : 0);
	bool sure = true;

	if (!eng || !rq->is_on_device) {
		sure = tl->info.submission == LANE_SUBMISSION_GUC;
	} else if (eng->mode != LANE_MODE_GUC && (tl->n_losses || eng->proof.is_from_before)) {
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
	       !timeline_request_is_back(rq) && !rq->handed.is_off &&
	       (!rq->left.is_untold || timeline_request_alive_since_left(rq));
}

/* Before this it was not over, whenever that was heard of; R13: an interrupt takes no longer. */
static uint64_t no_sooner(const struct lane_rq *rq, struct lane_span end)
{
	uint64_t ns = timeline_not_before(rq->alive.at_ns, rq->begun.no_sooner_ns);

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
static struct lane_span bounds_of_end(struct lane_timeline *tl, struct lane_rq *rq,
				      struct lane_span end, bool alive_away)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	bool exact;

	if (rq->unheard.is_unseen && timeline_request_may_be_over(rq) &&
	    !timeline_request_ran_unsure(rq))
		timeline_end_doubt(rq, rq->pub.execute_ns);
	end = or_hidden_by_others(tl, rq, end);
	if (tl->n_losses || tl->ends_hide || tl->hooks_hide)
		weaken(tl, rq, &end);
	end = or_told_by_another(tl, eng, rq, end);
	exact = end.lo == end.hi;
	rq->begun.over_no_sooner_ns = no_sooner(rq, end);
	if (lived_until(rq, end, alive_away))
		timeline_engine_alive(tl, rq, end.hi);
	if (!rq->doubt.is_weak && end.lo < rq->alive.at_ns && rq->alive.at_ns <= end.hi)
		end.lo = rq->alive.at_ns;
	if (rq->maybe.has_run && !exact && rq->alive.at_ns < end.lo)
		end.lo = rq->alive.at_ns;
	/* An `out` that would have come before may be among what was lost. */
	if (rq->doubt.since_ns < end.lo)
		end.lo = rq->doubt.since_ns;
	return end;
}

/* The listening has just begun: it may find rq complete yet, when it has signalled others. */
static bool is_being_looked_at(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return rq->listen.is_active && rq->alive.at_ns == rq->listen.ns &&
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

/* rq has ended when it may have run. */
void timeline_end_as_it_left(struct lane_timeline *tl, const struct lane_eng *eng,
			     struct lane_rq *rq, struct lane_span end)
{
	struct lane_span at = rq->maybe.at;

	if (rq->doubt.is_weak ||
	    timeline_end_is_shaky(tl, eng, rq)) { /* its execute since may be among what was lost */
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		end.lo = rq->alive.at_ns < end.lo ? rq->alive.at_ns : end.lo;
		timeline_end_finish(tl, rq, end);
		return;
	}
	at.hi = end.hi < at.hi ? timeline_not_before(end.hi, at.lo) : at.hi;
	if (rq->pub.started) {
		struct lane_span away = timeline_span_between(rq->since, at);
		uint64_t ran = rq->maybe.less - (rq->maybe.at.hi - rq->maybe.at.lo);

		away.lo -= ran < away.lo ? ran : away.lo; /* it may have run before that, too */
		timeline_span_add(&rq->pub.preempted, away);
	} else {
		rq->pub.start =
			(struct lane_span){ at.lo, rq->since.hi < at.hi ? rq->since.hi : at.hi };
	}
	/* A set that was written since may have taken it off, and come to it again. */
	if (eng->mode == LANE_MODE_PORTS && rq->handed.in.lo > rq->since.hi &&
	    rq->alive.at_ns >= rq->handed.in.lo && rq->handed.in.lo < at.hi)
		rq->pub.preempted.hi += at.hi - rq->handed.in.lo;
	rq->pub.started = true;
	at.lo = timeline_not_before(rq->alive.at_ns < at.hi ? rq->alive.at_ns : at.hi, at.lo);
	if (rq->left.from && !timeline_request_alive_since_left(rq))
		or_ended_before_leaving(rq, &at);
	timeline_end_finish(tl, rq, at);
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

	timeline_engine_not_alive(rq);
	if (eng && eng->mode == LANE_MODE_RING && rq->listen.is_elsewhere && rq->order &&
	    !timeline_engine_unproven(eng) &&
	    (!rq->dev_next || rq->dev_next->pub.execute_ns > rq->listen.ns) &&
	    rq->alive.at_ns < then_ns)
		timeline_engine_alive(tl, rq, then_ns);
}

static bool is_by_signal(const struct lane_rq *rq, struct lane_span end)
{
	return (rq->pub.seen & LANE_SEEN_SIGNAL) && rq->pub.signal_ns == end.hi;
}

struct lane_span timeline_end_bounds(struct lane_timeline *tl, struct lane_rq *rq,
				     struct lane_span end, bool *alive_away)
{
	end = by_signal(rq, end);
	if (is_by_signal(rq, end) && timeline_request_listened_late(rq, rq->listen.work_ns)) {
		found_complete(tl, rq);
		end.lo = timeline_request_began(rq);
	} else if (is_being_looked_at(tl, rq)) {
		timeline_engine_not_alive(rq);
	} else if (timeline_request_listened_late(rq, end.hi)) {
		found_complete(tl, rq);
	}
	hear(tl, rq, end.hi);
	*alive_away = timeline_request_alive_since_left(rq) ||
		      (rq->left.is_told && rq->pub.state == LANE_RQ_STATE_PREEMPTED);
	return bounds_of_end(tl, rq, end, *alive_away);
}

struct lane_span timeline_end_out_of_turn(struct lane_eng *eng, struct lane_rq *rq,
					  struct lane_span end)
{
	bool may_have_left = timeline_end_left_or_over(rq, end);

	if (may_have_left && rq->order)
		eng->dequeue.is_mixed = true;
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (may_have_left)
		doubt_those_ahead(eng, rq, end);
	if ((rq->handed.is_off || may_have_left) && rq->alive.at_ns < end.lo)
		end.lo = rq->alive.at_ns; /* or before it was taken back */
	return end;
}
