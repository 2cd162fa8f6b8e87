// SPDX-License-Identifier: MIT
// The groups of `record --events` by the names that the table of events gives them.
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"

#define RECORD	LANE_CHOSEN_RECORD
#define TOP	LANE_CHOSEN_TOP
#define WATCH	LANE_CHOSEN_WATCH
#define UNNAMED LANE_CHOSEN_UNNAMED
const struct lane_group_info lane_groups[LANE_GROUP_COUNT] = {
#define GROUP(id, name, system, chosen) [LANE_GROUP_BIT_##id] = { name, system, chosen },
#include "capture/groups.def"
#undef GROUP
};

unsigned int capture_groups_chosen(enum lane_group_chosen by)
{
	unsigned int groups = 0;

	for (int i = 0; i < LANE_GROUP_COUNT; i++)
		if (lane_groups[i].chosen & by)
			groups |= 1u << i;
	return groups;
}

void capture_group_names(char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < LANE_GROUP_COUNT && used < bytes; i++)
		if (!(lane_groups[i].chosen & UNNAMED))
			used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "",
						 lane_groups[i].name);
}

unsigned int capture_group_by_name(const char *name)
{
	for (int i = 0; i < LANE_GROUP_COUNT; i++)
		if (!(lane_groups[i].chosen & UNNAMED) && !strcmp(name, lane_groups[i].name))
			return 1u << i;
	return 0;
}
