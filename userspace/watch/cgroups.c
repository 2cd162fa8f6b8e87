// SPDX-License-Identifier: MIT
// The cgroups of processes.
#include "watch/cgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cgroup.h"
#include "base/cleanup.h"

#define REMEMBERED 256
/* A process may move, and its number may become another's. */
#define FRESH_NS 5000000000ull

struct known_process {
	int32_t pid; /* 0: none */
	uint64_t since_ns;
	char name[LANE_CGROUP_TEXT]; /* "": it has none */
};

struct lane_cgroups {
	struct known_process known[REMEMBERED];
};

struct lane_error *watch_cgroups_create(struct lane_cgroups **cgroups)
{
	*cgroups = calloc(1, sizeof(**cgroups));
	return *cgroups ? NULL : &lane_enomem;
}

void watch_cgroups_destroy(struct lane_cgroups *cgroups)
{
	free(cgroups);
}

static void look_up(struct known_process *known)
{
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	char path[32], text[4096];
	size_t n;

	known->name[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/cgroup", known->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	lane_cgroup_name(text, "", known->name, sizeof(known->name));
}

const char *watch_cgroups_of(struct lane_cgroups *cgroups, int32_t pid, uint64_t now_ns)
{
	struct known_process *known = &cgroups->known[(uint32_t)pid % REMEMBERED];

	if (known->pid != pid || now_ns - known->since_ns > FRESH_NS) {
		*known = (struct known_process){ .pid = pid, .since_ns = now_ns };
		look_up(known);
	}
	return known->name[0] ? known->name : NULL;
}
