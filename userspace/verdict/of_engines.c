// SPDX-License-Identifier: MIT
// Answers on engines that were idle, and on threads that waited for a CPU.
#include <stdio.h>
#include <string.h>

#include "verdict/found.h"

#define MAX_ENGINES 16

/* An idle CPU takes no such time to wake: nothing was allowed to run on it. */
#define HELD_OFF_NS 5000000

/* Of which process a thread is; -1: not known. */
static int32_t pid_of(const struct lane_latency *l, int32_t tid)
{
	const struct lane_thread *thread = tid < 0 ? NULL : timeline_thread(l->timeline, tid);

	return thread && thread->client ? thread->client->pid : -1;
}

static bool knows_sleep(const struct lane_latency *l)
{
	return l->info.presence[LANE_CPU_IDLE] == LANE_PRESENCE_RECORDED ||
	       l->figures.by_kind[LANE_CPU_IDLE];
}

/* A thread that was kept from a CPU by nobody who is known may as well have slept. */
static bool has_cause(const struct lane_idle_sum *idle)
{
	return idle->cause == LANE_IDLE_STARVED ? idle->culprit_tid >= 0
						: idle->cause < LANE_IDLE_UNKNOWN;
}

static enum lane_cause of_engines_cause_of(const struct lane_latency *l,
					   const struct lane_idle_sum *idle)
{
	_Static_assert(LANE_CAUSE_IS_IDLE_DRIVER - LANE_CAUSE_IS_STARVED == LANE_IDLE_DRIVER,
		       "the causes of idle time stand in their order");
	if (idle->cause == LANE_IDLE_DRIVER && idle->culprit_tid > 0)
		return LANE_CAUSE_IS_IDLE_HAND_OVER;
	if (idle->cause == LANE_IDLE_STARVED && idle->culprit_tid >= LANE_TID_SOFTIRQ)
		return LANE_CAUSE_IS_SOFTIRQ;
	if (idle->cause != LANE_IDLE_STARVED || idle->culprit_tid)
		return LANE_CAUSE_IS_STARVED + idle->cause;
	if (idle->max_ns >= HELD_OFF_NS && (idle->culprit_comm[0] || !knows_sleep(l)))
		return LANE_CAUSE_IS_IDLE_HELD_OFF;
	if (idle->culprit_comm[0])
		return LANE_CAUSE_IS_IDLE_CPU_SLEPT;
	return knows_sleep(l) ? LANE_CAUSE_IS_IDLE_CPU_AWAKE : LANE_CAUSE_IS_IDLE_CPU;
}

/* Why the engine was idle is not known: for how long, and what would tell it. */
static void of_reasons_unknown(struct lane_answers *answers, uint32_t engine)
{
	const struct lane_latency *l = answers->latency;
	uint64_t whole = latency_whole_ns(l), ns[LANE_IDLE_PLACE_END];
	bool has_switches = l->info.presence[LANE_SWITCH] == LANE_PRESENCE_RECORDED ||
			    l->figures.by_kind[LANE_SWITCH];
	struct lane_answer *a;

	latency_idle_causes(l, engine, ns);
	if (verdict_share(ns[LANE_IDLE_UNKNOWN], whole) < VERDICT_PERCENT)
		return;
	a = verdict_add(answers,
			has_switches ? LANE_CAUSE_IS_IDLE_UNKNOWN : LANE_CAUSE_IS_IDLE_UNRECORDED);
	a->who = verdict_engine(l->engines[engine].engine);
	a->ns = timeline_span_exact(ns[LANE_IDLE_UNKNOWN]);
	a->of = timeline_span_exact(whole);
}

/* The engine was idle because somebody had the thread's CPU: for so long it is not known who. */
static uint64_t nobodys_ns(const struct lane_latency *l, const struct lane_idle_sum *of)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < l->n_idles; i++)
		if (l->idles[i].engine == of->engine && l->idles[i].tid == of->tid &&
		    l->idles[i].cause == LANE_IDLE_STARVED && l->idles[i].culprit_tid < 0)
			ns += l->idles[i].ns;
	return ns;
}

static bool is_starved_by(const struct lane_idle_sum *idle)
{
	return idle->cause == LANE_IDLE_STARVED && idle->culprit_tid > 0;
}

/* The engine was idle because tasks had one thread's CPU, many perhaps, for *ns in all: the row of
 * who had it for longest. NULL: there is none. */
static const struct lane_idle_sum *many_in_turn(const struct lane_latency *l, uint32_t engine,
						uint64_t *ns)
{
	const struct lane_idle_sum *first = NULL;

	*ns = 0;
	for (uint32_t i = 0; i < l->n_idles; i++) {
		const struct lane_idle_sum *idle = &l->idles[i];

		if (idle->engine != engine || !is_starved_by(idle))
			continue;
		if (!first)
			first = idle;
		if (idle->tid == first->tid)
			*ns += idle->ns;
	}
	return first;
}

static void of_engine(struct lane_answers *answers, uint32_t engine)
{
	const struct lane_latency *l = answers->latency;
	uint64_t whole = latency_whole_ns(l);
	const struct lane_idle_sum *sum = NULL, *first;
	struct lane_answer *a;
	uint64_t ns;

	/* They are sorted, the longest first. */
	for (uint32_t i = 0; i < l->n_idles && !sum; i++)
		if (l->idles[i].engine == engine && has_cause(&l->idles[i]) &&
		    verdict_share(l->idles[i].ns, whole) >= VERDICT_PERCENT)
			sum = &l->idles[i];
	first = many_in_turn(l, engine, &ns);
	if (first && verdict_share(ns, whole) >= VERDICT_PERCENT &&
	    (!sum || ns / 2 >= sum->ns || (!is_starved_by(sum) && ns > sum->ns)))
		sum = first;
	else
		first = NULL;
	/* Without a cause only where so much is known that the engine is sure to have been idle. */
	if (!sum && !verdict_much_is_unknown(l, VERDICT_PERCENT))
		of_reasons_unknown(answers, engine);
	if (!sum)
		return;
	a = verdict_add(answers, of_engines_cause_of(l, sum));
	a->in.idle = sum;
	a->who = verdict_engine(l->engines[engine].engine);
	a->thread = verdict_task(sum->tid, sum->comm);
	if (sum->cause == LANE_IDLE_STARVED || a->cause == LANE_CAUSE_IS_IDLE_HAND_OVER)
		a->by = verdict_task(sum->culprit_tid, sum->culprit_comm);
	a->how = LANE_BY_MOST;
	if (a->cause == LANE_CAUSE_IS_IDLE_CPU_SLEPT)
		snprintf(a->place, sizeof(a->place), "%.16s", sum->culprit_comm);
	if (!first)
		ns = sum->ns;
	a->ns = timeline_span_exact(ns);
	if (sum->cause == LANE_IDLE_STARVED)
		a->ns.hi += nobodys_ns(l, sum);
	a->is_by_many = first;
	a->of = timeline_span_exact(whole);
	a->times = sum->count;
	a->longest_ns = sum->max_ns;
	a->longest_at_ns = sum->max_at_ns;
	if (a->cause == LANE_CAUSE_IS_IDLE_CPU_SLEPT && sum->ns <= VERDICT_WAKE_NS * sum->count)
		a->advice = LANE_CAUSE_IS_NONE;
	latency_stacks_of_idle(l, sum, &a->where);
	if (first) { /* those are one's alone */
		a->how = LANE_BY_SOME;
		a->times = a->longest_ns = a->longest_at_ns = 0;
	}
	verdict_cost(answers, a, pid_of(l, sum->tid), ns);
}

void verdict_of_engines(struct lane_answers *answers)
{
	for (uint32_t i = 0; i < answers->latency->n_engines && i < MAX_ENGINES; i++)
		if (answers->latency->engines[i].engine)
			of_engine(answers, i);
}

/* Rows that are looked at: those that took most. */
#define MOST_ROWS    512
#define MOST_VICTIMS 64 /* of them, where all that many had is summed */

static bool is_same_pair(const struct lane_starved_sum *a, const struct lane_starved_sum *b)
{
	return a->victim_tid == b->victim_tid && a->tid == b->tid && a->actor == b->actor &&
	       (a->tid || !memcmp(a->comm, b->comm, sizeof(a->comm)));
}

/* Sums up the rows of a pair, one for each CPU, of which the i-th is one. False: a row before it
 * has them. */
static bool sum_pair(const struct lane_latency *l, uint32_t i, struct lane_starved_sum *sum)
{
	*sum = l->starved[i];
	for (uint32_t k = 0; k < l->n_starved && k < MOST_ROWS; k++) {
		const struct lane_starved_sum *other = &l->starved[k];

		if (k == i || !is_same_pair(sum, other))
			continue;
		if (k < i)
			return false;
		sum->ns += other->ns;
		sum->slices += other->slices;
		latency_keep_longest(&sum->max_ns, &sum->max_at_ns, other->max_ns,
				     other->max_at_ns);
	}
	return true;
}

static bool is_much(const struct lane_latency *l, const struct lane_starved_sum *sum)
{
	return verdict_share(sum->ns, latency_whole_ns(l)) >= VERDICT_PERCENT;
}

const struct lane_starved_sum *verdict_starved(const struct lane_latency *l, uint32_t *from,
					       struct lane_starved_sum *sum)
{
	while (*from < l->n_starved && *from < MOST_ROWS) {
		const struct lane_starved_sum *row = &l->starved[*from];

		++*from;
		if (row->tid > 0 && row->actor == LANE_ACTORS && sum_pair(l, *from - 1, sum) &&
		    is_much(l, sum))
			return row;
	}
	return NULL;
}

/* An engine's answer, of that cause, says it of this thread already, of half of that time or more.
 */
static bool of_engines_is_told(const struct lane_answers *answers, enum lane_cause cause,
			       int32_t tid, uint64_t ns)
{
	for (uint32_t i = 0; i < answers->n; i++)
		if (answers->all[i].cause == cause && answers->all[i].thread.id == tid &&
		    answers->all[i].ns.lo >= ns / 2)
			return true;
	return false;
}

/* Adds an answer on a thread that had no CPU; row: one of those of the sum. */
static struct lane_answer *add_starved(struct lane_answers *answers, enum lane_cause cause,
				       const struct lane_starved_sum *row,
				       const struct lane_starved_sum *sum)
{
	const struct lane_latency *l = answers->latency;
	struct lane_answer *a = verdict_add(answers, cause);

	a->who = verdict_task(row->victim_tid, row->victim_comm);
	a->ns = timeline_span_exact(sum->ns);
	a->of = timeline_span_exact(latency_whole_ns(l));
	a->times = sum->slices;
	a->longest_ns = sum->max_ns;
	a->longest_at_ns = sum->max_at_ns;
	verdict_cost(answers, a, timeline_client(l->timeline, sum->victim)->pid, sum->ns);
	return a;
}

/* A thread could run on a CPU that was idle, for long. */
static void of_held_off(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	struct lane_starved_sum sum;

	for (uint32_t i = 0; i < l->n_starved && i < MOST_ROWS; i++) {
		if (l->starved[i].tid || l->starved[i].actor != LANE_ACTORS ||
		    !sum_pair(l, i, &sum) || sum.max_ns < HELD_OFF_NS || !is_much(l, &sum))
			continue;
		if (!of_engines_is_told(answers, LANE_CAUSE_IS_IDLE_HELD_OFF, sum.victim_tid, 0))
			add_starved(answers, LANE_CAUSE_IS_HELD_OFF, &l->starved[i], &sum);
		return;
	}
}

/* A row of a task that had the CPU of a thread that works for the GPU. */
static bool is_of_task(const struct lane_starved_sum *row)
{
	return row->tid > 0 && row->actor == LANE_ACTORS;
}

/* What all tasks together had of the CPU of the victim of the i-th row, the longest of whom it has.
 */
static struct lane_starved_sum sum_many(const struct lane_latency *l, uint32_t i)
{
	struct lane_starved_sum sum = l->starved[i];

	for (uint32_t k = 0; k < l->n_starved; k++) {
		const struct lane_starved_sum *row = &l->starved[k];

		if (k == i || !is_of_task(row) || row->victim_tid != sum.victim_tid)
			continue;
		sum.ns += row->ns;
		sum.slices += row->slices;
		latency_keep_longest(&sum.max_ns, &sum.max_at_ns, row->max_ns, row->max_at_ns);
	}
	return sum;
}

/* Several had the thread's CPU in turn, and none of them for long. */
static void of_starved_by_many(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	struct lane_starved_sum most = { .ns = 0 }, sum;
	const struct lane_starved_sum *row = NULL;
	struct lane_answer *a;

	for (uint32_t i = 0; i < l->n_starved && i < MOST_VICTIMS; i++) {
		sum = is_of_task(&l->starved[i]) ? sum_many(l, i) : most;
		if (sum.ns > most.ns) {
			most = sum;
			row = &l->starved[i];
		}
	}
	if (!is_much(l, &most) ||
	    of_engines_is_told(answers, LANE_CAUSE_IS_STARVED, most.victim_tid, 0) ||
	    of_engines_is_told(answers, LANE_CAUSE_IS_SOFTIRQ, most.victim_tid, 0))
		return;
	a = add_starved(answers, LANE_CAUSE_IS_STARVED_THREAD, row, &most);
	a->by = verdict_task(row->tid, row->comm);
	a->is_by_many = true;
	a->how = LANE_BY_SOME;
}

/* Who had the CPU of a thread that works for the GPU, where no engine's answer says so. */
void verdict_of_starved(struct lane_answers *answers)
{
	const struct lane_starved_sum *row;
	struct lane_starved_sum sum;
	struct lane_answer *a;
	uint32_t from = 0;

	of_held_off(answers);
	while ((row = verdict_starved(answers->latency, &from, &sum))) {
		if (of_engines_is_told(answers, LANE_CAUSE_IS_STARVED, sum.victim_tid, sum.ns) ||
		    of_engines_is_told(answers, LANE_CAUSE_IS_SOFTIRQ, sum.victim_tid, sum.ns))
			continue;
		a = add_starved(answers,
				row->tid >= LANE_TID_SOFTIRQ ? LANE_CAUSE_IS_SOFTIRQ_THREAD
							     : LANE_CAUSE_IS_STARVED_THREAD,
				row, &sum);
		a->by = verdict_task(row->tid, row->comm);
		a->how = LANE_BY_MOST;
		return;
	}
	of_starved_by_many(answers);
}
