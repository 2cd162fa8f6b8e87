// SPDX-License-Identifier: MIT
/*
 * Submission by the GuC. A context's requests run in their order. No event tells when the firmware
 * runs which context. So a request begins at some time between the boundary before it in its
 * context, or its own handing over, and its end.
 */
#include "timeline/i915/boundary.h"
#include "timeline/i915/chain.h"
#include "timeline/sched/idle.h"
#include "timeline/i915/rules.h"

static void model_guc_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	if (rq->is_on_device && eng->idle.since_ns)
		timeline_idle_end(tl, eng, rq, tl->now.ns, timeline_engine_unproven(eng));
}

/* Concludes rq, the oldest open request of its context, whose end is known. */
static void model_guc_conclude(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_bound since =
		timeline_bound_later(timeline_r15_handed(timeline_request_executed(rq)),
				     timeline_bound_of_next(ctx->prev_end, false));
	struct lane_bounds end = timeline_boundary_conclude(tl, rq, since).end;
	struct lane_bound by = timeline_bounds_hi(&end);
	struct lane_bounds start = timeline_bounds(timeline_bound_sooner(since, by), by);

	timeline_request_set_start(rq, &start);
	rq->pub.running = (struct lane_span){ 0, end.hi - start.lo };
	rq->pub.preempted = rq->pub.running;
	timeline_boundary_tell_run(tl, eng, rq, start, end, false);
	timeline_boundary_finish(tl, rq, end);
	if (!eng->unplaced.first && !eng->idle.since_ns)
		timeline_idle_begin(tl, eng, end.hi);
}

/* Concludes the requests of a context in their order, as far as their ends are known and settled.
 * Up to `upto` (NULL: none) an end need not be settled. */
static void model_guc_go_on(struct lane_timeline *tl, struct lane_ctx *ctx,
			    const struct lane_rq *upto)
{
	struct lane_rq *rq;

	while ((rq = ctx->live) && timeline_boundary_is_known(rq)) {
		bool is_forced = upto && timeline_seqno_upto(rq->pub.seqno, upto->pub.seqno);

		if (!is_forced && !timeline_boundary_is_settled(tl, rq))
			return;
		if (rq->is_on_device)
			model_guc_conclude(tl, (struct lane_eng *)rq->pub.engine, rq);
		else /* it was not seen to be handed over */
			timeline_chain_end(tl, rq, rq->known);
		if (ctx->live == rq)
			return;
	}
}

static void model_guc_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  struct lane_bounds end)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;

	timeline_boundary_note_known(rq, end);
	/* R6. Where one end is known, those before it are, too. */
	for (struct lane_rq *before = rq->prev;
	     before && !timeline_request_has_ended(before) && !timeline_boundary_is_known(before);
	     before = before->prev) {
		timeline_boundary_note_known(
			before, timeline_bounds(timeline_request_executed(before),
						timeline_r06_later(timeline_bounds_hi(&end))));
		if (before->pub.engine && before->pub.engine != &eng->pub)
			((struct lane_eng *)before->pub.engine)->is_settled = false;
	}
	model_guc_go_on(tl, ctx, NULL);
	eng->is_settled &= timeline_request_has_ended(rq);
}

static void model_guc_settle(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	if (rq) {
		model_guc_go_on(tl, (struct lane_ctx *)rq->pub.context, rq);
		return;
	}
	rq = eng->is_settled ? NULL : eng->unplaced.first;
	eng->is_settled = true;
	while (rq) {
		if (timeline_boundary_is_known(rq))
			model_guc_go_on(tl, (struct lane_ctx *)rq->pub.context, rq);
		rq = rq->is_on_device ? rq->dev_next : eng->unplaced.first;
	}
}

/* A context's requests follow each other, whatever is lost: only the idle times are in doubt. */
static void model_guc_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t until_ns)
{
	model_guc_settle(tl, eng, NULL);
	timeline_engine_doubt(eng, until_ns);
	timeline_idle_forget(tl, eng);
}

const struct lane_model lane_model_guc = {
	.is_firmware = true,
	.is_known = true,
	.hand_over = model_guc_execute,
	.end = model_guc_end,
	.settle = model_guc_settle,
	.doubt = model_guc_doubt,
};
