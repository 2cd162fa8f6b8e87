/* SPDX-License-Identifier: MIT */
/* One timeline, several subscribers. */
#ifndef LANE_CMD_HOOKS_H
#define LANE_CMD_HOOKS_H

#include "timeline/timeline.h"

#define LANE_FAN_MAX 8

struct lane_fan {
	struct lane_hooks to[LANE_FAN_MAX];
	size_t n;
};

/* Hooks that tell everyone in the fan, in its order; the fan outlives the timeline. */
struct lane_hooks lane_fan_hooks(struct lane_fan *fan);

#endif
