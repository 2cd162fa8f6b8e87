/* SPDX-License-Identifier: MIT */
/*
 * A timeline for a while: events in, what has ended out. A timeline knows of every context, process
 * and loss that there ever was, so each is used for some minutes; the next one begins before it
 * ends, and each tells of what began in its own time.
 */
#ifndef LANE_WATCH_SHIFT_H
#define LANE_WATCH_SHIFT_H

#include "watch/rows.h"
#include "watch/tasks.h"
#include "watch/witness.h"

/* Something that has ended. All is valid during the call only. */
struct lane_ended {
	enum lane_row_what what;
	uint64_t begin_ns, end_ns;
	struct lane_span total; /* at least, at most */
	bool total_known;
	char process[16];
	int32_t pid, tid;
	const struct lane_engine *engine;   /* NULL: none, or not known */
	const struct lane_request *request; /* REQUEST; what a COMMAND or WAIT is of, or NULL */
	/* DISPLAY: a picture that missed refreshes, and those of one cause of it. */
	const struct lane_flip *flip;
	const struct lane_flip_piece *piece;
	struct lane_stages stages; /* of a REQUEST, or of a COMMAND's request */
	const struct lane_witness *witness;
	const char *cause; /* WAIT, IDLE, COMMAND; "": by its stages */
	uint64_t cause_ns;
	char culprit[LANE_CULPRIT_BYTES];
};

struct lane_stream;

typedef void lane_ended_fn(void *arg, const struct lane_ended *ended);

/*
 * A stream that tells of what begins at from_ns or later. info lives as long. first: who there is
 * (may be NULL). *stream is the caller's.
 */
struct lane_error *watch_stream_create(const struct lane_trace_info *info, uint64_t from_ns,
				       const struct lane_tasks_list *first, lane_ended_fn *ended,
				       void *arg, struct lane_stream **stream) LANE_MUST_CHECK;

/* From now on it tells of what began before upto_ns only. */
void watch_stream_until(struct lane_stream *stream, uint64_t upto_ns);

struct lane_error *watch_stream_event(struct lane_stream *stream,
				      const struct lane_event *event) LANE_MUST_CHECK;

/* The oldest requests that are not over by now. */
void watch_stream_opens(const struct lane_stream *stream, struct lane_opens *opens);

/* Whether that is certain of one, and for so long. */
bool watch_stream_is_open(const struct lane_stream *stream, const struct lane_open *open,
			  uint64_t now_ns, uint64_t least_ns);

/* The same of calls that have not returned, and commands that are not known to have ended. What
 * still comes along in its queue is none. */
void watch_stream_open_calls(const struct lane_stream *stream, uint64_t now_ns,
			     struct lane_open_calls *calls);
bool watch_stream_is_call_open(const struct lane_stream *stream, const struct lane_open_call *open,
			       uint64_t now_ns, uint64_t least_ns);

/* It has met so much that it should be renewed. */
bool watch_stream_is_full(const struct lane_stream *stream);

/* The name of a process or thread, "" when it is not known. */
const char *watch_stream_comm(const struct lane_stream *stream, int32_t tid);

const struct lane_witness *watch_stream_witness(const struct lane_stream *stream);

/* What is open is told with what is known of it. */
struct lane_error *watch_stream_finish(struct lane_stream *stream) LANE_MUST_CHECK;

/* Frees; NULL is allowed. */
void watch_stream_destroy(struct lane_stream *stream);

#endif
