/* SPDX-License-Identifier: MIT */
/* One timeline, several subscribers. */
#ifndef LANE_SESSION_FAN_H
#define LANE_SESSION_FAN_H

#include "latency/latency.h"

#define SESSION_FAN_MAX 8

struct session_fan {
	struct lane_hooks to[SESSION_FAN_MAX];
	size_t n;
};

/* Hooks that tell everyone in the fan, in its order; the fan outlives the timeline. */
struct lane_hooks session_fan_hooks(struct session_fan *fan);

#endif
