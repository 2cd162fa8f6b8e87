/* SPDX-License-Identifier: MIT */
/* Processes that gl-flip has do something each time that it tells them to. */
#ifndef FLIP_HELPER_H
#define FLIP_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include "fence.h"

enum helper_kind {
	HELPER_JOBS,	 /* submits jobs to a ring of gl-sched */
	HELPER_REQUESTS, /* submits requests to the replay driver's first engine */
	HELPER_HOG,	 /* takes its CPU at real-time priority until then */
	HELPER_WAIT,	 /* answers then */
	HELPER_DEVICE,	 /* answers with a fence of vgem, and signals it `duration` later */
	HELPER_KINDS
};

/* How it is started. */
struct helper_set {
	const char *name;
	enum helper_kind kind;
	int cpu;	   /* that it stays on; -1: any */
	unsigned int ring; /* of HELPER_JOBS */
	int prio;	   /* of HELPER_REQUESTS: its context's */
};

struct helper_order {
	uint64_t until_ns;	 /* `then`: CLOCK_MONOTONIC */
	uint64_t duration_ns;	 /* of a job, or until a fence is signalled */
	struct fence_name after; /* that the job waits for; ctx 0: none */
};

/* What it answers: which job, or fence. `file` is the fence's, -1 where it has none. */
struct helper_answer {
	struct fence_name job;
	int file;
};

struct helper {
	int socket;
};

/* Each ends the program where it fails. */
struct helper helper_start(const struct helper_set *set);
void helper_tell(const struct helper *helper, const struct helper_order *order);
struct helper_answer helper_answered(const struct helper *helper);

uint64_t helper_now_ns(void);
void helper_sleep_until(uint64_t ns);
void helper_take_cpu(int cpu);

#endif
