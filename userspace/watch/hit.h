/* SPDX-License-Identifier: MIT */
/* What a trigger has taken: when, what, how late, why, by whom; and the file that says so. */
#ifndef LANE_WATCH_HIT_H
#define LANE_WATCH_HIT_H

#include <stdio.h>

#include "watch/rows.h"

#define LANE_HIT_FILE_BYTES 16384

struct lane_hit {
	uint64_t number; /* of its recording, from 1; 0: none yet */
	enum lane_row_what what;
	int64_t epoch_ns;	   /* its end, since 1970 */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; equal where it has no duration */
	uint64_t limit_ns;	   /* what it was not to exceed, 0: there is none */
	uint64_t total_ns; /* what exceeded it: all of it, or the stage that was asked for */
	char stage[16];	   /* that stage, "": all of it */
	char process[16];
	int32_t pid;
	char driver[16], gpu[64], engine[64];
	uint64_t ctx; /* REQUEST: its name, CTX:SEQNO */
	uint32_t seqno;
	char cause[16], culprit[16];
	uint64_t cause_ns; /* how long it took that */
	char text[64];	   /* the mark of a frame, who asked, what was reset */
	uint16_t known;	   /* REQUEST: bit per stage */
	uint64_t stages[LANE_STAGE_COUNT];
	/* Its recording. */
	uint64_t from_ns, to_ns; /* is of this time */
	uint64_t wanted_from_ns; /* was to begin here: the memory reached not so far back */
	uint64_t events, lost;
};

/* By how much it exceeded its limit, in thousandths of that; what has no limit tells most. */
uint64_t watch_hit_telling(const struct lane_hit *hit);

/* Prints it as a line: when, what, how late, cause, culprit. */
void watch_hit_print(FILE *to, const struct lane_hit *hit);

/* Prints all that is known of it, a line each. */
void watch_hit_describe(FILE *to, const struct lane_hit *hit);

/* Writes the file's text. */
void watch_hit_save(const struct lane_hit *hit, FILE *to);

/* Reads such a text; false: it is none. */
bool watch_hit_load(struct lane_hit *hit, const char *text);

/* A duration for people: "12.3 ms". */
const char *watch_hit_duration(uint64_t ns, char *buffer, size_t size);

#endif
