/* SPDX-License-Identifier: MIT */
/*
 * What `gpulane watch` tells of everything that has ended, and of every hit, for who counts: rows
 * for a database, metrics. A consumer is called in the watching thread and must not wait for
 * anybody; it makes no threads (a hit is written by a fork of the process).
 */
#ifndef LANE_WATCH_ROWS_H
#define LANE_WATCH_ROWS_H

#include "latency/latency.h"

/* LANE_ROW_WHATS(W) calls W(ID, name): what a row is of, and what a trigger looks at. */
#define LANE_ROW_WHATS(W)                                                                          \
	W(REQUEST, "request") /* its story is over */                                              \
	W(COMMAND, "command") /* an OpenCL command is complete */                                  \
	W(WAIT, "wait")	      /* a thread waited for a request */                                  \
	W(FRAME, "frame")     /* from one mark of a program's frames to its next */                \
	W(IDLE, "idle") /* an engine had nothing to run though a thread had something for it */    \
	W(DISPLAY, "display") /* in a second a display showed the old picture too often */         \
	W(RESET, "reset")     /* a GPU was reset, or a job timed out */                            \
	W(MANUAL, "manual")   /* a signal, or a word on the socket */

enum lane_row_what {
#define W(id, name) LANE_ROW_##id,
	LANE_ROW_WHATS(W)
#undef W
	LANE_ROW_WHAT_COUNT
};

extern const char *const lane_row_what_names[LANE_ROW_WHAT_COUNT];

/*
 * One thing that has ended. Texts are names that may hold anything (base/clean.h), never NULL, ""
 * where they are not known; names only, so that their number is bounded by the programs, not by
 * the processes. All is valid during the call only.
 */
struct lane_row {
	enum lane_row_what what;
	uint64_t end_ns;     /* CLOCK_MONOTONIC */
	int64_t epoch_ns;    /* the same, since 1970 */
	const char *driver;  /* "i915", "xe", ... */
	const char *gpu;     /* "card0", or the device's name */
	const char *engine;  /* "rcs0", or the ring's name */
	const char *process; /* name of who queued, called or waited */
	int32_t pid;	     /* its number, -1: not known; to look its cgroup up, not to be told */
	/* REQUEST: its stages, and who delayed it in each ("": nobody, or not known). */
	struct lane_stages stages;
	const char *culprits[LANE_STAGE_COUNT];
	/* All: how long, from its first time to its last. */
	struct lane_span total;
	bool total_known;
	/* What took most of its time, a stage's name or an idle cause's, and who. */
	const char *cause;
	const char *culprit;
	bool is_hit; /* a trigger has taken it */
};

/* A hit; told when its recording is there, or when it is known that none will be. */
struct lane_row_hit {
	struct lane_row of;	 /* stages are filled in for REQUEST only */
	uint64_t limit_ns;	 /* what it was not to exceed; 0: none of time */
	uint64_t group_count;	 /* hits of the same process, cause and culprit so far, with this */
	uint64_t lost;		 /* events lost in the time that was kept */
	const char *recording;	 /* the folder's name in the output, "": none was written */
	const char *not_written; /* why not: "rate", "disk", "failed", "joined" (another hit's
				    recording has it), "trial"; "": it was */
};

/* A consumer; functions that it does not want are NULL. An error ends the consumer, not watching.
 */
struct lane_rows {
	void *arg;
	struct lane_error *(*row)(void *arg, const struct lane_row *row);
	struct lane_error *(*hit)(void *arg, const struct lane_row_hit *hit);
	/* So many more events were lost (0: nobody knows how many), by now. */
	struct lane_error *(*lost)(void *arg, uint64_t count, uint64_t ns, int64_t epoch_ns);
	/* Several times a second, whether something has happened or not; events: so far. */
	struct lane_error *(*tick)(void *arg, uint64_t ns, int64_t epoch_ns, uint64_t events);
	/* An open file that poll(2) waits for beside the events (an epoll's, to have many), then
	 * tick is called at once. -1: none. */
	int fd;
	/* The end; called once, after an error too. */
	void (*close)(void *arg);
};

#endif
