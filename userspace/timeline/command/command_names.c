// SPDX-License-Identifier: MIT
// The words for an OpenCL command: what it is, how certain its requests are, and why.
#include "timeline/timeline.h"

const char *const lane_certainty_names[LANE_CERTAINTY_COUNT] = {
	[LANE_CERTAIN_NONE] = "none",
	[LANE_CERTAIN_AMBIGUOUS] = "ambiguous",
	[LANE_CERTAIN_EXACT] = "exact",
};

const char *const lane_why_names[LANE_WHY_COUNT] = {
#define W(id, name, help) [LANE_WHY_##id] = name,
	LANE_WHYS(W)
#undef W
};

const char *const lane_why_helps[LANE_WHY_COUNT] = {
#define W(id, name, help) [LANE_WHY_##id] = help,
	LANE_WHYS(W)
#undef W
};

const char *const lane_command_class_names[LANE_COMMAND_CLASSES] = {
	[LANE_COMMAND_KERNEL] = "kernel", [LANE_COMMAND_READ] = "read",
	[LANE_COMMAND_WRITE] = "write",	  [LANE_COMMAND_COPY] = "copy",
	[LANE_COMMAND_MAP] = "map",	  [LANE_COMMAND_UNMAP] = "unmap",
	[LANE_COMMAND_OTHER] = "other",
};
