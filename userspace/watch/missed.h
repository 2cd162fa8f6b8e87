/* SPDX-License-Identifier: MIT */
/* Refreshes that displays missed in the last second. */
#ifndef LANE_WATCH_MISSED_H
#define LANE_WATCH_MISSED_H

#include "watch/hit.h"
#include "watch/shift.h"

#define LANE_MISSED_MOST 1000 /* refreshes of a second that can be asked for */

struct lane_missed;

/* *missed is the caller's. */
struct lane_error *watch_missed_create(struct lane_missed **missed) LANE_MUST_CHECK;

/*
 * A picture was shown. True: `least` refreshes or more were missed of its display in the second up
 * to then; *hit says when, how many, who asked, and of most of them the cause and the culprit. What
 * has been such a hit is not counted again.
 */
bool watch_missed_add(struct lane_missed *missed, const struct lane_ended *ended,
		      unsigned int least, struct lane_hit *hit);

/* Frees; NULL is allowed. */
void watch_missed_destroy(struct lane_missed *missed);

#endif
