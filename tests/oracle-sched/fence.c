/* SPDX-License-Identifier: MIT */
/* Fences: Linux 6.12, drivers/dma-buf/dma-fence.c; 6.1 and 6.17 do the same unless said. */
#include "sched.h"

static uint64_t next_context = 1;

/* dma_fence_context_alloc() */
uint64_t contexts_allocate(unsigned n)
{
	uint64_t first = next_context;

	next_context += n;
	return first;
}

/* Linux 6.17, include/trace/events/dma_fence.h: the events that may come after the signal name
 * neither driver nor timeline then: dma_fence_driver_name(), dma_fence_timeline_name(). */
static uint64_t trace_fence(const char *event, const struct fence *fence, bool may_be_detached)
{
	bool is_detached = may_be_detached && world.kernel >= LINUX_6_17 && fence->is_signalled;

	return trace(event, "driver=%s timeline=%s context=%u seqno=%u",
		     is_detached ? "detached-driver" : fence->driver,
		     is_detached ? "signaled-timeline" : fence->timeline, (unsigned)fence->context,
		     (unsigned)fence->seqno);
}

/* dma_fence_init() */
void fence_init(struct fence *fence, const struct fence_ops *ops, struct spinlock *lock,
		uint64_t context, uint64_t seqno, const char *driver, const char *timeline)
{
	fence->ops = ops;
	fence->lock = lock;
	fence->context = context;
	fence->seqno = seqno;
	fence->driver = driver;
	fence->timeline = timeline;
	fence->references = 1;
	fence->signalled_at = fence->signal_event = NEVER;
	fence->irq_woken[0] = fence->irq_woken[1] = NEVER;
	list_init(&fence->callbacks);
	list_init(&fence->irq_link);
	trace_fence("dma_fence:dma_fence_init", fence, false);
}

struct fence *fence_get(struct fence *fence)
{
	if (fence) {
		if (!fence->references)
			broken("a fence that is gone gets a reference");
		fence->references++;
	}
	return fence;
}

/* dma_fence_put(), dma_fence_release() */
void fence_put(struct fence *fence)
{
	if (!fence)
		return;
	if (!fence->references)
		broken("a fence is put twice");
	if (--fence->references)
		return;
	trace_fence("dma_fence:dma_fence_destroy", fence, true);
	if (!fence->is_signalled && !list_empty(&fence->callbacks))
		broken("a fence that somebody waits for is gone");
	if (fence->ops && fence->ops->release)
		fence->ops->release(fence);
}

/* dma_fence_set_error(): it warns when the fence is signalled. */
void fence_set_error(struct fence *fence, int error)
{
	if (!fence->is_signalled)
		fence->error = error;
}

/* dma_fence_signal_timestamp_locked() */
void fence_signal_locked(struct fence *fence)
{
	struct link callbacks;

	if (fence->is_signalled)
		return;
	fence->is_signalled = true;
	fence->signalled_at = machine.now;
	irq_thread_signals(fence->irq_woken);
	list_init(&callbacks);
	while (!list_empty(&fence->callbacks)) {
		struct link *first = fence->callbacks.next;

		list_remove(first);
		list_insert(first, &callbacks);
	}
	fence->signal_event = trace_fence("dma_fence:dma_fence_signaled", fence, false);
	while (!list_empty(&callbacks)) {
		struct fence_cb *cb = container(callbacks.next, struct fence_cb, link);

		list_remove(&cb->link);
		spend(between(10, 60));
		cb->run(fence, cb);
	}
}

/* dma_fence_signal() */
void fence_signal(struct fence *fence)
{
	spin_lock_irq(fence->lock);
	fence_signal_locked(fence);
	spin_unlock_irq(fence->lock);
}

/* include/linux/dma-fence.h: dma_fence_is_signaled() */
bool fence_is_signalled(struct fence *fence)
{
	if (fence->is_signalled)
		return true;
	if (fence->ops && fence->ops->signaled && fence->ops->signaled(fence)) {
		spend(between(5, 40));
		fence_signal(fence);
		return true;
	}
	return false;
}

bool fence_is_signalled_locked(struct fence *fence)
{
	if (fence->is_signalled)
		return true;
	if (fence->ops && fence->ops->signaled && fence->ops->signaled(fence)) {
		fence_signal_locked(fence);
		return true;
	}
	return false;
}

/* __dma_fence_enable_signaling(): the event only where the driver has something to enable */
static bool enable_signaling(struct fence *fence)
{
	bool was_set = fence->is_enabled;

	fence->is_enabled = true;
	if (fence->is_signalled)
		return false;
	if (!was_set && fence->ops && fence->ops->enable_signaling) {
		trace_fence("dma_fence:dma_fence_enable_signal", fence, false);
		if (!fence->ops->enable_signaling(fence)) {
			fence_signal_locked(fence);
			return false;
		}
	}
	return true;
}

/* dma_fence_add_callback() */
bool fence_add_callback(struct fence *fence, struct fence_cb *cb, fence_fn *run)
{
	bool is_added = false;

	list_init(&cb->link);
	if (fence->is_signalled)
		return false;
	spin_lock_irq(fence->lock);
	if (enable_signaling(fence)) {
		cb->run = run;
		list_insert(&cb->link, &fence->callbacks);
		is_added = true;
	}
	spin_unlock_irq(fence->lock);
	return is_added;
}

/* dma_fence_remove_callback(). A callback that is about to run is on the list of who signals, whose
 * lock this one waits for. */
bool fence_remove_callback(struct fence *fence, struct fence_cb *cb)
{
	bool is_removed;

	spin_lock_irq(fence->lock);
	is_removed = !list_empty(&cb->link);
	if (is_removed)
		list_remove(&cb->link);
	spin_unlock_irq(fence->lock);
	return is_removed;
}

struct waiter {
	struct fence_cb cb;
	struct fiber *thread;
};

static void wake_waiter(struct fence *fence, struct fence_cb *cb)
{
	(void)fence;
	wake(container(cb, struct waiter, cb)->thread);
}

/* dma_fence_wait_timeout(), dma_fence_default_wait() */
bool fence_wait(struct fence *fence, uint64_t ns, char state)
{
	struct waiter waiter = { .thread = current_thread() };
	uint64_t until = ns == FOREVER ? FOREVER : machine.now + ns;
	bool is_signalled;

	spin_lock_irq(fence->lock);
	enable_signaling(fence);
	spin_unlock_irq(fence->lock);
	trace_fence("dma_fence:dma_fence_wait_start", fence, true);
	list_init(&waiter.cb.link);
	spin_lock_irq(fence->lock);
	if (!fence->is_signalled && ns) {
		waiter.cb.run = wake_waiter;
		list_insert(&waiter.cb.link, fence->callbacks.next);
		if (until != FOREVER)
			set_alarm(until);
		while (!fence->is_signalled && machine.now < until) {
			prepare_to_sleep_in(state);
			spin_unlock_irq(fence->lock);
			schedule();
			finish_sleep();
			spin_lock_irq(fence->lock);
		}
		list_remove(&waiter.cb.link);
		cancel_alarm();
	}
	is_signalled = fence->is_signalled;
	spin_unlock_irq(fence->lock);
	trace_fence("dma_fence:dma_fence_wait_end", fence, true);
	return is_signalled;
}
