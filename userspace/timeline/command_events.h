/* SPDX-License-Identifier: MIT */
/* What the timeline tells the files about OpenCL. */
#ifndef LANE_TIMELINE_COMMAND_EVENTS_H
#define LANE_TIMELINE_COMMAND_EVENTS_H

#include "timeline/state.h"

void timeline_command_event(struct lane_timeline *tl, const struct lane_event *event);
/* A job of drm_sched comes to its entity's queue, in the thread that submits it; command_match.c.
 */
void timeline_command_job(struct lane_timeline *tl, const struct lane_event *event,
			  struct lane_rq *rq);
/* The story of a request is over; command_match.c. */
void timeline_command_request(struct lane_timeline *tl, const struct lane_request *rq);
void timeline_command_finish(struct lane_timeline *tl);
void timeline_command_free(struct lane_timeline *tl);

#endif
