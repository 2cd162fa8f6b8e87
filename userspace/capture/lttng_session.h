/* SPDX-License-Identifier: MIT */
/* A session of the LTTng session daemon that writes below a recording: the kernel's, or programs'.
 */
#ifndef LANE_CAPTURE_LTTNG_SESSION_H
#define LANE_CAPTURE_LTTNG_SESSION_H

#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lane_lttng_session {
	struct lttng_domain domain;
	char name[64];
	char path[PATH_MAX];
	struct lttng_handle *handle;
	bool created;
	bool started;
	struct lttng_notification_channel *line; /* open as long as the daemon lives; NULL: not
						    known */
	uint64_t buffer_bytes;			 /* per CPU, of the channel */
	uint64_t lost;				 /* as far as the daemon has said */
};

/* What signals did before. */
struct lane_lttng_asking {
	struct sigaction alarm, interrupt, terminate;
};

/* From here on, until capture_lttng_answered(), the daemon is asked, and nothing is recorded yet:
 * if it has not answered in a minute, or two seconds after somebody gave up, the process ends. */
void capture_lttng_ask(struct lane_lttng_asking *asking);
void capture_lttng_answered(const struct lane_lttng_asking *asking);

/* Where the daemon tells of what happens in it; NULL: there is no library. */
struct lttng_endpoint *capture_lttng_endpoint(void);

/* An error of LTTng's library. */
struct lane_error *capture_lttng_error(int code, const char *what);

/*
 * Creates a session of the domain, named after prefix ("gpulane") and this process, that writes
 * into `below` of the recording whose directory is dir_fd. Sessions of the same prefix whose
 * process is gone are destroyed. The session is the caller's, also after an error:
 * capture_lttng_close.
 */
struct lane_error *capture_lttng_create(struct lane_lttng_session *session,
					enum lttng_domain_type type, const char *prefix, int dir_fd,
					const char *below) LANE_MUST_CHECK;

/* The one channel, with buffers of so many bytes per CPU (0: 4 MiB). */
struct lane_error *capture_lttng_channel(struct lane_lttng_session *session,
					 size_t buffer_bytes) LANE_MUST_CHECK;

struct lane_error *capture_lttng_context(struct lane_lttng_session *session,
					 enum lttng_event_context_type type) LANE_MUST_CHECK;

/* Records the tracepoints of this name, or pattern. */
struct lane_error *capture_lttng_event(struct lane_lttng_session *session,
				       const char *name) LANE_MUST_CHECK;

/* An error when the daemon has ended since the session was created. */
struct lane_error *capture_lttng_alive(struct lane_lttng_session *session) LANE_MUST_CHECK;

struct lane_error *capture_lttng_start(struct lane_lttng_session *session) LANE_MUST_CHECK;

/* Asks the daemon for the events dropped: session->lost. */
void capture_lttng_read_lost(struct lane_lttng_session *session);

/* Stops, reads the losses and destroys the session: the files are complete. An error, where the
 * daemon does not answer in a minute, or a signal comes first. */
struct lane_error *capture_lttng_stop(struct lane_lttng_session *session) LANE_MUST_CHECK;

/* Ends what still is; the files stay. */
void capture_lttng_close(struct lane_lttng_session *session);

#endif
