/* SPDX-License-Identifier: MIT */
/*
 * The machine. Every thread is a fiber; one runs at a time in the simulator, and a fiber gives way
 * where its code spends time. An interrupt runs on the stack of the fiber that it interrupts, as in
 * Linux: so its events carry the interrupted thread's number.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "machine.h"

enum {
	STACK = 256 << 10,
	SOFTIRQ_RESTARTS = 10,
	SLICE_MIN = 60000, /* shorter than Linux's, so that more threads are preempted */
	SLICE_MAX = 900000
};

struct fiber {
	ucontext_t context;
	struct cpu *cpu;
	action_fn *run;
	void *arg;
	int pid, tid, priority;
	struct cpu *pinned;
	unsigned generation; /* a wake-up of an older one is void */
	bool is_sleeping, is_on_cpu, is_idle;
	bool is_queued, is_waking, is_dead;
	char state; /* in which it sleeps */
	struct timer alarm;
	struct link queue;
};

struct irq {
	struct irq *next;
	action_fn *run;
	void *arg;
};

struct cpu {
	int id;
	struct fiber *current, *idle, *ksoftirqd;
	int irqs_off, in_hardirq, in_softirq, bh_off, preempt_off;
	bool is_interruptible, need_resched, has_tick;
	struct irq *irqs, **last_irq;
	struct tasklet *tasklets, **last_tasklet;
	struct link runnable;
};

/* What happens at a time: a call, or a fiber goes on. */
struct happening {
	uint64_t at, order;
	action_fn *run;
	void *arg;
	struct fiber *fiber;
	unsigned generation;
};

struct machine machine;
static struct cpu cpus[MAX_CPUS];
static struct happening *heap;
static size_t heap_size, heap_room;
static uint64_t heap_order;
static struct fiber *running; /* the fiber whose code the simulator executes */
static ucontext_t scheduler;
static uint64_t dice_state;

/* -- Dice and memory -- */

void dice_seed(uint64_t seed)
{
	dice_state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
}

static uint64_t dice_next(void)
{
	uint64_t z = dice_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t dice(uint64_t n)
{
	return n ? dice_next() % n : 0;
}

uint64_t between(uint64_t low, uint64_t high)
{
	return low + dice(high - low + 1);
}

bool chance(unsigned percent)
{
	return dice(100) < percent;
}

/* Mostly about `typical`, seldom much more. */
uint64_t long_tailed(uint64_t typical)
{
	uint64_t ns = typical / 4 + dice(typical);

	while (chance(12))
		ns += dice(typical * 2);
	return ns + 1;
}

uint64_t hardware_time(uint64_t low, uint64_t high)
{
	return machine.is_instant ? 0 : between(low, high);
}

static void **memory;
static size_t memory_size, memory_room;

/* Lasts until the simulation is over. */
void *allocate(size_t size)
{
	void *block = calloc(1, size);

	if (memory_size == memory_room) {
		memory_room = memory_room ? memory_room * 2 : 1024;
		memory = realloc(memory, memory_room * sizeof(*memory));
	}
	if (!block || !memory)
		abort();
	return memory[memory_size++] = block;
}

void release_all(void)
{
	for (size_t i = 0; i < memory_size; i++)
		free(memory[i]);
	free(memory);
	free(heap);
	memory = NULL;
	heap = NULL;
	memory_size = memory_room = heap_size = heap_room = 0;
}

_Noreturn void broken(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "gpulane-oracle: at %llu: ", (unsigned long long)machine.now);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* -- What happens when -- */

static bool is_before(const struct happening *a, const struct happening *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void heap_push(struct happening what)
{
	size_t i = heap_size++;

	if (heap_size > heap_room) {
		heap_room = heap_room ? heap_room * 2 : 1024;
		heap = realloc(heap, heap_room * sizeof(*heap));
		if (!heap)
			abort();
	}
	what.order = heap_order++;
	for (; i && is_before(&what, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = what;
}

static struct happening heap_pop(void)
{
	struct happening first = heap[0], last = heap[--heap_size];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap_size) {
		if (child + 1 < heap_size && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

void at(uint64_t when, action_fn *run, void *arg)
{
	heap_push((struct happening){ .at = when, .run = run, .arg = arg });
}

static void resume_at(struct fiber *fiber, uint64_t when)
{
	heap_push((struct happening){
		.at = when, .fiber = fiber, .generation = ++fiber->generation });
}

static void give_way(void)
{
	swapcontext(&running->context, &scheduler);
}

/* Waits until a time, or until somebody calls resume_at() for this fiber. */
static void wait_until(uint64_t when)
{
	if (!heap_size || heap[0].at > when) {
		machine.now = when;
		return;
	}
	resume_at(running, when);
	give_way();
}

void machine_run(void)
{
	while (heap_size) {
		struct happening next = heap_pop();

		if (next.fiber && next.generation != next.fiber->generation)
			continue;
		machine.now = next.at;
		if (next.fiber) {
			running = next.fiber;
			swapcontext(&scheduler, &running->context);
			running = NULL;
		} else {
			next.run(next.arg);
		}
	}
}

/* -- Interrupts and softirqs -- */

static void kick(struct cpu *cpu)
{
	if (cpu->is_interruptible)
		resume_at(cpu->current, machine.now);
}

void interrupt(int id, action_fn *run, void *arg)
{
	struct cpu *cpu = &cpus[id];
	struct irq *irq = allocate(sizeof(*irq));

	irq->run = run;
	irq->arg = arg;
	*cpu->last_irq = irq;
	cpu->last_irq = &irq->next;
	kick(cpu);
}

static void run_irq_work(void *arg)
{
	struct irq_work *work = arg;

	work->is_pending = false;
	work->run(work->arg);
}

/* Linux 6.1, kernel/irq_work.c:irq_work_queue(): an interrupt that the CPU sends to itself. */
void irq_work_queue(struct irq_work *work)
{
	if (work->is_pending)
		return;
	work->is_pending = true;
	interrupt(running ? running->cpu->id : 0, run_irq_work, work);
}

static bool softirq_may_run(const struct cpu *cpu)
{
	return cpu->tasklets && !cpu->in_hardirq && !cpu->in_softirq && !cpu->bh_off;
}

static void tasklet_append(struct cpu *cpu, struct tasklet *tasklet)
{
	tasklet->next = NULL;
	*cpu->last_tasklet = tasklet;
	cpu->last_tasklet = &tasklet->next;
}

/* Linux 6.1, kernel/softirq.c:tasklet_action_common(): one that another CPU runs is queued again.
 */
static void run_tasklets(struct cpu *cpu)
{
	struct tasklet *list = cpu->tasklets, *next;

	cpu->tasklets = NULL;
	cpu->last_tasklet = &cpu->tasklets;
	for (; list; list = next) {
		next = list->next;
		if (list->is_running || list->is_disabled) {
			tasklet_append(cpu, list);
			spend(between(50, 150));
			continue;
		}
		list->is_running = true;
		list->is_scheduled = false;
		list->run(list->arg);
		list->is_running = false;
	}
}

/* Linux 6.1, kernel/softirq.c:__do_softirq(): a few rounds, then ksoftirqd goes on. */
static void run_softirqs(struct cpu *cpu)
{
	int restarts = SOFTIRQ_RESTARTS;

	cpu->in_softirq++;
	while (cpu->tasklets && restarts--) {
		spend(between(30, 120));
		run_tasklets(cpu);
	}
	cpu->in_softirq--;
	if (cpu->tasklets)
		wake(cpu->ksoftirqd);
}

static void run_irq(struct cpu *cpu)
{
	struct irq *irq = cpu->irqs;

	cpu->irqs = irq->next;
	if (!cpu->irqs)
		cpu->last_irq = &cpu->irqs;
	cpu->irqs_off++;
	cpu->in_hardirq++;
	spend(machine.is_instant ? 0 : between(60, 300));
	irq->run(irq->arg);
	cpu->in_hardirq--;
	cpu->irqs_off--;
	/* The interrupts that came meanwhile are taken before the softirqs, where these enable
	 * interrupts. */
	if (softirq_may_run(cpu))
		run_softirqs(cpu);
}

void tasklet_schedule(struct tasklet *tasklet)
{
	struct cpu *cpu = running->cpu;

	if (tasklet->is_scheduled)
		return;
	tasklet->is_scheduled = true;
	tasklet_append(cpu, tasklet);
	/* Linux 6.1, kernel/softirq.c:raise_softirq_irqoff() */
	if (!cpu->in_hardirq && !cpu->in_softirq && !cpu->bh_off)
		wake(cpu->ksoftirqd);
}

bool tasklet_flush(struct tasklet *tasklet)
{
	bool runs = false;

	bh_disable();
	if (!tasklet->is_running) {
		runs = tasklet->is_running = true;
		if (!tasklet->is_disabled)
			tasklet->run(tasklet->arg);
		tasklet->is_running = false;
	}
	bh_enable();
	return runs;
}

/* Linux 6.1, i915_gem.h:__tasklet_disable_sync_once() */
void tasklet_disable(struct tasklet *tasklet)
{
	tasklet->is_disabled = true;
	while (tasklet->is_running)
		spend(between(15, 60));
}

/* Linux 6.1, execlists_reset_finish() */
void tasklet_enable(struct tasklet *tasklet)
{
	tasklet->is_disabled = false;
	tasklet_schedule(tasklet);
}

struct expiry {
	struct timer *timer;
	unsigned generation;
	int cpu;
};

static void timer_interrupt(void *arg)
{
	struct expiry *expiry = arg;

	if (expiry->timer->generation != expiry->generation || !expiry->timer->is_pending)
		return;
	expiry->timer->is_pending = false;
	expiry->timer->run(expiry->timer->arg);
}

/* Where threads are watched, most timers fire where they were set. */
static void timer_fires(void *arg)
{
	const struct expiry *expiry = arg;

	if (machine.watcher && chance(80))
		interrupt(expiry->cpu, timer_interrupt, arg);
	else
		interrupt((int)dice((uint64_t)machine.n_cpus), timer_interrupt, arg);
}

void timer_set(struct timer *timer, uint64_t ns)
{
	struct expiry *expiry = allocate(sizeof(*expiry));

	timer->is_active = timer->is_pending = true;
	*expiry = (struct expiry){ timer, ++timer->generation, running ? running->cpu->id : 0 };
	at(machine.now + ns, timer_fires, expiry);
}

void timer_cancel(struct timer *timer)
{
	timer->is_active = timer->is_pending = false;
	timer->generation++;
}

bool timer_expired(const struct timer *timer)
{
	return timer->is_active && !timer->is_pending;
}

/* -- Time and threads -- */

/* Where threads are watched, one is preempted on its way to sleep, too. */
static bool may_reschedule(const struct cpu *cpu)
{
	return cpu->need_resched && !cpu->irqs_off && !cpu->in_softirq && !cpu->bh_off &&
	       !cpu->preempt_off && (!running->is_sleeping || machine.watcher) && !running->is_idle;
}

static void switch_threads(bool is_preempted);

void spend(uint64_t ns)
{
	for (;;) {
		struct cpu *cpu = running->cpu;
		uint64_t since = machine.now;

		if (!cpu->irqs_off && cpu->irqs) {
			run_irq(cpu);
			continue;
		}
		if (may_reschedule(cpu)) {
			switch_threads(true);
			continue;
		}
		if (!ns)
			return;
		cpu->is_interruptible = !cpu->irqs_off;
		wait_until(machine.now + ns);
		cpu->is_interruptible = false;
		ns -= machine.now - since < ns ? machine.now - since : ns;
	}
}

static void switch_to(struct cpu *cpu, struct fiber *next)
{
	cpu->current->is_on_cpu = false;
	cpu->current = next;
	next->cpu = cpu;
	next->is_on_cpu = true;
	resume_at(next, machine.now + between(300, 1500));
}

/* Real time comes first; the others take turns. Of real time the hog is first, the rest as they
 * came, unlike in Linux: so seeds without a hog tell the same stories as ever. */
static void enqueue(struct cpu *cpu, struct fiber *thread)
{
	struct link *at = cpu->runnable.next;

	while (at != &cpu->runnable && thread->priority != PRIORITY_HOG &&
	       (thread->priority >= MAX_RT_PRIO ||
		container(at, struct fiber, queue)->priority < MAX_RT_PRIO))
		at = at->next;
	list_insert(&thread->queue, at);
	thread->is_queued = true;
}

/* A thread that is pinned is not taken. Who waits for one seldom is, so that its waits last: a CPU
 * that is idle for a short time does not look (this_rq->avg_idle < sysctl_sched_migration_cost). */
static bool may_take_from(const struct cpu *cpu)
{
	if (list_empty(&cpu->runnable) || cpu->current->is_idle)
		return false;
	if (container(cpu->runnable.next, struct fiber, queue)->pinned)
		return false;
	return !cpu->current->pinned || chance(5);
}

/* Linux 6.12, kernel/sched/fair.c:sched_balance_newidle(): a CPU that would be idle takes a thread
 * that waits for another one. */
static struct cpu *busiest(struct cpu *cpu)
{
	if (!machine.watcher || !list_empty(&cpu->runnable) || !chance(50))
		return cpu;
	for (int i = 0; i < machine.n_cpus; i++)
		if (may_take_from(&cpus[i]))
			return &cpus[i];
	return cpu;
}

static struct fiber *dequeue(struct cpu *cpu)
{
	struct cpu *from = busiest(cpu);
	struct fiber *first;

	if (list_empty(&from->runnable))
		return cpu->idle;
	first = container(from->runnable.next, struct fiber, queue);
	list_remove(&first->queue);
	first->is_queued = false;
	return first;
}

/* Linux 6.12, include/trace/events/sched.h:__trace_sched_switch_state(): a preempted thread is
 * running, whatever it was about to do; of the dead, a process waits for its parent. */
static const char *state_of(const struct fiber *thread, bool is_preempted)
{
	static char state[2];

	if (is_preempted)
		return "R+";
	if (thread->is_dead)
		return thread->pid == thread->tid ? "Z" : "X";
	if (!thread->is_sleeping)
		return "R";
	state[0] = thread->state;
	return state;
}

/* Linux 6.12, kernel/sched/core.c:__schedule(). Who wakes a thread that is about to leave its CPU
 * waits until it has left: so nothing comes between the decision and the event. */
static void switch_threads(bool is_preempted)
{
	struct fiber *self = running, *next;
	struct cpu *cpu = self->cpu;

	if (cpu->irqs_off || cpu->in_softirq || cpu->bh_off || cpu->preempt_off)
		broken("a thread sleeps where it must not");
	if (machine.watcher) {
		cpu->irqs_off++;
		machine.watcher->settle();
		cpu->irqs_off--;
	}
	cpu->need_resched = false;
	if ((is_preempted || !self->is_sleeping) && !self->is_idle)
		enqueue(cpu, self);
	next = dequeue(cpu);
	if (next == self)
		return;
	if (machine.watcher)
		machine.watcher->switches(self, next, state_of(self, is_preempted));
	cpu->irqs_off++;
	switch_to(cpu, next);
	give_way();
	self->cpu->irqs_off--;
	spend(between(20, 60));
}

void schedule(void)
{
	/* It may be preempted between having set its state and here. */
	if (machine.watcher && running->is_sleeping && !running->cpu->preempt_off)
		spend(between(0, 60));
	switch_threads(false);
}

void prepare_to_sleep_in(char state)
{
	running->is_sleeping = true;
	running->state = state;
}

void prepare_to_sleep(void)
{
	prepare_to_sleep_in('S');
}

void finish_sleep(void)
{
	running->is_sleeping = false;
}

/* -- Wake-ups that are seen: Linux 6.12, kernel/sched/core.c -- */

static void tick_interrupt(void *arg);

static void tick_fires(void *arg)
{
	struct cpu *cpu = arg;

	interrupt(cpu->id, tick_interrupt, cpu);
}

/* A CPU has a tick while threads wait for it. */
static void start_tick(struct cpu *cpu)
{
	if (cpu->has_tick || list_empty(&cpu->runnable))
		return;
	cpu->has_tick = true;
	at(machine.now + between(SLICE_MIN, SLICE_MAX), tick_fires, cpu);
}

/* sched_tick(): the slice is over. */
static void tick_interrupt(void *arg)
{
	struct cpu *cpu = arg;

	cpu->has_tick = false;
	if (!list_empty(&cpu->runnable) && cpu->current->priority >= MAX_RT_PRIO)
		cpu->need_resched = true;
	start_tick(cpu);
}

/* wakeup_preempt() */
static bool preempts(const struct fiber *thread, const struct fiber *current)
{
	if (current->is_idle || thread->priority < current->priority)
		return true;
	return current->priority >= MAX_RT_PRIO && chance(30);
}

/* select_task_rq(): where it was, an idle CPU, or any. */
static struct cpu *select_cpu(const struct fiber *thread)
{
	unsigned first = (unsigned)dice((uint64_t)machine.n_cpus);
	struct cpu *cpu = chance(50) ? thread->cpu : &cpus[first];

	if (thread->pinned)
		return thread->pinned;
	if (thread == thread->cpu->ksoftirqd)
		return thread->cpu;
	if (cpu->current->is_idle || !chance(60))
		return cpu;
	for (unsigned i = 0; i < (unsigned)machine.n_cpus; i++) {
		struct cpu *other = &cpus[(first + i) % (unsigned)machine.n_cpus];

		if (other->current->is_idle && list_empty(&other->runnable))
			return other;
	}
	return cpu;
}

/* ttwu_do_activate(), or ttwu_runnable() of a thread that has not left its CPU. */
static void activate(struct fiber *thread, struct cpu *cpu)
{
	machine.watcher->settle();
	thread->is_waking = false;
	if (thread->is_dead)
		return;
	thread->is_sleeping = false;
	if (!thread->is_on_cpu && !thread->is_queued) {
		thread->cpu = cpu;
		if (preempts(thread, cpu->current))
			cpu->need_resched = true;
		enqueue(cpu, thread);
		start_tick(cpu);
	}
	machine.watcher->woken(thread);
	if (cpu->need_resched)
		kick(cpu);
}

/* sched_ttwu_pending() */
static void activate_here(void *arg)
{
	activate(arg, running->cpu);
}

/* try_to_wake_up(). A CPU that is idle is asked by an interrupt to take the thread: ttwu_queue().
 */
static void wake_seen(struct fiber *thread)
{
	struct cpu *here, *cpu;

	thread->is_waking = true;
	here = running->cpu;
	here->irqs_off++; /* p->pi_lock */
	machine.watcher->waking(thread);
	cpu = thread->is_on_cpu || thread->is_queued ? thread->cpu : select_cpu(thread);
	if (cpu != here && !thread->is_on_cpu && !thread->is_queued && cpu->current->is_idle &&
	    list_empty(&cpu->runnable))
		interrupt(cpu->id, activate_here, thread);
	else
		activate(thread, cpu);
	here->irqs_off--;
}

/* Linux 6.1, kernel/sched/core.c:try_to_wake_up(): a thread that is still on its CPU just does not
 * sleep. */
static void wake_any(struct fiber *thread)
{
	struct cpu *cpu = thread->cpu;

	if (!thread->is_sleeping || thread->is_waking || thread->is_dead)
		return;
	if (machine.watcher && running) {
		wake_seen(thread);
		return;
	}
	thread->is_sleeping = false;
	if (thread->is_on_cpu)
		return;
	if (thread != cpu->ksoftirqd && chance(50))
		cpu = &cpus[dice((uint64_t)machine.n_cpus)];
	thread->cpu = cpu;
	enqueue(cpu, thread);
	if (cpu->current->is_idle || chance(30)) {
		cpu->need_resched = true;
		kick(cpu);
	}
}

void wake(struct fiber *thread)
{
	if (thread->state != 'P' || !machine.watcher)
		wake_any(thread);
}

void unpark(struct fiber *thread)
{
	wake_any(thread);
}

static void wake_sleeper(void *arg)
{
	wake(arg);
}

/* An hrtimer, or schedule_timeout()'s: where threads are watched, an interrupt wakes its thread. */
void set_alarm(uint64_t when)
{
	if (!machine.watcher) {
		at(when > machine.now ? when : machine.now, wake_sleeper, running);
		return;
	}
	running->alarm.run = wake_sleeper;
	running->alarm.arg = running;
	timer_set(&running->alarm, when > machine.now ? when - machine.now : 0);
}

/* Where they are not watched, an alarm that is too late wakes the thread from another sleep. */
void cancel_alarm(void)
{
	if (machine.watcher)
		timer_cancel(&running->alarm);
}

static void sleep_until_in(char state, uint64_t when)
{
	do {
		prepare_to_sleep_in(state);
		set_alarm(when);
		schedule();
	} while (machine.watcher && machine.now < when);
	cancel_alarm();
}

void sleep_until(uint64_t when)
{
	sleep_until_in('S', when);
}

void sleep_for(uint64_t ns)
{
	sleep_until(machine.now + ns);
}

void sleep_in(char state, uint64_t ns)
{
	sleep_until_in(state, machine.now + ns);
}

static void fiber_main(void)
{
	running->cpu->irqs_off--;
	running->run(running->arg);
	running->is_dead = machine.watcher;
	for (;;) { /* a timer of its last sleep may still wake it */
		prepare_to_sleep();
		schedule();
	}
}

static struct fiber *fiber_create(struct cpu *cpu, int pid, int tid, action_fn *run, void *arg)
{
	struct fiber *fiber = allocate(sizeof(*fiber));

	*fiber = (struct fiber){ .cpu = cpu, .run = run, .arg = arg, .pid = pid, .tid = tid };
	fiber->priority = PRIORITY;
	list_init(&fiber->queue);
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = allocate(STACK);
	fiber->context.uc_stack.ss_size = STACK;
	makecontext(&fiber->context, fiber_main, 0);
	return fiber;
}

struct fiber *thread_start(int pid, int tid, action_fn *run, void *arg)
{
	struct cpu *cpu = &cpus[dice((uint64_t)machine.n_cpus)];
	struct fiber *thread = fiber_create(cpu, pid, tid, run, arg);

	thread->is_sleeping = true;
	wake(thread);
	return thread;
}

static void run_idle(void *arg)
{
	struct cpu *cpu = arg;

	for (;;) {
		if (!list_empty(&cpu->runnable)) {
			schedule();
			continue;
		}
		cpu->is_interruptible = true;
		if (!cpu->irqs)
			give_way();
		cpu->is_interruptible = false;
		spend(machine.is_instant ? 0 : between(50, 800)); /* out of the idle state */
	}
}

static void run_ksoftirqd(void *arg)
{
	struct cpu *cpu = arg;

	for (;;) {
		if (softirq_may_run(cpu)) {
			run_softirqs(cpu);
			spend(between(100, 400));
			continue;
		}
		prepare_to_sleep();
		schedule();
	}
}

void machine_start(int n_cpus)
{
	machine.now = 1000000;
	machine.n_cpus = n_cpus;
	for (int i = 0; i < n_cpus; i++) {
		struct cpu *cpu = &cpus[i];

		*cpu = (struct cpu){ .id = i };
		cpu->last_irq = &cpu->irqs;
		cpu->last_tasklet = &cpu->tasklets;
		list_init(&cpu->runnable);
		cpu->idle = fiber_create(cpu, 0, 0, run_idle, cpu);
		cpu->idle->is_idle = cpu->idle->is_on_cpu = true;
		cpu->current = cpu->idle;
		cpu->irqs_off = 1;
		resume_at(cpu->idle, machine.now);
		cpu->ksoftirqd = fiber_create(cpu, 10 + i, 10 + i, run_ksoftirqd, cpu);
		cpu->ksoftirqd->is_sleeping = true;
	}
}

int current_cpu(void)
{
	return running->cpu->id;
}

int current_pid(void)
{
	return running->pid;
}

int current_tid(void)
{
	return running->tid;
}

struct fiber *current_thread(void)
{
	return running;
}

bool thread_is_on_cpu(const struct fiber *thread)
{
	return thread->is_on_cpu;
}

int thread_pid(const struct fiber *thread)
{
	return thread->pid;
}

int thread_tid(const struct fiber *thread)
{
	return thread->tid;
}

int thread_cpu(const struct fiber *thread)
{
	return thread->cpu->id;
}

int thread_priority(const struct fiber *thread)
{
	return thread->priority;
}

void set_fifo(int priority)
{
	if (machine.watcher)
		running->priority = priority;
}

/* -- Locks -- */

void irq_disable(void)
{
	running->cpu->irqs_off++;
}

void irq_enable(void)
{
	running->cpu->irqs_off--;
	spend(0);
}

void bh_disable(void)
{
	running->cpu->bh_off++;
}

void bh_enable(void)
{
	struct cpu *cpu = running->cpu;

	cpu->bh_off--;
	if (softirq_may_run(cpu))
		run_softirqs(cpu);
	spend(0);
}

void pin(int cpu)
{
	running->pinned = &cpus[cpu];
}

void preempt_disable(void)
{
	running->cpu->preempt_off++;
}

void preempt_enable(void)
{
	running->cpu->preempt_off--;
}

void spin_lock(struct spinlock *lock)
{
	running->cpu->preempt_off++;
	while (lock->is_held)
		spend(between(15, 60));
	lock->is_held = true;
}

void spin_unlock(struct spinlock *lock)
{
	lock->is_held = false;
	running->cpu->preempt_off--;
}

void spin_lock_irq(struct spinlock *lock)
{
	irq_disable();
	spin_lock(lock);
}

void spin_unlock_irq(struct spinlock *lock)
{
	spin_unlock(lock);
	irq_enable();
}

struct mutex_waiter {
	struct link link;
	struct fiber *thread;
};

void mutex_init(struct mutex *mutex)
{
	mutex->owner = NULL;
	list_init(&mutex->waiters);
}

bool mutex_trylock(struct mutex *mutex)
{
	if (mutex->owner)
		return false;
	mutex->owner = running;
	return true;
}

void mutex_lock(struct mutex *mutex)
{
	while (!mutex_trylock(mutex)) {
		struct mutex_waiter waiter = { .thread = running };

		list_insert(&waiter.link, &mutex->waiters);
		prepare_to_sleep_in('D');
		schedule();
		list_remove(&waiter.link);
	}
}

void mutex_unlock(struct mutex *mutex)
{
	mutex->owner = NULL;
	if (!list_empty(&mutex->waiters))
		wake(container(mutex->waiters.next, struct mutex_waiter, link)->thread);
}

FILE *file_create(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

void file_finish(FILE *file, const char *path)
{
	if (fclose(file)) {
		perror(path);
		exit(1);
	}
}
