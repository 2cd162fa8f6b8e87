/* SPDX-License-Identifier: MIT */
/*
 * The timeline takes the events of a trace in time order, and tells a subscriber what requests,
 * contexts, engines, queues and threads did. The definitions are those of docs/analysis.md. An
 * interval is told when it closes. The subscriber never changes anything here.
 *
 * Memory is bounded by what is open (requests, waits, threads) and by the number of engines,
 * contexts, processes and losses that the trace names. In steady state nothing is allocated. Each
 * number has a limit (docs/analysis.md, Memory).
 *
 * Times are in ns of the trace's clock, unless a comment says otherwise. LANE_NEVER: no upper
 * bound.
 */
#ifndef LANE_TIMELINE_TIMELINE_H
#define LANE_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cgroup.h"
#include "base/octaves.h"
#include "norm/norm.h"
#include "timeline/bound/bound.h"

#define LANE_VIRTUAL_INSTANCE 65534 /* (u16)-2: no physical engine has been chosen yet */
/* An interrupt is handled within this time: a request that somebody listens to, and that is not
 * signalled by then, had not ended. */
#define LANE_INTERRUPT_NS 1000000
/* Hardware that runs nothing takes a written set within this time. If the first port of the set has
 * nothing left to do, the hardware has gone on to the next port by then, too. */
#define LANE_SWITCH_NS 100000
/* From the driver's look whether a request is complete to the event that follows are a few
 * instructions, and from an `execute` to the putting back of the request's listeners. */
#define LANE_LOOK_NS 1000

/* Adds a duration to a sum, bound by bound, ns. A sum that overflows is LANE_NEVER. */
static inline void timeline_span_add(struct lane_span *sum, struct lane_span part)
{
	if (__builtin_add_overflow(sum->lo, part.lo, &sum->lo))
		sum->lo = LANE_NEVER;
	if (__builtin_add_overflow(sum->hi, part.hi, &sum->hi))
		sum->hi = LANE_NEVER;
}

/* The duration from one time to another, both spans; no bound is negative. */
static inline struct lane_span timeline_span_between(struct lane_span from, struct lane_span to)
{
	return (struct lane_span){
		.lo = to.lo > from.hi ? to.lo - from.hi : 0,
		.hi = to.hi > from.lo ? to.hi - from.lo : 0,
	};
}

/* A time or a duration that is known exactly, ns. */
static inline struct lane_span timeline_span_exact(uint64_t ns)
{
	return (struct lane_span){ ns, ns };
}

static inline uint64_t timeline_sooner(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static inline uint64_t timeline_later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* How long two times have in common, ns: one from a_ns to b_ns, and one from from_ns to to_ns. */
static inline uint64_t timeline_overlap(uint64_t a_ns, uint64_t b_ns, uint64_t from_ns,
					uint64_t to_ns)
{
	a_ns = timeline_later(a_ns, from_ns);
	b_ns = timeline_sooner(b_ns, to_ns);
	return b_ns > a_ns ? b_ns - a_ns : 0;
}

/* A process that submits requests; pid -1: those of which it is not known. Lives as long as the
 * timeline. */
struct lane_client {
	uint32_t id; /* dense, from 0 */
	int32_t pid; /* -1: not known; of a cgroup that of its first process */
	char comm[16];
	const char *group; /* it stands for all processes of this cgroup; NULL: for one process */
};

/* Rings of drm_sched: dev is a number from LANE_DEVICE_NAMED on, one for each name of a device, and
 * class is LANE_CLASS_NAMED. */
#define LANE_DEVICE_NAMED 0x10000
#define LANE_CLASS_NAMED  0xff00

/* One GPU timeline of requests. Lives as long as the timeline. */
struct lane_context {
	uint32_t id; /* dense, from 0 */
	uint32_t dev;
	uint64_t ctx;
	struct lane_client *client; /* who submits to it; pid -1: not known, or it is shared */
	bool is_shared;		    /* several processes have submitted to it */
	bool is_user;		    /* it has had requests that an execbuf built */
	bool is_kernel;		    /* it has had one that certainly no execbuf built */
	bool is_drm;		    /* its requests are jobs of drm_sched */
	bool is_long_running;	    /* of one of xe's long-running queues: they are bursts */
	bool is_queue_known;	    /* xe's events tell whether it is */
	bool is_drivers_own;	    /* of one of xe's own queues, which copy and bind memory */
};

/* One command streamer or ring, or a virtual engine. Lives as long as the timeline. */
struct lane_engine {
	uint32_t id; /* dense, from 0 */
	uint32_t dev;
	uint16_t class;
	uint16_t instance;
	uint8_t submission; /* enum lane_submission: how its events are read */
	uint32_t host_len;  /* number of requests in host_queue or preempted */
	uint32_t device_len;
	uint64_t
		idle_until_ns; /* nothing had it from the recording's begin to then; 0: not known */
	/* The names of a ring of drm_sched, of its device and of its driver, "" where not known.
	 * NULL: an engine of i915. */
	const char *name, *device, *driver;
	uint32_t timeout_ms;	/* drm_sched: gives a job up after so long; as timeout_ms there */
	bool is_one_of_several; /* there are engines of other devices, too */
	bool is_unordered;	/* drm_sched: it is not known which of its jobs runs */
	uint32_t resets;	/* i915: as what followed shows */
	uint32_t idled; /* i915 up to Linux 5.3: to take requests back, nothing tells which */
};

/* A virtual engine only queues requests: they run on physical engines. */
static inline bool timeline_engine_is_virtual(const struct lane_engine *engine)
{
	return engine->instance == LANE_VIRTUAL_INSTANCE;
}

/* The states of a request: S(state, its name, the stage that a request is in meanwhile). */
#define LANE_RQ_STATES(S)                                                                          \
	S(NEW, "new", "prepare")		  /* built, not added yet */                       \
	S(DEPENDENCY, "dependency", "dependency") /* added, waits for others */                    \
	S(HOST, "host_queue", "host_queue")	  /* in the driver's queue */                      \
	S(DEVICE, "device_queue", "device_queue") /* handed over, does not run yet */              \
	S(RUNNING, "running", "running")                                                           \
	S(PREEMPTED, "preempted", "preempted")                                                     \
	S(ENDED, "ended", "")                                                                      \
	S(BURST, "burst", "") /* handed over, and a burst: what the GPU does no event shows */

enum lane_request_state {
#define S(state, name, stage) LANE_RQ_STATE_##state,
	LANE_RQ_STATES(S)
#undef S
	LANE_RQ_STATE_COUNT
};

/* A task had a CPU, for ns in all, while a thread was runnable on it. tid and comm are as in struct
 * lane_starvation. */
struct lane_cpu_culprit {
	int32_t tid;
	int32_t cpu; /* -1: not known, or several */
	uint64_t ns;
	char comm[16];
};

/* Threads of the kernel that have to act for a request (docs/analysis.md, Actors). */
enum lane_actor {
	LANE_ACTOR_HAND_OVER, /* gives the job to its ring: a part of host_queue */
	LANE_ACTOR_ITEM,      /* is busy with another work item first: likewise */
	LANE_ACTOR_SIGNAL,    /* the interrupt's, signals the end: a part of signal */
	LANE_ACTORS
};

extern const char *const lane_actor_names[LANE_ACTORS];

/* Such a thread could run, and had no CPU, or was busy with something else, while the request
 * waited for it. */
struct lane_actor_wait {
	uint64_t ns; /* so long at least; 0: it is not known to have waited */
	int32_t tid;
	char comm[16];
	struct lane_cpu_culprit by; /* who had its CPU longest; ns 0: not known */
	const char *function;	    /* ITEM: what it was busy with, NULL or empty: not known */
	uint64_t at_ns;		    /* the longest time of that began then, */
	uint64_t longest_ns;	    /* and was so long */
};

/* For whom the first job of a request's queue waited, and how long. */
#define LANE_HEADS 4

struct lane_head {
	struct lane_context *after; /* for a request of this context; NULL: this is none */
	uint64_t ns;
};

/* A set: which of a request's times below an event has given. */
enum lane_request_seen {
	LANE_SEEN_QUEUE = 1 << 0,
	LANE_SEEN_ADD = 1 << 1,
	LANE_SEEN_SUBMIT = 1 << 2,
	LANE_SEEN_EXECUTE = 1 << 3,
	LANE_SEEN_IN = 1 << 4,
	LANE_SEEN_SIGNAL = 1 << 5,
	LANE_SEEN_RETIRE = 1 << 6,
	LANE_SEEN_OUT = 1 << 7,
};

enum lane_request_doubt {
	LANE_DOUBT_EXECUTE = 1 << 0, /* an earlier execute may have been lost */
	LANE_DOUBT_DEVICE = 1 << 1,  /* it is not known when it ran between execute and end */
	LANE_DOUBT_END = 1 << 2,     /* nothing bounds its end from above */
	LANE_DOUBT_GONE = 1 << 3,    /* the trace ended, or it vanished, before its last event
				      * came */
	LANE_DOUBT_BURST = 1 << 4,   /* it is, or may be, a burst of one of xe's long-running
				      * queues: user space submits in it, past the kernel */
};

/* The driver gave a job of a ring up, or reset the GPU; at_ns 0: it did not. */
struct lane_given_up {
	uint64_t at_ns;
	const struct lane_context *context; /* the job; NULL: it is not known for whose sake */
	uint32_t seqno;
};

/* Two parts of a stack, by their numbers in the process (gpulane_stack). 0: it is not known. */
struct lane_stack_id {
	uint32_t kernel, user;
};

/* A request and its times, ns. What a subscriber gets is valid during the call only. A time that
 * `seen` does not name is 0. */
struct lane_request {
	struct lane_context *context;
	struct lane_engine *engine;	  /* where it is, or was last */
	struct lane_engine *host_engine;  /* the engine whose host queue it was in; it may be a
					   * virtual one */
	struct lane_engine *first_engine; /* the one that it was handed over to first; NULL: it
					   * never was, or there is only `engine` */
	struct lane_client *client; /* who submitted it; NULL: its context's (timeline_client_of) */
	uint32_t seqno;
	int32_t error;	   /* of its fence, negative; 0: none is known */
	uint64_t error_ns; /* it was over then; 0: of no error it is known when it came */
	int32_t prio;	   /* priority in its last `in`; INT32_MIN: not known */
	int32_t tid;	   /* the thread that queued or added it; -1: not known */
	int32_t pid;
	struct lane_stack_id stack; /* where that was then */
	uint8_t state;		    /* enum lane_request_state */
	uint8_t fault;	   /* enum lane_fault_cause: it is over, and not complete; NONE: it is
			    * complete, as far as is known */
	uint8_t seen;	   /* set of enum lane_request_seen */
	uint8_t doubt;	   /* set of enum lane_request_doubt */
	bool is_unasked;   /* nobody had asked to be told of its end: its retiring signalled it */
	bool is_overtaken; /* drm_sched: over, as a later job tells alone, and no ring is known to
			      have got it */
	bool has_signals;  /* fences' signals are recorded: one was seen, or the trace says so;
			    * and it is known which one is its own */
	uint32_t preemptions; /* so often it left an engine, by what is concluded; the hook tells
			       * those that are certain */
	uint32_t executes;
	uint32_t waits; /* waits for it, so many */
	uint64_t queue_ns, add_ns, submit_ns, execute_ns, in_ns, signal_ns, retire_ns;
	/* Until then, from its start on, its engine may have waited for a request of another one
	 * (a semaphore); 0: it did not, NEVER: until its end. */
	uint64_t spin_until_ns;
	/* Until that is over: for whom it waits, and who so waits for it. */
	struct lane_request *spins_on, *spinner;
	/* The numbers of the events that give these times, from 1. drm_sched: `submit` is the
	 * signal of the fence that the job waited for last, or `add`. */
	struct {
		uint64_t queue, add, submit, execute, signal, retire;
	} by;
	/* Its own last `out`; trace.pl's end. Of a job of drm_sched whose signal is not recorded:
	 * drm_sched_job_done; 0: not seen. */
	uint64_t out_ns;
	struct lane_span start; /* first start; hi 0: it was not seen to have one */
	struct lane_span end;	/* valid in state ended */
	struct lane_reasons start_why, end_why;
	struct lane_span running;    /* sum of its runs */
	struct lane_span preempted;  /* sum of its times off the engine */
	struct lane_context *behind; /* the context whose request ran before it on the engine; NULL:
				      * none, or its device_queue is not known */
	/* Who submitted that request, and that of `after`; NULL: not seen. */
	struct lane_client *behind_client, *after_client;
	/* The request whose signal its submit came straight out of: this context's `after_seqno`;
	 * NULL: none, or not known. */
	struct lane_context *after;
	uint32_t after_seqno;
	/* drm_sched: the fence that the job waited for longest before it was free to run; 0:
	 * none. */
	uint64_t waited_ctx, waited_seqno;
	/* drm_sched, where that time has bounds: the earlier one, and its event; submit_ns is the
	 * later one, though LANE_SEEN_SUBMIT is not set. 0: it has none. */
	uint64_t freed_ns, freed_event;
	/* drm_sched, where a loss hides until when it waited: a fence of another ring's job, and
	 * the time of its signal. Until then it certainly waited. 0: none. */
	uint64_t held_ctx, held_seqno, held_ns;
	uint64_t drm_client; /* number of the drm_file that queued it; 0: not known */
	/* drm_sched hands the jobs of an entity over in order: for whom the first of its queue
	 * waited while it was free to run itself. LANE_HEADS of them; NULL: of none. Valid during
	 * the call. */
	const struct lane_head *heads;
	/* It was there as this happened to its ring, or to all of the GPU, and has ended with an
	 * error since: itself, or with the other one. */
	struct lane_given_up given_up;
	/* Of enum lane_actor; NULL: no such thread is known. Valid during the call. */
	const struct lane_actor_wait *actors;
	/* Of the longest of the waits for it, ns: from the signal to wait_end,
	 * and the part of that in which the thread was on a run queue. */
	uint64_t wake_ns, wake_runqueue_ns;
	bool wake_known;	  /* no longer wait was missed, and its signal was seen */
	bool wake_runqueue_known; /* the scheduler's events tell wake_runqueue_ns */
};

/* The process whose request it is. */
static inline struct lane_client *timeline_client_of(const struct lane_request *rq)
{
	return rq->client ? rq->client : rq->context->client;
}

/* Who submitted a request of the context, if it is of several processes; NULL: it is not, or nobody
 * was seen to. */
static inline struct lane_client *timeline_one_of_several(const struct lane_context *context,
							  struct lane_client *client)
{
	return context->is_shared ? client : NULL;
}

/* When it had waited for all others. */
static inline struct lane_span timeline_submitted(const struct lane_request *rq)
{
	return (struct lane_span){ rq->freed_ns ? rq->freed_ns : rq->submit_ns, rq->submit_ns };
}

/* It was seen to have the engine, or is known to have had it. */
static inline bool timeline_has_started(const struct lane_request *rq)
{
	return rq->start.hi;
}

/*
 * The time from its beginning to its end may be spoken of. That of a burst is how long user space
 * kept the GPU fed; and an end may be bounded by nothing. No share, sentence or limit is drawn from
 * those: whoever needs a request's end asks here.
 */
static inline bool timeline_end_is_known(const struct lane_request *rq)
{
	return rq->state == LANE_RQ_STATE_ENDED &&
	       !(rq->doubt & (LANE_DOUBT_END | LANE_DOUBT_BURST)) && rq->end.hi != LANE_NEVER;
}

/* So of the time to its signal. */
static inline bool timeline_signal_is_known(const struct lane_request *rq)
{
	return (rq->seen & LANE_SEEN_SIGNAL) && !(rq->doubt & LANE_DOUBT_BURST);
}

/* A burst was over by the end of rq->end. */
static inline bool timeline_burst_is_over(const struct lane_request *rq)
{
	return rq->state == LANE_RQ_STATE_ENDED && !(rq->doubt & LANE_DOUBT_END) &&
	       (rq->doubt & LANE_DOUBT_BURST);
}

enum lane_thread_state {
	LANE_THREAD_UNKNOWN,
	LANE_THREAD_RUNNING,
	LANE_THREAD_RUNNABLE, /* could run, does not */
	LANE_THREAD_BLOCKED,
	LANE_THREAD_DEAD,
	LANE_THREAD_STATE_COUNT
};

struct lane_thread {
	int32_t tid;
	int32_t pid; /* -1: not known */
	char comm[16];
	uint8_t state;	     /* enum lane_thread_state */
	bool is_interesting; /* it has submitted or waited, or all threads are followed */
	bool preempted;	     /* runnable because another task took its CPU, not because it was
			      * woken */
	int32_t cpu;	     /* where it runs or is queued; -1: not known */
	uint64_t since_ns;
	struct lane_client *client; /* NULL: its process owns no context */
};

/* An interval of a thread in one state; told when it is over. */
struct lane_thread_interval {
	const struct lane_thread *thread;
	enum lane_thread_state state;
	uint64_t begin_ns, end_ns;
	enum lane_thread_state
		next; /* its state from end_ns on; the same state where the trace ends */
	bool woken;   /* of a runnable interval: the thread was blocked before */
	bool is_last; /* the thread ends with it */
	const struct lane_request *wait; /* the request that it waited for; NULL: none */
	int32_t waker_tid;		 /* who ended a blocked interval; -1: not known */
	struct lane_stack_id stack;	 /* of a blocked interval: where it went to sleep */
	uint64_t runnable_most_ns; /* of an unknown one: it was runnable for so long at most */
};

/* A wait of a thread for a request: from wait_begin to wait_end. */
struct lane_wait {
	const struct lane_thread *thread;
	const struct lane_request *request;
	uint64_t begin_ns, end_ns;
	uint64_t signal_ns;   /* the request was signalled then; 0: not seen */
	uint64_t runqueue_ns; /* the thread was runnable and did not run so long between signal_ns
			       * and end_ns */
	bool slept;
	bool slept_known;    /* `slept` is true, or the scheduler's events show that it did not
			      * sleep */
	bool runqueue_known; /* the scheduler's events cover it */
};

/* An interval in which a request had the engine. */
struct lane_run {
	const struct lane_engine *engine;
	const struct lane_request *request;
	struct lane_span begin, end;
	struct lane_reasons begin_why, end_why;
	bool is_unsure; /* it is not certain that it ran then */
	bool follows;	/* it began as the run before it ended */
	/* It ran until then at least: until end.lo or, if it left the engine, until it was last
	 * seen incomplete. */
	uint64_t sure_until_ns;
};

/* LANE_PREEMPTION_WHYS(W) calls W(ID, name): why a request was preempted. */
#define LANE_PREEMPTION_WHYS(W)                                                                    \
	W(UNKNOWN, "unknown")                                                                      \
	W(PRIORITY, "priority")	  /* the request that took the engine has a higher one */          \
	W(TIMESLICE, "timeslice") /* it has the same one: a time slice ran out */

enum lane_preemption_why {
#define W(id, name) LANE_PREEMPTION_##id,
	LANE_PREEMPTION_WHYS(W)
#undef W
	LANE_PREEMPTION_WHY_COUNT
};

extern const char *const lane_preemption_why_names[LANE_PREEMPTION_WHY_COUNT];

/* A request was preempted by another; told when its next run is over, or it has ended. */
struct lane_preemption {
	const struct lane_engine *engine; /* the engine that it left */
	const struct lane_request *victim;
	const struct lane_context *culprit;	  /* whose request started then; NULL: not known */
	const struct lane_client *culprit_client; /* its process; NULL likewise */
	uint32_t culprit_seqno;
	struct lane_span at;
	struct lane_reasons at_why;
	struct lane_span lasted; /* a duration: until it ran again, or ended */
	/* It was none if the request ahead of the victim ended in a time of this length, ns, in
	 * which the driver paused the ring; 0: it was one. */
	uint64_t unless_ns;
	enum lane_preemption_why why;
};

enum lane_idle_cause {
	LANE_IDLE_STARVED,	/* the thread could run, another had its CPU */
	LANE_IDLE_OTHER_ENGINE, /* the thread waited for a request on another engine */
	LANE_IDLE_SAME_ENGINE,	/* the thread waited for a request that had ended already, or for
				 * its wake-up */
	LANE_IDLE_BLOCKED,	/* the thread was blocked elsewhere */
	LANE_IDLE_COMPUTING,	/* the thread ran */
	LANE_IDLE_DEPENDENCY,	/* the request was there, and waited for others */
	LANE_IDLE_DRIVER,	/* the request was there and free to run */
	LANE_IDLE_UNKNOWN,
	LANE_IDLE_CAUSE_COUNT
};

#define LANE_IDLE_CULPRITS 12
#define LANE_IDLE_STACKS   6

/* A thread that held a mutex of the kernel's as another one began to wait for it. */
struct lane_lock_owner {
	int32_t tid; /* 0: there is none, or it is not known */
	char comm[16];
};

/* Where the thread was for ns of a cause: the stack with which it went to sleep then. */
struct lane_idle_stack {
	struct lane_stack_id id;
	struct lane_lock_owner owner; /* of the mutex that it slept for */
	uint8_t cause;		      /* enum lane_idle_cause */
	uint32_t times;
	uint64_t ns;
};

/* An engine ran nothing in [begin_ns, end_ns]. `request`, which `thread` submitted, ended that. */
struct lane_idle {
	const struct lane_engine *engine;
	uint64_t begin_ns, end_ns;
	const struct lane_request *request; /* NULL: no request did, or it is not known */
	const struct lane_thread *thread;   /* NULL: not known */
	bool is_first; /* it was idle from the recording's begin on: told once that is certain */
	bool is_last;  /* the trace ended while the engine was idle */
	uint64_t cause_ns[LANE_IDLE_CAUSE_COUNT];
	struct lane_cpu_culprit culprits[LANE_IDLE_CULPRITS]; /* while the thread was starved, who
								 had its CPU for longest first. ns 0
								 ends the list. */
	struct lane_idle_stack stacks[LANE_IDLE_STACKS];      /* times 0 ends the list */
	bool is_unsure;
};

/* A softirq had the CPU of a thread that ran: instead of a tid, from here on by its vector. No
 * thread has such a number (PID_MAX_LIMIT is 1 << 22). */
#define LANE_TID_SOFTIRQ (1 << 30)

/* A task ran on a CPU while an interesting thread was runnable on that CPU. */
struct lane_starvation {
	const struct lane_thread *victim;
	int32_t cpu;
	int32_t tid; /* who ran; 0: the idle task, -1: not known; LANE_TID_SOFTIRQ */
	/* The idle task's is the name of the state in which the CPU slept; "": it was awake, or
	 * that is not known. */
	const char *comm;
	uint64_t begin_ns, end_ns;
};

/* A task had a CPU from one switch to the next. The idle task's times are not told. */
struct lane_cpu_run {
	int32_t cpu;
	int32_t tid;
	const char *comm;
	uint64_t begin_ns, end_ns;
};

/* The queues of an engine: host_queue, where requests wait in the driver, and device_queue. */
enum lane_queue {
	LANE_QUEUE_HOST,
	LANE_QUEUE_DEVICE
};

/* Events were lost on a CPU between two times; cpu -1: on several CPUs. */
struct lane_loss {
	uint64_t begin_ns, end_ns;
	uint64_t count; /* 0: not known */
	int32_t cpu;
	bool is_ambiguous; /* no event is lost: it is not known which context's fence one is of */
	/* Set by the timeline: the loss may lie between two events of begin_ns, of end_ns. */
	bool is_from_the_start, is_to_the_end;
};

/* The loss that a gpulane_lost event tells of. */
static inline struct lane_loss timeline_loss_of(const struct lane_p_gpulane_lost *lost)
{
	return (struct lane_loss){ .begin_ns = lost->begin_ns,
				   .end_ns = lost->end_ns,
				   .count = lost->count,
				   .cpu = lost->lost_cpu };
}

/* An interval in which a thread was in an OpenCL function; told at its exit. */
struct lane_call {
	int32_t pid, tid;
	uint32_t function; /* in base/opencl.def, 0: not known */
	uint64_t queue;	   /* handle, 0: none */
	uint64_t object;   /* kernel, memory object, event or program the call is about */
	uint64_t made;	   /* handle that it returned, 0: none */
	uint64_t size;	   /* bytes moved, or global work items */
	uint64_t group;	   /* work items of a group, 0: not given */
	uint32_t flags;	   /* bit 0: blocking; bits 8 and up: events it waits for */
	uint64_t command;  /* number of the command it made in its process, 0: none */
	uint64_t begin_ns, end_ns;
	uint64_t inner_ns; /* of that it was in calls of Level Zero, in a call of OpenCL */
	int32_t status;
	bool is_inner;	      /* of Level Zero, in a call of OpenCL */
	bool has_launched;    /* it enqueued a kernel, or executed one of a list */
	struct lane_span ran; /* of a call that waits: the thread ran on a CPU for so long */
	/* Of a call that waits: the command that it waited for, of a queue the one submitted last.
	 * 0: not known. */
	uint64_t awaited;
	uint8_t awaited_class; /* enum lane_command_class */
	const char *awaited_name;
	bool is_behind_launch; /* the thread has launched since it last waited or enqueued */
	bool ended; /* false: the trace, or its thread, ended first, or its exit is missing */
};

/* The four times that the device's driver tells of a command. */
enum lane_command_time {
	LANE_COMMAND_QUEUED,
	LANE_COMMAND_SUBMITTED,
	LANE_COMMAND_START,
	LANE_COMMAND_END,
	LANE_COMMAND_TIMES
};

/* How certain it is which requests carried a command. */
enum lane_certainty {
	LANE_CERTAIN_NONE,	/* none is known; `why` says why */
	LANE_CERTAIN_AMBIGUOUS, /* some of those named carried it; which is not known */
	LANE_CERTAIN_EXACT,	/* those named carried it, and no other */
	LANE_CERTAINTY_COUNT
};

/* LANE_WHYS(W) calls W(ID, name, help): why this is known, or not known, of a command's
 * requests. */
#define LANE_WHYS(W)                                                                               \
	W(OWN_CALL, "own_call", "its own call made them, nothing else was waiting")                \
	W(FLUSH, "flush", "a flush or a wait of its queue made them while it was held back")       \
	W(CONTEXT, "context", "made by another thread, on the context that is its queue's")        \
	W(BURST, "burst", "the burst of its queue's context that was begun last before it")        \
	W(TIMES, "times", "of several, the device's times leave these")                            \
	W(UNDECIDED, "undecided", "the device's times leave more than one answer")                 \
	W(UNKNOWN_CONTEXT, "unknown_context",                                                      \
	  "made by a thread outside of any call, on a context "                                    \
	  "not known to be its queue's")                                                           \
	W(TOO_MANY, "too_many", "more requests than are kept came between")                        \
	W(LOST, "lost", "events were lost while it was on its way")                                \
	W(NO_REQUEST, "no_request", "its process made no request while it was on its way")         \
	W(OTHER_TIMES, "other_times", "the requests that were made ran at other times")            \
	W(NOT_RECORDED, "not_recorded", "the recording has no requests")                           \
	W(NO_TIMES, "no_times", "it was not seen to complete")

enum lane_why {
#define W(id, name, help) LANE_WHY_##id,
	LANE_WHYS(W)
#undef W
	LANE_WHY_COUNT
};

extern const char *const lane_certainty_names[LANE_CERTAINTY_COUNT];
extern const char *const lane_why_names[LANE_WHY_COUNT];
extern const char *const lane_why_helps[LANE_WHY_COUNT];

/* What a command is, by its type (CL_COMMAND_*). */
enum lane_command_class {
	LANE_COMMAND_KERNEL,
	LANE_COMMAND_READ,  /* device to host */
	LANE_COMMAND_WRITE, /* host to device */
	LANE_COMMAND_COPY,  /* within a device, fills included */
	LANE_COMMAND_MAP,
	LANE_COMMAND_UNMAP,
	LANE_COMMAND_OTHER, /* markers, barriers, migrations, user events, native kernels */
	LANE_COMMAND_CLASSES
};

extern const char *const lane_command_class_names[LANE_COMMAND_CLASSES];

/* An OpenCL queue. Lives as long as the timeline. */
struct lane_cl_queue {
	uint32_t id; /* dense, from 0 */
	int32_t pid;
	uint64_t handle;
	uint64_t device;     /* the device's handle, 0: not known */
	uint64_t properties; /* CL_QUEUE_PROPERTIES */
	char device_name[128];
	char comm[16];	  /* the process's name; "": not known */
	bool profiled;	  /* gpulane switched profiling on, not the program */
	bool known;	  /* its creation was seen */
	bool is_of_cpu;	  /* its device is one */
	uint64_t ctx;	  /* fence context of its requests, 0: not known */
	uint32_t ctx_dev; /* and that context's device */
	bool ctx_shared;  /* requests of other queues' commands have come on it, too */
};

#define LANE_COMMAND_REQUESTS 8

/*
 * What ran on the GPU while a command waited for it, from its hand-over to its start. Each is how
 * long such commands had begun and not ended; slices that others had of the engine meanwhile are in
 * it.
 */
struct lane_command_ahead {
	bool is_known;
	struct lane_span waited;
	struct lane_span queue;	  /* other commands of its queue ran */
	struct lane_span process; /* of its process's other queues, and none of its own */
	struct lane_span others;  /* of other processes */
	struct lane_span nobody;  /* no command that is recorded */
	uint64_t from_ns;	  /* when it began at the latest, by the device's clock */
	/* A queue of the other process that ran for longest; NULL: none. */
	const struct lane_cl_queue *other;
};

/* Most times off the engine that are kept of what carried a command. */
#define LANE_COMMAND_OFFS 16

struct lane_request_key {
	uint64_t ctx;
	uint32_t dev;
	uint32_t seqno;
};

/* An OpenCL command and its times, ns of the CPU's clock. Told when it is over, in the order in
 * which the commands of a device start (docs/commands.md). Valid during the call. */
struct lane_command {
	const struct lane_cl_queue *queue;
	int32_t pid, tid; /* who enqueued it */
	char comm[16];	  /* that thread's name; "": not known */
	uint64_t number;  /* in its process, from 1 */
	uint32_t type;	  /* CL_COMMAND_*, 0: not known */
	uint8_t class;	  /* enum lane_command_class */
	bool is_in_order; /* none of its device that may have begun before it is told later */
	uint32_t function;
	uint32_t flags;	  /* as the call's */
	uint64_t object;  /* kernel or memory object */
	uint64_t list;	  /* Level Zero's list that it was executed with, 0: none */
	const char *name; /* the kernel's name; "": not known */
	bool has_atomics; /* by its source; else it is not known */
	uint64_t size, group;
	int32_t status;			     /* of the command; negative: it failed */
	uint64_t call_ns, return_ns;	     /* the call's entry and exit; 0: not seen */
	uint64_t known_ns;		     /* the program noticed its completion then; 0: never */
	uint64_t raw_ns[LANE_COMMAND_TIMES]; /* by the device's clock */
	uint64_t slip_ns; /* of these the queued and the submitted time are at most so wrong */
	bool timed;	  /* the four times are there */
	/* By the CPU's clock: the bounds of the four times, and the best value of each; these are
	 * in order. */
	struct lane_span time[LANE_COMMAND_TIMES];
	uint64_t time_ns[LANE_COMMAND_TIMES];
	struct lane_command_ahead ahead;
	uint8_t certainty; /* enum lane_certainty */
	uint8_t why;	   /* enum lane_why */
	uint32_t n_requests;
	struct lane_request_key requests[LANE_COMMAND_REQUESTS]; /* the first ones */
	const struct lane_request
		*request; /* exact: the first request, as far as it is known; else NULL */
	const struct lane_request *last_request; /* and the last one */
	/* The request that alone carried it, exact, was certainly preempted in these times, in
	 * order and within the command's start and end. */
	struct lane_span off[LANE_COMMAND_OFFS];
	uint32_t n_off;
};

/* How a thread waits in the kernel. */
enum lane_kernel_wait_how {
	LANE_KERNEL_WAIT_FENCE,	     /* for a fence: dma_fence_wait(), i915_request_wait() */
	LANE_KERNEL_WAIT_SYNCOBJ,    /* for syncobjs: DRM_IOCTL_SYNCOBJ_WAIT, _TIMELINE_WAIT */
	LANE_KERNEL_WAIT_BIND,	     /* in xe's VM_BIND */
	LANE_KERNEL_WAIT_USER_FENCE, /* for a value that a GPU writes: xe's WAIT_USER_FENCE */
	LANE_KERNEL_WAITS
};

/* A thread that waits in the kernel, and has not come back. */
struct lane_kernel_wait {
	uint8_t how; /* enum lane_kernel_wait_how */
	int32_t tid, pid;
	uint64_t begin_ns;
	uint64_t gives_up_ns;	 /* a time; UINT64_MAX: never; 0: not known */
	uint64_t context, seqno; /* the fence that it waits for; context 0: not known, or several */
	uint64_t point;		 /* of a syncobj that is a timeline; 0: it is none */
	uint32_t count,
		pending; /* syncobjs, and those that were not signalled as it began; 0: not known */
	uint32_t unsubmitted; /* of these nobody had submitted the work */
	bool is_any;	      /* it waits for one of the syncobjs */
	struct lane_span ran; /* its thread has run so long since */
};

/*
 * A call that has not returned, or a command that is not known to have ended, or a thread that
 * waits in the kernel outside of such a call. Valid during the call. Such a command is told without
 * a call, too, of each queue the first one, if ends are told whether the program asks or not: not
 * Level Zero's, and not where only probes recorded.
 */
struct lane_unended {
	const struct lane_kernel_wait *wait; /* NULL: it is a call or a command */
	/* NULL: none is known to wait for the command. How long its thread ran is in `ran`. */
	const struct lane_call *call;
	/* The one that the call waits for, of a queue the first one; or that the call makes. NULL:
	 * none is known. */
	const struct lane_command *command;
	/* That carried the command, alone; NULL: it is not known, or not looked for. */
	const struct lane_request *request;
	const char *comm;		  /* the process's name; "": not known */
	const struct lane_thread *thread; /* the call's, else the process's first; NULL: not seen */
	bool is_beside; /* what the call waits for is not known: its process has the command */
	uint32_t more;	/* so many of its queue, behind it, are not known to have ended either */
	/* Others of its queue, of the process where is_beside, were complete then, last; 0: none.
	 */
	uint64_t moved_ns;
	struct lane_typical usual; /* earlier runs of its kernel, from the call until the program
				    * knew that they were complete */
};

/* What a GPU's driver itself tells of a failure, or of why something waited. */
enum lane_fault_cause {
	LANE_FAULT_NONE,
	LANE_FAULT_TIMEOUT,   /* a job was given up: it had not ended in time */
	LANE_FAULT_OVERDUE,   /* it had not ended in time; whether it was given up is not known */
	LANE_FAULT_CANCELLED, /* a request was cancelled: it took too long, or its queue hung */
	LANE_FAULT_CLOSED,    /* its queue was closed before it ran */
	LANE_FAULT_LOST,      /* it was lost: its engine was reset, or its context was closed */
	LANE_FAULT_INHERITED, /* a request that it waited for did not complete */
	LANE_FAULT_REPLAYED,  /* it was on an engine that was reset for another's sake: it ran again
			       */
	LANE_FAULT_ERROR,     /* it ended with another error */
	LANE_FAULT_BAN,	      /* a queue may submit no more */
	LANE_FAULT_RESET,     /* the GPU, or one of its engines, was reset */
	LANE_FAULT_MEMORY,    /* a queue used memory that is not there */
	LANE_FAULT_PAGE,      /* the GPU waited for a page */
	LANE_FAULT_EVICTION,  /* memory was moved out of the GPU's memory, or taken back */
	LANE_FAULT_CAUSES
};

extern const char *const lane_fault_names[LANE_FAULT_CAUSES];

/* A fault that a driver tells. Valid during the call. What is not known is NULL, 0 or "". */
struct lane_fault {
	uint8_t cause; /* enum lane_fault_cause */
	uint32_t kind; /* enum lane_kind of the event that tells it */
	uint64_t at_ns, until_ns;
	const char *driver, *device;
	const struct lane_engine *engine;
	const struct lane_context *context; /* of the job that it is about */
	uint32_t seqno;			    /* and the job's number */
	const struct lane_client *client;   /* of the job, or the process that caused it */
	const struct lane_request *request; /* the job, which ended so */
	uint64_t given_up_ns; /* as in its struct lane_given_up, or this is that; 0: neither */
	int32_t error;	      /* of its fence, negative */
	const char *reason;   /* that the driver gives */
	uint64_t bytes;	      /* moved */
};

/* At what a commit was as a refresh came that it missed. */
enum lane_miss {
	LANE_MISS_NONE,	   /* it missed none */
	LANE_MISS_REQUEST, /* a fence was not signalled: work of a GPU was not complete */
	LANE_MISS_ASK,	   /* it was asked for later before the refresh than commits usually take */
	LANE_MISS_UPDATE,  /* all was there, and the hardware had not been given it */
	LANE_MISS_INTERRUPT, /* the hardware had it for that refresh, whose interrupt did not come
			      */
	LANE_MISS_UNKNOWN,
	LANE_MISS_CAUSES
};

extern const char *const lane_miss_names[LANE_MISS_CAUSES];

#define LANE_FLIP_FENCES 8 /* of a commit that are followed */

/* A fence that a commit waits for; signal_ns 0: it has not been seen to be signalled. */
struct lane_flip_fence {
	uint64_t context, seqno, signal_ns;
};

#define LANE_FLIP_PIECES 8

/* Refreshes in a row that a commit missed for one cause, from at_ns on. */
struct lane_flip_piece {
	uint64_t at_ns, n;
	enum lane_miss cause;
};

#define LANE_CONNECTOR_BYTES 56
#define LANE_SCREEN_BYTES    80 /* of a display's name */

/* A display's name: "eDP-1 of card1"; where its connector is not known, "CRTC 0 of card1". Returns
 * `name`, which has room for LANE_SCREEN_BYTES. */
const char *timeline_screen_name(uint32_t dev, int32_t crtc, const char *connector, char *name,
				 size_t size);

/* A commit to a CRTC, told when a refresh has shown it, or when the trace ends. Valid during the
 * call. Times that are not known are 0. */
struct lane_flip {
	uint32_t dev;
	int32_t crtc;
	char connector[LANE_CONNECTOR_BYTES]; /* "eDP-1", "eDP-1 and 1 more"; "": not known */
	int32_t tid, pid;		      /* who asked for it */
	char comm[16];
	uint64_t base_ns; /* the refresh before it was asked for */
	uint64_t asked_ns;
	struct lane_flip_fence fences[LANE_FLIP_FENCES];
	uint32_t n_fences;
	bool has_more_fences;
	struct lane_span ready; /* its last fence was signalled; asked_ns where it had none */
	uint64_t fence_ctx, fence_seqno; /* that fence; 0: none is known */
	uint64_t armed_ns;		 /* the hardware had all of it */
	uint64_t armed_for; /* the first refresh that was to show it; 0: the driver has not said */
	int32_t armed_tid;  /* by this thread; -1: not known */
	uint64_t shown_ns;  /* the refresh that showed it; 0: the trace ended before */
	uint64_t seq;
	uint64_t period_ns; /* between two refreshes */
	uint64_t usual_ns;  /* from the asking to `armed` of those that missed none, their mean */
	bool is_counted;    /* how many it missed is known */
	uint64_t missed; /* refreshes that came while it was under way, and showed something else */
	struct lane_flip_piece pieces[LANE_FLIP_PIECES]; /* these, by what it was at as each came */
	uint32_t n_pieces;
	enum lane_miss cause; /* of the last one */
	/* Of LANE_MISS_ASK: the thread had asked before, in time, and was refused; negative, as
	 * errno. 0: it had not. */
	int32_t refused;
	/* The thread that asked had no CPU since the refresh before; the one that gave it to the
	 * hardware had none since it was ready. */
	struct lane_actor_wait asker, updater;
};

#define LANE_MARK_BYTES 64

/* A frame or a range of a program, as it marks them itself: told as it begins (end_ns 0), and as
 * it ends. Until then, and no longer, intervals of its thread are of it. Valid during the call. */
struct lane_mark {
	const struct lane_thread *thread;
	const char *name; /* a frame's text up to its first digit, a range's without a number at its
			     end */
	bool is_range;	  /* those of a thread may overlap, those of one name, too */
	uint64_t begin_ns, end_ns;
	bool is_unsure; /* when it ended is not known: events were lost meanwhile, or its thread
			 * ended */
};

/* How many refreshes it missed for that cause. */
static inline uint64_t timeline_flip_missed_by(const struct lane_flip *flip, enum lane_miss cause)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < flip->n_pieces; i++)
		n += flip->pieces[i].cause == cause ? flip->pieces[i].n : 0;
	return n;
}

/* What the kernel does about memory and power that may hold others up. */
enum lane_stall_cause {
	LANE_STALL_RECLAIM,  /* the thread takes memory back itself: direct reclaim */
	LANE_STALL_MEMORY,   /* it stalls on memory, as pressure (PSI) counts it; reclaim is part of
				it */
	LANE_STALL_USERPTR,  /* it waits until the GPU uses its pages no more */
	LANE_STALL_REBIND,   /* the queues of an address space are off the GPU, its memory is bound
				anew */
	LANE_STALL_FAULT,    /* the GPU waits for memory of an address space */
	LANE_STALL_MOVE,     /* memory is moved; a job copies it, if one is named */
	LANE_STALL_EVICTION, /* the thread makes room in the GPU's address space */
	LANE_STALL_RESUME,   /* the thread wakes a device */
	LANE_STALL_PREEMPT,  /* a queue of an address space is to leave the GPU, and still runs */
	LANE_STALL_BIND, /* the thread binds memory (VM_BIND); a job writes the page tables, if one
			    is named */
	LANE_STALL_USER_FENCE, /* the thread waits for a value that a GPU or a binding writes */
	LANE_STALL_MODE,       /* the thread waits until a group of engines has changed its mode */
	LANE_STALL_SLEEP,      /* the thread is woken while its CPU sleeps: until that has woken */
	LANE_STALL_RESTART,    /* a command's ring had stopped: the kernel starts it anew */
	LANE_STALL_WORKER,  /* queues are off the GPU, and who is to bind their memory had no CPU */
	LANE_STALL_REFUSED, /* the thread submits, and the driver refuses: it holds up nothing that
			       is seen */
	LANE_STALL_CAUSES
};

extern const char *const lane_stall_names[LANE_STALL_CAUSES];

/* One interval, told at its end. Valid during the call. */
struct lane_stall {
	uint8_t cause;		   /* enum lane_stall_cause */
	uint64_t begin_ns, end_ns; /* move: when the job was queued */
	bool is_sure;		   /* the two are a pair: no end and begin are missing in between */
	bool is_more;		   /* a further job of the move that was told before */
	bool is_only_space;	   /* the client has no other address space */
	int32_t tid, pid;	   /* the thread in which it was: -1: not known */
	const char *comm;	   /* its name; "": not known */
	uint32_t asid;		   /* the address space that it is about; 0: none */
	const struct lane_client *client; /* whose that is; NULL: not known */
	uint64_t bytes;			  /* 0: not known */
	int32_t error; /* that the driver's function returned, negative; 0: none is known */
	/* move: the places; resume: the device's name; sleep: the idle state's;
	 * refused: the call's; worker: who had its CPU; else "" */
	const char *from, *to;
	uint64_t leave_ns; /* sleep: so long it takes at most to leave that state, as the driver
			      says; UINT64_MAX: not known */
	uint32_t khz;	   /* sleep: what the CPU was set to as the thread ran; 0: not known */
	/* move, bind: the job that copies, or writes page tables; resume: the job that the thread
	 * gives to its ring; restart: the job that starts the ring; preempt: the fence that is
	 * signalled at its end; 0: none is known */
	uint64_t ctx, seqno;
};

/*
 * What a subscriber may be told. LANE_HOOKS(H) calls H(name, parameters, arguments) for each hook.
 * arguments are the names of the parameters, for a subscriber that passes the call on. arg is the
 * subscriber's own; all others are valid during the call only.
 */
#define LANE_HOOKS(H)                                                                              \
	/* All events of rq have come: rq is not told again. */                                    \
	H(request, (void *arg, const struct lane_request *rq), (arg, rq))                          \
	/* rq is now in rq->state, it was in `from`. */                                            \
	H(state,                                                                                   \
	  (void *arg, const struct lane_request *rq, enum lane_request_state from,                 \
	   uint64_t now_ns),                                                                       \
	  (arg, rq, from, now_ns))                                                                 \
	/* The length of a queue of an engine changes by delta, 1 or -1, at now_ns. */             \
	H(queue,                                                                                   \
	  (void *arg, const struct lane_engine *engine, enum lane_queue queue,                     \
	   const struct lane_request *rq, int delta, uint64_t now_ns),                             \
	  (arg, engine, queue, rq, delta, now_ns))                                                 \
	H(run, (void *arg, const struct lane_run *run), (arg, run))                                \
	/* Nothing tells whether the request had the engine then. Its time has these bounds, or it \
	 * is none. */                                                                             \
	H(maybe_run, (void *arg, const struct lane_run *run), (arg, run))                          \
	H(preemption, (void *arg, const struct lane_preemption *preemption), (arg, preemption))    \
	H(idle, (void *arg, const struct lane_idle *idle), (arg, idle))                            \
	H(thread, (void *arg, const struct lane_thread_interval *interval), (arg, interval))       \
	H(starvation, (void *arg, const struct lane_starvation *starvation), (arg, starvation))    \
	H(cpu_run, (void *arg, const struct lane_cpu_run *run), (arg, run))                        \
	H(wait, (void *arg, const struct lane_wait *wait), (arg, wait))                            \
	H(loss, (void *arg, const struct lane_loss *loss), (arg, loss))                            \
	H(fault, (void *arg, const struct lane_fault *fault), (arg, fault))                        \
	H(stall, (void *arg, const struct lane_stall *stall), (arg, stall))                        \
	H(flip, (void *arg, const struct lane_flip *flip), (arg, flip))                            \
	H(mark, (void *arg, const struct lane_mark *mark), (arg, mark))                            \
	/* A counter is described, or has been read: a lane_p_gpulane_counter or _sample. */       \
	H(counter, (void *arg, const struct lane_event *event), (arg, event))                      \
	/* The thread was found running with this stack: told with engine NULL, and then with each \
	 * that was idle. */                                                                       \
	H(sample,                                                                                  \
	  (void *arg, const struct lane_thread *thread, const struct lane_engine *engine,          \
	   struct lane_stack_id id, uint64_t ns),                                                  \
	  (arg, thread, engine, id, ns))                                                           \
	/* A frame of a stack: a lane_p_gpulane_stack_frame. */                                    \
	H(stack_frame, (void *arg, const struct lane_event *event), (arg, event))                  \
	H(call, (void *arg, const struct lane_call *call), (arg, call))                            \
	/* The trace has ended: told before the calls and commands that are open. */               \
	H(unended, (void *arg, const struct lane_unended *unended), (arg, unended))                \
	H(command, (void *arg, const struct lane_command *command), (arg, command))

/* A subscriber. A hook that it does not want is NULL. */
struct lane_hooks {
	void *arg;
#define H(name, parameters, arguments) void(*name) parameters;
	LANE_HOOKS(H)
#undef H
};

struct lane_timeline;

/*
 * Makes a timeline for a trace that is described by info (copied). losses are the n_losses losses
 * that are known beforehand, by begin_ns; NULL: none (copied). hooks are copied. On success
 * *timeline is the caller's, who destroys it. Returns NULL or an error.
 */
struct lane_error *timeline_create(const struct lane_trace_info *info,
				   const struct lane_loss *losses, size_t n_losses,
				   const struct lane_hooks *hooks,
				   struct lane_timeline **timeline) LANE_MUST_CHECK;

/* From now on processes of one cgroup are one client; groups outlive the timeline's users. Must
 * come before the first push. */
void timeline_group_by(struct lane_timeline *timeline, const struct lane_cgroup_list *groups);

/* Follows all threads, not only those that submit or wait: for a trace without a GPU. Must come
 * before the first push. */
void timeline_follow_all(struct lane_timeline *timeline);

/*
 * Takes the next event (not kept). Times must not go back. Returns NULL or an error: there is no
 * memory, or the trace has more of something than any machine (docs/analysis.md, Memory). After an
 * error only finish and destroy may be called.
 */
struct lane_error *timeline_push(struct lane_timeline *timeline,
				 const struct lane_event *event) LANE_MUST_CHECK;

/* A loss has reached into times of which conclusions had been told. All that has been told is void
 * if the trace is to be read with its losses known. */
bool timeline_is_void(const struct lane_timeline *timeline);

/* From now on the subscriber is told nothing. What is found goes on. */
void timeline_hush(struct lane_timeline *timeline);

/* Ends the trace: the subscriber is told what is still open, with what is known of it. Returns NULL
 * or an error. is_stoppable: ^C ends that, too, and is an error. */
struct lane_error *timeline_finish(struct lane_timeline *timeline,
				   bool is_stoppable) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void timeline_destroy(struct lane_timeline *timeline);

/* Figures of the whole trace, for reports. */
struct lane_timeline_figures {
	uint64_t begin_ns, end_ns; /* times of the first and the last event */
	uint64_t until_ns; /* it was recorded up to then: to end_ns, or later, if it says so */
	uint64_t events;
	uint64_t by_kind[LANE_KIND_COUNT];
	uint64_t lost;	       /* events known to be lost */
	bool lost_uncounted;   /* there were losses of unknown number, too */
	bool loss_unforeseen;  /* a loss reached into times of which conclusions had been told
				* already */
	bool ring_unforeseen;  /* the same of a second ring of one name (drm_sched) */
	bool clock_unforeseen; /* later commands bound an OpenCL device's clock, by which earlier
				* ones have been told */
	uint32_t open_requests, max_open_requests;
	uint32_t by_state[LANE_RQ_STATE_COUNT]; /* of the open requests; after finish: as the trace
						 * ended */
	uint32_t contradictions;  /* events that contradict the others, or their order: something is
				   * missing unseen */
	uint32_t unseen_switches; /* of these: a CPU had another thread than its switches say */
};

void timeline_figures(const struct lane_timeline *timeline, struct lane_timeline_figures *figures);

/* The engines, contexts and clients that events have named so far, by id; NULL behind the last one.
 * Owned by the timeline. */
const struct lane_engine *timeline_engine(const struct lane_timeline *timeline, uint32_t id);
const struct lane_context *timeline_context(const struct lane_timeline *timeline, uint32_t id);
const struct lane_client *timeline_client(const struct lane_timeline *timeline, uint32_t id);

/* How long requests of the context took that are complete: from the time that they were queued, or
 * added, to their end. */
struct lane_typical timeline_typical_of(const struct lane_context *context);

/* What the trace says of itself. */
const struct lane_trace_info *timeline_info(const struct lane_timeline *timeline);

/* Calls fn for each context's first request that has not ended. */
void timeline_each_open(const struct lane_timeline *timeline,
			void (*fn)(void *arg, const struct lane_request *rq), void *arg);

/* Calls fn for each request that has ended and has not been told, as further events may tell more
 * of it: as it would be told if the trace ended now. */
void timeline_each_ended(const struct lane_timeline *timeline,
			 void (*fn)(void *arg, const struct lane_request *rq), void *arg);

/* Calls fn for what is open at now_ns: of OpenCL and Level Zero, calls first; then threads that
 * wait. */
void timeline_each_unended(const struct lane_timeline *timeline, uint64_t now_ns,
			   void (*fn)(void *arg, const struct lane_unended *unended), void *arg);

/* The losses that are known by now, merged, by begin_ns; *n_losses is their number. Owned by the
 * timeline. */
const struct lane_loss *timeline_losses(const struct lane_timeline *timeline, size_t *n_losses);

/* What is known of a device's clock, and of the order of its commands. */
struct lane_cl_clock {
	bool bounded; /* the line below is known */
	bool is_same; /* it is the CPU's clock, as far as the commands can tell */
	int64_t offset_lo_ns, offset_hi_ns; /* device - CPU, at the last command */
	double drift_lo_ppm, drift_hi_ppm;
	uint64_t pairs, restarts;	  /* inequalities; times that no line satisfied all */
	uint32_t max_in_flight, max_held; /* most commands waited for at once, most that waited */
	uint64_t given_up, late;	  /* commands not waited for any more; told out of order */
};

/* Figures of the OpenCL commands told so far. */
struct lane_command_figures {
	uint64_t calls, commands, untimed;
	uint64_t certainty[LANE_CERTAINTY_COUNT];
	uint64_t why[LANE_WHY_COUNT];
	uint64_t crowded; /* told before they had ended: too many were open */
	uint32_t max_open;
};

void timeline_command_figures(const struct lane_timeline *timeline,
			      struct lane_command_figures *figures);

/* Writes to *clock what is known of the clock of that process's device (0: of the one that is not
 * known). False: there is none. */
bool timeline_cl_clock(const struct lane_timeline *timeline, int32_t pid, uint64_t device,
		       struct lane_cl_clock *clock);

/*
 * Takes the devices' clocks from a timeline that has read the same trace to its end. So what the
 * last commands have shown bounds the times of the first ones, too. Must come before the first
 * push. False: no memory.
 */
bool timeline_foresee_clocks(struct lane_timeline *timeline,
			     const struct lane_timeline *earlier) LANE_MUST_CHECK;

/* The names that rings of two devices share, where no event tells the device (drm_sched up to Linux
 * 6.16). Of such a ring nothing is told that would hold for one ring alone. */
struct lane_two_rings {
	bool is_by_driver;    /* drivers' own events tell of jobs, and none of drm_sched's comes */
	bool is_by_scheduler; /* some told of jobs, and then one of drm_sched's came */
	uint32_t n;
	char name[64][LANE_RING_BYTES];
};

/* Writes the names found so far to *rings. */
void timeline_two_rings(const struct lane_timeline *timeline, struct lane_two_rings *rings);

/* Takes the names that an earlier reading found. Must come before the first push. False: no
 * memory. */
bool timeline_foresee_two_rings(struct lane_timeline *timeline,
				const struct lane_two_rings *rings) LANE_MUST_CHECK;

/* A process's name as its OpenCL queues say it, "" where they say none. Owned by the timeline. */
const char *timeline_process_comm(const struct lane_timeline *timeline, int32_t pid);

/* The thread with this number; NULL: the trace has not named it. */
const struct lane_thread *timeline_thread(const struct lane_timeline *timeline, int32_t tid);

#endif
