/* SPDX-License-Identifier: MIT */
/*
 * Sums over a sliding window. Each change updates the sums; they are never computed anew. The
 * window moves in steps of one part.
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
	struct lane_sliding busy_ns, unsure_ns, runs, preemptions;
	/* The request that runs now, as far as known. context NULL: none. */
	const struct lane_context *context;
	const struct lane_client *client;
	uint32_t seqno;
	uint64_t since_ns;
	uint64_t counted_ns;  /* the sums have its time up to here */
	uint64_t last_end_ns; /* latest end.lo of the ended runs; counted up to there */
	bool has_bursts;      /* what it did in them nobody knows (LANE_DOUBT_BURST) */
	uint32_t bursts;      /* that are not over */
};

struct lane_window_client {
	const struct lane_client *client;
	struct lane_sliding gpu_ns;    /* its requests' time running, on all engines */
	struct lane_sliding unsure_ns; /* how far apart these runs' bounds are */
	struct lane_sliding wait_ns;   /* its requests' time in dependency, queues or preempted */
	struct lane_sliding requests;  /* reported requests */
	struct lane_sliding preempted;
	uint32_t waiting; /* number of its requests that wait now */
	bool has_bursts;  /* as the engine's */
	uint64_t counted_ns;
	struct lane_span worst; /* its longest request so far, as report's worst; hi 0: none */
};

/* The longest request so far, from its first time to its signal or end. */
struct lane_window_worst {
	struct lane_span total; /* hi 0: none yet */
	const struct lane_context *context;
	const struct lane_client *client;
	const struct lane_engine *engine;
	uint32_t seqno;
	/* Up to its start; on the engine; off it since. hi LANE_NEVER: not known. */
	struct lane_span wait, running, preempted;
};

struct lane_window {
	const struct lane_trace_info *info;
	uint64_t part_ns;
	uint64_t begin_ns; /* begin of the trace */
	uint64_t now_ns;
	struct lane_window_engine *engines; /* by id */
	struct lane_window_client *clients; /* by id */
	uint32_t n_engines, n_clients;
	struct lane_sliding requests, preemptions, timeslices, events;
	struct lane_window_worst worst;
	bool no_memory;
};

/* Sets up a window of span_ns. Each part has at least 1 ns. info must outlive it. */
void latency_window_init(struct lane_window *window, const struct lane_trace_info *info,
			 uint64_t span_ns);

/* The hooks to give to the timeline. */
struct lane_hooks latency_window_hooks(struct lane_window *window);

/* Moves the window on to now_ns, which never goes back, and adds n_events. Fails without memory. */
struct lane_error *latency_window_advance(struct lane_window *window, uint64_t now_ns,
					  uint64_t n_events) LANE_MUST_CHECK;

/* The time that the sums cover, ns. Never 0. */
uint64_t latency_window_covers(const struct lane_window *window);

/* Frees what the window holds. */
void latency_window_deinit(struct lane_window *window);

#endif
