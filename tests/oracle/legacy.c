/* SPDX-License-Identifier: MIT */
/*
 * Execlists submission with preempt-to-idle: Linux 5.0 to 5.3, intel_lrc.c (gt/intel_lrc.c in 5.3).
 * The functions bear the driver's names. A submission runs the tasklet's body itself, under the
 * engine's lock with interrupts off: __submit_queue_imm(). Left out: the priority bump of an
 * unwound request (5.0 to 5.2).
 */
#include <string.h>

#include "gpu.h"

static int max_prio(int a, int b)
{
	return a > b ? a : b;
}

static bool need_preempt(struct engine *engine, struct request *last)
{
	struct link *next = last->on_scheduler.next;
	int last_prio = max_prio(last->prio, PRIO_NORMAL);

	if (request_completed(last) || engine->priority_hint <= last_prio)
		return false;
	if (next != &engine->requests && next != &last->on_scheduler &&
	    container(next, struct request, on_scheduler)->prio > last_prio)
		return true;
	return queue_prio(engine) > last_prio;
}

/* inject_preempt_context(): an empty context, after which the engine idles; no event tells of it.
 */
static void inject_preempt_context(struct engine *engine)
{
	struct request *nothing[1] = { NULL };
	struct submission *s = allocate(sizeof(*s));

	s->why = WHY_PRIORITY;
	spend(between(50, 300));
	hw_submit(engine, nothing, 1, s);
	engine->is_hwack = false;
	engine->is_preempting = true;
}

static void submit_ports(struct engine *engine, struct submission *s)
{
	int n = engine->inflight[1] ? 2 : 1;

	for (int i = n - 1; i >= 0; i--) {
		engine->port_count[i]++;
		spend(between(50, 200));
	}
	hw_submit(engine, engine->inflight, n, s);
	engine->is_hwack = false;
}

/* Hands over one list of the queue; false when the ports are full. Every request fires `in`. */
static bool dequeue_list(struct engine *engine, struct priolist *list, struct request **last,
			 int *port, struct submission *s)
{
	while (!list_empty(&list->requests)) {
		struct request *rq = container(list->requests.next, struct request, on_scheduler);

		if (*last && (*last)->context != rq->context) {
			if (*port == PORTS - 1)
				return false;
			engine->inflight[(*port)++] = *last;
		}
		request_submit(rq);
		spend(between(10, 80));
		moment_stamp(&s->moment, trace_in(rq, *port));
		*last = rq;
	}
	return true;
}

static void dequeue_queue(struct engine *engine, struct request *last)
{
	struct submission *s = allocate(sizeof(*s));
	struct request *before = last;
	int port = 0;

	while (!list_empty(&engine->priolists)) {
		struct priolist *list = container(engine->priolists.next, struct priolist, link);

		if (!dequeue_list(engine, list, &last, &port, s))
			break;
		list_remove(&list->link);
	}
	engine->priority_hint = queue_prio(engine);
	if (last == before)
		return;
	engine->inflight[port] = last;
	submit_ports(engine, s);
}

/* One set is written at a time, and none while the second port is taken. */
static void execlists_dequeue(struct engine *engine)
{
	struct request *last = engine->inflight[0];

	spend(between(20, 100));
	if (last) {
		if (!engine->is_hwack)
			return;
		if (need_preempt(engine, last)) {
			inject_preempt_context(engine);
			return;
		}
		if (engine->port_count[1])
			return;
	}
	dequeue_queue(engine, last);
}

static void schedule_out(struct request *rq, const struct csb *csb, struct moment *other)
{
	uint64_t when;

	spend(between(20, 100));
	when = trace_out(rq);
	moment_report(other, when);
	csb_told(csb, when);
	/* The entry that told of its end may have left the port in place: a lite-restore was under
	 * way. */
	if (is_complete(rq))
		moment_report(rq->end, when);
	spend(between(10, 60));
}

static void unwind_incomplete_requests(struct engine *engine)
{
	for (struct link *it = engine->requests.prev, *before; it != &engine->requests;
	     it = before) {
		struct request *rq = container(it, struct request, on_scheduler);

		before = it->prev;
		if (request_completed(rq))
			return;
		request_unsubmit(rq);
		list_move_head(&rq->on_scheduler, priolist(engine, rq->prio));
		rq->is_in_queue = true;
		spend(between(10, 60));
	}
}

/* complete_preempt_context(): execlists_cancel_port_requests() fires `out` for what is on the
 * ports. */
static void complete_preempt_context(struct engine *engine, const struct csb *csb)
{
	for (int i = 0; i < PORTS && engine->inflight[i]; i++) {
		schedule_out(engine->inflight[i], csb, engine->preempt_moment);
		engine->inflight[i] = NULL;
		engine->port_count[i] = 0;
	}
	engine->is_hwack = engine->is_preempting = false;
	engine->preempt_moment = NULL;
	unwind_incomplete_requests(engine);
}

/* execlists_port_complete() */
static void port_completes(struct engine *engine, const struct csb *csb)
{
	struct request *rq = engine->inflight[0];

	if (!rq || !engine->port_count[0])
		broken("a port completes and none is active");
	if (--engine->port_count[0])
		return;
	schedule_out(rq, csb, NULL);
	engine->inflight[0] = engine->inflight[1];
	engine->port_count[0] = engine->port_count[1];
	engine->inflight[1] = NULL;
	engine->port_count[1] = 0;
}

static void process_entry(struct engine *engine, const struct csb *csb)
{
	switch (csb->kind) {
	case CSB_IDLE_TO_ACTIVE:
		engine->is_hwack = true;
		return;
	case CSB_NEW_QUEUE:
		engine->is_hwack = true;
		if (engine->is_preempting) {
			engine->preempt_moment = csb->switched;
			return;
		}
		break;
	case CSB_ACTIVE_TO_IDLE:
		engine->is_hwack = false;
		if (!csb->from) {
			complete_preempt_context(engine, csb);
			return;
		}
		break;
	case CSB_NEXT_ELEMENT:
		break;
	}
	port_completes(engine, csb);
}

static void process_csb(struct engine *engine)
{
	unsigned end = engine->hw.csb_write;

	while (engine->csb_head != end) {
		struct csb csb = engine->hw.csb[engine->csb_head++ % CSB_ENTRIES];

		spend(between(20, 150));
		process_entry(engine, &csb);
	}
}

/* __execlists_submission_tasklet(), under the engine's lock */
static void run_submission(struct engine *engine)
{
	tasklet_begins(engine);
	spend(between(20, 100));
	process_csb(engine);
	if (!engine->is_preempting)
		execlists_dequeue(engine);
	tasklet_ends(engine);
}

static void execlists_submission_tasklet(void *arg)
{
	struct engine *engine = arg;

	spin_lock_irq(engine->lock);
	run_submission(engine);
	spin_unlock_irq(engine->lock);
}

static void legacy_submit_request(struct request *rq)
{
	struct engine *engine = rq->engine;

	spin_lock_irq(engine->lock);
	list_insert(&rq->on_scheduler, priolist(engine, rq->prio));
	rq->is_in_queue = true;
	spend(between(20, 100));
	if (rq->prio > engine->priority_hint) {
		engine->priority_hint = rq->prio;
		run_submission(engine);
	}
	spin_unlock_irq(engine->lock);
}

/* i915_scheduler.c:kick_submission() */
static void legacy_kick(struct request *rq, int prio)
{
	struct engine *engine = rq->engine;
	struct request *inflight = engine->inflight[0];

	if (prio <= engine->priority_hint)
		return;
	engine->priority_hint = prio;
	if (!inflight || prio > max_prio(PRIO_NORMAL, inflight->prio))
		tasklet_schedule(&engine->tasklet);
}

void legacy_setup(struct engine *engine)
{
	engine->submit_request = legacy_submit_request;
	engine->schedule = legacy_kick;
	engine->tasklet = (struct tasklet){ .run = execlists_submission_tasklet, .arg = engine };
	engine->priority_hint = INT_MIN;
}
