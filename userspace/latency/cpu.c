// SPDX-License-Identifier: MIT
// Sums of all threads' intervals: running, runnable, blocked. Also the rivals: who ran instead.
#include "latency/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "latency/latency.h"

enum {
	MOST_THREADS = 1 << 16, /* records; beyond this number ended threads are summed by name */
	MOST_CORES = 1 << 16,
};

struct lane_error *latency_cpu_create(struct lane_cpu_stats **stats)
{
	*stats = calloc(1, sizeof(**stats));
	return *stats ? NULL : &lane_enomem;
}

static void add_sums(struct lane_cpu_sums *to, const struct lane_cpu_sums *more)
{
	to->time_ns += more->time_ns;
	to->running_ns += more->running_ns;
	to->woken_ns += more->woken_ns;
	to->preempted_ns += more->preempted_ns;
	to->blocked_ns += more->blocked_ns;
	to->unknown_ns += more->unknown_ns;
	to->runs += more->runs;
	to->preemptions += more->preemptions;
	to->wakeups += more->wakeups;
	to->wake_ns += more->wake_ns;
	if (more->wake_max_ns > to->wake_max_ns)
		to->wake_max_ns = more->wake_max_ns;
}

/* --- who ran instead --- */

/* Adds the time of a rival. Where no place is free, the rival with the least time loses its place:
 * its time goes to others_ns. */
static void cpu_add_rival(struct lane_cpu_thread *thread, const struct lane_cpu_rival *rival)
{
	struct lane_cpu_rival *least = &thread->rivals[0];

	for (unsigned int i = 0; i < thread->n_rivals; i++) {
		struct lane_cpu_rival *known = &thread->rivals[i];

		if (known->tid == rival->tid && known->begin_ns == rival->begin_ns &&
		    (rival->begin_ns || !memcmp(known->comm, rival->comm, sizeof(known->comm)))) {
			known->ns += rival->ns;
			known->times += rival->times;
			return;
		}
		if (known->ns < least->ns)
			least = known;
	}
	if (thread->n_rivals < LANE_CPU_RIVALS) {
		thread->rivals[thread->n_rivals++] = *rival;
		return;
	}
	if (rival->ns <= least->ns) {
		thread->others_ns += rival->ns;
		return;
	}
	thread->others_ns += least->ns;
	*least = *rival;
}

static void cpu_merge(struct lane_cpu_thread *to, const struct lane_cpu_thread *from)
{
	to->threads += from->threads;
	if (from->begin_ns < to->begin_ns)
		to->begin_ns = from->begin_ns;
	if (from->end_ns > to->end_ns)
		to->end_ns = from->end_ns;
	add_sums(&to->sums, &from->sums);
	for (unsigned int i = 0; i < from->n_rivals; i++)
		cpu_add_rival(to, &from->rivals[i]);
	to->others_ns += from->others_ns;
}

/* --- threads --- */

LANE_ORDER_OF(by_name, struct lane_cpu_thread,
	      memcmp(x->comm, y->comm, sizeof(x->comm)) ?: LANE_UP(begin_ns))

/* Makes room: the records of ended threads of one name become one record. */
static void sum_gone(struct lane_cpu_stats *stats)
{
	struct lane_cpu_thread *last = NULL;
	uint32_t n = 0;

	qsort(stats->threads, stats->n_threads, sizeof(struct lane_cpu_thread *), by_name);
	for (uint32_t i = 0; i < stats->n_threads; i++) {
		struct lane_cpu_thread *thread = stats->threads[i];

		if (!thread->is_gone) {
			stats->threads[n++] = thread;
			continue;
		}
		if (thread->tid >= 0 &&
		    lane_table_get(&stats->by_tid, (uint32_t)thread->tid, 0) == thread)
			lane_table_del(&stats->by_tid, (uint32_t)thread->tid, 0);
		if (last && !memcmp(last->comm, thread->comm, sizeof(last->comm))) {
			cpu_merge(last, thread);
			free(thread);
			continue;
		}
		last = thread;
		last->tid = last->pid = -1;
		stats->threads[n++] = last;
	}
	stats->n_threads = n;
	stats->n_gone = 0;
}

static struct lane_cpu_thread *new_thread(struct lane_cpu_stats *stats, int32_t tid,
					  uint64_t begin_ns)
{
	struct lane_cpu_thread *thread;

	if (stats->n_threads >= MOST_THREADS && stats->n_gone > MOST_THREADS / 4)
		sum_gone(stats);
	if (!LANE_GROW(stats->threads, stats->cap_threads, stats->n_threads + 1))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	lane_table_del(&stats->by_tid, (uint32_t)tid, 0);
	if (!lane_table_put(&stats->by_tid, (uint32_t)tid, 0, thread)) {
		free(thread);
		return NULL;
	}
	*thread = (struct lane_cpu_thread){
		.tid = tid, .pid = -1, .threads = 1, .begin_ns = begin_ns, .end_ns = begin_ns
	};
	stats->threads[stats->n_threads++] = thread;
	return thread;
}

/*
 * The record of the thread whose next interval begins at at_ns. The intervals of a thread follow
 * each other without a gap. So an interval that begins later is of another thread with the same
 * tid.
 */
static struct lane_cpu_thread *thread_at(struct lane_cpu_stats *stats, const struct lane_thread *of,
					 uint64_t at_ns)
{
	struct lane_cpu_thread *thread = lane_table_get(&stats->by_tid, (uint32_t)of->tid, 0);

	if (thread && thread->end_ns != at_ns && !thread->is_gone) {
		thread->is_gone = true; /* no event showed the end of the thread */
		stats->n_gone++;
	}
	if (!thread || thread->is_gone)
		thread = new_thread(stats, of->tid, at_ns);
	if (!thread) {
		stats->no_memory = true;
		return NULL;
	}
	if (of->pid >= 0)
		thread->pid = of->pid;
	if (of->comm[0])
		memcpy(thread->comm, of->comm, sizeof(thread->comm));
	return thread;
}

static void add_wakeup(struct lane_cpu_stats *stats, struct lane_cpu_sums *sums, uint64_t ns)
{
	unsigned int bucket = ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;

	sums->wakeups++;
	sums->wake_ns += ns;
	if (ns > sums->wake_max_ns)
		sums->wake_max_ns = ns;
	if (bucket >= LANE_WAKE_BUCKETS)
		bucket = LANE_WAKE_BUCKETS - 1;
	stats->buckets[bucket]++;
	stats->no_memory |= !latency_histogram_add(&stats->wakes, ns);
}

static void cpu_add_run(struct lane_cpu_stats *stats, int32_t cpu, uint64_t ns, bool is_over)
{
	struct lane_cpu_core *core;

	if (cpu < 0 || cpu >= MOST_CORES)
		return;
	core = LANE_REACH(stats->cores, stats->n_cores, stats->cap_cores, (uint32_t)cpu);
	stats->no_memory |= !core;
	if (!core)
		return;
	core->running_ns += ns;
	core->runs += is_over;
}

void latency_cpu_thread(struct lane_cpu_stats *stats, const struct lane_thread_interval *interval,
			const struct lane_select *select)
{
	uint64_t ns = latency_within(select, interval->begin_ns, interval->end_ns);
	bool is_over = interval->end_ns >= select->from_ns && interval->end_ns <= select->to_ns;
	struct lane_cpu_thread *thread = thread_at(stats, interval->thread, interval->begin_ns);
	struct lane_cpu_sums *sums;

	if (!thread)
		return;
	sums = &thread->sums;
	thread->end_ns = interval->end_ns;
	sums->time_ns += ns;
	switch (interval->state) {
	case LANE_THREAD_RUNNING:
		sums->running_ns += ns;
		sums->runs += is_over;
		sums->preemptions += is_over && interval->next == LANE_THREAD_RUNNABLE;
		cpu_add_run(stats, interval->thread->cpu, ns, is_over);
		break;
	case LANE_THREAD_RUNNABLE:
		*(interval->woken ? &sums->woken_ns : &sums->preempted_ns) += ns;
		if (is_over && interval->woken && interval->next == LANE_THREAD_RUNNING)
			add_wakeup(stats, sums, interval->end_ns - interval->begin_ns);
		break;
	case LANE_THREAD_BLOCKED:
		sums->blocked_ns += ns;
		break;
	default:
		sums->unknown_ns += ns;
	}
	if (interval->is_last) {
		thread->is_gone = true;
		stats->n_gone++;
	}
}

void latency_cpu_starvation(struct lane_cpu_stats *stats, const struct lane_starvation *starvation,
			    uint64_t ns)
{
	struct lane_cpu_rival rival = { .tid = starvation->tid, .ns = ns, .times = 1 };
	/* The victim became runnable at since_ns: its record reaches to that time already. */
	struct lane_cpu_thread *thread =
		thread_at(stats, starvation->victim, starvation->victim->since_ns);
	const struct lane_cpu_thread *of = NULL;

	if (!thread)
		return;
	if (starvation->tid >= 0)
		memcpy(rival.comm, starvation->comm, sizeof(rival.comm));
	if (starvation->tid > 0)
		of = lane_table_get(&stats->by_tid, (uint32_t)starvation->tid, 0);
	rival.begin_ns = of ? of->begin_ns : 0;
	cpu_add_rival(thread, &rival);
}

/* --- the end --- */

#define LONGEST_WAIT                                                                               \
	LANE_COMPARE(latency_cpu_waited(&y->sums), latency_cpu_waited(&x->sums))                   \
	?: LANE_DOWN(sums.running_ns)

LANE_ORDER_OF(threads_by_waited, struct lane_cpu_thread,
	      LONGEST_WAIT ?: LANE_UP(tid) ?: LANE_UP(begin_ns))

LANE_ORDER(processes_by_waited, struct lane_cpu_process,
	   LONGEST_WAIT ?: LANE_UP(pid) ?: LANE_UP(tid))

LANE_ORDER(rivals_by_time, struct lane_cpu_rival, LANE_DOWN(ns) ?: LANE_UP(tid))

/* Adds a thread to its process. A thread of no known process becomes a process of its own. */
static struct lane_error *add_to_process(struct lane_cpu_stats *stats, struct lane_table *by_pid,
					 uint32_t *cap, const struct lane_cpu_thread *thread)
{
	uintptr_t at = 0;
	struct lane_cpu_process *process;

	if (thread->pid >= 0)
		at = (uintptr_t)lane_table_get(by_pid, (uint32_t)thread->pid, 0);
	if (!at) {
		process = LANE_APPEND(stats->processes, stats->n_processes, *cap);
		if (!process)
			return &lane_enomem;
		at = stats->n_processes;
		*process = (struct lane_cpu_process){ .pid = thread->pid, .tid = thread->tid };
		memcpy(process->comm, thread->comm, sizeof(process->comm));
		if (thread->pid >= 0 &&
		    !lane_table_put(by_pid, (uint32_t)thread->pid, 0, (void *)at))
			return &lane_enomem;
	}
	process = &stats->processes[at - 1];
	if (thread->tid == thread->pid && thread->comm[0])
		memcpy(process->comm, thread->comm, sizeof(process->comm));
	process->threads += thread->threads;
	add_sums(&process->sums, &thread->sums);
	return NULL;
}

/* Whatever a rival was called when it ran, it has the name of its thread: the last one. */
static void name_rivals(struct lane_cpu_stats *stats, struct lane_cpu_thread *thread)
{
	for (unsigned int i = 0; i < thread->n_rivals; i++) {
		struct lane_cpu_rival *rival = &thread->rivals[i];
		const struct lane_cpu_thread *of =
			rival->begin_ns ? lane_table_get(&stats->by_tid, (uint32_t)rival->tid, 0)
					: NULL;

		if (of && of->begin_ns == rival->begin_ns)
			memcpy(rival->comm, of->comm, sizeof(rival->comm));
	}
}

struct lane_error *latency_cpu_finish(struct lane_cpu_stats *stats)
{
	struct lane_table by_pid = { 0 };
	struct lane_error *err = NULL;
	uint32_t cap = 0;

	if (stats->no_memory)
		return &lane_enomem;
	LANE_SORT(stats->threads, stats->n_threads, threads_by_waited);
	for (uint32_t i = 0; i < stats->n_threads && !err; i++) {
		struct lane_cpu_thread *thread = stats->threads[i];

		name_rivals(stats, thread);
		qsort(thread->rivals, thread->n_rivals, sizeof(thread->rivals[0]), rivals_by_time);
		add_sums(&stats->sums, &thread->sums);
		err = add_to_process(stats, &by_pid, &cap, thread);
	}
	LANE_SORT(stats->processes, stats->n_processes, processes_by_waited);
	lane_table_free(&by_pid);
	return err;
}

void latency_cpu_destroy(struct lane_cpu_stats *stats)
{
	if (!stats)
		return;
	for (uint32_t i = 0; i < stats->n_threads; i++)
		free(stats->threads[i]);
	free(stats->threads);
	free(stats->processes);
	free(stats->cores);
	latency_histogram_free(&stats->wakes);
	lane_table_free(&stats->by_tid);
	free(stats);
}
