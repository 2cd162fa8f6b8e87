/* SPDX-License-Identifier: MIT */
/*
 * Sums of what the timeline reports: stages, culprits, causes of idle time, and waits.
 * latency_finish completes the sums; show/ reads them then.
 */
#ifndef LANE_LATENCY_LATENCY_H
#define LANE_LATENCY_LATENCY_H

#include "latency/awake.h"
#include "latency/ahead.h"
#include "latency/unseen.h"
#include "latency/engine_time.h"
#include "latency/commands.h"
#include "latency/counters.h"
#include "latency/cpu.h"
#include "latency/critical.h"
#include "latency/explain.h"
#include "latency/frames.h"
#include "latency/marks.h"
#include "latency/histogram.h"
#include "latency/longest.h"
#include "latency/memory.h"
#include "latency/open.h"
#include "latency/slow.h"
#include "latency/steady.h"
#include "latency/stacks.h"
#include "latency/stages.h"
#include "latency/window.h"
#include "timeline/timeline.h"

/* Idle time without a cause, as a value of lane_idle_sum.cause: before the engine's first request,
 * or after its last. */
enum lane_idle_place {
	LANE_IDLE_BEFORE_FIRST = LANE_IDLE_CAUSE_COUNT,
	LANE_IDLE_AFTER_LAST,
	LANE_IDLE_PLACE_END
};

/* The cause that took most of an idle time, or its place. */
static inline unsigned int latency_idle_cause(const struct lane_idle *idle)
{
	unsigned int cause = LANE_IDLE_UNKNOWN;

	if (idle->is_first || idle->is_last)
		return idle->is_first ? LANE_IDLE_BEFORE_FIRST : LANE_IDLE_AFTER_LAST;
	for (unsigned int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++)
		if (idle->cause_ns[i] > idle->cause_ns[cause])
			cause = i;
	return cause;
}

/* Names of enum lane_idle_cause and of enum lane_idle_place. */
extern const char *const lane_idle_names[LANE_IDLE_PLACE_END];

struct lane_stage_sum {
	uint64_t count;	  /* requests whose time in the stage is known */
	uint64_t bounded; /* of count: known within bounds only */
	uint64_t unknown; /* requests whose time in the stage is unknown */
	struct lane_span sum;
	struct lane_span max;
};

/* Numbers of requests by how many of their stages are known. */
struct lane_completeness {
	uint64_t complete; /* every stage is known */
	uint64_t partial;  /* some stages are unknown */
	uint64_t unknown;  /* all stages are unknown */
	uint64_t open;	   /* of all these: open when the trace ended */
	uint64_t bursts; /* of all these: bursts of long-running queues; no share is told of them */
	uint64_t maybe_bursts; /* of these: nothing says for certain that they are */
	uint64_t by_silence; /* of all these: it ended no sooner, if no interrupt came late (R13) */
	uint64_t faulted; /* besides: over and not complete; no time of theirs counts in anything */
};

/* There are requests. */
static inline bool latency_has_requests(const struct lane_completeness *n)
{
	return n->complete || n->partial || n->unknown || n->faulted;
}

/*
 * Time of requests by stage, from the request's first time to its signal. Where no signals are
 * recorded, to its end. A request is counted only if both times are known.
 */
struct lane_spent {
	uint64_t requests;
	struct lane_span total;
	struct lane_span stages[LANE_STAGE_PATH]; /* time in known stages */
	struct lane_span unknown;		  /* time in no known stage */
	uint64_t maybe_ns[LANE_STAGE_PATH];	  /* of unknown.hi: at most this in the stage */
};

/* The time in a stage: its known part at least, and all that is unknown and may be in it at most.
 */
static inline struct lane_span latency_spent_in(const struct lane_spent *spent, int stage)
{
	return (struct lane_span){ spent->stages[stage].lo,
				   spent->stages[stage].hi + spent->maybe_ns[stage] };
}

struct lane_client_stats {
	const struct lane_client *client;
	struct lane_completeness requests;
	struct lane_spent spent;
	struct lane_stage_sum stages[LANE_STAGE_COUNT];
	uint64_t hidden[LANE_STAGE_PATH]; /* requests that are over, time in it unknown */
	uint64_t cpu_ns;		  /* time that the client's threads ran */
	uint64_t runnable_ns;		  /* time that the threads were runnable */
	uint64_t blocked_ns;
	uint64_t unknown_ns;	   /* time that the state of the threads is unknown; of that */
	uint64_t runnable_most_ns; /* they were runnable for so long at most */
	uint64_t wait_ns;	   /* time between wait_begin and wait_end */
	uint64_t waits;
	/* Preemptions of the client's requests, and as many more that were none if another request
	 * had ended (unless_ns). */
	uint64_t preempted, nearly_preempted;
};

/* A request of the client may have been preempted more often than is told: how long it was has
 * bounds, or none. */
static inline bool latency_may_be_preempted_more(const struct lane_client_stats *client)
{
	const struct lane_span *sum = &client->stages[LANE_STAGE_PREEMPTED].sum;

	return client->hidden[LANE_STAGE_PREEMPTED] || sum->lo < sum->hi;
}

struct lane_context_stats {
	const struct lane_context *context;
	uint64_t requests;
	struct lane_span running; /* sum of the n_running requests that have it known */
	struct lane_span total;	  /* sum of the n_total requests that have it known */
	uint64_t n_running, n_total;
	uint32_t engine; /* id of the engine of the last request */
	struct lane_longest longest;
};

/* trace.pl's figures of an engine (docs/trace-pl.md): sums over the requests that have all five
 * times. */
struct lane_trace_pl {
	uint64_t requests;
	uint64_t submit_delay_ns;	  /* submit - add */
	uint64_t execute_delay_ns;	  /* in - submit */
	uint64_t duration_ns;		  /* signalled - in */
	uint64_t context_save_ns;	  /* out - signalled */
	uint64_t total_ns;		  /* out - in */
	struct lane_engine_time on_ports; /* the union of all [in, out] */
	uint64_t wait_ns;		  /* i915_request_wait_begin to _wait_end */
};

struct lane_engine_stats {
	const struct lane_engine *engine;
	uint64_t requests;
	uint64_t bursts; /* of these */
	uint64_t runs;
	struct lane_engine_time account;
	/* Set by finish. busy.lo + idle.hi and busy.hi + idle.lo are the recording's time. Not set
	 * for a virtual engine: nobody tells where its requests run. */
	struct lane_span busy, idle;
	struct lane_audit audit;
	struct lane_trace_pl trace_pl;
	uint64_t idle_cause_ns[LANE_IDLE_CAUSE_COUNT]; /* the causes add up to idle.lo */
	bool may_be_preempted_more; /* how long a request of it was preempted has bounds, or none */
	uint64_t preemptions, nearly_preemptions; /* as a client's */
	uint64_t timeslices;			  /* of preemptions: by time slice */
	/* Queue lengths by enum lane_queue. Each change counts at its earliest possible time. */
	uint32_t queue_max[2];
	int64_t queue_now[2];
	__int128 queue_delta_ns[2]; /* sum of change * time (latency_queue_ns) */
};

/* A client's requests waited for a context: in one of the queues, or for its fences. */
struct lane_blame {
	uint32_t victim; /* client id */
	uint32_t engine;
	uint32_t context;	    /* id of the context that ran, or of the fence */
	struct lane_client *client; /* who submitted that; NULL: the context's process */
	uint64_t requests;
	/* Time of the victim's requests.
	 * device_queue: of requests that started right after a request of the context.
	 * host_queue: while the context had the engine.
	 * dependency: of requests whose wait ended with a fence of the context. */
	struct lane_span ns;
	uint64_t unknown_ns; /* of these requests' time: of so much nobody knows who had the engine
			      */
};

struct lane_preemption_sum {
	uint32_t engine, victim, culprit; /* ids: engine, client, client */
	bool culprit_known;
	enum lane_preemption_why why;
	uint64_t count, nearly; /* as a client's preempted and nearly_preempted */
	struct lane_span ns;	/* time preempted */
	uint64_t max_ns;	/* the longest one, at least */
	uint64_t max_at_ns;	/* when that began, at the latest */
};

/* Events that a driver itself reported (R37), by cause, engine and process. NULL: not known. */
struct lane_fault_sum {
	uint8_t cause; /* enum lane_fault_cause */
	uint32_t kind; /* of the events */
	const char *driver;
	char device[33];
	const struct lane_engine *engine;
	const struct lane_client *client;
	const struct lane_context *context; /* the first known job */
	uint32_t seqno;
	const struct lane_context *last_context; /* the last reported job */
	uint32_t last_seqno;
	uint64_t count, bytes, lasted_ns, first_ns;
	/* Where it is how the first job ended: how long after its submit, and the limit that ended
	 * it; 0: not known. */
	uint64_t after_ns, limit_ns;
	int32_t error;			       /* its fence's, negative; 0: none is known */
	const struct lane_context *of_context; /* the request that did not complete before; NULL */
	uint32_t of_seqno;
	uint64_t taken; /* of count: with another one, or with the GPU (struct lane_taken_sum) */
	char reason[64];
};

/* Requests of a client that ended with errors as another one was given up, or as the GPU was reset:
 * their struct lane_given_up. */
struct lane_taken_sum {
	const struct lane_context *context; /* NULL: of the reset */
	uint32_t seqno;
	const struct lane_engine *engine; /* of the last one */
	const struct lane_client *client;
	bool is_replayed;
	uint64_t count;
};

/* A task had the CPU for which a client's thread waited, or one that had to act for its requests.
 */
struct lane_starved_sum {
	uint32_t victim; /* client id */
	uint8_t actor;	 /* enum lane_actor; LANE_ACTORS: it is the client's own thread */
	int32_t victim_tid;
	int32_t tid, cpu; /* the task that ran, and its CPU */
	char comm[16];
	char victim_comm[16];
	const char *function; /* LANE_ACTOR_ITEM: of the work item, or what stands for it; NULL */
	uint64_t slices;
	uint64_t ns;
	uint64_t max_ns;    /* the longest slice */
	uint64_t max_at_ns; /* when that began */
	uint64_t wake_ns;   /* of ns: after the victim's request was signalled */
};

/* Idle time of an engine by cause, by the thread whose request ended it, and by the culprit if the
 * cause is starved. */
struct lane_idle_sum {
	uint32_t engine;
	uint8_t cause; /* enum lane_idle_cause or enum lane_idle_place */
	int32_t tid;   /* the thread, -1: not known */
	char comm[16];
	int32_t culprit_tid, cpu; /* starved only */
	char culprit_comm[16];	  /* of 0: the state in which the CPU slept, "": none is known */
	uint64_t count;
	uint64_t ns;
	uint64_t max_ns;    /* the longest one */
	uint64_t max_at_ns; /* when the idle time began in which it was */
};

struct lane_wait_sum {
	uint32_t waiter, owner; /* client ids: waiter waited for requests of owner */
	uint32_t engine;
	uint64_t count;
	uint64_t slept, slept_unknown; /* waits with sleep; waits of which that is unknown */
	uint64_t ns;
	uint64_t wake_ns; /* of waits of a known signal; the others: wake_unknown */
	uint64_t wake_unknown;
	uint64_t runqueue_ns; /* of waits of a known division; the others: runqueue_unknown */
	uint64_t runqueue_unknown;
};

/* Keeps the longest of several times, and when it began. */
static inline void latency_keep_longest(uint64_t *max_ns, uint64_t *max_at_ns, uint64_t ns,
					uint64_t at_ns)
{
	if (ns <= *max_ns)
		return;
	*max_ns = ns;
	*max_at_ns = at_ns;
}

/* One of the longest requests. */
struct lane_worst {
	struct lane_request request;
	struct lane_stages stages;
	uint64_t total_ns;
	/* Whose requests had the engine for at least half of its device_queue; context NULL: no
	 * process's are known to. */
	struct lane_ahead_part ahead;
};

#define LANE_WORST 10

struct lane_sums; /* indices of the sums by key */

struct lane_select {
	uint64_t from_ns, to_ns; /* requests whose last time is in it; 0 and LANE_NEVER: all */
	uint64_t zero_ns;	 /* what both were counted from */
	const char *process;	 /* name or pid of the client; NULL: all */
	bool by_context, by_seqno, by_engine;
	bool by_flip; /* of pictures only those that were under way for it, or shown by it */
	int32_t crtc;
	uint32_t refresh;
	uint64_t context;
	uint32_t seqno;
	/* Of i915's engines class and instance; by_class: of all. Otherwise others by their name.
	 */
	bool by_class;
	uint16_t class, instance;
	const char *engine;  /* as it is printed, "DEVICE/NAME" or "NAME" */
	size_t device_bytes; /* of DEVICE; 0: all devices */
};

/* The timeline tells samples of the engines whose idle times it divides, fewer than these; so many
 * places are kept of an idle time. */
#define LANE_SAMPLED 64

/* Where threads were found running while an engine has been idle. */
struct lane_samples {
	struct {
		int32_t tid;
		uint32_t times;
		struct lane_stack_id id;
	} of[LANE_SAMPLED];
	uint32_t n, more; /* more: there was no room for these */
};

struct lane_latency {
	const struct lane_timeline *timeline;
	struct lane_trace_info info;
	struct lane_select select;
	bool is_selective; /* not all requests are selected */
	bool has_frames;   /* commits to displays may be in it */
	bool has_signals;  /* fences' signals are recorded */
	/* Sums of all clients, set by finish. */
	struct lane_completeness requests;
	struct lane_stage_sum stages[LANE_STAGE_COUNT];
	struct lane_stage_sum faulted[LANE_STAGE_COUNT]; /* of those that did not complete */
	/* lo: least possible times in the stage, hi: largest possible times. Until finish those
	 * that are exact are apart. */
	struct lane_histogram exact[LANE_STAGE_COUNT], lo[LANE_STAGE_COUNT], hi[LANE_STAGE_COUNT];
	struct lane_stage_sum total;
	struct lane_spent spent;	   /* sums of all clients, set by finish */
	struct lane_client_stats *clients; /* by client id */
	uint32_t n_clients;
	struct lane_context_stats *contexts; /* by context id */
	uint32_t n_contexts;
	struct lane_engine_stats *engines; /* by engine id */
	uint32_t n_engines;
	/* After finish: longest time first. */
	struct lane_blame *blames;
	struct lane_blame *host_blames;
	struct lane_blame *fence_blames; /* in dependency */
	struct lane_blame *head_blames; /* in host_queue, while an earlier one waited for a fence */
	struct lane_preemption_sum *preemptions;
	struct lane_starved_sum *starved;
	struct lane_idle_sum *idles;
	struct lane_idle_stack_sum *idle_stacks;
	bool has_more_stacks;			    /* some had no room there */
	struct lane_samples *samples[LANE_SAMPLED]; /* by engine; NULL: none */
	struct lane_stack_sum *stack_sums;
	struct lane_wait_sum *waits;
	struct lane_fault_sum *faults; /* in the order of their first event */
	struct lane_taken_sum *takens;
	uint32_t n_host_blames, n_head_blames, n_fence_blames, n_blames, n_preemptions, n_starved,
		n_idles, n_idle_stacks, n_stack_sums, n_waits, n_faults, n_takens;
	struct lane_ahead ahead;   /* who had the engines */
	struct lane_unseen unseen; /* who may have had them, unrecorded */
	struct lane_worst worst[LANE_WORST];
	uint32_t n_worst;
	struct lane_opens opens; /* not over as the recording ended */
	struct lane_open_calls open_calls;
	struct lane_timeline_figures figures;
	uint64_t losses, lost, loss_ns;
	uint64_t ambiguous; /* fence events that may be of several contexts */
	bool is_damaged;    /* some of the recording could not be read */
	bool no_memory;
	struct lane_sums *sums;
	struct lane_commands *commands; /* of OpenCL; NULL: the recording has none */
	struct lane_counters counters;	/* of the GPUs */
	struct lane_memory memory;
	struct lane_stacks stacks;     /* where threads were */
	struct lane_frames frames;     /* of displays */
	struct lane_marks marks;       /* frames of programs */
	struct lane_marks ranges;      /* and their ranges */
	struct lane_slows slows;       /* what they tell of late requests */
	struct lane_steadies steadies; /* and of all of them */
	struct lane_awakes awakes;     /* who kept the GPUs from sleeping */
	struct lane_cpu_stats *cpu;    /* of all threads; NULL: the recording has a GPU */
	uint32_t cap_contexts, cap_clients, cap_engines;
};

/*
 * Sets up *latency. The caller then gives its hooks to a timeline. info and select are copied; the
 * strings of select stay the caller's and must outlive the latency.
 */
struct lane_error *latency_init(struct lane_latency *latency, const struct lane_trace_info *info,
				const struct lane_select *select) LANE_MUST_CHECK;

/* Nothing is left out. */
bool latency_selects_all(const struct lane_select *select);

/* The request, the command, the process is selected. client: NULL if it owns no contexts. */
bool latency_selects(const struct lane_select *select, const struct lane_request *rq);
bool latency_selects_command(const struct lane_select *select, const struct lane_command *command);
/* The picture was under way for the refresh, or shown by it. */
bool latency_selects_flip(const struct lane_select *select, const struct lane_flip *flip);
bool latency_selects_process(const struct lane_select *select, int32_t pid,
			     const struct lane_client *client);

/* The part of an interval that lies in the selected times, ns. */
uint64_t latency_within(const struct lane_select *select, uint64_t begin_ns, uint64_t end_ns);
/* How much of the recording the selected times are: the whole of shares of its time. */
uint64_t latency_whole_ns(const struct lane_latency *latency);

/* Selects requests by these times, too. Called before the first event. to_ns LANE_NEVER: no limit.
 */
void latency_select_times(struct lane_latency *latency, const struct lane_select *times);

/* Makes sums of all threads: the recording has no GPU, the timeline follows all threads. */
struct lane_error *latency_follow_all(struct lane_latency *latency) LANE_MUST_CHECK;

/* The hooks to give to the timeline. */
struct lane_hooks latency_hooks(struct lane_latency *latency);

/* Completes the sums. To be called after timeline_finish. The timeline must outlive their use. */
struct lane_error *latency_finish(struct lane_latency *latency,
				  const struct lane_timeline *timeline) LANE_MUST_CHECK;

/* Frees what latency holds. Safe after a failed init. */
void latency_deinit(struct lane_latency *latency);

/* An engine's idle time by cause and by place (enum lane_idle_place); the sum is idle.lo. */
void latency_idle_causes(const struct lane_latency *latency, uint32_t engine,
			 uint64_t ns[LANE_IDLE_PLACE_END]);

/* The i-th request that was certainly open for LANE_OPEN_LONG_NS as the recording ended, and that
 * no call or command below is told with; NULL: there is none. Bursts may go on for hours. */
const struct lane_open *latency_open_told(const struct lane_latency *latency, uint32_t i,
					  bool has_bursts);

/* There are more requests of which that might be told than are kept: the youngest kept one is as
 * old. */
bool latency_open_has_more(const struct lane_latency *latency);

/* The same of calls and commands. goes_on: those, too, of a queue that still comes along. */
const struct lane_open_call *latency_open_call_told(const struct lane_latency *latency, uint32_t i,
						    bool goes_on);

/* The next of those that went with the jobs, or the reset, of the sum, from *from on, which moves
 * on; NULL: there is none. */
const struct lane_taken_sum *latency_taken_with(const struct lane_latency *latency,
						const struct lane_fault_sum *sum, uint32_t *from);

/* No fences' signals are recorded: the time of a request is to its end. */
bool latency_times_to_end(const struct lane_latency *latency);

/* The integral of a queue's length over the trace, ns: the left side of Little's law. */
int64_t latency_queue_ns(const struct lane_latency *latency, uint32_t engine,
			 enum lane_queue queue);

/* The wanted critical path: of the longest request, or, by_time, of an interval. */
struct lane_critical_wanted {
	bool by_time;
	double from_s, to_s; /* seconds from the recording's begin; to_s 0: its end */
	bool by_flip; /* of the picture that was under way for this refresh, or shown by it */
	int32_t crtc;
	uint32_t refresh;
};

/* Finds where the wanted path begins and ends, by the sums of the selected requests. */
struct lane_error *latency_critical_end(const struct lane_latency *latency,
					const struct lane_critical_wanted *wanted,
					uint64_t *from_ns, uint64_t *to_ns,
					struct lane_critical_end *end) LANE_MUST_CHECK;

#endif
