/* SPDX-License-Identifier: MIT */
/* The command that is recorded: forked at once, let go when recording has begun. */
#ifndef LANE_CAPTURE_CHILD_H
#define LANE_CAPTURE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Who somebody is that has the command run by root on his behalf. */
struct lane_identity {
	uid_t uid;
	gid_t gid;
};

/*
 * Finds out whether this process is root's and was started through sudo by somebody else:
 * *is_there, and then he is *caller. His group is what SUDO_GID says when that is the number of a
 * group that is not root's, else what the system knows of him. SUDO_UID that is no number, or a
 * user without a group, is an error: the command is never run as root for want of knowing better.
 */
struct lane_error *capture_sudo_caller(struct lane_identity *caller,
				       bool *is_there) LANE_MUST_CHECK;

struct lane_child {
	pid_t pid; /* 0: none */
	int go_fd; /* a byte here lets it go; closing it unused ends it */
	int error_fd;
	bool ended;
	bool is_brief; /* it ends by itself, soon */
	int status;    /* as wait() gives it, once it has ended */
};

/*
 * Forks a process with the caller's privileges, or as `as` when that is not NULL, that will execute
 * argv (searched in PATH) once capture_child_go is called. As somebody else it has his HOME, USER,
 * LOGNAME and SHELL. It goes away by itself when the caller dies before.
 */
struct lane_error *capture_child_fork(char *const *argv, const struct lane_identity *as,
				      struct lane_child *child) LANE_MUST_CHECK;

/* The same with a process that does an act, which returns 0 or an errno, and ends. arg is used once
 * it goes. */
struct lane_error *capture_child_fork_act(int (*act)(const void *arg), const void *arg,
					  const struct lane_identity *as,
					  struct lane_child *child) LANE_MUST_CHECK;

/* Lets it execute its program; an error when there is no such program. */
struct lane_error *capture_child_go(struct lane_child *child, const char *name) LANE_MUST_CHECK;

/* True when it has ended; does not wait. */
bool capture_child_ended(struct lane_child *child);

/* Closes what is open, and collects a child that never went. */
void capture_child_deinit(struct lane_child *child);

#endif
