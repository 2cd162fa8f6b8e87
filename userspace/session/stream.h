/* SPDX-License-Identifier: MIT */
/*
 * Events as they come, through a timeline to one who listens: this machine's, or a recording's as
 * far as somebody lets it go. Nothing is told twice.
 */
#ifndef LANE_SESSION_STREAM_H
#define LANE_SESSION_STREAM_H

#include "session/session.h"

/* What to record of this machine. */
struct session_filter {
	int pid;	  /* 0: the whole system */
	const char *comm; /* NULL: all */
};

struct session_stream {
	void *arg;
	const char *command; /* for messages */
	bool is_live;
	bool has_ended;
	char notice[256]; /* live: what cannot be shown on this machine, and why; "" */
	const struct lane_trace_info *info;
	struct lane_timeline *timeline;
	struct session_listener listener;
	struct lane_error *(*next)(void *arg, uint64_t upto_ns, const struct lane_event **event,
				   bool *has_ended);
	void (*close)(void *arg);
};

/*
 * This machine's events: opens what needs privileges, then gives them up, then begins. *stream is
 * to be closed in any case.
 */
struct lane_error *session_stream_open_live(struct session_stream *stream, const char *command,
					    const struct session_filter *filter) LANE_MUST_CHECK;

/* A recording's events; likewise. */
struct lane_error *session_stream_open_recording(struct session_stream *stream, const char *command,
						 const struct lane_place *place) LANE_MUST_CHECK;

/* Begins the timeline of an open stream. */
struct lane_error *session_stream_listen(struct session_stream *stream,
					 const struct session_listener *listener) LANE_MUST_CHECK;

/* Live: waits for events at most so long. *upto_ns: up to there all have come. */
struct lane_error *session_stream_wait(struct session_stream *stream, int timeout_ms,
				       uint64_t *upto_ns) LANE_MUST_CHECK;

/*
 * Feeds what there is up to upto_ns, which may be all of a long recording: lane_stop_signal ends
 * it. has_ended is true when nothing more will come.
 */
struct lane_error *session_stream_feed(struct session_stream *stream,
				       uint64_t upto_ns) LANE_MUST_CHECK;

/* Feeds one event, if there is one. */
struct lane_error *session_stream_feed_one(struct session_stream *stream) LANE_MUST_CHECK;

/* Closes it; a recording's says what was wrong with it. Safe on a zeroed one. */
void session_stream_close(struct session_stream *stream);

#endif
