/* SPDX-License-Identifier: MIT */
/*
 * Writing a hit's recording beside watching: a fork of the process, one at a time, at a low
 * priority. It ends with the process that watches.
 */
#ifndef LANE_WATCH_WRITER_H
#define LANE_WATCH_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define LANE_WRITER_SECONDS 600 /* a writer that takes longer is ended */

struct lane_writer {
	pid_t pid; /* 0: none */
	int pipe;  /* its error's words */
	uint64_t begun_ns;
};

/* Runs `write` in a fork; what it returns is the writer's result. now_ns: CLOCK_MONOTONIC. */
struct lane_error *watch_writer_begin(struct lane_writer *writer, uint64_t now_ns,
				      struct lane_error *(*write)(void *arg),
				      void *arg) LANE_MUST_CHECK;

/* Whether it has ended, with which *result, the caller's; waits: it is waited for. */
bool watch_writer_ended(struct lane_writer *writer, uint64_t now_ns, bool waits,
			struct lane_error **result);

/* Ends it, if there is one. */
void watch_writer_kill(struct lane_writer *writer);

#endif
