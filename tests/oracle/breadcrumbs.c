/* SPDX-License-Identifier: MIT */
/* Who listens to an engine's requests, and the interrupt that tells them: Linux 6.1,
 * gt/intel_breadcrumbs.c. */
#include "gpu.h"

/* __intel_breadcrumbs_arm_irq(): requests may have completed before the interrupt was on. */
static void arm(struct breadcrumbs *b)
{
	if (!b->irq_engine || b->is_armed)
		return;
	b->is_armed = true;
	/* From Gen11 on the interrupt is always on: intel_engine_cs.c:intel_engine_irq_enable() */
	if (gpu.is_user_irq_masked)
		irq_work_queue(&b->work);
}

static void add_signaled(struct request **list, struct request *rq)
{
	rq->next_signaled = *list;
	*list = rq;
}

/* remove_signaling_context() */
static bool remove_context_if_empty(struct context *ce)
{
	if (!list_empty(&ce->signals))
		return false;
	list_remove(&ce->on_signalers);
	ce->is_listening = false;
	return true;
}

/*
 * The complete requests of one context, oldest first. add_retire(): the timeline's last one makes
 * the engine's worker retire the timeline.
 */
static void collect_context(struct breadcrumbs *b, struct context *ce, struct request **signaled)
{
	each_link_safe(it, &ce->signals)
	{
		struct request *rq = container(it, struct request, on_signal_list);

		if (!is_complete(rq) || !rq->is_on_signals)
			return;
		rq->is_on_signals = false;
		list_remove(&rq->on_signal_list);
		if (remove_context_if_empty(ce) && ce->last_request == rq && b->irq_engine)
			engine_add_retire(b->irq_engine, ce);
		if (!rq->is_signaled) {
			rq->is_signaled = true;
			add_signaled(signaled, rq);
		}
	}
}

/* signal_irq_work(): slist_add() puts each request in front, so the newest is signalled first. */
static void signal_irq_work(void *arg)
{
	struct breadcrumbs *b = arg;
	struct request *signaled = b->signaled, *next;

	b->signaled = NULL;
	spend(machine.is_instant ? 0 : between(20, 120));
	if (!signaled && b->is_armed && list_empty(&b->signalers))
		b->is_armed = false;
	each_link_safe(it, &b->signalers)
		collect_context(b, container(it, struct context, on_signalers), &signaled);
	for (; signaled; signaled = next) {
		next = signaled->next_signaled;
		fence_deliver(signaled);
		spend(between(10, 60));
	}
	if (!b->is_armed && !list_empty(&b->signalers))
		arm(b);
}

/*
 * Linux 5.1 to 5.3, intel_breadcrumbs.c:intel_engine_breadcrumbs_irq(): in the interrupt itself,
 * the oldest first.
 */
static void signal_in_order(struct breadcrumbs *b)
{
	struct request *newest_first = NULL, *signaled = NULL, *next;

	each_link_safe(it, &b->signalers)
		collect_context(b, container(it, struct context, on_signalers), &newest_first);
	for (; newest_first; newest_first = next) {
		next = newest_first->next_signaled;
		add_signaled(&signaled, newest_first);
	}
	for (; signaled; signaled = next) {
		next = signaled->next_signaled;
		fence_deliver(signaled);
		spend(between(10, 60));
	}
}

static void legacy_irq_work(void *arg)
{
	struct breadcrumbs *b = arg;

	spend(machine.is_instant ? 0 : between(20, 120));
	if (b->is_armed && list_empty(&b->signalers))
		b->is_armed = false;
	signal_in_order(b);
	if (!b->is_armed && !list_empty(&b->signalers))
		arm(b);
}

void breadcrumbs_init(struct breadcrumbs *b, struct engine *irq_engine)
{
	*b = (struct breadcrumbs){ .irq_engine = irq_engine };
	b->work.run = gpu.mode == MODE_LEGACY ? legacy_irq_work : signal_irq_work;
	b->work.arg = b;
	list_init(&b->signalers);
}

/* intel_engine_signal_breadcrumbs(), called by the interrupt's handler */
void signal_breadcrumbs(struct engine *engine)
{
	if (gpu.mode == MODE_LEGACY)
		legacy_irq_work(&engine->breadcrumbs);
	else
		irq_work_queue(&engine->breadcrumbs.work);
}

/* irq_signal_request() */
static void irq_signal_request(struct request *rq, struct breadcrumbs *b)
{
	if (rq->is_signaled)
		return;
	rq->is_signaled = true;
	add_signaled(&b->signaled, rq);
	irq_work_queue(&b->work);
}

static void insert_in_order(struct context *ce, struct request *rq)
{
	struct link *where = &ce->signals;

	while (where->prev != &ce->signals &&
	       container(where->prev, struct request, on_signal_list)->seqno > rq->seqno)
		where = where->prev;
	list_insert(&rq->on_signal_list, where);
}

static void insert_breadcrumb(struct request *rq)
{
	struct breadcrumbs *b = &rq->engine->breadcrumbs;
	struct context *ce = rq->context;

	if (rq->is_on_signals)
		return;
	if (is_complete(rq)) {
		if (gpu.mode == MODE_LEGACY)
			fence_signal_locked(rq);
		else
			irq_signal_request(rq, b);
		return;
	}
	if (!ce->is_listening) {
		ce->is_listening = true;
		list_insert(&ce->on_signalers, &b->signalers);
	}
	insert_in_order(ce, rq);
	rq->is_on_signals = true;
	/* Up to Linux 5.3 the interrupt is turned on at once: __intel_breadcrumbs_arm_irq() */
	if (gpu.mode == MODE_LEGACY)
		b->is_armed = true;
	spend(between(5, 30));
	if (!b->is_armed || is_complete(rq))
		irq_work_queue(&b->work);
}

/* i915_request_enable_breadcrumb(): one that is not handed over yet is attached when it is. */
void request_enable_breadcrumb(struct request *rq)
{
	if (rq->is_signaled || !rq->is_active)
		return;
	spin_lock_irq(&rq->context->signal_lock);
	if (rq->is_active)
		insert_breadcrumb(rq);
	spin_unlock_irq(&rq->context->signal_lock);
}

/* i915_request_cancel_breadcrumb() */
void request_cancel_breadcrumb(struct request *rq)
{
	struct context *ce = rq->context;
	bool was_on;

	spin_lock_irq(&ce->signal_lock);
	was_on = rq->is_on_signals;
	if (was_on) {
		rq->is_on_signals = false;
		list_remove(&rq->on_signal_list);
		remove_context_if_empty(ce);
	}
	spin_unlock_irq(&ce->signal_lock);
	spend(between(5, 40));
	if (was_on && is_complete(rq)) {
		rq->is_listened_at_end = true;
		irq_signal_request(rq, &rq->engine->breadcrumbs);
	}
}

/*
 * intel_context_remove_breadcrumbs(): the context may go to another engine. After a reset one may
 * be incomplete; the driver signals it all the same (a GEM_BUG_ON() of debug builds), here it loses
 * its listener.
 */
void context_remove_breadcrumbs(struct context *ce, struct breadcrumbs *b)
{
	spin_lock_irq(&ce->signal_lock);
	each_link_safe(it, &ce->signals)
	{
		struct request *rq = container(it, struct request, on_signal_list);

		list_remove(&rq->on_signal_list);
		rq->is_on_signals = false;
		if (is_complete(rq))
			irq_signal_request(rq, b);
	}
	if (ce->is_listening)
		remove_context_if_empty(ce);
	spin_unlock_irq(&ce->signal_lock);
}

/*
 * The hardware completes a request: does somebody hear of it at once, by an interrupt or as he
 * looks? __i915_request_unsubmit() clears I915_FENCE_FLAG_ACTIVE before it cancels the breadcrumb:
 * between the two signal_irq_work() still finds the request among its context's.
 */
void hears_completion(struct request *rq)
{
	rq->is_listened_at_end = (rq->listen_at && (rq->is_active || rq->is_on_signals)) ||
				 (rq->spinner && thread_is_on_cpu(rq->spinner));
	if (!rq->is_active && rq->listen_at)
		gpu.statistics.complete_while_unsubmitted++;
}
