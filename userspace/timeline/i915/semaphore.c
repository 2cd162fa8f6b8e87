// SPDX-License-Identifier: MIT
// Requests that may spin on their engine until one of another engine is complete.
#include "timeline/i915/semaphore.h"
#include "timeline/objects.h"

/* From where execbuf waits for other requests to i915_request_queue it takes no longer
 * (eb_move_to_gpu(), eb_submit() of gem/i915_gem_execbuffer.c, 6.1). */
#define BUILD_NS 50000

void timeline_semaphore_listened(struct lane_timeline *tl, const struct lane_rq *rq, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);

	if (!thr || thr->wait || !(rq->pub.seen & LANE_SEEN_SUBMIT))
		return;
	thr->listened.context = rq->pub.context->id;
	thr->listened.seqno = rq->pub.seqno;
	thr->listened.ns = tl->now_ns;
}

void timeline_semaphore_built(struct lane_timeline *tl, struct lane_rq *rq, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);
	struct lane_rq *of;
	bool is_far;

	if (!thr || !thr->listened.ns)
		return;
	is_far = thr->listened.ns + BUILD_NS < tl->now_ns;
	thr->listened.ns = 0;
	if (is_far)
		return;
	of = lane_table_get(&tl->requests, thr->listened.context, thr->listened.seqno);
	if (!of || of == rq || of->pub.spinner || rq->pub.spins_on)
		return;
	of->pub.spinner = &rq->pub;
	rq->pub.spins_on = &of->pub;
}

static void part(struct lane_request *rq)
{
	rq->spins_on->spinner = NULL;
	rq->spins_on = NULL;
}

/* An engine waits by a semaphore for another engine alone, and not where a firmware or a ring has
 * the requests. */
static bool may_spin(const struct lane_rq *rq)
{
	const struct lane_request *of = rq->pub.spins_on;
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && (eng->model->has_sets || eng->model->is_hooked) &&
	       !(of->seen & LANE_SEEN_SIGNAL) && of->engine && of->engine != &eng->pub &&
	       (of->seen & LANE_SEEN_EXECUTE);
}

void timeline_semaphore_submitted(struct lane_rq *rq)
{
	if (!rq->pub.spins_on)
		return;
	if (may_spin(rq))
		rq->pub.spin_until_ns = LANE_NEVER;
	else
		part(&rq->pub);
}

void timeline_semaphore_signalled(struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_request *spinner = rq->pub.spinner;

	if (!spinner)
		return;
	if (spinner->spin_until_ns)
		spinner->spin_until_ns = now_ns;
	part(spinner);
}
