// SPDX-License-Identifier: MIT
// Files that come with gpulane, found from where this program lies.
#include "base/place.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"

struct lane_error *lane_place_find(const char *const *places, size_t n, const char *name,
				   char **path)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	*path = NULL;
	if (length < 0)
		return lane_error_errno(errno,
					"/proc/self/exe: cannot be read (is /proc mounted?)");
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < n; i++) {
		LANE_CLEANUP(lane_free) char *candidate = NULL;

		if (asprintf(&candidate, "%s/%s/%s", program, places[i], name) < 0) {
			candidate = NULL;
			return &lane_enomem;
		}
		if (!access(candidate, R_OK)) {
			*path = LANE_TAKE(candidate);
			return NULL;
		}
	}
	return NULL;
}
