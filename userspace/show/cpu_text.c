// SPDX-License-Identifier: MIT
// Who waited for a CPU, and who ran instead: tables, JSON.
#include "show/report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/percent.h"
#include "base/plural.h"
#include "show/report_rows.h"
#include "show/report_tables.def"

typedef struct json_object json;

/* A task; those that are gone and summed by name: "bash (12 threads)". */
static const char *task_or_sum(int32_t tid, const char *comm, uint32_t threads, char *buffer,
			       size_t size)
{
	if (tid >= 0)
		return show_task_name(tid, comm, buffer, size);
	snprintf(buffer, size, "%s (%u thread%s)", SHOW_COMM(comm), threads, lane_s(threads));
	return buffer;
}

const char *show_cpu_thread_name(const struct lane_cpu_thread *thread, char *buffer, size_t size)
{
	return task_or_sum(thread->tid, thread->comm, thread->threads, buffer, size);
}

const char *show_cpu_process_name(const struct lane_cpu_process *process, char *buffer, size_t size)
{
	return task_or_sum(process->pid >= 0 ? process->pid : process->tid, process->comm,
			   process->threads, buffer, size);
}

static void add_sums(struct lane_cells *rows, int width, const struct lane_cpu_sums *sums)
{
	uint64_t mean_ns = sums->wakeups ? sums->wake_ns / sums->wakeups : 0;

	show_json_uint(rows->json, "time_ns", sums->time_ns);
	show_cell_ns(rows, width, "running_ns", sums->running_ns, true);
	show_cell_ns(rows, width, "runnable_ns", latency_cpu_waited(sums), true);
	show_cell_ns(rows, width, "woken_ns", sums->woken_ns, true);
	show_cell_ns(rows, width, "preempted_ns", sums->preempted_ns, true);
	show_cell_ns(rows, width, "blocked_ns", sums->blocked_ns, true);
	show_cell_ns(rows, width, "unknown_ns", sums->unknown_ns, true);
	show_json_uint(rows->json, "runs", sums->runs);
	show_json_uint(rows->json, "preemptions", sums->preemptions);
	show_cell_uint(rows, 9, "wakeups", sums->wakeups);
	show_json_uint(rows->json, "wake_ns", sums->wake_ns);
	show_json_uint(rows->json, "wake_max_ns", sums->wake_max_ns);
	show_cell(rows, width, "%s", sums->wakeups ? SHOW_DURATION(mean_ns) : "-");
	show_cell(rows, width, "%s", sums->wakeups ? SHOW_DURATION(sums->wake_max_ns) : "-");
}

SHOW_TABLE(threads, THREADS_TABLE, "threads", l->cpu->n_threads,
	   "Threads, by the time in which they could run and did not")
SHOW_TABLE(processes, PROCESSES_TABLE, "processes", l->cpu->n_processes,
	   "Processes: the sums of their threads")

void show_cpu_threads(const struct lane_tables *t)
{
	if (t->latency->cpu)
		threads(t);
}

static void rivals(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;
	struct lane_cells rows;
	uint32_t row = 0, n = 0;

	for (uint32_t i = 0; i < cpu->n_threads; i++)
		n += cpu->threads[i]->n_rivals + (!t->tree && cpu->threads[i]->others_ns);
	rows = show_table(t, "behind", n, "Who ran while a thread waited for that CPU",
			  "thread                   who ran                        time     times");
	for (uint32_t i = 0; i < cpu->n_threads; i++) {
		const struct lane_cpu_thread *thread = cpu->threads[i];
		const char *name = show_cpu_thread_name(thread, SHOW_ROOM(64));

		for (unsigned int k = 0; k < thread->n_rivals; k++) {
			const struct lane_cpu_rival *rival = &thread->rivals[k];

			if (!show_row(&rows, row++))
				return;
			show_cell_text(&rows, -24, "thread", name);
			show_json_known(rows.json, "tid", (uint64_t)thread->tid, thread->tid >= 0);
			show_json_uint(rows.json, "begin_ns", thread->begin_ns);
			show_cell_text(&rows, -24, "culprit", SHOW_TASK(rival->tid, rival->comm));
			show_json_known(rows.json, "culprit_tid", (uint64_t)rival->tid,
					rival->tid >= 0);
			show_cell_ns(&rows, 10, "ns", rival->ns, true);
			show_cell_uint(&rows, 9, "times", rival->times);
		}
		if (t->tree || !thread->others_ns)
			continue;
		if (!show_row(&rows, row++))
			return;
		show_cell(&rows, -24, "%s", name);
		show_cell(&rows, -24, "others");
		show_cell(&rows, 10, "%s", SHOW_DURATION(thread->others_ns));
		show_cell(&rows, 9, "-");
	}
	show_row(&rows, n);
}

static void cores(const struct lane_tables *t)
{
	const struct lane_latency *l = t->latency;
	uint64_t whole = latency_whole_ns(l);
	struct lane_cells rows = show_table(t, "cpus", l->cpu->n_cores, NULL, NULL);

	if (!t->tree)
		show_head(t, "CPUs: what is known of threads that ran there",
			  "CPU     running             runs");
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cpu_core *core = &l->cpu->cores[i];

		show_cell_uint(&rows, -4, "cpu", i);
		show_cell_ns(&rows, 10, "running_ns", core->running_ns, true);
		show_cell(&rows, 6, "%u %%", lane_percent(core->running_ns, whole, 0.5));
		show_cell_uint(&rows, 9, "runs", core->runs);
	}
}

static void cpu_text_histogram(const struct lane_tables *t)
{
	const struct lane_cpu_stats *cpu = t->latency->cpu;
	static const char longest[] = "########################################";
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
		int bar = (int)(cpu->buckets[i] * (sizeof(longest) - 1) / most);

		fprintf(t->to, "  %10s .. %-10s %9" PRIu64 " %.*s\n",
			SHOW_DURATION(i ? 1ull << i : 0), SHOW_DURATION(2ull << i), cpu->buckets[i],
			bar, longest);
	}
}

static void wakeups(struct lane_cpu_stats *cpu, json *to)
{
	json *rows;

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

void show_cpu_tables(const struct lane_tables *t)
{
	struct lane_cpu_stats *cpu = t->latency->cpu;
	struct lane_tables in = *t;

	if (!cpu || (!t->tree && !cpu->n_threads))
		return;
	in.tree = show_json_object(t->tree, "cpu");
	show_cpu_threads(&in);
	if (t->tree)
		rivals(&in);
	processes(&in);
	if (!t->tree)
		rivals(&in);
	cores(&in);
	if (t->tree)
		wakeups(cpu, show_json_object(in.tree, "wakeups"));
	else
		cpu_text_histogram(&in);
}
