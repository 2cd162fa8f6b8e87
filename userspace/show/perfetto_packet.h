/* SPDX-License-Identifier: MIT */
/*
 * Packets of Perfetto's trace format, written one by one: nothing is kept but the one being made.
 */
#ifndef LANE_SHOW_PERFETTO_PACKET_H
#define LANE_SHOW_PERFETTO_PACKET_H

#include <stdio.h>

#include "base/table.h"
#include "latency/latency.h"
#include "show/message.h"

/* LANE_PACKET_ARGS(A) calls A(ID, name) for each argument of slices. */
#define LANE_PACKET_ARGS(A)                                                                        \
	A(CLIENT, "client")                                                                        \
	A(CONTEXT, "context")                                                                      \
	A(SEQNO, "seqno")                                                                          \
	A(ENGINE, "engine")                                                                        \
	A(THREAD, "thread")                                                                        \
	A(CULPRIT, "culprit")                                                                      \
	A(CULPRIT_NS, "culprit_ns")                                                                \
	A(CULPRIT_CONTEXT, "culprit_context")                                                      \
	A(CULPRIT_SEQNO, "culprit_seqno")                                                          \
	A(WHY, "why")                                                                              \
	A(LASTED, "lasted_ns")                                                                     \
	A(LASTED_MAX, "lasted_max_ns")                                                             \
	A(CPU, "cpu")                                                                              \
	A(SLEPT, "slept")                                                                          \
	A(WAKE, "wake_ns")                                                                         \
	A(RUNQUEUE, "wake_runqueue_ns")                                                            \
	A(EVENTS, "events")                                                                        \
	A(DOUBTFUL, "doubtful")                                                                    \
	A(BEGIN_MIN, "begin_ns")                                                                   \
	A(BEGIN_MAX, "begin_max_ns")                                                               \
	A(END, "end_ns")                                                                           \
	A(END_MAX, "end_max_ns")                                                                   \
	A(TOTAL, "total_ns")                                                                       \
	A(TOTAL_MAX, "total_max_ns")                                                               \
	A(PREEMPTIONS, "preemptions")                                                              \
	A(BEHIND, "behind")                                                                        \
	A(STATE, "state")                                                                          \
	A(COMMAND, "command")                                                                      \
	A(CLASS, "class")                                                                          \
	A(CERTAINTY, "certainty")                                                                  \
	A(SIZE, "size")                                                                            \
	A(BLOCKING, "blocking")                                                                    \
	A(STATUS, "status")                                                                        \
	A(QUEUED, "queued_ns")                                                                     \
	A(SUBMITTED, "submitted_ns")                                                               \
	A(START, "start_ns")                                                                       \
	A(ENDED, "ended")

enum lane_packet_arg {
#define A(id, name) LANE_ARG_##id,
	LANE_PACKET_ARGS(A)
#undef A
	LANE_ARG_CAUSES, /* by enum lane_idle_cause */
	/* of each culprit of an idle time but the first: its name, "_ns", "_cpu" */
	LANE_ARG_OTHERS = LANE_ARG_CAUSES + LANE_IDLE_CAUSE_COUNT,
	LANE_ARG_STAGES =
		LANE_ARG_OTHERS + 3 * (LANE_IDLE_CULPRITS - 1), /* each: "_ns", "_max_ns" */
	LANE_ARG_COUNT = LANE_ARG_STAGES + 2 * LANE_STAGE_COUNT
};

#define LANE_PACKET_MAX_ARGS 48
#define LANE_PACKET_TEXTS    4096 /* that are told once, and are numbers then */
#define LANE_PACKET_TEXT     64	  /* bytes of one */
#define LANE_PACKET_SUBMITS  64	  /* runs that a slice leads to */

enum lane_packet_kind {
	LANE_PACKET_NUMBER,
	LANE_PACKET_SIGNED,
	LANE_PACKET_FLAG,
	LANE_PACKET_STRING,
	LANE_PACKET_KINDS
};

struct lane_packets {
	FILE *to;
	int failed;		    /* errno of what went wrong in writing, 0 */
	struct lane_message packet; /* the one being made */
	size_t begun;
	/* Of an event: its arguments, and what it tells for the first time: of itself, names of
	 * arguments, their texts. */
	struct lane_message made_args, told, told_names, told_values;
	/* Of several machines: its name, NULL: there is one; its number from 0, and what its
	 * uuids are told apart by. */
	const char *machine;
	unsigned int machine_index;
	uint64_t salt;
	struct lane_table numbers; /* of texts, from 1 */
	uint32_t n_texts;
	struct lane_packet_text {
		uint8_t told; /* what as: a set of enum lane_text_use */
		char text[LANE_PACKET_TEXT];
	} * texts;
	uint64_t n_kernels;		   /* that are no such text: each has its own number */
	uint8_t told_args[LANE_ARG_COUNT]; /* their names, likewise */
	/* The event being made. */
	uint64_t uuid, at_ns;
	char name[512];
	uint64_t flows[2];
	uint32_t n_flows;
	uint64_t submits[LANE_PACKET_SUBMITS], waits; /* GPU events; 0: none */
	uint32_t n_submits;
	bool is_opencl;
	uint32_t n_args;
	struct lane_packet_value {
		enum lane_packet_arg arg;
		enum lane_packet_kind kind;
		uint64_t number;
		char text[64];
	} args[LANE_PACKET_MAX_ARGS];
};

struct lane_packet_track {
	uint64_t uuid, parent; /* parent 0: none */
	const char *name;
	int32_t pid, tid;
	bool is_process, is_thread, is_counter;
	int32_t rank; /* among its siblings, 0: none given */
};

/*
 * Begins a trace: clocks and the names of the arguments. to is the caller's. machine, which
 * outlives packets: the one of several that it is of, NULL: there is one. It has a track of its
 * own, and a number: other machines have processes and threads of the same numbers.
 */
struct lane_error *show_packets_begin(struct lane_packets *packets, FILE *to,
				      const struct lane_trace_info *info, const char *machine,
				      unsigned int machine_index) LANE_MUST_CHECK;

void show_packets_deinit(struct lane_packets *packets);

/* Describes a track; a later description of the same uuid counts. */
void show_packet_track(struct lane_packets *packets, const struct lane_packet_track *track);

/* A slice begins: show_packet_send writes it, with what was said in between. */
void show_packet_begin(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns,
		       const char *name);
void show_packet_number(struct lane_packets *packets, enum lane_packet_arg arg, uint64_t value);
void show_packet_signed(struct lane_packets *packets, enum lane_packet_arg arg, int64_t value);
void show_packet_text(struct lane_packets *packets, enum lane_packet_arg arg, const char *value);
void show_packet_flag(struct lane_packets *packets, enum lane_packet_arg arg, bool value);
void show_packet_flow(struct lane_packets *packets, uint64_t flow);
void show_packet_send(struct lane_packets *packets);

/* The slice that is being made led to this GPU event, or waits for its end; it is a call of OpenCL.
 * Perfetto has no number for Level Zero. */
void show_packet_submits(struct lane_packets *packets, uint64_t event);
void show_packet_waits(struct lane_packets *packets, uint64_t event);
void show_packet_is_opencl(struct lane_packets *packets);

/* Perfetto's numbers: RenderStageCategory, GpuApi. */
enum {
	LANE_PACKET_GRAPHICS = 1,
	LANE_PACKET_COMPUTE = 2,
	LANE_PACKET_OPENCL = 3,
};

/* Describes a queue of a GPU, or a stage; and whose work it does (pid -1: not known). */
void show_packet_queue(struct lane_packets *packets, uint64_t iid, const char *name,
		       const char *description, int category);
void show_packet_owner(struct lane_packets *packets, uint64_t iid, int32_t pid, int api);

/* An event of a GPU, which has the name, time and arguments that were said since
 * show_packet_begin(). */
struct lane_packet_stage {
	uint64_t event, queue, stage, owner; /* their numbers */
	uint32_t gpu;
	uint32_t submission; /* 0: of none */
	uint64_t *waits;     /* the events that it waited for */
	uint32_t n_waits;
	const char *kernel;	/* NULL: it is none */
	uint64_t groups, group; /* of a launch, and work items of a group; 0: not known */
	uint64_t duration_ns;
};

void show_packet_stage(struct lane_packets *packets, const struct lane_packet_stage *stage);

/* Describes a counter of a GPU; its value from at_ns on. */
void show_packet_gauge(struct lane_packets *packets, uint32_t id, uint32_t gpu, const char *name);
void show_packet_gauge_value(struct lane_packets *packets, uint32_t id, uint32_t gpu,
			     uint64_t at_ns, uint64_t value);

#define LANE_PACKET_GPUS 64

/* The GPUs' names, by their numbers, of the first LANE_PACKET_GPUS. */
void show_packet_gpus(struct lane_packets *packets, const char *const *names, uint32_t n);

/* The slice that began last on the track ends. */
void show_packet_end(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns);

void show_packet_counter(struct lane_packets *packets, uint64_t uuid, uint64_t at_ns,
			 int64_t value);

#endif
