// SPDX-License-Identifier: MIT
// Who waited for a CPU, and who ran instead: tables, JSON.
#include "show/cpu_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/percent.h"
#include "base/plural.h"
#include "show/json.h"

typedef struct json_object json;

#define BAR 40 /* characters of a histogram's longest bar */

const char *show_cpu_thread_name(const struct lane_cpu_thread *thread, char *buffer, size_t size)
{
	if (thread->tid >= 0)
		return show_task_name(thread->tid, thread->comm, buffer, size);
	snprintf(buffer, size, "%s (%u thread%s)", SHOW_COMM(thread->comm), thread->threads,
		 lane_s(thread->threads));
	return buffer;
}

const char *show_cpu_process_name(const struct lane_cpu_process *process, char *buffer, size_t size)
{
	if (process->pid >= 0)
		return show_task_name(process->pid, process->comm, buffer, size);
	if (process->tid >= 0)
		return show_task_name(process->tid, process->comm, buffer, size);
	snprintf(buffer, size, "%s (%u thread%s)", SHOW_COMM(process->comm), process->threads,
		 lane_s(process->threads));
	return buffer;
}

static const char *rival_name(const struct lane_cpu_rival *rival, char *buffer, size_t size)
{
	return show_task_name(rival->tid, rival->comm, buffer, size);
}

/* --- tables --- */

static void sums_head(const struct lane_tables *t, const char *what)
{
	fprintf(t->to, "  %-24s %10s %10s %10s %10s %10s %10s %9s %10s %10s\n", what, "running",
		"runnable", "woken", "preempted", "blocked", "unknown", "wake-ups", "mean", "max");
}

static void sums_row(const struct lane_tables *t, const char *name,
		     const struct lane_cpu_sums *sums)
{
	fprintf(t->to, "  %-24s %10s %10s %10s %10s %10s %10s %9" PRIu64 " %10s %10s\n", name,
		SHOW_DURATION(sums->running_ns), SHOW_DURATION(latency_cpu_waited(sums)),
		SHOW_DURATION(sums->woken_ns), SHOW_DURATION(sums->preempted_ns),
		SHOW_DURATION(sums->blocked_ns), SHOW_DURATION(sums->unknown_ns), sums->wakeups,
		sums->wakeups ? SHOW_DURATION(sums->wake_ns / sums->wakeups) : "-",
		sums->wakeups ? SHOW_DURATION(sums->wake_max_ns) : "-");
}

static void rivals(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;
	uint32_t row = 0, n = 0;

	for (uint32_t i = 0; i < cpu->n_threads; i++)
		n += cpu->threads[i]->n_rivals + (cpu->threads[i]->others_ns != 0);
	if (!n)
		return;
	show_title(t, "Who ran while a thread waited for that CPU");
	fprintf(t->to, "  %-24s %-24s %10s %9s\n", "thread", "who ran", "time", "times");
	for (uint32_t i = 0; i < cpu->n_threads; i++) {
		const struct lane_cpu_thread *thread = cpu->threads[i];

		for (unsigned int k = 0; k < thread->n_rivals; k++, row++) {
			if (show_enough(t, row, n))
				return;
			fprintf(t->to, "  %-24s %-24s %10s %9" PRIu64 "\n",
				show_cpu_thread_name(thread, SHOW_ROOM(64)),
				rival_name(&thread->rivals[k], SHOW_ROOM(64)),
				SHOW_DURATION(thread->rivals[k].ns), thread->rivals[k].times);
		}
		if (!thread->others_ns)
			continue;
		if (show_enough(t, row++, n))
			return;
		fprintf(t->to, "  %-24s %-24s %10s %9s\n",
			show_cpu_thread_name(thread, SHOW_ROOM(64)), "others",
			SHOW_DURATION(thread->others_ns), "-");
	}
}

static void cores(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint64_t whole = latency_whole_ns(l);

	show_title(t, "CPUs: what is known of threads that ran there");
	fprintf(t->to, "  %-4s %10s %6s %9s\n", "CPU", "running", "", "runs");
	for (uint32_t i = 0; i < l->cpu->n_cores && !show_enough(t, i, l->cpu->n_cores); i++) {
		const struct lane_cpu_core *core = &l->cpu->cores[i];

		fprintf(t->to, "  %-4u %10s %4u %% %9" PRIu64 "\n", i,
			SHOW_DURATION(core->running_ns), lane_percent(core->running_ns, whole, 0.5),
			core->runs);
	}
}

static void histogram(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;
	unsigned int first = 0, last = LANE_WAKE_BUCKETS;
	uint64_t most = 0;

	if (!cpu->sums.wakeups)
		return;
	while (!cpu->buckets[first])
		first++;
	while (!cpu->buckets[last - 1])
		last--;
	for (unsigned int i = first; i < last; i++)
		if (cpu->buckets[i] > most)
			most = cpu->buckets[i];
	show_title(t, "Wake-up latency: from being woken to running");
	for (unsigned int i = first; i < last; i++) {
		unsigned int bar = (unsigned int)(cpu->buckets[i] * BAR / most);

		fprintf(t->to, "  %10s .. %-10s %9" PRIu64 " ", SHOW_DURATION(i ? 1ull << i : 0),
			SHOW_DURATION(2ull << i), cpu->buckets[i]);
		for (unsigned int k = 0; k < bar; k++)
			fputc('#', t->to);
		fputc('\n', t->to);
	}
}

void show_cpu_threads(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;

	if (!cpu || !cpu->n_threads)
		return;
	show_title(t, "Threads, by the time in which they could run and did not");
	sums_head(t, "thread");
	for (uint32_t i = 0; i < cpu->n_threads && !show_enough(t, i, cpu->n_threads); i++)
		sums_row(t, show_cpu_thread_name(cpu->threads[i], SHOW_ROOM(64)),
			 &cpu->threads[i]->sums);
}

void show_cpu_tables(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;

	if (!cpu || !cpu->n_threads)
		return;
	show_cpu_threads(t);
	show_title(t, "Processes: the sums of their threads");
	sums_head(t, "process");
	for (uint32_t i = 0; i < cpu->n_processes && !show_enough(t, i, cpu->n_processes); i++)
		sums_row(t, show_cpu_process_name(&cpu->processes[i], SHOW_ROOM(64)),
			 &cpu->processes[i].sums);
	rivals(t);
	cores(t);
	histogram(t);
}

/* --- JSON --- */

static void add_sums(json *to, const struct lane_cpu_sums *sums)
{
	show_json_uint(to, "time_ns", sums->time_ns);
	show_json_uint(to, "running_ns", sums->running_ns);
	show_json_uint(to, "runnable_ns", latency_cpu_waited(sums));
	show_json_uint(to, "woken_ns", sums->woken_ns);
	show_json_uint(to, "preempted_ns", sums->preempted_ns);
	show_json_uint(to, "blocked_ns", sums->blocked_ns);
	show_json_uint(to, "unknown_ns", sums->unknown_ns);
	show_json_uint(to, "runs", sums->runs);
	show_json_uint(to, "preemptions", sums->preemptions);
	show_json_uint(to, "wakeups", sums->wakeups);
	show_json_uint(to, "wake_ns", sums->wake_ns);
	show_json_uint(to, "wake_max_ns", sums->wake_max_ns);
}

static void add_threads(const struct lane_cpu_stats *cpu, json *tree)
{
	json *rows = show_json_list(tree, "threads"), *to;

	for (uint32_t i = 0; i < cpu->n_threads; i++) {
		const struct lane_cpu_thread *thread = cpu->threads[i];

		to = show_json_row(rows);
		show_json_text(to, "thread", show_cpu_thread_name(thread, SHOW_ROOM(64)));
		show_json_known(to, "tid", (uint64_t)thread->tid, thread->tid >= 0);
		show_json_known(to, "pid", (uint64_t)thread->pid, thread->pid >= 0);
		show_json_uint(to, "threads", thread->threads);
		show_json_uint(to, "begin_ns", thread->begin_ns);
		show_json_uint(to, "end_ns", thread->end_ns);
		add_sums(to, &thread->sums);
		show_json_uint(to, "behind_others_ns", thread->others_ns);
	}
}

static void add_rivals(const struct lane_cpu_stats *cpu, json *tree)
{
	json *rows = show_json_list(tree, "behind"), *to;

	for (uint32_t i = 0; i < cpu->n_threads; i++) {
		const struct lane_cpu_thread *thread = cpu->threads[i];

		for (unsigned int k = 0; k < thread->n_rivals; k++) {
			const struct lane_cpu_rival *rival = &thread->rivals[k];

			to = show_json_row(rows);
			show_json_text(to, "thread", show_cpu_thread_name(thread, SHOW_ROOM(64)));
			show_json_known(to, "tid", (uint64_t)thread->tid, thread->tid >= 0);
			show_json_uint(to, "begin_ns", thread->begin_ns);
			show_json_text(to, "culprit", rival_name(rival, SHOW_ROOM(64)));
			show_json_known(to, "culprit_tid", (uint64_t)rival->tid, rival->tid >= 0);
			show_json_uint(to, "ns", rival->ns);
			show_json_uint(to, "times", rival->times);
		}
	}
}

void show_cpu_tree(struct lane_latency *latency, json *tree)
{
	struct lane_cpu_stats *cpu = latency->cpu;
	json *all, *rows, *to;

	if (!cpu)
		return;
	all = show_json_object(tree, "cpu");
	add_threads(cpu, all);
	add_rivals(cpu, all);
	rows = show_json_list(all, "processes");
	for (uint32_t i = 0; i < cpu->n_processes; i++) {
		to = show_json_row(rows);
		show_json_text(to, "process",
			       show_cpu_process_name(&cpu->processes[i], SHOW_ROOM(64)));
		show_json_known(to, "pid", (uint64_t)cpu->processes[i].pid,
				cpu->processes[i].pid >= 0);
		show_json_uint(to, "threads", cpu->processes[i].threads);
		add_sums(to, &cpu->processes[i].sums);
	}
	rows = show_json_list(all, "cpus");
	for (uint32_t i = 0; i < cpu->n_cores; i++) {
		to = show_json_row(rows);
		show_json_uint(to, "cpu", i);
		show_json_uint(to, "running_ns", cpu->cores[i].running_ns);
		show_json_uint(to, "runs", cpu->cores[i].runs);
	}
	to = show_json_object(all, "wakeups");
	show_json_uint(to, "count", cpu->sums.wakeups);
	show_json_uint(to, "sum_ns", cpu->sums.wake_ns);
	show_json_uint(to, "p50_ns", latency_histogram_percentile(&cpu->wakes, 500));
	show_json_uint(to, "p95_ns", latency_histogram_percentile(&cpu->wakes, 950));
	show_json_uint(to, "p99_ns", latency_histogram_percentile(&cpu->wakes, 990));
	show_json_uint(to, "max_ns", cpu->sums.wake_max_ns);
	rows = show_json_list(to, "histogram");
	for (unsigned int i = 0; i < LANE_WAKE_BUCKETS; i++) {
		if (!cpu->buckets[i])
			continue;
		to = show_json_row(rows);
		show_json_uint(to, "from_ns", i ? 1ull << i : 0);
		show_json_uint(to, "below_ns", 2ull << i);
		show_json_uint(to, "count", cpu->buckets[i]);
	}
}
