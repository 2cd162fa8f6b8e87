/* SPDX-License-Identifier: MIT */
/* Counters of GPUs that bound what a request can have run (docs/counters.md): engines', and
 * clients' that have what runs now. */
#ifndef LANE_TIMELINE_NARROW_H
#define LANE_TIMELINE_NARROW_H

#include "timeline/internal.h"

/* A counter is described, or has been read. */
void timeline_narrow_event(struct lane_timeline *tl, const struct lane_event *event);

/* Tightens when rq began and how long it ran, as far as these have bounds only, by what the
 * counters of its engine or its client say of that time. */
void timeline_narrow_request(const struct lane_timeline *tl, struct lane_rq *rq);

void timeline_narrow_free(struct lane_timeline *tl);

#endif
