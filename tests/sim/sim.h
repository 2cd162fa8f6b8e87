/* SPDX-License-Identifier: MIT */
/*
 * A discrete-event simulator of i915's submission and of the CPU's scheduler: from a scenario and a
 * seed it makes the events that the kernel would fire and, beside them, the truth. docs/sim.md has
 * the scenario format and the rules by which a time of the truth is known to somebody who sees the
 * events.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/event.h"
#include "decode/decode.h"

/* A time that does not exist: the thing had not happened when the recording ended. */
#define SIM_NONE UINT64_MAX
/* An index that names nothing. */
#define SIM_NO UINT32_MAX

#define SIM_VIRTUAL_INSTANCE 65534

struct sim_scenario; /* what is to be simulated; from a file, a text or a generator */

/* The kernels and traces that the random generator knows. */
enum sim_mode {
	SIM_EXECLISTS,	 /* Linux 5.4 on, every event: tracepoints, unsubmit and ports */
	SIM_TRACEPOINTS, /* the same kernel seen by a tracer of tracepoints only */
	SIM_PER_REQUEST, /* up to 5.3 */
	SIM_GUC,	 /* firmware schedules */
	SIM_VIRTUAL,	 /* execlists with virtual engines */
	SIM_STOCK,	 /* execlists without low-level tracepoints, functions hooked instead */
	SIM_MULTI,	 /* two execlists devices whose contexts wait for each other */
	SIM_MIXED, /* everything that execlists has at once: virtual engines, two devices, CPU load
		    */
	SIM_SCHED, /* drm_sched's jobs, on rings of many drivers; Linux 6.1, 6.12 and 6.17 */
	SIM_MODE_COUNT
};

extern const char *const sim_mode_names[SIM_MODE_COUNT];

struct sim_engine {
	uint32_t dev;
	uint16_t class;
	uint16_t instance; /* SIM_VIRTUAL_INSTANCE for a virtual engine */
	char name[64];	   /* of drm_sched: the ring's, its device's where the events say it */
	char device[32];
};

/* What became of a job of drm_sched. */
enum sim_status {
	SIM_OK,
	SIM_WAS_RESET, /* the ring was reset while it had the job */
	SIM_SKIPPED,   /* the driver did not give it to the ring */
	SIM_KILLED,    /* its process went away before its turn */
	SIM_LONG       /* it has no end: the scheduler calls it done when it is handed over */
};

/* How a fence came to be signalled. */
enum sim_signal {
	SIM_SIGNAL_NEVER,     /* not while recording */
	SIM_SIGNAL_INTERRUPT, /* by the breadcrumb's interrupt: prompt */
	SIM_SIGNAL_POLL,      /* by a waiter that was spinning: prompt too */
	SIM_SIGNAL_LATE,      /* by somebody who began to listen, or looked, after the end */
	SIM_SIGNAL_RETIRE,    /* by its retiring */
};

enum sim_stage {
	SIM_PREPARE,
	SIM_DEPENDENCY,
	SIM_HOST_QUEUE,
	SIM_DEVICE_QUEUE,
	SIM_RUNNING,
	SIM_PREEMPTED,
	SIM_SIGNAL,
	SIM_STAGE_COUNT
};

extern const char *const sim_stage_names[SIM_STAGE_COUNT];

/* A request. All times in ns of the trace's clock, SIM_NONE when they do not exist. */
struct sim_request {
	uint64_t ctx;
	uint32_t dev;
	uint32_t seqno;
	int32_t tid; /* who submitted it, pid its process; a kernel thread for the kernel's own */
	int32_t pid;
	int32_t prio;
	uint32_t engine; /* the engine it was submitted to, index in engines: maybe a virtual one */
	uint32_t ran_on; /* the physical engine that executed it last, SIM_NO: none */
	uint32_t executed_on; /* and first */

	uint64_t queue; /* SIM_NONE for the kernel's own */
	uint64_t add;	/* SIM_NONE for heartbeats */
	uint64_t submit;
	uint64_t execute; /* the first */
	uint64_t start;	  /* start of its first span */
	uint64_t end;	  /* end of its last span, if complete */
	uint64_t enable_signal;
	uint64_t signaled;
	uint64_t retire;
	uint64_t hw_start; /* when the hardware first had it, */
	uint64_t hw_end;   /* and when it was done */
	uint64_t skipped;  /* a run of it begins and ends with the `out`s of one tasklet: this; else
			      SIM_NONE */

	/* of drm_sched's jobs */
	uint32_t before; /* what the ring ran before it, SIM_NO: nothing */
	uint64_t id;	 /* in its ring's scheduler */
	uint64_t client;
	struct sim_dependency {
		uint64_t ctx, seqno;
		uint64_t awaited_ctx; /* of the fence that was awaited in its place */
		uint64_t at;	      /* that one's signal */
	} waits[8];		      /* those that it was held up by */
	uint32_t n_waits;
	enum sim_status status;
	uint64_t over; /* of a job that was never in the hardware: its ring's fence was signalled,
			  or the scheduler was told; else SIM_NONE */

	bool late_listener; /* the listening itself may have had it signalled */
	bool late_out;	    /* its `out` may tell that it was over when its set was taken */
	bool unsure;	    /* whether it began behind a pause of the ring no event tells */

	enum sim_signal signal_by;
	bool start_exact; /* a perfect observer of every event knows start (docs/sim.md) */
	bool end_exact;
	uint32_t executes;  /* how often it was executed */
	uint32_t unsubmits; /* and taken back */
	uint32_t preemptions;
	uint64_t stage_ns[SIM_STAGE_COUNT]; /* SIM_NONE where it did not end, or did not begin */
};

/* An interval in which a request runs on an engine, [start, end). In order of start per engine. */
struct sim_span {
	uint32_t request;
	uint32_t engine;
	uint64_t start;	   /* by the events that tell it (docs/sim.md) */
	uint64_t end;	   /* SIM_NONE: still runs when the recording ends */
	uint64_t told;	   /* the event that tells that it is over, SIM_NONE: there is none */
	uint64_t hw_start; /* of what is about to begin: the end of the simulation */
	uint64_t hw_end;
	bool complete; /* ended with the request's end; else preempted */
	bool start_exact;
	bool end_exact;
	uint32_t culprit; /* preempted: the request that took the engine, else SIM_NO */
};

/* A thread's wait for a request: i915_request_wait_begin .. _wait_end. */
struct sim_wait {
	uint32_t request;
	int32_t tid;
	int32_t pid;
	uint64_t begin;
	uint64_t end;
	bool slept;
	uint64_t wake_ns; /* signaled (or begin, if that is later) .. end */
	uint64_t
		wake_runqueue_ns; /* the part of it in which the thread was runnable, not running */
	uint64_t wake_cpu_ns;	  /* the rest */
};

enum sim_thread_state {
	SIM_RUNNING_ON_CPU,
	SIM_RUNNABLE,
	SIM_BLOCKED,
};

enum sim_block {
	SIM_BLOCK_NONE,
	SIM_BLOCK_REQUEST,
	SIM_BLOCK_SLEEP,
	SIM_BLOCK_LOCK,
	SIM_BLOCK_IDLE, /* a worker with nothing to do */
};

/* A thread's state in [from, to). A runnable interval is cut wherever its culprit changes. */
struct sim_state {
	int32_t tid;
	enum sim_thread_state state;
	enum sim_block on; /* blocked: on what */
	uint64_t from;
	uint64_t to;
	int32_t cpu;	  /* it runs on, or waits for */
	int32_t culprit;  /* runnable: the thread that runs there, 0 for the idle thread */
	int32_t waker;	  /* blocked: the thread on the CPU when it was woken, -1: not woken */
	uint32_t request; /* blocked on a request, else SIM_NO */
};

/* The queues of an engine from `at` on, until its next step. */
struct sim_step {
	uint64_t at;
	uint32_t engine;
	uint32_t host;	 /* requests in host_queue or preempted */
	uint32_t device; /* requests in device_queue */
	uint32_t busy;	 /* 1: one runs */
};

struct sim_thread {
	int32_t tid;
	int32_t pid;
	int32_t ppid;
	int32_t prio; /* as the kernel has it: 120 normal, below 100 real-time */
	uint64_t born;
	uint64_t died;
	char comm[16];
};

struct sim_truth {
	struct lane_trace_info info; /* what the trace would say of itself */
	uint32_t cpus;
	bool is_sched;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct sim_engine *engines;
	size_t n_engines;
	struct sim_request *requests; /* in order of their first event */
	size_t n_requests;
	struct sim_span *spans; /* in order of start */
	size_t n_spans;
	struct sim_wait *waits; /* in order of begin */
	size_t n_waits;
	struct sim_step *steps; /* in order of time */
	size_t n_steps;
	struct sim_thread *threads;
	size_t n_threads;
	struct sim_state
		*states; /* in order of from, per thread without gaps from birth to death */
	size_t n_states;
	/* What happened in the simulation, for tests that want a trap to have been there. */
	struct {
		uint64_t coalesced;	/* executed behind another of its context in one dequeue */
		uint64_t lite_restores; /* out with completed 0 by which nothing leaves */
		uint64_t preemptions;	/* runs that were over, their request incomplete */
		uint64_t timeslices;	/* dequeues because a slice had expired */
		uint64_t repeated_executes; /* execute without in or out since the one before */
		uint64_t ended_taken_back;  /* completed while unsubmitted, no second execute */
		uint64_t double_in;	    /* in of a request whose earlier in has no out yet */
		uint64_t start_before_out;  /* in stamped before the out of what ran before */
		uint64_t newest_first; /* signals of one interrupt, the older after the newer */
		uint64_t retire_before_signal; /* signalled by retiring */
		uint64_t wait_without_sleep;
		uint64_t inconsistent;	/* the simulator contradicts itself: always 0 */
		uint64_t virtual_moves; /* a virtual context executed on another engine than before
					 */
	} seen;
};

/*
 * Reads a scenario from a file, or from text (name is for messages). *scenario is the caller's.
 */
struct lane_error *sim_scenario_load(const char *path,
				     struct sim_scenario **scenario) LANE_MUST_CHECK;
struct lane_error *sim_scenario_parse(const char *name, const char *text,
				      struct sim_scenario **scenario) LANE_MUST_CHECK;

/* A random scenario of a mode; the same seed gives the same one. Never NULL but for want of memory.
 */
struct sim_scenario *sim_scenario_random(enum sim_mode mode, uint64_t seed);
/*
 * Execlists: neither `in` nor `out` is fired, a stock kernel (LANE_RQ_IN); nobody looks what is on
 * the ports (LANE_PORTS); or signals tell nothing (LANE_FENCE_SIGNALED). The truth is then what the
 * other events tell.
 */
void sim_scenario_hide(struct sim_scenario *scenario, enum lane_kind kind);

/* Writes a scenario in the format that sim_scenario_load reads. */
void sim_scenario_write(const struct sim_scenario *scenario, FILE *to);

/* Frees a scenario; NULL is allowed. */
void sim_scenario_free(struct sim_scenario *scenario);

/*
 * Simulates. *events is an array of *n events in time order (equal times: in order of firing),
 * freed with free(); *truth is freed with sim_truth_free. seed 0 takes the scenario's own.
 */
struct lane_error *sim_run(const struct sim_scenario *scenario, uint64_t seed,
			   struct lane_event **events, size_t *n,
			   struct sim_truth **truth) LANE_MUST_CHECK;

/* Frees the truth; NULL is allowed. */
void sim_truth_free(struct sim_truth *truth);

/* Writes the truth as text, one fact a line (docs/sim.md). */
void sim_truth_write(const struct sim_truth *truth, FILE *to);

/* Writes the events in the text format of docs/formats.md, with the truth's info as head. */
void sim_events_write(const struct sim_truth *truth, const struct lane_event *events, size_t n,
		      FILE *to);

/*
 * Damage, as tracers do it. Each changes the array in place and returns the new number of events;
 * *events may be moved. n is the number before. Losses are announced by a LANE_LOST where the
 * tracer notices, that is at the CPU's next event that is kept, or at the end: begin_ns is the time
 * of the CPU's last event kept, end_ns that of the next. Return 0 and leave *events NULL for want
 * of memory.
 */
/* Drops each event with probability p. */
size_t sim_drop_random(struct lane_event **events, size_t n, double p, uint64_t seed);
/* Drops `bursts` runs of consecutive events of one CPU, each of at most `longest` events. */
size_t sim_drop_bursts(struct lane_event **events, size_t n, unsigned int bursts,
		       unsigned int longest, uint64_t seed);
/* Keeps the newest or the oldest events of each CPU, as a buffer that overwrites or that gets full.
 */
size_t sim_keep_part(struct lane_event **events, size_t n, bool newest, uint64_t seed);
/* Drops every event of a kind, as if it had never been recorded; info says so from then on. */
size_t sim_drop_kind(struct lane_event *events, size_t n, enum lane_kind kind,
		     struct lane_trace_info *info);
/* Keeps the events in [begin_ns, end_ns) and says so in info; nothing is announced as lost. */
size_t sim_cut(struct lane_event *events, size_t n, uint64_t begin_ns, uint64_t end_ns,
	       struct lane_trace_info *info);
/*
 * Keeps what is recorded of one process, chosen among those that submit, and of what takes its
 * threads' CPUs (docs/bpf.md); info says so. Nothing is announced as lost.
 */
size_t sim_follow(struct lane_event *events, size_t n, uint64_t seed, struct lane_trace_info *info);

/* For LANE_CLEANUP. */
static inline void sim_drop_scenario(struct sim_scenario **scenario)
{
	sim_scenario_free(*scenario);
}

static inline void sim_drop_truth(struct sim_truth **truth)
{
	sim_truth_free(*truth);
}

#endif
