// SPDX-License-Identifier: MIT
/*
 * Ring submission, and i915's mock engine: one ring, which runs requests in the order in which they
 * were handed over. A request begins as the one before it ends, if it was handed over by then: both
 * times are one boundary. So a complete request shows that all before it are complete, also across
 * a loss.
 */
#include "timeline/i915/boundary.h"
#include "timeline/i915/chain.h"
#include "timeline/i915/ending.h"
#include "timeline/i915/finish.h"
#include "timeline/sched/idle.h"
#include "timeline/i915/order.h"
#include "timeline/tell.h"
#include "timeline/i915/world.h"
#include "timeline/i915/rules.h"

/* Unseen requests may stand before rq. So no request that was handed over before rq tells when rq
 * began. */
static bool is_behind_gap(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return !rq->handed.no || rq->handed.no != eng->proof.proven_epoch;
}

/* rq, the first of the order, has the engine since the engine was free and rq was handed over. */
static void model_ring_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_bounds in = rq->handed.in, free = eng->free.at, at = in;
	bool is_sure = !is_behind_gap(eng, rq);

	timeline_bounds_raise(&at, timeline_bound_of_next(timeline_bounds_lo(&free), false));
	timeline_bounds_widen(&at, is_sure ? timeline_bound_of_next(timeline_bounds_hi(&free), true)
					   : timeline_bound_bare(LANE_NEVER));

	eng->run.follows = is_sure && in.hi <= free.lo;
	timeline_idle_end(tl, eng, rq, at.lo, !is_sure);
	timeline_world_begin(
		rq, at,
		timeline_bound_later(timeline_bounds_lo(&in),
				     timeline_bound_of_next(eng->free.no_sooner, false)));
	timeline_world_publish(rq, &at);
	if (is_sure && rq->pub.execute_ns < free.lo && eng->last_ctx) {
		rq->pub.behind = &eng->last_ctx->pub;
		rq->pub.behind_client = eng->last_client;
	}
	timeline_queue_leave(tl, rq, at.lo);
	eng->running = rq;
	timeline_request_state(tl, rq, LANE_RQ_STATE_RUNNING, at.lo);
}

/* Concludes the boundary behind rq, the first of the order: rq ended, and the engine is free. */
static void model_ring_conclude(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_end_told ending = timeline_boundary_conclude(tl, rq, timeline_bound_bare(0));
	struct lane_bounds end = ending.end;

	timeline_world_fit(rq, &end);
	timeline_bounds_widen(&end, timeline_bounds_lo(&end));
	timeline_world_end(rq, end, LANE_WORLD_NOW);
	timeline_boundary_tell_run(tl, eng, rq, rq->now.since, end, eng->run.follows);
	eng->running = NULL;
	eng->last_ctx = (struct lane_ctx *)rq->pub.context;
	eng->last_client = rq->pub.client;
	eng->free.at = end;
	eng->free.no_sooner = ending.no_sooner;
	eng->proof.proven_epoch = eng->proof.fresh_epoch = (uint32_t)rq->handed.no;
	timeline_chain_end_before_later(tl, rq, timeline_bounds_hi(&end));
	timeline_boundary_finish(tl, rq, end);
}

/* The first of the order gets the engine. Requests whose end is known and settled are concluded in
 * order; up to the order's number `upto` an end need not be settled. */
static void model_ring_go_on(struct lane_timeline *tl, struct lane_eng *eng, uint64_t upto)
{
	struct lane_rq *rq;
	bool was_free = false;

	while ((rq = eng->order.first)) {
		if (!eng->running)
			model_ring_begin(tl, eng, rq);
		if (eng->running != rq || !timeline_boundary_is_known(rq) ||
		    (rq->order > upto && !timeline_boundary_is_settled(tl, rq)))
			break;
		model_ring_conclude(tl, eng, rq);
		was_free = true;
	}
	if (was_free && !eng->running && !timeline_engine_unproven(eng))
		timeline_idle_begin(tl, eng, eng->free.at.hi);
	timeline_chain_end_due(tl);
}

/* rq stands last: notes whether a loss lies before it. handed.no is the epoch of its place; 0: a
 * loss may hide requests right before it. */
static void note_gap(const struct lane_eng *eng, struct lane_rq *rq)
{
	rq->handed.no = rq->pub.execute_ns >= eng->proof.doubt_until_ns ? eng->proof.epoch : 0;
}

static void adopt(struct lane_timeline *tl, struct lane_eng *eng)
{
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next)
		note_gap(eng, rq);
	model_ring_go_on(tl, eng, 0);
}

static void model_ring_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	if (rq->order)
		return;
	timeline_order_append(eng, rq);
	rq->handed.in = timeline_bounds_exact(timeline_r15_handed(timeline_now(tl)));
	note_gap(eng, rq);
	model_ring_go_on(tl, eng, 0);
}

static void model_ring_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   struct lane_bounds end)
{
	if (!rq->order) { /* its place is not known any more */
		end = timeline_ending_conclude(tl, rq, &end).end;
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		timeline_chain_end_before(tl, rq, timeline_bounds_hi(&end), 0);
		timeline_finish_request(tl, rq, &end);
		return;
	}
	timeline_boundary_note_known(rq, end);
	/* R7. Where one end is known, those before it are, too. */
	for (struct lane_rq *before = rq->dev_prev; before && !timeline_boundary_is_known(before);
	     before = before->dev_prev)
		timeline_boundary_note_known(
			before, timeline_bounds(timeline_request_not_over_before(before),
						timeline_r07_behind(timeline_bounds_hi(&end))));
	model_ring_go_on(tl, eng, 0);
}

static void model_ring_settle(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	model_ring_go_on(tl, eng, rq ? rq->order : UINT64_MAX);
}

/* The order stays as it is: unseen requests may only stand behind it. */
static void model_ring_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t until_ns)
{
	model_ring_settle(tl, eng, NULL);
	timeline_engine_doubt(eng, until_ns);
	for (struct lane_rq *rq = eng->order.last; rq && !rq->doubt.is_order_lost;
	     rq = rq->dev_prev)
		rq->doubt.is_hidden = rq->doubt.is_order_lost = true;
	timeline_idle_forget(tl, eng);
}

const struct lane_model lane_model_ring = {
	.is_one_ring = true,
	.is_handed_over_once = true,
	.adopt = adopt,
	.is_known = true,
	.hand_over = model_ring_execute,
	.end = model_ring_end,
	.settle = model_ring_settle,
	.doubt = model_ring_doubt,
};
