/* SPDX-License-Identifier: MIT */
/*
 * Which events are of one run of the tasklet, and which of another. No event tells where a run
 * begins or ends: what the driver cannot do in one run does.
 */
#ifndef LANE_TIMELINE_TASKLET_PARTS_H
#define LANE_TIMELINE_TASKLET_PARTS_H

#include "timeline/state.h"

/* How many of the items that are held are of an older run than the event; 0: none. */
uint32_t timeline_tasklet_older_items(struct lane_timeline *tl, struct lane_eng *eng,
				      const struct lane_event *event);
/* Where the dequeue begins that wrote the ports: what is held before it is another's. */
uint32_t timeline_tasklet_last_dequeue(const struct lane_eng *eng);
/* The signals that came since the dequeue were not fired by it: it was over by then. */
bool timeline_tasklet_was_over(const struct lane_timeline *tl, const struct lane_eng *eng);
/* The dequeue took the request of an `out` back, or put it on a port. */
bool timeline_tasklet_was_alive(const struct lane_eng *eng, const struct lane_event *event);
/* The dequeue began with a look at rq, which stands on a port, and found it incomplete. */
bool timeline_tasklet_began_with(const struct lane_timeline *tl, const struct lane_eng *eng,
				 const struct lane_rq *rq);
/* More of the dequeue is to come, however late. */
bool timeline_tasklet_is_amid_dequeue(struct lane_timeline *tl, const struct lane_eng *eng);
/* The ports that the driver knows to be active are the set that is written in what is held. */
bool timeline_tasklet_is_taken(const struct lane_eng *eng,
			       const struct lane_p_i915_engine_ports *now);
/* Where the `out`s of a later run begin, if the ports were at the end of the first as they were
 * told last; the number of items: nowhere. */
uint32_t timeline_tasklet_later_outs(const struct lane_eng *eng);
/* rq is taken back, by what has been read or is held: its signal would be a late one. */
bool timeline_tasklet_is_back(const struct lane_timeline *tl, const struct lane_eng *eng,
			      const struct lane_rq *rq);

#endif
