/* SPDX-License-Identifier: MIT */
/*
 * What is done to every event of one trace, in place: engine numbers, scheduler states, ends told
 * by global seqnos. No allocation after set-up.
 */
#ifndef LANE_NORM_FIX_H
#define LANE_NORM_FIX_H

#include "norm/foresight.h"

struct lane_fix;

/* For a trace with these facts. *fix is the caller's; norm_fix_destroy frees it. */
struct lane_error *norm_fix_create(const struct lane_trace_info *info,
				   struct lane_fix **fix) LANE_MUST_CHECK;

/* Losses of that host are known beforehand from now on; NULL: they are not. */
void norm_fix_foresee(struct lane_fix *fix, struct lane_foresight *foresight, uint32_t host);

/* What became of an event. */
enum lane_fixed {
	LANE_FIXED,	 /* it is today's now */
	LANE_FIXED_AWAY, /* it says nothing of anybody */
	LANE_FIXED_MORE, /* it stands for the events that norm_fix_more gives, perhaps none */
	LANE_FIXED_GONE, /* it says nothing of anybody, and something was wrong: see norm_fix_error
			  */
	LANE_FIXED_TOLD, /* it is today's now, and something was wrong: see norm_fix_error */
};

/* What makes events of a kind today's; NULL: they are. */
extern enum lane_fixed (*const lane_fix_kind[LANE_KIND_COUNT])(struct lane_fix *fix,
							       struct lane_event *event);

/* Makes an event today's. */
static inline enum lane_fixed norm_fix_event(struct lane_fix *fix, struct lane_event *event)
{
	return lane_fix_kind[event->wire.kind] ? lane_fix_kind[event->wire.kind](fix, event)
					       : LANE_FIXED;
}

/*
 * After LANE_FIXED_MORE: overwrites the event with the next one it stands for; false when there is
 * none left.
 */
bool norm_fix_more(struct lane_fix *fix, struct lane_event *event);

/* What was wrong with the last event, told once a kind. It is the caller's. */
struct lane_error *norm_fix_error(struct lane_fix *fix) LANE_MUST_CHECK;

/* An event that says nothing becomes the loss of one at its time. */
void norm_fix_to_loss(struct lane_event *event);

/* Adds what was met so far. */
void norm_fix_counts(const struct lane_fix *fix, struct lane_input_counts *counts);

/* Frees everything; NULL is allowed. */
void norm_fix_destroy(struct lane_fix *fix);

#endif
