// SPDX-License-Identifier: MIT
// The cgroups of processes: their names, and lists of them.
#include "base/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/vector.h"

/* More than any machine has; a damaged file may have any number. */
#define MOST	     (1u << 20)
#define NUMBER_HEX   64 /* of a container */
#define NUMBER_SHOWN 12
#define POD_BYTES    36 /* of a pod's number */

/* "docker-<64 digits>.scope": how many characters are shown of it; 0: it is no container's. */
static size_t container_shown(const char *part, size_t length)
{
	const char *dash = memrchr(part, '-', length), *number = dash ? dash + 1 : part;
	size_t n = 0;

	while ((size_t)(number - part) + n < length && isxdigit((unsigned char)number[n]))
		n++;
	return n == NUMBER_HEX ? (size_t)(number - part) + NUMBER_SHOWN : 0;
}

/* The pod's name, "NAMESPACE/POD", by its number; else "pod-" and the number's begin. */
static void pod_name(const char *uid, const char *root, char *name, size_t size)
{
	LANE_CLEANUP(lane_closedir) DIR *list = NULL;
	struct dirent *entry;
	char path[256];

	snprintf(name, size, "pod-%.8s", uid);
	snprintf(path, sizeof(path), "%s/var/log/pods", root);
	list = opendir(path);
	while (list && (entry = readdir(list))) {
		size_t length = strlen(entry->d_name);
		char *divide = strchr(entry->d_name, '_');

		if (!divide || length < POD_BYTES + 3 ||
		    strcmp(entry->d_name + length - POD_BYTES, uid) != 0)
			continue;
		entry->d_name[length - POD_BYTES - 1] = '\0';
		*divide = '/';
		lane_clean_copy(name, size, entry->d_name, LANE_CLEAN_LINE);
	}
}

/* The number of the pod in a path, with dashes; false: it is of none. */
static bool pod_of(const char *path, const char *end, char uid[POD_BYTES + 1])
{
	const char *at = memmem(path, (size_t)(end - path), "kubepods", 8);

	at = at ? memmem(at, (size_t)(end - at), "pod", 3) : NULL;
	for (; at; at = memmem(at + 1, (size_t)(end - at - 1), "pod", 3)) {
		size_t n = 0;

		for (; n < POD_BYTES && at + 3 + n < end; n++) {
			char c = at[3 + n] == '_' ? '-' : at[3 + n];

			if (!isxdigit((unsigned char)c) && c != '-')
				break;
			uid[n] = c;
		}
		uid[n] = '\0';
		if (n == POD_BYTES)
			return true;
	}
	return false;
}

/* Of a job of Slurm's, "...slurmstepd.scope/job_7/step_0/user/task_0": "job_7/step_0"
 * (slurm.schedmd.com/cgroup_v2.html), how long that is; 0: it is of none. */
static size_t slurm_job(const char *path, const char *end, const char **part)
{
	const char *slurm = memmem(path, (size_t)(end - path), "slurm", 5), *step, *task;
	const char *job = slurm ? memmem(slurm, (size_t)(end - slurm), "/job_", 5) : NULL;

	if (!job)
		return 0;
	*part = job + 1;
	step = memchr(*part, '/', (size_t)(end - *part));
	task = step ? memchr(step + 1, '/', (size_t)(end - step - 1)) : NULL;
	return (size_t)((task ? task : end) - *part);
}

bool lane_cgroup_name(const char *text, const char *root, char *name, size_t size)
{
	const char *line = strncmp(text, "0::", 3) ? strstr(text, "\n0::") : text;
	char pod[LANE_CGROUP_TEXT] = "", uid[POD_BYTES + 1];
	const char *end, *part;
	size_t length;

	if (!line)
		return false;
	line += line == text ? 3 : 4;
	end = line + strcspn(line, "\n");
	for (part = end; part > line && part[-1] != '/'; part--)
		;
	if (part == end)
		return false;
	length = container_shown(part, (size_t)(end - part));
	if (length && pod_of(line, end, uid))
		pod_name(uid, root, pod, sizeof(pod));
	else if (!length)
		length = slurm_job(line, end, &part);
	if (!length)
		length = (size_t)(end - part);
	snprintf(name, size, "%s%s%.*s", pod, *pod ? "/" : "", (int)length, part);
	lane_clean(name, LANE_CLEAN_LINE);
	return true;
}

static struct lane_error *cgroup_add(struct lane_cgroup_list *all, int32_t pid, const char *name)
{
	if (all->n == MOST || lane_cgroups_find(all, pid))
		return NULL;
	if (!lane_vector_reach(&all->rows, &all->room, (size_t)all->n + 1, sizeof(*all->rows)))
		return &lane_enomem;
	all->rows[all->n].pid = pid;
	snprintf(all->rows[all->n].name, LANE_CGROUP_TEXT, "%s", name);
	all->n++;
	return NULL;
}

struct lane_error *lane_cgroups_walk(struct lane_cgroup_list *all, const char *root)
{
	LANE_CLEANUP(lane_closedir) DIR *list = NULL;
	char path[256], text[4096], name[LANE_CGROUP_TEXT];
	struct lane_error *err = NULL;
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/proc", root);
	list = opendir(path);
	while (list && !err && (entry = readdir(list))) {
		LANE_CLEANUP(lane_fclose) FILE *file = NULL;
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "%s/proc/%ld/cgroup", root, pid);
		file = fopen(path, "re");
		if (!file)
			continue;
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		if (lane_cgroup_name(text, root, name, sizeof(name)))
			err = cgroup_add(all, (int32_t)pid, name);
	}
	return err;
}

void lane_cgroups_write(const struct lane_cgroup_list *all, FILE *to)
{
	for (uint32_t i = 0; i < all->n; i++)
		fprintf(to, "%d %s\n", all->rows[i].pid, all->rows[i].name);
}

struct lane_error *lane_cgroups_read(struct lane_cgroup_list *all, FILE *from)
{
	char line[256], *name;
	struct lane_error *err = NULL;

	while (!err && fgets(line, sizeof(line), from)) {
		long pid = strtol(line, &name, 10);

		name[strcspn(name, "\n")] = '\0';
		if (pid > 0 && pid <= INT32_MAX && *name == ' ' && name[1])
			err = cgroup_add(all, (int32_t)pid, lane_clean(name + 1, LANE_CLEAN_LINE));
	}
	return err;
}

const char *lane_cgroups_find(const struct lane_cgroup_list *all, int32_t pid)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->rows[i].pid == pid)
			return all->rows[i].name;
	return NULL;
}

void lane_cgroups_free(struct lane_cgroup_list *all)
{
	free(all->rows);
	*all = (struct lane_cgroup_list){ 0 };
}
