/* SPDX-License-Identifier: MIT */
/* A request's way through the driver: Linux 6.1, i915_request.c, i915_scheduler.c,
 * gt/intel_gt_requests.c. */
#include "gpu.h"

struct gpu gpu;

/*
 * gt/intel_timeline.c:intel_timeline_get_seqno(): a user's timeline has an initial breadcrumb and
 * counts in twos, a kernel context's counts in ones.
 */
struct context *context_create(struct engine *engine, int prio, int pid, bool is_user)
{
	struct context *ce = allocate(sizeof(*ce));

	if (gpu.n_contexts == MAX_CONTEXTS)
		broken("too many contexts");
	*ce = (struct context){ .engine = engine, .prio = prio, .pid = pid };
	ce->id = 5 + (uint64_t)gpu.n_contexts;
	ce->is_recoverable = gpu.has_hangs && chance(75);
	ce->seqno_step = is_user && gpu.mode != MODE_RING ? 2 : 1;
	mutex_init(&ce->mutex);
	list_init(&ce->requests);
	list_init(&ce->signals);
	list_init(&ce->on_signalers);
	gpu.contexts[gpu.n_contexts++] = ce;
	return ce;
}

/* __i915_request_create(); the caller holds the timeline's mutex. */
struct request *request_create(struct context *ce, uint64_t work, bool is_user)
{
	struct request *rq = allocate(sizeof(*rq));

	*rq = (struct request){ .context = ce, .engine = ce->engine, .mask = ce->engine->mask };
	rq->seqno = ce->seqno += ce->seqno_step;
	rq->prio = PRIO_INVALID;
	rq->is_user = is_user;
	rq->work_left = work;
	rq->submit_waits = 1;
	list_init(&rq->callbacks);
	list_init(&rq->on_timeline);
	list_init(&rq->on_scheduler);
	list_init(&rq->on_signal_list);
	list_insert(&rq->on_timeline, &ce->requests);
	*gpu.last_request = rq;
	gpu.last_request = &rq->all_next;
	gpu.n_requests++;
	gpu.n_unretired++;
	trace(TRACE_FENCE_INIT, rq);
	return rq;
}

/* -- The submit fence: i915_sw_fence.c -- */

/* submit_notify(), then the requests that wait for this one's submission. `freed_by`: whose signal
 * it is that they are submitted in. */
static void submit_fence_complete(struct request *rq, const struct request *freed_by)
{
	if (--rq->submit_waits)
		return;
	rq->freed_by = freed_by;
	rq->has_error |= rq->has_submit_error;
	rq->submit_at = trace(TRACE_SUBMIT, rq);
	spend(between(20, 150));
	rq->engine->submit_request(rq);
	rq->is_submitted = true;
	if (rq->submitted_next) {
		rq->submitted_next->has_submit_error |= rq->has_submit_error;
		submit_fence_complete(rq->submitted_next, freed_by);
	}
}

static void dependency_is_signaled(struct request *rq, struct fence_callback *callback)
{
	callback->waiting_request->has_submit_error |= rq->has_error;
	submit_fence_complete(callback->waiting_request, rq);
}

static void await_fence(struct request *rq, struct request *signaler)
{
	struct fence_callback *callback = allocate(sizeof(*callback));

	callback->run = dependency_is_signaled;
	callback->waiting_request = rq;
	rq->submit_waits++;
	if (!fence_add_callback(signaler, callback))
		rq->submit_waits--;
}

static void add_signaler(struct request *rq, struct request *signaler)
{
	if (rq->n_signalers < MAX_DEPENDENCIES)
		rq->signalers[rq->n_signalers++] = signaler;
}

/*
 * i915_request_await_request(): a request of another engine is awaited by its fence. One of the
 * same engine needs its submission alone, await_request_submit(); the programs have none of those.
 */
void request_await(struct request *rq, struct request *signaler)
{
	if (request_completed(signaler))
		return;
	await_fence(rq, signaler);
	add_signaler(rq, signaler);
}

static bool is_power_of_2(unsigned n)
{
	return n && !(n & (n - 1));
}

/*
 * __i915_request_commit() and __i915_request_ensure_ordering(): the submission follows that of the
 * context's request before. On a virtual engine it follows its completion, and with the GuC its
 * submission whatever the engine.
 */
struct request *request_commit(struct request *rq)
{
	struct context *ce = rq->context;
	struct request *before = ce->last_request;

	spend(between(50, 300));
	ce->last_request = rq;
	if (before && !is_complete(before)) {
		if (gpu.mode == MODE_GUC ||
		    is_power_of_2(before->engine->mask | rq->engine->mask)) {
			if (!before->is_submitted) {
				rq->submit_waits++;
				before->submitted_next = rq;
			}
		} else {
			await_fence(rq, before);
		}
		add_signaler(rq, before);
	}
	hw_emit(ce, rq);
	return before;
}

/*
 * i915_scheduler.c:__i915_schedule(): a request's priority goes to all that it waits for, the
 * deepest first.
 */
static void raise_priority(struct request *rq, int prio)
{
	struct engine *engine;

	if (request_completed(rq) || rq->prio >= prio)
		return;
	for (int i = 0; i < rq->n_signalers; i++)
		raise_priority(rq->signalers[i], prio);
	if (rq->prio == PRIO_INVALID && list_empty(&rq->on_scheduler)) {
		rq->prio = prio;
		return;
	}
	engine = rq->engine;
	spin_lock_irq(engine->lock);
	if (engine == rq->engine && prio > rq->prio && !request_completed(rq)) {
		rq->prio = prio;
		if (!list_empty(&rq->on_scheduler)) {
			if (rq->is_in_queue && !engine->is_virtual)
				list_move_tail(&rq->on_scheduler, priolist(engine->queue, prio));
			if (engine->schedule)
				engine->schedule(rq, prio);
		}
	}
	spin_unlock_irq(engine->lock);
}

/* i915_scheduler.c:i915_schedule() for a request that is under way: a waiter's priority, a
 * heartbeat's. */
void request_boost(struct request *rq, int prio)
{
	bh_disable();
	raise_priority(rq, prio);
	bh_enable();
}

/* __i915_request_queue() */
void request_queue(struct request *rq, int prio)
{
	/* The ring backend has no scheduler: gt/intel_ring_submission.c */
	if (gpu.mode == MODE_RING)
		rq->prio = 0;
	else
		raise_priority(rq, prio);
	bh_disable();
	spend(between(20, 150));
	submit_fence_complete(rq, NULL);
	bh_enable();
}

/* -- To the hardware and back -- */

/* A stock kernel has no tracepoint: its hook is the function's return. */
static void executed(struct request *rq)
{
	rq->last_executed_at = trace(TRACE_EXECUTED, rq);
	if (!rq->execute_at)
		rq->execute_at = rq->last_executed_at;
}

/* __i915_request_skip(): of its work the breadcrumb is left. */
void request_skip(struct request *rq)
{
	rq->has_error = true;
	rq->error = rq->error ? rq->error : -5;
	if (rq->is_skipped)
		return;
	rq->is_skipped = true;
	gpu.statistics.failed++;
	rq->hangs = rq->faults = rq->is_stubborn = false;
	rq->work_left = between(100, 1500);
}

/* __i915_request_submit(): false when the request has completed since it was taken back. */
bool request_submit(struct request *rq)
{
	bool is_new = !is_complete(rq);
	uint64_t checked_at = machine.now;

	if (is_new) {
		if (rq->has_error || rq->context->is_banned)
			request_skip(rq);
		spend(between(20, 120));
		rq->tail = (uint32_t)(rq->global_order * 192 + 176) % 16384;
		rq->wa_tail = rq->tail + 16;
		rq->last_execute_at = trace(TRACE_EXECUTE, rq);
		if (!rq->execute_at && gpu.mode != MODE_STOCK)
			rq->execute_at = rq->last_execute_at;
		list_move_tail(&rq->on_scheduler, &rq->engine->requests);
	} else {
		gpu.statistics.skipped_submits++;
		list_remove(&rq->on_scheduler);
	}
	rq->is_in_queue = false;
	rq->is_active = true;
	spend(between(10, 50));
	if (rq->is_signaling_enabled) {
		/* It has completed since the check: it is signalled now. */
		if (is_complete(rq) && rq->end->at >= checked_at)
			rq->is_listened_at_end = true;
		request_enable_breadcrumb(rq);
	}
	if (is_new)
		executed(rq);
	return is_new;
}

/* __i915_request_unsubmit() */
void request_unsubmit(struct request *rq)
{
	rq->last_unsubmit_at = trace(TRACE_UNSUBMIT, rq);
	spend(between(10, 60));
	rq->is_active = false;
	if (rq->is_signaling_enabled)
		request_cancel_breadcrumb(rq);
}

/* -- Retirement -- */

/* gt/intel_execlists_submission.c:remove_from_engine(): the engine may change until its lock is
 * held. */
static void remove_from_engine(struct request *rq)
{
	struct engine *engine = rq->engine;

	spin_lock_irq(engine->lock);
	while (engine != rq->engine) {
		spin_unlock_irq(engine->lock);
		engine = rq->engine;
		spin_lock_irq(engine->lock);
	}
	list_remove(&rq->on_scheduler);
	rq->is_in_queue = rq->is_on_hold = false;
	rq->is_active = true;
	spin_unlock_irq(engine->lock);
}

/* i915_request_retire(): the event comes before the signal, where retiring is what signals. */
bool request_retire(struct request *rq)
{
	if (!is_complete(rq))
		return false;
	rq->retire_at = trace(TRACE_RETIRE, rq);
	if (rq->is_listened_at_end && !rq->signal_at)
		moment_report(rq->end, rq->retire_at);
	spend(between(20, 150));
	if (!rq->is_signaled) {
		spin_lock_irq(&rq->lock);
		gpu.statistics.retire_signals += !rq->is_signaled;
		fence_signal_locked(rq);
		spin_unlock_irq(&rq->lock);
	}
	spend(between(10, 80));
	remove_from_engine(rq);
	list_remove(&rq->on_timeline);
	rq->is_retired = true;
	gpu.n_unretired--;
	return true;
}

/* gem/i915_gem_execbuffer.c, gt/intel_gt_requests.c:retire_requests(); under the timeline's mutex.
 */
void retire_requests(struct context *ce, const struct request *end)
{
	while (!list_empty(&ce->requests)) {
		struct request *rq = container(ce->requests.next, struct request, on_timeline);

		if (rq == end || !request_retire(rq))
			return;
	}
}

/* gt/intel_gt_requests.c:intel_engine_add_retire(): a timeline is on one list at most. */
void engine_add_retire(struct engine *engine, struct context *ce)
{
	if (ce->is_on_retire_list)
		return;
	ce->is_on_retire_list = true;
	engine->retire_list[engine->n_retire_list++] = ce;
	wake(engine->retire_worker);
}

/* engine_retire(): a timeline that somebody has locked is his to retire. */
void engine_retire_worker(void *arg)
{
	struct engine *engine = arg;

	for (;;) {
		while (engine->n_retire_list) {
			struct context *ce = engine->retire_list[--engine->n_retire_list];

			ce->is_on_retire_list = false;
			spend(between(100, 600));
			if (!mutex_trylock(&ce->mutex))
				continue;
			retire_requests(ce, NULL);
			mutex_unlock(&ce->mutex);
		}
		prepare_to_sleep();
		if (engine->n_retire_list) {
			finish_sleep();
			continue;
		}
		schedule();
	}
}

/* -- Waiting -- */

static void wake_waiter(struct request *rq, struct fence_callback *callback)
{
	(void)rq;
	wake(callback->waiting_thread);
}

static bool has_started(const struct request *rq)
{
	return rq->n_runs || rq->is_complete;
}

/* __i915_spin_request(): a short busy wait, when the request runs. */
static bool spin_request(struct request *rq)
{
	uint64_t until = machine.now + between(500, 8000);

	if (!rq->is_active || !has_started(rq))
		return false;
	while (!fence_is_signaled(rq) && machine.now < until)
		spend(between(40, 200));
	return rq->is_signaled;
}

static void timeout_wake(void *thread)
{
	wake(thread);
}

/* The loop of i915_request_wait_timeout(). */
static bool sleep_until_signaled(struct request *rq, uint64_t until)
{
	for (;;) {
		prepare_to_sleep();
		if (fence_is_signaled(rq) || machine.now >= until)
			break;
		schedule();
	}
	finish_sleep();
	return rq->is_signaled;
}

/* Whether the wait is over without a sleep. Until the callback is there the waiter looks himself.
 */
static bool wait_begins(struct request *rq, struct fence_callback *callback)
{
	bool is_over;

	rq->spinner = current_thread();
	spend(between(30, 200));
	is_over = spin_request(rq);
	rq->spinner = NULL;
	if (is_over)
		return true;
	callback->run = wake_waiter;
	callback->waiting_thread = current_thread();
	if (!fence_add_callback(rq, callback))
		return true;
	/* __intel_engine_flush_submission(): the waiter may run the tasklet itself. */
	if (rq->is_submitted && rq->engine->tasklet.run)
		tasklet_flush(&rq->engine->tasklet);
	return false;
}

/* i915_request_wait_timeout(); whether the request is signalled. */
bool request_wait(struct request *rq, uint64_t timeout)
{
	struct fence_callback callback = { .run = NULL };
	uint64_t until = machine.now + timeout;
	bool is_signaled = true;

	spend(between(20, 100));
	if (fence_is_signaled(rq))
		return true;
	trace_wait(TRACE_WAIT_BEGIN, rq, 1);
	if (!wait_begins(rq, &callback)) {
		at(until, timeout_wake, current_thread());
		is_signaled = sleep_until_signaled(rq, until);
		fence_remove_callback(rq, &callback);
	}
	spend(between(20, 100));
	trace(TRACE_WAIT_END, rq);
	return is_signaled;
}

/* -- The queue: i915_scheduler.c:i915_sched_lookup_priolist() -- */

struct link *priolist(struct engine *engine, int prio)
{
	struct link *where = engine->priolists.next;
	struct priolist *list;

	for (; where != &engine->priolists; where = where->next) {
		list = container(where, struct priolist, link);
		if (list->prio == prio)
			return &list->requests;
		if (list->prio < prio)
			break;
	}
	list = allocate(sizeof(*list));
	list->prio = prio;
	list_init(&list->requests);
	list_insert(&list->link, where);
	return &list->requests;
}

/* The kernel drops an empty list when it comes to it. */
void priolists_tidy(struct engine *engine)
{
	each_link_safe(
		it,
		&engine->priolists) if (list_empty(&container(it, struct priolist, link)->requests))
		list_remove(it);
}

struct request *first_queued(struct engine *engine)
{
	each_link(it, &engine->priolists)
	{
		struct priolist *list = container(it, struct priolist, link);

		if (!list_empty(&list->requests))
			return container(list->requests.next, struct request, on_scheduler);
	}
	return NULL;
}

/* intel_execlists_submission.c:queue_prio(): of the first list, even when it has become empty. */
int queue_prio(struct engine *engine)
{
	if (list_empty(&engine->priolists))
		return INT_MIN;
	return container(engine->priolists.next, struct priolist, link)->prio;
}
