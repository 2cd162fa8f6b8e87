/* SPDX-License-Identifier: MIT */
/* Requests that are not over: for how long, and which limit of their driver will end them. */
#ifndef LANE_LATENCY_OPEN_H
#define LANE_LATENCY_OPEN_H

#include "timeline/timeline.h"

/* What has been open for so long, ns, is told of: no request is meant to take that. */
#define LANE_OPEN_LONG_NS 1000000000

#define LANE_OPENS 10 /* at most so many are kept: the oldest */

struct lane_open {
	struct lane_request request; /* what it points to lives as long as the timeline */
	uint64_t since_ns;	     /* it was queued, or added, then */
};

struct lane_opens {
	struct lane_open of[LANE_OPENS]; /* the oldest first, bursts last */
	uint32_t n;
};

/* What ends a request if nothing else does. */
enum lane_ender_kind {
	LANE_ENDER_UNKNOWN, /* the recording does not say */
	LANE_ENDER_NONE,    /* nothing: its driver has no such limit, or it is off */
	LANE_ENDER_LONG,    /* nothing: it is a burst of a long-running queue */
	LANE_ENDER_JOB,	    /* its driver gives the job up */
	LANE_ENDER_REQUEST, /* i915 cancels it */
};

struct lane_ender {
	enum lane_ender_kind kind;
	uint64_t limit_ns;
	uint64_t not_before_ns; /* a time; 0: it does not count yet */
	uint64_t heartbeat_ns;	/* i915: so often the engine must let a request through; 0: never */
};

/* Keeps the request if it is one of the oldest. */
void latency_open_add(struct lane_opens *opens, const struct lane_request *rq);

/* The oldest ones of a timeline that goes on: of each context the first. */
void latency_opens_of(const struct lane_timeline *timeline, struct lane_opens *opens);

/* It has been open for so long at now_ns, for sure: the events that show an end are recorded, and
 * none has been lost since it began. */
bool latency_open_is_certain(const struct lane_timeline *timeline, const struct lane_open *open,
			     uint64_t now_ns, uint64_t least_ns);

struct lane_ender latency_open_ender(const struct lane_trace_info *info,
				     const struct lane_request *rq);

#endif
