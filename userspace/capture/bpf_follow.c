// SPDX-License-Identifier: MIT
// The threads that are there when a recording begins, from /proc.
#include "capture/bpf_follow.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "capture/bpf_shared.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

bool capture_proc_stat_parse(const char *text, struct lane_proc_stat *stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned int flags;
	size_t length;
	int id, parent, cpu;

	if (!open || !close || close < open || sscanf(text, "%d", &id) != 1)
		return false;
	/* Fields 3 to 9 (state, ppid, ..., flags), and 39 (processor): proc(5). */
	if (sscanf(close + 1, " %c %d %*d %*d %*d %*d %u", &stat->state, &parent, &flags) != 3)
		return false;
	if (sscanf(close + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s "
		   "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
		   &cpu) != 1 ||
	    cpu < 0)
		return false;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(stat->comm))
		length = sizeof(stat->comm) - 1;
	memset(stat->comm, 0, sizeof(stat->comm));
	memcpy(stat->comm, open + 1, length);
	stat->id = id;
	stat->parent = parent;
	stat->is_kernel = flags & PF_KTHREAD;
	stat->cpu = (unsigned int)cpu;
	return true;
}

/* Reads a small file of /proc below dir_fd. False when it is gone. */
static bool read_small(int dir_fd, const char *path, char *text, size_t room)
{
	LANE_CLEANUP(lane_close) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, room - 1);

	if (got <= 0)
		return false;
	text[got] = 0;
	return true;
}

static bool read_stat(int dir_fd, const char *path, struct lane_proc_stat *stat)
{
	char text[1024];

	return read_small(dir_fd, path, text, sizeof(text)) && capture_proc_stat_parse(text, stat);
}

/* All processes now. *processes is the caller's to free. */
static struct lane_error *list_processes(struct lane_proc_stat **processes, size_t *n)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t room = 0;
	char path[300];

	*processes = NULL;
	*n = 0;
	if (!dir)
		return lane_error_errno(errno, "/proc");
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (!LANE_GROW(*processes, room, *n + 1)) {
			free(LANE_TAKE(*processes));
			return &lane_enomem;
		}
		snprintf(path, sizeof(path), "%s/stat", entry->d_name);
		if (read_stat(dirfd(dir), path, &(*processes)[*n]))
			(*n)++;
	}
	return NULL;
}

/* All threads now, from the kernel. *tasks is the caller's to free. */
static struct lane_error *list_tasks(int tasks_fd, struct lane_bpf_task **tasks, size_t *n)
{
	LANE_CLEANUP(lane_close) int fd = bpf_iter_create(tasks_fd);
	size_t room = 0, used = 0;
	ssize_t got;

	*tasks = NULL;
	*n = 0;
	if (fd < 0)
		return lane_error_errno(errno, "the kernel's list of processes");
	for (;;) {
		if (room - used < sizeof(**tasks)) {
			char *more = realloc(*tasks, room = room ? 2 * room : 1 << 16);

			if (!more) {
				free(LANE_TAKE(*tasks));
				return &lane_enomem;
			}
			*tasks = (struct lane_bpf_task *)more;
		}
		got = read(fd, (char *)*tasks + used, room - used);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	*n = used / sizeof(**tasks);
	if (got < 0) {
		free(LANE_TAKE(*tasks));
		return lane_error_errno(errno, "the kernel's list of processes");
	}
	return NULL;
}

/* include/linux/sched.h: EXIT_DEAD, EXIT_ZOMBIE. */
static char state_letter(const struct lane_bpf_task *task)
{
	if (task->exit_state & 0x20)
		return 'Z';
	if (task->exit_state & 0x10)
		return 'X';
	return task->state ? 'S' : 'R';
}

/* As list_processes, from the kernel. *root becomes its number in the first namespace. */
static struct lane_error *list_beyond(int tasks_fd, struct lane_proc_stat **processes, size_t *n,
				      pid_t *root)
{
	LANE_CLEANUP(lane_free) struct lane_bpf_task *tasks = NULL;
	struct lane_error *err;
	pid_t found = 0;
	size_t n_tasks;

	*processes = NULL;
	*n = 0;
	err = list_tasks(tasks_fd, &tasks, &n_tasks);
	if (err)
		return err;
	*processes = calloc(n_tasks + 1, sizeof(**processes));
	if (!*processes)
		return &lane_enomem;
	for (size_t i = 0; i < n_tasks; i++) {
		struct lane_proc_stat *process = &(*processes)[*n];

		if (tasks[i].tid != tasks[i].tgid)
			continue;
		process->id = tasks[i].tgid;
		process->parent = tasks[i].parent;
		memcpy(process->comm, tasks[i].comm, sizeof(process->comm));
		if (*root && tasks[i].own_tgid == *root)
			found = tasks[i].tgid;
		(*n)++;
	}
	if (*root && !found)
		return lane_error("process %d: there is none (see ps)", *root);
	*root = found;
	return NULL;
}

void capture_bpf_follow_mark(const struct lane_proc_stat *processes, size_t n, pid_t root,
			     const char *comm, unsigned int *why)
{
	bool changed = true;

	for (size_t i = 0; i < n; i++) {
		why[i] = root && processes[i].id == root ? LANE_BPF_FOLLOW_TREE : 0;
		if (comm && !strncmp(processes[i].comm, comm, sizeof(processes[i].comm)))
			why[i] |= LANE_BPF_FOLLOW_COMM;
	}
	while (root && changed) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			if (why[i] & LANE_BPF_FOLLOW_TREE)
				continue;
			for (size_t p = 0; p < n; p++) {
				if (processes[p].id != processes[i].parent ||
				    !(why[p] & LANE_BPF_FOLLOW_TREE))
					continue;
				why[i] |= LANE_BPF_FOLLOW_TREE;
				changed = true;
				break;
			}
		}
	}
}

/* Adds why to what the map has for tgid; *added when that is new. */
static struct lane_error *bpf_follow_follow(int map_fd, pid_t tgid, unsigned int why, bool *added)
{
	__s32 key = tgid;
	__u32 have = 0;

	if (!bpf_map_lookup_elem(map_fd, &key, &have) && (have & why) == why)
		return NULL;
	have |= why;
	if (bpf_map_update_elem(map_fd, &key, &have, BPF_ANY))
		return lane_error_errno(errno, "process %d cannot be followed", tgid);
	*added = true;
	return NULL;
}

struct lane_error *capture_bpf_follow_seed(int map_fd, int tasks_fd, pid_t root, const char *comm)
{
	LANE_CLEANUP(lane_free) struct lane_proc_stat *beyond = NULL;
	struct lane_error *err = NULL;
	bool added = false, there = !root;
	pid_t named = root;
	size_t n_beyond;

	if (tasks_fd >= 0)
		err = list_beyond(tasks_fd, &beyond, &n_beyond, &root);
	/* From here on the kernel finds its children itself. */
	if (!err && root)
		err = bpf_follow_follow(map_fd, root, LANE_BPF_FOLLOW_TREE, &added);
	do {
		LANE_CLEANUP(lane_free) struct lane_proc_stat *processes = NULL;
		LANE_CLEANUP(lane_free) unsigned int *why = NULL;
		pid_t again = named;
		size_t n = 0;

		added = false;
		if (!err && tasks_fd >= 0)
			err = list_beyond(tasks_fd, &processes, &n, &again);
		else if (!err)
			err = list_processes(&processes, &n);
		if (err)
			return err;
		why = calloc(n + 1, sizeof(*why));
		if (!why)
			return &lane_enomem;
		capture_bpf_follow_mark(processes, n, root, comm, why);
		for (size_t i = 0; i < n && !err; i++) {
			there |= processes[i].id == root;
			if (why[i])
				err = bpf_follow_follow(map_fd, processes[i].id, why[i], &added);
		}
	} while (added && !err);
	if (!err && !there)
		err = lane_error("--pid %d: there is no such process (see ps)", root);
	return err;
}

/* The last of the numbers after `key` in a status file: the one in the innermost namespace. */
static int innermost(const char *status, const char *key, int otherwise)
{
	const char *at = strstr(status, key);
	int number = otherwise, next;
	int used;

	if (!at)
		return otherwise;
	at += strlen(key);
	while (*at && *at != '\n' && sscanf(at, "%*[ \t]%d%n", &next, &used) == 1) {
		number = next;
		at += used;
	}
	return number;
}

/* LTTng's numbers for a thread's status (src/lttng-statedump-impl.c: enum lttng_process_status). */
static int lttng_status(char state)
{
	switch (state) {
	case 'R':
		return 2; /* wait for a CPU: who has one shows at the first switch */
	case 'Z':
		return 4; /* zombie */
	case 'X':
		return 7; /* dead */
	default:
		return 5; /* wait */
	}
}

struct snapshot_record {
	struct lane_wire wire;
	struct lane_p_lttng_statedump_process_state p;
};

static struct lane_error *snapshot_thread(int task_fd, const char *name,
					  const struct lane_proc_stat *process,
					  lane_snapshot_fn *record, void *data)
{
	struct snapshot_record r = { .wire = { .kind = LANE_STATEDUMP,
					       .tid = -1,
					       .pid = -1,
					       .origin = LANE_ORIGIN_SNAPSHOT } };
	struct lane_proc_stat stat;
	struct timespec now;
	char path[300], status[4096];

	snprintf(path, sizeof(path), "%s/stat", name);
	if (!read_stat(task_fd, path, &stat))
		return NULL;
	snprintf(path, sizeof(path), "%s/status", name);
	if (!read_small(task_fd, path, status, sizeof(status)))
		return NULL;
	r.p.tid = stat.id;
	r.p.vtid = innermost(status, "\nNSpid:", stat.id);
	r.p.pid = process->id;
	r.p.vpid = innermost(status, "\nNStgid:", process->id);
	r.p.ppid = process->parent;
	r.p.vppid = r.p.vpid == process->id ? process->parent : 0;
	r.p.type = stat.is_kernel;
	r.p.mode = 1;
	r.p.status = lttng_status(stat.state);
	r.p.cpu = stat.cpu;
	memcpy(r.p.name, stat.comm, sizeof(r.p.name));
	clock_gettime(CLOCK_MONOTONIC, &now);
	r.wire.ts_ns = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
	return record(data, &r.wire);
}

static struct lane_error *snapshot_process(const struct lane_proc_stat *process,
					   lane_snapshot_fn *record, void *data)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = NULL;
	struct lane_error *err = NULL;
	struct dirent *entry;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", process->id);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = snapshot_thread(dirfd(dir), entry->d_name, process, record, data);
	return err;
}

/* One thread that the kernel has told of. */
static struct lane_error *snapshot_task(const struct lane_bpf_task *task, lane_snapshot_fn *record,
					void *data)
{
	struct snapshot_record r = { .wire = { .kind = LANE_STATEDUMP,
					       .tid = -1,
					       .pid = -1,
					       .origin = LANE_ORIGIN_SNAPSHOT } };
	struct timespec now;

	r.p.tid = task->tid;
	r.p.vtid = task->vtid;
	r.p.pid = task->tgid;
	r.p.vpid = task->vtgid;
	r.p.ppid = task->parent;
	r.p.vppid = r.p.vpid == task->tgid ? task->parent : 0;
	r.p.type = !!(task->flags & PF_KTHREAD);
	r.p.mode = 1;
	r.p.status = lttng_status(state_letter(task));
	r.p.cpu = task->cpu;
	memcpy(r.p.name, task->comm, sizeof(r.p.name));
	clock_gettime(CLOCK_MONOTONIC, &now);
	r.wire.ts_ns = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
	return record(data, &r.wire);
}

/* True when a process is in the map for all reasons asked for. */
static bool is_followed(int map_fd, pid_t tgid, unsigned int follow_why)
{
	__s32 key = tgid;
	__u32 why = 0;

	return !follow_why ||
	       (!bpf_map_lookup_elem(map_fd, &key, &why) && (why & follow_why) == follow_why);
}

static struct lane_error *snapshot_beyond(int map_fd, int tasks_fd, unsigned int follow_why,
					  lane_snapshot_fn *record, void *data)
{
	LANE_CLEANUP(lane_free) struct lane_bpf_task *tasks = NULL;
	struct lane_error *err;
	size_t n;

	err = list_tasks(tasks_fd, &tasks, &n);
	for (size_t i = 0; i < n && !err; i++)
		if (is_followed(map_fd, tasks[i].tgid, follow_why))
			err = snapshot_task(&tasks[i], record, data);
	return err;
}

struct lane_error *capture_bpf_snapshot(int map_fd, int tasks_fd, unsigned int follow_why,
					lane_snapshot_fn *record, void *data)
{
	LANE_CLEANUP(lane_free) struct lane_proc_stat *processes = NULL;
	struct lane_error *err;
	size_t n;

	if (tasks_fd >= 0)
		return snapshot_beyond(map_fd, tasks_fd, follow_why, record, data);
	err = list_processes(&processes, &n);
	for (size_t i = 0; i < n && !err; i++)
		if (is_followed(map_fd, processes[i].id, follow_why))
			err = snapshot_process(&processes[i], record, data);
	return err;
}
