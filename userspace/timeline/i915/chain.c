// SPDX-License-Identifier: MIT
// Which run follows which on an engine whose driver has a submission tasklet, and what is in doubt.
#include "timeline/i915/chain.h"
#include "timeline/i915/ending.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/sched/idle.h"
#include "timeline/losses.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet.h"
#include "timeline/i915/run.h"
#include "timeline/i915/fate.h"
#include "timeline/i915/world.h"
#include "base/vector.h"

/*
 * One end shows others. Those of the same engine are concluded with it. Those of other engines wait
 * until it is concluded (tl->ends_due): a context's requests may be of several engines, and what
 * ends there shows ends elsewhere again.
 */
struct lane_ends_due {
	struct lane_ctx *ctx;
	struct lane_bound by; /* those of ctx were complete by then */
	uint64_t from;	      /* whose number in the order is this or more */
	uint32_t seqno;	      /* before this one */
};

/* A request whose end is being concluded. */
struct lane_concluding {
	const struct lane_rq *rq;	     /* NULL: none of its own, those that are due */
	const struct lane_concluding *outer; /* its end showed that of rq; NULL: an event did */
};

/* ---- a request ends ---- */

/* The first of ctx that may be live and is before `due`; NULL: none is. */
static struct lane_rq *first_due(const struct lane_ends_due *due)
{
	struct lane_rq *live = due->ctx->live;

	return live && live->order >= due->from && (int32_t)(live->pub.seqno - due->seqno) < 0
		       ? live
		       : NULL;
}

static void end_later(struct lane_timeline *tl, const struct lane_ends_due *due)
{
	if (LANE_GROW(tl->ends_due, tl->cap_ends_due, tl->n_ends_due + 1))
		tl->ends_due[tl->n_ends_due++] = *due;
	else
		tl->no_memory = true;
}

/* Ends those that are due, on `eng` now, on others later. eng NULL: all of them now. */
static void end_due(struct lane_timeline *tl, const struct lane_engine *eng,
		    const struct lane_ends_due *due)
{
	struct lane_rq *before, *last = NULL;

	while ((before = first_due(due)) && before != last) {
		if (eng && before->pub.engine != eng) {
			end_later(tl, due);
			return;
		}
		timeline_chain_end(tl, before,
				   timeline_bounds(timeline_request_executed(before),
						   timeline_r06_later(due->by)));
		last = before;
	}
}

void timeline_chain_end_before(struct lane_timeline *tl, const struct lane_rq *rq,
			       struct lane_bound by, uint64_t from)
{
	end_due(tl, tl->concluding ? rq->pub.engine : NULL,
		&(struct lane_ends_due){ (struct lane_ctx *)rq->pub.context, by, from,
					 rq->pub.seqno });
}

void timeline_chain_end_before_later(struct lane_timeline *tl, const struct lane_rq *rq,
				     struct lane_bound by)
{
	struct lane_ends_due due = { (struct lane_ctx *)rq->pub.context, by, 0, rq->pub.seqno };

	if (first_due(&due))
		end_later(tl, &due);
}

void timeline_chain_end_due(struct lane_timeline *tl)
{
	const struct lane_concluding none = { NULL, NULL };

	if (tl->concluding || !tl->n_ends_due)
		return;
	tl->concluding = &none;
	while (tl->n_ends_due) {
		struct lane_ends_due due = tl->ends_due[--tl->n_ends_due];

		end_due(tl, NULL, &due);
	}
	tl->concluding = NULL;
}

/* rq, which runs, ends. If the `execute` of one before rq in its context was lost, that one may
 * stand behind rq. */
static void end_running(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			const struct lane_end_told *ending)
{
	uint64_t order = rq->order;

	timeline_fate_end_run(tl, eng, rq, ending);
	timeline_chain_end_before(tl, rq, timeline_bounds_hi(&ending->end), order + 1);
}

/* rq was not seen to have the engine. The ends of those before it may bring it there. */
static bool end_out_of_turn(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    struct lane_end_told *ending)
{
	ending->end = timeline_fate_bound_out_of_turn(eng, rq, ending->end);
	timeline_chain_end_before(tl, rq, timeline_bounds_hi(&ending->end), 0);
	if (eng->running == rq) {
		end_running(tl, eng, rq, ending);
		return true;
	}
	timeline_finish_request(tl, rq, &ending->end);
	return false;
}

/* R7. What stands ahead of rq has ended by rq's end, unless rq may have ended before it left the
 * engine last. */
static bool ends_those_ahead(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->running != rq && rq->complete.how != LANE_COMPLETE_MAYBE_RUN &&
	       (rq->pub.state != LANE_RQ_STATE_PREEMPTED || timeline_request_was_preempted(rq));
}

/* rq, which its engine has, ended. Returns true if rq ran: the engine is free. */
static bool end_on_device(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_end_told *ending)
{
	struct lane_bound by = timeline_bounds_hi(&ending->end);
	enum lane_way_ended way;

	if (ends_those_ahead(eng, rq))
		timeline_chain_bring_to_front(tl, eng, rq, timeline_r07_behind(by));
	way = timeline_fate_of(tl, eng, rq, ending);
	switch (way) {
	case LANE_ENDED_RUNNING:
		end_running(tl, eng, rq, ending);
		return true;
	case LANE_ENDED_IN_MAYBE_RUN:
		if (ending->is_end_hidden || timeline_ending_is_unsure(tl, eng, rq))
			timeline_chain_end_before(tl, rq, by, 0);
		timeline_fate_end_in_maybe_run(tl, eng, rq, ending);
		return false;
	case LANE_ENDED_OUT_OF_TURN:
		return end_out_of_turn(tl, eng, rq, ending);
	default:
		timeline_fate_end_off(tl, eng, rq, ending, way);
		return false;
	}
}

/* Likewise, wherever rq is. */
static bool end_request(struct lane_timeline *tl, struct lane_rq *rq,
			const struct lane_bounds *told)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_end_told ending;

	if (rq->is_on_device && eng && !eng->model->is_known)
		timeline_engine_becomes(tl, eng, LANE_MODE_RING);
	if (rq->is_on_device && eng && !eng->model->has_tasklet) {
		eng->model->end(tl, eng, rq, *told);
		return false;
	}
	ending = timeline_ending_conclude(tl, rq, told);
	if (rq->is_on_device && eng)
		return end_on_device(tl, eng, rq, &ending);
	timeline_chain_end_before(tl, rq, timeline_bounds_hi(&ending.end), 0);
	timeline_finish_request(tl, rq, &ending.end);
	return false;
}

/* rq ended. Returns true if its engine is free by that. If the trace contradicts itself, a request
 * may come before another in one order and behind it in the other. So an end that is being
 * concluded is not concluded again. */
static bool chain_conclude(struct lane_timeline *tl, struct lane_rq *rq,
			   const struct lane_bounds *end)
{
	const struct lane_concluding now = { rq, tl->concluding };
	bool is_free;

	for (const struct lane_concluding *of = tl->concluding; of; of = of->outer)
		if (of->rq == rq)
			return false;
	if (timeline_request_has_ended(rq))
		return false;
	tl->concluding = &now;
	is_free = end_request(tl, rq, end);
	tl->concluding = now.outer;
	return is_free;
}

/* timeline_chain_infer(), but for what follows. Returns true if nothing has the engine by that. */
static bool infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  const struct lane_bounds *end)
{
	if (!timeline_ending_is_unsure(tl, eng, rq))
		return chain_conclude(tl, rq, end);
	timeline_finish_detach(tl, eng, rq);
	if (eng->running)
		return false;
	eng->free.at = *end;
	return true;
}

void timeline_chain_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end)
{
	if (chain_conclude(tl, rq, &end))
		timeline_chain_update(tl, (struct lane_eng *)rq->pub.engine);
	timeline_chain_end_due(tl);
}

void timeline_chain_infer(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_bounds end)
{
	if (infer(tl, eng, rq, &end))
		timeline_chain_update(tl, eng);
	timeline_chain_end_due(tl);
}

void timeline_chain_end_told(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_bounds *end, int32_t cpu)
{
	if (!timeline_request_has_ended(rq) && !timeline_tasklet_try_hold_end(tl, rq, end, cpu))
		timeline_chain_end(tl, rq, *end);
}

void timeline_chain_contradiction(struct lane_timeline *tl, struct lane_eng *eng)
{
	timeline_engine_contradicts(tl, eng);
	timeline_chain_doubt(tl, eng, tl->now.ns, tl->now.ns);
	timeline_finish_doubt_unplaced(eng);
}

/* ---- what runs ---- */

/* The dequeue that is being read has handed rq over, and has not written its port yet. */
static bool is_before_ports(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->model->has_ports && eng->dequeue.is_open && rq->handed.no == eng->dequeue.no &&
	       !rq->handed.is_on_port;
}

/* R8. The dequeue that is being read took back one ahead of rq, incomplete, and not rq: rq ended
 * before it left the engine last. */
static bool is_left_complete(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->dequeue.is_open && eng->dequeue.pause_ns && eng->dequeue.oldest_order &&
	       rq->order > eng->dequeue.oldest_order && rq->order <= eng->dequeue.stood;
}

/* Returns who has the engine next: what is known to be complete and not told yet, then what is to
 * leave, then the first of the order. NULL: nobody, or its port is yet to be written. */
static struct lane_rq *next_to_run(const struct lane_eng *eng)
{
	struct lane_rq *first = eng->order.first;

	if (eng->leaver && !(first && timeline_request_is_shown_complete(first)))
		return eng->leaver;
	if (first && (is_before_ports(eng, first) || is_left_complete(eng, first)))
		return NULL;
	return first;
}

/* True when rq has the engine after `now`. */
static bool runs_after(const struct lane_eng *eng, const struct lane_rq *now,
		       const struct lane_rq *rq)
{
	if (rq == eng->leaver)
		return timeline_request_is_shown_complete(now);
	if (!rq->order)
		return false;
	return now == eng->leaver ? !timeline_request_is_shown_complete(rq)
				  : now->order < rq->order;
}

/* next has the engine from eng->free on. If it is known to be complete already, it ends, too. */
static void chain_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *next)
{
	struct lane_bounds in = next == eng->leaver ? eng->dequeue.oldest_in : next->handed.in;
	struct lane_bounds at = in, end;
	struct lane_bound complete = timeline_bounds_hi(&next->known);
	struct lane_bound sooner = eng->free.no_sooner;

	timeline_bounds_raise(&at,
			      timeline_bound_of_next(timeline_bounds_lo(&eng->free.at), false));
	timeline_bounds_widen(&at, timeline_bound_of_next(timeline_bounds_hi(&eng->free.at), true));
	if (eng->free.is_paused) /* no event shows the pause's end */
		timeline_bounds_widen(&at, timeline_bound_bare(LANE_NEVER));
	eng->free.is_paused = false;
	if (timeline_world_has_run(&next->now) && !next->left.from) {
		/* next starts again and was never seen to leave: events are missing. */
		timeline_chain_contradiction(tl, eng);
		next->pub.doubt |= LANE_DOUBT_DEVICE;
		if (eng->running) /* the tasklet's run that was held has begun one */
			return;
	}
	timeline_run_begin(tl, eng, next, at);
	if (complete.ns && timeline_request_is_shown_complete(next) &&
	    timeline_engine_no_end_to_come(tl, eng, next)) {
		end = timeline_bounds(timeline_request_not_over_before(next),
				      timeline_by_then(next, complete));
		infer(tl, eng, next, &end);
	}
	/* next was complete before the engine was told to be free: what told that, the end before
	 * next, came late. So next may have ended, and the engine been free, sooner. */
	if (complete.ns && complete.ns < at.lo && !eng->running)
		timeline_bounds_lower(&eng->free.at, sooner);
}

void timeline_chain_update(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *next;

	if (!eng->model->is_known)
		return;
	while (!eng->running && (next = next_to_run(eng)))
		chain_begin(tl, eng, next);
	if (!eng->running && !eng->tasklet.reading && !eng->idle.since_ns &&
	    !timeline_engine_unproven(eng))
		timeline_idle_begin(tl, eng, eng->free.at.hi);
}

void timeline_chain_change_over(struct lane_timeline *tl, struct lane_eng *eng,
				struct lane_bounds at)
{
	struct lane_rq *leaver = eng->leaver, *next;
	uint64_t unless_ns;

	while (eng->running && eng->running != leaver) { /* each turn ends or detaches one */
		struct lane_rq *complete = eng->running;
		struct lane_bound by =
			timeline_bounds_hi(complete->known.hi ? &complete->known : &at);

		if (timeline_ports_await_out(eng, complete)) { /* its `out` tells its end, or is
								* missing */
			timeline_finish_detach(tl, eng, complete);
			continue;
		}
		timeline_chain_infer(tl, eng, complete,
				     timeline_bounds(timeline_request_not_over_before(complete),
						     timeline_by_then(complete, by)));
		if (eng->running == complete)
			break;
	}
	eng->leaver = NULL;
	if (timeline_request_has_ended(leaver) || eng->running != leaver)
		return;
	unless_ns = timeline_pause_unless(eng, leaver);
	if (eng->run.is_unsure) {
		timeline_run_unsure(tl, eng, at);
	} else {
		timeline_run_close(tl, eng, &at, false);
		timeline_run_left(tl, eng, leaver, at);
	}
	next = next_to_run(eng);
	timeline_chain_update(tl, eng);
	if (next && eng->running == next) {
		eng->run.is_reported =
			!timeline_pause_holds(eng, (struct lane_ctx *)next->pub.context);
		timeline_run_nearly_preempted(tl, eng, leaver, at, unless_ns);
	}
}

void timeline_chain_change_over_by(struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_bound by)
{
	const struct lane_rq *first = timeline_engine_first_open(eng);
	struct lane_bound written = timeline_bound_bare(0);

	if (first && first->handed.in.lo < by.ns)
		written = timeline_r19_new_set(first);
	timeline_chain_change_over(tl, eng, timeline_bounds(written, by));
}

void timeline_chain_bring_to_front(struct lane_timeline *tl, struct lane_eng *eng,
				   struct lane_rq *rq, struct lane_bound by)
{
	while (eng->running != rq) { /* each turn ends or detaches one, or there is no leaver */
		struct lane_rq *front = eng->running;

		if (!front || !runs_after(eng, front, rq))
			return;
		if (front == eng->leaver)
			timeline_chain_change_over_by(tl, eng, by);
		else
			timeline_chain_infer(
				tl, eng, front,
				timeline_bounds(timeline_request_not_over_before(front), by));
		if (eng->running == front) { /* front does not give way: the events contradict each
					      * other */
			timeline_finish_detach(tl, eng, front);
			timeline_chain_update(tl, eng);
		}
	}
}

/* ---- what is missing ---- */

void timeline_chain_drop_port(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_entry port = *timeline_ports_entry(eng, 0);
	struct lane_rq *rq = lane_table_get(&tl->requests, port.ctx->pub.id, port.seqno);

	timeline_ports_pop(eng);
	if (rq && rq->release.is_due)
		timeline_tasklet_release_later(tl, rq);
}

/* `before` is of rq's context. If it were incomplete, the driver would have handed it over again
 * before rq. */
static bool was_passed_over(const struct lane_eng *eng, const struct lane_rq *before)
{
	if (!before->is_on_device || before->pub.engine != &eng->pub)
		return false;
	return !before->order && before->handed.back == LANE_BACK_SEEN;
}

void timeline_chain_pass_over(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before, *next;
	bool is_unseen;

	while (ctx->back && !timeline_seqno_upto(rq->pub.seqno, ctx->back->pub.seqno) &&
	       (timeline_request_has_ended(ctx->back) || ctx->back->handed.back != LANE_BACK_SEEN ||
		timeline_request_is_detached(ctx->back)))
		ctx->back = ctx->back->next;
	before = ctx->back;
	if (!ctx->live || (before && timeline_seqno_upto(before->pub.seqno, ctx->live->pub.seqno)))
		before = ctx->live;
	for (; before && !timeline_seqno_upto(rq->pub.seqno, before->pub.seqno); before = next) {
		next = before->next;
		if (!was_passed_over(eng, before))
			continue;
		is_unseen = !timeline_has_started(&before->pub) && !before->now.maybe.hi;
		timeline_chain_infer(
			tl, eng, before,
			timeline_bounds(timeline_request_executed(before), timeline_r25_gone(tl)));
		if (is_unseen) /* nothing shows when it ran */
			before->pub.doubt |= LANE_DOUBT_DEVICE;
	}
}

/* Nothing stands in the order of eng any more, and what has the engine may go on, leave or end
 * unseen. If events are missing from since_ns on (NEVER: none are), its end may have been told
 * then. */
static void forget_order(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			 uint64_t since_ns)
{
	struct lane_rq *rq = eng->running;

	if (rq) {
		struct lane_bounds at = timeline_bounds_exact(timeline_bound_bare(now_ns));

		timeline_world_doubt(rq, timeline_bound_bare(since_ns));
		rq->doubt.is_hidden = true;
		/* rq ended, left or runs on. It is kept as preempted until its end shows. */
		if (eng->run.is_unsure) {
			timeline_run_unsure(tl, eng, at);
		} else {
			timeline_run_close(tl, eng, &at, false);
			timeline_run_left(tl, eng, rq, at);
			rq->pub.preemptions--;
		}
	}
	while ((rq = eng->order.first))
		timeline_order_remove(eng, rq);
	for (rq = eng->unplaced.last; rq && !rq->doubt.is_order_lost; rq = rq->dev_prev) {
		timeline_world_doubt(rq, timeline_bound_bare(since_ns));
		rq->doubt.is_hidden = rq->doubt.is_order_lost = true;
	}
	eng->victim = eng->leaver = eng->dequeue.oldest = NULL;
	if (eng->idle.since_ns)
		timeline_idle_forget(tl, eng);
}

void timeline_chain_take_back_unseen(struct lane_timeline *tl, struct lane_eng *eng,
				     uint64_t now_ns)
{
	/* Also what this dequeue handed over: a later one that takes it back does not show that,
	 * for it has no place any more. */
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next) {
		rq->handed.back = LANE_BACK_MAYBE;
		if (rq->listen.ns >
		    eng->dequeue.before_ns) /* it may have been taken back by then */
			rq->listen.how = LANE_LISTENING_UNSURE;
	}
	forget_order(tl, eng, now_ns, LANE_NEVER);
}

void timeline_chain_lose_order(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	forget_order(tl, eng, now_ns, now_ns);
	while (eng->ports.n)
		timeline_chain_drop_port(tl, eng);
	eng->ports.coming = 0;
	eng->dequeue.is_open = false;
}

void timeline_chain_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  uint64_t until_ns)
{
	if (!eng->model->has_tasklet) {
		eng->model->doubt(tl, eng, until_ns);
		return;
	}
	if (!eng->tasklet.reading)
		timeline_tasklet_cut(tl, eng, now_ns, true);
	timeline_engine_doubt(eng, until_ns);
	timeline_chain_lose_order(tl, eng, now_ns);
}

void timeline_chain_reset(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	/* What an unseen dequeue did may look like a reset. */
	eng->pub.resets += eng->model->has_sets && !timeline_engine_unproven(eng);
	timeline_chain_doubt(tl, eng, now_ns, now_ns);
	eng->proof.lost_epoch = eng->proof.epoch;
}

void timeline_chain_becomes_ported(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (eng->model->has_ports || eng->model->is_firmware)
		return;
	timeline_engine_becomes(tl, eng,
				tl->figures.by_kind[LANE_RQ_GUC_SUBMIT] ? LANE_MODE_GUC
									: LANE_MODE_EXECLISTS);
	if (eng->running)
		timeline_chain_contradiction(tl, eng);
}
