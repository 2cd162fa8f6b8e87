/* SPDX-License-Identifier: MIT */
/* Which events are of one run of the tasklet, and which of another. No event tells where a run
 * begins or ends. What the driver cannot do in one run tells it. */
#ifndef LANE_TIMELINE_TASKLET_PARTS_H
#define LANE_TIMELINE_TASKLET_PARTS_H

#include "timeline/state.h"

/* Returns how many of the items that are held are of an older run than `event`; 0: none. On a stock
 * kernel it notes when the later dequeue began (R20). */
uint32_t timeline_tasklet_older_items(struct lane_timeline *tl, struct lane_eng *eng,
				      const struct lane_event *event);
/* The item at which the dequeue begins that wrote the ports: the items before it are of an earlier
 * dequeue. 0: all are of one. */
uint32_t timeline_tasklet_last_dequeue(const struct lane_eng *eng);
/* The dequeue that is held did not fire the signals that came since, so it was over by then. */
bool timeline_tasklet_was_over(const struct lane_timeline *tl, const struct lane_eng *eng);
/* More events of the dequeue that is held are to come, however late. */
bool timeline_tasklet_is_amid_dequeue(const struct lane_timeline *tl, const struct lane_eng *eng);
/* rq is taken back, by what has been read or is held, or was handed over again at since_ns or later
 * (NEVER: it was not): a signal of rq would not be prompt. */
bool timeline_tasklet_is_back(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq, uint64_t since_ns);

#endif
