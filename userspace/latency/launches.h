/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs beside itself: the calls of OpenCL and Level Zero that a thread makes for it.
 *
 * A call launches if it enqueues a kernel, or executes one of a list. A thread's launch begins with
 * its first other call since its last launch, wait or build, and ends as the call returns that
 * launches. Other calls are those that neither enqueue, nor flush, nor wait. What a thread calls
 * before its first launch, wait or build is the program's set-up, unless only a part of the
 * recording is looked at.
 */
#ifndef LANE_LATENCY_LAUNCHES_H
#define LANE_LATENCY_LAUNCHES_H

#include "base/table.h"
#include "latency/ahead.h"
#include "timeline/timeline.h"

/* Calls of one function, of a process. A call's time is its own: not that of the other API's calls
 * inside it. */
struct lane_function_calls {
	int32_t pid;
	uint16_t function;
	uint64_t calls, ns, max_ns;
	uint64_t for_launches, for_launches_ns; /* of these: for a launch, beside it */
};

/* Launches of a process by one of the APIs. */
struct lane_launches {
	int32_t pid;
	bool is_levelzero;
	uint64_t launches;	  /* calls that launched */
	uint64_t inner;		  /* of these in a call of the other API's */
	uint64_t measured;	  /* launches whose begin is known; of these: */
	uint64_t calls, calls_ns; /* other calls */
	uint64_t whole_ns;	  /* from their begins to their ends */
	/* Kernels: the kernel driver had them in hand, the GPU took them from memory, or neither is
	 * known. */
	uint64_t by_driver, direct, unknown;
	/* After finish: the function that took most of calls_ns; NULL: there were no other calls.
	 */
	const struct lane_function_calls *most;
};

struct lane_launching {
	struct lane_function_calls *functions; /* after finish: longest time first */
	uint32_t n_functions, cap_functions;
	struct lane_launches *launches;
	uint32_t n_launches, cap_launches;
	/* Threads by API, and what they have called since their launch began. */
	struct lane_launching_thread *threads;
	uint32_t n_threads, cap_threads;
	struct lane_launching_part *parts;
	uint32_t n_parts, cap_parts;
	struct lane_table function_index, launch_index, thread_index, part_index;
	bool no_memory;
};

/* Adds a call that has returned. waits: it returned when commands were complete. from_ns: only what
 * is over from then on is looked at; 0: all. losses: the account that knows them. */
void latency_launches_call(struct lane_launching *l, const struct lane_ahead *losses,
			   const struct lane_call *call, bool waits, uint64_t from_ns);

/* A call whose end is not there: of its launch nothing is told. */
void latency_launches_unended(struct lane_launching *l, const struct lane_call *call);
/* Adds a command: only kernels count. */
void latency_launches_command(struct lane_launching *l, const struct lane_command *command);
void latency_launches_finish(struct lane_launching *l);
void latency_launches_deinit(struct lane_launching *l);

#endif
