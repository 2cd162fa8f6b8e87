/* SPDX-License-Identifier: MIT */
/* Sums by key, such as victim and culprit. Shared by the files of latency/. */
#ifndef LANE_LATENCY_SUMS_H
#define LANE_LATENCY_SUMS_H

#include "base/table.h"
#include "base/vector.h"
#include "latency/latency.h"

/* Most sums of one kind. A key beyond this number gets no sum. */
#define LANE_SUMS_MAX 16384

/* The kinds of sums: arrays of struct lane_latency, each with its number (n_). */
#define LANE_SUMS(S)                                                                               \
	S(host_blames)                                                                             \
	S(head_blames)                                                                             \
	S(fence_blames)                                                                            \
	S(blames)                                                                                  \
	S(preemptions)                                                                             \
	S(starved)                                                                                 \
	S(idles)                                                                                   \
	S(idle_stacks)                                                                             \
	S(stack_sums)                                                                              \
	S(waits)                                                                                   \
	S(faults)                                                                                  \
	S(takens)

/* What finds a sum of each kind by its key, and how many there is room for. */
struct lane_sums {
#define S(kind)                                                                                    \
	struct lane_table kind;                                                                    \
	uint32_t cap_##kind;
	LANE_SUMS(S)
#undef S
};

/* Where sums of one kind are: an array, and the index that says which is a key's. */
struct lane_sums_at {
	struct lane_table *index; /* places + 1, not pointers: the array moves as it grows */
	void *array;		  /* points to the pointer to the sums */
	uint32_t *n, *cap, most;  /* sums; a key beyond the most gets none */
	size_t size;		  /* of one */
	bool *no_memory;
};

/* latency_sum_of for a key without a sum: makes the sum. */
void *latency_sum_new(const struct lane_sums_at *at, uint64_t a, uint64_t b);

/* The sum of the key. A new sum is zeroed, with *fresh true. NULL: no memory, or too many. */
static inline void *latency_sum_of(struct lane_sums_at at, uint64_t a, uint64_t b, bool *fresh)
{
	uintptr_t place = (uintptr_t)lane_table_get(at.index, a, b);
	char *base;

	*fresh = !place;
	if (!place)
		return latency_sum_new(&at, a, b);
	__builtin_memcpy(&base, at.array, sizeof(base));
	return base + (place - 1) * at.size;
}

#define LANE_SUMS_AT(latency, what)                                                                \
	((struct lane_sums_at){ &(latency)->sums->what, &(latency)->what, &(latency)->n_##what,    \
				&(latency)->sums->cap_##what, LANE_SUMS_MAX,                       \
				sizeof(*(latency)->what), &(latency)->no_memory })

#define LANE_SUM_OF(latency, what, a, b, fresh)                                                    \
	latency_sum_of(LANE_SUMS_AT(latency, what), a, b, fresh)

/* Two numbers as a part of a key. */
static inline uint64_t latency_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* Those below for what has none yet (attribute.c). */
struct lane_engine_stats *latency_engine_stats_new(struct lane_latency *latency,
						   const struct lane_engine *engine);
struct lane_context_stats *latency_context_stats_new(struct lane_latency *latency,
						     const struct lane_context *context);
struct lane_client_stats *latency_client_stats_new(struct lane_latency *latency,
						   const struct lane_client *client);

/* The statistics of an engine, context or client, made if new. NULL: no memory. */
static inline struct lane_engine_stats *latency_engine_stats(struct lane_latency *latency,
							     const struct lane_engine *engine)
{
	return engine->id < latency->n_engines && latency->engines[engine->id].engine
		       ? &latency->engines[engine->id]
		       : latency_engine_stats_new(latency, engine);
}

static inline struct lane_context_stats *latency_context_stats(struct lane_latency *latency,
							       const struct lane_context *context)
{
	return context->id < latency->n_contexts && latency->contexts[context->id].context
		       ? &latency->contexts[context->id]
		       : latency_context_stats_new(latency, context);
}

static inline struct lane_client_stats *latency_client_stats(struct lane_latency *latency,
							     const struct lane_client *client)
{
	return client->id < latency->n_clients && latency->clients[client->id].client
		       ? &latency->clients[client->id]
		       : latency_client_stats_new(latency, client);
}

/* The request is selected. */
static inline bool latency_selected(const struct lane_latency *latency,
				    const struct lane_request *rq)
{
	return !latency->is_selective || latency_selects(&latency->select, rq);
}

/* attribute.c: hooks that name culprits */
void latency_on_preemption(void *arg, const struct lane_preemption *preemption);
void latency_on_idle(void *arg, const struct lane_idle *idle);
void latency_on_sample(void *arg, const struct lane_thread *thread,
		       const struct lane_engine *engine, struct lane_stack_id id, uint64_t ns);
/* Adds the idle time before the engine's first request. Called by latency_finish. */
void latency_idle_before_first(struct lane_latency *latency, struct lane_engine_stats *engine);
void latency_on_thread(void *arg, const struct lane_thread_interval *interval);
void latency_on_starvation(void *arg, const struct lane_starvation *starvation);
void latency_on_wait(void *arg, const struct lane_wait *wait);
/* Who had the CPU of the threads that had to act for rq. */
void latency_actors(struct lane_latency *latency, const struct lane_request *rq,
		    const struct lane_stages *stages);
/* For whom rq waited in its queues, and for whose fence. *ahead: lane_worst.ahead. */
void latency_blame(struct lane_latency *latency, const struct lane_request *rq,
		   const struct lane_stages *stages, struct lane_ahead_part *ahead);
void latency_sort_sums(struct lane_latency *latency);

/* driver_faults.c */
void latency_on_fault(void *arg, const struct lane_fault *fault);

/* trace_pl.c */
void latency_trace_pl_request(struct lane_engine_stats *engine, const struct lane_request *rq);

#endif
