/* SPDX-License-Identifier: MIT */
/*
 * Who waited for a CPU, for how long, and who ran instead: of all threads, where a trace has no
 * GPU. Memory is bounded by the threads, and by a limit: beyond it those that are gone are summed
 * by name.
 */
#ifndef LANE_LATENCY_CPU_H
#define LANE_LATENCY_CPU_H

#include "latency/histogram.h"
#include "timeline/timeline.h"

enum {
	LANE_CPU_RIVALS = 8,   /* who ran instead, kept apart for each thread */
	LANE_WAKE_BUCKETS = 40 /* of wake-up latencies: powers of two, ns */
};

/* Another task that had the CPU for which a thread waited. */
struct lane_cpu_rival {
	int32_t tid; /* 0: the idle thread, -1: not known */
	char comm[16];
	uint64_t ns;
	uint64_t times;
};

/* What a thread, or the threads of a process, did. The four sums add up to its time. */
struct lane_cpu_sums {
	uint64_t time_ns; /* since the first event that names it, to the last one or its end */
	uint64_t running_ns;
	uint64_t woken_ns;     /* it could run: since it was woken */
	uint64_t preempted_ns; /* it could run: since another took its CPU */
	uint64_t blocked_ns;
	uint64_t unknown_ns;
	uint64_t runs;	      /* times that it got a CPU */
	uint64_t preemptions; /* times that another took it */
	uint64_t wakeups;     /* of which the latency is known: it was woken, and it ran */
	uint64_t wake_ns;     /* the sum of their latencies */
	uint64_t wake_max_ns;
};

struct lane_cpu_thread {
	int32_t tid; /* -1: threads of that name that are gone */
	int32_t pid; /* -1: not known */
	char comm[16];
	uint32_t threads; /* that are summed here */
	bool is_gone;
	uint64_t begin_ns, end_ns;
	struct lane_cpu_sums sums;
	struct lane_cpu_rival rivals[LANE_CPU_RIVALS]; /* most time first, after finish */
	uint8_t n_rivals;
	uint64_t others_ns; /* while those ran that are not kept apart */
};

struct lane_cpu_process {
	int32_t pid; /* -1: not known; tid then names its one thread */
	int32_t tid;
	char comm[16];
	uint32_t threads;
	struct lane_cpu_sums sums;
};

struct lane_cpu_core {
	uint64_t running_ns; /* threads ran on it */
	uint64_t runs;
};

struct lane_cpu_stats {
	struct lane_cpu_thread **threads; /* who waited longest first, after finish */
	struct lane_cpu_process *processes;
	struct lane_cpu_core *cores; /* by CPU */
	uint32_t n_threads, cap_threads, n_processes, n_cores;
	struct lane_cpu_sums sums; /* of all */
	struct lane_histogram wakes;
	uint64_t buckets[LANE_WAKE_BUCKETS]; /* wake-ups of 2^i ns to less than 2^(i+1) */
	struct lane_cpu_table *table;
	uint32_t n_gone; /* threads of the table that are gone */
	bool no_memory;
};

/* *stats is the caller's. */
struct lane_error *latency_cpu_create(struct lane_cpu_stats **stats) LANE_MUST_CHECK;

void latency_cpu_thread(struct lane_cpu_stats *stats, const struct lane_thread_interval *interval);
void latency_cpu_starvation(struct lane_cpu_stats *stats, const struct lane_starvation *starvation);

/* Sorts, and makes the processes. */
struct lane_error *latency_cpu_finish(struct lane_cpu_stats *stats) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void latency_cpu_destroy(struct lane_cpu_stats *stats);

/* The time in which it could run and did not. */
static inline uint64_t latency_cpu_waited(const struct lane_cpu_sums *sums)
{
	return sums->woken_ns + sums->preempted_ns;
}

#endif
