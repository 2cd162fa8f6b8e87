// SPDX-License-Identifier: MIT
// Requests that may spin on their engine until one of another engine is complete.
#include "timeline/i915/semaphore.h"
#include "timeline/objects.h"

/* From where execbuf waits for other requests to i915_request_queue it takes no longer
 * (eb_move_to_gpu(), eb_submit() of gem/i915_gem_execbuffer.c, 6.1). */
#define BUILD_NS 50000

/* What a thread listened to last may still be waited for, and is another one than rq. */
static bool is_another_open(const struct lane_timeline *tl, const struct lane_thr *thr,
			    const struct lane_rq *rq)
{
	const struct lane_rq *last =
		thr->listened.ns && thr->listened.ns + BUILD_NS >= tl->now.ns
			? lane_table_get(&tl->requests, thr->listened.context, thr->listened.seqno)
			: NULL;

	return last && last != rq && !(last->pub.seen & LANE_SEEN_SIGNAL);
}

void timeline_semaphore_listened(struct lane_timeline *tl, const struct lane_rq *rq, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);

	if (!thr || thr->wait || !(rq->pub.seen & LANE_SEEN_SUBMIT))
		return;
	thr->listened.is_several = is_another_open(tl, thr, rq);
	thr->listened.context = rq->pub.context->id;
	thr->listened.seqno = rq->pub.seqno;
	thr->listened.ns = tl->now.ns;
}

void timeline_semaphore_built(struct lane_timeline *tl, struct lane_rq *rq, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);
	struct lane_rq *of;
	bool is_far;

	if (!thr || !thr->listened.ns)
		return;
	is_far = thr->listened.ns + BUILD_NS < tl->now.ns;
	thr->listened.ns = 0;
	if (is_far)
		return;
	of = lane_table_get(&tl->requests, thr->listened.context, thr->listened.seqno);
	if (!of || of == rq || rq->pub.spins_on || (of->pub.seen & LANE_SEEN_SIGNAL))
		return;
	/* Until when it spins is known of one that waits for one alone. */
	if (thr->listened.is_several || of->pub.spinner) {
		rq->pub.spin_until_ns = LANE_NEVER;
		return;
	}
	of->pub.spinner = &rq->pub;
	rq->pub.spins_on = &of->pub;
}

static void part(struct lane_request *rq)
{
	rq->spins_on->spinner = NULL;
	rq->spins_on = NULL;
}

/* An engine waits by a semaphore where no firmware and no ring has the requests. */
static bool has_semaphores(const struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;

	return eng && (eng->model->has_sets || eng->model->is_hooked);
}

/* It waits so for another engine alone. */
static bool may_spin_on(const struct lane_rq *rq, const struct lane_request *of)
{
	return !(of->seen & LANE_SEEN_SIGNAL) && of->engine && of->engine != rq->pub.engine &&
	       (of->seen & LANE_SEEN_EXECUTE);
}

void timeline_semaphore_submitted(struct lane_rq *rq)
{
	bool may = has_semaphores(rq);

	if (!may)
		rq->pub.spin_until_ns = 0;
	if (!rq->pub.spins_on)
		return;
	if (may && may_spin_on(rq, rq->pub.spins_on))
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
