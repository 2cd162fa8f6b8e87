/* SPDX-License-Identifier: MIT */
/* What the finders of answers share: each looks at one kind of figures. */
#ifndef LANE_VERDICT_FOUND_H
#define LANE_VERDICT_FOUND_H

#include "base/percent.h"
#include "verdict/verdict.h"

/* Below this share of the whole nothing is an answer, below that it is no aside. */
#define VERDICT_PERCENT	      5
#define VERDICT_PERCENT_ASIDE 1

/* From so many on there is room for all that is said of commands. */
#define VERDICT_MANY 6

/* A new answer; its advice is its cause's. */
struct lane_answer *verdict_add(struct lane_answers *answers, enum lane_cause cause);

/* The same, of those that there is room for only so many. */
struct lane_answer *verdict_take(struct lane_answers *answers, enum lane_cause cause);

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

/* The recording's length. */
static inline uint64_t verdict_whole_ns(const struct lane_latency *l)
{
	return l->figures.end_ns - l->figures.begin_ns;
}

/* A request is evidence for the answer. */
void verdict_show(struct lane_answer *a, const struct lane_context *context, uint32_t seqno);

/* The part of the requests' time, or of the requests, that is unknown is as large as that. */
bool verdict_much_is_unknown(const struct lane_latency *l, unsigned int percent);

/* The first task that had a thread's CPU for so long that it is worth an answer, of those from
 * `from` on; NULL: there is none. */
const struct lane_starved_sum *verdict_starved(const struct lane_latency *l, uint32_t from);

void verdict_of_faults(struct lane_answers *answers);
void verdict_of_open(struct lane_answers *answers);
void verdict_of_lates(struct lane_answers *answers);
void verdict_of_bursts(struct lane_answers *answers);
void verdict_of_slows(struct lane_answers *answers);
void verdict_of_unknown(struct lane_answers *answers);
void verdict_of_clients(struct lane_answers *answers);
void verdict_of_engines(struct lane_answers *answers);
void verdict_of_starved(struct lane_answers *answers);
void verdict_of_commands(struct lane_answers *answers);
void verdict_of_recording(struct lane_answers *answers); /* without requests */
void verdict_of_threads(struct lane_answers *answers);

#endif
