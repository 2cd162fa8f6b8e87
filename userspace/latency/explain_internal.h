/* SPDX-License-Identifier: MIT */
/* What the files of explain share. */
#ifndef LANE_LATENCY_EXPLAIN_INTERNAL_H
#define LANE_LATENCY_EXPLAIN_INTERNAL_H

#include "latency/explained.h"

/* A bound that evidence is looked for. */
struct lane_wanted {
	uint64_t at_ns;
	struct lane_evidence *evidence;
	const struct lane_explained *of;
	const struct lane_explain_turn *turn; /* the run that it is about; NULL: not known */
	enum lane_moment_what what;
	bool is_upper, is_exact;
	int rank; /* of what has been found */
};

/* By which rule an event shows a bound, and how well compared with others. */
struct lane_judgement {
	uint8_t rule, rank;
};

/* What the event says of its own time. */
struct lane_judgement latency_explain_judge(const struct lane_explain *x,
					    const struct lane_wanted *w,
					    const struct lane_event *event);

/* A look of the driver (R10), or silence (R13), that the event ends: what it says of the time at
 * which that began. */
struct lane_judgement latency_explain_judge_back(const struct lane_wanted *w,
						 const struct lane_event *event,
						 enum lane_rule rule);

/* The driver's pause is over so long after the event (R24). */
struct lane_judgement latency_explain_judge_ahead(const struct lane_wanted *w,
						  const struct lane_event *event);

#endif
