/* SPDX-License-Identifier: MIT */
/*
 * What one host tells of itself to who looks at many: rows for a database, one per minute and kind
 * of thing, and metrics for a scraper (docs/fleet.md).
 */
#ifndef LANE_WATCH_FLEET_H
#define LANE_WATCH_FLEET_H

#include <stdbool.h>

#include "watch/rows.h"

enum lane_fleet_by {
	LANE_FLEET_BY_PROCESS, /* rows have a process's name */
	LANE_FLEET_BY_CGROUP,  /* or the last parts of its cgroup's path, where it is known */
};

struct lane_fleet_config {
	const char *rows;    /* a file, "-" for standard output; NULL: none */
	const char *metrics; /* [HOST:]PORT; NULL: none */
	bool has_names;	     /* metrics name processes and culprits; else nobody is named */
	enum lane_fleet_by by;
	const char *host;   /* NULL: this machine's name */
	const char *kernel; /* NULL: this kernel's release */
};

/*
 * Opens what the configuration names and makes a consumer of it; *rows is filled in, and its close
 * writes what has been counted in the minute that is not over. To be called with what privileges
 * there are: a file is opened, an address listened on.
 */
struct lane_error *watch_fleet_open(const struct lane_fleet_config *config,
				    struct lane_rows *rows) LANE_MUST_CHECK;

/* The port that metrics are served on, 0: none. */
unsigned int watch_fleet_port(const struct lane_rows *rows);

#endif
