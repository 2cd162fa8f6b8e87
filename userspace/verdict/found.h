/* SPDX-License-Identifier: MIT */
/* What the finders of answers share: each looks at one kind of figures. */
#ifndef LANE_VERDICT_FOUND_H
#define LANE_VERDICT_FOUND_H

#include "base/percent.h"
#include "verdict/verdict.h"

/* Below this share of the whole nothing is an answer. */
#define VERDICT_PERCENT 5

/* Any wake-up of an idle CPU takes so long; the advice against deep sleep leaves such states. */
#define VERDICT_WAKE_NS 10000

/* A new answer; its advice is its cause's. */
struct lane_answer *verdict_add(struct lane_answers *answers, enum lane_cause cause);

/* A part of a whole in per cent, at least: never more than it is. */
static inline unsigned int verdict_share(uint64_t part, uint64_t whole)
{
	return lane_percent(part, whole, 0);
}

static inline struct lane_party verdict_client(const struct lane_client *client)
{
	return (struct lane_party){ .kind = LANE_PARTY_CLIENT, .client = client };
}

static inline struct lane_party verdict_process(int32_t pid)
{
	return (struct lane_party){ .kind = LANE_PARTY_PROCESS, .id = pid };
}

static inline struct lane_party verdict_task(int32_t tid, const char *comm)
{
	return (struct lane_party){ .kind = LANE_PARTY_TASK, .id = tid, .name = comm };
}

static inline struct lane_party verdict_engine(const struct lane_engine *engine)
{
	return (struct lane_party){ .kind = LANE_PARTY_ENGINE, .engine = engine };
}

/* A device that was busy with commands nearly all the time. */
bool verdict_is_busy(const struct lane_cl_device_stats *d);

/* Sets who took the engine from a client most: for more than half of of_ns, for which it was off
 * it, or one of those who did; nobody, if none is known. What was told of it was off for at_most_ns
 * at most: only where the preemptions take in all of that nobody else took the engine. */
void verdict_preempting(const struct lane_latency *l, const struct lane_client_stats *c,
			uint64_t of_ns, uint64_t at_most_ns, struct lane_answer *a);

/* Drivers' own events tell little of their jobs without the scheduler's: then that is the answer.
 */
void verdict_drivers_alone(const struct lane_latency *l, struct lane_answer *a);

/* A request is evidence for the answer. */
void verdict_show(struct lane_answer *a, const struct lane_context *context, uint32_t seqno);

/* The part of the requests' time, or of the requests, that is unknown is as large as that. */
bool verdict_much_is_unknown(const struct lane_latency *l, unsigned int percent);

/* The next task that had a thread's CPU for so long that it is worth an answer, from *from on,
 * which moves on: one of its rows, and in *sum what it had on all CPUs together. NULL: there is
 * none. */
const struct lane_starved_sum *verdict_starved(const struct lane_latency *l, uint32_t *from,
					       struct lane_starved_sum *sum);

/* It cost a process, or -1, so much of the recording's time. */
static inline void verdict_cost(const struct lane_answers *answers, struct lane_answer *a,
				int32_t pid, uint64_t ns)
{
	uint64_t whole = latency_whole_ns(answers->latency);

	a->pid = pid;
	a->cost_ns = ns < whole ? ns : whole;
}

/* It is the program of which is asked: the one that was recorded, or was chosen. */
bool verdict_is_asked(const struct lane_latency *l, int32_t pid);

/* Puts them in their order, and leaves out those that there is no room for. */
void verdict_rank(struct lane_answers *answers);

void verdict_of_faults(struct lane_answers *answers);
void verdict_of_open(struct lane_answers *answers);
void verdict_of_open_calls(struct lane_answers *answers);
void verdict_of_longest(struct lane_answers *answers);
void verdict_of_lates(struct lane_answers *answers);
void verdict_of_bursts(struct lane_answers *answers);
void verdict_of_failures(struct lane_answers *answers);
void verdict_of_steady(struct lane_answers *answers);
void verdict_of_clocks(struct lane_answers *answers);
void verdict_of_slows(struct lane_answers *answers);
void verdict_of_clients(struct lane_answers *answers);
void verdict_of_engines(struct lane_answers *answers);
void verdict_of_starved(struct lane_answers *answers);
void verdict_of_commands(struct lane_answers *answers);
void verdict_of_recording(struct lane_answers *answers); /* without requests */
void verdict_of_threads(struct lane_answers *answers);
void verdict_of_frames(struct lane_answers *answers);
void verdict_of_marks(struct lane_answers *answers);

#endif
