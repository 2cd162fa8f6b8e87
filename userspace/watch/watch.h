/* SPDX-License-Identifier: MIT */
/*
 * Watching: records go into the ring, events through the timeline, what has ended past the
 * triggers. A hit is written when the time after it is over, by a fork of the process, which has
 * the ring as it was then; watching goes on meanwhile. Memory is bounded, however long it runs: the
 * timeline is renewed from time to time, the next one begins before the last one ends.
 */
#ifndef LANE_WATCH_WATCH_H
#define LANE_WATCH_WATCH_H

#include "latency/latency.h"
#include "watch/limit.h"
#include "watch/ring.h"
#include "watch/rows.h"
#include "watch/store.h"

/* What is a hit, and how much is kept of it. */
struct lane_watch_config {
	uint64_t before_ns, after_ns;
	struct lane_limit slower;
	uint32_t of;	     /* which things: bits by enum lane_row_what */
	int stage;	     /* enum lane_stage: of requests only this counts; -1: all of them */
	char process[16];    /* name or number; "": all */
	uint64_t starved_ns; /* an engine that starves longer; 0: none */
	uint64_t open_ns;    /* a request that is open longer; 0: none */
	unsigned int missed; /* a second in which a display missed so many refreshes; 0: none */
	struct lane_store_config store;
};

/* What a recording is to say of itself. */
struct lane_watch_recording {
	const struct lane_hit *hit;
	const struct lane_ring_part *part; /* what was written */
	int64_t epoch_offset_ns;
};

/* What its user does for it. */
struct lane_watch_ways {
	void *arg;
	const struct lane_trace_info *info; /* lives as long */
	struct lane_ctf_env env;	    /* of the recordings; times are set by watching */
	bool waits; /* each hit is written before watching goes on: a replay */
	const char *(*engine_name)(const struct lane_engine *engine, char *buffer, size_t size);
	/* In the fork: completes the recording in the folder dir_fd, whose path is `path`. */
	struct lane_error *(*complete)(void *arg, int dir_fd, const char *path,
				       const struct lane_watch_recording *of);
	/* A hit is over; group may be NULL, not_written "". */
	void (*tell)(void *arg, const struct lane_hit *hit, const struct lane_hits *group,
		     const char *not_written);
	/* Something that an operator should know: a sentence. */
	void (*note)(void *arg, const char *text);
	struct lane_rows rows; /* all NULL: nobody counts */
};

struct lane_watch;

/*
 * Begins: opens the folder (watch/store.h); path NULL: nothing is written, hits are only told.
 * memory: of the ring. ways and config are copied. *watch is the caller's.
 */
struct lane_error *watch_create(const char *path, size_t memory,
				const struct lane_watch_config *config,
				const struct lane_watch_ways *ways,
				struct lane_watch **watch) LANE_MUST_CHECK;

/* Listens in the folder (watch/socket.h). *fd is the caller's, -1 after an error. */
struct lane_error *watch_listen(struct lane_watch *watch, int *fd) LANE_MUST_CHECK;

/* From now on by another configuration. */
void watch_configure(struct lane_watch *watch, const struct lane_watch_config *config);

/* As a capture's sink gives them (norm/live.h puts the same in order). */
struct lane_error *watch_record(struct lane_watch *watch, unsigned int cpu,
				const struct lane_wire *record) LANE_MUST_CHECK;
struct lane_error *watch_lost(struct lane_watch *watch, unsigned int cpu, uint64_t total,
			      uint64_t at_ns) LANE_MUST_CHECK;
struct lane_error *watch_horizon(struct lane_watch *watch, unsigned int cpu,
				 uint64_t ns) LANE_MUST_CHECK;

/* The next event, in order of time. */
struct lane_error *watch_event(struct lane_watch *watch,
			       const struct lane_event *event) LANE_MUST_CHECK;

/* It is now_ns, all events up to then were given. epoch_offset_ns: CLOCK_REALTIME less
 * CLOCK_MONOTONIC. */
struct lane_error *watch_advance(struct lane_watch *watch, uint64_t now_ns,
				 int64_t epoch_offset_ns) LANE_MUST_CHECK;

/* Somebody asks for a recording of now. */
void watch_trigger(struct lane_watch *watch, const char *who);

/* Which hits there were; those of which a recording is being written or waits for that. */
struct lane_watch_figures {
	uint64_t events, lost, hits, written;
	unsigned int waiting;
	uint64_t renewed;  /* timelines */
	uint64_t since_ns; /* the ring reaches back to then */
};

void watch_figures(const struct lane_watch *watch, struct lane_watch_figures *figures);

/* Ends: what waits is written as it is, the state is saved. */
struct lane_error *watch_finish(struct lane_watch *watch) LANE_MUST_CHECK;

/* Frees; NULL is allowed. Without finish nothing is saved. */
void watch_destroy(struct lane_watch *watch);

#endif
