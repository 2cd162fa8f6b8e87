/* SPDX-License-Identifier: MIT */
/* The requests that wait in the driver's queue of an engine: submitted or taken back, and not
 * handed over. */
#ifndef LANE_TIMELINE_WAITING_H
#define LANE_TIMELINE_WAITING_H

#include "timeline/state.h"

/* rq was submitted, or taken back: it waits for eng. Does nothing if it waits already. */
void timeline_waiting_add(struct lane_eng *eng, struct lane_rq *rq);
/* rq was handed over: it does not wait any more. */
void timeline_waiting_handed_over(struct lane_rq *rq);
/* rq ended. If it waits still, the driver may have it in the queue yet: eng's queue is not known to
 * be empty any more. */
void timeline_waiting_over(struct lane_rq *rq);
/* A run of the tasklet is over. If it leaves eng's ports empty, its dequeue found no request. */
void timeline_waiting_run_over(struct lane_eng *eng);
/* What eng's driver takes back yields to a request on the ports: no other request waits, seen or
 * unseen. */
bool timeline_waiting_yields_to_ports(const struct lane_timeline *tl, const struct lane_eng *eng);

#endif
