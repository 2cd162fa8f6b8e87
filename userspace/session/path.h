/* SPDX-License-Identifier: MIT */
/* Reading a recording for a critical path. */
#ifndef LANE_SESSION_PATH_H
#define LANE_SESSION_PATH_H

#include "session/session.h"

/*
 * Reads the recording for where the path ends, and once more, in *again, for what lies on it.
 * *again and *path are the caller's, to be freed in any case; the path's names are again's.
 */
struct lane_error *session_critical(struct session *session,
				    const struct lane_critical_wanted *wanted,
				    struct session *again,
				    struct lane_critical_path *path) LANE_MUST_CHECK;

#endif
