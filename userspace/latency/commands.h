/* SPDX-License-Identifier: MIT */
/*
 * Sums of OpenCL commands by queue, kernel, kind of transfer and device. The sums cover the stages
 * of a command, from its call until the program notices its completion. They also cover the gaps
 * between the commands of a device, with the cause of each gap.
 */
#ifndef LANE_LATENCY_COMMANDS_H
#define LANE_LATENCY_COMMANDS_H

#include "base/opencl.h"
#include "base/table.h"
#include "latency/histogram.h"
#include "latency/launches.h"
#include "latency/longest.h"
#include "timeline/timeline.h"

/* LANE_COMMAND_STAGES(S) calls S(ID, name) for each stage of a command, in order. show/words.def
 * explains the stages. */
#define LANE_COMMAND_STAGES(S)                                                                     \
	S(CALL, "call")                                                                            \
	S(HELD, "held")                                                                            \
	S(HOST_QUEUE, "host_queue")                                                                \
	S(DEVICE_QUEUE, "device_queue")                                                            \
	S(QUEUE_OR_BEFORE, "queue_or_before")                                                      \
	S(BEFORE, "before")                                                                        \
	S(RUNNING, "running")                                                                      \
	S(PREEMPTED, "preempted")                                                                  \
	S(SIGNAL, "signal")                                                                        \
	S(UNNOTICED, "unnoticed")

enum lane_command_stage {
#define S(id, name) LANE_CSTAGE_##id,
	LANE_COMMAND_STAGES(S)
#undef S
	LANE_CSTAGE_COUNT
};

extern const char *const lane_command_stage_names[LANE_CSTAGE_COUNT];

/* Why a device was idle before a command. The stages are those of the command that ends the gap. */
enum lane_gap_cause {
	LANE_GAP_UNNOTICED,	  /* the program had not noticed the end of the command before */
	LANE_GAP_MAYBE_UNNOTICED, /* whether it had is not known */
	LANE_GAP_BUILD,	  /* it had not called for the next command: the thread built a program */
	LANE_GAP_OTHER,	  /* the same: it was in another call */
	LANE_GAP_PROGRAM, /* the same: it was in none */
	LANE_GAP_CALL,	  /* from here on: stages of the next command */
	LANE_GAP_HELD,
	LANE_GAP_HOST_QUEUE,
	LANE_GAP_DEVICE_QUEUE,
	LANE_GAP_QUEUE_OR_BEFORE,
	LANE_GAP_BEFORE,
	LANE_GAP_PREEMPTED, /* the command had begun, and its request was off the engine */
	LANE_GAP_COUNT
};

extern const char *const lane_gap_names[LANE_GAP_COUNT];

/*
 * The stages of one command. They add up to the time from its call to its known_ns: the time at
 * which the program noticed the completion.
 * Without a known request the command cannot have some of the stages. Such a stage has 0 ns and no
 * bit in `possible`. Where it is not known when the request started, what may be device_queue or
 * before is queue_or_before. The times in which its request was preempted lie between others of
 * running; they stand behind running, in one piece.
 */
struct lane_command_stages {
	uint64_t ns[LANE_CSTAGE_COUNT];
	uint64_t at_ns[LANE_CSTAGE_COUNT + 1]; /* begin of each stage, then end of the last */
	uint16_t possible;		       /* bit per stage */
	bool known; /* call, device times and completion of the command are known */
};

/* For how long a command that had begun was preempted, at least. */
uint64_t latency_command_off(const struct lane_command *command);

/* For how long it ran, by the device's clock, but not while it was preempted; 0: not known. */
uint64_t latency_command_running(const struct lane_command *command);
void latency_command_stages_of(const struct lane_command *command,
			       struct lane_command_stages *stages);

/* How long commands waited for the device, and what ran meanwhile (struct lane_command_ahead). */
struct lane_cl_waited {
	uint64_t commands; /* whose wait is known */
	struct lane_span waited, queue, process, others, nobody;
};

/* Durations of one kind. */
struct lane_durations {
	uint64_t count, sum_ns, max_ns;
	struct lane_histogram histogram;
};

struct lane_cl_queue_stats {
	const struct lane_cl_queue *queue; /* NULL: no command of the queue was counted */
	uint32_t device;		   /* index in lane_commands.devices */
	uint64_t commands, failed, staged; /* staged: commands with known stages */
	uint64_t by_class[LANE_COMMAND_CLASSES];
	uint64_t certainty[LANE_CERTAINTY_COUNT];
	uint64_t running_ns;
	/* Time of all commands in the queue. Divided by the recording's length: the mean number of
	 * commands in the queue (Little's law). */
	uint64_t host_queue_ns;	  /* from the call to the hand-over, or to the submission */
	uint64_t device_queue_ns; /* from there to the start */
	struct lane_cl_waited waited;
	/* Its last runs, a ring, by the device's clock; n_runs so far. */
	struct lane_cl_ran *runs;
	uint64_t n_runs;
};

struct lane_cl_ran {
	uint64_t from_ns, to_ns;
	uint32_t what; /* as in struct lane_behind_sum */
};

/* So many runs of a queue are looked at to name whom a command waited for. */
#define LANE_CL_LOOK_BACK 64

/* Commands that waited while others ran: those of their queue by what they are, others' by process.
 */
struct lane_behind_sum {
	int32_t pid;
	uint32_t what;	     /* id of the kernel; from LANE_KERNELS_MAX on the class */
	uint32_t other_what; /* of its queue */
	const struct lane_cl_queue
		*other;	    /* a queue of the other process; NULL: of its own queue */
	uint64_t count, ns; /* so many waited for so long, at least */
	uint64_t waited_ns; /* these waited for so long, at most */
	bool is_least;	    /* ns may be more, by more than a microsecond a command */
};

struct lane_kernel_stats {
	int32_t pid;
	uint32_t id; /* in the order in which kernels came */
	char name[64];
	bool has_atomics; /* the source of one of that name; else it is not known */
	uint64_t runs;
	uint64_t items; /* work items of all runs */
	/* Runs of one request each whose times on the engine are known. */
	uint64_t preempted_runs;
	struct lane_span preempted;    /* time that the requests of these runs were preempted */
	struct lane_durations running; /* by the device's own times */
	struct lane_longest longest;
	struct lane_durations total; /* from the call to known_ns of the command */
	uint64_t stage_ns[LANE_CSTAGE_COUNT];
};

struct lane_transfer_stats {
	uint64_t blocking, bytes, sized_ns; /* sized_ns: run time of transfers of a known size */
	struct lane_durations running;
};

/* The thread that enqueued a command; comm "": not known. */
struct lane_cl_caller {
	int32_t tid;
	char comm[16];
};

/* A device of a process. */
struct lane_cl_device_stats {
	int32_t pid;
	uint64_t device;
	char name[128];
	uint64_t commands, first_ns, last_ns; /* of those whose times are known */
	uint64_t untimed;		      /* others: they may have run in the gaps */
	/* Time in which at least one command ran, and was not preempted as far as that is known.
	 * both_ns: a kernel and a transfer ran. */
	uint64_t busy_ns, kernels_ns, transfers_ns, both_ns;
	uint64_t busy_to, kernels_to, transfers_to; /* latest end so far */
	/* In these times the command that began last was preempted. They are not busy if no other
	 * one runs in them. */
	struct lane_span off[LANE_COMMAND_OFFS];
	uint32_t n_off;
	struct lane_cl_caller off_caller;
	bool is_kernel_off;
	uint64_t over_ns;      /* by then all that are told so far had ended */
	struct lane_span knew; /* when the program knew that the command that ended last was
				* complete */
	uint64_t gaps, gap_ns, gap_max_ns;
	uint64_t unsure_ns; /* of the gaps: so wide are the bounds of their begins together */
	uint64_t gap_cause_ns[LANE_GAP_COUNT];
};

/* Gaps of a device by cause and by the thread whose command ended the gap. */
struct lane_gap_sum {
	uint32_t device;
	uint8_t cause;
	int32_t tid;
	char comm[16];	/* of the thread, "": not known */
	uint64_t count; /* gaps that have parts of this cause */
	uint64_t ns, max_ns;
	uint64_t max_at_ns;	      /* when the first part of the longest one began */
	uint64_t last, now_ns, at_ns; /* the last such gap, and its parts so far */
	/* Of LANE_GAP_OTHER, after finish: the function that took most of it, in so many calls. */
	uint16_t function;
	uint64_t calls, function_ns;
};

/* The time of a device's gaps in which a thread was in calls of one function. */
struct lane_gap_call {
	uint32_t device;
	int32_t tid;
	uint16_t function;
	uint64_t count, ns;
};

struct lane_call_stats {
	uint64_t count, failed, ns, max_ns;
};

/* A call that returned when commands were complete. */
struct lane_cl_wait {
	int32_t pid;
	uint64_t queue; /* 0: the call names none */
	uint64_t begin_ns, end_ns;
};

/* A call that neither enqueues nor waits. */
struct lane_cl_other_call {
	int32_t tid;
	uint16_t function;
	bool is_build;
	uint64_t begin_ns, end_ns;
};

#define LANE_CL_OTHER_CALLS 256

struct lane_cl_other_calls {
	struct lane_cl_other_call all[LANE_CL_OTHER_CALLS]; /* the last ones, a ring */
	uint64_t n;
};

/* The calls that make programs: what they are built of is source, or a binary. */
enum lane_cl_build {
	LANE_CL_BUILD_PROGRAM,
	LANE_CL_COMPILE_PROGRAM,
	LANE_CL_LINK_PROGRAM,
	LANE_CL_FROM_IL,
	LANE_CL_FROM_BINARY,
	LANE_ZE_CREATE_MODULE,
	LANE_CL_BUILDS, /* none of them */
};

/* A process that launches kernels. */
struct lane_cl_program {
	int32_t pid;
	uint64_t builds, builds_ns; /* calls that make programs; the time in which there was one */
	uint64_t built_to_ns;	    /* end of the last */
	uint64_t build_ns[LANE_CL_BUILDS]; /* by function */
	bool is_more_built;	    /* builds_ns is less than that time: threads built at once */
	uint64_t launches, waited;  /* waited: calls that waited, right behind a launch */
	uint64_t waits, waits_ns;   /* all calls that waited */
	struct lane_span waits_ran; /* and of that the thread was on a CPU: it spun */
};

/* Calls of a process that waited for one kind of command. */
struct lane_cl_await {
	int32_t pid;
	uint32_t what; /* as in struct lane_behind_sum; LANE_CL_AWAITED_UNKNOWN: not known */
	uint64_t count, ns;
	struct lane_span ran; /* of ns the thread was on a CPU: it spun */
};

#define LANE_CL_AWAITED_UNKNOWN UINT32_MAX

/* Calls of one function that failed, of a process. */
struct lane_cl_failure {
	int32_t pid;
	uint16_t function;
	uint64_t count;
	uint64_t ns, until_ns; /* there was one of them for so long at least, up to then */
	int32_t status;	       /* what the last one returned */
	bool has_other_status; /* before it there was another one */
};

#define LANE_CL_WAITS	 1024
#define LANE_KERNELS_MAX 4096

struct lane_commands {
	uint64_t commands, staged;
	struct lane_durations stages[LANE_CSTAGE_COUNT];
	struct lane_durations total;	    /* from the call to known_ns of the command */
	struct lane_cl_queue_stats *queues; /* by queue id */
	uint32_t n_queues, cap_queues;
	struct lane_kernel_stats *kernels; /* after finish: longest running time first */
	uint32_t n_kernels, cap_kernels;
	uint64_t kernels_left_out; /* runs of kernels beyond the limit */
	struct lane_transfer_stats transfers[LANE_COMMAND_CLASSES];
	struct lane_cl_device_stats *devices;
	uint32_t n_devices, cap_devices;
	struct lane_gap_sum *gaps; /* after finish: longest time first */
	uint32_t n_gaps, cap_gaps;
	struct lane_call_stats calls[LANE_CLF_COUNT];
	struct lane_launching launching;
	struct lane_table device_index, kernel_index, gap_index;
	struct lane_cl_wait waits[LANE_CL_WAITS]; /* the last ones, a ring; n_waits so far */
	uint64_t n_waits;
	struct lane_cl_other_calls short_calls,
		long_calls; /* polling does not displace long ones */
	uint64_t gap;	    /* the number of the gap that is divided */
	struct lane_gap_call *gap_calls;
	uint32_t n_gap_calls, cap_gap_calls;
	struct lane_behind_sum *behinds; /* after finish: longest time first */
	uint32_t n_behinds, cap_behinds;
	struct lane_cl_program *programs;
	uint32_t n_programs, cap_programs;
	struct lane_cl_await *awaits; /* after finish: longest time first */
	uint32_t n_awaits, cap_awaits;
	struct lane_cl_failure *failures;
	uint32_t n_failures, cap_failures;
	struct lane_table behind_index, program_index, await_index, gap_call_index, failure_index;
	struct lane_cl_waited waited;
	/* From the calls' return to the start the device ran other commands of their queues, for so
	 * long at least. */
	uint64_t behind_ns;
	uint64_t unnoticed_least_ns; /* of the stage `unnoticed`: until the program can have known,
					at least */
	bool has_opencl, has_levelzero; /* calls or commands of it were seen */
	bool no_memory;
};

/* A function's name. */
const char *latency_build_name(enum lane_cl_build build);

/* Hooks of the timeline. latency: the struct lane_latency. */
void latency_on_command(void *latency, const struct lane_command *command);
void latency_on_call(void *latency, const struct lane_call *call);

/* Sorts kernels and gaps. commands may be NULL. */
void latency_commands_finish(struct lane_commands *commands);

/* Calls of the process are recorded. */
bool latency_commands_has_process(void *commands, int32_t pid);

/* Frees everything; NULL is allowed. */
void latency_commands_destroy(struct lane_commands *commands);

#endif
