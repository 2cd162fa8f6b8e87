/* SPDX-License-Identifier: MIT */
/*
 * Who listens to several requests in one go: Linux 6.1, drivers/dma-buf/dma-fence-array.c and
 * dma-fence-chain.c. An array listens to all of its fences with interrupts off. A chain listens to
 * its newest point; when that is signalled, an interrupt goes on with the next older one.
 */
#include "gpu.h"

struct array_callback {
	struct fence_callback callback;
	struct fence_array *array;
};

struct fence_array {
	struct spinlock lock;
	struct request *fences[MAX_ARRAY];
	struct array_callback callbacks[MAX_ARRAY];
	int n_fences, n_pending;
	bool is_signaled, is_signaling_enabled;
	struct irq_work work;
	action_fn *run; /* the array's own callback */
	void *arg;
};

struct fence_chain {
	struct spinlock lock;
	struct fence_array *points[MAX_ARRAY]; /* the newest last; one fence stands for itself */
	int n_points;
	struct irq_work work;
	struct fence_callback callback;
};

/* -- Arrays -- */

/* dma-fence.c:dma_fence_signal_timestamp_locked() of the array; the caller holds its lock. */
static void array_signal_locked(struct fence_array *array)
{
	if (array->is_signaled)
		return;
	array->is_signaled = true;
	spend(between(10, 60));
	if (array->run)
		array->run(array->arg);
}

/* irq_dma_fence_array_work() */
static void array_irq_work(void *arg)
{
	struct fence_array *array = arg;

	spin_lock_irq(&array->lock);
	array_signal_locked(array);
	spin_unlock_irq(&array->lock);
}

struct fence_array *fence_array_create(struct request *const fences[], int n, bool signal_on_any)
{
	struct fence_array *array = allocate(sizeof(*array));

	array->n_fences = n;
	array->n_pending = signal_on_any ? 1 : n;
	array->work.run = array_irq_work;
	array->work.arg = array;
	for (int i = 0; i < n; i++)
		array->fences[i] = fences[i];
	return array;
}

/* dma_fence_array_cb_func() */
static void array_callback(struct request *rq, struct fence_callback *callback)
{
	struct fence_array *array = container(callback, struct array_callback, callback)->array;

	(void)rq;
	if (!--array->n_pending)
		irq_work_queue(&array->work);
}

/* From one fence to the next: now and then what it looks at is in no cache. */
static void next_fence(void)
{
	spend(chance(10) ? between(100, 400) : between(10, 60));
}

/* dma_fence_array_enable_signaling(); false when the array is found signalled. */
static bool array_enable_signaling(struct fence_array *array)
{
	gpu.statistics.arrays++;
	for (int i = 0; i < array->n_fences; i++) {
		struct array_callback *cb = &array->callbacks[i];
		struct request *rq = array->fences[i];
		bool is_added, had_listener = rq->listen_at;

		next_fence();
		cb->array = array;
		cb->callback.run = array_callback;
		is_added = fence_add_callback(rq, &cb->callback);
		gpu.statistics.array_fences++;
		gpu.statistics.array_new_listeners += !had_listener && rq->listen_at;
		if (!is_added && !--array->n_pending)
			return false;
	}
	return true;
}

/* dma-fence.c:dma_fence_add_callback() of the array; false when it is signalled already. */
static bool array_add_callback(struct fence_array *array, action_fn *run, void *arg)
{
	spin_lock_irq(&array->lock);
	if (!array->is_signaled && !array->is_signaling_enabled) {
		array->is_signaling_enabled = true;
		if (!array_enable_signaling(array))
			array_signal_locked(array);
	}
	if (!array->is_signaled) {
		array->run = run;
		array->arg = arg;
	}
	spin_unlock_irq(&array->lock);
	return !array->is_signaled;
}

/* dma_fence_array_signaled(): before it listens, it looks at each fence. */
static bool array_looks_signaled(struct fence_array *array)
{
	int n_pending = array->n_pending;

	if (array->is_signaling_enabled)
		return n_pending <= 0;
	for (int i = 0; i < array->n_fences; i++) {
		spend(between(5, 40));
		if (fence_is_signaled(array->fences[i]) && !--n_pending)
			return true;
	}
	return false;
}

/* include/linux/dma-fence.h:dma_fence_is_signaled() */
bool fence_array_is_signaled(struct fence_array *array)
{
	if (array->is_signaled)
		return true;
	if (!array_looks_signaled(array))
		return false;
	spin_lock_irq(&array->lock);
	array_signal_locked(array);
	spin_unlock_irq(&array->lock);
	return true;
}

static void nobody_cares(void *arg)
{
	(void)arg;
}

/* sync_file.c:sync_file_poll() */
void fence_array_listen(struct fence_array *array)
{
	array_add_callback(array, nobody_cares, NULL);
	spend(between(20, 100));
	fence_array_is_signaled(array);
}

static void wake_thread(void *thread)
{
	wake(thread);
}

/* dma-fence.c:dma_fence_default_wait() */
void fence_array_wait(struct fence_array *array, uint64_t timeout)
{
	uint64_t until = machine.now + timeout;

	spend(between(30, 200));
	if (!array_add_callback(array, wake_thread, current_thread()))
		return;
	at(until > machine.now ? until : machine.now, wake_thread, current_thread());
	for (;;) {
		prepare_to_sleep();
		if (array->is_signaled || machine.now >= until)
			break;
		schedule();
	}
	finish_sleep();
	spin_lock_irq(&array->lock);
	array->run = NULL;
	spin_unlock_irq(&array->lock);
}

/* -- Chains -- */

/* dma_fence_chain_cb() */
static void chain_goes_on(void *arg)
{
	struct fence_chain *chain = arg;

	irq_work_queue(&chain->work);
}

static void chain_callback(struct request *rq, struct fence_callback *callback)
{
	(void)rq;
	chain_goes_on(container(callback, struct fence_chain, callback));
}

static bool point_is_signaled(struct fence_array *point)
{
	return point->n_fences == 1 ? fence_is_signaled(point->fences[0])
				    : fence_array_is_signaled(point);
}

static bool listen_to_point(struct fence_chain *chain, struct fence_array *point)
{
	if (point->n_fences > 1)
		return array_add_callback(point, chain_goes_on, chain);
	chain->callback.run = chain_callback;
	return fence_add_callback(point->fences[0], &chain->callback);
}

/*
 * dma_fence_chain_enable_signaling(): the newest point that is not signalled.
 * dma_fence_chain_walk() looks at each older point before, and so signals it when it is complete.
 */
static void chain_enable_signaling(struct fence_chain *chain)
{
	bool is_newest = true;

	for (; chain->n_points; chain->n_points--, is_newest = false) {
		struct fence_array *point = chain->points[chain->n_points - 1];

		next_fence();
		if (!is_newest && point_is_signaled(point))
			continue;
		if (listen_to_point(chain, point))
			return;
	}
}

/* dma_fence_chain_irq_work() */
static void chain_irq_work(void *arg)
{
	gpu.statistics.chain_interrupts++;
	chain_enable_signaling(arg);
}

struct fence_chain *fence_chain_create(struct fence_array *const points[], int n)
{
	struct fence_chain *chain = allocate(sizeof(*chain));

	chain->n_points = n;
	chain->work.run = chain_irq_work;
	chain->work.arg = chain;
	for (int i = 0; i < n; i++)
		chain->points[i] = points[i];
	return chain;
}

/* dma-fence.c:dma_fence_add_callback() of the chain's newest point */
void fence_chain_listen(struct fence_chain *chain)
{
	spin_lock_irq(&chain->lock);
	chain_enable_signaling(chain);
	spin_unlock_irq(&chain->lock);
}
