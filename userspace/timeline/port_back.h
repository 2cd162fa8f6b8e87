/* SPDX-License-Identifier: MIT */
/* A port is given back: what its `out` tells. */
#ifndef LANE_TIMELINE_PORT_BACK_H
#define LANE_TIMELINE_PORT_BACK_H

#include "timeline/state.h"

void timeline_engine_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 const struct lane_event *event);
void timeline_engine_ports(struct lane_timeline *tl, const struct lane_event *event);
/* The set of a port of the leaver's has been replaced: the next one has the engine. */
void timeline_port_back_changes_over(struct lane_timeline *tl, struct lane_eng *eng,
				     const struct lane_entry *port, bool is_taking_back_seen,
				     uint64_t now_ns);

#endif
