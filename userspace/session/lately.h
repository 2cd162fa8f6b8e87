/* SPDX-License-Identifier: MIT */
/* What happened lately: the sums of a sliding window over events as they come. */
#ifndef LANE_SESSION_LATELY_H
#define LANE_SESSION_LATELY_H

#include "session/stream.h"

struct session_lately {
	struct session_stream stream;
	struct lane_window window;
	/* Set before it is opened: processes of one are one client; NULL: none are. */
	const struct lane_cgroup_list *groups;
	uint64_t window_ns;
	uint64_t first_ns; /* the first event, 0: none has come */
	uint64_t upto_ns;  /* so far it has been read */
	uint64_t lost;	   /* events; a loss of unknown size counts as one */
};

/*
 * Opens a recording's events, or where place is NULL this machine's, for sums over window_ns. A
 * recording's first event is read: it sets the clock. *lately stays where it is, and is to be
 * closed in any case.
 */
struct lane_error *session_lately_open(struct session_lately *lately, const char *command,
				       const struct lane_place *place,
				       const struct session_filter *filter,
				       uint64_t window_ns) LANE_MUST_CHECK;

/* Takes what there is up to upto_ns, which may be all of a long recording. */
struct lane_error *session_lately_feed(struct session_lately *lately,
				       uint64_t upto_ns) LANE_MUST_CHECK;

/* Safe on a zeroed one. */
void session_lately_close(struct session_lately *lately);

#endif
