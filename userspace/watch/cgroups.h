/* SPDX-License-Identifier: MIT */
/* The cgroups of processes, as /proc tells them; a few are remembered, for a few seconds. */
#ifndef LANE_WATCH_CGROUPS_H
#define LANE_WATCH_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lane_cgroups;

struct lane_error *watch_cgroups_create(struct lane_cgroups **cgroups) LANE_MUST_CHECK;

/* The name of a process's cgroup, valid until the next call; NULL: nobody knows. */
const char *watch_cgroups_of(struct lane_cgroups *cgroups, int32_t pid, uint64_t now_ns);

/* Frees; NULL is allowed. */
void watch_cgroups_destroy(struct lane_cgroups *cgroups);

#endif
