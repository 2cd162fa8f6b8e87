/* SPDX-License-Identifier: MIT */
/* Compares what was read of a trace with what its recording.json has counted. */
#ifndef LANE_NORM_ACCOUNT_H
#define LANE_NORM_ACCOUNT_H

#include "norm/recorded.h"

/* What is missing of a trace, as losses that all end with it. */
struct lane_missing {
	struct lane_p_gpulane_lost *losses;
	size_t n;
	uint64_t events; /* how many are missing, where they are counted */
};

/*
 * Finds what is missing: the rest of streams that are damaged, and what recording.json counts and
 * the n streams do not have. All of it lies between begin_ns, when the trace began, and end_ns.
 * *missing is the caller's; norm_missing_free frees what it holds.
 */
struct lane_error *norm_account_check(const struct lane_expected *expected,
				      const struct lane_account *accounts, size_t n,
				      uint64_t begin_ns, uint64_t end_ns,
				      struct lane_missing *missing) LANE_MUST_CHECK;

void norm_missing_free(struct lane_missing *missing);

#endif
