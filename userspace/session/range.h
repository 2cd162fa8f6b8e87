/* SPDX-License-Identifier: MIT */
/* One range of a program, or one frame, by its name: which time of the recording is meant. */
#ifndef LANE_SESSION_RANGE_H
#define LANE_SESSION_RANGE_H

#include "session/session.h"

/*
 * Reads the recording of session once for its ranges and frames; session is not changed. text is
 * NAME, the longest one of that name, or NAME#N, the N-th by their ends, from 1 on; of the process
 * that session->select asks for. Those in which events were lost are none. *from_s and *to_s become
 * its begin and its end, seconds of the recording, as session's. A usage error if there is none: it
 * says what there is.
 */
struct lane_error *session_range(const struct session *session, const char *text, double *from_s,
				 double *to_s) LANE_MUST_CHECK;

#endif
