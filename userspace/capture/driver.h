/* SPDX-License-Identifier: MIT */
/* What the running i915 says of itself in /sys. */
#ifndef LANE_CAPTURE_DRIVER_H
#define LANE_CAPTURE_DRIVER_H

#include <stdbool.h>

struct lane_driver {
	bool loaded;
	char version[64];	/* srcversion of the module, "" when it has none */
	const char *submission; /* "execlists", "guc", "unknown" */
};

/* Reads /sys/module/i915 below root ("" for the machine's own). */
void lane_driver_read(const char *root, struct lane_driver *driver);

#endif
