/* SPDX-License-Identifier: MIT */
/* What completes the recording of a hit. */
#ifndef LANE_CMD_WATCH_WRITE_H
#define LANE_CMD_WATCH_WRITE_H

#include "watch/feed.h"

/* Writes recording.json and the page into the folder dir_fd, whose path is `path`. */
struct lane_error *cmd_watch_complete(const struct lane_feed *feed, int dir_fd, const char *path,
				      const struct lane_watch_recording *of) LANE_MUST_CHECK;

#endif
