/* SPDX-License-Identifier: MIT */
/*
 * An engine's time, each nanosecond of it once: known to be busy, known to be idle, or neither.
 * Both bounds of busy and of idle follow from the two sums, so that busy and idle add up to the
 * whole, and no bound is above it. One pass, bounded memory; times come in no strict order.
 */
#ifndef LANE_LATENCY_ENGINE_TIME_H
#define LANE_LATENCY_ENGINE_TIME_H

#include "timeline/timeline.h"

/* Stretches of known time that are kept apart; they are as good as always one or two. */
#define LANE_TIME_PARTS 64

struct lane_engine_time {
	struct lane_engine_time_part {
		uint64_t begin_ns, end_ns;
	} parts[LANE_TIME_PARTS]; /* what is known, disjoint, in order of time */
	uint32_t n_parts;
	uint64_t from_ns; /* what comes before this is not counted any more */
	uint64_t busy_ns, idle_ns;
	uint64_t chain_ns; /* the runs that followed each other without a gap began by then */
	uint64_t sure_ns;  /* and ran until then */
	bool chained;	   /* that is known */
};

/* A run is over (lane_hooks.run). */
void latency_engine_time_run(struct lane_engine_time *account, const struct lane_run *run);

/* Something had the engine in [begin_ns, end_ns). */
void latency_engine_time_busy_in(struct lane_engine_time *account, uint64_t begin_ns,
				 uint64_t end_ns);

/*
 * The engine was idle in [begin_ns, end_ns). Returns how much of that is new, ns: what was known
 * already is not counted again.
 */
uint64_t latency_engine_time_idle(struct lane_engine_time *account, uint64_t begin_ns,
				  uint64_t end_ns);

/* The bounds of the engine's busy time, and of its idle time, in a recording of whole_ns. */
struct lane_span latency_engine_time_busy(const struct lane_engine_time *account,
					  uint64_t whole_ns);
struct lane_span latency_engine_time_idle_span(const struct lane_engine_time *account,
					       uint64_t whole_ns);

#endif
