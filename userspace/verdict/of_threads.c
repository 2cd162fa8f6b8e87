// SPDX-License-Identifier: MIT
// Answers to a recording without a GPU: who waited for a CPU, and who ran instead.
#include "verdict/found.h"

#define MAX_THREADS 3

/* Those that waited for a hundredth of the recording are; of a program that was recorded only its
 * own. */
static bool is_worth_it(const struct lane_latency *l, const struct lane_cpu_thread *thread)
{
	if (l->info.command_pid && thread->pid != l->info.command_pid &&
	    thread->tid != l->info.command_pid)
		return false;
	return verdict_share(latency_cpu_waited(&thread->sums), latency_whole_ns(l)) >= 1;
}

/* Why a thread waited, where it waited mostly while one other task ran, or none did. */
static enum lane_cause of_threads_cause_of(const struct lane_cpu_thread *thread)
{
	const struct lane_cpu_rival *rival = &thread->rivals[0];

	if (rival->tid < 0)
		return LANE_CAUSE_IS_CPU_UNKNOWN;
	if (rival->tid)
		return LANE_CAUSE_IS_CPU_TAKEN;
	/* It was taken off, and nobody came: the kernel holds threads back whose time is used up
	 * (throttle_cfs_rq(), sched/fair.c). */
	return thread->sums.preempted_ns > thread->sums.woken_ns ? LANE_CAUSE_IS_CPU_QUOTA
								 : LANE_CAUSE_IS_CPU_ASLEEP;
}

static bool of_thread(struct lane_answers *answers, const struct lane_cpu_thread *thread)
{
	uint64_t waited = latency_cpu_waited(&thread->sums);
	uint64_t could = waited + thread->sums.running_ns, unknown = thread->sums.unknown_ns;
	struct lane_answer *a;

	/* What is not known of the thread may have been waiting, too. */
	if (!waited || verdict_share(waited, could + unknown) < VERDICT_PERCENT)
		return false;
	a = verdict_add(answers, LANE_CAUSE_IS_CPU_WAIT);
	a->in.thread = thread;
	a->who = (struct lane_party){ .kind = LANE_PARTY_THREADS, .thread = thread };
	a->ns = (struct lane_span){ waited, waited + unknown };
	a->of = (struct lane_span){ could, could + unknown };
	a->times = thread->sums.wakeups;
	a->longest_ns = thread->sums.wake_max_ns;
	verdict_cost(answers, a, thread->pid, waited);
	if (!thread->n_rivals || thread->rivals[0].ns <= waited - thread->rivals[0].ns)
		return true;
	a->cause = a->advice = of_threads_cause_of(thread);
	if (a->cause == LANE_CAUSE_IS_CPU_ASLEEP &&
	    thread->rivals[0].ns <= VERDICT_WAKE_NS * thread->rivals[0].times)
		a->advice = LANE_CAUSE_IS_NONE;
	a->by = verdict_task(thread->rivals[0].tid, thread->rivals[0].comm);
	a->how = thread->rivals[0].ns > a->ns.hi / 2 ? LANE_BY_MOST : LANE_BY_SOME;
	return true;
}

/* The program that was recorded, if an event names it. */
static const struct lane_cpu_process *program_of(const struct lane_latency *l)
{
	for (uint32_t i = 0; i < l->cpu->n_processes; i++) {
		const struct lane_cpu_process *process = &l->cpu->processes[i];

		if (l->info.command_pid && process->pid == l->info.command_pid &&
		    process->sums.time_ns)
			return process;
	}
	return NULL;
}

void verdict_of_threads(struct lane_answers *answers)
{
	const struct lane_cpu_stats *cpu = answers->latency->cpu;
	const struct lane_cpu_process *program = program_of(answers->latency);
	unsigned int told = 0;
	struct lane_answer *a;

	if (program) {
		a = verdict_add(answers, LANE_CAUSE_IS_PROGRAM);
		a->in.process = program;
		a->ns = a->of = timeline_span_exact(program->sums.time_ns);
	}
	verdict_drivers_alone(answers->latency, verdict_add(answers, LANE_CAUSE_IS_NO_GPU));
	for (uint32_t i = 0; i < cpu->n_threads && told < MAX_THREADS; i++)
		told += is_worth_it(answers->latency, cpu->threads[i]) &&
			of_thread(answers, cpu->threads[i]);
	if (!cpu->sums.wakeups)
		return;
	a = verdict_add(answers,
			cpu->sums.wakeups == 1 ? LANE_CAUSE_IS_ONE_WAKEUP : LANE_CAUSE_IS_WAKEUPS);
	a->n = cpu->sums.wakeups;
	a->longest_ns = cpu->sums.wake_max_ns;
}
