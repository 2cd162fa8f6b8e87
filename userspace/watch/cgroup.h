/* SPDX-License-Identifier: MIT */
/* The cgroups of processes, as /proc tells them; a few are remembered, for a few seconds. */
#ifndef LANE_WATCH_CGROUP_H
#define LANE_WATCH_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lane_cgroups;

struct lane_error *watch_cgroups_create(struct lane_cgroups **cgroups) LANE_MUST_CHECK;

/* The name of a process's cgroup, valid until the next call; NULL: nobody knows. */
const char *watch_cgroups_of(struct lane_cgroups *cgroups, int32_t pid, uint64_t now_ns);

/*
 * The name from a text as /proc/PID/cgroup has it: the last part of the path in the one hierarchy
 * (0::). False: it is the root, or there is none.
 */
bool watch_cgroup_name(const char *text, char *name, size_t size);

/* Frees; NULL is allowed. */
void watch_cgroups_destroy(struct lane_cgroups *cgroups);

#endif
