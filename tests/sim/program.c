// SPDX-License-Identifier: MIT
// What threads do: the scenario's programs, execbufs and waits as i915 has them, the worker that
// retires.
#include <string.h>

#include "drmsched.h"

static void wait_end(struct world *w, struct thread *t);

static void computed(struct world *w, void *arg, uint64_t gen)
{
	struct thread *t = arg;

	if (gen != t->gen)
		return;
	t->left_ns = 0;
	t->gen++;
	program_run(w, t);
}

/* The thread needs the CPU for so long; program_run goes on afterwards. */
static void compute(struct world *w, struct thread *t, uint64_t ns, enum phase phase)
{
	t->phase = phase;
	t->left_ns = ns ? ns : 1;
	t->since = w->now;
	world_after(w, t->left_ns, computed, t, ++t->gen);
}

void program_compute(struct world *w, struct thread *t, uint64_t ns)
{
	compute(w, t, ns, PH_NEXT);
}

static void spun(struct world *w, void *arg, uint64_t gen)
{
	struct thread *t = arg;

	if (gen != t->gen || t->phase != PH_SPIN)
		return;
	if (rq_is_signaled(w, t->rq, SIM_SIGNAL_POLL, t->cpu)) {
		w->truth->seen.wait_without_sleep++;
		wait_end(w, t);
		program_run(w, t);
	} else {
		program_give_up_spin(w, t);
	}
}

/* A request is complete: who spins for it sees it at once. */
void program_completed(struct world *w, struct rq *rq)
{
	for (uint32_t i = 0; i < w->n_threads; i++) {
		struct thread *t = &w->threads[i];

		if (t->phase != PH_SPIN || t->rq != rq || t->state != SIM_RUNNING_ON_CPU)
			continue;
		rq->due = true;
		world_after(w, 0, spun, t, t->gen);
	}
}

static void wait_end(struct world *w, struct thread *t)
{
	struct lane_event *event;

	world_emit_rq(w, LANE_RQ_WAIT_END, t->rq, t->cpu);
	w->waits.v[t->wait].end = w->now;
	t->phase = PH_NEXT;
	t->gen++;
	if (!t->fence_wait)
		return;
	event = world_emit(w, LANE_FENCE_WAIT_END, t->cpu);
	event->u.fence.context = t->rq->ctx->id;
	event->u.fence.seqno = t->rq->seqno;
}

/* The spin was in vain: listen, have a look at the hardware, sleep. */
void program_give_up_spin(struct world *w, struct thread *t)
{
	struct rq *rq = t->rq;

	t->gen++;
	t->phase = PH_WAITED;
	rq_enable_signal(w, rq, t->cpu);
	if (!rq->signaled && rq->submitted && !rq->complete && !rq->engine->n_siblings &&
	    w->sc->submission == LANE_SUBMISSION_EXECLISTS)
		execlists_tasklet(w, rq->engine, t->cpu);
	tasklets_run(w);
	if (rq_is_signaled(w, rq, SIM_SIGNAL_LATE, t->cpu)) {
		w->truth->seen.wait_without_sleep++;
		wait_end(w, t);
		program_run(w, t);
		return;
	}
	vec_push(w, rq->cbs) = (struct cb){ CB_WAKE, t, NULL };
	w->waits.v[t->wait].slept = true;
	cpu_block(w, t, SIM_BLOCK_REQUEST, rq);
}

/* i915_request_wait_timeout(), by dma_fence_wait() if fence. True if the thread goes on at once. */
static bool begin_wait(struct world *w, struct thread *t, struct rq *rq, bool fence)
{
	struct lane_event *event;
	struct sim_wait *wait;

	if (fence) {
		rq_enable_signal(w, rq, t->cpu);
		event = world_emit(w, LANE_FENCE_WAIT_START, t->cpu);
		event->u.fence.context = rq->ctx->id;
		event->u.fence.seqno = rq->seqno;
	}
	if (rq_is_signaled(w, rq, SIM_SIGNAL_LATE, t->cpu)) {
		if (fence) {
			event = world_emit(w, LANE_FENCE_WAIT_END, t->cpu);
			event->u.fence.context = rq->ctx->id;
			event->u.fence.seqno = rq->seqno;
		}
		return true;
	}
	world_emit_rq(w, LANE_RQ_WAIT_BEGIN, rq, t->cpu)->u.i915_request_wait_begin.flags = 1;
	wait = &vec_push(w, w->waits);
	memset(wait, 0, sizeof(*wait));
	wait->request = rq->index;
	wait->tid = t->tid;
	wait->pid = t->pid;
	wait->begin = w->now;
	wait->end = SIM_NONE;
	t->wait = w->waits.n - 1;
	t->rq = rq;
	t->fence_wait = fence;
	if (rq->active && rq->started && w->sc->spin_ns) {
		t->phase = PH_SPIN;
		world_after(w, rq->complete ? 0 : w->sc->spin_ns, spun, t, ++t->gen);
		return false;
	}
	program_give_up_spin(w, t);
	return false;
}

static struct rq *to_wait_for(struct context *ctx, bool oldest)
{
	if (!oldest)
		return ctx->ring.n ? ctx->ring.v[ctx->ring.n - 1] : NULL;
	return ctx->next_to_wait < ctx->ring.n ? ctx->ring.v[ctx->next_to_wait++] : NULL;
}

/* The first half of an execbuf: what it depends on, the request. The second is `add`, after
 * prepare. */
static void begin_submit(struct world *w, struct thread *t, const struct op *op)
{
	struct context *ctx = &w->contexts[op->target];
	struct context *after = op->after == SIM_NO ? NULL : &w->contexts[op->after];
	struct rq *rq;

	if (w->sched) {
		compute(w, t, world_draw(w, op->prepare), PH_PREPARE);
		return;
	}
	rq = rq_create(w, ctx, world_draw(w, op->time), t);
	if (after && after->ring.n)
		rq_depend(w, rq, after->ring.v[after->ring.n - 1], t->cpu);
	if (!ctx->kernel) {
		world_emit_rq(w, LANE_RQ_QUEUE, rq, t->cpu);
		rq_truth(w, rq)->queue = w->now;
	}
	t->rq = rq;
	compute(w, t, world_draw(w, op->prepare), PH_PREPARE);
}

static void release_mutex(struct world *w, struct context *ctx, int cpu)
{
	struct thread *waiter;

	ctx->mutex = NULL;
	if (!ctx->mutex_waiters.n)
		return;
	waiter = ctx->mutex_waiters.v[0];
	vec_remove_at(ctx->mutex_waiters, 0);
	ctx->mutex = waiter;
	cpu_wake(w, waiter, cpu);
}

static void finish_submit(struct world *w, struct thread *t, const struct op *op)
{
	struct context *ctx = &w->contexts[op->target];
	struct rq *rq = t->rq;

	t->phase = PH_NEXT;
	if (w->sched) {
		sclient_submit(w, t, op);
		release_mutex(w, ctx, t->cpu);
		return;
	}
	world_emit_rq(w, LANE_RQ_ADD, rq, t->cpu);
	rq_truth(w, rq)->add = w->now;
	rq_add(w, rq, t->cpu);
	tasklets_run(w);
	if (op->listen)
		rq_enable_signal(w, rq, t->cpu);
	if (ctx->ring.n > 1)
		rq_retire_context(w, ctx, ctx->ring.v[ctx->ring.n - 2], t->cpu);
	release_mutex(w, ctx, t->cpu);
}

/* True if the thread has the context's mutex and builds its request; false if it blocks. */
static bool take_mutex(struct world *w, struct thread *t, struct context *ctx)
{
	if (ctx->mutex && ctx->mutex != t) {
		vec_push(w, ctx->mutex_waiters) = t;
		t->phase = PH_MUTEX;
		cpu_block(w, t, SIM_BLOCK_LOCK, NULL);
		return false;
	}
	ctx->mutex = t;
	return true;
}

static void slept(struct world *w, void *arg, uint64_t gen)
{
	struct thread *t = arg;

	if (gen == t->gen)
		cpu_wake(w, t, t->cpu);
}

static bool op_lock(struct world *w, struct thread *t, const struct op *op)
{
	struct lock *lock = &w->locks[op->target];

	if (lock->owner == t || !lock->owner) {
		lock->owner = t;
		return true;
	}
	vec_push(w, lock->waiters) = t;
	cpu_block(w, t, SIM_BLOCK_LOCK, NULL);
	return false;
}

static void op_unlock(struct world *w, struct thread *t, const struct op *op)
{
	struct lock *lock = &w->locks[op->target];

	if (lock->owner != t)
		return;
	lock->owner = NULL;
	if (lock->waiters.n) {
		lock->owner = lock->waiters.v[0];
		vec_remove_at(lock->waiters, 0);
		cpu_wake(w, lock->owner, t->cpu);
	}
}

static void op_loop(struct thread *t, const struct op *op)
{
	t->turns[t->depth++] = op->count;
	if (!op->count) {
		t->depth--;
		t->pc = op->jump;
	}
}

static void op_end(struct thread *t, const struct op *op)
{
	uint32_t *turns = &t->turns[t->depth - 1];

	if (*turns == UINT32_MAX || --*turns)
		t->pc = op->jump + 1;
	else
		t->depth--;
}

/* Does one operation; false if it takes time or blocks. */
static bool step(struct world *w, struct thread *t, const struct op *op)
{
	struct context *ctx =
		op->kind >= OP_SUBMIT && op->kind <= OP_LOOK ? &w->contexts[op->target] : NULL;
	struct rq *rq;

	switch (op->kind) {
	case OP_COMPUTE:
		compute(w, t, world_draw(w, op->time), PH_NEXT);
		return false;
	case OP_SUBMIT:
		if (t->submitted == op->count) {
			t->submitted = 0;
			return true;
		}
		t->pc--; /* until all are submitted */
		if (take_mutex(w, t, ctx)) {
			t->submitted++;
			begin_submit(w, t, op);
		}
		return false;
	case OP_WAIT:
		if (w->sched)
			return sclient_wait(w, t, op);
		rq = to_wait_for(ctx, op->oldest);
		return !rq || begin_wait(w, t, rq, op->fence);
	case OP_LISTEN:
		if (ctx->ring.n)
			rq_enable_signal(w, ctx->ring.v[ctx->ring.n - 1], t->cpu);
		return true;
	case OP_LOOK:
		if (ctx->ring.n)
			rq_is_signaled(w, ctx->ring.v[ctx->ring.n - 1], SIM_SIGNAL_LATE, t->cpu);
		return true;
	case OP_SLEEP:
		cpu_block(w, t, SIM_BLOCK_SLEEP, NULL);
		world_after(w, world_draw(w, op->time), slept, t, ++t->gen);
		return false;
	case OP_LOCK:
		return op_lock(w, t, op);
	case OP_UNLOCK:
		op_unlock(w, t, op);
		return true;
	case OP_FORK:
		cpu_fork(w, t, &w->threads[op->target]);
		return true;
	case OP_CLOSE:
		sclient_close(w, t, op->target);
		return true;
	case OP_LOOP:
		op_loop(t, op);
		return true;
	case OP_END:
		op_end(t, op);
		return true;
	}
	return true;
}

/* The worker: periodically everything, else the contexts that have left the hardware. */
static void retire_work(struct world *w, struct thread *t)
{
	for (uint32_t i = 0; i < w->to_retire.n;) {
		struct context *ctx = w->to_retire.v[i];

		if (ctx->engine->id.dev != t->dev) {
			i++;
			continue;
		}
		vec_remove_at(w->to_retire, i);
		ctx->retire_queued = false;
		rq_retire_context(w, ctx, NULL, t->cpu);
	}
	if (t->work)
		for (uint32_t i = 0; i < w->n_contexts; i++)
			if (w->contexts[i].engine->id.dev == t->dev && !w->contexts[i].mutex)
				rq_retire_context(w, &w->contexts[i], NULL, t->cpu);
	t->work = false;
	cpu_block(w, t, SIM_BLOCK_IDLE, NULL);
}

/* Goes on with the program until it takes time or blocks. The thread is on its CPU. */
void program_run(struct world *w, struct thread *t)
{
	if (t->worker && w->sched) {
		sched_work(w, t);
		return;
	}
	if (t->worker) {
		retire_work(w, t);
		return;
	}
	if (t->phase == PH_PREPARE)
		finish_submit(w, t, &t->sc->ops[t->pc]);
	else if (t->phase == PH_WAITED && w->sched)
		sclient_waited(w, t);
	else if (t->phase == PH_WAITED)
		wait_end(w, t);
	t->phase = PH_NEXT;
	while (t->pc < t->sc->n_ops && t->alive) {
		const struct op *op = &t->sc->ops[t->pc++];

		if (!step(w, t, op))
			return;
	}
	if (t->alive)
		cpu_exit(w, t);
}

/* The thread has its CPU again. */
void program_resume(struct world *w, struct thread *t)
{
	if ((t->phase == PH_NEXT || t->phase == PH_PREPARE) && t->left_ns) {
		compute(w, t, t->left_ns, t->phase);
		return;
	}
	program_run(w, t);
}

/* The thread, which computes, leaves its CPU. */
void program_pause(struct world *w, struct thread *t)
{
	uint64_t ran = w->now - t->since;

	t->left_ns = t->left_ns > ran ? t->left_ns - ran : 1;
	t->gen++;
}
