/* SPDX-License-Identifier: MIT */
/* recording.json for a trace that gpulane wrote without having recorded it: an import, an export.
 */
#ifndef LANE_SESSION_FACTS_H
#define LANE_SESSION_FACTS_H

#include "norm/norm.h"

/* What is said of the trace beside what it says of itself. Strings are the caller's. */
struct session_facts {
	const char *tracer;	   /* what recorded it; empty: not said */
	const char *path;	   /* the trace's directory in the recording */
	const char *imported_from; /* NULL: it was not imported */
	uint64_t begin_ns, end_ns; /* 0: not said */
	uint64_t events;	   /* in the trace, 0: not said */
};

/*
 * Writes recording.json (docs/formats.md), which must not be there, into the directory dir_fd, mode
 * 0600. info: what the trace was read as.
 */
struct lane_error *session_facts_write(int dir_fd, const struct lane_trace_info *info,
				       const struct session_facts *facts) LANE_MUST_CHECK;

#endif
