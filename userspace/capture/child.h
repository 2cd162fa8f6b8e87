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
 * True when this process is root's and was started through sudo by somebody else, who then is
 * *caller. What SUDO_UID and SUDO_GID say counts only when both are plain numbers of no root.
 */
bool lane_sudo_caller(struct lane_identity *caller);

struct lane_child {
	pid_t pid; /* 0: none */
	int go_fd; /* a byte here lets it go; closing it unused ends it */
	int error_fd;
	bool ended;
	int status; /* as wait() gives it, once it has ended */
};

/*
 * Forks a process with the caller's privileges, or as `as` when that is not NULL, that will execute
 * argv (searched in PATH) once lane_child_go is called. It goes away by itself when the caller dies
 * before.
 */
struct lane_error *lane_child_fork(char *const *argv, const struct lane_identity *as,
				   struct lane_child *child) LANE_MUST_CHECK;

/* Lets it execute its program; an error when there is no such program. */
struct lane_error *lane_child_go(struct lane_child *child, const char *name) LANE_MUST_CHECK;

/* True when it has ended; does not wait. */
bool lane_child_ended(struct lane_child *child);

/* Closes what is open, and collects a child that never went. */
void lane_child_deinit(struct lane_child *child);

#endif
