// SPDX-License-Identifier: MIT
// Tells the subscriber what a request has come to, and how long the queues are.
#include "timeline/tell.h"

void timeline_request_state(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_request_state state, uint64_t at_ns)
{
	enum lane_request_state from = rq->pub.state;

	if (from == state)
		return;
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
