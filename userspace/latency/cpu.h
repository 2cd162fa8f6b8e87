/* SPDX-License-Identifier: MIT */
/*
 * For each thread: how long it waited for a CPU, and which threads ran instead. Used for a trace
 * without a GPU. Each thread has a record. Beyond a limit the records of ended threads of the same
 * name become one record, so memory stays bounded.
 */
#ifndef LANE_LATENCY_CPU_H
#define LANE_LATENCY_CPU_H

#include "base/table.h"
#include "latency/histogram.h"
#include "timeline/timeline.h"

struct lane_select;

enum {
	LANE_CPU_RIVALS = 8,   /* most rivals kept for each thread */
	LANE_WAKE_BUCKETS = 40 /* wake-up latencies by power of two, ns */
};

/* A rival: a task that had the CPU for which a thread waited. */
struct lane_cpu_rival {
	int32_t tid;   /* 0: the idle thread, -1: not known */
	char comm[16]; /* of 0: the state in which the CPU slept, "": none is known */
	uint64_t ns;
	uint64_t times;
	uint64_t begin_ns; /* of its thread's record; 0: it has none */
};

/* How a thread, or all threads of a process, spent their time. running_ns, woken_ns, preempted_ns,
 * blocked_ns and unknown_ns add up to time_ns. */
struct lane_cpu_sums {
	uint64_t time_ns; /* from the first event that names the thread to its last event or end */
	uint64_t running_ns;
	uint64_t woken_ns;     /* runnable: woken, and not yet running */
	uint64_t preempted_ns; /* runnable: another task took the CPU */
	uint64_t blocked_ns;
	uint64_t unknown_ns;
	uint64_t runs;	      /* times that the thread got a CPU */
	uint64_t preemptions; /* times that another task took the CPU */
	uint64_t wakeups;     /* wake-ups of known latency: the thread was woken, then ran */
	uint64_t wake_ns;     /* sum of the latencies of wakeups */
	uint64_t wake_max_ns;
};

struct lane_cpu_thread {
	int32_t tid; /* -1: the record is of all ended threads of that name */
	int32_t pid; /* -1: not known */
	char comm[16];
	uint32_t threads; /* number of threads in this record */
	bool is_gone;	  /* the thread has ended */
	uint64_t begin_ns, end_ns;
	struct lane_cpu_sums sums;
	struct lane_cpu_rival rivals[LANE_CPU_RIVALS]; /* after finish: longest time first */
	uint8_t n_rivals;
	uint64_t others_ns; /* time of rivals without a place in rivals */
};

struct lane_cpu_process {
	int32_t pid; /* -1: not known; the process then is the one thread tid */
	int32_t tid;
	char comm[16];
	uint32_t threads;
	struct lane_cpu_sums sums;
};

struct lane_cpu_core {
	uint64_t running_ns; /* time in which a thread ran on the CPU */
	uint64_t runs;
};

struct lane_cpu_stats {
	struct lane_cpu_thread **threads; /* after finish: longest wait first */
	struct lane_cpu_process *processes;
	struct lane_cpu_core *cores; /* by number of the CPU */
	uint32_t n_threads, cap_threads, n_processes, n_cores, cap_cores;
	struct lane_cpu_sums sums; /* of all threads */
	struct lane_histogram wakes;
	uint64_t buckets[LANE_WAKE_BUCKETS]; /* wake-ups of at least 2^i and less than 2^(i+1) ns */
	struct lane_table by_tid;	     /* the latest thread of that tid */
	uint32_t n_gone;		     /* ended threads with a record of their own */
	bool no_memory;
};

/* The caller owns *stats. */
struct lane_error *latency_cpu_create(struct lane_cpu_stats **stats) LANE_MUST_CHECK;

/* Of the times that are selected alone; ns: so much of the starvation lies in them. */
void latency_cpu_thread(struct lane_cpu_stats *stats, const struct lane_thread_interval *interval,
			const struct lane_select *select);
void latency_cpu_starvation(struct lane_cpu_stats *stats, const struct lane_starvation *starvation,
			    uint64_t ns);

/* Makes the processes, and sorts threads, processes and rivals. */
struct lane_error *latency_cpu_finish(struct lane_cpu_stats *stats) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void latency_cpu_destroy(struct lane_cpu_stats *stats);

/* Time in which the threads were runnable and did not run. */
static inline uint64_t latency_cpu_waited(const struct lane_cpu_sums *sums)
{
	return sums->woken_ns + sums->preempted_ns;
}

#endif
