// SPDX-License-Identifier: MIT
// Reads pairs of events of two recordings: `RECORDING NS before|after NS`.
#include "norm/pairs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A decimal number that is the whole word. */
static bool number(const char *word, uint64_t *value)
{
	char *end;

	if (!word || *word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 10);
	return !errno && !*end;
}

/* One line; false: it is not a pair. */
static bool take(char *line, struct lane_sync *syncs, size_t n)
{
	char *rest = line, *words[5] = { NULL };
	uint64_t recording, first_ns, other_ns;

	for (int i = 0; i < 5; i++)
		words[i] = strtok_r(i ? NULL : line, " \t\r\n", &rest);
	if (!words[0] || words[0][0] == '#')
		return true;
	if (!number(words[0], &recording) || !number(words[1], &first_ns) || !words[2] ||
	    !number(words[3], &other_ns) || words[4] || !recording || recording >= n)
		return false;
	if (!strcmp(words[2], "before"))
		lane_sync_before(&syncs[recording], first_ns, other_ns);
	else if (!strcmp(words[2], "after"))
		lane_sync_after(&syncs[recording], first_ns, other_ns);
	else
		return false;
	return true;
}

struct lane_error *lane_pairs_read(const char *path, struct lane_sync *syncs, size_t n)
{
	LANE_CLEANUP(lane_fclose) FILE *from = fopen(path, "re");
	LANE_CLEANUP(lane_free) char *line = NULL;
	uint64_t at = 0, lo, hi;
	size_t size = 0;

	if (!from)
		return lane_error_errno(errno, "%s", path);
	for (size_t i = 0; i < n; i++)
		lane_sync_init(&syncs[i], 1);
	while (getline(&line, &size, from) >= 0) {
		at++;
		if (!take(line, syncs, n))
			return lane_error("%s:%" PRIu64 ": not a pair (RECORDING NS before|after "
					  "NS; recordings are 1 to %zu)",
					  path, at, n - 1);
	}
	if (ferror(from))
		return lane_error_errno(errno, "%s", path);
	for (size_t i = 1; i < n; i++) {
		if (syncs[i].restarts)
			return lane_error("%s: no even clock keeps all pairs of recording %zu",
					  path, i);
		if (!lane_sync_bounds(&syncs[i], syncs[i].last_other, &lo, &hi))
			return lane_error("%s: the clock of recording %zu is not bounded: it needs "
					  "pairs of both kinds",
					  path, i);
	}
	return NULL;
}
