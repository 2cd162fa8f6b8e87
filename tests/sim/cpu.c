// SPDX-License-Identifier: MIT
// The CPUs' scheduler: a queue per CPU, by priority, round robin among equals, and its events.
#include <string.h>

#include "drmsched.h"

#define STATE_SLEEPS 1	  /* TASK_INTERRUPTIBLE */
#define STATE_WAITS  2	  /* TASK_UNINTERRUPTIBLE */
#define STATE_IDLE   0x80 /* TASK_IDLE */
#define STATE_DEAD   16	  /* EXIT_DEAD */

static void copy_comm(char to[16], const char *from)
{
	memset(to, 0, 16);
	for (int i = 0; i < 15 && from[i]; i++)
		to[i] = from[i];
}

static int32_t tid_on(const struct world *w, int cpu)
{
	return w->cpus[cpu].cur ? w->cpus[cpu].cur->tid : 0;
}

/* Writes the state that lasts until now down. */
void cpu_flush(struct world *w, struct thread *t)
{
	struct sim_state *state;

	if (!t->alive || t->from == w->now)
		return;
	state = &vec_push(w, w->states);
	memset(state, 0, sizeof(*state));
	state->tid = t->tid;
	state->state = t->state;
	state->on = t->on;
	state->from = t->from;
	state->to = w->now;
	state->cpu = t->cpu;
	state->culprit = t->state == SIM_RUNNABLE ? t->culprit : 0;
	state->waker = -1;
	state->request = t->object;
	t->from = w->now;
}

static void change_state(struct world *w, struct thread *t, enum sim_thread_state state)
{
	uint32_t before = w->states.n;

	cpu_flush(w, t);
	if (t->state == SIM_BLOCKED && state != SIM_BLOCKED && w->states.n > before)
		w->states.v[before].waker = t->waker;
	t->state = state;
	if (state != SIM_BLOCKED) {
		t->on = SIM_BLOCK_NONE;
		t->object = SIM_NO;
	}
}

static void set_culprit(struct world *w, struct thread *t)
{
	int32_t culprit = tid_on(w, t->cpu);

	if (culprit == t->culprit)
		return;
	cpu_flush(w, t);
	t->culprit = culprit;
}

static bool allowed(const struct thread *t, int cpu)
{
	return t->cpus >> cpu & 1;
}

static bool idle(const struct world *w, int cpu)
{
	return !w->cpus[cpu].cur && !w->cpus[cpu].queue.n;
}

static void schedule(struct world *w, int cpu);

/* Its last CPU if that is idle or the only one, else an idle one. */
static int choose_cpu(const struct world *w, const struct thread *t)
{
	if (idle(w, t->cpu) && allowed(t, t->cpu))
		return t->cpu;
	for (int cpu = 0; cpu < (int)w->sc->cpus; cpu++)
		if (allowed(t, cpu) && idle(w, cpu))
			return cpu;
	return t->cpu;
}

static void emit_wake(struct world *w, enum lane_kind kind, const struct thread *t, int cpu)
{
	struct lane_p_sched_waking *p = &world_emit(w, kind, cpu)->u.sched_waking;

	p->tid = t->tid;
	p->prio = t->prio;
	p->target_cpu = (uint32_t)t->cpu;
	memcpy(p->comm, t->comm, sizeof(p->comm));
}

static void emit_migrate(struct world *w, struct thread *t, int to, int cpu)
{
	struct lane_p_sched_migrate_task *p =
		&world_emit(w, LANE_MIGRATE, cpu)->u.sched_migrate_task;

	p->tid = t->tid;
	p->prio = t->prio;
	p->orig_cpu = (uint32_t)t->cpu;
	p->dest_cpu = (uint32_t)to;
	memcpy(p->comm, t->comm, sizeof(p->comm));
	cpu_flush(w, t);
	t->cpu = to;
	set_culprit(w, t);
}

static void leave_idle(struct world *w, void *arg, uint64_t gen)
{
	struct cpu *c = arg;

	(void)w;
	(void)gen;
	c->waking = false;
	c->resched = true;
}

static void slice_over(struct world *w, void *arg, uint64_t gen)
{
	struct cpu *c = arg;

	if (gen == c->gen && c->cur && c->queue.n && c->queue.v[0]->prio <= c->cur->prio)
		c->resched = true;
	else if (gen == c->gen && c->cur)
		world_after(w, w->sc->cpu_slice_ns, slice_over, c, gen);
}

/* Into its CPU's queue, behind those of its priority; the CPU is told if it should look. */
static void enqueue(struct world *w, struct thread *t)
{
	struct cpu *c = &w->cpus[t->cpu];
	uint32_t at = 0;

	while (at < c->queue.n && c->queue.v[at]->prio <= t->prio)
		at++;
	vec_insert_at(w, c->queue, at, t);
	if (c->cur) {
		if (t->prio < c->cur->prio)
			c->resched = true;
	} else if (!c->waking) {
		c->waking = true;
		world_after(w, world_draw(w, w->sc->idle_exit), leave_idle, c, 0);
	}
}

/* try_to_wake_up(), by whoever is on `cpu`. */
void cpu_wake(struct world *w, struct thread *t, int cpu)
{
	int to;

	/* On its way off another CPU: it is gone before it is woken. */
	if (t->alive && t->blocking && t->cpu != cpu)
		schedule(w, t->cpu);
	if (!t->alive || t->state != SIM_BLOCKED)
		return;
	emit_wake(w, LANE_WAKING, t, cpu);
	t->waker = tid_on(w, cpu);
	change_state(w, t, SIM_RUNNABLE);
	t->culprit = tid_on(w, t->cpu);
	to = choose_cpu(w, t);
	if (to != t->cpu)
		emit_migrate(w, t, to, cpu);
	/* Another CPU is often told by an interrupt and finishes the wake-up itself. */
	emit_wake(w, LANE_WAKEUP, t, to != cpu && world_below(w, 2) ? to : cpu);
	enqueue(w, t);
}

/* The running thread blocks; it leaves its CPU when the handler is through. */
void cpu_block(struct world *w, struct thread *t, enum sim_block on, struct rq *rq)
{
	t->blocking = true;
	t->on = on;
	t->object = rq ? rq->index : SIM_NO;
	w->cpus[t->cpu].resched = true;
}

static void emit_switch(struct world *w, int cpu, const struct thread *prev, int64_t state,
			const struct thread *next)
{
	struct lane_p_sched_switch *p = &world_emit(w, LANE_SWITCH, cpu)->u.sched_switch;
	char idle_comm[16];

	copy_comm(idle_comm, "swapper/");
	idle_comm[8] = (char)('0' + cpu % 10);
	p->prev_state = state;
	p->prev_tid = prev ? prev->tid : 0;
	p->prev_prio = prev ? prev->prio : 120;
	memcpy(p->prev_comm, prev ? prev->comm : idle_comm, sizeof(p->prev_comm));
	p->next_tid = next ? next->tid : 0;
	p->next_prio = next ? next->prio : 120;
	memcpy(p->next_comm, next ? next->comm : idle_comm, sizeof(p->next_comm));
}

/* An idle CPU takes a thread that waits elsewhere. */
static void pull(struct world *w, int cpu)
{
	for (int from = 0; from < (int)w->sc->cpus; from++) {
		struct cpu *c = &w->cpus[from];

		if (from == cpu || !c->cur)
			continue;
		for (uint32_t i = 0; i < c->queue.n; i++) {
			struct thread *t = c->queue.v[i];

			if (!allowed(t, cpu))
				continue;
			vec_remove_at(c->queue, i);
			emit_migrate(w, t, cpu, cpu);
			vec_push(w, w->cpus[cpu].queue) = t;
			return;
		}
	}
}

static int64_t leaves_with(const struct thread *t)
{
	if (!t->alive)
		return STATE_DEAD;
	if (!t->blocking)
		return 0;
	if (t->on == SIM_BLOCK_IDLE)
		return STATE_IDLE;
	return t->on == SIM_BLOCK_LOCK ? STATE_WAITS : STATE_SLEEPS;
}

static void switch_out(struct world *w, struct thread *t, int64_t state)
{
	enum sim_block on = t->on;
	uint32_t object = t->object;

	if (state == STATE_DEAD) {
		t->alive = true; /* until here */
		cpu_flush(w, t);
		t->alive = false;
		w->thread_truth.v[t->index].died = w->now;
		return;
	}
	t->on = SIM_BLOCK_NONE;
	t->object = SIM_NO;
	change_state(w, t, state ? SIM_BLOCKED : SIM_RUNNABLE);
	t->blocking = false;
	if (state) {
		t->on = on;
		t->object = object;
	} else {
		enqueue(w, t);
	}
}

/* __schedule() */
static void schedule(struct world *w, int cpu)
{
	struct cpu *c = &w->cpus[cpu];
	struct thread *prev = c->cur, *next;
	int64_t state;

	if (prev) {
		bool rival = c->queue.n && c->queue.v[0]->prio <= prev->prio;

		/* A spin ends when somebody else wants to run; then it goes on, or blocks. */
		if (prev->phase == PH_SPIN && rival)
			program_give_up_spin(w, prev);
		if (prev->alive && !prev->blocking) {
			if (!rival)
				return;
			program_pause(w, prev);
		}
	}
	if (!c->queue.n)
		pull(w, cpu);
	next = c->queue.n ? c->queue.v[0] : NULL;
	if (!prev && !next)
		return;
	state = prev ? leaves_with(prev) : 0;
	emit_switch(w, cpu, prev, state, next);
	if (next) {
		vec_remove_at(c->queue, 0);
		change_state(w, next, SIM_RUNNING_ON_CPU);
	}
	c->cur = next;
	if (prev) {
		c->waking = true; /* it is looking right now: enqueue() need not wake it */
		switch_out(w, prev, state);
		c->waking = false;
	}
	c->resched = false;
	c->gen++;
	for (uint32_t i = 0; i < c->queue.n; i++)
		set_culprit(w, c->queue.v[i]);
	if (next) {
		world_after(w, w->sc->cpu_slice_ns, slice_over, c, c->gen);
		program_resume(w, next);
	}
}

void cpu_reschedule(struct world *w)
{
	bool again;

	do {
		again = false;
		for (int cpu = 0; cpu < (int)w->sc->cpus; cpu++) {
			if (!w->cpus[cpu].resched)
				continue;
			w->cpus[cpu].resched = false;
			schedule(w, cpu);
			tasklets_run(w);
			again = true;
		}
	} while (again);
}

static void begin_thread(struct world *w, struct thread *t, enum sim_thread_state state)
{
	struct sim_thread *truth = &w->thread_truth.v[t->index];

	t->alive = true;
	t->state = state;
	t->from = w->now;
	t->object = SIM_NO;
	truth->born = w->now;
	truth->died = SIM_NONE;
}

void cpu_fork(struct world *w, struct thread *parent, struct thread *child)
{
	struct lane_p_sched_process_fork *p;

	if (child->alive)
		return;
	p = &world_emit(w, LANE_FORK, parent->cpu)->u.sched_process_fork;
	p->parent_tid = parent->tid;
	p->parent_pid = parent->pid;
	p->child_tid = child->tid;
	p->child_pid = child->pid;
	memcpy(p->parent_comm, parent->comm, sizeof(p->parent_comm));
	memcpy(p->child_comm, child->comm, sizeof(p->child_comm));
	w->thread_truth.v[child->index].ppid = parent->pid;
	child->cpu = allowed(child, parent->cpu) ? parent->cpu : child->cpu;
	child->cpu = choose_cpu(w, child);
	emit_wake(w, LANE_WAKEUP_NEW, child, parent->cpu);
	begin_thread(w, child, SIM_RUNNABLE);
	child->culprit = tid_on(w, child->cpu);
	enqueue(w, child);
}

void cpu_exit(struct world *w, struct thread *t)
{
	struct lane_p_sched_process_exit *p =
		&world_emit(w, LANE_EXIT, t->cpu)->u.sched_process_exit;

	p->tid = t->tid;
	p->prio = t->prio;
	memcpy(p->comm, t->comm, sizeof(p->comm));
	t->alive = false;
	w->cpus[t->cpu].resched = true;
}

static void timer_wake(struct world *w, void *arg, uint64_t gen)
{
	struct thread *t = arg;

	(void)gen;
	cpu_wake(w, t, t->cpu);
}

static void make_thread(struct world *w, struct thread *t, const char *name, int32_t tid)
{
	struct sim_thread *truth = &vec_push(w, w->thread_truth);

	memset(truth, 0, sizeof(*truth));
	copy_comm(t->comm, name);
	t->tid = tid;
	t->index = w->thread_truth.n - 1;
	while (!allowed(t, t->cpu) && t->cpu < SIM_MAX_CPUS - 1)
		t->cpu++;
	memcpy(truth->comm, t->comm, sizeof(truth->comm));
	truth->tid = tid;
	truth->pid = t->pid;
	truth->ppid = 1;
	truth->prio = t->prio;
	truth->born = truth->died = SIM_NONE;
}

static void dump_thread(struct world *w, const struct thread *t)
{
	struct lane_p_lttng_statedump_process_state *p;

	p = &world_emit(w, LANE_STATEDUMP, 0)->u.lttng_statedump_process_state;
	p->tid = p->vtid = t->tid;
	p->pid = p->vpid = t->pid;
	p->ppid = p->vppid = 1;
	p->type = t->worker || (t->sc && t->sc->kernel);
	p->mode = 1;
	p->status = 2;
	p->cpu = (uint32_t)t->cpu;
	memcpy(p->name, t->comm, sizeof(p->name));
}

/* The threads as they are when the recording begins: blocked, to be woken at their start. */
void cpu_begin(struct world *w)
{
	uint32_t devices = 0, n = w->sc->n_threads;
	uint64_t all = w->sc->cpus < 64 ? (1ull << w->sc->cpus) - 1 : UINT64_MAX;

	for (uint32_t i = 0; i < w->n_engines; i++)
		if (w->engines[i].id.dev >= devices)
			devices = w->engines[i].id.dev + 1;
	if (w->sched)
		devices = sched_workers(w->sc);
	w->threads = world_alloc(w, (n + devices) * sizeof(*w->threads));
	w->n_threads = n + devices;
	for (uint32_t i = 0; i < n + devices; i++) {
		struct thread *t = &w->threads[i];
		char worker[16] = "kworker/u:";

		t->worker = i >= n;
		t->sc = t->worker ? NULL : &w->sc->threads[i];
		t->pid = t->worker ? 50 + (int32_t)(i - n) : t->sc->pid;
		t->prio = t->worker ? 120 : t->sc->prio;
		t->cpus = t->worker || !(t->sc->cpus & all) ? all : t->sc->cpus & all;
		t->dev = i - n;
		worker[10] = (char)('0' + t->dev % 10);
		make_thread(w, t, t->worker ? worker : t->sc->name,
			    t->worker ? t->pid : t->sc->tid);
		if (t->sc && t->sc->forked)
			continue;
		begin_thread(w, t, SIM_BLOCKED);
		t->on = t->worker ? SIM_BLOCK_IDLE : SIM_BLOCK_SLEEP;
		dump_thread(w, t);
		if (t->worker && w->sched)
			sched_bind(w, t->dev, t);
		if (!t->worker)
			world_after(w, t->sc->start_ns, timer_wake, t, 0);
	}
}
