// SPDX-License-Identifier: MIT
// A dequeue of the driver: what it takes back and hands over, and what that shows.
#include "timeline/i915/handover.h"
#include "timeline/i915/chain.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/pause.h"
#include "timeline/i915/ports.h"
#include "timeline/sched/idle.h"
#include "timeline/losses.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"
#include "timeline/tell.h"
#include "timeline/i915/run.h"
#include "timeline/i915/world.h"

/* So many were handed over behind one that has not ended: more than any ring of i915 holds. */
#define MAX_PLACED 4096

/* A virtual engine's request was taken back, and is handed over to another engine of its class. */
static void move(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng, uint64_t at_ns)
{
	struct lane_engine *from = rq->pub.engine;

	if (((struct lane_eng *)from)->running == rq) { /* the event that it left is missing */
		timeline_engine_contradicts(tl, (struct lane_eng *)from);
		timeline_chain_doubt(tl, (struct lane_eng *)from, at_ns, at_ns);
	}
	if (rq->pub.state == LANE_RQ_STATE_DEVICE) {
		timeline_queue_changes(tl, from, LANE_QUEUE_DEVICE, rq, -1, at_ns);
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, at_ns);
	}
	rq->nearly.unless_ns = 0; /* it was of the other engine */
	timeline_request_unlink(rq);
	timeline_request_link(eng, rq);
}

static void link_to_engine(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			   uint64_t at_ns)
{
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_leave(tl, rq, at_ns);
	timeline_request_link(eng, rq);
	timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, at_ns);
	timeline_queue_enter(tl, rq, at_ns);
}

void timeline_engine_gets(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			  uint64_t at_ns)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before = rq;

	/* A context's requests are handed over in order. So the earlier ones have been, too, back
	 * to the last that is known to have been. */
	if (ctx->live && (int32_t)(ctx->live->pub.seqno - rq->pub.seqno) < 0)
		while (before != ctx->live && before->prev && !before->prev->is_on_device &&
		       !timeline_request_has_ended(before->prev))
			before = before->prev;
	for (; before != rq; before = before->next) {
		if (before->is_on_device || timeline_request_has_ended(before) ||
		    timeline_request_is_detached(before))
			continue;
		before->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
		link_to_engine(tl, before, eng, at_ns);
	}
	if (timeline_request_has_ended(rq))
		return;
	if (rq->is_on_device) {
		if (rq->pub.engine != &eng->pub)
			move(tl, rq, eng, at_ns);
		return;
	}
	if (!(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
	eng->proof.is_from_before |= !timeline_request_is_born(rq);
	link_to_engine(tl, rq, eng, at_ns);
}

/* R20. A dequeue begins: the hardware has taken the last set. */
static void begin_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (eng->dequeue.is_open)
		return;
	if (eng->leaver && eng->tasklet.is_cut && eng->model->has_ports) {
		/* The `out` that marks the changeover may be missing. */
		timeline_world_doubt(eng->leaver, timeline_bound_bare(now_ns));
		timeline_finish_doubt_order(eng, now_ns);
	}
	if (eng->leaver)
		timeline_chain_change_over_by(
			tl, eng,
			timeline_bound_later(timeline_r20_dequeued(tl, now_ns),
					     eng->dequeue.no_sooner));
	eng->dequeue.is_open = true;
	eng->dequeue.no++;
	eng->dequeue.stood = eng->orders;
	eng->dequeue.oldest = NULL;
	eng->dequeue.oldest_order = 0;
	eng->dequeue.complete_by.ns = 0;
	eng->dequeue.pause_ns = 0;
	eng->dequeue.has_again = false;
	eng->dequeue.is_mixed = false;
	eng->dequeue.has_written = false;
}

/* rq is taken back. The oldest that is taken back had the engine, or was to have it next. */
static void note_oldest(struct lane_eng *eng, struct lane_rq *rq)
{
	if (!eng->dequeue.oldest || rq->order < eng->dequeue.oldest_order) {
		eng->dequeue.oldest = rq;
		eng->dequeue.oldest_order = rq->order;
		eng->dequeue.oldest_in = rq->handed.in;
	}
}

void timeline_engine_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			      const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;

	if (!eng->model->has_tasklet)
		return;
	begin_dequeue(tl, eng, now_ns);
	eng->dequeue.complete_by.ns = 0;
	if (!eng->dequeue.pause_ns)
		timeline_pause_begin(eng, now_ns);
	if (!rq->is_on_device) /* handed over before the recording, or in a loss */
		timeline_engine_gets(tl, rq, eng, now_ns);
	if (rq->is_on_device && rq->pub.engine == &eng->pub) {
		eng->dequeue.oldest = NULL; /* the newest are taken back first */
		note_oldest(eng, rq);
		timeline_order_remove(eng, rq);
	}
}

/* Finds the model of an engine, as far as its first `execute` tells. */
static void find_mode(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!eng->model->is_known && !tl->has_in)
		timeline_engine_becomes(tl, eng,
					timeline_engine_sees_unsubmit(tl) ? LANE_MODE_HOOKS
									  : LANE_MODE_RING);
	if (!eng->model->is_known && tl->figures.by_kind[LANE_RQ_GUC_SUBMIT])
		timeline_engine_becomes(tl, eng, LANE_MODE_GUC);
}

/* rq gets the last place in the order. */
static void handover_place(const struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_bound handed = timeline_r15_handed(timeline_now(tl));

	if (!eng->dequeue.complete_by.ns) {
		eng->dequeue.complete_by = timeline_r08_census(handed);
		eng->dequeue.first_ctx = rq->pub.context->ctx;
	}
	if (rq->pub.context->ctx == eng->dequeue.first_ctx)
		eng->dequeue.first_seqno = rq->pub.seqno;
	rq->handed.no = eng->dequeue.no;
	/* Where `unsubmit` is not recorded it may have had a place before the recording, too. */
	eng->dequeue.has_again |= rq->order || !timeline_request_is_born(rq);
	if (rq->order)
		note_oldest(eng, rq);
	timeline_order_append(eng, rq);
	rq->handed.is_on_port = false;
	if (!eng->model->has_ports)
		rq->handed.in = timeline_bounds(
			handed, eng->model->is_hooked ? timeline_bound_bare(LANE_NEVER) : handed);
}

void timeline_engine_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			     const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;

	find_mode(tl, eng);
	if (rq->is_on_device && rq->pub.engine != &eng->pub &&
	    rq->pub.state == LANE_RQ_STATE_RUNNING)
		timeline_chain_contradiction(tl, (struct lane_eng *)rq->pub.engine);
	timeline_engine_gets(tl, rq, eng, now_ns);
	if (!eng->model->has_tasklet) {
		if (rq->is_on_device)
			eng->model->hand_over(tl, eng, rq);
		return;
	}
	begin_dequeue(tl, eng, now_ns);
	if (rq->is_on_device)
		handover_place(tl, eng, rq);
}

/* Two dequeues are held as one. The first may have handed rq over, left it on its port and written
 * no ports. */
static bool may_be_on_port(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->dequeue.is_split && rq->handed.in.lo &&
	       rq->pub.context->ctx == eng->dequeue.first_ctx;
}

/* An `in` of rq puts the requests of its context that are handed over, up to rq, on the port. */
static void note_on_port(struct lane_eng *eng, struct lane_rq *rq, struct lane_bound written)
{
	struct lane_rq *first = rq;

	while (first->prev && !timeline_request_has_ended(first->prev) &&
	       !first->prev->handed.is_on_port && first->prev->is_on_device &&
	       first->prev->pub.engine == &eng->pub)
		first = first->prev;
	for (;; first = first->next) {
		if (!timeline_request_has_ended(first) && first->is_on_device &&
		    !first->handed.is_on_port) {
			if (!first->order) { /* its execute was not seen, so its place is not
					      * known */
				timeline_order_append(eng, first);
				eng->dequeue.is_misplaced = true;
			}
			timeline_bounds_set_hi(&first->handed.in, written);
			if (!may_be_on_port(eng, first))
				timeline_bounds_set_lo(&first->handed.in, written);
			first->handed.is_on_port = true;
		}
		if (first == rq)
			return;
	}
}

/* No hardware has more ports than the FIFO: their `out`s are missing, or not recorded at all. */
void timeline_handover_give(struct lane_timeline *tl, struct lane_eng *eng, struct lane_entry entry)
{
	if (timeline_ports_are_full(eng) && timeline_is_absent(tl, LANE_RQ_OUT))
		timeline_chain_drop_port(tl, eng);
	else if (timeline_ports_are_full(eng))
		timeline_chain_contradiction(tl, eng); /* that drops all ports */
	timeline_ports_push(eng, entry);
}

void timeline_engine_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			const struct lane_event *event)
{
	struct lane_entry entry = { .ctx = (struct lane_ctx *)rq->pub.context,
				    .seqno = rq->pub.seqno,
				    .is_fresh = timeline_engine_is_fresh(eng, rq),
				    .is_again = rq->pub.executes > 1 ||
						rq->handed.no != eng->dequeue.no };

	timeline_chain_becomes_ported(tl, eng);
	timeline_engine_gets(tl, rq, eng, event->wire.ts_ns);
	if (!eng->model->has_tasklet)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	note_on_port(eng, rq, timeline_r14_written(tl));
	eng->model->put_on_port(tl, eng, &entry, event->u.i915_request_in.port);
}

/* R8. All incomplete requests were taken back, so what still stands of before is complete. A signal
 * or an `out` that is to come tells when it ended. */
static void conclude_complete(struct lane_timeline *tl, struct lane_eng *eng,
			      struct lane_bound complete_by)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = next) {
		next = rq->dev_next;
		rq->known = timeline_bounds(timeline_request_executed(rq), complete_by);
		/* rq stands behind an incomplete one. So rq ended before it left the engine last,
		 * or in a run that it may not have had: by the end of that one, whatever R8 says.
		 */
		if (rq->order > eng->dequeue.oldest_order &&
		    (rq->pub.state == LANE_RQ_STATE_PREEMPTED || rq->now.maybe.hi)) {
			struct lane_bound by = rq->complete.how == LANE_COMPLETE_MAYBE_RUN
						       ? timeline_bounds_hi(&rq->complete.end)
						       : timeline_bound_bare(0);

			if (timeline_request_since(rq)->hi == LANE_NEVER)
				by = complete_by;
			timeline_order_remove(eng, rq);
			if (timeline_engine_no_end_to_come(tl, eng, rq))
				timeline_chain_infer(tl, eng, rq,
						     timeline_bounds(timeline_request_executed(rq),
								     timeline_by_then(rq, by)));
		}
	}
}

/* What runs is known to be complete, and no event of its own will tell its end: it ends. */
static void end_complete(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *rq;

	while ((rq = eng->running) && timeline_request_is_shown_complete(rq) &&
	       timeline_engine_no_end_to_come(tl, eng, rq)) {
		timeline_chain_infer(
			tl, eng, rq,
			timeline_bounds(timeline_request_not_over_before(rq),
					timeline_by_then(rq, timeline_bounds_hi(&rq->known))));
		if (eng->running == rq)
			return;
	}
}

/* Finds what became of the oldest request that was taken back: it goes on in place, or is to leave.
 * If neither is possible, the events contradict each other. */
static void find_leaver(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *first = timeline_engine_first_open(eng), *oldest = eng->dequeue.oldest;

	if (oldest && !timeline_request_has_ended(oldest) && oldest != first) {
		eng->leaver = oldest;
		eng->run.is_unsure =
			eng->running == oldest && !timeline_pause_had_begun(eng, oldest);
	} else if (oldest && oldest == first) { /* the hardware has it already */
		oldest->handed.in = eng->dequeue.oldest_in;
	}
	end_complete(tl, eng);
	if (eng->running && eng->running != oldest &&
	    !timeline_request_is_shown_complete(eng->running))
		timeline_chain_contradiction(tl, eng);
}

/*
 * Events of this dequeue may be missing. So it is not known when the requests that it handed over
 * run, nor who has the engine until then: only their own events tell. The engine is not certainly
 * idle from then on.
 */
static void doubt_handed_over(struct lane_timeline *tl, struct lane_eng *eng)
{
	uint64_t since_ns = LANE_NEVER;

	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev) {
		since_ns = rq->handed.execute_ns;
		if (!timeline_has_started(&rq->pub))
			timeline_world_doubt(rq, timeline_request_executed(rq));
		else
			timeline_world_doubt(rq, rq->alive);
		rq->doubt.is_hidden |= eng->dequeue.oldest != NULL;
	}
	if (since_ns != LANE_NEVER)
		timeline_idle_end(tl, eng, NULL, since_ns, timeline_engine_unproven(eng));
}

/* Where `unsubmit` is not recorded: the dequeue handed over again what stood, or wrote ports
 * without some of it. So it took something back. */
static bool took_back_unseen(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	if (!eng->model->has_sets || timeline_engine_sees_unsubmit(tl))
		return false;
	if (eng->dequeue.has_again || !eng->dequeue.has_written)
		return eng->dequeue.has_again;
	for (const struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = rq->dev_next)
		if (!timeline_ports_cover(eng, rq))
			return true;
	return false;
}

/* Concludes which requests were complete by the dequeue, and who has the engine until the
 * changeover. */
static void conclude_dequeue(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (took_back_unseen(tl, eng)) {
		uint64_t at_ns =
			eng->dequeue.complete_by.ns ? eng->dequeue.complete_by.ns : tl->now.ns;

		timeline_engine_doubt(eng, at_ns); /* it may have some of that still */
		if (eng->running && eng->running->now.since.hi > eng->dequeue.before_ns)
			eng->run.is_unsure = true; /* what began behind the pause did not begin */
		timeline_chain_take_back_unseen(tl, eng, at_ns);
		return;
	}
	if (eng->dequeue.oldest || eng->dequeue.pause_ns)
		conclude_complete(tl, eng, eng->dequeue.complete_by);
	if (eng->dequeue.oldest)
		find_leaver(tl, eng);
	else
		end_complete(tl, eng);
	eng->dequeue.oldest = NULL;
}

void timeline_engine_dequeued(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bound now)
{
	if (!eng->dequeue.is_open)
		return;
	eng->dequeue.is_open = false;
	if (eng->tasklet.is_cut) {
		doubt_handed_over(tl, eng);
		/* At the recording's end a dequeue that is over has been told from one that is not
		 * (timeline_tasklet_was_over()). */
		if (!tl->is_finishing)
			timeline_chain_lose_order(tl, eng, tl->now.ns);
		return;
	}
	if (eng->order.first && eng->orders - eng->order.first->order > MAX_PLACED) {
		timeline_chain_doubt(tl, eng, tl->now.ns, tl->now.ns);
		return;
	}
	if (eng->dequeue.pause_ns && !eng->dequeue.complete_by.ns) {
		timeline_chain_reset(tl, eng, tl->now.ns);
		return;
	}
	if (eng->model->dequeued)
		eng->model->dequeued(tl, eng, now);
	if (eng->dequeue.is_misplaced)
		timeline_finish_doubt_order(eng, 0);
	eng->dequeue.is_misplaced = false;
	conclude_dequeue(tl, eng);
	if (!eng->running)
		timeline_chain_update(tl, eng);
}
