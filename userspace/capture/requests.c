// SPDX-License-Identifier: MIT
// Whether a GPU's requests will be recorded.
#include "capture/requests.h"

#include <stdio.h>

#include "capture/driver.h"

#define GPU_GROUPS (LANE_GROUP_I915 | LANE_GROUP_CONTEXT)

/*
 * True when one of the captures records an event of these groups; else *missing becomes the first
 * reason why not. The snapshot of /proc is no event of anything that happens.
 */
static bool records(const struct lane_capture_kind *const *kinds, size_t n, unsigned int groups,
		    const char **missing)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (kind == LANE_STATEDUMP ||
		    !(groups & lane_group_by_name(lane_kinds[kind].group)))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (kinds[i][kind].recorded)
				return true;
			if (!*missing && *kinds[i][kind].missing)
				*missing = kinds[i][kind].missing;
		}
	}
	return false;
}

enum lane_requests lane_requests_check(const struct lane_capture_kind *const *kinds, size_t n,
				       unsigned int groups, const char *root, char *why,
				       size_t bytes)
{
	const char *missing = NULL, *missing_else = NULL;
	bool requests = records(kinds, n, groups & GPU_GROUPS, &missing);
	bool others = records(kinds, n, ~0u & ~GPU_GROUPS, &missing_else);

	if (!(groups & GPU_GROUPS)) {
		snprintf(why, bytes, "%s", missing_else ? missing_else : "no event is there");
		return others ? LANE_REQUESTS_RECORDED : LANE_REQUESTS_NOTHING;
	}
	if (!lane_driver_absent(root, why, bytes)) {
		if (requests)
			return LANE_REQUESTS_RECORDED;
		snprintf(why, bytes, "%s", missing ? missing : "no event is there");
	}
	return requests || others ? LANE_REQUESTS_UNRECORDED : LANE_REQUESTS_NOTHING;
}
