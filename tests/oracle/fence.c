/* SPDX-License-Identifier: MIT */
/* A request's fence: Linux 6.1, drivers/dma-buf/dma-fence.c and the operations of i915_request.c.
 */
#include "gpu.h"

static void trace_signaled(struct request *rq)
{
	uint64_t when = trace(TRACE_SIGNALED, rq);

	rq->signal_at = when;
	if (rq->is_listened_at_end)
		moment_report(rq->end, when);
}

static void run_callbacks(struct request *rq, struct link *list)
{
	while (!list_empty(list)) {
		struct fence_callback *callback =
			container(list->next, struct fence_callback, link);

		list_remove(&callback->link);
		spend(between(20, 80));
		callback->run(rq, callback);
	}
}

/*
 * What follows once the signaled bit is set; the caller holds the fence's lock.
 * dma-fence.c:dma_fence_signal_timestamp_locked(),
 * intel_breadcrumbs.c:__dma_fence_signal__timestamp().
 */
static void fence_notify(struct request *rq)
{
	struct link list;

	list_init(&list);
	while (!list_empty(&rq->callbacks))
		list_move_tail(rq->callbacks.next, &list);
	spend(machine.is_instant ? 0 : between(5, 40));
	trace_signaled(rq);
	run_callbacks(rq, &list);
}

void fence_signal_locked(struct request *rq)
{
	if (rq->is_signaled)
		return;
	rq->is_signaled = true;
	fence_notify(rq);
}

/* include/linux/dma-fence.h:dma_fence_is_signaled(): who looks at a complete request signals it. */
bool fence_is_signaled(struct request *rq)
{
	if (rq->is_signaled)
		return true;
	if (!is_complete(rq))
		return false;
	spend(between(5, 30));
	spin_lock_irq(&rq->lock);
	gpu.statistics.polled_signals += !rq->is_signaled;
	fence_signal_locked(rq);
	spin_unlock_irq(&rq->lock);
	return true;
}

/* dma-fence.c:__dma_fence_enable_signaling(): the bit is set before the event is fired. */
static bool enable_signaling(struct request *rq)
{
	bool was_enabled = rq->is_signaling_enabled;

	rq->is_signaling_enabled = true;
	if (rq->is_signaled)
		return false;
	if (was_enabled)
		return true;
	spend(between(5, 40));
	rq->listen_at = trace(TRACE_ENABLE_SIGNAL, rq);
	gpu.statistics.listeners++;
	gpu.statistics.late_listeners += is_complete(rq);
	spend(between(5, 60));
	request_enable_breadcrumb(rq);
	/* Up to Linux 5.3 a complete request is signalled here and now:
	 * i915_request_enable_breadcrumb() */
	return gpu.mode != MODE_LEGACY || !rq->is_signaled;
}

/* dma-fence.c:dma_fence_add_callback(); false when the fence is signalled already. */
bool fence_add_callback(struct request *rq, struct fence_callback *callback)
{
	bool is_added;

	list_init(&callback->link);
	if (rq->is_signaled)
		return false;
	spin_lock_irq(&rq->lock);
	is_added = enable_signaling(rq);
	if (is_added)
		list_insert(&callback->link, &rq->callbacks);
	spin_unlock_irq(&rq->lock);
	return is_added;
}

/* dma-fence.c:dma_fence_remove_callback(): the fence stays enabled, it has just one callback less.
 */
bool fence_remove_callback(struct request *rq, struct fence_callback *callback)
{
	bool was_there;

	spin_lock_irq(&rq->lock);
	was_there = !list_empty(&callback->link);
	list_remove(&callback->link);
	spin_unlock_irq(&rq->lock);
	return was_there;
}

/* For a fence whose signaled bit the breadcrumbs' interrupt has set; interrupts are off. */
void fence_deliver(struct request *rq)
{
	spin_lock(&rq->lock);
	fence_notify(rq);
	spin_unlock(&rq->lock);
}
