// SPDX-License-Identifier: MIT
// The end of a request, and a request whose engine goes on without it.
#include "timeline/i915/finish.h"
#include "timeline/i915/order.h"
#include "timeline/i915/rules.h"
#include "timeline/tell.h"
#include "timeline/i915/run.h"
#include "timeline/i915/world.h"

/* Moves ctx->live to the first request that has not ended and is not detached. */
static void find_live(struct lane_ctx *ctx)
{
	while (ctx->live &&
	       (timeline_request_has_ended(ctx->live) || timeline_request_is_detached(ctx->live)))
		ctx->live = ctx->live->next;
}

/* rq has ended: notes which requests of its context are complete. */
static void note_over(struct lane_ctx *ctx, const struct lane_rq *rq)
{
	if (ctx->live == rq)
		ctx->prev_end = (struct lane_bound){ rq->pub.end.lo, rq->pub.end_why.lo };
	if (!ctx->has_complete || (int32_t)(rq->pub.seqno - ctx->complete_seqno) > 0)
		ctx->complete_seqno = rq->pub.seqno;
	if (!ctx->has_complete || rq->pub.end.hi > ctx->complete_ns)
		ctx->complete_ns = rq->pub.end.hi;
	ctx->has_complete = true;
	find_live(ctx);
}

void timeline_finish_request(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_bounds *end)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->is_on_device || rq->pub.state == LANE_RQ_STATE_HOST)
		timeline_queue_leave(tl, rq, end->lo);
	timeline_request_unlink(rq);
	timeline_request_set_end(rq, end);
	timeline_request_state(tl, rq, LANE_RQ_STATE_ENDED, end->hi);
	if (eng && timeline_engine_unproven(eng))
		timeline_engine_prove(eng, false);
	note_over(ctx, rq);
}

void timeline_finish_doubt_order(struct lane_eng *eng, uint64_t at_ns)
{
	for (struct lane_rq *rq = eng->order.first; rq; rq = rq->dev_next) {
		timeline_world_doubt(rq, timeline_bound_later(timeline_request_executed(rq),
							      timeline_bound_bare(at_ns)));
		rq->doubt.is_hidden = true;
	}
}

void timeline_finish_doubt_unplaced(struct lane_eng *eng)
{
	for (struct lane_rq *rq = eng->unplaced.last; rq && !rq->doubt.is_contradicted;
	     rq = rq->dev_prev) {
		timeline_world_doubt(rq, rq->alive);
		rq->doubt.is_contradicted = true;
	}
}

void timeline_finish_detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_bounds at = timeline_bounds_exact(timeline_bound_bare(tl->now.ns));

	if (eng->running == rq)
		timeline_run_close(tl, eng, &at, false);
	timeline_queue_leave(tl, rq, at.lo);
	timeline_world_doubt(rq, rq->alive);
	timeline_request_unlink(rq);
	timeline_engine_doubt(eng, tl->now.ns); /* rq may have the engine still */
	find_live(ctx);
}
