/* SPDX-License-Identifier: MIT */
/*
 * Where the time went: stages, culprits, idle causes and waits, from what the timeline tells. The
 * figures are complete after latency_finish and are read by show/ as they stand.
 */
#ifndef LANE_LATENCY_LATENCY_H
#define LANE_LATENCY_LATENCY_H

#include "latency/engine_time.h"
#include "latency/commands.h"
#include "latency/cpu.h"
#include "latency/critical.h"
#include "latency/explain.h"
#include "latency/histogram.h"
#include "latency/stages.h"
#include "latency/window.h"
#include "timeline/timeline.h"

/* What a sum of idle time may have besides a cause: no request ended it, or none was before it. */
enum lane_idle_place {
	LANE_IDLE_BEFORE_FIRST = LANE_IDLE_CAUSE_COUNT,
	LANE_IDLE_AFTER_LAST,
	LANE_IDLE_PLACE_END
};

/* The names of enum lane_idle_cause, and of enum lane_idle_place. */
extern const char *const lane_idle_names[LANE_IDLE_PLACE_END];

struct lane_stage_sum {
	uint64_t count;	  /* requests that have it with a known duration */
	uint64_t bounded; /* of these: known within bounds only */
	uint64_t unknown; /* requests that have it, unknown how long */
	struct lane_span sum;
	struct lane_span max;
};

/* Requests by how much is known of them. */
struct lane_completeness {
	uint64_t complete; /* every stage known */
	uint64_t partial;  /* some unknown */
	uint64_t unknown;  /* all unknown */
	uint64_t open;	   /* of those: not over when the trace ended */
};

/*
 * What requests spent their time on, from their first time to the fence's signal (to their end
 * where no signals are recorded). Requests of which either is not known are not in it.
 */
struct lane_spent {
	uint64_t requests;
	struct lane_span total;
	struct lane_span stages[LANE_STAGE_PATH]; /* in stages that are known */
	struct lane_span unknown;		  /* in none that is known */
	uint64_t maybe_ns[LANE_STAGE_PATH];	  /* of that, at most in this stage */
};

struct lane_client_stats {
	const struct lane_client *client;
	struct lane_completeness requests;
	struct lane_spent spent;
	struct lane_stage_sum stages[LANE_STAGE_COUNT];
	uint64_t hidden[LANE_STAGE_PATH]; /* requests that are past it, of which it is unknown */
	/* Requests that nothing shows past device_queue when the trace ends, and the sum of the
	 * times since which they may be in it: nothing shows either that they are not past it. */
	uint64_t queued_at_end, queued_since_ns;
	uint64_t cpu_ns;      /* its threads ran */
	uint64_t runnable_ns; /* its threads could have run */
	uint64_t blocked_ns;
	uint64_t unknown_ns; /* what its threads did is not known */
	uint64_t wait_ns;    /* between wait_begin and wait_end */
	uint64_t waits;
	uint64_t preempted; /* preemptions of its requests */
};

struct lane_context_stats {
	const struct lane_context *context;
	uint64_t requests;
	struct lane_span running; /* of those of which it is known: n_running */
	struct lane_span total;	  /* likewise: n_total */
	uint64_t n_running, n_total;
	uint32_t engine; /* id of the last */
};

struct lane_engine_stats {
	const struct lane_engine *engine;
	uint64_t requests;
	uint64_t runs;
	struct lane_engine_time account;
	/* Complete after finish: busy and idle add up to the recording's time, each bound of the
	 * one with the other bound of the other. Not of a virtual engine: nothing runs there. */
	struct lane_span busy, idle;
	uint64_t idle_cause_ns[LANE_IDLE_CAUSE_COUNT]; /* they add up to idle.lo */
	uint64_t preemptions;
	uint64_t timeslices; /* of the preemptions */
	struct lane_recent *recent;
	/* Queue lengths, each change at its earliest possible time. */
	uint32_t queue_max[2];
	int64_t queue_now[2];
	__int128
		queue_delta_ns[2]; /* sum of delta * time; the integral is queue_now * end - this */
};

struct lane_recent; /* the last runs of an engine */

/* Whom a client's requests waited for in one of the queues, or for the fences of. */
struct lane_blame {
	uint32_t victim; /* client id */
	uint32_t engine;
	uint32_t context; /* id: of what ran, or of the fence */
	uint64_t requests;
	/* In device_queue: of requests before which that context ran on the engine. In host_queue:
	 * while that context had the engine. In dependency: of requests whose wait was ended by a
	 * fence of that context. */
	struct lane_span ns;
	uint64_t last;	     /* host_queue: number of the request that was counted last */
	uint64_t of_last_ns; /* of ns.hi, what the last request that left has added */
};

struct lane_preemption_sum {
	uint32_t engine, victim, culprit; /* ids: engine, client, client */
	bool culprit_known;
	enum lane_preemption_why why;
	uint64_t count;
	struct lane_span ns; /* preempted */
};

/* What a driver itself told of, by cause, engine and process; what is not known is NULL. */
struct lane_fault_sum {
	uint8_t cause; /* enum lane_fault_cause */
	uint32_t kind; /* of the events */
	const char *driver;
	char device[33];
	const struct lane_engine *engine;
	const struct lane_client *client;
	const struct lane_context *context;	 /* of the first job that is known, */
	uint32_t seqno;				 /* and its number */
	const struct lane_context *last_context; /* the same of the one that was told of last */
	uint32_t last_seqno;
	uint64_t count, bytes, lasted_ns, first_ns;
};

/* A task ran while a client's thread waited for that CPU. */
struct lane_starved_sum {
	uint32_t victim; /* client id */
	int32_t victim_tid;
	int32_t tid, cpu; /* who ran, where */
	char comm[16];
	char victim_comm[16];
	uint64_t slices;
	uint64_t ns;
	uint64_t wake_ns; /* of that: after the request it waited for was signalled */
};

/* Idle time of an engine by cause, the thread that ended it, and for starved the culprit. */
struct lane_idle_sum {
	uint32_t engine;
	uint8_t cause; /* enum lane_idle_cause, or enum lane_idle_place */
	int32_t tid;   /* the thread, -1 not known */
	char comm[16];
	int32_t culprit_tid, cpu; /* starved only */
	char culprit_comm[16];
	uint64_t count;
	uint64_t ns;
};

struct lane_wait_sum {
	uint32_t waiter, owner; /* client ids: who waited for whose requests */
	uint32_t engine;
	uint64_t count;
	uint64_t slept, slept_unknown; /* waits: it did; nobody knows */
	uint64_t ns;
	uint64_t wake_ns; /* of those whose request's signal was seen: wake_unknown are without */
	uint64_t wake_unknown;
	uint64_t runqueue_ns; /* of those covered by the scheduler's events: runqueue_unknown are
				 not */
	uint64_t runqueue_unknown;
};

/* A request as the table of the worst shows it. */
struct lane_worst {
	struct lane_request request;
	struct lane_stages stages;
	uint64_t total_ns;
};

#define LANE_WORST 10

#define LANE_TRACE_PL_PARTS 256

/* trace.pl's figures of an engine (docs/trace-pl.md), sums in ns over the requests that have all.
 */
struct lane_trace_pl {
	uint64_t requests;
	uint64_t submit_delay_ns;  /* submit - add */
	uint64_t execute_delay_ns; /* in - submit */
	uint64_t duration_ns;	   /* signalled - in */
	uint64_t context_save_ns;  /* out - signalled */
	uint64_t total_ns;	   /* out - in */
	uint64_t union_ns;	   /* of all [in, out] */
	uint64_t wait_ns;	   /* i915_request_wait_begin to _wait_end */
	struct lane_trace_pl_part {
		uint64_t begin_ns, end_ns;
	} parts[LANE_TRACE_PL_PARTS]; /* of the union, not yet summed up */
	uint32_t n_parts;
};

struct lane_sums; /* a keyed set of sums */

struct lane_select {
	uint64_t from_ns, to_ns; /* requests whose story ends in it; 0 and LANE_NEVER: all */
	const char *process;	 /* comm or pid of the client; NULL: all */
	bool by_context, by_seqno, by_engine;
	uint64_t context;
	uint32_t seqno;
	uint16_t class, instance;
};

struct lane_latency {
	const struct lane_timeline *timeline;
	struct lane_trace_info info;
	struct lane_select select;
	struct lane_completeness requests;
	struct lane_stage_sum stages[LANE_STAGE_COUNT];
	struct lane_histogram lo[LANE_STAGE_COUNT], hi[LANE_STAGE_COUNT];
	struct lane_stage_sum total;
	struct lane_spent spent;
	struct lane_client_stats *clients; /* by client id */
	uint32_t n_clients;
	struct lane_context_stats *contexts; /* by context id */
	uint32_t n_contexts;
	struct lane_engine_stats *engines; /* by engine id */
	uint32_t n_engines;
	struct lane_trace_pl *trace_pl; /* by engine id */
	/* Sorted by time, most first, after finish. */
	struct lane_blame *blames;
	struct lane_blame *host_blames;
	struct lane_blame *fence_blames; /* in dependency */
	struct lane_preemption_sum *preemptions;
	struct lane_starved_sum *starved;
	struct lane_idle_sum *idles;
	struct lane_wait_sum *waits;
	struct lane_fault_sum *faults; /* in the order of their first time */
	uint64_t leaves;	       /* requests that have left host_queue so far */
	uint32_t n_host_blames, n_fence_blames, n_blames, n_preemptions, n_starved, n_idles,
		n_waits, n_faults;
	struct lane_worst worst[LANE_WORST];
	uint32_t n_worst;
	struct lane_timeline_figures figures;
	uint64_t losses, lost, loss_ns;
	bool no_memory;
	struct lane_sums *sums;
	struct lane_commands *commands; /* OpenCL's; NULL: the recording has none */
	struct lane_cpu_stats *cpu;	/* of all threads; NULL: the recording has a GPU */
	uint32_t cap_contexts, cap_clients, cap_engines;
};

/*
 * Sets up *latency, whose hooks are then to be given to a timeline. info is copied, select too (its
 * strings are the caller's and outlive the latency).
 */
struct lane_error *latency_init(struct lane_latency *latency, const struct lane_trace_info *info,
				const struct lane_select *select) LANE_MUST_CHECK;

/* The recording has no GPU: all threads count. For a timeline that follows all. */
struct lane_error *latency_follow_all(struct lane_latency *latency) LANE_MUST_CHECK;

/* The subscriber. */
struct lane_hooks latency_hooks(struct lane_latency *latency);

/* After timeline_finish; the timeline must outlive the use of the figures. */
struct lane_error *latency_finish(struct lane_latency *latency,
				  const struct lane_timeline *timeline) LANE_MUST_CHECK;

/* Frees what latency holds; safe after a failed init. */
void latency_deinit(struct lane_latency *latency);

/* The integral over the trace of a queue's length, ns: Little's law's left side. */
int64_t latency_queue_ns(const struct lane_latency *latency, uint32_t engine,
			 enum lane_queue queue);

/* Which critical path somebody asks for: the longest request's, or by_time, of this part. */
struct lane_critical_wanted {
	bool by_time;
	double from_s, to_s; /* seconds of the recording; to_s 0: its end */
};

/* Where that path begins and ends, by the figures of the requests selected. */
struct lane_error *latency_critical_end(const struct lane_latency *latency,
					const struct lane_critical_wanted *wanted,
					uint64_t *from_ns, uint64_t *to_ns,
					struct lane_critical_end *end) LANE_MUST_CHECK;

#endif
