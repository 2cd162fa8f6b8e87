/* SPDX-License-Identifier: MIT */
/* What is not over: requests, calls, commands; for how long, and which limit of the driver ends a
 * request. */
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
	bool is_cut; /* there are younger ones */
};

/* A call that has not returned, or a command without one, and what carried the command; or a thread
 * that waits in the kernel, and for which request. */
struct lane_open_call {
	bool has_call, has_command, has_request, has_wait;
	bool is_beside;	       /* as in struct lane_unended */
	struct lane_call call; /* awaited_name is not kept */
	struct lane_kernel_wait wait;
	int32_t pid;
	char comm[16];	      /* the process's name; "": not known */
	uint64_t command_ns;  /* the command's call; 0: there is none */
	uint8_t class;	      /* its enum lane_command_class */
	char name[64];	      /* the kernel's; "": not known, or no kernel */
	bool is_own;	      /* the call makes it */
	uint8_t thread_state; /* enum lane_thread_state, of the call's thread, since thread_ns */
	uint64_t thread_ns;
	uint32_t more;
	uint64_t moved_ns, since_ns;
	struct lane_typical usual;   /* of its command */
	struct lane_request request; /* what it points to lives as long as the timeline */
};

struct lane_open_calls {
	struct lane_open_call of[LANE_OPENS]; /* calls first, of both the oldest first */
	uint32_t n;
	bool is_cut;
};

/* What a thread is in. */
extern const char *const latency_kernel_wait_names[LANE_KERNEL_WAITS];

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

/* The same of calls and commands. */
void latency_open_call_add(struct lane_open_calls *calls, const struct lane_unended *unended);
void latency_open_calls_of(const struct lane_timeline *timeline, uint64_t now_ns,
			   struct lane_open_calls *calls);
bool latency_open_call_is_certain(const struct lane_timeline *timeline,
				  const struct lane_open_call *open, uint64_t now_ns,
				  uint64_t least_ns);

/* It is no news: others of its queue still come to their ends, and it waits for its turn, as far as
 * is known; or a thread waits for a request that is open, of which that is told. */
bool latency_open_call_goes_on(const struct lane_open_call *open, uint64_t now_ns);

struct lane_ender latency_open_ender(const struct lane_trace_info *info,
				     const struct lane_request *rq);

#endif
