/* SPDX-License-Identifier: MIT */
/* What one picture went through, as text or JSON (docs/explain.md). */
#ifndef LANE_SHOW_EXPLAIN_FLIP_H
#define LANE_SHOW_EXPLAIN_FLIP_H

#include <stdio.h>

#include "session/session.h"

/* Writes a picture that the session has found; the recording is read once more for it. JSON is an
 * object, a line. */
struct lane_error *show_explain_flip(FILE *to, const struct session *session,
				     const struct lane_flip *flip, bool is_json) LANE_MUST_CHECK;

#endif
