// SPDX-License-Identifier: GPL-2.0
// Requests of the replay driver: dependencies, submission, waiting, retirement.
#include <linux/hashtable.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "i915_trace.h"

static DEFINE_HASHTABLE(requests, 12);
static DEFINE_SPINLOCK(requests_lock);
static atomic_t requests_live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(requests_gone);
static DEFINE_SPINLOCK(order_lock); /* contexts' last, requests' follower */

static const char *driver_name(struct dma_fence *fence)
{
	return "i915";
}

static const char *timeline_name(struct dma_fence *fence)
{
	return to_request(fence)->engine->name;
}

static bool enable_signaling(struct dma_fence *fence)
{
	return !i915_request_completed(to_request(fence));
}

static void release(struct dma_fence *fence)
{
	struct i915_request *rq = to_request(fence);
	unsigned long flags;

	spin_lock_irqsave(&requests_lock, flags);
	hash_del(&rq->hash);
	spin_unlock_irqrestore(&requests_lock, flags);
	if (rq->context)
		kref_put(&rq->context->ref, glr_context_free);
	if (rq->file)
		kref_put(&rq->file->ref, glr_file_free);
	dma_fence_free(fence);
	if (atomic_dec_and_test(&requests_live))
		wake_up(&requests_gone);
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = driver_name,
	.get_timeline_name = timeline_name,
	.enable_signaling = enable_signaling,
	.release = release,
};

static void retire_work(struct work_struct *work);

/* A request with this number and nothing else. The fence is the reference. */
struct i915_request *glr_request_alloc_bare(struct intel_engine_cs *engine, u64 ctx, u32 seqno)
{
	struct i915_request *rq = kzalloc(sizeof(*rq), GFP_KERNEL);
	unsigned long flags;

	if (!rq)
		return NULL;
	spin_lock_init(&rq->lock);
	INIT_LIST_HEAD(&rq->sched.link);
	INIT_LIST_HEAD(&rq->link);
	INIT_WORK(&rq->retire, retire_work);
	rq->i915 = &glr_device;
	rq->engine = engine;
	atomic_inc(&requests_live);
	dma_fence_init(&rq->fence, &fence_ops, &rq->lock, ctx, seqno);
	rq->hwsp_seqno = &rq->status;
	glr_request_complete(rq, false);
	spin_lock_irqsave(&requests_lock, flags);
	hash_add(requests, &rq->hash, ctx + seqno);
	spin_unlock_irqrestore(&requests_lock, flags);
	return rq;
}

/* A new request of a context; the caller holds the context's mutex. The fence is the reference. */
struct i915_request *glr_request_alloc(struct glr_file *file, struct intel_context *ce)
{
	struct i915_request *rq;

	/* User timelines count in twos. */
	rq = glr_request_alloc_bare(ce->engine, ce->fence_context, ce->seqno + 2);
	if (!rq)
		return NULL;
	ce->seqno += 2;
	rq->tail = ce->seqno * 64 % 16384;
	rq->sched.attr.priority = ce->priority;
	rq->context = ce;
	kref_get(&ce->ref);
	rq->file = file;
	kref_get(&file->ref);
	return rq;
}

/* The request with this number, with a reference to its fence, or NULL. */
struct i915_request *glr_request_find(u64 ctx, u64 seqno)
{
	struct i915_request *rq, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&requests_lock, flags);
	hash_for_each_possible(requests, rq, hash, ctx + seqno) {
		if (rq->fence.context != ctx || rq->fence.seqno != seqno)
			continue;
		if (kref_get_unless_zero(&rq->fence.refcount))
			found = rq;
		break;
	}
	spin_unlock_irqrestore(&requests_lock, flags);
	return found;
}

/* Waits until every request is gone: before the module is. */
void glr_requests_drain(void)
{
	wait_event(requests_gone, !atomic_read(&requests_live));
}

/* The last of a request's dependencies is done: it goes to the engine's queue. */
static void submit_notify(struct i915_request *rq)
{
	rq->truth.submit_ns = ktime_get_ns();
	trace_i915_request_submit(rq);
	execlists_submit_request(rq);
}

/*
 * The requests of a context are submitted in their order, for they share a ring: the one before rq
 * is waited for, as __i915_request_ensure_ordering() sees to. The context's mutex is held.
 */
static void follow(struct intel_context *ce, struct i915_request *rq)
{
	unsigned long flags;

	spin_lock_irqsave(&order_lock, flags);
	if (ce->last) {
		atomic_inc(&rq->blocked_on);
		dma_fence_get(&rq->fence);
		ce->last->follower = rq;
	}
	ce->last = rq;
	spin_unlock_irqrestore(&order_lock, flags);
}

/* Who waits for rq, which has been submitted; with a reference to its fence, or NULL. */
static struct i915_request *take_follower(struct i915_request *rq)
{
	struct i915_request *follower;
	unsigned long flags;

	spin_lock_irqsave(&order_lock, flags);
	follower = rq->follower;
	rq->follower = NULL;
	if (rq->context->last == rq)
		rq->context->last = NULL;
	spin_unlock_irqrestore(&order_lock, flags);
	return follower;
}

/* The caller has a reference, or the context's mutex. */
static void unblock(struct i915_request *rq)
{
	struct i915_request *given = NULL, *next;

	while (rq && atomic_dec_and_test(&rq->blocked_on)) {
		submit_notify(rq);
		next = take_follower(rq);
		if (given)
			dma_fence_put(&given->fence);
		rq = given = next;
	}
	if (given)
		dma_fence_put(&given->fence);
}

static void dep_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct i915_request *rq = container_of(cb, struct glr_dep, cb)->rq;

	unblock(rq);
	dma_fence_put(&rq->fence);
}

/* Queues and adds a request that depends on args->n_deps fences. The context's mutex is held. */
void glr_request_submit(struct i915_request *rq, const struct glr_submit *args,
			struct dma_fence **deps)
{
	struct intel_context *ce = rq->context;
	unsigned int i;

	rq->left_ns = args->duration_ns;
	rq->error = args->error;
	rq->truth = (struct glr_truth){
		.ctx = rq->fence.context,
		.seqno = rq->fence.seqno,
		.class = rq->engine->uabi_class,
		.instance = rq->engine->uabi_instance,
		.queue_ns = ktime_get_ns(),
	};
	atomic_set(&rq->blocked_on, 1);
	trace_i915_request_queue(rq, args->flags);
	if (!(args->flags & GLR_SUBMIT_QUIET))
		dma_fence_enable_sw_signaling(&rq->fence);
	list_add_tail(&rq->link, &ce->requests);
	dma_fence_get(&rq->fence); /* until it is retired */
	trace_i915_request_add(rq);
	follow(ce, rq);
	for (i = 0; i < args->n_deps; i++) {
		rq->deps[i].rq = rq;
		atomic_inc(&rq->blocked_on);
		dma_fence_get(&rq->fence);
		if (dma_fence_add_callback(deps[i], &rq->deps[i].cb, dep_signaled)) {
			dma_fence_put(&rq->fence);
			atomic_dec(&rq->blocked_on);
		}
	}
	unblock(rq);
}

/* Retires a request that is complete; what nobody asked to be told of is signalled here. */
noinline bool i915_request_retire(struct i915_request *rq)
{
	unsigned long flags;

	if (!i915_request_completed(rq))
		return false;
	trace_i915_request_retire(rq);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags)) {
		spin_lock_irqsave(&rq->lock, flags);
		dma_fence_signal_locked(&rq->fence);
		spin_unlock_irqrestore(&rq->lock, flags);
	}
	list_del_init(&rq->link);
	return true;
}

static void keep_truth(struct i915_request *rq)
{
	struct glr_truth_node *node = kmalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return;
	node->truth = rq->truth;
	spin_lock(&rq->file->truth_lock);
	list_add_tail(&node->link, &rq->file->truth);
	spin_unlock(&rq->file->truth_lock);
}

/* Retires the context's requests up to this one, oldest first. */
static void retire_work(struct work_struct *work)
{
	struct i915_request *rq = container_of(work, struct i915_request, retire);
	struct intel_context *ce = rq->context;
	struct i915_request *old, *next;

	kref_get(&ce->ref);
	mutex_lock(&ce->mutex);
	list_for_each_entry_safe(old, next, &ce->requests, link) {
		if (!i915_request_retire(old))
			break;
		keep_truth(old);
		dma_fence_put(&old->fence);
	}
	mutex_unlock(&ce->mutex);
	dma_fence_put(&rq->fence); /* the work's reference */
	kref_put(&ce->ref, glr_context_free);
}

/* The hardware is done with a request: its retirement is left to a worker. */
void glr_request_done(struct i915_request *rq)
{
	dma_fence_get(&rq->fence);
	if (!queue_work(glr_workqueue, &rq->retire))
		dma_fence_put(&rq->fence);
}

/* Waits for a request as i915's wait ioctl does. Returns 0, -ETIME or -ERESTARTSYS. */
long glr_request_wait(struct i915_request *rq, u64 timeout_ns)
{
	long timeout = timeout_ns == ~0ull ? MAX_SCHEDULE_TIMEOUT : nsecs_to_jiffies(timeout_ns);
	long left;

	if (dma_fence_is_signaled(&rq->fence))
		return 0; /* as i915 does, before it says that anybody waits */
	trace_i915_request_wait_begin(rq, 1);
	left = dma_fence_wait_timeout(&rq->fence, true, timeout);
	trace_i915_request_wait_end(rq);
	return left < 0 ? left : left == 0 ? -ETIME : 0;
}
