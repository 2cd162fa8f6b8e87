// SPDX-License-Identifier: MIT
// Requests that are over and not complete: what their fences and the kernel's resets say.
#include "timeline/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/drm/drm_state.h"
#include "timeline/objects.h"

/* The errors of so many fences are kept at most. */
#define MAX_ERRORS 4096

const char *const lane_fault_names[LANE_FAULT_CAUSES] = {
	[LANE_FAULT_NONE] = "complete",	      [LANE_FAULT_TIMEOUT] = "timeout",
	[LANE_FAULT_OVERDUE] = "overdue",     [LANE_FAULT_CANCELLED] = "cancelled",
	[LANE_FAULT_CLOSED] = "closed",	      [LANE_FAULT_LOST] = "lost",
	[LANE_FAULT_REPLAYED] = "replayed",   [LANE_FAULT_ERROR] = "error",
	[LANE_FAULT_INHERITED] = "inherited", [LANE_FAULT_BAN] = "ban",
	[LANE_FAULT_RESET] = "reset",	      [LANE_FAULT_MEMORY] = "memory_error",
	[LANE_FAULT_PAGE] = "page_fault",     [LANE_FAULT_EVICTION] = "eviction",
};

/*
 * What drivers mean by the error of a fence. i915: -EIO, it was on the engine that hung, or its
 * context was closed or banned; -EAGAIN, it was there with the one that hung, and runs again
 * (__i915_request_reset(), i915_request.c); -EINTR, request_timeout_ms (intel_gt_watchdog_work()).
 * drm_sched: -ECANCELED, its queue is guilty (sched_main.c); -ESRCH, its queue was closed before it
 * ran (drm_sched_entity_kill_jobs_work(), sched_entity.c). -ETIME: drivers, of the job that timed
 * out.
 */
static enum lane_fault_cause fault_cause_of(int64_t error)
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

static bool fault_is_told(const struct lane_rq *rq)
{
	return rq->job && rq->job->told_fault;
}

static void fault_give_up(struct lane_rq *rq, uint64_t now_ns)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	struct lane_given_up up = { now_ns, rq->pub.context, rq->pub.seqno };

	((struct lane_ctx *)rq->pub.context)->given_up = up;
	if (eng && eng->ring)
		eng->ring->given_up = up;
}

/* It ends with an error: as its ring's job was given up, or as i915 reset the GPU, if it was there
 * by then. Not if its own queue was closed, or i915 cancelled it by request_timeout_ms; of a job
 * that was handed over afterwards only if the scheduler refused it, as a job of its own queue had
 * hung. */
static void note_given_up(const struct lane_timeline *tl, struct lane_rq *rq)
{
	const struct lane_eng *eng = (const struct lane_eng *)rq->pub.engine;
	struct lane_given_up up = { .at_ns = rq->job ? 0 : tl->reset_ns };
	uint8_t fault = rq->pub.fault;

	if (rq->job && eng && eng->ring)
		up = eng->ring->given_up;
	if (rq->job && rq->pub.seen & LANE_SEEN_EXECUTE && rq->pub.execute_ns > up.at_ns) {
		if (rq->pub.error != -ECANCELED)
			return;
		up = ((const struct lane_ctx *)rq->pub.context)->given_up;
	}
	if (up.at_ns && (rq->pub.seen & LANE_SEEN_ADD) && rq->pub.add_ns <= up.at_ns &&
	    fault != LANE_FAULT_CLOSED && (fault != LANE_FAULT_CANCELLED || rq->job))
		rq->pub.given_up = up;
}

void timeline_fault_in_reset(struct lane_timeline *tl, struct lane_rq *rq)
{
	fault_give_up(rq, tl->now.ns);
	rq->job->is_in_reset = true;
	if (!fault_is_told(rq) && rq->pub.fault != LANE_FAULT_OVERDUE)
		rq->pub.fault = LANE_FAULT_RESET;
}

struct lane_fence_error {
	uint64_t at_ns;
	int64_t error;
};

static struct lane_fence_error fault_error_of(const struct lane_timeline *tl, uint64_t context,
					      uint64_t seqno)
{
	const struct lane_fence_error *kept = lane_table_get(&tl->errors, context, seqno);

	return kept ? *kept : (struct lane_fence_error){ 0 };
}

/*
 * i915, from Linux 5.7 on: what waits for a fence that fails gets its error
 * (dma_i915_sw_fence_wake(), i915_sw_fence.c), and is not executed (__i915_request_skip()). Its
 * submit comes straight out of that fence's signal.
 */
static bool is_inherited(const struct lane_timeline *tl, const struct lane_rq *rq, int64_t error)
{
	return !rq->job && rq->pub.after && (rq->pub.seen & LANE_SEEN_SUBMIT) &&
	       fault_error_of(tl, rq->pub.after->ctx, rq->pub.after_seqno).error == error;
}

/* -EAGAIN is of one that ran again: what waited for it runs once, in full. */
static void inherit(const struct lane_timeline *tl, struct lane_rq *rq, int64_t error)
{
	if (error == -EAGAIN)
		return;
	rq->pub.error = (int32_t)error;
	rq->pub.fault = LANE_FAULT_INHERITED;
	rq->pub.given_up = (struct lane_given_up){ tl->now.ns, rq->pub.after, rq->pub.after_seqno };
}

void timeline_fault_has_error(const struct lane_timeline *tl, struct lane_rq *rq, int64_t error)
{
	if (rq->pub.error)
		return;
	if (is_inherited(tl, rq, error)) {
		inherit(tl, rq, error);
		return;
	}
	rq->pub.error = (int32_t)error;
	/* That it has timed out, or was the one that ran, says more than an error that all of its
	 * queue get. */
	if (rq->pub.fault == LANE_FAULT_OVERDUE)
		rq->pub.fault = LANE_FAULT_TIMEOUT;
	else if (!fault_is_told(rq))
		rq->pub.fault = (uint8_t)fault_cause_of(error);
	note_given_up(tl, rq);
}

void timeline_fault_is_told(struct lane_timeline *tl, struct lane_rq *rq,
			    enum lane_fault_cause cause)
{
	if (cause == LANE_FAULT_TIMEOUT || cause == LANE_FAULT_RESET)
		fault_give_up(rq, tl->now.ns);
	rq->job->told_fault = (uint8_t)cause;
	/* Of the reset that its time-out led to its error says more. */
	if (cause != LANE_FAULT_RESET || rq->pub.fault != LANE_FAULT_OVERDUE)
		rq->pub.fault = (uint8_t)cause;
}

/* Of a request that began before the recording its fence's events may come first; and what waits
 * for one has its error. */
static void fault_keep(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_fence_error *of = &event->u.gpulane_fence_error;
	struct lane_fence_error *kept;

	if (!of->error || fault_error_of(tl, of->context, of->seqno).error)
		return;
	if (tl->n_errors == MAX_ERRORS) {
		lane_table_free(&tl->errors);
		tl->errors = (struct lane_table){ 0 };
		tl->n_errors = 0;
	}
	if (!tl->kept_errors)
		tl->kept_errors = calloc(MAX_ERRORS, sizeof(*tl->kept_errors));
	kept = tl->kept_errors ? &tl->kept_errors[tl->n_errors++] : NULL;
	if (!kept || !lane_table_put(&tl->errors, of->context, of->seqno, kept)) {
		tl->no_memory = true;
		return;
	}
	*kept = (struct lane_fence_error){ event->wire.ts_ns, of->error };
}

static void on_error(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = timeline_request_by_fence(tl, event);

	fault_keep(tl, event);
	if (!rq)
		return;
	timeline_fault_has_error(tl, rq, event->u.gpulane_fence_error.error);
	rq->pub.error_ns = event->wire.ts_ns;
}

/* The job of a ring has not ended in time. Whether it is given up its driver decides now. */
static void on_timeout(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_reset *of = &event->u.gpulane_reset;
	struct lane_rq *rq = timeline_request_of_fence(tl, of->fence_context, of->fence_seqno);

	if (!rq || !rq->job || rq->pub.error || fault_is_told(rq))
		return;
	rq->pub.fault = LANE_FAULT_OVERDUE;
	fault_give_up(rq, event->wire.ts_ns);
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

/*
 * amdgpu up to Linux 6.4: the waves of a job that has timed out are killed until its fence is
 * signalled (amdgpu_ring_soft_recovery()), and no error says so. It lets no such job go on.
 */
static bool is_killed_silently(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	unsigned int version = norm_release_version(tl->info.release);

	return rq->pub.fault == LANE_FAULT_OVERDUE && !strcmp(driver_of(&rq->pub), "amdgpu") &&
	       version && version < 6005;
}

/* It is not over; or where errors are recorded it had none: it was complete in time. */
static bool has_no_fault(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	if (rq->pub.state != LANE_RQ_STATE_ENDED)
		return true;
	return are_errors_recorded(tl) && !rq->pub.error && !fault_is_told(rq) &&
	       !is_killed_silently(tl, rq);
}

/* By an event of its driver's, or with the reset of its GPU. */
static bool is_told_already(const struct lane_rq *rq)
{
	uint8_t fault = rq->pub.fault;

	return (fault_is_told(rq) && rq->job->told_fault == fault) ||
	       (rq->job && rq->job->is_in_reset && fault == LANE_FAULT_RESET);
}

static void fault_settle(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_request *pub = &rq->pub;
	uint64_t at_ns = pub->seen & LANE_SEEN_SIGNAL ? pub->signal_ns
			 : pub->error_ns	      ? pub->error_ns
						      : timeline_sooner(pub->end.hi, tl->now.ns);
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

	if (has_no_fault(tl, rq)) {
		pub->fault = LANE_FAULT_NONE;
		return;
	}
	/* What its driver told says more than that its time was over. */
	if (pub->fault == LANE_FAULT_OVERDUE && fault_is_told(rq))
		pub->fault = rq->job->told_fault;
	else if (pub->fault == LANE_FAULT_OVERDUE && rq->job->is_in_reset)
		pub->fault = LANE_FAULT_RESET;
	fault.cause = pub->fault;
	if (tl->hooks.fault && !is_told_already(rq))
		tl->hooks.fault(tl->hooks.arg, &fault);
}

/* Of a request that began before the recording its fence's events may come before its own. */
void timeline_fault_settle(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_fence_error kept = { 0 };

	if (!rq->pub.error)
		kept = fault_error_of(tl, rq->pub.context->ctx, rq->pub.seqno);
	if (kept.error) {
		timeline_fault_has_error(tl, rq, kept.error);
		rq->pub.error_ns = kept.at_ns;
	}
	if (rq->pub.fault)
		fault_settle(tl, rq);
}
