/* SPDX-License-Identifier: MIT */
/*
 * What is still to be told: losses, and that two rings have one name. A loss is told when it is
 * over; what is concluded from the events of its time has to know of it before. All is read for it
 * once, when somebody first asks: only what names things by conclusions does (norm/drm_jobs.h).
 */
#ifndef LANE_NORM_FORESIGHT_H
#define LANE_NORM_FORESIGHT_H

#include "norm/norm.h"

struct lane_foresight;

/* What the places point to must outlive it. norm_foresight_destroy frees it. NULL: no memory. */
struct lane_foresight *norm_foresight_create(const struct lane_place *places, size_t n,
					     enum lane_prefer prefer);

/*
 * True when that host's events were lost between two events of these times; also where the losses
 * could not be read.
 */
bool norm_foresight_is_lossy(struct lane_foresight *foresight, uint32_t host, uint64_t begin_ns,
			     uint64_t end_ns);

/*
 * True when two schedulers of that host have a ring of this name, as far as anything shows; also
 * where that could not be read.
 */
bool norm_foresight_is_two(struct lane_foresight *foresight, uint32_t host,
			   const char name[LANE_RING_BYTES]);

/* NULL is allowed. */
void norm_foresight_destroy(struct lane_foresight *foresight);

#endif
