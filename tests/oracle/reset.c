/* SPDX-License-Identifier: MIT */
/*
 * An engine that does not let go of a request is reset: Linux 6.1, gt/intel_execlists_submission.c,
 * gt/intel_reset.c. The functions bear the driver's names. Left out: a reset that fails, and the
 * reset of all engines that follows when a heartbeat finds the engine's own reset under way.
 */
#include <string.h>

#include "gpu.h"

/* -- What the hung request holds up is held with it -- */

static bool waits_for(const struct request *rq, const struct request *signaler)
{
	for (int i = 0; i < rq->n_signalers; i++)
		if (rq->signalers[i] == signaler)
			return rq->engine == signaler->engine;
	return false;
}

/* ancestor_on_hold(), hold_request() */
bool ancestor_on_hold(const struct request *rq)
{
	for (int i = 0; i < rq->n_signalers; i++)
		if (rq->signalers[i]->engine == rq->engine && rq->signalers[i]->is_on_hold)
			return true;
	return false;
}

/* __execlists_hold(): of one engine's requests only those of one context wait for each other, so
 * the oldest first. */
static void hold(struct request *rq)
{
	if (rq->is_active)
		request_unsubmit(rq);
	rq->is_in_queue = false;
	rq->is_on_hold = true;
	list_move_tail(&rq->on_scheduler, &rq->engine->hold);
	gpu.statistics.holds++;
	for (struct request *w = rq->all_next; w; w = w->all_next)
		if (waits_for(w, rq) && !list_empty(&w->on_scheduler) && !is_complete(w) &&
		    !w->is_on_hold)
			hold(w);
}

/*
 * __execlists_unhold(). Of a request that has been retired meanwhile the driver has forgotten who
 * waits for it; here they are released all the same.
 */
static void unhold(struct request *rq)
{
	rq->is_on_hold = false;
	list_move_tail(&rq->on_scheduler, priolist(rq->engine, rq->prio));
	rq->is_in_queue = true;
	for (struct request *w = rq->all_next; w; w = w->all_next)
		if (waits_for(w, rq) && w->is_on_hold && !ancestor_on_hold(w))
			unhold(w);
}

/* execlists_capture_work(), execlists_unhold() */
static void capture_work(void *arg)
{
	struct request *rq = arg;
	struct engine *engine = rq->engine;

	sleep_for(long_tailed(gpu.pace * 2));
	spin_lock_irq(engine->lock);
	unhold(rq);
	spend(between(20, 100));
	if (rq->prio > engine->priority_hint) {
		engine->priority_hint = rq->prio;
		tasklet_schedule(&engine->tasklet);
	}
	spin_unlock_irq(engine->lock);
}

/* active_context(): the last request of the context, as the ports have it. */
static struct request *active_context(struct engine *engine, const struct context *ce)
{
	for (struct request **port = engine->active; *port; port++)
		if ((*port)->context == ce)
			return *port;
	for (struct request **port = engine->pending; *port; port++)
		if ((*port)->context == ce)
			return *port;
	return NULL;
}

/* active_request(): the oldest of the context that is incomplete. */
static struct request *active_request(struct request *rq)
{
	struct link *timeline = &rq->context->requests;

	for (struct link *it = &rq->on_timeline; it != timeline && !list_empty(it); it = it->prev) {
		struct request *older = container(it, struct request, on_timeline);

		if (is_complete(older))
			break;
		rq = older;
	}
	return rq;
}

static const struct context *context_on_hardware(const struct engine *engine)
{
	const struct hardware *hw = &engine->hw;

	return hw->n_elements ? hw->elements[hw->position].context : NULL;
}

/* execlists_capture(), execlists_hold() */
static void capture(struct engine *engine)
{
	struct request *rq;

	if (!gpu.has_capture)
		return;
	spend(between(500, 4000));
	spin_lock_irq(engine->lock);
	rq = active_context(engine, context_on_hardware(engine));
	if (rq)
		rq = active_request(rq);
	spin_unlock_irq(engine->lock);
	if (!rq || rq->is_on_hold)
		return;
	spend(between(20, 100));
	spin_lock_irq(engine->lock);
	if (is_complete(rq))
		rq = NULL;
	else
		hold(rq);
	spin_unlock_irq(engine->lock);
	if (rq)
		thread_start(94, 94, capture_work, rq);
}

/* -- The reset -- */

/* gt/intel_reset.c:__i915_request_reset(), mark_guilty(): the third hang bans the context, or the
 * first one. */
static void mark_guilty(struct request *rq)
{
	struct context *ce = rq->context;

	gpu.statistics.guilty++;
	request_skip(rq);
	if (!rq->is_user || (ce->is_recoverable && ++ce->n_hangs < 3))
		return;
	gpu.statistics.banned += !ce->is_banned;
	ce->is_banned = true;
}

/* execlists_reset_active(): a request that has not begun is innocent. A kernel's request tells
 * nothing of its begin:
 * __i915_request_has_started() takes the end of the one before for it. */
static void reset_active(struct engine *engine, const struct context *ce)
{
	struct request *rq = active_context(engine, ce);

	if (!rq || is_complete(rq))
		return;
	rq = active_request(rq);
	if (rq->has_started || !rq->is_user) {
		mark_guilty(rq);
	} else {
		gpu.statistics.replays++;
		rq->error = rq->error ? rq->error : -11;
	}
}

/* cancel_port_requests(): what is pending comes first. */
static void cancel_port_requests(struct engine *engine, struct tasklet_run *run, uint64_t since)
{
	for (struct request **port = engine->pending; *port; port++)
		execlists_add_inactive(run, *port, since);
	for (struct request **port = engine->active; *port; port++)
		execlists_add_inactive(run, *port, since);
	memset(engine->pending, 0, sizeof(engine->pending));
	memset(engine->inflight, 0, sizeof(engine->inflight));
	engine->active = engine->inflight;
	timer_cancel(&engine->timer);
	timer_cancel(&engine->preempt);
}

/* execlists_reset_rewind(): execlists_reset_csb(), then the incomplete requests go back to the
 * queue. */
static void rewind_requests(struct engine *engine, const struct context *ce, const struct csb *csb)
{
	const struct request *victim = engine->hw.open_victim;
	struct tasklet_run run = { .n_inactive = 0 };

	execlists_process_csb(engine, &run);
	hw_pause(engine, false); /* reset_csb_pointers() */
	reset_active(engine, ce);
	cancel_port_requests(engine, &run, csb->switched->at);
	execlists_told(engine, csb);
	for (int i = 0; i < run.n_inactive; i++)
		execlists_schedule_out(engine, &run.inactive[i]);
	spin_lock_irq(engine->lock);
	execlists_unwind(engine);
	spin_unlock_irq(engine->lock);
	if (victim && victim->last_unsubmit_at >= csb->switched->at &&
	    victim->runs[victim->n_runs - 1].end->causes[0] == csb->switched)
		moment_report(csb->switched, victim->last_unsubmit_at);
}

/* gt/intel_reset.c:__intel_engine_reset_bh(), execlists_reset_prepare(), execlists_reset_finish()
 */
static void engine_reset(struct engine *engine)
{
	const struct context *ce;
	struct csb csb;

	gpu.statistics.resets++;
	hw_pause(engine, true);
	spend(between(200, 2000));
	ce = hw_reset(engine, &csb);
	engine->reset = csb.switched;
	spend(between(2000, 40000));
	rewind_requests(engine, ce, &csb);
	spend(between(500, 4000));
	engine->error_irq = engine->has_error = false; /* enable_error_interrupt() */
	signal_breadcrumbs(engine);
	engine->reset_began = 0;
	engine->is_resetting = false;
}

/* execlists_reset(): in the tasklet, after a preempt timeout or for an error that the engine tells
 * of */
void execlists_reset(struct engine *engine)
{
	gpu.statistics.errors += engine->has_error;
	engine->has_error = false;
	if (engine->is_resetting)
		return;
	engine->is_resetting = true;
	engine->reset_began = machine.now;
	hw_pause(engine, true);
	capture(engine);
	engine_reset(engine);
}

/* gt/intel_engine_heartbeat.c:reset_engine(), gt/intel_reset.c:intel_gt_handle_error(): nothing is
 * held here. */
void reset_for_heartbeat(struct engine *engine)
{
	spend(between(2000, 20000)); /* i915_capture_error_state() */
	bh_disable();
	if (!engine->is_resetting) {
		gpu.statistics.heartbeat_resets++;
		engine->is_resetting = true;
		tasklet_disable(&engine->tasklet);
		engine->reset_began = machine.now;
		engine->n_told = 0;
		engine_reset(engine);
		tasklet_enable(&engine->tasklet);
	}
	bh_enable();
}

/* -- The preempt timeout -- */

/* active_preempt_timeout(): short for one that is banned or has failed. */
static uint64_t active_preempt_timeout(struct engine *engine, struct request *rq)
{
	if (!rq)
		return 0;
	engine->preempt_target = rq;
	if (rq->context->is_banned || (rq->has_error && rq->has_started))
		return 1000 + gpu.pace / 4;
	return engine->preempt_timeout;
}

void set_preempt_timeout(struct engine *engine, struct request *rq)
{
	uint64_t timeout;

	if (!gpu.has_hangs)
		return;
	timeout = active_preempt_timeout(engine, rq);
	if (timeout)
		timer_set(&engine->preempt, timeout);
	else
		timer_cancel(&engine->preempt);
}

/* preempt_timeout(), and the part of execlists_submission_tasklet() behind it */
bool preempt_timeout(struct engine *engine)
{
	struct request *rq = *engine->active;

	if (!timer_expired(&engine->preempt) || !engine->pending[0])
		return false;
	timer_cancel(&engine->preempt);
	if (rq == engine->preempt_target)
		return true;
	set_preempt_timeout(engine, rq);
	return false;
}
