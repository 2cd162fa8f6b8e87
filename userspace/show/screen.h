/* SPDX-License-Identifier: MIT */
/* The report's first screen: what most people want to know, and how to go on. */
#ifndef LANE_SHOW_SCREEN_H
#define LANE_SHOW_SCREEN_H

#include "show/report.h"

/* How brief the first screen can be made: without worst requests but one, with one line of how to
 * go on, with fewer sentences. */
#define SHOW_BREVITIES 7

#define LANE_SCREEN_PARTS (LANE_STAGE_PATH + 1)

/* What requests spent in a stage, or in none that is known. */
struct lane_screen_part {
	const char *name;
	char letter;	/* in the bar; ?: unknown */
	char share[64]; /* of all their time */
	struct lane_span ns;
};

/* The parts of the bar, of the text and of the page; what certainly took most first. */
unsigned int show_screen_parts(const struct lane_latency *latency,
			       struct lane_screen_part parts[LANE_SCREEN_PARTS]);

/* One bar of what all requests spent their time on, no wider than columns (0: any); nothing where
 * no request's time is known. */
void show_screen_bar(FILE *to, const struct lane_latency *latency, unsigned int columns);

/* An engine's idle time of one cause, or at one place (enum lane_idle_place). */
struct lane_screen_idle {
	int cause;
	uint64_t ns;
	char text[192]; /* with who had the CPU for most of it */
};

/* Most first; they add up to the time for which the engine was certainly idle. */
unsigned int show_screen_idle(const struct lane_latency *latency, uint32_t engine,
			      struct lane_screen_idle idle[LANE_IDLE_PLACE_END]);

#define LANE_SCREEN_CAUSES 512 /* bytes: of these */

/* The causes of idle time, those that took most: ": starved 101 ms (stress[155] 96.6 ms), computing
 * 7.95 ms". Time outside of an engine's requests has none. False: there is no cause. */
bool show_screen_causes(const struct lane_screen_idle *idle, unsigned int n, char *text,
			size_t size);

/* "busy 16.8..17.1 %" */
const char *show_screen_busy(const struct lane_latency *latency, uint32_t engine, char *buffer,
			     size_t size);

/* A line for each engine that has had requests, then the worst requests, then how to go on. */
void show_screen_rest(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options);

#endif
