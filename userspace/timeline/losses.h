/* SPDX-License-Identifier: MIT */
/* Losses: when they were. */
#ifndef LANE_TIMELINE_LOSSES_H
#define LANE_TIMELINE_LOSSES_H

#include "timeline/state.h"

/* Lost between two events of one time: what is of that time came before it, or after. */
static inline bool timeline_loss_is_instant(const struct lane_loss *loss)
{
	return loss->begin_ns == loss->end_ns;
}

/* How many events at least were lost in (begin, end): 0, 1, or 2 and more, which may be of an
 * unknown number. */
uint64_t timeline_loss_between(const struct lane_timeline *tl, uint64_t begin_ns, uint64_t end_ns);
/* A loss of another CPU begins at ns. */
bool timeline_loss_begins_beside(const struct lane_timeline *tl, uint64_t ns, int cpu);
/* A loss of another CPU ends at ns. */
bool timeline_loss_ends_beside(const struct lane_timeline *tl, uint64_t ns, int cpu);
/* The end of the loss that ns is in, ns itself if it is in none. */
uint64_t timeline_loss_over(const struct lane_timeline *tl, uint64_t ns);
/* Events of rq may have come before the recording did, or have been lost. */
bool timeline_loss_hides(const struct lane_timeline *tl, const struct lane_rq *rq);
/* False: there is no memory. */
bool timeline_loss_add(struct lane_timeline *tl, const struct lane_loss *loss);
/* True when exactly this loss, or one that covers it, has been foreseen. */
bool timeline_loss_is_foreseen(const struct lane_timeline *tl, const struct lane_loss *loss);

#endif
