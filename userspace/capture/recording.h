/* SPDX-License-Identifier: MIT */
/*
 * A recording's directory and its recording.json: what was recorded, how, and what was not. The
 * keys are described in docs/formats.md.
 */
#ifndef LANE_CAPTURE_RECORDING_H
#define LANE_CAPTURE_RECORDING_H

#include "base/cgroup.h"
#include "base/limits.h"
#include "capture/capture.h"

enum {
	LANE_RECORDING_BACKENDS = 4
};

/* The directory of a recording that is being made. */
struct lane_recording_dir {
	char *path; /* for messages */
	char *name;
	int parent_fd; /* of the folder it lies in */
	int fd;
	int reserve_fd; /* holds space for the last recording.json, should the disk be full then */
};

#define LANE_RECORDING_NONE                                                                        \
	((struct lane_recording_dir){ .parent_fd = -1, .fd = -1, .reserve_fd = -1 })

/* One tracer of a recording. */
struct lane_recording_tracer {
	const struct lane_backend *backend;
	struct lane_capture *capture;
	struct lane_capture_stats stats;
};

/* What recording.json says; strings are the caller's. */
struct lane_recording_facts {
	const struct lane_capture_config *config;
	struct lane_recording_tracer tracers[LANE_RECORDING_BACKENDS];
	size_t n_tracers;
	char *const *command; /* NULL terminated; NULL: none */
	pid_t command_pid;
	int command_status; /* as wait() gives it, once it has ended; -1 before */
	uint64_t begin_ns;
	uint64_t stop_ns;     /* the tracers were stopped from then on; 0: not known */
	uint64_t end_ns;      /* 0: still recording */
	const char *ended_by; /* "command", "duration", "signal", "error"; NULL: still recording */
	const char *error;    /* what went wrong, NULL: nothing */
	struct lane_cgroup_list
		cgroups; /* of the processes that were there at the begin and the end */
	char dumps_before[sizeof(
		((struct lane_limits *)0)->dumps)]; /* of drivers, that were there */
	/* Of a recording that is gone through again: what it says of its machine. NULL: it is this
	 * machine, which says so itself. */
	const char *submission;
	const struct lane_limits *limits;
};

/*
 * Creates the directory of a recording, mode 0700; one that is there already is an error. With path
 * NULL it is named after the time, in the current directory. From here on everything is done below
 * the directory that was opened, whatever happens to its path. *dir is the caller's, to be given to
 * capture_recording_close or capture_recording_discard, also after an error.
 */
struct lane_error *capture_recording_create(const char *path,
					    struct lane_recording_dir *dir) LANE_MUST_CHECK;

/*
 * Writes recording.json: beside the old one first, then in its place. The first time space for the
 * last time is put aside as well.
 */
struct lane_error *
capture_recording_write(struct lane_recording_dir *dir,
			const struct lane_recording_facts *facts) LANE_MUST_CHECK;

/* Writes the processes' cgroups beside it. */
struct lane_error *
capture_recording_cgroups(struct lane_recording_dir *dir,
			  const struct lane_cgroup_list *cgroups) LANE_MUST_CHECK;

/* Gives all of the recording to a user; needs CAP_CHOWN. */
struct lane_error *capture_recording_give(struct lane_recording_dir *dir, uid_t uid,
					  gid_t gid) LANE_MUST_CHECK;

void capture_recording_close(struct lane_recording_dir *dir);

/* Removes the directory with all that is in it, and closes: nothing came of the recording. */
void capture_recording_discard(struct lane_recording_dir *dir);

#endif
