// SPDX-License-Identifier: MIT
// The order in which the requests of an engine stand, and what of it is certain.
#include "timeline/i915/order.h"
#include "timeline/losses.h"
#include "timeline/i915/ports.h"
#include "timeline/state.h"

static struct lane_rq_list *list_of(struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->order ? &eng->order : &eng->unplaced;
}

static void unlink_from(struct lane_rq_list *list, struct lane_rq *rq)
{
	*(rq->dev_prev ? &rq->dev_prev->dev_next : &list->first) = rq->dev_next;
	*(rq->dev_next ? &rq->dev_next->dev_prev : &list->last) = rq->dev_prev;
	rq->dev_next = rq->dev_prev = NULL;
}

static void link_to(struct lane_rq_list *list, struct lane_rq *rq)
{
	rq->dev_prev = list->last;
	*(list->last ? &list->last->dev_next : &list->first) = rq;
	list->last = rq;
	rq->doubt.is_order_lost = rq->doubt.is_contradicted = false;
}

void timeline_request_link(struct lane_eng *eng, struct lane_rq *rq)
{
	rq->pub.engine = &eng->pub;
	rq->is_on_device = true;
	rq->order = 0;
	eng->is_settled &= !rq->known.hi;
	link_to(&eng->unplaced, rq);
}

void timeline_request_unlink(struct lane_rq *rq)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->left.from && rq->left.from->victim == rq)
		rq->left.from->victim = NULL;
	if (!rq->is_on_device)
		return;
	if (eng->leaver == rq)
		eng->leaver = NULL;
	if (eng->dequeue.oldest == rq)
		eng->dequeue.oldest = NULL;
	unlink_from(list_of(eng, rq), rq);
	rq->order = 0;
	rq->is_on_device = false;
}

void timeline_order_append(struct lane_eng *eng, struct lane_rq *rq)
{
	unlink_from(list_of(eng, rq), rq);
	link_to(&eng->order, rq);
	rq->order = ++eng->orders;
	rq->known = (struct lane_bounds){ 0 };
	if (rq->handed.back == LANE_BACK_MAYBE)
		rq->handed.back = LANE_BACK_NOT;
}

void timeline_order_remove(struct lane_eng *eng, struct lane_rq *rq)
{
	unlink_from(list_of(eng, rq), rq);
	link_to(&eng->unplaced, rq);
	rq->order = 0;
}

bool timeline_request_is_ahead(const struct lane_rq *a, const struct lane_rq *b)
{
	if (a->pub.context == b->pub.context)
		return !timeline_seqno_upto(b->pub.seqno, a->pub.seqno);
	return !a->order || !b->order || a->order < b->order;
}

/*
 * Nothing hidden is ahead of the requests that were seen, if nothing_ahead. After a loss a request
 * that was taken back meanwhile may be about to come again: so only an engine that has been empty
 * since is certain.
 */
void timeline_engine_prove(struct lane_eng *eng, bool nothing_ahead)
{
	if (nothing_ahead)
		eng->proof.fresh_epoch = eng->proof.epoch;
	if (eng->proof.fresh_epoch == eng->proof.epoch &&
	    (timeline_engine_lost_nothing(eng) ||
	     (!eng->order.first && !eng->unplaced.first && !eng->ports.n)))
		eng->proof.proven_epoch = eng->proof.epoch;
}

bool timeline_engine_is_fresh(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_EXECUTE) && !(rq->pub.doubt & LANE_DOUBT_EXECUTE) &&
	       rq->pub.execute_ns >= eng->proof.doubt_until_ns;
}

bool timeline_request_is_shown_complete(const struct lane_rq *rq)
{
	return rq->order && rq->known.hi;
}

struct lane_rq *timeline_engine_first_open(const struct lane_eng *eng)
{
	struct lane_rq *first = eng->order.first;

	while (first && timeline_request_is_shown_complete(first))
		first = first->dev_next;
	return first;
}

/* The listening may have begun before the recording, or in a loss. */
bool timeline_request_may_have_listener(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return !timeline_is_absent(tl, LANE_FENCE_SIGNALED) &&
	       (rq->listen.ns || rq->waiters || /* a waiter polls first */
		timeline_is_absent(tl, LANE_FENCE_ENABLE_SIGNAL) || timeline_loss_hides(tl, rq));
}

bool timeline_engine_no_end_to_come(const struct lane_timeline *tl, const struct lane_eng *eng,
				    const struct lane_rq *rq)
{
	return !timeline_request_may_have_listener(tl, rq) && !timeline_ports_await_out(eng, rq);
}

void timeline_engine_becomes(struct lane_timeline *tl, struct lane_eng *eng, enum lane_mode mode)
{
	if (eng->model)
		timeline_engine_settle(tl, eng, NULL);
	eng->model = tl->models[mode];
	if (eng->model->adopt)
		eng->model->adopt(tl, eng);
}
