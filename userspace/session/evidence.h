/* SPDX-License-Identifier: MIT */
/* Reading a recording for the evidence behind requests' times. */
#ifndef LANE_SESSION_EVIDENCE_H
#define LANE_SESSION_EVIDENCE_H

#include "session/session.h"

/* Who listens for the requests that were added to *explain. */
struct session_listener session_evidence(struct lane_explain *explain);

/*
 * Reads the recording of a session without listeners for the times of the requests that were added
 * to *explain, and what shows them. A request that the recording does not have is not in explain
 * afterwards.
 */
struct lane_error *session_explain(struct session *session,
				   struct lane_explain *explain) LANE_MUST_CHECK;

#endif
