/* SPDX-License-Identifier: MIT */
/* Sums by key: which culprit, which victim. What the latency room's files share. */
#ifndef LANE_LATENCY_SUMS_H
#define LANE_LATENCY_SUMS_H

#include "base/table.h"
#include "latency/latency.h"

/* Distinct keys of one kind that are kept apart; what comes later is summed without its culprit. */
#define LANE_SUMS_MAX 16384

struct lane_sums {
	struct lane_table host_blames, fence_blames, blames, preemptions, starved, idles, waits,
		faults;
	uint32_t cap_host_blames, cap_fence_blames, cap_blames, cap_preemptions, cap_starved,
		cap_idles, cap_waits, cap_faults;
};

/* The sum of that key, made (zeroed, *fresh true) if it is new; NULL: no memory or no room. */
void *latency_sum_of(struct lane_latency *latency, struct lane_table *index, void *array,
		     uint32_t *n, uint32_t *cap, size_t size, uint64_t a, uint64_t b, bool *fresh);

#define LANE_SUM_OF(latency, what, a, b, fresh)                                                    \
	latency_sum_of(latency, &(latency)->sums->what, &(latency)->what, &(latency)->n_##what,    \
		       &(latency)->sums->cap_##what, sizeof(*(latency)->what), a, b, fresh)

/* The statistics of an engine, context or client, made when new; NULL: no memory. */
struct lane_engine_stats *latency_engine_stats(struct lane_latency *latency,
					       const struct lane_engine *engine);
struct lane_context_stats *latency_context_stats(struct lane_latency *latency,
						 const struct lane_context *context);
struct lane_client_stats *latency_client_stats(struct lane_latency *latency,
					       const struct lane_client *client);

/* True when the request is among those selected. */
bool latency_selected(const struct lane_latency *latency, const struct lane_request *rq);

/* True when the process, which may own contexts as that client (else NULL), is among those
 * selected. */
bool latency_process_selected(const struct lane_latency *latency, int32_t pid,
			      const struct lane_client *client);

/* attribute.c: the hooks that name culprits. */
void latency_on_preemption(void *arg, const struct lane_preemption *preemption);
void latency_on_idle(void *arg, const struct lane_idle *idle);
/* At the end: the time before the first request that an engine ran. */
void latency_idle_before_first(struct lane_latency *latency, struct lane_engine_stats *engine);
void latency_on_thread(void *arg, const struct lane_thread_interval *interval);
void latency_on_starvation(void *arg, const struct lane_starvation *starvation);
void latency_on_wait(void *arg, const struct lane_wait *wait);
void latency_blame_device(struct lane_latency *latency, const struct lane_request *rq,
			  const struct lane_stages *stages);
void latency_blame_fence(struct lane_latency *latency, const struct lane_request *rq,
			 const struct lane_stages *stages);
void latency_sort_sums(struct lane_latency *latency);

/* host.c */
void latency_on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		      uint64_t at_ns);

/* driver_faults.c */
void latency_on_fault(void *arg, const struct lane_fault *fault);

/* trace_pl.c */
void latency_trace_pl_request(struct lane_latency *latency, const struct lane_request *rq);
void latency_trace_pl_finish(struct lane_latency *latency);

#endif
