/* SPDX-License-Identifier: MIT */
/* A port is given back: what its `out` tells. */
#ifndef LANE_TIMELINE_PORT_BACK_H
#define LANE_TIMELINE_PORT_BACK_H

#include "timeline/state.h"

/* R3, R12. Reads an `out` of rq (NULL: not known) on eng. */
void timeline_engine_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			 const struct lane_event *event);
/* Reads an i915_engine_ports, which ends the run of the tasklet that is held. */
void timeline_engine_ports(struct lane_timeline *tl, const struct lane_event *event);
/* R12. `port` is of a replaced set. If it has the leaver's context, the leaver leaves now; what is
 * next starts by R18 (bound/bound.c). */
void timeline_port_back_changes_over(struct lane_timeline *tl, struct lane_eng *eng,
				     const struct lane_entry *port);

#endif
