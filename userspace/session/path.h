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

/*
 * Reads the recording once more, in *again, for the path of a picture that *session has found, and
 * for what the requests went through whose fences it waited for. *explain is zeroed before;
 * otherwise as session_critical.
 */
struct lane_error *session_flip(const struct session *session, const struct lane_flip *flip,
				struct session *again, struct lane_explain *explain,
				struct lane_critical_path *path) LANE_MUST_CHECK;

/*
 * Reads the recording once more for the evidence for the worst requests of the session's figures,
 * one at least, and for the critical path of the longest one; no segments: it has none. The path's
 * ids are the session's timeline's, too: they are given in the order of the events. *path is
 * zeroed before.
 */
struct lane_error *session_worst(const struct session *session, struct lane_explain *explain,
				 struct lane_critical_path *path) LANE_MUST_CHECK;

#endif
