/* SPDX-License-Identifier: MIT */
/*
 * The machine: a clock, CPUs with interrupts, softirqs and threads, locks. What the driver's code
 * does takes time (`spend`), and in that time every other CPU goes on and interrupts nest on this
 * one.
 *
 * One process simulates one machine, so its state is global.
 */
#ifndef ORACLE_MACHINE_H
#define ORACLE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "list.h"

typedef void action_fn(void *arg);

enum {
	MAX_CPUS = 8
};

struct spinlock {
	bool is_held;
};

struct fiber;

struct mutex {
	struct fiber *owner;
	struct link waiters;
};

/* Work that runs in an interrupt of its own on the CPU that queued it: Linux 6.1,
 * kernel/irq_work.c. */
struct irq_work {
	action_fn *run;
	void *arg;
	bool is_pending;
};

/* Linux 6.1, kernel/softirq.c: queued on one CPU, runs on one CPU at a time. */
struct tasklet {
	action_fn *run;
	void *arg;
	bool is_scheduled, is_running, is_disabled;
	struct tasklet *next;
};

/* A timer as i915 uses it: Linux 6.1, i915_utils.c:set_timer_ms(), cancel_timer(). */
struct timer {
	action_fn *run;
	void *arg;
	bool is_active, is_pending;
	unsigned generation;
};

/* Who sees context switches and wake-ups, as the tracepoints of Linux 6.12, kernel/sched/core.c see
 * them: the current thread is the one that is running. */
struct watcher {
	/* Time passes until what is seen next has a time of its own. */
	void (*settle)(void);
	/* __schedule(): trace_sched_switch() */
	void (*switches)(const struct fiber *from, const struct fiber *to, const char *state);
	/* try_to_wake_up(): trace_sched_waking(), ttwu_do_wakeup(): trace_sched_wakeup() */
	void (*waking)(const struct fiber *thread);
	void (*woken)(const struct fiber *thread);
};

/* Priorities as the kernel counts them: below 100 is real time, SCHED_FIFO. */
enum {
	PRIORITY = 120,
	PRIORITY_FIFO_LOW = 98,	  /* sched_set_fifo_low() */
	PRIORITY_IRQ_THREAD = 49, /* sched_set_fifo() */
	PRIORITY_HOG = 9,	  /* chrt -f 90 */
	MAX_RT_PRIO = 100
};

struct machine {
	uint64_t now;
	int n_cpus;
	bool is_instant; /* hardware and interrupts take no time */
	int irq_cpu;	 /* where the GPU's interrupt goes, -1: to any CPU */
	/* Without one threads sleep and are woken in a simpler way, which takes less time. */
	const struct watcher *watcher;
};

extern struct machine machine;

/* The dice: the same for the same seed. */
void dice_seed(uint64_t seed);
uint64_t dice(uint64_t n);
uint64_t between(uint64_t low, uint64_t high);
bool chance(unsigned percent);
uint64_t long_tailed(uint64_t typical);
uint64_t hardware_time(uint64_t low, uint64_t high);

void *allocate(size_t size);
void release_all(void);
_Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls `run(arg)` at a time, in no thread: the hardware's doing. */
void at(uint64_t when, action_fn *run, void *arg);
void machine_start(int n_cpus);
void machine_run(void);

struct fiber *thread_start(int pid, int tid, action_fn *run, void *arg);
int current_cpu(void);
int current_pid(void);
int current_tid(void);
struct fiber *current_thread(void);
bool thread_is_on_cpu(const struct fiber *thread);
int thread_pid(const struct fiber *thread);
int thread_tid(const struct fiber *thread);
int thread_cpu(const struct fiber *thread);
int thread_priority(const struct fiber *thread);
/* From here on the thread that calls is one of real time. */
void set_fifo(int priority);
/* From its next sleep on it has this CPU alone. */
void pin(int cpu);
void preempt_disable(void);
void preempt_enable(void);

/* Time passes on this CPU. */
void spend(uint64_t ns);

/* A thread sleeps in TASK_INTERRUPTIBLE (S), TASK_UNINTERRUPTIBLE (D), TASK_IDLE (I) or TASK_PARKED
 * (P): the letters of include/trace/events/sched.h. */
void prepare_to_sleep(void); /* S */
void prepare_to_sleep_in(char state);
void finish_sleep(void);
/* Sleeps when prepare_to_sleep() has been called and nobody has woken the thread since. */
void schedule(void);
void sleep_for(uint64_t ns);
void sleep_in(char state, uint64_t ns);
void sleep_until(uint64_t when);
/* A parked thread is woken by unpark() alone. */
void wake(struct fiber *thread);
void unpark(struct fiber *thread);
/* Wakes the thread that calls at a time, unless cancel_alarm() comes first. */
void set_alarm(uint64_t when);
void cancel_alarm(void);

void irq_disable(void);
void irq_enable(void);
void bh_disable(void);
void bh_enable(void);
void spin_lock(struct spinlock *lock);
void spin_unlock(struct spinlock *lock);
void spin_lock_irq(struct spinlock *lock);
void spin_unlock_irq(struct spinlock *lock);
void mutex_init(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
bool mutex_trylock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

/* An interrupt arrives at a CPU. */
void interrupt(int cpu, action_fn *run, void *arg);
void irq_work_queue(struct irq_work *work);
void tasklet_schedule(struct tasklet *tasklet);
/* Runs it here and now when no CPU does. */
bool tasklet_flush(struct tasklet *tasklet);
void tasklet_disable(struct tasklet *tasklet);
void tasklet_enable(struct tasklet *tasklet);
void timer_set(struct timer *timer, uint64_t ns);
void timer_cancel(struct timer *timer);
bool timer_expired(const struct timer *timer);

/* A file that is written; what goes wrong ends the program. */
FILE *file_create(const char *path);
void file_finish(FILE *file, const char *path);

#endif
