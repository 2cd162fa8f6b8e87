/* SPDX-License-Identifier: MIT */
/*
 * After how long a GPU's driver does something about work that does not end, and how long CPUs may
 * take to wake: as it was set when a recording was made.
 */
#ifndef LANE_BASE_LIMITS_H
#define LANE_BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* LANE_LIMITS(L) calls L(ID, name): the name of the file in /sys, without its unit. */
#define LANE_LIMITS(L)                                                                             \
	L(JOB, "job_timeout")	      /* xe: of a job */                                           \
	L(REQUEST, "request_timeout") /* i915: of a request, from its submit on */                 \
	L(HEARTBEAT,                                                                               \
	  "heartbeat_interval")	      /* i915: between two requests that the engine must run */    \
	L(PREEMPT, "preempt_timeout") /* to leave the engine, once it is to */                     \
	L(STOP, "stop_timeout")	      /* to stop, before an engine is reset */                     \
	L(TIMESLICE, "timeslice_duration")                                                         \
	L(VIRTUAL, "virtual_function") /* 1: no limit, the device is one, and others take turns */

enum lane_limit_kind {
#define L(id, name) LANE_LIMIT_##id,
	LANE_LIMITS(L)
#undef L
	LANE_LIMIT_KINDS
};

extern const char *const lane_limit_names[LANE_LIMIT_KINDS];

/* An engine of i915 (rcs0), or a class of engines of xe (ccs). */
struct lane_engine_limits {
	uint32_t card;		       /* its card's number */
	char dev[32];		       /* that device's name on its bus */
	char engine[16];	       /* the folder's name in /sys */
	uint64_t ns[LANE_LIMIT_KINDS]; /* 0: it has none, or it is off */
};

#define LANE_LIMITS_MOST 32

struct lane_limits {
	uint32_t n;
	struct lane_engine_limits of[LANE_LIMITS_MOST];
	char dumps[160]; /* paths of the dumps that drivers left meanwhile, a space between them */
	/* The CPUs' idle states, `0-3:POLL=0,C1=2,C6=133;4-7:...`: of these CPUs, by their numbers
	 * from 0 on, with the us that it takes at most to leave one. */
	char idle_states[256];
	/* In which order drm_sched takes entities: round_robin, fifo, fair (Linux 7.2); "": not
	 * known. */
	char sched_policy[16];
};

/* Finds an idle state of a CPU: writes its name, or its number where that is not known, and the
 * time to leave it, UINT64_MAX: not known. */
void lane_idle_state(const struct lane_limits *limits, int32_t cpu, uint32_t state, char name[16],
		     uint64_t *leave_ns);

/* The row of that name, made if there is none; NULL: there is no room, or a name is too long. */
struct lane_engine_limits *lane_limits_row(struct lane_limits *limits, uint32_t card,
					   const char *dev, const char *engine);

/* Which limit the name is; -1: none. */
int lane_limit_by_name(const char *name);

#endif
