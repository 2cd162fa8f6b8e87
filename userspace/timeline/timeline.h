/* SPDX-License-Identifier: MIT */
/*
 * Events in, life stories out: what requests, contexts, engines, queues and threads went through.
 * The definitions are those of docs/analysis.md. A subscriber is told of every interval when it
 * closes; it never changes anything here.
 *
 * Memory is bounded by what is open (requests, waits, threads) and by the number of engines,
 * contexts, processes and losses that the trace names; in steady state nothing is allocated. There
 * is a most of each (docs/analysis.md, Memory).
 */
#ifndef LANE_TIMELINE_TIMELINE_H
#define LANE_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "norm/norm.h"

#define LANE_VIRTUAL_INSTANCE 65534 /* (u16)-2: no physical engine has been chosen yet */
#define LANE_NEVER	      UINT64_MAX
/* An interrupt is handled within this time: what is listened to, and not signalled by then, had not
 * ended. */
#define LANE_INTERRUPT_NS 1000000
/* A set that was written is taken within this time by hardware that runs nothing; and if its first
 * port has nothing left to do, the hardware has gone on to its next. */
#define LANE_SWITCH_NS 100000
/* From the driver's look at whether a request is complete to what it fires next are a few
 * instructions. */
#define LANE_LOOK_NS 1000

/* A time or a duration known to lie in [lo, hi], ns; exact where both are equal. */
struct lane_span {
	uint64_t lo;
	uint64_t hi;
};

/* Durations that add up with their bounds, ns; what is more than a number holds is LANE_NEVER. */
static inline void timeline_span_add(struct lane_span *sum, struct lane_span part)
{
	if (__builtin_add_overflow(sum->lo, part.lo, &sum->lo))
		sum->lo = LANE_NEVER;
	if (__builtin_add_overflow(sum->hi, part.hi, &sum->hi))
		sum->hi = LANE_NEVER;
}

/* The duration between two times that are spans themselves; never negative. */
static inline struct lane_span timeline_span_between(struct lane_span from, struct lane_span to)
{
	return (struct lane_span){
		.lo = to.lo > from.hi ? to.lo - from.hi : 0,
		.hi = to.hi > from.lo ? to.hi - from.lo : 0,
	};
}

static inline struct lane_span timeline_span_exact(uint64_t ns)
{
	return (struct lane_span){ ns, ns };
}

/* A process that owns contexts, or none (pid -1). Lives as long as the timeline. */
struct lane_client {
	uint32_t id; /* dense, from 0 */
	int32_t pid; /* -1: the trace does not say */
	char comm[16];
};

/* Devices and engine classes that have names, not i915's numbers: drm_sched's. */
#define LANE_DEVICE_NAMED 0x10000
#define LANE_CLASS_NAMED  0xff00

/* One GPU timeline of requests. Lives as long as the timeline. */
struct lane_context {
	uint32_t id; /* dense, from 0 */
	uint32_t dev;
	uint64_t ctx;
	struct lane_client *client; /* of its first request */
	bool is_user;		    /* it has had requests built by an execbuf */
	bool is_drm;		    /* its requests are jobs of drm_sched */
};

/* One command streamer or ring, or a virtual engine. Lives as long as the timeline. */
struct lane_engine {
	uint32_t id; /* dense, from 0 */
	uint32_t dev;
	uint16_t class;
	uint16_t instance;
	uint8_t submission; /* enum lane_submission, what its events are read as */
	uint32_t host_len;  /* requests in host_queue or preempted */
	uint32_t device_len;
	uint64_t
		idle_until_ns; /* from the recording's begin to then it ran nothing; 0: not known */
	/* Of a ring of drm_sched: its name, its device's and its driver's, empty where they are not
	 * known. NULL: an engine of i915. */
	const char *name, *device, *driver;
	bool is_one_of_several; /* there are engines of other devices */
	bool is_unordered;	/* of drm_sched: which of its jobs runs is not known */
};

/* A virtual engine only queues: what is submitted to it runs on a physical one. */
static inline bool timeline_engine_is_virtual(const struct lane_engine *engine)
{
	return engine->instance == LANE_VIRTUAL_INSTANCE;
}

enum lane_request_state {
	LANE_RQ_STATE_NEW,	  /* built, not yet added */
	LANE_RQ_STATE_DEPENDENCY, /* added, waits for others */
	LANE_RQ_STATE_HOST,	  /* in the driver's queue */
	LANE_RQ_STATE_DEVICE,	  /* given to the hardware, does not run yet */
	LANE_RQ_STATE_RUNNING,
	LANE_RQ_STATE_PREEMPTED,
	LANE_RQ_STATE_ENDED,
	LANE_RQ_STATE_COUNT
};

/* Which of a request's times below an event has given. */
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
	LANE_DOUBT_DEVICE = 1 << 1,  /* when it ran between execute and end is not known */
	LANE_DOUBT_END = 1 << 2,     /* nothing bounds its end from above */
	LANE_DOUBT_GONE = 1 << 3,    /* the trace ended, or it vanished, before its story did */
};

/* A request and its times, ns. What a subscriber gets is valid during the call only. */
struct lane_request {
	struct lane_context *context;
	struct lane_engine *engine;	 /* where it is, or was last */
	struct lane_engine *host_engine; /* whose host queue it was in, a virtual one perhaps */
	uint32_t seqno;
	int32_t prio; /* of its last `in`; INT32_MIN: not known */
	int32_t tid;  /* thread that queued or added it, -1 not known */
	int32_t pid;
	uint8_t state; /* enum lane_request_state */
	uint8_t seen;  /* enum lane_request_seen */
	uint8_t doubt; /* enum lane_request_doubt */
	uint32_t preemptions;
	uint32_t executes;
	uint64_t queue_ns, add_ns, submit_ns, execute_ns, in_ns, signal_ns, retire_ns;
	uint64_t out_ns;	    /* last `out` of its own, trace.pl's end */
	struct lane_span start;	    /* first start; valid when started */
	struct lane_span end;	    /* valid in state ended */
	struct lane_span running;   /* sum */
	struct lane_span preempted; /* sum */
	bool started;
	struct lane_context *behind; /* whose request ran before it on the engine; may be NULL; told
				       only where its device_queue is known */
	/* The request whose signal its submit came straight out of; NULL: not known, or none. */
	struct lane_context *after;
	uint32_t after_seqno;
	/* The fence that it waited for longest before it was free to run: of drm_sched's jobs; 0:
	 * none. */
	uint64_t waited_ctx, waited_seqno;
	uint64_t clock_ns;   /* the event by which the GPU's own clock told its start, 0: none */
	uint64_t drm_client; /* drm_file's number of who queued it, 0: not known */
	bool may_be_skipped; /* a job that left its ring without a known end, and perhaps never ran
			      */
	/* The longest wait for it: signalled -> wait_end, with its part spent on a run queue. */
	uint32_t waits;
	uint64_t wake_ns, wake_runqueue_ns;
	bool wake_known;	  /* no longer wait can have been missed, and its signal was seen */
	bool wake_runqueue_known; /* the scheduler's events cover it */
};

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
	bool is_interesting; /* it has submitted or waited, or all threads are of interest */
	bool preempted;	     /* runnable because another took its CPU, not because it was woken */
	int32_t cpu;	     /* where it runs or is queued, -1 not known */
	uint64_t since_ns;
	struct lane_client *client; /* NULL when its process owns no context */
};

/* A closed interval of a thread. */
struct lane_thread_interval {
	const struct lane_thread *thread;
	enum lane_thread_state state;
	uint64_t begin_ns, end_ns;
	enum lane_thread_state
		next; /* what it does from end_ns on; the same where the trace ends */
	bool woken;   /* of a runnable interval: it had been blocked before */
	bool is_last; /* the thread is gone then */
	const struct lane_request *wait; /* the request it was waiting for, or NULL */
	int32_t waker_tid;		 /* who ended a blocked interval, -1 */
};

/* A thread in i915_request_wait. */
struct lane_wait {
	const struct lane_thread *thread;
	const struct lane_request *request;
	uint64_t begin_ns, end_ns;
	uint64_t signal_ns;   /* of the request, 0 when not seen */
	uint64_t runqueue_ns; /* in signal..end: runnable, not running */
	bool slept;
	bool slept_known;    /* it slept, or the scheduler's events show that it did not */
	bool runqueue_known; /* the scheduler's events cover it */
};

/* An interval in which one context had the engine to itself. */
struct lane_run {
	const struct lane_engine *engine;
	const struct lane_request *request; /* the last of the context that ran in it */
	struct lane_span begin, end;
	bool is_doubtful; /* the engine's ports are not certain */
	bool follows;	  /* it began when the run before it ended: no time is between them, */
	uint64_t gap_ns;  /* but this at most, in which the driver's pause held it up */
	/* It ran until then at least: end.lo, but of what left incomplete, as it seemed, the last
	 * time at which it was seen to be. */
	uint64_t sure_until_ns;
};

/* LANE_PREEMPTION_WHYS(W) calls W(ID, name): why a request was taken off its engine. */
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

/* A request was taken off an engine by another; told when it runs again, or is over. */
struct lane_preemption {
	const struct lane_engine *engine; /* it was taken from */
	const struct lane_request *victim;
	const struct lane_context *culprit; /* whose request started then, NULL: not known */
	uint32_t culprit_seqno;
	struct lane_span at;
	struct lane_span lasted; /* until it ran again, or ended */
	enum lane_preemption_why why;
};

enum lane_idle_cause {
	LANE_IDLE_STARVED,	/* the thread could run, another had its CPU */
	LANE_IDLE_OTHER_ENGINE, /* the thread waited for a request on another engine */
	LANE_IDLE_SAME_ENGINE,	/* the thread waited for a request that was over already, or its
				   wake-up */
	LANE_IDLE_BLOCKED,	/* the thread was blocked elsewhere */
	LANE_IDLE_COMPUTING,	/* the thread ran */
	LANE_IDLE_DEPENDENCY,	/* the request was there, its dependencies were not done */
	LANE_IDLE_DRIVER,	/* the request was there and free to run */
	LANE_IDLE_UNKNOWN,
	LANE_IDLE_CAUSE_COUNT
};

#define LANE_IDLE_CULPRITS 4

/* An engine ran nothing in [begin, end], and request, submitted by thread, ended that. */
struct lane_idle {
	const struct lane_engine *engine;
	uint64_t begin_ns, end_ns;
	const struct lane_request *request; /* NULL when none did, or it is not known */
	const struct lane_thread *thread;   /* NULL when not known */
	bool is_last;			    /* the trace ended, and no request had ended it */
	uint64_t cause_ns[LANE_IDLE_CAUSE_COUNT];
	/* Who ran while the thread was starved; ns 0 ends the list. */
	struct lane_idle_culprit {
		int32_t tid;
		int32_t cpu;
		uint64_t ns;
		char comm[16];
	} culprits[LANE_IDLE_CULPRITS];
	bool is_doubtful;
};

/* A task ran on a CPU while an interesting thread waited for that CPU. */
struct lane_starvation {
	const struct lane_thread *victim;
	int32_t cpu;
	int32_t tid; /* who ran: 0 is the idle thread, -1 not known */
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

enum lane_queue {
	LANE_QUEUE_HOST,
	LANE_QUEUE_DEVICE
};

struct lane_loss {
	uint64_t begin_ns, end_ns;
	uint64_t count; /* 0: not known */
	int32_t cpu;
	/* its own: something was lost between two events of begin_ns, of end_ns, too */
	bool is_from_the_start, is_to_the_end;
};

/* The loss that a record tells of. */
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
	int32_t status;
	bool ended; /* false: the trace, or its thread, ended first, or its exit is missing */
};

/* The four times that the device says of a command. */
enum lane_command_time {
	LANE_COMMAND_QUEUED,
	LANE_COMMAND_SUBMITTED,
	LANE_COMMAND_START,
	LANE_COMMAND_END,
	LANE_COMMAND_TIMES
};

/* How sure a command's requests are. */
enum lane_certainty {
	LANE_CERTAIN_NONE,	/* it has none that is known; `why` says why */
	LANE_CERTAIN_AMBIGUOUS, /* those named are possible, which of them carried it is open */
	LANE_CERTAIN_EXACT,	/* those named carried it, and no other */
	LANE_CERTAINTY_COUNT
};

/* LANE_WHYS(W) calls W(ID, name, help): why a command is tied to its requests as it is. */
#define LANE_WHYS(W)                                                                               \
	W(OWN_CALL, "own_call", "its own call made them, nothing else was waiting")                \
	W(FLUSH, "flush", "a flush or a wait of its queue made them while it was held back")       \
	W(CONTEXT, "context", "made by another thread, on the context that is its queue's")        \
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
	char comm[16];	  /* the process' name, "" when not known */
	bool profiled;	  /* profiling was switched on behind the program's back */
	bool known;	  /* its creation was seen */
	uint64_t ctx;	  /* fence context of its requests, 0: not known */
	uint32_t ctx_dev; /* and that context's device */
	bool ctx_shared;  /* other queues' commands have come on it too */
};

#define LANE_COMMAND_REQUESTS 8

struct lane_request_key {
	uint64_t ctx;
	uint32_t dev;
	uint32_t seqno;
};

/*
 * An OpenCL command and its times, ns of the CPU's clock; told in the order in which the commands
 * of a device start (docs/commands.md), when it is over. Valid during the call.
 */
struct lane_command {
	const struct lane_cl_queue *queue;
	int32_t pid, tid; /* who enqueued it */
	char comm[16];	  /* that thread's name, "" when not known */
	uint64_t number;  /* in its process, from 1 */
	uint32_t type;	  /* CL_COMMAND_*, 0: not known */
	uint8_t class;	  /* enum lane_command_class */
	uint32_t function;
	uint32_t flags;	  /* as the call's */
	uint64_t object;  /* kernel or memory object */
	const char *name; /* kernel's, "" when not known */
	uint64_t size, group;
	int32_t status;		     /* of the command; negative: it failed */
	uint64_t call_ns, return_ns; /* the call's entry and exit; 0: not seen */
	uint64_t known_ns;	     /* its completion became known to the program; 0: never */
	uint64_t raw_ns[LANE_COMMAND_TIMES]; /* by the device's clock */
	bool timed;			     /* the four times are there */
	/* By the CPU's clock: between these bounds, and the best single value, in order. */
	struct lane_span time[LANE_COMMAND_TIMES];
	uint64_t time_ns[LANE_COMMAND_TIMES];
	uint8_t certainty; /* enum lane_certainty */
	uint8_t why;	   /* enum lane_why */
	uint32_t n_requests;
	struct lane_request_key requests[LANE_COMMAND_REQUESTS]; /* the first ones */
	const struct lane_request
		*request; /* exact: the story of the first, as far as it is known */
	const struct lane_request *last_request; /* and of the last */
};

/* What went wrong, or made something wait, as a GPU's driver itself tells it. */
enum lane_fault_cause {
	LANE_FAULT_TIMEOUT,  /* a job was given up */
	LANE_FAULT_BAN,	     /* a queue may submit no more */
	LANE_FAULT_RESET,    /* the GPU, or one of its engines, was reset */
	LANE_FAULT_MEMORY,   /* a queue used memory that is not there */
	LANE_FAULT_PAGE,     /* the GPU waited for a page */
	LANE_FAULT_EVICTION, /* memory was moved out of the GPU's, or taken back */
	LANE_FAULT_CAUSES
};

extern const char *const lane_fault_names[LANE_FAULT_CAUSES];

/* Valid during the call; what is not known is NULL, 0 or empty. */
struct lane_fault {
	uint8_t cause; /* enum lane_fault_cause */
	uint32_t kind; /* of the event that tells it */
	uint64_t at_ns, until_ns;
	const char *driver, *device;
	const struct lane_engine *engine;
	const struct lane_context *context; /* of the job that it is about, */
	uint32_t seqno;			    /* and its number */
	const struct lane_client *client;   /* of the job, or who made it happen */
	uint64_t bytes;			    /* moved */
};

/*
 * What a subscriber may be told. LANE_HOOKS(H) calls H(name, parameters, arguments) for each: the
 * arguments are the parameters' names, for who passes on what he is told. arg is the subscriber's;
 * all others are valid during the call only.
 */
#define LANE_HOOKS(H)                                                                              \
	/* The story of a request is over. */                                                      \
	H(request, (void *arg, const struct lane_request *rq), (arg, rq))                          \
	/* rq is now in rq->state, it was in `from`. */                                            \
	H(state,                                                                                   \
	  (void *arg, const struct lane_request *rq, enum lane_request_state from,                 \
	   uint64_t now_ns),                                                                       \
	  (arg, rq, from, now_ns))                                                                 \
	/* The length of a queue of an engine changes by delta at now_ns. */                       \
	H(queue,                                                                                   \
	  (void *arg, const struct lane_engine *engine, enum lane_queue queue,                     \
	   const struct lane_request *rq, int delta, uint64_t now_ns),                             \
	  (arg, engine, queue, rq, delta, now_ns))                                                 \
	H(run, (void *arg, const struct lane_run *run), (arg, run))                                \
	H(preemption, (void *arg, const struct lane_preemption *preemption), (arg, preemption))    \
	H(idle, (void *arg, const struct lane_idle *idle), (arg, idle))                            \
	H(thread, (void *arg, const struct lane_thread_interval *interval), (arg, interval))       \
	H(starvation, (void *arg, const struct lane_starvation *starvation), (arg, starvation))    \
	H(cpu_run, (void *arg, const struct lane_cpu_run *run), (arg, run))                        \
	H(wait, (void *arg, const struct lane_wait *wait), (arg, wait))                            \
	H(loss, (void *arg, const struct lane_loss *loss), (arg, loss))                            \
	H(fault, (void *arg, const struct lane_fault *fault), (arg, fault))                        \
	H(call, (void *arg, const struct lane_call *call), (arg, call))                            \
	H(command, (void *arg, const struct lane_command *command), (arg, command))

/* A subscriber; hooks that it does not want are NULL. */
struct lane_hooks {
	void *arg;
#define H(name, parameters, arguments) void(*name) parameters;
	LANE_HOOKS(H)
#undef H
};

struct lane_timeline;

/*
 * A timeline for a trace that says info of itself (copied). losses are the n_losses losses that are
 * known beforehand, by begin_ns, NULL when none are (copied). hooks are copied.
 * *timeline is the caller's.
 */
struct lane_error *timeline_create(const struct lane_trace_info *info,
				   const struct lane_loss *losses, size_t n_losses,
				   const struct lane_hooks *hooks,
				   struct lane_timeline **timeline) LANE_MUST_CHECK;

/*
 * All threads are of interest, not only those that submit or wait: for a trace without a GPU.
 * Before the first push.
 */
void timeline_follow_all(struct lane_timeline *timeline);

/* Takes the next event. Times must not go back. Fails for want of memory, and when
 * the trace has more of something than any machine (docs/analysis.md, Memory): then only finish and
 * destroy are left. */
struct lane_error *timeline_push(struct lane_timeline *timeline,
				 const struct lane_event *event) LANE_MUST_CHECK;

/* Ends the trace: what is still open is told to the subscriber with what is known of it. */
struct lane_error *timeline_finish(struct lane_timeline *timeline) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void timeline_destroy(struct lane_timeline *timeline);

/* Figures of the whole, for reports. */
struct lane_timeline_figures {
	uint64_t begin_ns, end_ns; /* first and last event */
	uint64_t events;
	uint64_t by_kind[LANE_KIND_COUNT];
	uint64_t lost;	      /* events known to be lost */
	bool lost_uncounted;  /* further losses of unknown number */
	bool loss_unforeseen; /* a loss reached into what had been concluded already */
	bool ring_unforeseen; /* so did a second ring of one name */
	uint32_t open_requests, max_open_requests;
	uint32_t by_state[LANE_RQ_STATE_COUNT]; /* of the open ones; after finish: when the trace
						   ended */
	uint32_t contradictions; /* events that cannot be as they stand, or out of all order:
				    something is missing unseen */
};

void timeline_figures(const struct lane_timeline *timeline, struct lane_timeline_figures *figures);

/* The engines, contexts and clients met so far; owned by the timeline. */
const struct lane_engine *timeline_engine(const struct lane_timeline *timeline, uint32_t id);
const struct lane_context *timeline_context(const struct lane_timeline *timeline, uint32_t id);
const struct lane_client *timeline_client(const struct lane_timeline *timeline, uint32_t id);

/* The losses seen or foreseen, merged, by begin; *n_losses is their number. Owned by the timeline.
 */
const struct lane_loss *timeline_losses(const struct lane_timeline *timeline, size_t *n_losses);

/* What is known of a device's clock, and of the order of its commands. */
struct lane_cl_clock {
	int32_t pid;	 /* the process whose driver says it */
	uint64_t device; /* handle, 0: not known */
	char name[128];
	bool bounded; /* the line below is known */
	bool is_same; /* it is the CPU's clock, as far as its commands can tell */
	int64_t offset_lo_ns, offset_hi_ns; /* device - CPU, at the last command */
	double drift_lo_ppm, drift_hi_ppm;
	uint64_t pairs, restarts;	  /* inequalities; how often no line kept them all */
	uint32_t max_in_flight, max_held; /* commands that were waited for, and that waited */
	uint64_t given_up, late;	  /* no longer waited for; told out of order */
};

/* Figures of the OpenCL commands told so far. */
struct lane_command_figures {
	uint64_t calls, commands, untimed;
	uint64_t certainty[LANE_CERTAINTY_COUNT];
	uint64_t why[LANE_WHY_COUNT];
	uint64_t crowded; /* told before they were over: too many were open */
	uint32_t max_open;
};

void timeline_command_figures(const struct lane_timeline *timeline,
			      struct lane_command_figures *figures);

/* The device clocks met so far, by number from 0; false behind the last one. */
bool timeline_cl_clock(const struct lane_timeline *timeline, uint32_t id,
		       struct lane_cl_clock *clock);

/*
 * Takes the devices' clocks from a timeline that has read the same trace to its end: what the last
 * commands have shown then bounds the times of the first ones, too. Before the first push. False:
 * no memory.
 */
bool timeline_foresee_clocks(struct lane_timeline *timeline,
			     const struct lane_timeline *earlier) LANE_MUST_CHECK;

/*
 * Names that rings of two devices have, where no event tells the device (drm_sched up to Linux
 * 6.16): nothing is told of such a ring that would hold for one alone.
 */
struct lane_two_rings {
	uint32_t n;
	char name[64][LANE_RING_BYTES];
};

/* Those met so far. */
void timeline_two_rings(const struct lane_timeline *timeline, struct lane_two_rings *rings);

/* Before the first push. False: no memory. */
bool timeline_foresee_two_rings(struct lane_timeline *timeline,
				const struct lane_two_rings *rings) LANE_MUST_CHECK;

/* The thread with this number, NULL when the trace has not named it. */
const struct lane_thread *timeline_thread(const struct lane_timeline *timeline, int32_t tid);

#endif
