/* SPDX-License-Identifier: MIT */
/* The requests that wait in an engine's queue, before they are handed over or taken back from it.
 */
#ifndef LANE_TIMELINE_WAITING_H
#define LANE_TIMELINE_WAITING_H

#include "timeline/state.h"

/* rq waits for eng: it was submitted, or taken back. */
void timeline_waiting_add(struct lane_eng *eng, struct lane_rq *rq);
/* rq was handed over: it waits no more. */
void timeline_waiting_handed_over(struct lane_rq *rq);
/* rq is over. If it waits still, the driver has not taken it out of the queue yet, or nobody saw.
 */
void timeline_waiting_over(struct lane_rq *rq);
/* A run of the tasklet is over: if it leaves eng's ports empty, its dequeue found no request. */
void timeline_waiting_run_over(struct lane_eng *eng);
/* What eng's driver takes back yields to a request on the ports: no other waits, seen or unseen. */
bool timeline_waiting_yields_to_ports(const struct lane_timeline *tl, const struct lane_eng *eng);

#endif
