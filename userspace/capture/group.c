// SPDX-License-Identifier: MIT
// The groups of `record --events` by the names that the table of events gives them.
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"

static const struct {
	const char *name;
	enum lane_group group;
} groups[] = {
	{ "i915", LANE_GROUP_I915 },	   { "context", LANE_GROUP_CONTEXT },
	{ "drm", LANE_GROUP_DRM },	   { "driver", LANE_GROUP_DRIVER },
	{ "fence", LANE_GROUP_FENCE },	   { "sched", LANE_GROUP_SCHED },
	{ "process", LANE_GROUP_PROCESS }, { "irq", LANE_GROUP_IRQ },
	{ "opencl", LANE_GROUP_OPENCL },   { "reset", LANE_GROUP_RESET },
	{ "memory", LANE_GROUP_MEMORY },   { "power", LANE_GROUP_POWER },
};

void capture_group_names(char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "",
					 groups[i].name);
}

unsigned int capture_group_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(name, groups[i].name))
			return groups[i].group;
	return 0;
}
