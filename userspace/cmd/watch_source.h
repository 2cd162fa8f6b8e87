/* SPDX-License-Identifier: MIT */
/* The parts of `gpulane watch`: where events come from, and what completes a recording. */
#ifndef LANE_CMD_WATCH_SOURCE_H
#define LANE_CMD_WATCH_SOURCE_H

#include "capture/capture.h"
#include "norm/norm.h"
#include "watch/watch.h"

/* This machine, or a recording that is gone through as if it happened now. */
struct watch_source {
	const struct lane_trace_info *info; /* of the events */
	unsigned int groups;		    /* live: what is recorded */
	char notice[256];		    /* live: what will not be seen, and why; "" */
	struct watch_live *live;	    /* NULL: a recording */
	struct watch_replay *replay;
};

/*
 * Opens what needs privileges, then gives them up; nothing is recorded yet. *source is the
 * caller's, to be given to cmd_watch_close, also after an error.
 */
struct lane_error *cmd_watch_open_live(struct watch_source *source,
				       const struct lane_capture_config *config) LANE_MUST_CHECK;

struct lane_error *cmd_watch_open_recording(struct watch_source *source,
					    const char *path) LANE_MUST_CHECK;

/* Events come from here on, and go to watch. */
struct lane_error *cmd_watch_start(struct watch_source *source,
				   struct lane_watch *watch) LANE_MUST_CHECK;

/* One round: takes what there is. *ended: there will be no more. */
struct lane_error *cmd_watch_round(struct watch_source *source, bool *ended) LANE_MUST_CHECK;

/* What the tracer records of each kind. */
const struct lane_capture_kind *cmd_watch_kinds(const struct watch_source *source);

const struct lane_host *cmd_watch_host(const struct watch_source *source);

void cmd_watch_close(struct watch_source *source);

/* Completes a recording: recording.json and the page. */
struct lane_error *cmd_watch_complete(const struct watch_source *source, int dir_fd,
				      const char *path,
				      const struct lane_watch_recording *of) LANE_MUST_CHECK;

#endif
