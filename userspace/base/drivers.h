/* SPDX-License-Identifier: MIT */
/* The drivers that submit to drm_sched: base/drivers.def. */
#ifndef LANE_BASE_DRIVERS_H
#define LANE_BASE_DRIVERS_H

#include <stdbool.h>

/* What a ring does with the jobs that it was given. */
enum lane_discipline {
	LANE_RING_UNKNOWN,  /* not known: it may run several at a time */
	LANE_RING_SERIAL,   /* one at a time, in order */
	LANE_RING_FIRMWARE, /* in order, when a firmware or another ring lets it run */
	LANE_RING_LONG,	    /* so, and a job may run on after the scheduler called it done */
};

/* A line of drivers.def. Lists have a space between their words. */
struct lane_drm_driver {
	const char *name;
	enum lane_discipline discipline;
	const char *rings, *several, *shared, *system;
	unsigned int major, minor;
	const char *adds;
	const char *not_loaded; /* "NAME is not loaded" */
};

/* The driver of that name; one without a name and with nothing known: there is no such driver. */
const struct lane_drm_driver *lane_drm_driver_find(const char *name);

/* The only driver whose rings' names begin so; as above. */
const struct lane_drm_driver *lane_drm_driver_of_ring(const char *ring);

/* The driver whose own event is of that kind (lane_is_driver()); as above. */
const struct lane_drm_driver *lane_drm_driver_of_kind(const char *kind);

/* What that ring of the driver does with its jobs. */
enum lane_discipline lane_drm_discipline(const struct lane_drm_driver *driver, const char *ring);

/* Several schedulers of one device may have this name. */
bool lane_drm_ring_is_of_several(const char *ring);

#endif
