/* SPDX-License-Identifier: MIT */
/*
 * How long things usually take: for each process on each engine a spread of each stage, of
 * requests, waits, commands and frames. It is of the last one to two hours. Memory is bounded: of
 * LANE_HISTORY_MAX pairs the one that was not heard of for longest is forgotten.
 */
#ifndef LANE_WATCH_HISTORY_H
#define LANE_WATCH_HISTORY_H

#include <stdio.h>

#include "base/error.h"
#include "latency/latency.h"
#include "watch/spread.h"

#define LANE_HISTORY_MAX 256
#define LANE_HISTORY_NS	 3600000000000ull

/* What durations are of: the stages, and beyond them. */
enum lane_usual_track {
	LANE_TRACK_REQUEST = LANE_STAGE_COUNT,
	LANE_TRACK_COMMAND,
	LANE_TRACK_WAIT,
	LANE_TRACK_FRAME,
	LANE_TRACK_COUNT
};

struct lane_history;
struct lane_usual; /* a process on an engine */

/* *history is the caller's. */
struct lane_error *watch_history_create(struct lane_history **history) LANE_MUST_CHECK;

/* The history of that process on that engine, made anew when there is none; valid until the next
 * call. NULL: no memory. */
struct lane_usual *watch_history_of(struct lane_history *history, const char *process,
				    const char *engine);

/* Adds a duration. False: no memory. */
bool watch_usual_add(struct lane_usual *usual, enum lane_usual_track track, uint64_t ns);

/* The median, 0 when there are too few to tell. */
uint64_t watch_usual_median(struct lane_usual *usual, enum lane_usual_track track);

/*
 * The duration that so many of a million do not exceed; false when there are too few to tell (of
 * p99.9, two thousand).
 */
bool watch_usual_percentile(struct lane_usual *usual, enum lane_usual_track track, unsigned int ppm,
			    uint64_t *ns);

/* The time goes on: what is too old is forgotten. */
void watch_history_advance(struct lane_history *history, uint64_t now_ns);

/* Writes it as lines, each beginning with `history`. */
void watch_history_save(const struct lane_history *history, FILE *to);

/* Takes such a line behind its first word. False: it is none; what it says is left out. */
bool watch_history_load(struct lane_history *history, const char *line);

/* Frees; NULL is allowed. */
void watch_history_destroy(struct lane_history *history);

#endif
