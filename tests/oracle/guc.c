/* SPDX-License-Identifier: MIT */
/*
 * Submission by the GuC: Linux 6.1, gt/uc/intel_guc_submission.c for the driver's side. All engines
 * share one queue and one lock. Which context runs is the firmware's choice, of which no event
 * tells: here the highest of four priorities, the longest waiting first, with time slices among
 * equals.
 */
#include "gpu.h"

/* The shared sched_engine: guc->sched_engine. */
static struct engine guc_queue;

/* -- The firmware -- */

/* map_i915_prio_to_guc_prio(): 0 is the highest */
static int guc_prio(const struct context *ce)
{
	int prio = ce->prio;

	return prio < PRIO_NORMAL ? 3 : prio == PRIO_NORMAL ? 2 : prio <= PRIO_MAX ? 1 : 0;
}

static struct element work_of(struct context *ce)
{
	return (struct element){ ce, ce->guc_tail };
}

static bool has_work(struct context *ce, const struct engine *engine)
{
	struct element element = work_of(ce);

	return ce->engine == engine && ce->guc_is_queued && hw_next_request(&element);
}

static struct context *best_context(struct engine *engine)
{
	struct context *best = NULL;

	for (int i = 0; i < gpu.n_contexts; i++) {
		struct context *ce = gpu.contexts[i];

		if (has_work(ce, engine) &&
		    (!best || guc_prio(ce) < guc_prio(best) ||
		     (guc_prio(ce) == guc_prio(best) && ce->guc_since < best->guc_since)))
			best = ce;
	}
	return best;
}

static struct context *running_context(struct engine *engine)
{
	return engine->hw.n_elements ? engine->hw.elements[0].context : NULL;
}

static void quantum_ends(void *arg);

static void start(struct engine *engine, struct context *ce)
{
	ce->guc_since = machine.now;
	engine->hw.n_elements = 0;
	hw_extend(engine, ce, ce->guc_tail);
	if (engine->timeslice)
		at(machine.now + engine->timeslice, quantum_ends, engine);
}

/* The running request leaves the engine for another context. */
static void switch_away(struct engine *engine, struct context *to, enum why why)
{
	struct request *rq = engine->hw.running;
	struct moment *end = moment_new(machine.now, NULL, NULL);

	hw_stop(engine, end);
	preempted(engine, rq, end, why);
	rq->context->guc_since = machine.now;
	start(engine, to);
}

static void arbitrate(void *arg)
{
	struct engine *engine = arg;
	struct context *now = running_context(engine), *best = best_context(engine);

	if (!best)
		return;
	if (!now)
		start(engine, best);
	else if (now == best)
		hw_extend(engine, now, now->guc_tail);
	else if (engine->hw.state == HW_RUNNING && guc_prio(best) < guc_prio(now))
		switch_away(engine, best, WHY_PRIORITY);
	else if (engine->hw.state == HW_LOADING)
		at(machine.now + hardware_time(500, 3000) + 1, arbitrate, engine);
}

/* Round robin among contexts of one priority. */
static void quantum_ends(void *arg)
{
	struct engine *engine = arg;
	struct context *now = running_context(engine), *best;

	if (!now || engine->hw.state != HW_RUNNING ||
	    machine.now < now->guc_since + engine->timeslice)
		return;
	now->guc_since = machine.now;
	best = best_context(engine);
	if (best && best != now && guc_prio(best) == guc_prio(now))
		switch_away(engine, best, WHY_TIMESLICE);
	else
		at(machine.now + engine->timeslice, quantum_ends, engine);
}

/* A request has completed: the context goes on, or another one begins. */
static void goes_on(struct engine *engine)
{
	struct context *now = running_context(engine), *best = best_context(engine);

	if (!best) {
		engine->hw.state = HW_IDLE;
		engine->hw.n_elements = 0;
		return;
	}
	if (now && now != best && has_work(now, engine) && guc_prio(now) == guc_prio(best))
		best = now;
	if (best == now) {
		struct element element = work_of(now);

		engine->hw.elements[0] = element;
		gpu.statistics.coalesced++;
		hw_run(engine, hw_next_request(&element),
		       moment_new(machine.now, engine->hw.last_end, NULL));
	} else {
		start(engine, best);
	}
}

struct message {
	struct context *context;
	uint32_t tail;
};

/* The message has reached the firmware. */
static void context_is_scheduled(void *arg)
{
	struct message *message = arg;
	struct context *ce = message->context;

	if (!ce->guc_is_queued || ce->guc_tail < message->tail) {
		struct element before = work_of(ce);

		if (!ce->guc_is_queued || !hw_next_request(&before))
			ce->guc_since = machine.now;
		ce->guc_is_queued = true;
		ce->guc_tail = message->tail;
	}
	at(machine.now + hardware_time(500, 6000), arbitrate, ce->engine);
}

/* -- The driver -- */

/* guc_set_lrc_tail(), guc_add_request(): the event tells of the last request that goes along. */
static void guc_add_request(struct request *rq)
{
	struct message *message = allocate(sizeof(*message));

	*message = (struct message){ rq->context, rq->seqno };
	spend(between(100, 600));
	at(machine.now + hardware_time(500, 8000), context_is_scheduled, message);
	trace(TRACE_GUC_SUBMIT, rq);
	spend(between(20, 100));
}

static void hand_over(struct request *rq)
{
	list_remove(&rq->on_scheduler);
	request_submit(rq);
	spend(between(10, 80));
	trace_in(rq, 0);
}

/* guc_dequeue_one_context() */
static bool dequeue_one_context(void)
{
	struct request *last = NULL, *rq;

	while ((rq = first_queued(&guc_queue))) {
		if (last && last->context != rq->context)
			break;
		hand_over(rq);
		last = rq;
	}
	priolists_tidy(&guc_queue);
	if (!last)
		return false;
	last->context->is_registered = true;
	guc_add_request(last);
	return true;
}

static void guc_submission_tasklet(void *arg)
{
	struct engine *engine = &gpu.engines[0];

	(void)arg;
	spin_lock_irq(&gpu.guc_lock);
	tasklet_begins(engine);
	spend(between(20, 100));
	while (dequeue_one_context())
		;
	tasklet_ends(engine);
	spin_unlock_irq(&gpu.guc_lock);
}

static struct tasklet guc_tasklet = { .run = guc_submission_tasklet };

/* guc_submit_request(), need_tasklet(): the queue is skipped when it is empty. */
static void guc_submit_request(struct request *rq)
{
	spin_lock_irq(&gpu.guc_lock);
	spend(between(20, 100));
	if (first_queued(&guc_queue) || !rq->context->is_registered) {
		list_insert(&rq->on_scheduler, priolist(&guc_queue, rq->prio));
		rq->is_in_queue = true;
		tasklet_schedule(&guc_tasklet);
	} else {
		hand_over(rq);
		guc_add_request(rq);
	}
	spin_unlock_irq(&gpu.guc_lock);
}

void guc_setup(struct engine *engine)
{
	if (!guc_queue.lock) {
		guc_queue.lock = &gpu.guc_lock;
		list_init(&guc_queue.priolists);
		list_init(&guc_queue.requests);
	}
	engine->lock = &gpu.guc_lock;
	engine->queue = &guc_queue;
	engine->submit_request = guc_submit_request;
	hw_ring_empty = goes_on;
}
