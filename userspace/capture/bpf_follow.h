/* SPDX-License-Identifier: MIT */
/*
 * The threads that are there when a recording begins: which processes are followed, and the state
 * that the recording begins with.
 */
#ifndef LANE_CAPTURE_BPF_FOLLOW_H
#define LANE_CAPTURE_BPF_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/event.h"

/* What /proc/PID/stat says of a process or thread. */
struct lane_proc_stat {
	pid_t id;
	pid_t parent;
	char comm[16];
	char state;	  /* R, S, D, ... */
	bool is_kernel;	  /* a thread of the kernel's own */
	unsigned int cpu; /* it ran on last */
};

/* Reads the text of a stat file. False when it is none. */
bool capture_proc_stat_parse(const char *text, struct lane_proc_stat *stat);

/*
 * Among n processes marks why each is followed: tree for root and its descendants (none when root
 * is 0), comm for those of the name (NULL: none). why has n entries.
 */
void capture_bpf_follow_mark(const struct lane_proc_stat *processes, size_t n, pid_t root,
			     const char *comm, unsigned int *why);

/*
 * Puts the processes that are followed now into the map; children that are forked meanwhile are
 * found by going on until nothing is new. Fails when root does not exist; root is its number in
 * this process's namespace. tasks_fd: what tells the threads (capture_bpf_tasks_fd), -1: /proc
 * does.
 */
struct lane_error *capture_bpf_follow_seed(int map_fd, int tasks_fd, pid_t root,
					   const char *comm) LANE_MUST_CHECK;

typedef struct lane_error *lane_snapshot_fn(void *data, const struct lane_wire *record);

/*
 * Calls `record` with one lttng_statedump_process_state for every thread there is. With a map only
 * for processes in it for all reasons in follow. tasks_fd as above.
 */
struct lane_error *capture_bpf_snapshot(int map_fd, int tasks_fd, unsigned int follow,
					lane_snapshot_fn *record, void *data) LANE_MUST_CHECK;

#endif
