/* SPDX-License-Identifier: MIT */
/* The devices and graphs that ship with gpulane: where they are installed, or were built. */
#ifndef LANE_MODEL_SHIPPED_H
#define LANE_MODEL_SHIPPED_H

#include "model/device.h"

/*
 * Finds a file that ships with gpulane: `name` is a path when it holds a slash or ends in the
 * suffix, else kind/name.suffix is looked for where gpulane is installed or was built. *path is the
 * caller's.
 */
struct lane_error *model_shipped_find(const char *kind, const char *name, const char *suffix,
				      char **path) LANE_MUST_CHECK;

/* Reads a shipped device, or the device file of this path. *device is the caller's to free. */
struct lane_error *model_device_find(const char *name, struct lane_device **device) LANE_MUST_CHECK;

#endif
