/* SPDX-License-Identifier: MIT */
/* The checker: the truth as the oracle writes it, and what is counted of a report. */
#ifndef ORACLE_CHECK_H
#define ORACLE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNKNOWN_TIME UINT64_MAX

/* The values of which one counts as right: the hardware's moment, and the stamps that go with it.
 */
struct values {
	uint64_t *at;
	size_t n;
};

struct truth_run {
	struct values begin, end;
};

struct truth_preemption {
	struct values at;
	char culprit[48]; /* CTX:SEQNO, empty when nobody took its place */
	char why[16];
	bool is_matched;
};

struct truth_request {
	uint64_t ctx, seqno;
	uint64_t queue, add, submit, execute, signal, retire; /* UNKNOWN_TIME: never */
	struct truth_run *runs;
	size_t n_runs;
	struct truth_preemption *preemptions;
	size_t n_preemptions;
	bool is_told;
};

struct truth {
	struct truth_request *requests;
	size_t n;
};

bool truth_read(const char *path, struct truth *truth);
struct truth_request *truth_find(struct truth *truth, uint64_t ctx, uint64_t seqno);
void truth_free(struct truth *truth);

/* What a report tells of a value: [min, max], or unknown. */
struct told {
	uint64_t min, max;
	bool is_known;
};

/* Whether one of the values lies in [min, max]. */
bool values_meet(const struct values *values, const struct told *told);
/* How far [min, max] is from the nearest of them. */
uint64_t values_distance(const struct values *values, const struct told *told);
/* Whether a sum of the runs, or of the gaps between them, lies in [min, max]. */
bool running_meets(const struct truth_request *rq, const struct told *told);
bool preempted_meets(const struct truth_request *rq, const struct told *told);

#endif
