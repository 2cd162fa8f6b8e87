/* SPDX-License-Identifier: MIT */
/* What is too long: a time, or a multiple of a percentile of what it usually takes. */
#ifndef LANE_WATCH_LIMIT_H
#define LANE_WATCH_LIMIT_H

#include <stdbool.h>

#include "watch/history.h"

struct lane_limit {
	bool is_set;
	uint64_t ns;	  /* a time; 0: by history */
	unsigned int ppm; /* of a million that do not exceed the percentile */
	double factor;
};

/* A time, as 16ms, 1.5s, 250us; false: it is none, or not above 0. */
bool watch_time_parse(const char *text, uint64_t *ns);

/* A time, or pNNxM, as p99.9x3; false: it is neither. */
bool watch_limit_parse(const char *text, struct lane_limit *limit);

/*
 * Whether so long is too long for that process on that engine; *limit_ns: what it was not to
 * exceed. False, too, where the history has too few to tell.
 */
bool watch_limit_exceeded(const struct lane_limit *limit, struct lane_usual *usual,
			  enum lane_usual_track track, uint64_t ns, uint64_t *limit_ns);

#endif
