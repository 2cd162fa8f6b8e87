// SPDX-License-Identifier: MIT
// A dequeue of the driver: what it takes back and hands over, and what that shows.
#include "timeline/handover.h"
#include "timeline/chain.h"
#include "timeline/finish.h"
#include "timeline/given.h"
#include "timeline/idle.h"
#include "timeline/losses.h"
#include "timeline/order.h"
#include "timeline/state.h"
#include "timeline/tell.h"
#include "timeline/turn.h"
#include "timeline/waiting.h"
#include "timeline/world.h"

/* A virtual engine's request was taken back and goes to another sibling. */
static void move(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng, uint64_t at_ns)
{
	struct lane_engine *from = rq->pub.engine;

	if (((struct lane_eng *)from)->running == rq) { /* that it left is missing */
		timeline_engine_contradicts(tl, (struct lane_eng *)from);
		timeline_chain_doubt(tl, (struct lane_eng *)from, at_ns, at_ns);
	}
	if (rq->pub.state == LANE_RQ_STATE_DEVICE) {
		timeline_queue_changes(tl, from, LANE_QUEUE_DEVICE, rq, -1, at_ns);
		timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, at_ns);
	}
	timeline_request_unlink(rq);
	timeline_request_link(eng, rq);
}

static void hand_over(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
		      uint64_t at_ns)
{
	if (rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1, at_ns);
	timeline_request_link(eng, rq);
	rq->handed.device_ns = at_ns;
	timeline_request_state(tl, rq, LANE_RQ_STATE_DEVICE, at_ns);
	timeline_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, 1, at_ns);
}

void timeline_engine_gets(struct lane_timeline *tl, struct lane_rq *rq, struct lane_eng *eng,
			  uint64_t at_ns)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before = rq;

	/*
	 * Requests of a context are handed over in order: those before it have been, back to the
	 * last of which that is known.
	 */
	if (ctx->live && (int32_t)(ctx->live->pub.seqno - rq->pub.seqno) < 0)
		while (before != ctx->live && before->prev && !before->prev->is_on_device &&
		       !before->prev->ended)
			before = before->prev;
	for (; before != rq; before = before->next) {
		if (before->is_on_device || before->ended || before->doubt.is_detached)
			continue;
		before->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
		hand_over(tl, before, eng, at_ns);
	}
	if (rq->ended)
		return;
	if (rq->is_on_device) {
		if (rq->pub.engine != &eng->pub)
			move(tl, rq, eng, at_ns);
		return;
	}
	if (!(rq->pub.seen & LANE_SEEN_EXECUTE))
		rq->pub.doubt |= LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE;
	eng->proof.is_from_before |= !timeline_request_is_born(rq);
	hand_over(tl, rq, eng, at_ns);
}

/* Nothing of the dequeue that begins may be missing, nor be another's. */
static bool is_whole(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	return eng->model->has_sets && !eng->dequeue.is_split && !eng->tasklet.is_cut &&
	       !timeline_engine_unproven(eng) && !tl->ports_hide &&
	       !timeline_loss_between(tl, eng->dequeue.before_ns, tl->now_ns);
}

/* R10. The driver looked at rq as the dequeue began, and it was incomplete. */
static void looked_at(struct lane_timeline *tl, const struct lane_eng *eng, struct lane_rq *rq)
{
	timeline_world_looked_at(tl, rq, timeline_not_before(eng->dequeue.since_ns, rq->alive.ns));
}

/*
 * R10. The driver takes something back because the first request on its ports that is incomplete
 * has another one to yield to (need_preempt() and timeslice_expired() of
 * gt/intel_execlists_submission.c, 6.1). If nothing waits, that other one is on the second port: so
 * it is the first port's that was found incomplete. NULL: nothing tells.
 */
static struct lane_rq *ahead_of_all(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	const struct lane_entry *port;

	if (!eng->dequeue.is_whole || !timeline_ports_is_first_of_two(eng, 0) ||
	    !timeline_waiting_yields_to_ports(tl, eng))
		return NULL;
	port = timeline_ports_entry(eng, 0);
	return lane_table_get(&tl->requests, port->ctx->pub.id, port->seqno);
}

/* R20. The driver looks for work only when the hardware has taken the last set. */
static void begin_dequeue(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (eng->dequeue.is_open)
		return;
	if (eng->leaver && eng->tasklet.is_cut && eng->model->has_ports) {
		/* The `out` that marks the change-over may be among what is missing. */
		timeline_finish_doubt(eng->leaver, now_ns);
		timeline_finish_doubt_order(eng, now_ns);
	}
	if (eng->leaver)
		timeline_chain_change_over_by(
			tl, eng, timeline_not_before(now_ns, eng->dequeue.no_sooner_ns));
	eng->dequeue.is_open = true;
	eng->dequeue.no++;
	eng->dequeue.stood = eng->orders;
	eng->dequeue.oldest = NULL;
	eng->dequeue.in_place = NULL;
	eng->dequeue.since_ns = timeline_not_before(
		eng->dequeue.before_ns, now_ns > LANE_LOOK_NS ? now_ns - LANE_LOOK_NS : 0);
	eng->dequeue.is_whole = is_whole(tl, eng);
	eng->dequeue.oldest_order = 0;
	eng->dequeue.census_ns = 0;
	eng->dequeue.pause_ns = 0;
	eng->dequeue.passed = (struct lane_span){ 0, 0 };
	eng->dequeue.has_again = false;
	eng->dequeue.is_mixed = false;
	eng->dequeue.has_written = false;
}

/* rq is taken back; the oldest that is had the engine, or was to have it next. */
void timeline_handover_take_back(struct lane_eng *eng, struct lane_rq *rq)
{
	if (!eng->dequeue.oldest || rq->order < eng->dequeue.oldest_order) {
		eng->dequeue.oldest = rq;
		eng->dequeue.oldest_order = rq->order;
		eng->dequeue.oldest_in = rq->handed.in;
	}
}

/* The driver pauses the ring, straight before it takes the first request back at at_ns. */
static void pause(struct lane_timeline *tl, struct lane_eng *eng, uint64_t at_ns)
{
	struct lane_rq *ahead = ahead_of_all(tl, eng);

	eng->dequeue.pause_ns = timeline_not_before(
		eng->dequeue.before_ns, at_ns > LANE_PAUSE_NS ? at_ns - LANE_PAUSE_NS : 1);
	if (ahead)
		looked_at(tl, eng, ahead);
}

void timeline_engine_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			      const struct lane_event *event)
{
	if (!eng->model->has_tasklet)
		return;
	begin_dequeue(tl, eng, event->wire.ts_ns);
	eng->dequeue.census_ns = 0;
	if (!eng->dequeue.pause_ns)
		pause(tl, eng, event->wire.ts_ns);
	if (!rq->is_on_device) /* handed over before the recording, or in a loss */
		timeline_engine_gets(tl, rq, eng, event->wire.ts_ns);
	if (rq->is_on_device && rq->pub.engine == &eng->pub) {
		rq->handed.back_no = eng->dequeue.no;
		eng->dequeue.oldest = NULL; /* the newest come first */
		timeline_handover_take_back(eng, rq);
		timeline_engine_put_away(eng, rq);
	}
	timeline_waiting_add(eng, rq);
}

/* How the events of an engine are read, as far as its first `execute` tells. */
static void find_mode(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!eng->model->is_known && !tl->has_in)
		timeline_engine_becomes(tl, eng,
					timeline_engine_sees_unsubmit(tl) ? LANE_MODE_HOOKS
									  : LANE_MODE_RING);
	if (!eng->model->is_known && tl->figures.by_kind[LANE_RQ_GUC_SUBMIT])
		timeline_engine_becomes(tl, eng, LANE_MODE_GUC);
}

/* rq gets its place behind all that has been handed over. */
static void place(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  uint64_t now_ns)
{
	if (!eng->dequeue.census_ns) {
		eng->dequeue.census_ns = now_ns;
		eng->dequeue.first_ctx = rq->pub.context->ctx;
	}
	if (rq->pub.context->ctx == eng->dequeue.first_ctx)
		eng->dequeue.first_seqno = rq->pub.seqno;
	if (!rq->order && rq->handed.back_no != eng->dequeue.no)
		rq->handed.ns = now_ns;
	rq->handed.no = eng->dequeue.no;
	if (rq->order) {
		eng->dequeue.has_again = true;
		timeline_handover_take_back(eng, rq);
	} else if (eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) &&
		   !timeline_request_is_born(rq)) {
		eng->dequeue.is_misplaced = true; /* it may have stood before the recording */
	}
	timeline_engine_stand(eng, rq);
	rq->handed.is_on_port = false;
	if (!eng->model->has_ports)
		rq->handed.in =
			(struct lane_span){ now_ns, eng->model->is_hooked ? LANE_NEVER : now_ns };
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
		timeline_waiting_handed_over(rq);
		if (rq->is_on_device)
			eng->model->hand_over(tl, eng, rq, now_ns);
		return;
	}
	begin_dequeue(tl, eng, now_ns);
	timeline_waiting_handed_over(rq);
	if (rq->is_on_device)
		place(tl, eng, rq, now_ns);
}

/* Two dequeues are held as one: rq may have been handed over in the first, which left it on its
 * port and wrote none. */
static bool may_be_on_port(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return eng->dequeue.is_split && rq->handed.in.lo &&
	       rq->pub.context->ctx == eng->dequeue.first_ctx;
}

/* An `in` of rq puts all that is handed over of its context, up to it, on the port. */
static void put_on_port(struct lane_eng *eng, struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_rq *first = rq;

	while (first->prev && !first->prev->ended && !first->prev->handed.is_on_port &&
	       first->prev->is_on_device && first->prev->pub.engine == &eng->pub)
		first = first->prev;
	for (;; first = first->next) {
		if (!first->ended && first->is_on_device && !first->handed.is_on_port) {
			if (!first->order) { /* its execute was not seen: nor was its place */
				timeline_engine_stand(eng, first);
				eng->dequeue.is_misplaced = true;
			}
			first->handed.in.hi = now_ns;
			if (!may_be_on_port(eng, first))
				first->handed.in.lo = now_ns;
			first->handed.is_on_port = true;
		}
		if (first == rq)
			return;
	}
}

/* A port is given; its `out` is to come. No hardware has that many: their `out`s are missing, or
 * not recorded at all. */
void timeline_handover_give(struct lane_timeline *tl, struct lane_eng *eng, struct lane_entry entry)
{
	if (timeline_ports_are_full(eng) && timeline_is_absent(tl, LANE_RQ_OUT))
		timeline_chain_drop_port(tl, eng);
	else if (timeline_ports_are_full(eng))
		timeline_chain_contradiction(tl, eng); /* it forgets them all */
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
	if (eng->dequeue.is_whole && rq->order && rq->order <= eng->dequeue.stood)
		looked_at(tl, eng, rq); /* it stays on its port: it is the first incomplete one */
	put_on_port(eng, rq, event->wire.ts_ns);
	eng->model->put_on_port(tl, eng, &entry, event->u.i915_request_in.port);
}

/*
 * R8. All that was incomplete has been taken back: what stands still is complete. A signal or an
 * `out` that is to come tells when.
 */
static void take_census(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *next;

	for (struct lane_rq *rq = eng->order.first; rq && rq->order <= eng->dequeue.stood;
	     rq = next) {
		next = rq->dev_next;
		rq->known = (struct lane_span){ rq->pub.execute_ns, now_ns };
		/* Behind one that is not: it ended before it left the engine last, or as it had it
		 * with no time to run in. */
		if (rq->order > eng->dequeue.oldest_order &&
		    (rq->pub.state == LANE_RQ_STATE_PREEMPTED || rq->now.maybe.hi)) {
			uint64_t by_ns =
				rq->over.how == LANE_OVER_PASSED && timeline_request_may_be_over(rq)
					? rq->over.world.end.hi
					: 0;

			if (timeline_request_since(rq).hi == LANE_NEVER)
				by_ns = now_ns;
			timeline_engine_put_away(eng, rq);
			if (timeline_engine_is_silent(tl, eng, rq))
				timeline_chain_infer(
					tl, eng, rq,
					(struct lane_span){ rq->pub.execute_ns,
							    timeline_by_then(rq, by_ns) });
		}
	}
	eng->unwound = eng->dequeue.stood;
}

/* What runs is complete, as has been seen, and nothing of its own will tell. */
static void end_unheard(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *rq;

	while ((rq = eng->running) && timeline_engine_is_unheard(eng, rq) &&
	       timeline_engine_is_silent(tl, eng, rq)) {
		timeline_chain_infer(tl, eng, rq,
				     (struct lane_span){ timeline_request_began(rq),
							 timeline_by_then(rq, now_ns) });
		if (eng->running == rq)
			return;
	}
}

/*
 * What leaves has the engine by an `out` that is held behind this dequeue. If the same run fired
 * it, what it tells of came before the dequeue; if the run that gives the leaver's port back did,
 * the hardware may have gone from the one before it straight to the new set. Only what is on the
 * ports at a run's end, or what was taken back, tells one from the other.
 */
static bool may_be_passed_over(const struct lane_timeline *tl, const struct lane_eng *eng,
			       const struct lane_rq *leaver)
{
	return eng->model->has_sets && !timeline_engine_sees_unsubmit(tl) &&
	       tl->info.presence[LANE_PORTS] != LANE_PRESENCE_RECORDED &&
	       leaver->now.since.hi > tl->now_ns && leaver->now.since.hi != LANE_NEVER;
}

/* The oldest that was taken back goes on, in its place or as the one that leaves; or it cannot be.
 */
static void find_leaver(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_rq *first = eng->order.first, *oldest = eng->dequeue.oldest;

	while (first && timeline_engine_is_unheard(eng, first))
		first = first->dev_next;
	if (eng->model->is_idled)
		oldest = NULL; /* up to 5.3 the engine is idle when requests are taken back */
	if (oldest && !oldest->ended && oldest != first) {
		eng->leaver = oldest;
		eng->front.is_unsure =
			eng->running == oldest && !timeline_turn_had_begun(eng, oldest);
		oldest->doubt.is_device_unsure |=
			eng->running == oldest && may_be_passed_over(tl, eng, oldest);
	} else if (oldest && oldest == first) {
		eng->dequeue.in_place = oldest;
		oldest->handed.in = eng->dequeue.oldest_in; /* it is on the hardware already */
	}
	end_unheard(tl, eng, now_ns);
	if (eng->running && eng->running != oldest &&
	    !timeline_engine_is_unheard(eng, eng->running))
		timeline_chain_contradiction(tl, eng);
}

/*
 * What else this dequeue did may be missing: when what it has handed over runs, and who has the
 * engine until then, is for that to say. The engine is not certainly idle from then on.
 */
static void doubt_handed_over(struct lane_timeline *tl, struct lane_eng *eng)
{
	uint64_t since_ns = LANE_NEVER;

	for (struct lane_rq *rq = eng->order.last; rq && rq->order > eng->dequeue.stood;
	     rq = rq->dev_prev) {
		since_ns = rq->handed.execute_ns;
		if (!rq->pub.started)
			timeline_finish_doubt(rq, rq->pub.execute_ns);
		else if (eng->dequeue.oldest)
			timeline_finish_doubt(rq, rq->alive.ns);
		rq->doubt.is_hit |= eng->dequeue.oldest != NULL;
	}
	if (since_ns != LANE_NEVER)
		timeline_idle_end(tl, eng, NULL, since_ns, timeline_engine_unproven(eng));
}

/* Who was complete by the dequeue, and who has the engine until the hardware takes the new set. */
static void conclude_dequeue(struct lane_timeline *tl, struct lane_eng *eng)
{
	uint64_t census_ns = eng->dequeue.census_ns ? eng->dequeue.census_ns : tl->now_ns;
	bool sees_unsubmit = timeline_engine_sees_unsubmit(tl);

	if (eng->model->guess_taken_back && !sees_unsubmit)
		eng->model->guess_taken_back(eng, census_ns);
	if (sees_unsubmit && (eng->dequeue.oldest || eng->dequeue.pause_ns))
		take_census(tl, eng, census_ns);
	if (eng->dequeue.oldest)
		find_leaver(tl, eng, census_ns);
	else
		end_unheard(tl, eng, census_ns);
	eng->dequeue.oldest = NULL;
}

void timeline_engine_dequeued(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	if (!eng->dequeue.is_open)
		return;
	eng->dequeue.is_open = false;
	if (eng->tasklet.is_cut) {
		doubt_handed_over(tl, eng);
		return;
	}
	if (eng->model->dequeued)
		eng->model->dequeued(eng, now_ns);
	if (eng->dequeue.is_misplaced)
		timeline_finish_doubt_order(eng, 0);
	eng->dequeue.is_misplaced = false;
	conclude_dequeue(tl, eng);
	if (!eng->running)
		timeline_chain_update(tl, eng);
}
