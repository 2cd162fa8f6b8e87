/* SPDX-License-Identifier: MIT */
/*
 * What happened lately: sums over a sliding window, kept up to date with each change and never
 * recomputed. The window moves in steps of a part of it.
 */
#ifndef LANE_LATENCY_WINDOW_H
#define LANE_LATENCY_WINDOW_H

#include "timeline/timeline.h"

#define LANE_WINDOW_PARTS 20

/* A sum over the window. */
struct lane_sliding {
	int64_t part[LANE_WINDOW_PARTS];
	int64_t sum;
};

struct lane_window_engine {
	const struct lane_engine *engine;
	struct lane_sliding busy_ns, runs, preemptions;
	/* What runs now, as far as it is known; context NULL: nothing. */
	const struct lane_context *context;
	uint32_t seqno;
	uint64_t since_ns;
	uint64_t counted_ns; /* up to then it is in the sums */
	uint64_t told_ns;    /* runs that are over have been counted up to then */
};

struct lane_window_client {
	const struct lane_client *client;
	struct lane_sliding gpu_ns;   /* its requests ran, on all engines */
	struct lane_sliding wait_ns;  /* requests * time in dependency, queues, or preempted */
	struct lane_sliding requests; /* whose story is over */
	struct lane_sliding preempted;
	uint32_t waiting; /* requests that wait now */
	uint64_t counted_ns;
	uint64_t worst_ns; /* the longest of its requests so far, queue to signal */
};

/* The longest request so far, from its first time to its signal or end. */
struct lane_window_worst {
	uint64_t total_ns; /* 0: none yet */
	uint64_t ended_ns;
	const struct lane_context *context;
	const struct lane_engine *engine;
	uint32_t seqno;
	uint64_t wait_ns, running_ns, preempted_ns;
};

struct lane_window {
	uint64_t part_ns;
	uint64_t begin_ns; /* of the trace */
	uint64_t now_ns;
	struct lane_window_engine *engines; /* by id */
	struct lane_window_client *clients; /* by id */
	uint32_t n_engines, n_clients;
	struct lane_sliding requests, preemptions, timeslices, events;
	struct lane_window_worst worst;
	bool no_memory;
};

/* A window of span_ns (at least one ns for each of its parts). */
void latency_window_init(struct lane_window *window, uint64_t span_ns);

/* The subscriber. */
struct lane_hooks latency_window_hooks(struct lane_window *window);

/* The time is now_ns, which does not go back; n_events more have come. Fails for want of memory. */
struct lane_error *latency_window_advance(struct lane_window *window, uint64_t now_ns,
					  uint64_t n_events) LANE_MUST_CHECK;

/* How much time the sums cover, ns; never 0. */
uint64_t latency_window_covers(const struct lane_window *window);

/* Frees what the window holds. */
void latency_window_deinit(struct lane_window *window);

#endif
