/* SPDX-License-Identifier: MIT */
/*
 * OpenCL commands added up: by queue, kernel, kind of transfer and device; their stages from the
 * call to the program's knowing; what a device did not do between commands, and whose doing it was.
 */
#ifndef LANE_LATENCY_COMMANDS_H
#define LANE_LATENCY_COMMANDS_H

#include "base/opencl.h"
#include "base/table.h"
#include "latency/histogram.h"
#include "timeline/timeline.h"

/* LANE_COMMAND_STAGES(S) calls S(ID, name) for each stage of a command, in order; show/words.def
 * says what each is. */
#define LANE_COMMAND_STAGES(S)                                                                     \
	S(CALL, "call")                                                                            \
	S(HELD, "held")                                                                            \
	S(HOST_QUEUE, "host_queue")                                                                \
	S(DEVICE_QUEUE, "device_queue")                                                            \
	S(BEFORE, "before")                                                                        \
	S(RUNNING, "running")                                                                      \
	S(SIGNAL, "signal")                                                                        \
	S(TOLD, "told")

enum lane_command_stage {
#define S(id, name) LANE_CSTAGE_##id,
	LANE_COMMAND_STAGES(S)
#undef S
	LANE_CSTAGE_COUNT
};

extern const char *const lane_command_stage_names[LANE_CSTAGE_COUNT];

/* What a device waited for between two commands: what the one that ended the gap was at. */
enum lane_gap_cause {
	LANE_GAP_TOLD,	  /* its program did not know yet that the one before was over */
	LANE_GAP_PROGRAM, /* its program had not asked for it */
	LANE_GAP_CALL,	  /* its stages */
	LANE_GAP_HELD,
	LANE_GAP_HOST_QUEUE,
	LANE_GAP_DEVICE_QUEUE,
	LANE_GAP_BEFORE,
	LANE_GAP_COUNT
};

extern const char *const lane_gap_names[LANE_GAP_COUNT];

/*
 * A command's stages, ns: they add up to known - call. times: where each begins, the last its end.
 * A stage that it cannot have (no request is known) is 0 and not in `has`.
 */
struct lane_command_stages {
	uint64_t ns[LANE_CSTAGE_COUNT];
	uint64_t at_ns[LANE_CSTAGE_COUNT + 1];
	uint16_t has; /* bit per stage */
	bool known;   /* its call, its times and its completion are */
};

void latency_command_stages_of(const struct lane_command *command,
			       struct lane_command_stages *stages);

/* Durations of one kind. */
struct lane_durations {
	uint64_t count, sum_ns, max_ns;
	struct lane_histogram histogram;
};

struct lane_cl_queue_stats {
	const struct lane_cl_queue *queue; /* NULL: no command of it was told */
	uint32_t device;		   /* index */
	uint64_t commands, failed, staged;
	uint64_t by_class[LANE_COMMAND_CLASSES];
	uint64_t certainty[LANE_CERTAINTY_COUNT];
	uint64_t running_ns;
	/* Little: divided by the recording's length, the mean number of commands in each. */
	uint64_t host_queue_ns;	  /* call to given to the hardware, or submitted */
	uint64_t device_queue_ns; /* from there to start */
};

struct lane_kernel_stats {
	int32_t pid;
	char name[64];
	uint64_t runs;
	uint64_t items; /* work items of all its runs */
	/* Of runs with a request of their own whose story is known: off the engine, incomplete. */
	uint64_t preempted_runs;
	struct lane_span preempted;
	struct lane_durations running; /* by the device */
	struct lane_durations total;   /* call to known */
	uint64_t stage_ns[LANE_CSTAGE_COUNT];
};

struct lane_transfer_stats {
	uint64_t blocking, bytes, sized_ns; /* sized_ns: of those that say their size */
	struct lane_durations running;
};

/* A device of a process. */
struct lane_cl_device_stats {
	int32_t pid;
	uint64_t device;
	char name[128];
	uint64_t commands, first_ns, last_ns;
	/* Time in which at least one ran; both: a kernel and a transfer. */
	uint64_t busy_ns, kernels_ns, transfers_ns, both_ns;
	uint64_t busy_to, kernels_to, transfers_to; /* the end of what ran up to now */
	uint64_t known_ns;			    /* when the one that ended last was known */
	uint64_t gaps, gap_ns, gap_max_ns;
	uint64_t gap_cause_ns[LANE_GAP_COUNT];
};

/* Gaps of a device by cause and by the thread whose command ended them. */
struct lane_gap_sum {
	uint32_t device;
	uint8_t cause;
	int32_t tid;
	char comm[16]; /* of the thread, "" when not known */
	uint64_t count, ns;
};

struct lane_call_stats {
	uint64_t count, failed, ns, max_ns;
};

#define LANE_KERNELS_MAX 4096

struct lane_commands {
	uint64_t commands, staged;
	struct lane_durations stages[LANE_CSTAGE_COUNT];
	struct lane_durations total;	    /* call to known */
	struct lane_cl_queue_stats *queues; /* by queue id */
	uint32_t n_queues, cap_queues;
	struct lane_kernel_stats *kernels; /* after finish by running time, most first */
	uint32_t n_kernels, cap_kernels;
	uint64_t kernels_left_out; /* runs of kernels beyond the limit */
	struct lane_transfer_stats transfers[LANE_COMMAND_CLASSES];
	struct lane_cl_device_stats *devices;
	uint32_t n_devices, cap_devices;
	struct lane_gap_sum *gaps; /* after finish by time, most first */
	uint32_t n_gaps, cap_gaps;
	struct lane_call_stats calls[LANE_CLF_COUNT];
	struct lane_table kernel_index, gap_index;
	bool no_memory;
};

/* The hooks; arg is the struct lane_latency. */
void latency_on_command(void *latency, const struct lane_command *command);
void latency_on_call(void *latency, const struct lane_call *call);

/* Sorts what is to be read in order; commands may be NULL. */
void latency_commands_finish(struct lane_commands *commands);

/* Frees everything; NULL is allowed. */
void latency_commands_destroy(struct lane_commands *commands);

#endif
