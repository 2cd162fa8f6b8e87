/* SPDX-License-Identifier: MIT */
/*
 * Linux's DRM GPU scheduler, its fences and some drivers with their hardware, as the sources of
 * Linux 6.1, 6.12 and 6.17 tell it. The machine below is that of tests/oracle.
 */
#ifndef ORACLE_SCHED_H
#define ORACLE_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../oracle/list.h"
#include "../oracle/machine.h"

#define FOREVER UINT64_MAX
#define NEVER	UINT64_MAX

enum kernel {
	LINUX_6_1,  /* a thread per scheduler */
	LINUX_6_12, /* work items */
	LINUX_6_17  /* the events' new names */
};

enum mode {
	MODE_SERIAL,
	MODE_DEPTH,
	MODE_FIRMWARE,
	MODE_RESET,
	MODE_LONG_RUNNING,
	MODE_MIXED,
	N_MODES
};

enum {
	MAX_DEPENDENCIES = 8,
	MAX_FENCES = 64,  /* of a ring, not yet signalled */
	N_PRIORITIES = 4, /* 0 is the highest */
	HANG_LIMIT = 0
};

/* -- Fences: drivers/dma-buf/dma-fence.c -- */

struct fence;
struct fence_cb;
typedef void fence_fn(struct fence *fence, struct fence_cb *cb);

struct fence_cb {
	struct link link;
	fence_fn *run;
};

struct fence_ops {
	bool (*enable_signaling)(struct fence *fence);
	bool (*signaled)(struct fence *fence);
	void (*release)(struct fence *fence);
};

struct fence {
	const struct fence_ops *ops;
	struct spinlock *lock;
	uint64_t context, seqno, address;
	const char *driver, *timeline;
	int error;
	unsigned references;
	bool is_signalled, is_enabled;
	uint64_t signalled_at, signal_event;
	uint64_t irq_woken[2]; /* signalled by the interrupt's thread, which was woken then */
	struct link callbacks;
	struct sched_fence *owner; /* of the scheduler's two fences */
	struct ring *ring;	   /* of a driver's */
	struct link irq_link;
};

void fence_init(struct fence *fence, const struct fence_ops *ops, struct spinlock *lock,
		uint64_t context, uint64_t seqno, const char *driver, const char *timeline);
struct fence *fence_get(struct fence *fence);
void fence_put(struct fence *fence);
void fence_set_error(struct fence *fence, int error);
void fence_signal(struct fence *fence);
void fence_signal_locked(struct fence *fence);
bool fence_is_signalled(struct fence *fence);
bool fence_is_signalled_locked(struct fence *fence);
/* False when it is signalled already. */
bool fence_add_callback(struct fence *fence, struct fence_cb *cb, fence_fn *run);
bool fence_remove_callback(struct fence *fence, struct fence_cb *cb);
/* False when the time is over. The state in which it sleeps: S or D. */
bool fence_wait(struct fence *fence, uint64_t ns, char state);
uint64_t contexts_allocate(unsigned n);

/* -- Wait queues and completions: kernel/sched/wait.c, completion.c -- */

struct waiters {
	struct link list;
};

void waiters_init(struct waiters *waiters);
/* Sleeps once: who calls looks at its condition before and afterwards. Where threads are not
 * watched, it looks again after `poll`, and wake_all() wakes nobody. */
void wait_once(struct waiters *waiters, char state, uint64_t until, uint64_t poll);
void wake_all(struct waiters *waiters);

/* -- Work queues: kernel/workqueue.c -- */

struct workqueue {
	bool is_ordered, is_busy;
};

struct work {
	struct link link;
	action_fn *run;
	void *arg;
	struct workqueue *queue;
	bool is_pending, is_running;
	struct waiters flushers;
};

void workers_start(unsigned n, int first_tid);
void work_init(struct work *work, struct workqueue *queue, action_fn *run, void *arg);
void work_queue(struct work *work);
void work_cancel(struct work *work);
void work_cancel_sync(struct work *work);

/* -- The scheduler: drivers/gpu/drm/scheduler/ -- */

struct sched_fence {
	struct fence scheduled, finished;
	struct fence *parent;
	struct sched *sched;
	struct spinlock lock;
	struct job *job;
	uint64_t address;
};

struct interval {
	uint64_t begin, end;
};

enum fulfilment {
	BY_FINISHED,
	BY_SCHEDULED,
	BY_NOTHING /* a fence of the same entity */
};

struct dependency {
	struct fence *fence;
	uint64_t context, seqno; /* as it was added */
	enum fulfilment how;
	struct fence *awaited;
	bool has_reference;
};

struct job {
	struct sched *sched;
	struct entity *entity;
	struct sched_fence *s_fence;
	uint64_t id, submitted;
	unsigned credits, karma;
	struct dependency dependencies[MAX_DEPENDENCIES];
	unsigned n_dependencies, next_dependency;
	struct link queued_link, pending_link;
	struct fence_cb cb, finish_cb;
	struct work kill_work;
	struct fence *hw_fence; /* made by the submitter: xe */

	/* what the hardware does with it */
	uint64_t duration;
	bool hangs, is_hw_done;
	struct link hw_link;
	uint64_t hw_seqno, left;

	/* the truth */
	int pid, tid;
	const char *comm;
	uint64_t client, queue_event, run_event, done_event;
	uint64_t hw_handed, popped;
	struct interval *runs;
	unsigned n_runs, n_handed;
	bool is_skipped, is_killed, is_long, was_reset, is_freed;
	unsigned credits_at_run;
	struct job *next;
};

struct entity {
	struct spinlock lock;
	struct runqueue *rq;
	struct link link;
	struct sched **choice;
	unsigned n_choice, priority;
	struct link jobs;
	unsigned n_jobs;
	uint64_t fence_context, next_seqno, address;
	int64_t order; /* in its run queue's tree: the least comes first */
	/* FAIR: struct drm_sched_entity_stats */
	int64_t vruntime;
	uint64_t runtime, runtime_before, average_us;
	struct fence *last_scheduled, *dependency;
	struct fence_cb cb;
	bool is_stopped, is_idle, is_guilty, has_guilty, is_in_tree;
	struct waiters idle_waiters;
	struct mutex submission; /* the driver's, around arming and pushing */
	struct process *process;
	struct ring *ring; /* xe: its own */
};

struct runqueue {
	struct spinlock lock;
	struct link entities;
	struct entity *current;
	struct sched *sched;
};

struct sched {
	const char *name, *dev;
	const struct driver *driver;
	struct ring *ring;
	struct runqueue rq[N_PRIORITIES]; /* FAIR: the first one alone */
	uint64_t average_us;		  /* FAIR: of a job */
	unsigned credit_limit, credits, score;
	uint64_t last_id, timeout;
	struct spinlock list_lock;
	struct link pending;
	bool is_paused, free_guilty;
	struct waiters job_scheduled;
	/* 6.1 */
	struct fiber *thread;
	bool should_park, is_parked;
	struct waiters parked;
	/* 6.12 */
	struct workqueue submit_queue, timeout_queue;
	struct work run_work, free_work;
	struct work tdr_work;
	struct timer tdr_timer;
	/* the truth: jobs in the order in which they were run */
	struct job **ran;
	unsigned n_ran, room_ran;
};

struct driver {
	const char *name;
	struct fence *(*run_job)(struct job *job);
	void (*timedout_job)(struct job *job);
};

void sched_init(struct sched *sched, const struct driver *driver, struct ring *ring,
		unsigned credit_limit, uint64_t timeout);
void sched_start_thread(struct sched *sched, int tid);
void sched_stop(struct sched *sched, struct job *bad);
void sched_start(struct sched *sched);
void sched_resubmit(struct sched *sched);
void sched_wakeup(struct sched *sched);
void sched_queue_tdr(struct sched *sched);
void sched_reinsert(struct job *job);
void wqueue_stop(struct sched *sched);
void fence_scheduled(struct sched_fence *s_fence, struct fence *parent);
void fence_finished(struct sched_fence *s_fence, int result);

void entity_init(struct entity *entity, struct sched **choice, unsigned n, unsigned priority);
void entity_destroy(struct entity *entity, bool is_sigkill);
struct job *entity_pop_job(struct entity *entity);
bool entity_is_ready(const struct entity *entity);
void job_init(struct job *job, struct entity *entity, unsigned credits);
void job_add_dependency(struct job *job, struct fence *fence);
void job_arm(struct job *job);
void job_push(struct job *job);
void job_free(struct job *job);
void rq_add_entity(struct runqueue *rq, struct entity *entity);
void rq_remove_entity(struct runqueue *rq, struct entity *entity);
void rq_update_fifo(struct entity *entity, uint64_t submitted);
/* FAIR: the entity has a job to run, and had none; one of its jobs was taken; one is over. */
void rq_join_fair(struct entity *entity);
void rq_pop_fair(struct entity *entity);
void fair_add_time(struct sched *sched, const struct job *job);

/* -- Drivers and their hardware -- */

/* What jobs are written to: a hardware ring, or a context that a firmware schedules. */
struct ring {
	const char *name, *dev, *fence_driver, *timeline;
	struct sched sched;
	struct spinlock lock; /* of the fences */
	uint64_t fence_context, emitted, done, last_seen;
	struct job *fences_of[MAX_FENCES];
	struct fence *fences[MAX_FENCES];
	struct link jobs; /* in the hardware */
	struct job *current;
	unsigned generation;
	bool has_fallback, is_serial, is_long_running, resubmits;
	struct timer fallback;
	/* xe */
	struct engine *engine;
	struct link engine_link;
	bool is_on_engine, is_waiting, is_banned, is_killed, is_disabled;
	struct work disabled_work, cleanup_work;
	struct waiters disabled;
};

struct engine {
	const char *name, *class;
	unsigned slots, busy, last_guc_id;
	bool is_stopped; /* no fence is signalled */
	struct link waiting;
	struct spinlock lock; /* of all its fences */
	struct link pending;  /* fences that have listeners */
	struct irq_work irq_work;
	struct workqueue g2h_queue, ordered_queue; /* of what the firmware says; of timeouts */
};

extern const struct driver amdgpu_driver, xe_driver, v3d_driver;

void serial_ring_init(struct ring *ring, const struct driver *driver, unsigned depth,
		      uint64_t timeout);
void irq_thread_start(int tid);
/* The times of the two events with which it was woken last. */
void irq_thread_woken(const struct fiber *thread, unsigned which);
/* Where it is that signals: sets them. */
void irq_thread_signals(uint64_t woken[2]);
void engine_init(struct engine *engine, unsigned slots);
void xe_queue_init(struct ring *ring, struct engine *engine, unsigned guc_id, bool is_long_running,
		   uint64_t timeout);
void xe_job_prepare(struct job *job);
void xe_queue_close(struct entity *entity, bool is_sigkill);
/* An external driver's fence, signalled by its interrupt. */
struct fence *external_fence(void);

/* -- The load -- */

struct process {
	int pid;
	uint64_t client;
	const char *comm;
	struct entity **entities;
	unsigned n_entities, n_threads;
	bool is_killed;
};

struct world {
	enum kernel kernel;
	enum mode mode;
	bool is_fifo, is_fair, is_event_late, has_hog;
	unsigned jobs_wanted, jobs_left;
	int run_cpu; /* where a job was run last */
	struct job *jobs, **last_job;
	struct sched **scheds;
	unsigned n_scheds;
};

extern struct world world;

void load_start(uint64_t seed);
const char *thread_comm(void);
const char *comm_of(const struct fiber *thread);
void name_thread(int tid, const char *comm);
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -- What is recorded -- */

/* Records an event here and now and returns its time. `system:name` as perf prints it. */
uint64_t trace(const char *event, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Context switches and wake-ups are recorded, too. */
void watch_threads(void);

enum style {
	STYLE_PERF,
	STYLE_TRACE_CMD,
	STYLE_FTRACE,
	STYLE_TRACE_CMD_OLD /* with a libtraceevent before 1.8 */
};

struct writing {
	enum style style;
	unsigned drop; /* per cent */
	const char *without[8];
	unsigned n_without;
	bool fences;
};

void write_events(FILE *file, const struct writing *writing);
void write_truth(FILE *file);
void write_statistics(FILE *file);
unsigned self_check(void);
void trace_free(void);

#endif
