/* SPDX-License-Identifier: MIT */
/* The driver's objects: requests, contexts with their timelines, engines; and the hardware's. */
#ifndef ORACLE_GPU_H
#define ORACLE_GPU_H

#include <limits.h>

#include "machine.h"
#include "trace.h"

enum {
	MAX_ENGINES = 4,
	MAX_CONTEXTS = 64,
	MAX_DEPENDENCIES = 3,
	MAX_STAMPS = 12,
	MAX_RUNS = 256,
	PORTS = 2,
	CSB_ENTRIES = 32,
	MAX_TOLD = 8,
	MAX_ARRAY = 6,
	MAX_INACTIVE = 2 * PORTS + 2,
};

/* Linux 6.1, i915_priolist_types.h */
enum {
	PRIO_INVALID = INT_MIN,
	PRIO_MIN = -1024,
	PRIO_NORMAL = 0,
	PRIO_MAX = 1024,
	PRIO_HEARTBEAT = 1025,
	PRIO_BARRIER = INT_MAX - 1,
};

enum mode {
	MODE_EXECLISTS,
	MODE_TRACEPOINTS,
	MODE_NOLISTEN,
	MODE_LEGACY,
	MODE_STOCK,
	MODE_GUC,
	MODE_RING,
	MODE_FULL,
	N_MODES
};

extern const char *const mode_names[N_MODES];

enum why {
	WHY_NONE,
	WHY_PRIORITY,
	WHY_TIMESLICE
};

/*
 * A moment of the hardware, and the trace events that go with it: those that made the hardware do
 * it and those that report it. `seen` is the first that reports it.
 */
struct moment {
	uint64_t at, seen, number;
	uint64_t stamps[MAX_STAMPS];
	int n_stamps;
	struct moment *causes[2];
	uint64_t carried[MAX_STAMPS]; /* stamps of earlier moments that come after this one */
	int n_carried;
};

/* One interval in which the engine really runs a request. */
struct run {
	struct moment *begin, *end;
	struct engine *engine;
};

struct preemption {
	struct moment *moment;
	struct request *culprit;
	enum why why;
};

struct fence_callback {
	struct link link;
	void (*run)(struct request *rq, struct fence_callback *callback);
	struct request *waiting_request;
	struct fiber *waiting_thread;
};

struct request {
	struct context *context;
	struct engine *engine; /* the virtual one, until a physical one has taken it */
	unsigned mask;	       /* engines that may run it */
	uint32_t seqno, tail, wa_tail;
	int prio;
	bool is_user, is_heartbeat;
	bool hangs, faults, is_stubborn; /* never ends; the engine tells of it; is not preempted */
	bool has_error, has_submit_error, is_skipped, has_started;
	int error; /* the fence's: -EIO, -EAGAIN of one that is only run again */

	/* its fence: Linux 6.1, dma-fence.c, i915_request.h */
	struct spinlock lock;
	struct link callbacks;
	bool is_signaled, is_signaling_enabled;
	bool is_active, is_in_queue, is_on_hold, is_on_signals, is_retired;
	struct request *next_signaled;

	/* its submit fence */
	int submit_waits;
	bool is_submitted;
	struct request *submitted_next;
	const struct request *freed_by; /* it was submitted as this one's fence was signalled */
	struct request *signalers[MAX_DEPENDENCIES];
	int n_signalers;

	struct link on_timeline, on_scheduler, on_signal_list, on_listening;

	/* the hardware's side */
	struct fiber *spinner; /* a waiter that looks all the time */
	bool is_complete, is_listened_at_end;
	uint64_t work_left;
	uint32_t global_order;

	/* the truth */
	uint64_t queue_at, add_at, submit_at, execute_at, signal_at, retire_at, wanted_at;
	uint64_t held_ns; /* the pause flag kept it from beginning */
	uint64_t last_execute_at, last_executed_at, last_unsubmit_at, listen_at;
	struct moment *end;
	struct run *runs;
	int n_runs, room_runs;
	struct preemption *preemptions;
	int n_preemptions, room_preemptions;
	struct request *all_next;
};

/* An intel_context with its timeline and ring. */
struct context {
	uint64_t id;
	int prio, pid;
	struct engine *engine; /* may be virtual */
	struct mutex mutex;
	uint32_t seqno, seqno_step, emitted;
	struct link requests;
	struct request *last_request;

	/* Linux 6.1, intel_context_types.h: signals, inflight */
	struct spinlock signal_lock;
	struct link signals, on_signalers;
	bool is_listening;
	struct engine *inflight;
	int inflight_count;
	bool is_on_retire_list;
	bool is_recoverable, is_banned;
	unsigned n_hangs;

	/* the ring: requests in the order in which the hardware runs them */
	struct request **ring;
	size_t n_ring, room_ring, ring_head;
	bool is_in_busywait; /* switched away in the wait behind a breadcrumb */
	bool is_registered;  /* known to the GuC */
	uint32_t guc_tail;
	bool guc_is_queued;
	uint64_t guc_since;
};

struct breadcrumbs {
	struct engine *irq_engine;
	struct link signalers;
	struct request *signaled;
	struct irq_work work;
	bool is_armed;
};

struct priolist {
	struct link link, requests;
	int prio;
};

/* One write of the submit port, and who is told of it. */
struct submission {
	struct moment moment;
	enum why why;
};

enum csb_kind {
	CSB_IDLE_TO_ACTIVE,
	CSB_NEW_QUEUE,
	CSB_NEXT_ELEMENT,
	CSB_ACTIVE_TO_IDLE
};

/*
 * An entry of the context status buffer: the switch of which it tells, and the request whose
 * completion led to it, if one did.
 */
struct csb {
	enum csb_kind kind;
	const struct context *from;
	struct moment *switched;
	struct request *ended;
};

/* A port that is given back, and when the hardware did that. */
struct inactive {
	struct request *rq;
	uint64_t since;
};

struct tasklet_run {
	struct inactive inactive[MAX_INACTIVE];
	int n_inactive;
	struct submission *submission; /* what this run has written */
};

struct element {
	struct context *context; /* NULL: the preempt context of Linux 5.0 to 5.3 */
	uint32_t tail;
};

enum hw_state {
	HW_IDLE,
	HW_LOADING,
	HW_RUNNING,
	HW_GAP,
	HW_PAUSED
};

struct hardware {
	enum hw_state state;
	struct element elements[PORTS], written[PORTS];
	int n_elements, position, n_written;
	struct submission *submission, *running_submission;
	bool is_paused;
	struct request *running;
	struct request *ended; /* the last that completed since the element was loaded */
	uint64_t run_since, paused_since;
	unsigned work_generation, arbitration_generation;
	struct csb csb[CSB_ENTRIES];
	unsigned csb_write;
	struct moment *last_end; /* what ended last on this engine */
	struct preemption *open_preemption;
	struct request *open_victim;
};

struct engine {
	int id, class, instance;
	unsigned mask;
	bool is_virtual;
	void (*submit_request)(struct request *rq);
	void (*schedule)(struct request *rq, int prio);

	/* Linux 6.1, i915_scheduler_types.h: struct i915_sched_engine */
	struct spinlock *lock;
	struct spinlock own_lock;
	struct engine *queue; /* whose priolists: its own, or the GuC's */
	struct link priolists, requests, hold;
	int priority_hint;
	struct tasklet tasklet;

	/* Linux 6.1, intel_engine_types.h: struct intel_engine_execlists */
	struct request *pending[PORTS + 1], *inflight[PORTS + 1];
	struct request **active;
	struct timer timer, preempt;
	struct request *preempt_target;
	uint64_t preempt_timeout;     /* 0: none */
	bool is_resetting, has_error; /* error_interrupt */
	uint64_t reset_began;
	struct moment *reset; /* until a run of the tasklet has ended */
	unsigned csb_head;
	struct link virtuals;
	struct request *recorded_ports[PORTS];
	struct csb told[MAX_TOLD]; /* the entries that this run of the tasklet has read */
	int n_told;

	/* Linux 5.0 to 5.3 */
	int port_count[PORTS];
	bool is_hwack, is_preempting;
	struct moment *preempt_moment;

	struct breadcrumbs breadcrumbs;
	struct context *kernel_context;
	struct request *systole;
	struct context *retire_list[MAX_CONTEXTS];
	int n_retire_list;
	struct fiber *retire_worker;
	bool user_irq, context_irq, error_irq;
	uint64_t timeslice, tasklet_began;
	uint64_t tasklet_cpu;

	struct hardware hw;
};

struct virtual_node {
	struct link link;
	struct virtual_engine *ve;
	int prio;
	bool is_linked;
};

/* Linux 6.1, intel_execlists_submission.c: struct virtual_engine */
struct virtual_engine {
	struct engine base;
	struct context *context;
	struct request *request;
	struct virtual_node nodes[MAX_ENGINES];
	struct engine *siblings[MAX_ENGINES];
	int n_siblings;
};

struct fence_array;
struct fence_chain;

struct statistics {
	uint64_t preemptions, timeslices, lite_restores, tasklets, tasklet_overlaps, foreign_events;
	uint64_t nested_events, listeners, late_listeners, complete_while_unsubmitted,
		skipped_submits;
	uint64_t polled_signals, retire_signals, prompt_signals, coalesced, migrations, busywaits;
	uint64_t kernel_requests, same_set, same_set_unheard;
	uint64_t hangs, resets, heartbeat_resets, errors, holds, guilty, replays, banned, failed;
	uint64_t arrays, array_fences, array_new_listeners, chain_interrupts;
};

struct gpu {
	enum mode mode;
	struct engine engines[MAX_ENGINES];
	int n_engines;
	struct virtual_engine *ve;
	struct context *contexts[MAX_CONTEXTS];
	int n_contexts;
	struct request *requests, **last_request; /* all, in order of their creation */
	unsigned n_requests, n_unretired, wanted_requests, n_clients;
	bool is_user_irq_masked; /* before Gen11 the user interrupt is on only while somebody
				    listens */
	bool is_irq_line_busy, is_irq_raised;
	bool is_over;
	uint64_t pace;	  /* a typical request's run, ns */
	bool has_arrays;  /* programs listen to several requests in one go */
	bool has_hangs;	  /* requests hang, engines are reset */
	bool has_capture; /* CONFIG_DRM_I915_CAPTURE_ERROR */
	bool has_slices;  /* time slices are short, and often hand the same ports over */
	struct spinlock guc_lock;
	struct statistics statistics;
};

extern struct gpu gpu;

/* moments.c */
struct moment *moment_new(uint64_t when, struct moment *cause, struct moment *other);
void moment_stamp(struct moment *moment, uint64_t stamp);
void moment_report(struct moment *moment, uint64_t stamp);
void csb_told(const struct csb *csb, uint64_t stamp);
void moments_carry(void);
size_t moment_stamps(const struct moment *moment, uint64_t *out, size_t room);
void run_begins(struct engine *engine, struct request *rq, struct moment *when);
void run_ends(struct request *rq, struct moment *when);
void preempted(struct engine *engine, struct request *rq, struct moment *when, enum why why);

/* fence.c */
bool fence_is_signaled(struct request *rq);
void fence_signal_locked(struct request *rq);
void fence_deliver(struct request *rq);
bool fence_add_callback(struct request *rq, struct fence_callback *callback);
bool fence_remove_callback(struct request *rq, struct fence_callback *callback);

/* fence_array.c */
struct fence_array *fence_array_create(struct request *const fences[], int n, bool signal_on_any);
bool fence_array_is_signaled(struct fence_array *array);
void fence_array_listen(struct fence_array *array);
void fence_array_wait(struct fence_array *array, uint64_t timeout);
struct fence_chain *fence_chain_create(struct fence_array *const points[], int n);
void fence_chain_listen(struct fence_chain *chain);

/* breadcrumbs.c */
void breadcrumbs_init(struct breadcrumbs *b, struct engine *irq_engine);
void signal_breadcrumbs(struct engine *engine);
void request_enable_breadcrumb(struct request *rq);
void request_cancel_breadcrumb(struct request *rq);
void context_remove_breadcrumbs(struct context *ce, struct breadcrumbs *b);
void hears_completion(struct request *rq);

/* request.c */
struct context *context_create(struct engine *engine, int prio, int pid, bool is_user);
struct request *request_create(struct context *ce, uint64_t work, bool is_user);
struct request *request_commit(struct request *rq);
void request_await(struct request *rq, struct request *signaler);
void request_queue(struct request *rq, int prio);
void request_boost(struct request *rq, int prio);
bool request_submit(struct request *rq);
void request_skip(struct request *rq);
void request_unsubmit(struct request *rq);
bool request_retire(struct request *rq);
void retire_requests(struct context *ce, const struct request *end);
void engine_add_retire(struct engine *engine, struct context *ce);
void engine_retire_worker(void *engine);
bool request_wait(struct request *rq, uint64_t timeout);
struct link *priolist(struct engine *engine, int prio);
struct request *first_queued(struct engine *engine);
int queue_prio(struct engine *engine);
void priolists_tidy(struct engine *engine);

/* execlists.c, reset.c, virtual.c, legacy.c, guc.c, ring.c */
void execlists_setup(struct engine *engine);
void execlists_submit_request(struct request *rq);
void execlists_kick(struct request *rq, int prio);
struct request *execlists_unwind(struct engine *engine);
void execlists_process_csb(struct engine *engine, struct tasklet_run *run);
void execlists_add_inactive(struct tasklet_run *run, struct request *rq, uint64_t since);
void execlists_schedule_out(struct engine *engine, const struct inactive *port);
void execlists_told(struct engine *engine, const struct csb *csb);
bool ancestor_on_hold(const struct request *rq);
void set_preempt_timeout(struct engine *engine, struct request *rq);
bool preempt_timeout(struct engine *engine);
void execlists_reset(struct engine *engine);
void reset_for_heartbeat(struct engine *engine);
void engine_interrupt(struct engine *engine);
void virtual_setup(struct virtual_engine *ve);
struct virtual_engine *first_virtual_engine(struct engine *engine);
bool virtual_matches(const struct virtual_engine *ve, const struct request *rq,
		     const struct engine *engine);
void virtual_xfer_context(struct virtual_engine *ve, struct engine *engine);
void virtual_unlink(struct virtual_engine *ve, const struct engine *engine);
void virtual_kick_siblings(struct request *rq, struct context *ce);
int virtual_prio(const struct engine *engine);
void legacy_setup(struct engine *engine);
void guc_setup(struct engine *engine);
void ring_setup(struct engine *engine);

/* hardware.c */
void hw_submit(struct engine *engine, struct request *const ports[], int n, struct submission *s);
void hw_pause(struct engine *engine, bool is_paused);
const struct context *hw_reset(struct engine *engine, struct csb *csb);
void hw_user_interrupt(struct engine *engine);
void hw_emit(struct context *ce, struct request *rq);
struct request *hw_next_request(const struct element *element);
void hw_run(struct engine *engine, struct request *rq, struct moment *begin);
void hw_stop(struct engine *engine, struct moment *end);
void hw_extend(struct engine *engine, struct context *ce, uint32_t tail);
extern void (*hw_ring_empty)(struct engine *engine);

/* load.c */
void load_start(uint64_t seed, unsigned n_requests);
void tasklet_begins(struct engine *engine);
void tasklet_ends(struct engine *engine);

static inline bool is_complete(const struct request *rq)
{
	return rq->is_complete;
}

static inline bool request_completed(const struct request *rq)
{
	return rq->is_signaled || rq->is_complete;
}

#endif
