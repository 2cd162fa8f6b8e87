/* SPDX-License-Identifier: MIT */
/* Jobs of drm_sched, and what amdgpu, v3d and xe do about one that does not end. */
#include <string.h>

#include "ends.h"

static const char *driver(void)
{
	return world.mode == V3D ? "v3d" : world.mode == XE ? "xe" : "amdgpu";
}

static const char *device(void)
{
	return world.mode == V3D ? "fec00000.gpu" : "0000:03:00.0";
}

static unsigned handed_count(const struct ring *ring, enum state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world.n_requests; i++)
		n += world.requests[i].ring == ring && world.requests[i].state == state;
	return n;
}

static uint64_t trace_job(struct actor who, const char *name, const struct request *rq)
{
	return trace(who, name,
		     "fence_context=%lu fence_seqno=%u client_id=%d job_count=1 hw_job_count=%u "
		     "queue_flags=%s timeout_ms=%lu "
		     "name=%s dev=%s driver=%s",
		     rq->context->id, rq->seqno, rq->process->pid, handed_count(rq->ring, HANDED),
		     world.mode == XE ? "0x1" : "0x0", rq->ring->timeout / MS, rq->ring->name,
		     device(), driver());
}

static void hardware_ends(void *of);
static void queue_reset(void *of);

/* The ring takes the first job that has not ended. */
static void hardware_next(struct ring *ring)
{
	struct request *rq = request_first(ring, NULL, HANDED);

	if (ring->running || !rq || ring->is_stopped || rq->context->is_banned)
		return;
	ring->running = rq;
	ring->run++;
	if (!rq->begin)
		rq->begin = now();
	if (!rq->hangs)
		later(rq->takes, hardware_ends, ring, ring->run);
	else if (world.mode == XE && chance(40))
		later(between(100 * MS, ring->timeout), queue_reset, ring, ring->run);
}

static void times_out(void *of);

/* drm_sched_start_timeout() */
static void watch_first(struct ring *ring)
{
	struct request *rq = request_first(ring, NULL, HANDED);

	ring->watch++;
	if (!rq)
		return;
	rq->first = now();
	later(ring->timeout, times_out, ring, ring->watch);
}

static void try_run(void *of);

static void try_later(struct ring *ring)
{
	if (ring->tries)
		return;
	ring->tries = true;
	later(between(3 * US, 40 * US), try_run, ring, 0);
}

static void kill_next(void *of);

static void finish(struct request *rq, struct actor who, int error)
{
	rq->error = error;
	rq->signalled = trace_signal(who, rq->context->id, rq->seqno, error);
	if (error && !rq->fault)
		rq->fault = rq->signalled;
	request_over(rq);
	if (rq->process->was_killed)
		later(between(5 * US, 50 * US), kill_next, rq->context, 0);
}

/* drm_sched_job_done(): the ring's fence was signalled. */
static void done(struct request *rq, struct actor who, int error)
{
	trace(who, "drm_sched_job_done", "fence_context=%lu fence_seqno=%u", rq->context->id,
	      rq->seqno);
	finish(rq, who, error);
}

static void hardware_fence(struct request *rq, struct actor who, int error)
{
	trace_signal(who, rq->ring->fences, rq->hw_seqno, error);
}

static void hardware_ends(void *of)
{
	struct ring *ring = of;
	struct request *rq = ring->running;

	if (which() != ring->run || !rq)
		return;
	rq->end = now();
	ring->running = NULL;
	spend(between(300, 3000));
	hardware_fence(rq, interrupt_of(ring), 0);
	done(rq, interrupt_of(ring), 0);
	hardware_next(ring);
	watch_first(ring);
	try_later(ring);
}

static void hardware_fence_new(struct ring *ring, struct request *rq, struct actor who,
			       bool is_told)
{
	rq->hw_seqno = ++ring->hw_seqno;
	if (is_told)
		trace(who, "dma_fence_init", "context=%lu seqno=%u driver=%s timeline=%s",
		      ring->fences, rq->hw_seqno, driver(), ring->name);
}

static void cleaned_up(void *of);

/* run_job() of a job whose fence has an error already, or whose queue is banned, does nothing. */
static void run_next(struct ring *ring, struct request *rq)
{
	struct actor who = worker(ring->n % 8);
	bool is_skipped = rq->context->is_banned && world.mode != XE;

	rq->state = HANDED;
	rq->order = world.orders++;
	rq->run = trace_job(who, "drm_sched_job_run", rq);
	if (!is_skipped && world.mode != XE)
		hardware_fence_new(ring, rq, who, true);
	trace_signal(who, rq->context->id - 1, rq->seqno, 0);
	if (is_skipped) {
		rq->kind = "cancelled";
		rq->cause = "ban";
		done(rq, who, -125);
		return;
	}
	if (handed_count(ring, HANDED) == 1)
		watch_first(ring);
	hardware_next(ring);
	if (rq->context->is_banned)
		later(between(20 * US, 200 * US), cleaned_up, ring, 0);
}

static void try_run(void *of)
{
	struct ring *ring = of;
	unsigned depth = world.mode == V3D ? 1 : world.mode == XE ? 8 : 2;
	struct request *rq = request_first(ring, NULL, QUEUED);

	ring->tries = false;
	if (!rq || ring->is_stopped || handed_count(ring, HANDED) >= depth)
		return;
	run_next(ring, rq);
	try_later(ring);
}

void sched_submit(struct context *context)
{
	struct request *rq = request_new(context);

	if (world.mode == XE)
		hardware_fence_new(rq->ring, rq, thread_of(rq->process), true);
	rq->queued = rq->submitted = trace_job(thread_of(rq->process), "drm_sched_job_queue", rq);
	try_later(rq->ring);
}

/* -- A job that does not end -- */

static void restarts(void *of)
{
	struct ring *ring = of;

	ring->is_stopped = false;
	hardware_next(ring);
	watch_first(ring);
	try_later(ring);
}

static void reset_begins(struct ring *ring)
{
	if (ring->running)
		ring->running->end = now();
	ring->running = NULL;
	ring->run++;
	ring->watch++;
	ring->is_stopped = true;
}

static void cancelled_with(struct request *rq, struct request *leader)
{
	rq->kind = rq == leader ? "timeout" : "cancelled";
	rq->cause = rq == leader ? "limit" : "with";
	rq->leader = leader;
	if (rq->ring->running == rq)
		rq->ring->running = NULL;
	if (!rq->end)
		rq->end = now();
}

/* What the ring was given and has not ended, in that order. */
static unsigned pending(const struct ring *ring, struct request **list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];
		unsigned at = n;

		if (rq->ring != ring || rq->state != HANDED)
			continue;
		for (; at && list[at - 1]->order > rq->order; at--)
			list[at] = list[at - 1];
		list[at] = rq;
		n++;
	}
	return n;
}

/*
 * amdgpu of Linux 6.12: amdgpu_ring_reset() or amdgpu_device_gpu_recover(), whose
 * amdgpu_fence_driver_force_completion() ends all that the ring has; drm_sched_start() calls them
 * done. Of 6.17 (amdgpu_ring_reset_helper()) what is not of the guilty context runs again.
 */
static void cancel_pending(struct ring *ring, struct request *leader, struct actor who,
			   int of_leader)
{
	struct request *list[MAX_REQUESTS];
	unsigned n = pending(ring, list);
	bool again = world.mode == AMDGPU_6_17;

	for (unsigned i = 0; i < n; i++)
		if (!again || list[i]->context == leader->context) {
			cancelled_with(list[i], leader);
			hardware_fence(list[i], who, list[i] == leader ? of_leader : -125);
		}
	for (unsigned i = 0; i < n; i++)
		if (list[i]->leader)
			done(list[i], who, list[i] == leader ? of_leader : -125);
}

/*
 * amdgpu of Linux 6.1 and v3d: drm_sched_stop() takes the callbacks off, the hardware's fences are
 * forced to complete, drm_sched_resubmit_jobs() runs all again but those of the guilty context.
 */
static void resubmit(struct ring *ring, struct request *leader, struct actor who)
{
	struct request *list[MAX_REQUESTS];
	unsigned n = pending(ring, list);

	for (unsigned i = 0; i < n && world.mode != V3D; i++)
		hardware_fence(list[i], who, 0);
	for (unsigned i = 0; i < n; i++)
		if (list[i]->context == leader->context)
			cancelled_with(list[i], leader);
		else
			hardware_fence_new(ring, list[i], who, world.mode == V3D);
	for (unsigned i = 0; i < n; i++)
		if (list[i]->leader)
			done(list[i], who, -125);
}

static void gpu_reset(struct request *leader, struct actor who)
{
	bool is_of_all = world.mode == V3D || world.mode == AMDGPU_6_1 ||
			 (world.mode == AMDGPU_6_12 && chance(50));
	int error = world.mode == AMDGPU_6_17 || is_of_all ? -62 : -125;

	for (unsigned n = 0; n < world.n_rings; n++)
		if (is_of_all || &world.rings[n] == leader->ring)
			reset_begins(&world.rings[n]);
	spend(between(1 * MS, 30 * MS));
	if (world.mode == V3D) {
		trace(who, "v3d_reset_begin", "dev=0");
		spend(between(100 * US, 2 * MS));
		trace(who, "v3d_reset_end", "dev=0");
		truth_reset();
	}
	for (unsigned n = 0; n < world.n_rings; n++) {
		struct ring *ring = &world.rings[n];

		if (!is_of_all && ring != leader->ring)
			continue;
		if (world.mode == V3D || world.mode == AMDGPU_6_1)
			resubmit(ring, leader, who);
		else
			cancel_pending(ring, leader, who, error);
	}
	/* drm_sched_increase_karma(): amdgpu's entities are guilty, v3d's are not. */
	if (world.mode != V3D && is_of_all)
		leader->context->is_banned = true;
	for (unsigned n = 0; n < world.n_rings; n++)
		if (is_of_all || &world.rings[n] == leader->ring)
			later(between(100 * US, 1 * MS), restarts, &world.rings[n], 0);
}

static void trace_timeout(struct request *rq, struct actor who)
{
	rq->timeouts++;
	rq->fault =
		trace(who, "gpulane_reset", "what=timeout fence_context=%lu fence_seqno=%u text=%s",
		      rq->context->id, rq->seqno, rq->ring->name);
}

static uint64_t trace_xe(struct actor who, const char *name, const struct request *rq, int error)
{
	return trace(who, name,
		     "fence_context=%lu fence_seqno=%u seqno=%u guc_id=%u error=%d dev=%s",
		     rq->context->id, rq->seqno, rq->hw_seqno, rq->ring->n + 2, error, device());
}

/* guc_exec_queue_timedout_job() of xe_guc_submit.c: the queue is banned, the first of its jobs has
 * `error`, the others -ECANCELED. */
static void xe_ends_queue(struct ring *ring, struct request *leader, struct actor who,
			  const char *cause)
{
	struct request *list[MAX_REQUESTS];
	unsigned n = pending(ring, list);
	int error = !strcmp(cause, "reset") ? -5 : -62;

	trace_timeout(leader, who);
	trace_xe(who, "xe_sched_job_timedout", leader, 0);
	leader->context->is_banned = true;
	reset_begins(ring);
	spend(between(200 * US, 5 * MS));
	for (unsigned i = 0; i < n; i++) {
		cancelled_with(list[i], leader);
		list[i]->cause = i ? "with" : cause;
		trace_xe(who, "xe_sched_job_set_error", list[i], i ? -125 : error);
	}
	for (unsigned i = 0; i < n; i++) {
		hardware_fence(list[i], interrupt_of(ring), i ? -125 : error);
		done(list[i], interrupt_of(ring), i ? -125 : error);
	}
	ring->is_stopped = false;
	try_later(ring);
}

/* A banned or killed queue's jobs are called timed out at once (drm_sched_tdr_queue_imm()). */
static void cleaned_up(void *of)
{
	struct ring *ring = of;
	struct request *rq = request_first(ring, NULL, HANDED);

	if (rq && rq->context->is_banned)
		xe_ends_queue(ring, rq, worker(8 + ring->n % 4),
			      rq->process->was_killed ? "kill" : "ban");
}

/* xe_guc_exec_queue_reset_handler(): the firmware has reset the engine because of the queue. */
static void queue_reset(void *of)
{
	struct ring *ring = of;
	struct request *rq = ring->running;

	if (which() != ring->run || !rq)
		return;
	trace(worker(7), "xe_exec_queue_reset",
	      "class=%d gt_id=0 guc_id=%u guc_state=0x1 flags=0x0 dev=%s", ring->n % 3 ? 5 : 3,
	      ring->n + 2, device());
	truth_reset();
	xe_ends_queue(ring, rq, worker(8 + ring->n % 4), "reset");
}

static void times_out(void *of)
{
	struct ring *ring = of;
	struct request *rq = request_first(ring, NULL, HANDED);
	struct actor who = worker(8 + ring->n % 4);

	if (which() != ring->watch || !rq)
		return;
	spend(between(50 * US, 900 * US));
	if (world.mode == XE) {
		xe_ends_queue(ring, rq, who, "limit");
		return;
	}
	trace_timeout(rq, who);
	/* It goes on: v3d_cl_job_timedout() sees that it does. */
	if (rq->is_slow)
		return;
	/* amdgpu_ring_soft_recovery(): the waves are killed. That leaves an error since Linux 6.5.
	 */
	if ((world.mode == AMDGPU_6_12 || world.is_soft) && chance(30)) {
		int error = world.mode == AMDGPU_6_1 ? 0 : -61;

		reset_begins(ring);
		cancelled_with(rq, rq);
		rq->kind = error ? "timeout" : "overdue";
		hardware_fence(rq, interrupt_of(ring), error);
		done(rq, interrupt_of(ring), error);
		restarts(ring);
		return;
	}
	gpu_reset(rq, who);
}

/* drm_sched_entity_kill_jobs_cb(): when the one before is over. */
static void kill_next(void *of)
{
	struct context *context = of;
	struct request *rq = request_first(NULL, context, KILLED);

	if (!rq || request_first(NULL, context, HANDED))
		return;
	trace_signal(worker(12), context->id - 1, rq->seqno, 0);
	rq->kind = "closed";
	rq->cause = "kill";
	finish(rq, worker(12), -3);
}

/* drm_sched_entity_kill(): what waits in the entities never runs. xe kills the queue on the GPU,
 * too (guc_exec_queue_kill()). */
void sched_kill(struct process *process)
{
	for (unsigned i = 0; i < world.n_contexts; i++) {
		struct context *context = &world.contexts[i];
		struct request *rq;

		if (context->process != process)
			continue;
		while ((rq = request_first(NULL, context, QUEUED)))
			rq->state = KILLED;
		if (world.mode == XE && request_first(NULL, context, HANDED)) {
			context->is_banned = true;
			later(between(10 * US, 100 * US), cleaned_up, context->ring, 0);
		}
		later(between(5 * US, 50 * US), kill_next, context, 0);
	}
}
