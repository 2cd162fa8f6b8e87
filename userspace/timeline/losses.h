/* SPDX-License-Identifier: MIT */
/* When events were lost. */
#ifndef LANE_TIMELINE_LOSSES_H
#define LANE_TIMELINE_LOSSES_H

#include "timeline/state.h"

/* The loss lies between two events of one time: an event of that time came before the loss, or
 * after. */
static inline bool timeline_loss_is_instant(const struct lane_loss *loss)
{
	return loss->begin_ns == loss->end_ns;
}

/* Returns how many events were lost in (begin_ns, end_ns), at least: 0 or 1; any other number says
 * two or more, or an unknown number. */
uint64_t timeline_loss_between(const struct lane_timeline *tl, uint64_t begin_ns, uint64_t end_ns);
/* True when events of this CPU, or of no known one, were lost between two of its events. */
bool timeline_loss_of_cpu(const struct lane_timeline *tl, int32_t cpu, uint64_t begin_ns,
			  uint64_t end_ns);
/* From the first of the losses in (begin_ns, end_ns) to the last one, no further than these. */
struct lane_span timeline_loss_hull(const struct lane_timeline *tl, uint64_t begin_ns,
				    uint64_t end_ns);
/* A loss of another CPU begins at ns. */
bool timeline_loss_begins_beside(const struct lane_timeline *tl, uint64_t ns, int cpu);
/* A loss of another CPU ends at ns. */
bool timeline_loss_ends_beside(const struct lane_timeline *tl, uint64_t ns, int cpu);
/* Events of rq may be missing: they came before the recording, or were lost. */
bool timeline_loss_hides(const struct lane_timeline *tl, const struct lane_rq *rq);
/* Adds a loss (copied), merged with those that overlap. False: no memory. */
bool timeline_loss_add(struct lane_timeline *tl, const struct lane_loss *loss);
/* True when a known loss covers this one. */
bool timeline_loss_is_foreseen(const struct lane_timeline *tl, const struct lane_loss *loss);

#endif
