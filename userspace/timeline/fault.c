// SPDX-License-Identifier: MIT
// Requests that are over and not complete: what their fences and the kernel's resets say.
#include "timeline/fault.h"

#include <errno.h>
#include <string.h>

#include "timeline/drm/drm_state.h"
#include "timeline/objects.h"

const char *const lane_fault_names[LANE_FAULT_CAUSES] = {
	[LANE_FAULT_NONE] = "complete",
	[LANE_FAULT_TIMEOUT] = "timeout",
	[LANE_FAULT_OVERDUE] = "overdue",
	[LANE_FAULT_CANCELLED] = "cancelled",
	[LANE_FAULT_CLOSED] = "closed",
	[LANE_FAULT_LOST] = "lost",
	[LANE_FAULT_REPLAYED] = "replayed",
	[LANE_FAULT_ERROR] = "error",
	[LANE_FAULT_BAN] = "ban",
	[LANE_FAULT_RESET] = "reset",
	[LANE_FAULT_MEMORY] = "memory_error",
	[LANE_FAULT_PAGE] = "page_fault",
	[LANE_FAULT_EVICTION] = "eviction",
};

/*
 * What drivers mean by the error of a fence. i915: -EIO, it was on the engine that hung, or its
 * context was closed or banned; -EAGAIN, it was there with the one that hung, and runs again
 * (__i915_request_reset(), i915_request.c); -EINTR, request_timeout_ms (intel_gt_watchdog_work()).
 * drm_sched: -ECANCELED, its queue is guilty (sched_main.c); -ESRCH, its queue was closed before it
 * ran (drm_sched_entity_kill_jobs_work(), sched_entity.c). -ETIME: drivers, of the job that timed
 * out.
 */
static enum lane_fault_cause cause_of(int64_t error)
{
	switch (error) {
	case -ETIME:
		return LANE_FAULT_TIMEOUT;
	case -EINTR:
	case -ECANCELED:
		return LANE_FAULT_CANCELLED;
	case -ESRCH:
		return LANE_FAULT_CLOSED;
	case -EIO:
		return LANE_FAULT_LOST;
	case -EAGAIN:
		return LANE_FAULT_REPLAYED;
	default:
		return LANE_FAULT_ERROR;
	}
}

static bool are_errors_recorded(const struct lane_timeline *tl)
{
	return tl->figures.by_kind[LANE_FENCE_ERROR] ||
	       tl->info.presence[LANE_FENCE_ERROR] == LANE_PRESENCE_RECORDED;
}

static bool is_told(const struct lane_rq *rq)
{
	return rq->job && rq->job->told_fault;
}

static void give_up(struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (eng && eng->ring)
		eng->ring->given_up =
			(struct lane_given_up){ now_ns, rq->pub.context, rq->pub.seqno };
}

/* It ends with an error: as its ring's job was given up, or as i915 reset the GPU, if it was there
 * by then. Not if its own queue was closed, or i915 cancelled it by request_timeout_ms; of a job
 * that was handed over afterwards only if the scheduler refused it, as its queue's job had hung. */
static void note_given_up(const struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	struct lane_given_up up = { .at_ns = rq->job ? 0 : tl->reset_ns };
	uint8_t fault = rq->pub.fault;

	if (rq->job && eng && eng->ring)
		up = eng->ring->given_up;
	if (rq->job && rq->pub.seen & LANE_SEEN_EXECUTE && rq->pub.execute_ns > up.at_ns &&
	    rq->pub.error != -ECANCELED)
		return;
	if (up.at_ns && (rq->pub.seen & LANE_SEEN_ADD) && rq->pub.add_ns <= up.at_ns &&
	    fault != LANE_FAULT_CLOSED && (fault != LANE_FAULT_CANCELLED || rq->job))
		rq->pub.given_up = up;
}

void timeline_fault_has_error(const struct lane_timeline *tl, struct lane_rq *rq, int64_t error)
{
	if (rq->pub.error)
		return;
	rq->pub.error = (int32_t)error;
	/* That it has timed out, or was the one that ran, says more than an error that all of its
	 * queue get. */
	if (rq->pub.fault == LANE_FAULT_OVERDUE)
		rq->pub.fault = LANE_FAULT_TIMEOUT;
	else if (!is_told(rq))
		rq->pub.fault = (uint8_t)cause_of(error);
	note_given_up(tl, rq);
}

void timeline_fault_is_told(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_fault_cause cause)
{
	if (cause == LANE_FAULT_TIMEOUT || cause == LANE_FAULT_RESET)
		give_up(rq, tl->now_ns);
	rq->job->told_fault = (uint8_t)cause;
	/* Of the reset that its time-out led to its error says more. */
	if (cause != LANE_FAULT_RESET || rq->pub.fault != LANE_FAULT_OVERDUE)
		rq->pub.fault = (uint8_t)cause;
}

static void on_error(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = timeline_request_by_fence(tl, event);

	if (rq)
		timeline_fault_has_error(tl, rq, event->u.gpulane_fence_error.error);
}

/* The job of a ring has not ended in time. Whether it is given up its driver decides now. */
static void on_timeout(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_reset *of = &event->u.gpulane_reset;
	struct lane_rq *rq = timeline_request_of_fence(tl, of->fence_context, of->fence_seqno);

	if (!rq || !rq->job || rq->pub.error || is_told(rq))
		return;
	rq->pub.fault = LANE_FAULT_OVERDUE;
	give_up(rq, event->wire.ts_ns);
}

/* The event does not say which of several devices of i915 it is. */
static bool is_of_one_device(const struct lane_timeline *tl)
{
	const struct lane_engine *first = NULL;

	for (uint32_t i = 0; i < tl->n_engines; i++) {
		const struct lane_engine *engine = &tl->engine_by_id[i]->pub;

		if (engine->name)
			continue;
		if (first && first->dev != engine->dev)
			return false;
		first = engine;
	}
	return first;
}

/*
 * i915 resets the GPU. What the engines had been given and had not ended is lost or begun anew;
 * which of both its fence's error says.
 */
static void on_reset(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_fault fault = { .cause = LANE_FAULT_RESET,
				    .kind = event->wire.kind,
				    .at_ns = event->wire.ts_ns,
				    .until_ns = event->wire.ts_ns,
				    .driver = "i915",
				    .device = "",
				    .reason = event->u.gpulane_reset.text,
				    .given_up_ns = event->wire.ts_ns };
	bool is_one = is_of_one_device(tl);

	for (uint32_t i = 0; is_one && i < tl->n_contexts; i++)
		for (struct lane_rq *rq = tl->context_by_id[i]->live; rq; rq = rq->next)
			if (!rq->job && (rq->pub.seen & LANE_SEEN_EXECUTE) && !rq->pub.fault)
				rq->pub.fault = LANE_FAULT_RESET;
	if (is_one)
		tl->reset_ns = event->wire.ts_ns;
	if (tl->hooks.fault)
		tl->hooks.fault(tl->hooks.arg, &fault);
}

void timeline_fault_event(struct lane_timeline *tl, const struct lane_event *event)
{
	if (event->wire.kind == LANE_FENCE_ERROR)
		on_error(tl, event);
	else if (!strcmp(event->u.gpulane_reset.what, "timeout"))
		on_timeout(tl, event);
	else
		on_reset(tl, event);
}

static const char *driver_of(const struct lane_request *pub)
{
	if (pub->engine && pub->engine->driver && *pub->engine->driver)
		return pub->engine->driver;
	return pub->context->is_drm ? "drm_sched" : "i915";
}

void timeline_fault_settle(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_request *pub = &rq->pub;
	uint64_t at_ns = pub->seen & LANE_SEEN_SIGNAL ? pub->signal_ns
						      : timeline_sooner(pub->end.hi, tl->now_ns);
	struct lane_fault fault = { .kind = rq->pub.error ? LANE_FENCE_ERROR : LANE_RESET,
				    .error = rq->pub.error,
				    .at_ns = at_ns,
				    .until_ns = at_ns,
				    .driver = driver_of(pub),
				    .device = "",
				    .engine = pub->engine,
				    .context = pub->context,
				    .seqno = pub->seqno,
				    .client = timeline_client_of(pub),
				    .request = pub,
				    .given_up_ns = pub->given_up.at_ns };

	/* It is not over; or where errors are recorded it had none: it was complete in time. */
	if (pub->state != LANE_RQ_STATE_ENDED ||
	    (are_errors_recorded(tl) && !rq->pub.error && !is_told(rq))) {
		pub->fault = LANE_FAULT_NONE;
		return;
	}
	if (pub->fault == LANE_FAULT_OVERDUE && is_told(rq))
		pub->fault = rq->job->told_fault;
	fault.cause = pub->fault;
	if (tl->hooks.fault && !(is_told(rq) && rq->job->told_fault == pub->fault))
		tl->hooks.fault(tl->hooks.arg, &fault);
}
