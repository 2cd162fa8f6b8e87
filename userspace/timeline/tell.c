// SPDX-License-Identifier: MIT
// Tells the subscriber what a request has come to, and how long the queues are.
#include "timeline/tell.h"
#include "timeline/command/command_events.h"
#include "timeline/narrow.h"
#include "timeline/losses.h"
#include "timeline/objects.h"

/* On a ring all processes have one context (ring_context_alloc(), intel_ring_submission.c, since
 * Linux 5.4): whose rq is its own first events alone tell. */
void timeline_request_settle_client(struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_engine *engine = rq->pub.engine;
	unsigned int submission = engine ? engine->submission : tl->info.submission;

	if (!rq->pub.client && !(rq->pub.seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD)) &&
	    submission == LANE_SUBMISSION_RING)
		rq->pub.client = timeline_client_get(tl, -1);
}

void timeline_request_state(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_request_state state, uint64_t at_ns)
{
	enum lane_request_state from = rq->pub.state;

	if (from == state)
		return;
	if (from == LANE_RQ_STATE_NEW)
		timeline_request_settle_client(tl, rq);
	at_ns = rq->told_ns = timeline_not_before(at_ns, rq->told_ns);
	rq->pub.state = state;
	tl->figures.by_state[from]--;
	tl->figures.by_state[state]++;
	if (state == LANE_RQ_STATE_RUNNING && !((struct lane_eng *)rq->pub.engine)->first_ns)
		((struct lane_eng *)rq->pub.engine)->first_ns = at_ns;
	if (tl->hooks.state)
		tl->hooks.state(tl->hooks.arg, &rq->pub, from, at_ns);
}

void timeline_queue_changes(struct lane_timeline *tl, struct lane_engine *engine,
			    enum lane_queue queue, const struct lane_rq *rq, int delta,
			    uint64_t at_ns)
{
	if (rq->pub.state != LANE_RQ_STATE_ENDED) /* once it has ended, at_ns stands */
		at_ns = timeline_not_before(at_ns, rq->told_ns);
	if (queue == LANE_QUEUE_HOST)
		engine->host_len += delta;
	else
		engine->device_len += delta;
	if (tl->hooks.queue)
		tl->hooks.queue(tl->hooks.arg, engine, queue, &rq->pub, delta, at_ns);
}

/* Where rq waits by its state, the queue grows by delta. Other states have no queue. */
static void queue_of_state_changes(struct lane_timeline *tl, const struct lane_rq *rq, int delta,
				   uint64_t at_ns)
{
	switch (rq->pub.state) {
	case LANE_RQ_STATE_HOST:
		timeline_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, delta, at_ns);
		return;
	case LANE_RQ_STATE_DEVICE:
		timeline_queue_changes(tl, rq->pub.engine, LANE_QUEUE_DEVICE, rq, delta, at_ns);
		return;
	case LANE_RQ_STATE_PREEMPTED:
		timeline_queue_changes(tl, &rq->left.from->pub, LANE_QUEUE_HOST, rq, delta, at_ns);
		return;
	default:
		return;
	}
}

void timeline_queue_enter(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns)
{
	queue_of_state_changes(tl, rq, 1, at_ns);
}

void timeline_queue_leave(struct lane_timeline *tl, const struct lane_rq *rq, uint64_t at_ns)
{
	queue_of_state_changes(tl, rq, -1, at_ns);
}

bool timeline_request_has_signals(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return rq->pub.context->ctx < LANE_OWN_CONTEXT &&
	       (tl->figures.by_kind[LANE_FENCE_SIGNALED] ||
		tl->info.presence[LANE_FENCE_SIGNALED] == LANE_PRESENCE_RECORDED);
}

/* So long a complete request took. */
static void note_time(struct lane_timeline *tl, const struct lane_request *rq)
{
	uint64_t from_ns = rq->seen & LANE_SEEN_QUEUE ? rq->queue_ns : rq->add_ns;
	struct lane_ctx *ctx = (struct lane_ctx *)rq->context;

	if (rq->fault || !from_ns || !timeline_end_is_known(rq) || rq->end.hi <= from_ns)
		return;
	if (!ctx->first_took_ns) { /* of many contexts it is the only one */
		ctx->first_took_ns = rq->end.hi - from_ns;
		return;
	}
	if (!ctx->took && (ctx->took = lane_pool_get(&tl->took_pool)))
		lane_octaves_add(ctx->took, ctx->first_took_ns);
	if (ctx->took)
		lane_octaves_add(ctx->took, rq->end.hi - from_ns);
}

struct lane_typical timeline_typical_of(const struct lane_context *context)
{
	const struct lane_octaves *took = ((const struct lane_ctx *)context)->took;

	return took ? lane_typical_of(took) : (struct lane_typical){ 0 };
}

void timeline_request_tell(struct lane_timeline *tl, struct lane_rq *rq, bool is_wait_cut)
{
	const uint8_t doubts = LANE_DOUBT_EXECUTE | LANE_DOUBT_DEVICE | LANE_DOUBT_END;
	struct lane_request *pub = &rq->pub;

	/* A longer wait may have begun before the recording, or in a loss, or may not be over. */
	pub->wake_known =
		(pub->seen & LANE_SEEN_SIGNAL) && !is_wait_cut && !timeline_loss_hides(tl, rq);
	if ((pub->doubt & doubts) || !(pub->seen & LANE_SEEN_EXECUTE) ||
	    pub->state != LANE_RQ_STATE_ENDED || pub->end.hi == LANE_NEVER)
		pub->behind = NULL;
	pub->has_signals = timeline_request_has_signals(tl, rq);
	timeline_narrow_request(tl, rq);
	note_time(tl, pub);
	if (tl->hooks.request)
		tl->hooks.request(tl->hooks.arg, pub);
	timeline_command_request(tl, pub);
	timeline_request_free(tl, rq);
}
