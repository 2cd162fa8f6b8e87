/* SPDX-License-Identifier: MIT */
/* Cgroups of processes, by names that people know: a unit's, a container's, a pod's. */
#ifndef LANE_BASE_CGROUP_H
#define LANE_BASE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define LANE_CGROUP_TEXT 64

/*
 * The name from a text as /proc/PID/cgroup has it: the last part of the path in the one hierarchy
 * (0::). Of a container the number is cut to 12 digits, as its runtime shows it; of a pod its name
 * comes first, as kubelet's folders below root/var/log/pods have it, else its number. Of a job of
 * Slurm's it is the job and its step. False: it is the root, or there is none.
 */
bool lane_cgroup_name(const char *text, const char *root, char *name, size_t size);

/* Processes with their cgroups' names. */
struct lane_cgroup_list {
	struct lane_cgroup_row {
		int32_t pid;
		char name[LANE_CGROUP_TEXT];
	} * rows;
	uint32_t n, room;
};

/* Adds the processes of root/proc that are not there yet. */
struct lane_error *lane_cgroups_walk(struct lane_cgroup_list *all,
				     const char *root) LANE_MUST_CHECK;

/* As lines: PID NAME. What is no such line is left out. */
void lane_cgroups_write(const struct lane_cgroup_list *all, FILE *to);
struct lane_error *lane_cgroups_read(struct lane_cgroup_list *all, FILE *from) LANE_MUST_CHECK;

/* The name, valid as long as nothing is added; NULL: nobody knows. */
const char *lane_cgroups_find(const struct lane_cgroup_list *all, int32_t pid);

void lane_cgroups_free(struct lane_cgroup_list *all);

#endif
