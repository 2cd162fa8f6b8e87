/* SPDX-License-Identifier: MIT */
/*
 * Busy and idle time of an engine. Each nanosecond counts once: as known busy, known idle, or
 * unknown. The bounds of busy and of idle follow from the two known sums: what is not known idle
 * may be busy. So busy and idle add up to the recording's time, and no bound is above that time.
 * Times may come out of order. One pass, bounded memory.
 */
#ifndef LANE_LATENCY_ENGINE_TIME_H
#define LANE_LATENCY_ENGINE_TIME_H

#include "timeline/timeline.h"

/* Most intervals of known time that are kept. One or two are usual. */
#define LANE_TIME_PARTS 64

struct lane_engine_time {
	struct lane_engine_time_part {
		uint64_t begin_ns, end_ns;
	} parts[LANE_TIME_PARTS]; /* known time: disjoint, in order of time */
	uint32_t n_parts;
	uint64_t from_ns; /* time before this is not counted, or not any more */
	uint64_t to_ns;	  /* nor is what comes behind this; 0: all is */
	uint64_t busy_ns, idle_ns;
	/* A chain: runs that followed each other without a gap. */
	uint64_t chain_ns; /* latest begin of the chain */
	uint64_t sure_ns;  /* earliest end of the chain */
	bool has_chain;	   /* a run that follows the last one continues the chain */
};

/* Adds a run (lane_hooks.run). */
void latency_engine_time_run(struct lane_engine_time *account, const struct lane_run *run);

/* Adds that the engine was busy in [begin_ns, end_ns). */
void latency_engine_time_busy_in(struct lane_engine_time *account, uint64_t begin_ns,
				 uint64_t end_ns);

/* Adds that the engine was idle in [begin_ns, end_ns). Returns the part not known before, ns. */
uint64_t latency_engine_time_idle(struct lane_engine_time *account, uint64_t begin_ns,
				  uint64_t end_ns);

/* Sets the bounds of the engine's busy time and of its idle time, in a recording of whole_ns. */
void latency_engine_time_bounds(const struct lane_engine_time *account, uint64_t whole_ns,
				struct lane_span *busy, struct lane_span *idle);

#endif
