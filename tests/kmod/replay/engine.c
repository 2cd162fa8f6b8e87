// SPDX-License-Identifier: GPL-2.0
// Engines of the replay driver: execlists with two ports on hardware that is a timer.
//
// The order of the events is the one of i915's execlists back end since Linux 5.4: the tasklet
// takes in what the hardware did, hands it the next requests (execute for each, then `in` from the
// last port to the first), and gives back what was on the ports (`out`, first port first). A
// request of higher priority takes back everything on the engine that is not complete (unsubmit,
// newest first).
#include <linux/module.h>
#include <linux/version.h>

#include "i915_trace.h"

static struct intel_engine_cs engines[GL_CLASSES][GL_MAX_INSTANCES];

struct intel_engine_cs *glr_engine(u16 class, u16 instance)
{
	if (class >= GL_CLASSES || instance >= GL_MAX_INSTANCES)
		return NULL;
	return &engines[class][instance];
}

/* Puts a request in the queue: behind its equals, or before them when it was taken back. */
static void queue_request(struct i915_sched_engine *se, struct i915_request *rq, bool first)
{
	struct i915_request *other;

	list_for_each_entry(other, &se->queue, sched.link)
		if (first ? other->sched.attr.priority <= rq->sched.attr.priority
			  : other->sched.attr.priority < rq->sched.attr.priority)
			break;
	list_add_tail(&rq->sched.link, &other->sched.link);
}

noinline void execlists_submit_request(struct i915_request *request)
{
	struct intel_engine_cs *engine = request->engine;
	struct i915_sched_engine *se = engine->sched_engine;
	unsigned long flags;

	spin_lock_irqsave(&se->lock, flags);
	dma_fence_get(&request->fence); /* while the engine knows it */
	queue_request(se, request, false);
	tasklet_hi_schedule(&se->tasklet);
	spin_unlock_irqrestore(&se->lock, flags);
}

noinline bool __i915_request_submit(struct i915_request *request)
{
	struct i915_sched_engine *se = request->engine->sched_engine;

	list_del_init(&request->sched.link);
	if (i915_request_completed(request)) {
		dma_fence_put(&request->fence);
		return false;
	}
	trace_i915_request_execute(request);
	list_add_tail(&request->sched.link, &se->requests);
	return true;
}

/* Only a hook for tracers, as in i915, which has no tracepoint here. */
noinline void __i915_request_unsubmit(struct i915_request *request)
{
	barrier();
}

/* The hardware stops running: what it did of the request counts. */
static void hw_stop(struct intel_engine_cs *engine, u64 now)
{
	struct i915_request *rq = engine->running;
	u64 ran;

	if (!rq)
		return;
	ran = min(now - engine->since_ns, rq->left_ns);
	rq->left_ns -= ran;
	rq->truth.running_ns += now - engine->since_ns;
	rq->off_ns = now;
	engine->running = NULL;
}

/* The hardware runs the oldest request handed to it. */
static void hw_start(struct intel_engine_cs *engine, u64 now)
{
	struct i915_sched_engine *se = engine->sched_engine;
	struct i915_request *rq = list_first_entry_or_null(&se->requests, typeof(*rq), sched.link);

	if (!rq || engine->running)
		return;
	engine->running = rq;
	engine->since_ns = now;
	if (rq->truth.n_runs++)
		rq->truth.preempted_ns += now - rq->off_ns;
	else
		rq->truth.first_start_ns = now;
	hrtimer_start(&engine->timer, ns_to_ktime(now + rq->left_ns), HRTIMER_MODE_ABS);
}

/* __i915_request_reset() of intel_reset.c, i915_request_cancel(): the fence has its error before it
 * is signalled. */
static void end_by_error(struct i915_request *rq)
{
	if (!rq->error)
		return;
	if (rq->error == -EIO)
		intel_gt_reset(NULL, 1, "it hangs");
	dma_fence_set_error(&rq->fence, rq->error);
}

/* The hardware's interrupt: a request is complete, the next one runs. */
static enum hrtimer_restart hw_interrupt(struct hrtimer *timer)
{
	struct intel_engine_cs *engine = container_of(timer, struct intel_engine_cs, timer);
	struct i915_sched_engine *se = engine->sched_engine;
	struct i915_request *rq;
	unsigned long flags;
	u64 now;

	spin_lock_irqsave(&se->lock, flags);
	now = ktime_get_ns();
	rq = engine->running;
	if (!rq || now < engine->since_ns + rq->left_ns) {
		/* It was taken back, or another one runs, after this timer had fired. */
		spin_unlock_irqrestore(&se->lock, flags);
		return HRTIMER_NORESTART;
	}
	hw_stop(engine, now);
	rq->left_ns = 0;
	rq->truth.end_ns = now;
	glr_request_complete(rq, true);
	list_del_init(&rq->sched.link);
	/* Hardware goes on by itself; that the other one is over is told later. */
	hw_start(engine, now);
	spin_unlock_irqrestore(&se->lock, flags);

	end_by_error(rq);
	/* The breadcrumb's interrupt tells those who have asked to be told. */
	if (test_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &rq->fence.flags))
		dma_fence_signal(&rq->fence);
	glr_request_done(rq);

	tasklet_hi_schedule(&se->tasklet);
	dma_fence_put(&rq->fence);
	return HRTIMER_NORESTART;
}

/* hrtimer_setup() came with Linux 6.13, in place of hrtimer_init(). */
static void setup_timer(struct hrtimer *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, hw_interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = hw_interrupt;
#endif
}

/* Takes the ports' contexts that have nothing left to run; they are given back later. */
static unsigned int process_csb(struct intel_engine_cs *engine, struct i915_request **post)
{
	struct i915_request **ports = engine->execlists.inflight;
	unsigned int n = 0;

	while (ports[0] && i915_request_completed(ports[0])) {
		post[n++] = ports[0];
		ports[0] = ports[1];
		ports[1] = NULL;
	}
	return n;
}

static bool need_preempt(struct intel_engine_cs *engine)
{
	struct i915_sched_engine *se = engine->sched_engine;
	struct i915_request *next, *last;

	next = list_first_entry_or_null(&se->queue, typeof(*next), sched.link);
	last = list_first_entry_or_null(&se->requests, typeof(*last), sched.link);
	return next && last && next->sched.attr.priority > last->sched.attr.priority;
}

/*
 * Takes back what is on the hardware, newest first; its contexts leave the ports. The hardware goes
 * on with what it runs until it is told of the next ones.
 */
static unsigned int preempt(struct intel_engine_cs *engine, struct i915_request **post)
{
	struct i915_sched_engine *se = engine->sched_engine;
	struct i915_request *by = list_first_entry(&se->queue, typeof(*by), sched.link);
	struct i915_request *rq, *prev;
	unsigned int n = 0;
	unsigned int i;

	list_for_each_entry_safe_reverse(rq, prev, &se->requests, sched.link) {
		__i915_request_unsubmit(rq);
		list_del_init(&rq->sched.link);
		queue_request(se, rq, true);
		if (rq->truth.n_runs)
			rq->truth.preempted_by = by->fence.context;
	}
	for (i = 0; i < EXECLIST_MAX_PORTS; i++) {
		if (engine->execlists.inflight[i])
			post[n++] = engine->execlists.inflight[i];
		engine->execlists.inflight[i] = NULL;
	}
	return n;
}

/*
 * Fills the ports: one context each, its requests coalesced. The hardware is always told of both
 * ports: what stays on the first one goes in again, and its older stay is among those to give back,
 * whose number is returned.
 */
static unsigned int dequeue(struct intel_engine_cs *engine, struct i915_request **post)
{
	struct i915_sched_engine *se = engine->sched_engine;
	struct i915_request **ports = engine->execlists.inflight;
	struct i915_request *rq, *next;
	unsigned int first = ports[0] ? 1 : 0;
	unsigned int port = first;
	struct i915_request *last = NULL;
	unsigned int n = 0;
	u64 now;

	if (ports[1])
		return 0;
	list_for_each_entry_safe(rq, next, &se->queue, sched.link) {
		if (last && last->context != rq->context) {
			if (port + 1 == EXECLIST_MAX_PORTS)
				break;
			ports[port++] = last;
			last = NULL;
		}
		if (!last && port == 1 && ports[0]->context == rq->context)
			break;
		if (__i915_request_submit(rq))
			last = rq;
	}
	if (last)
		ports[port++] = last;
	if (first && port > first) {
		post[n++] = ports[0];
		first = 0;
	}
	while (port-- > first) {
		dma_fence_get(&ports[port]->fence); /* while it is on the port */
		trace_i915_request_in(ports[port], port);
	}
	/* The ports are written: now the hardware drops what was taken back from it. */
	now = ktime_get_ns();
	if (engine->running && list_first_entry_or_null(&se->requests, struct i915_request,
							sched.link) != engine->running) {
		hw_stop(engine, now);
		hrtimer_try_to_cancel(&engine->timer);
	}
	hw_start(engine, now);
	return n;
}

static noinline void execlists_submission_tasklet(struct tasklet_struct *t)
{
	struct i915_sched_engine *se = from_tasklet(se, t, tasklet);
	struct intel_engine_cs *engine = se->private_data;
	struct i915_request *post[2 * EXECLIST_MAX_PORTS];
	unsigned int n, i;
	unsigned long flags;

	spin_lock_irqsave(&se->lock, flags);
	n = process_csb(engine, post);
	if (need_preempt(engine))
		n += preempt(engine, post + n);
	n += dequeue(engine, post + n);
	for (i = 0; i < n; i++)
		trace_i915_request_out(post[i]);
	spin_unlock_irqrestore(&se->lock, flags);
	for (i = 0; i < n; i++)
		dma_fence_put(&post[i]->fence);
}

int glr_engines_init(void)
{
	static const char *const names[GL_CLASSES] = { "rcs", "bcs", "vcs", "vecs", "ccs" };
	unsigned int class, instance;

	for (class = 0; class < GL_CLASSES; class ++) {
		for (instance = 0; instance < GL_MAX_INSTANCES; instance++) {
			struct intel_engine_cs *engine = &engines[class][instance];
			struct i915_sched_engine *se = &engine->sched;

			engine->i915 = &glr_device;
			snprintf(engine->name, sizeof(engine->name), "%s%u", names[class],
				 instance % 10);
			engine->uabi_class = class;
			engine->uabi_instance = instance;
			engine->sched_engine = se;
			engine->execlists.active = engine->execlists.inflight;
			spin_lock_init(&se->lock);
			INIT_LIST_HEAD(&se->queue);
			INIT_LIST_HEAD(&se->requests);
			se->private_data = engine;
			tasklet_setup(&se->tasklet, execlists_submission_tasklet);
			setup_timer(&engine->timer);
		}
	}
	return 0;
}

/* All files are closed, so nothing is queued any more; what ran is waited for. */
void glr_engines_exit(void)
{
	unsigned int class, instance;

	for (class = 0; class < GL_CLASSES; class ++) {
		for (instance = 0; instance < GL_MAX_INSTANCES; instance++) {
			hrtimer_cancel(&engines[class][instance].timer);
			tasklet_kill(&engines[class][instance].sched.tasklet);
		}
	}
}
