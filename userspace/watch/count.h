/* SPDX-License-Identifier: MIT */
/*
 * Everything that has ended, counted: one row per engine, process, stage, cause and culprit, of
 * this minute and of all time. Memory and the number of rows are bounded whatever the processes
 * are called: when LANE_COUNT_NAMES names have rows of their own, another one's count as "other"
 * until it has come more often than one of them. What is counted is never dropped: all rows
 * together are always the sum of all that was added.
 */
#ifndef LANE_WATCH_COUNT_H
#define LANE_WATCH_COUNT_H

#include "watch/rows.h"

#define LANE_COUNT_NAMES   64
#define LANE_COUNT_ENGINES 64
#define LANE_COUNT_ROWS	   4096
#define LANE_COUNT_BUCKETS (1u << 20) /* of all rows' histograms */
#define LANE_COUNT_TEXT	   64

/* How the durations of all time are spread: those below 2^(10 + 2 i) ns, and the rest. */
#define LANE_COUNT_STEPS 14

/* A row's stage is one of enum lane_stage, or all of them. */
#define LANE_COUNT_TOTAL LANE_STAGE_COUNT

/* Names have numbers: nobody, those that have no row of their own, and from then on each its own.
 */
enum {
	LANE_COUNT_NOBODY,
	LANE_COUNT_OTHER,
	LANE_COUNT_FIRST,
};

struct lane_count_key {
	uint8_t what;	 /* enum lane_row_what */
	uint8_t stage;	 /* enum lane_stage, or LANE_COUNT_TOTAL */
	uint8_t cause;	 /* watch_count_cause() */
	uint8_t engine;	 /* watch_count_engine(), likewise */
	uint8_t process; /* watch_count_name() */
	uint8_t culprit; /* likewise */
};

struct lane_count_sum {
	uint64_t count;	  /* with a known duration */
	uint64_t bounded; /* of these: known within bounds only */
	uint64_t unknown; /* nobody knows how long */
	uint64_t hits;
	struct lane_span ns;
	uint64_t max_ns; /* the greatest upper bound */
};

/* The upper bounds of this minute's durations, by latency_histogram_slot(), in order. */
struct lane_count_bucket {
	uint32_t slot;
	uint32_t count;
};

struct lane_count_row {
	struct lane_count_key key;
	struct lane_count_sum minute, all;
	struct lane_count_bucket *buckets;
	uint32_t n_buckets, room;
	uint64_t steps[LANE_COUNT_STEPS]; /* of all time */
};

struct lane_counts;

struct lane_count_engine {
	char driver[LANE_COUNT_TEXT];
	char gpu[LANE_COUNT_TEXT];
	char engine[LANE_COUNT_TEXT];
};

/* How far the bounds were needed. */
struct lane_count_figures {
	uint64_t names;	 /* that have rows of their own */
	uint64_t moved;	 /* names whose rows became "other" */
	uint64_t other;	 /* things that ended and count as "other" for want of a name */
	uint64_t rows;	 /* that there are */
	uint64_t coarse; /* durations in a bucket above their own */
};

/* *counts is the caller's. */
struct lane_error *watch_counts_create(struct lane_counts **counts) LANE_MUST_CHECK;

/* Adds one thing that has ended; process: its name, or what it is to be counted under. */
struct lane_error *watch_counts_add(struct lane_counts *counts, const struct lane_row *row,
				    const char *process) LANE_MUST_CHECK;

/*
 * The rows, ordered by engine, process, what and stage, so that those that differ in cause and
 * culprit only stand together. *rows is the caller's, lane_free'd; the rows are valid until the
 * next call that changes something.
 */
struct lane_error *watch_counts_rows(const struct lane_counts *counts,
				     const struct lane_count_row ***rows,
				     size_t *n) LANE_MUST_CHECK;

/* A new minute: what was counted in this one is forgotten, but for that of all time. */
void watch_counts_next_minute(struct lane_counts *counts);

const char *watch_count_name(const struct lane_counts *counts, uint8_t name);
const char *watch_count_cause(uint8_t cause);
const struct lane_count_engine *watch_count_engine(const struct lane_counts *counts,
						   uint8_t engine);
const char *watch_count_stage(uint8_t stage);

void watch_counts_figures(const struct lane_counts *counts, struct lane_count_figures *figures);

/* Frees; NULL is allowed. */
void watch_counts_destroy(struct lane_counts *counts);

#endif
