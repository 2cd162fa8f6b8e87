/* SPDX-License-Identifier: MIT */
/*
 * Execlists submission with preempt-to-busy: Linux 6.1, gt/intel_execlists_submission.c. The
 * functions bear the driver's names. Left out: semaphores, GVT, sentinels and nopreempt requests.
 */
#include <string.h>

#include "gpu.h"

static int max_prio(int a, int b)
{
	return a > b ? a : b;
}

/* The request behind `rq` on the hardware's list; NULL when it is the last. */
static struct request *next_on_list(struct engine *engine, struct request *rq)
{
	if (rq->on_scheduler.next == &engine->requests || list_empty(&rq->on_scheduler))
		return NULL;
	return container(rq->on_scheduler.next, struct request, on_scheduler);
}

static bool need_preempt(struct engine *engine, struct request *rq)
{
	int last_prio = max_prio(rq->prio, PRIO_NORMAL - 1);
	struct request *next = next_on_list(engine, rq);

	if (engine->priority_hint <= last_prio)
		return false;
	if (next && next->prio > last_prio)
		return true;
	return max_prio(virtual_prio(engine), queue_prio(engine)) > last_prio;
}

/* Newest first; the oldest incomplete request is returned. */
struct request *execlists_unwind(struct engine *engine)
{
	struct request *active = NULL;

	for (struct link *it = engine->requests.prev, *before; it != &engine->requests;
	     it = before) {
		struct request *rq = container(it, struct request, on_scheduler);

		before = it->prev;
		if (is_complete(rq)) {
			list_remove(it);
			continue;
		}
		request_unsubmit(rq);
		list_move_head(&rq->on_scheduler, priolist(engine, rq->prio));
		rq->is_in_queue = true;
		active = rq;
		spend(between(10, 60));
	}
	return active;
}

/* defer_active(), defer_request(): to the end of its priority, then those that wait for it. */
static void defer_request(struct request *rq)
{
	struct engine *engine = rq->engine;
	struct link *list = priolist(engine, rq->prio);
	struct link waiters;

	list_init(&waiters);
	list_move_tail(&rq->on_scheduler, list);
	/* Among the programs' requests only the context's own later ones wait on the same engine.
	 */
	each_link_safe(it, list)
	{
		struct request *other = container(it, struct request, on_scheduler);

		if (other->context == rq->context && other != rq)
			list_move_tail(it, &waiters);
	}
	while (!list_empty(&waiters))
		list_move_tail(waiters.next, list);
}

static bool needs_timeslice(struct engine *engine, struct request *rq)
{
	if (!engine->timeslice || !rq || is_complete(rq) || engine->pending[0])
		return false;
	return next_on_list(engine, rq) || !list_empty(&engine->priolists) ||
	       !list_empty(&engine->virtuals);
}

static bool timeslice_expired(struct engine *engine, struct request *rq)
{
	return needs_timeslice(engine, rq) && timer_expired(&engine->timer);
}

static void start_timeslice(struct engine *engine)
{
	if (!needs_timeslice(engine, *engine->active)) {
		timer_cancel(&engine->timer);
		return;
	}
	if (engine->timer.is_active) {
		if (!engine->timer.is_pending)
			tasklet_schedule(&engine->tasklet);
		return;
	}
	timer_set(&engine->timer, engine->timeslice);
}

/* can_merge_rq() */
static bool can_merge(const struct request *last, const struct request *rq)
{
	return is_complete(rq) || last->context == rq->context;
}

/* -- Dequeue -- */

struct dequeue {
	struct engine *engine;
	struct request **active, *last;
	int port;
	bool submit;
	enum why why;
};

/* The first part of execlists_dequeue(): false when nothing more may be handed over now. */
static bool consider_active(struct dequeue *d)
{
	struct engine *engine = d->engine;

	d->active = engine->active;
	while ((d->last = *d->active) && is_complete(d->last))
		d->active++;
	spend(between(10, 60));
	if (!d->last)
		return true;
	if (need_preempt(engine, d->last)) {
		d->why = WHY_PRIORITY;
		hw_pause(engine, true);
		execlists_unwind(engine);
		d->last = NULL;
	} else if (timeslice_expired(engine, d->last)) {
		struct request *oldest;

		d->why = WHY_TIMESLICE;
		timer_cancel(&engine->timer);
		hw_pause(engine, true);
		oldest = execlists_unwind(engine);
		if (oldest)
			defer_request(oldest);
		d->last = NULL;
	} else if (d->active[1]) {
		return false;
	}
	return true;
}

/* Takes the virtual engine's request. */
static void take_virtual(struct dequeue *d, struct virtual_engine *ve)
{
	struct request *rq = ve->request;

	ve->request = NULL;
	ve->base.priority_hint = INT_MIN;
	virtual_unlink(ve, d->engine);
	rq->engine = d->engine;
	if (request_submit(rq)) {
		virtual_xfer_context(ve, d->engine);
		d->submit = true;
		d->last = rq;
	}
}

/* The requests of virtual engines: false when the dequeue is over. */
static bool dequeue_virtual(struct dequeue *d)
{
	struct virtual_engine *ve;

	while (!d->submit && (ve = first_virtual_engine(d->engine))) {
		bool goes_on = true;

		spin_lock(ve->base.lock);
		if (!virtual_matches(ve, ve->request, d->engine)) {
			spin_unlock(ve->base.lock);
			continue;
		}
		if (ve->request->prio < queue_prio(d->engine)) {
			spin_unlock(ve->base.lock);
			return true;
		}
		if (d->last && !can_merge(d->last, ve->request))
			goes_on = false;
		else
			take_virtual(d, ve);
		spin_unlock(ve->base.lock);
		if (!goes_on)
			return false;
	}
	return true;
}

/* Whether the next request of the queue finds room; false ends the dequeue. */
static bool find_room(struct dequeue *d, struct request *rq, bool *merge)
{
	*merge = true;
	if (!d->last || can_merge(d->last, rq))
		return true;
	*merge = false;
	if (d->port == PORTS - 1 || d->last->context == rq->context)
		return false;
	/* A virtual engine's request does not go to the second port. */
	return rq->mask == d->engine->mask;
}

/* One list of the queue; false ends the dequeue. */
static bool dequeue_list(struct dequeue *d, struct priolist *list)
{
	while (!list_empty(&list->requests)) {
		struct request *rq = container(list->requests.next, struct request, on_scheduler);
		bool merge;

		if (!find_room(d, rq, &merge))
			return false;
		if (!request_submit(rq))
			continue;
		if (!merge)
			d->engine->pending[d->port++] = d->last;
		d->submit = true;
		d->last = rq;
	}
	return true;
}

static void dequeue_queue(struct dequeue *d)
{
	struct engine *engine = d->engine;

	while (!list_empty(&engine->priolists)) {
		struct priolist *list = container(engine->priolists.next, struct priolist, link);

		if (!dequeue_list(d, list))
			return;
		list_remove(&list->link);
	}
}

static bool is_same_set(const struct dequeue *d, int n)
{
	for (int i = 0; i < n; i++)
		if (d->active[i] != d->engine->pending[i])
			return false;
	return true;
}

/* execlists_schedule_in(): the last port first. */
static void schedule_in(struct engine *engine, int n, struct submission *s)
{
	for (int port = n - 1; port >= 0; port--) {
		struct request *rq = engine->pending[port];

		spend(between(20, 120));
		moment_stamp(&s->moment, trace_in(rq, port));
		rq->context->inflight = engine;
		rq->context->inflight_count++;
		spend(between(20, 100));
	}
}

static void submit_ports(struct dequeue *d, struct tasklet_run *run, int n)
{
	struct submission *s = allocate(sizeof(*s));

	s->why = d->why;
	d->engine->pending[n] = NULL;
	schedule_in(d->engine, n, s);
	for (int i = 0; i < n; i++)
		d->engine->pending[i]->tail = d->engine->pending[i]->wa_tail;
	set_preempt_timeout(d->engine, *d->active);
	spend(between(50, 300));
	hw_submit(d->engine, d->engine->pending, n, s);
	run->submission = s;
}

static bool has_unheard_end(const struct context *ce)
{
	each_link(it, &ce->requests)
	{
		const struct request *rq = container(it, struct request, on_timeline);

		if (is_complete(rq) && rq->listen_at && !rq->is_signaled)
			return true;
	}
	return false;
}

static void execlists_dequeue(struct engine *engine, struct tasklet_run *run)
{
	struct dequeue d = { .engine = engine };
	int n;

	spin_lock(engine->lock);
	spend(between(20, 150));
	if (!consider_active(&d) || !dequeue_virtual(&d)) {
		spin_unlock(engine->lock);
		engine->pending[0] = NULL;
		return;
	}
	dequeue_queue(&d);
	engine->pending[d.port++] = d.last;
	n = d.port;
	engine->priority_hint = queue_prio(engine);
	spin_unlock(engine->lock);
	if (d.submit && !is_same_set(&d, n)) {
		submit_ports(&d, run, n);
		return;
	}
	gpu.statistics.same_set += d.submit;
	gpu.statistics.same_set_unheard += d.submit && has_unheard_end(engine->pending[0]->context);
	hw_pause(engine, false);
	engine->pending[0] = NULL;
}

/* -- The status buffer -- */

void execlists_add_inactive(struct tasklet_run *run, struct request *rq, uint64_t since)
{
	if (run->n_inactive == MAX_INACTIVE)
		broken("too many ports are given back");
	run->inactive[run->n_inactive++] = (struct inactive){ rq, since };
}

void execlists_told(struct engine *engine, const struct csb *csb)
{
	if (engine->n_told < MAX_TOLD)
		engine->told[engine->n_told++] = *csb;
}

/* The hardware has taken the written set. */
static void promote(struct engine *engine, struct tasklet_run *run, const struct csb *csb)
{
	if (!engine->pending[0])
		broken("nothing is pending for promotion");
	hw_pause(engine, false);
	for (struct request **old = engine->active; *old; old++)
		execlists_add_inactive(run, *old, csb->switched->at);
	memcpy(engine->inflight, engine->pending, sizeof(engine->inflight));
	engine->active = engine->inflight;
	spend(between(20, 150));
	engine->pending[0] = NULL;
}

static bool is_promotion(const struct csb *csb)
{
	return csb->kind == CSB_IDLE_TO_ACTIVE || csb->kind == CSB_NEW_QUEUE;
}

void execlists_process_csb(struct engine *engine, struct tasklet_run *run)
{
	unsigned end = engine->hw.csb_write;
	const struct request *before = *engine->active;

	if (engine->csb_head == end)
		return;
	while (engine->csb_head != end) {
		struct csb csb = engine->hw.csb[engine->csb_head++ % CSB_ENTRIES];

		spend(between(20, 150));
		execlists_told(engine, &csb);
		if (is_promotion(&csb)) {
			promote(engine, run, &csb);
		} else {
			if (!*engine->active)
				broken("a port completes and none is active");
			execlists_add_inactive(run, *engine->active++, csb.switched->at);
		}
	}
	if (before != *engine->active)
		timer_cancel(&engine->timer);
}

/* execlists_schedule_out(), __execlists_schedule_out() */
void execlists_schedule_out(struct engine *engine, const struct inactive *port)
{
	struct request *rq = port->rq;
	struct context *ce = rq->context;
	uint64_t when;

	spend(between(20, 100));
	when = trace_out(rq);
	for (int i = 0; i < engine->n_told; i++)
		csb_told(&engine->told[i], when);
	/* It completed after the hardware gave its port back, a lite-restore, and before this. */
	if (is_complete(rq) && port->since <= rq->end->at)
		moment_report(rq->end, when);
	spend(between(20, 120));
	if (--ce->inflight_count)
		return;
	if (ce->last_request == rq && is_complete(rq))
		engine_add_retire(rq->engine, ce);
	if (ce->engine != rq->engine)
		virtual_kick_siblings(rq, ce);
	ce->inflight = NULL;
}

static bool ports_changed(struct engine *engine, struct request *const on[2])
{
	return on[0] != engine->recorded_ports[0] || on[1] != engine->recorded_ports[1];
}

/* The hook at the tasklet's return: the set that the hardware has acknowledged, when it has
 * changed. */
static void record_ports(struct engine *engine, struct tasklet_run *run)
{
	struct request *on[2] = { engine->active[0], NULL };
	uint64_t when;

	if (on[0])
		on[1] = engine->active[1];
	if (!ports_changed(engine, on))
		return;
	memcpy(engine->recorded_ports, on, sizeof(on));
	when = trace_ports(engine, on);
	moment_report(engine->reset, when);
	for (int i = 0; i < engine->n_told; i++)
		csb_told(&engine->told[i], when);
	if (run->submission)
		moment_stamp(&run->submission->moment, when);
}

static void execlists_submission_tasklet(void *arg)
{
	struct engine *engine = arg;
	struct tasklet_run run = { .n_inactive = 0 };

	tasklet_begins(engine);
	engine->n_told = 0;
	spend(between(20, 100));
	execlists_process_csb(engine, &run);
	spend(between(10, 60));
	if (preempt_timeout(engine) || engine->has_error)
		execlists_reset(engine);
	if (!engine->pending[0]) {
		irq_disable();
		execlists_dequeue(engine, &run);
		irq_enable();
		start_timeslice(engine);
	}
	for (int i = 0; i < run.n_inactive; i++)
		execlists_schedule_out(engine, &run.inactive[i]);
	spend(between(10, 50));
	record_ports(engine, &run);
	engine->reset = NULL;
	tasklet_ends(engine);
}

/* -- What starts the tasklet -- */

/* execlists_irq_handler(), and cs_irq_handler() of gt/uc/intel_guc_submission.c, irq_handler() of
 * the ring's */
void engine_interrupt(struct engine *engine)
{
	bool has_switched = engine->context_irq, has_completed = engine->user_irq;

	engine->has_error |= engine->error_irq;
	has_switched |= engine->error_irq;
	engine->context_irq = engine->user_irq = engine->error_irq = false;
	spend(machine.is_instant ? 0 : between(30, 150));
	if (has_completed)
		signal_breadcrumbs(engine);
	if (has_switched && engine->tasklet.run)
		tasklet_schedule(&engine->tasklet);
}

static void timer_ends(void *arg)
{
	struct engine *engine = arg;

	tasklet_schedule(&engine->tasklet);
}

void execlists_submit_request(struct request *rq)
{
	struct engine *engine = rq->engine;

	spin_lock_irq(engine->lock);
	rq->is_on_hold = ancestor_on_hold(rq);
	rq->is_in_queue = !rq->is_on_hold;
	list_insert(&rq->on_scheduler, rq->is_on_hold ? &engine->hold : priolist(engine, rq->prio));
	spend(between(20, 100));
	if (rq->is_in_queue && rq->prio > engine->priority_hint) {
		engine->priority_hint = rq->prio;
		tasklet_schedule(&engine->tasklet);
	}
	spin_unlock_irq(engine->lock);
}

/* kick_execlists(): a request's priority has been raised. */
void execlists_kick(struct request *rq, int prio)
{
	struct engine *engine = rq->engine;
	struct request *inflight = *engine->active;

	if (engine->is_virtual || prio <= engine->priority_hint || !inflight ||
	    inflight->context == rq->context)
		return;
	engine->priority_hint = prio;
	if (prio >= max_prio(PRIO_NORMAL, inflight->prio))
		tasklet_schedule(&engine->tasklet);
}

void execlists_setup(struct engine *engine)
{
	engine->submit_request = execlists_submit_request;
	engine->schedule = execlists_kick;
	engine->tasklet = (struct tasklet){ .run = execlists_submission_tasklet, .arg = engine };
	engine->timer = (struct timer){ .run = timer_ends, .arg = engine };
	engine->preempt = engine->timer;
	engine->priority_hint = INT_MIN;
	engine->active = engine->inflight;
}
