/* SPDX-License-Identifier: MIT */
/* What the ports tell: that one is given back, or what is on them. */
#ifndef LANE_TIMELINE_OUT_H
#define LANE_TIMELINE_OUT_H

#include "timeline/state.h"

void timeline_engine_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 const struct lane_event *event);
void timeline_engine_ports(struct lane_timeline *tl, const struct lane_event *event);

#endif
