/* SPDX-License-Identifier: MIT */
/* What the parts of the check share. */
#ifndef SIM_CHECK_PARTS_H
#define SIM_CHECK_PARTS_H

#include "check.h"
#include "latency/latency.h"

/* sched_wakeup comes so soon behind sched_waking. */
#define SIM_WAKING_NS 4000

struct key {
	uint64_t ctx;
	uint32_t dev;
	uint32_t seqno;
	uint32_t request;
};

/* What the timeline has told of a request. */
struct told {
	uint32_t times;
	uint32_t preemptions;
	bool spans_exact; /* in the truth */
	bool start_undecided;
	bool end_undecided;
	int64_t host_ns; /* of the queue's changes */
	int64_t device_ns;
};

struct check {
	const char *name;
	const struct sim_truth *truth;
	const struct lane_trace_info *info;
	enum sim_demand demand;
	struct sim_verdict *verdict;
	FILE *log;
	unsigned int shout;
	struct key *keys;
	struct told *told;
	struct sim_state *states;    /* by thread and time */
	struct sim_span *spans;	     /* by request and time */
	uint64_t *certain;	     /* per engine: what is on its ports is known from here on */
	struct lane_latency latency; /* what it adds up of engines is held against the truth */
	struct lane_hooks adds_up;   /* its own */
};

/* Counts a difference, and shows it while some are to be shown. */
void LANE_PRINTF(3, 4) sim_complain(struct check *c, uint64_t *counter, const char *format, ...);

/* By thread and time. */
int sim_compare_states(const void *a, const void *b);

/* The request of the truth, SIM_NO if there is none. */
uint32_t sim_find_rq(const struct check *c, const struct lane_request *rq);
/* The wake of the longest wait for it, and its part on a run queue. */
void sim_check_wake(struct check *c, uint32_t request, const struct lane_stages *stages);

/* check_sched.c: jobs of drm_sched. */
void sim_check_job(void *arg, const struct lane_request *rq);
void sim_check_untold(struct check *c);

/* check_engine.c: hooks of the timeline, and what the engines' times come to in the end. */
void sim_check_run(void *arg, const struct lane_run *run);
void sim_check_idle(void *arg, const struct lane_idle *idle);
void sim_check_engines(struct check *c);

#endif
