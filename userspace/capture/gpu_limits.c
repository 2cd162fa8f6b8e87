// SPDX-License-Identifier: MIT
/*
 * The limits that GPU drivers have in /sys, and cpuidle's (drivers/cpuidle/sysfs.c). i915:
 * gt/sysfs_engines.c, and the module's parameter request_timeout_ms. xe:
 * xe_hw_engine_class_sysfs.c. Dumps: drivers/base/devcoredump.c.
 */
#include "capture/gpu_limits.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/driver.h"

#define MS	   1000000ull
#define US	   1000ull
#define MAX_CPUS   1024
#define MAX_STATES 16

static const struct {
	const char *file;
	enum lane_limit_kind kind;
	uint64_t unit;
} files[] = {
	{ "job_timeout_ms", LANE_LIMIT_JOB, MS },
	{ "heartbeat_interval_ms", LANE_LIMIT_HEARTBEAT, MS },
	{ "preempt_timeout_ms", LANE_LIMIT_PREEMPT, MS },
	{ "preempt_timeout_us", LANE_LIMIT_PREEMPT, US },
	{ "stop_timeout_ms", LANE_LIMIT_STOP, MS },
	{ "timeslice_duration_ms", LANE_LIMIT_TIMESLICE, MS },
	{ "timeslice_duration_us", LANE_LIMIT_TIMESLICE, US },
};

/* The number in a file; 0: there is none. */
static uint64_t gpu_limits_read_number(const char *folder, const char *file)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	char line[32];

	if (asprintf(&path, "%s/%s", folder, file) < 0) {
		path = NULL;
		return 0;
	}
	from = fopen(path, "re");
	if (!from || !fgets(line, sizeof(line), from))
		return 0;
	return strtoul(line, NULL, 10);
}

/* The device of a card: the last word of its link's target. */
static void read_dev(const char *root, unsigned int card, char *dev, size_t size)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	char target[256];
	const char *last;
	ssize_t n;

	*dev = '\0';
	if (asprintf(&path, "%s/sys/class/drm/card%u/device", root, card) < 0) {
		path = NULL;
		return;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) < size)
		strcpy(dev, last);
}

/* Reads what lies in the folders of one pattern: an engine each. */
static void read_folders(const char *root, const char *pattern, uint64_t request_ns,
			 struct lane_limits *limits)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	glob_t found = { 0 };

	if (asprintf(&path, "%s/sys/class/drm/card[0-9]*/%s", root, pattern) < 0) {
		path = NULL;
		return;
	}
	if (glob(path, 0, NULL, &found)) {
		globfree(&found);
		return;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *at = found.gl_pathv[i], *engine = strrchr(at, '/') + 1;
		unsigned int card = (unsigned int)strtoul(strstr(at, "/drm/card") + 9, NULL, 10);
		struct lane_engine_limits *row;
		char dev[32];

		read_dev(root, card, dev, sizeof(dev));
		row = lane_limits_row(limits, card, dev, engine);
		for (size_t k = 0; row && k < sizeof(files) / sizeof(files[0]); k++) {
			uint64_t ns = gpu_limits_read_number(at, files[k].file) * files[k].unit;

			if (ns)
				row->ns[files[k].kind] = ns;
		}
		if (row)
			row->ns[LANE_LIMIT_REQUEST] = request_ns;
	}
	globfree(&found);
}

/* xe: a virtual function has no clock of its own (skip_guc_pc of xe_pci.c). */
static void read_virtual(const char *root, struct lane_limits *limits)
{
	for (unsigned int card = 0; card < LANE_MAX_CARDS; card++) {
		LANE_CLEANUP(lane_free) char *path = NULL;
		struct lane_engine_limits *row;
		char dev[32], *at;
		bool is_virtual;

		if (asprintf(&path, "%s/sys/class/drm/card%u/device/tile0/gt0/freq0", root, card) <
		    0) {
			path = NULL;
			return;
		}
		is_virtual = access(path, F_OK) != 0;
		at = strrchr(path, '/');
		*at = '\0';
		is_virtual &= !access(path, F_OK);
		strcpy(strstr(path, "/tile0"), "/physfn");
		if (!is_virtual && access(path, F_OK))
			continue;
		read_dev(root, card, dev, sizeof(dev));
		row = lane_limits_row(limits, card, dev, "all");
		if (row)
			row->ns[LANE_LIMIT_VIRTUAL] = 1;
	}
}

static void read_dumps(const char *root, struct lane_limits *limits)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	glob_t found = { 0 };
	size_t used = 0;

	if (asprintf(&path, "%s/sys/class/devcoredump/devcd[0-9]*", root) < 0) {
		path = NULL;
		return;
	}
	glob(path, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *at = found.gl_pathv[i] + strlen(root);

		if (used + strlen(at) + sizeof("/data ") < sizeof(limits->dumps))
			used += (size_t)sprintf(limits->dumps + used, "%s%s/data", used ? " " : "",
						at);
	}
	globfree(&found);
}

/* Reads the idle states of a CPU, as in struct lane_limits; false: it has none, or too many. */
static bool read_states(const char *root, int cpu, char *text, size_t size)
{
	size_t used = 0;

	for (int state = 0; state < MAX_STATES; state++) {
		LANE_CLEANUP(lane_free) char *path = NULL;
		LANE_CLEANUP(lane_fclose) FILE *from = NULL;
		char name[18] = "";
		int n;

		if (asprintf(&path, "%s/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", root,
			     cpu, state) < 0) {
			path = NULL;
			return false;
		}
		from = fopen(path, "re");
		if (!from || !fgets(name, sizeof(name), from))
			break;
		name[strcspn(name, "\n")] = '\0';
		for (char *at = name; *at; at++)
			*at = strchr(" ,;=", *at) || *at < ' ' ? '_' : *at;
		name[15] = '\0';
		*strrchr(path, '/') = '\0';
		n = snprintf(text + used, size - used, "%s%s=%" PRIu64, used ? "," : "", name,
			     gpu_limits_read_number(path, "latency"));
		if (n < 0 || (size_t)n >= size - used)
			return false;
		used += (size_t)n;
	}
	return used;
}

/* CPUs that follow each other mostly have the same. */
static void read_idle_states(const char *root, struct lane_limits *limits)
{
	int first = 0;
	char now[sizeof(limits->idle_states) / 2] = "", next[sizeof(limits->idle_states) / 2];
	size_t used = 0;

	for (int cpu = 0; cpu <= MAX_CPUS; cpu++) {
		if (cpu == MAX_CPUS || !read_states(root, cpu, next, sizeof(next)))
			*next = '\0';
		if (!strcmp(now, next))
			continue;
		if (*now && used + strlen(now) + 32 < sizeof(limits->idle_states))
			used += (size_t)snprintf(limits->idle_states + used,
						 sizeof(limits->idle_states) - used, "%s%d-%d:%s",
						 used ? ";" : "", first, cpu - 1, now);
		strcpy(now, next);
		first = cpu;
	}
}

/* drm_sched_policy of scheduler/sched_main.c, a parameter of gpu-sched. */
static void read_policy(const char *root, struct lane_limits *limits)
{
	static const char *const names[] = { "round_robin", "fifo", "fair" };
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	char line[8];

	if (asprintf(&path, "%s/sys/module/gpu_sched/parameters/sched_policy", root) < 0) {
		path = NULL;
		return;
	}
	from = fopen(path, "re");
	if (from && fgets(line, sizeof(line), from) && *line >= '0' && *line <= '2')
		strcpy(limits->sched_policy, names[*line - '0']);
}

void capture_limits_read(const char *root, struct lane_limits *limits)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	uint64_t request_ns = 0;

	memset(limits, 0, sizeof(*limits));
	if (asprintf(&path, "%s/sys/module/i915/parameters", root) < 0)
		path = NULL;
	else
		request_ns = gpu_limits_read_number(path, "request_timeout_ms") * MS;
	read_folders(root, "engine/*", request_ns, limits);
	read_folders(root, "device/tile*/gt*/engines/*", 0, limits);
	read_virtual(root, limits);
	read_dumps(root, limits);
	read_idle_states(root, limits);
	read_policy(root, limits);
}

void capture_limits_since(struct lane_limits *limits, const char *before)
{
	char all[sizeof(limits->dumps)], *rest = all, *path;

	strcpy(all, limits->dumps);
	limits->dumps[0] = '\0';
	while ((path = strsep(&rest, " "))) {
		const char *at = *path ? strstr(before, path) : NULL;

		if (!*path || (at && (!at[strlen(path)] || at[strlen(path)] == ' ')))
			continue;
		if (*limits->dumps)
			strcat(limits->dumps, " ");
		strcat(limits->dumps, path);
	}
}
