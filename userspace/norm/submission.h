/* SPDX-License-Identifier: MIT */
/* How requests reach the hardware, told from the kernel's release and from the events themselves.
 */
#ifndef LANE_NORM_SUBMISSION_H
#define LANE_NORM_SUBMISSION_H

#include "norm/norm.h"

/* What was seen so far. */
struct lane_submission_clues {
	bool in_recorded; /* `in` would be there if the driver fired it */
	unsigned int executes;
};

/*
 * What the facts of a trace say, UNKNOWN when they say nothing; begins the clues.
 */
enum lane_submission norm_submission_facts(struct lane_submission_clues *clues,
					   const struct lane_trace_info *info);

/* What the events up to this one say, UNKNOWN when they say nothing yet. */
enum lane_submission norm_submission_clue(struct lane_submission_clues *clues,
					  const struct lane_event *event);

#endif
