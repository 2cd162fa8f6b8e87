/* SPDX-License-Identifier: MIT */
/*
 * The simulated world: what the parts of the simulator share. Time is one number that every event
 * moves on; a handler runs whole before the next one, so a CPU's sequence of events is never torn.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <setjmp.h>
#include <string.h>

#include "sim.h"

#define SIM_PORTS    2
#define SIM_MAX_CPUS 64

struct range {
	uint64_t lo;
	uint64_t hi;
};

enum op_kind {
	OP_COMPUTE,
	OP_SUBMIT,
	OP_WAIT,
	OP_LISTEN,
	OP_LOOK,
	OP_SLEEP,
	OP_LOCK,
	OP_UNLOCK,
	OP_FORK,
	OP_LOOP,
	OP_CLOSE, /* drm_sched: an entity goes, a new one comes */
	OP_END,
};

/* Whose drm_sched is simulated. */
enum sim_kernel {
	SIM_LINUX_6_1,	/* a thread a scheduler; jobs are named by addresses */
	SIM_LINUX_6_12, /* work items */
	SIM_LINUX_6_17	/* jobs are named by their fences */
};

enum sim_ring {
	SIM_RING_SERIAL,   /* one job at a time, in order */
	SIM_RING_FIRMWARE, /* when a firmware lets it */
	SIM_RING_UNKNOWN   /* several at a time, of a driver that nobody knows */
};

/* What the driver does with a job that takes too long. */
enum sim_reset {
	SIM_RESET_RESUBMIT, /* resets the ring, runs the others again */
	SIM_RESET_FORCE,    /* signals the fences of all when the scheduler has let go of them */
	SIM_RESET_SIGNAL,   /* signals them while the scheduler listens */
	SIM_RESET_BAN	    /* a firmware's queue: it runs nothing more */
};

struct sc_ring {
	char name[64], device[32], driver[16];
	enum sim_ring kind;
	enum sim_reset reset;
	uint32_t depth;
	uint64_t timeout_ns; /* 0: none */
	uint32_t hangs;	     /* per cent of the jobs */
	bool is_long;	     /* its jobs have no end */
	bool loses_interrupts, keeps_fences, makes_two;
};

struct op {
	enum op_kind kind;
	uint32_t target; /* context, lock or thread */
	uint32_t count;	 /* loop: turns, UINT32_MAX for ever; submit: requests */
	uint32_t after;	 /* submit: context whose last request comes first, or SIM_NO */
	uint32_t jump;	 /* loop: its end; end: its loop */
	struct range time;
	struct range prepare;
	bool listen; /* submit: somebody (a sync file) listens to the request from the start */
	bool oldest; /* wait: for the oldest request not waited for, else the last */
	bool fence;  /* wait: by dma_fence_wait */
};

struct sc_engine {
	uint32_t dev;
	uint16_t class;
	uint16_t instance;
	uint32_t siblings[8];
	uint32_t n_siblings; /* 0: physical */
	uint64_t heartbeat_ns;
	struct sc_ring ring; /* drm_sched */
};

struct sc_context {
	char name[16];
	uint32_t engine;
	int32_t prio;
	bool kernel;   /* no queue event, seqnos in ones */
	bool may_move; /* drm_sched: to the ring of its kind with the least to do */
};

struct sc_thread {
	char name[16];
	int32_t pid;
	int32_t tid;
	int32_t prio;
	uint64_t cpus; /* mask */
	uint64_t start_ns;
	bool forked; /* started by another thread's fork */
	bool kernel;
	struct op *ops;
	uint32_t n_ops;
};

struct sim_scenario {
	enum lane_submission submission;
	bool stock;
	bool no_unsubmit; /* a tracer of tracepoints only */
	bool no_ports;	  /* one that does not look what is on the ports */
	bool no_dequeues; /* one that does not see what is handed over */
	bool no_signals;  /* nor records signals */
	bool no_retires;  /* nor what is retired */
	/* drm_sched */
	bool is_sched;
	enum sim_kernel kernel;
	bool tells_driver; /* the recorder reads each ring's driver from its device */
	bool is_fifo;	   /* entities by age, not in turn */
	uint32_t dependencies, foreign, gangs; /* per cent of the jobs */
	uint32_t slots;			       /* rings that a firmware runs at a time */
	uint64_t seed;
	uint32_t cpus;
	uint32_t irq_cpu;
	uint64_t duration_ns;
	uint64_t cpu_slice_ns;
	uint64_t timeslice_ns; /* GPU; 0: none */
	uint64_t retire_ns;
	uint64_t spin_ns;
	struct range irq_delay;
	struct range ack;    /* ELSP written .. taken by the hardware */
	struct range change; /* a context ends .. the next one begins */
	struct range step;   /* between two events */
	struct range idle_exit;
	struct sc_engine *engines;
	uint32_t n_engines;
	struct sc_context *contexts;
	uint32_t n_contexts;
	struct sc_thread *threads;
	uint32_t n_threads;
	char (*locks)[16];
	uint32_t n_locks;
};

/* An event by which the truth stamps something. */
struct stamp {
	uint64_t at;
	uint64_t no;	  /* of all, in order; 0: there is none */
	uint64_t section; /* number of the tasklet that fired it, 0: none */
	bool exact;	  /* it is the end that it tells */
};

struct world;
struct rq;
struct engine;
struct thread;

/* Grows with world_push(); the memory is the world's. */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *v;                                                                           \
		uint32_t n;                                                                        \
		uint32_t room;                                                                     \
	}

typedef VEC(struct rq *) rq_vec;

enum cb_kind {
	CB_WAKE,
	CB_SUBMIT,
	CB_NOTHING
};

struct cb {
	enum cb_kind kind;
	struct thread *thread;
	struct rq *rq;
};

struct context {
	uint32_t index;
	uint64_t id; /* fence context */
	struct engine *engine;
	int32_t prio;
	bool kernel;
	uint32_t seqno;
	rq_vec ring;	     /* every request, in order */
	uint32_t first_live; /* index in ring of the first not retired */
	uint32_t first_todo; /* index in ring of the first not complete in hardware */
	rq_vec signals;	     /* listened to and active, in order */
	struct engine *signal_engine;
	struct engine *inflight; /* on whose ports it is */
	uint32_t inflight_count;
	struct thread *mutex; /* who builds a request on it */
	VEC(struct thread *) mutex_waiters;
	bool retire_queued;
	bool registered;       /* GuC */
	struct rq *last_end;   /* GuC: last request that ended */
	uint32_t last_ran_on;  /* engine index */
	uint32_t next_to_wait; /* index in ring for `wait oldest` */
};

struct rq {
	uint32_t index;
	struct context *ctx;
	struct engine *engine; /* as i915_request.engine: virtual until a sibling takes it */
	uint32_t seqno;
	uint32_t tail;
	int32_t prio;
	uint64_t left_ns;
	uint32_t holds; /* what its submit waits for */
	bool heartbeat;
	bool submitted;
	bool queued; /* in a priority queue */
	bool active; /* executed and not taken back */
	bool started;
	bool complete;
	bool signaled;
	bool enabled;
	bool listed; /* in ctx->signals */
	bool retired;
	bool enabled_active; /* when somebody began to listen it was executed already */
	int enable_cpu;
	uint64_t enable_no; /* of that CPU's events */
	uint64_t enable_ns;
	bool due;	       /* the breadcrumb work, or who polls, is about to signal it */
	bool stamped;	       /* its signal tells its end to whoever sees the events */
	uint64_t signal_no;    /* of all signals; 0: none */
	bool taken_back;       /* unsubmitted, not executed since */
	bool bare_execute;     /* executed, and since then neither in nor out */
	uint64_t handed;       /* the tasklet that executed it last, */
	uint64_t again_ns;     /* then, if it had been executed before */
	uint32_t in_count;     /* ins minus outs */
	uint32_t first_engine; /* that executed it first */
	struct stamp told;     /* tells that it is complete, the first that does */
	struct stamp in;       /* its last */
	uint64_t hw_start;
	uint64_t hw_stop;
	VEC(struct cb) cbs;
	rq_vec submit_waiters; /* their submit follows ours */
	rq_vec waiters;	       /* run after us, for time slices */
};

/* What the hardware reports to the driver. */
enum csb {
	CSB_PROMOTE,
	CSB_COMPLETE,
	CSB_LITE,
	CSB_PREEMPTED
};

struct port {
	struct rq *rq; /* the context's last request, NULL: empty */
	struct stamp in;
	uint32_t set;
	bool replaced;	/* when the driver saw it leave, another set had been taken */
	bool again;	/* the first of its set, which the hardware may have had before */
	uint32_t count; /* per_request: ELSP writes that have not left the hardware */
};

struct hw {
	struct rq *load[SIM_PORTS];	 /* last request of each context, on the hardware */
	struct stamp load_in[SIM_PORTS]; /* and its `in` */
	uint32_t load_set;
	struct context *ctx; /* whose ring is read */
	struct rq *rq;	     /* that runs */
	uint64_t since;
	uint64_t gen;
	uint32_t span; /* GuC: of what runs, in the truth */
	bool stalled;  /* spins on the preempt semaphore, or changes contexts */
	bool changing;
	bool elsp_full;
	bool preempt_idle; /* per_request: the preempt context was written */
	struct rq *elsp[SIM_PORTS];
	struct stamp elsp_in[SIM_PORTS];
	uint32_t elsp_set;
	VEC(enum csb) csb;
};

/* A run on the hardware, from its begin to its end, complete or taken off. */
struct run {
	struct rq *rq;
	struct engine *engine;
	struct stamp in; /* of the port it began on */
	uint64_t hw_start, hw_end;
	bool complete;
	bool replaced;	   /* the set of ports that it ran on was, before it was over or after */
	uint32_t set;	   /* that one */
	struct stamp left; /* the `out` of its port there; no 0: none */
};

/* A request was taken back behind a pause of the ring, as the oldest; what ran before it is
 * complete. */
struct pause {
	struct rq *rq, *before;
	uint64_t section;
};

struct engine {
	uint32_t index;
	struct sim_engine id;
	struct engine *siblings[8];
	uint32_t n_siblings;
	uint64_t heartbeat_ns;
	struct context *kernel_ctx; /* of heartbeats; a virtual engine's only context */
	/* driver */
	rq_vec queue; /* by priority, then in order */
	rq_vec requests;
	struct port inflight[2 * SIM_PORTS + 2];
	uint32_t active; /* index in inflight */
	struct port pending[SIM_PORTS + 1];
	struct lane_p_i915_engine_ports ports; /* as they were recorded last */
	uint64_t dequeued;		       /* the last tasklet that is seen to have dequeued */
	uint32_t sets;
	int64_t hint;
	struct stamp fired,
		fired_before; /* up to 5.3: its tasklet's last event, and the run before */
	struct stamp taken;   /* a tasklet has read that the hardware took the last set */
	bool paused;
	bool tasklet;
	int tasklet_cpu;
	bool irq_pending;
	bool irq_cs;
	bool slice_armed;
	bool slice_expired;
	uint64_t slice_gen;
	VEC(struct context *) signalers; /* newest first */
	rq_vec irq_signaled;
	bool hwack; /* per_request: the last ELSP write has been taken */
	bool preempting;
	/* virtual engine */
	struct rq *request;
	uint32_t prefer;	       /* sibling that ran it last */
	VEC(struct engine *) virtuals; /* physical: virtual engines with a request for us */
	/* GuC */
	VEC(struct context *) run_queue;
	uint64_t quantum_gen;
	struct hw hw;
	VEC(uint32_t) runs; /* indices in the world's */
};

enum phase {
	PH_NEXT,
	PH_COMPUTE,
	PH_PREPARE,
	PH_SPIN,
	PH_WAITED, /* woken from a wait for a request */
	PH_MUTEX,  /* woken with the context's mutex */
};

struct thread {
	uint32_t index; /* in truth->threads */
	const struct sc_thread *sc;
	int32_t tid;
	int32_t pid;
	int32_t prio;
	uint64_t cpus;
	char comm[16];
	int cpu;
	bool alive;
	bool worker; /* retires requests */
	bool work;   /* it is to look at every context */
	uint32_t dev;
	enum sim_thread_state state;
	enum sim_block on;
	uint64_t from;
	int32_t culprit;
	uint32_t object;
	int32_t waker;
	/* program */
	uint32_t pc;
	uint32_t turns[8]; /* of the loops it is in */
	uint32_t depth;
	enum phase phase;
	uint64_t left_ns;
	uint64_t since;
	uint64_t gen;
	uint32_t submitted; /* by the submit that it is in */
	struct rq *rq;	    /* it builds or waits for */
	uint32_t wait;	    /* index in truth->waits */
	bool fence_wait;
	bool blocking; /* leaves the CPU at the end of this handler */
};

struct cpu {
	struct thread *cur; /* NULL: idle */
	VEC(struct thread *) queue;
	bool resched;
	bool waking;	 /* leaves idle */
	uint64_t events; /* seen by the tracer, those aside that the breadcrumb work fires */
	uint64_t work_ns, work_last_ns; /* the work that fires only those: since then, until then */
	const struct rq *submitted;	/* its last event is the submit of this one, or NULL */
	bool in_guc_tasklet;		/* to whoever sees the events, it is there */
	uint64_t gen;
};

struct lock {
	struct thread *owner;
	VEC(struct thread *) waiters;
};

typedef void timer_fn(struct world *w, void *arg, uint64_t gen);

struct timer {
	uint64_t due;
	uint64_t order;
	timer_fn *fn;
	void *arg;
	uint64_t gen;
};

struct sched; /* drmsched.h */

struct world {
	const struct sim_scenario *sc;
	struct sched *sched; /* drm_sched, else NULL */
	jmp_buf oom;
	struct memory *memory;
	uint64_t rng;
	uint64_t now;
	uint64_t orders;
	uint64_t signals;
	uint64_t stamps;
	uint64_t sections;
	uint64_t section; /* the tasklet that runs */
	VEC(struct timer) timers;
	VEC(struct lane_event) events;
	struct lane_event hidden;
	VEC(struct sim_request) requests;
	VEC(struct sim_span) spans;
	VEC(struct run) runs;
	VEC(struct pause) pauses; /* behind which it is not known whether a request began */
	VEC(struct sim_wait) waits;
	VEC(struct sim_thread) thread_truth;
	VEC(struct sim_state) states;
	rq_vec rqs;
	struct engine *engines;
	uint32_t n_engines;
	struct context *contexts;
	uint32_t n_contexts;
	struct thread *threads; /* the scenario's, then a worker per device */
	uint32_t n_threads;
	struct cpu cpus[SIM_MAX_CPUS];
	struct lock *locks;
	VEC(struct context *) to_retire;
	VEC(struct engine *) tasklets;
	uint64_t begin;
	uint64_t end;
	struct sim_truth *truth; /* its counters */
};

/* splitmix64: one number of state, the same everywhere. */
static inline uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* world.c */
void *world_alloc(struct world *w, size_t bytes);
void *world_grow(struct world *w, void *old, uint32_t n, uint32_t *room, size_t size);
uint64_t world_below(struct world *w, uint64_t bound);
uint64_t world_draw(struct world *w, struct range range);
void world_after(struct world *w, uint64_t delay_ns, timer_fn *fn, void *arg, uint64_t gen);
struct lane_event *world_emit(struct world *w, enum lane_kind kind, int cpu);
struct lane_event *world_emit_rq(struct world *w, enum lane_kind kind, const struct rq *rq,
				 int cpu);

/* The last element, all zeros, is returned by reference. */
#define vec_push(w, vec)                                                                           \
	(*({                                                                                       \
		__typeof__(vec) *vec_ = &(vec);                                                    \
		if (vec_->n == vec_->room)                                                         \
			vec_->v =                                                                  \
				world_grow((w), vec_->v, vec_->n, &vec_->room, sizeof(*vec_->v));  \
		memset(&vec_->v[vec_->n], 0, sizeof(*vec_->v));                                    \
		&vec_->v[vec_->n++];                                                               \
	}))
#define vec_remove_at(vec, at)                                                                     \
	do {                                                                                       \
		uint32_t at_ = (at);                                                               \
		memmove(&(vec).v[at_], &(vec).v[at_ + 1], ((vec).n - at_ - 1) * sizeof(*(vec).v)); \
		(vec).n--;                                                                         \
	} while (0)
#define vec_insert_at(w, vec, at, value)                                                           \
	do {                                                                                       \
		uint32_t at_ = (at);                                                               \
		vec_push(w, vec) = (value);                                                        \
		memmove(&(vec).v[at_ + 1], &(vec).v[at_], ((vec).n - at_ - 1) * sizeof(*(vec).v)); \
		(vec).v[at_] = (value);                                                            \
	} while (0)
#define vec_find(vec, value)                                                                       \
	({                                                                                         \
		uint32_t i_ = 0;                                                                   \
		while (i_ < (vec).n && (vec).v[i_] != (value))                                     \
			i_++;                                                                      \
		i_ < (vec).n ? i_ : SIM_NO;                                                        \
	})
#define vec_drop(vec, value)                                                                       \
	do {                                                                                       \
		uint32_t found_ = vec_find(vec, value);                                            \
		if (found_ != SIM_NO)                                                              \
			vec_remove_at(vec, found_);                                                \
	} while (0)

static inline struct sim_request *rq_truth(struct world *w, const struct rq *rq)
{
	return &w->requests.v[rq->index];
}

/* program.c: the thread needs the CPU for so long, then goes on */
void program_compute(struct world *w, struct thread *t, uint64_t ns);

/* request.c: life of a request */
struct rq *rq_create(struct world *w, struct context *ctx, uint64_t run_ns,
		     const struct thread *by);
void rq_depend(struct world *w, struct rq *rq, struct rq *on, int cpu);
void rq_add(struct world *w, struct rq *rq, int cpu);
void rq_submit(struct world *w, struct rq *rq, int cpu);
bool rq_execute(struct world *w, struct rq *rq, int cpu);
void rq_unsubmit(struct world *w, struct rq *rq, int cpu);
void rq_enable_signal(struct world *w, struct rq *rq, int cpu);
void rq_signal(struct world *w, struct rq *rq, enum sim_signal by, int cpu);
bool rq_is_signaled(struct world *w, struct rq *rq, enum sim_signal by, int cpu);
void rq_retire_context(struct world *w, struct context *ctx, const struct rq *end, int cpu);
void rq_wants_retire(struct world *w, struct context *ctx, int cpu);
void rq_heartbeat(struct world *w, void *arg, uint64_t gen);

/* breadcrumbs.c */
void breadcrumb_enable(struct world *w, struct rq *rq, int cpu);
void breadcrumb_cancel(struct world *w, struct rq *rq);
void breadcrumb_forget(struct world *w, struct context *ctx);
void breadcrumb_work(struct world *w, struct engine *e, int cpu);

/* hardware.c */
void hw_write_ports(struct world *w, struct engine *e);
void hw_preempt_to_idle(struct world *w, struct engine *e);
void hw_resume(struct world *w, struct engine *e);
void hw_interrupt(struct world *w, struct engine *e, bool cs);
void hw_start(struct world *w, struct engine *e, struct rq *rq);
void hw_stop(struct world *w, struct engine *e);

/* queue.c: what execlists and per_request share */
void queue_insert(struct world *w, struct engine *e, struct rq *rq, bool front);
void queue_submit(struct world *w, struct rq *rq, int cpu);
int64_t queue_prio(const struct engine *e);
struct rq *queue_unwind(struct world *w, struct engine *e, int cpu);
void queue_retired(struct world *w, struct rq *rq);
void emit_in(struct world *w, struct rq *rq, uint32_t port, int cpu);
void emit_out(struct world *w, struct engine *e, struct rq *rq, const struct port *port, int cpu);
void tasklet_schedule(struct world *w, struct engine *e, int cpu);
void tasklets_run(struct world *w);

/* execlists.c, legacy.c, guc.c */
void execlists_tasklet(struct world *w, struct engine *e, int cpu);
void execlists_kick(struct world *w, struct engine *e, int cpu);
void virtual_submit(struct world *w, struct rq *rq, int cpu);
void virtual_tasklet(struct world *w, struct engine *ve, int cpu);
void legacy_tasklet(struct world *w, struct engine *e, int cpu);
void guc_submit(struct world *w, struct rq *rq, int cpu);
void guc_tasklet(struct world *w, struct engine *e, int cpu);
void guc_completed(struct world *w, struct engine *e, struct rq *rq);

/* seen.c: what the events tell of who runs; GuC's truth is made at the end instead */
struct stamp seen_now(struct world *w, bool exact);
void seen_start(struct world *w, struct engine *e, struct rq *rq, struct stamp in);
void seen_stop(struct world *w, struct engine *e, bool complete);
void seen_replaced(struct world *w, struct engine *e);
/* Up to 5.3: the tasklet fires an event of its own. */
void seen_fired(struct world *w, struct engine *e);
/* The same: the engine has been idled, and rq (may be NULL) is the oldest that was taken back. */
void seen_idled(struct world *w, struct engine *e, struct rq *rq);
/* The ring is paused, and rq (may be NULL) is the oldest that was taken back. */
void seen_paused(struct world *w, struct engine *e, struct rq *rq);
void seen_complete(struct world *w, struct rq *rq, bool exact);
void seen_out(struct world *w, struct engine *e, struct rq *rq, const struct port *port);
void seen_changed_over(struct world *w, struct engine *e);
void seen_off_ports(struct world *w, struct engine *e, const struct lane_p_i915_engine_ports *now);
void seen_spans(struct world *w);

/* cpu.c */
void cpu_wake(struct world *w, struct thread *t, int cpu);
void cpu_block(struct world *w, struct thread *t, enum sim_block on, struct rq *rq);
void cpu_fork(struct world *w, struct thread *parent, struct thread *child);
void cpu_exit(struct world *w, struct thread *t);
void cpu_reschedule(struct world *w);
void cpu_begin(struct world *w);
void cpu_flush(struct world *w, struct thread *t);

/* program.c */
void program_run(struct world *w, struct thread *t);
void program_resume(struct world *w, struct thread *t);
void program_pause(struct world *w, struct thread *t);
void program_give_up_spin(struct world *w, struct thread *t);
void program_completed(struct world *w, struct rq *rq);

/* truth.c */
struct lane_error *truth_make(struct world *w, struct sim_truth *truth) LANE_MUST_CHECK;

#endif
