/* SPDX-License-Identifier: MIT */
/* The events of the running machine while they happen: the bpf backend, without a recording. */
#ifndef LANE_SESSION_RUNNING_H
#define LANE_SESSION_RUNNING_H

#include "capture/capture.h"
#include "norm/norm.h"

struct session_running;

/*
 * Opens what needs privileges, then gives them up; nothing is recorded yet. `config` is copied, its
 * sink, host and folder are set here. `also`, which may be NULL, gets what the tracer hands over
 * before it is put in order. *running is the caller's, to be given to session_running_close, also
 * after an error.
 */
struct lane_error *session_running_open(const struct lane_capture_config *config,
					const struct lane_sink *also,
					struct session_running **running) LANE_MUST_CHECK;

/* What is known of the events that will come, and of the machine. */
const struct lane_trace_info *session_running_info(const struct session_running *running);
const struct lane_host *session_running_host(const struct session_running *running);

/* The dumps of drivers that are there now, as in struct lane_limits. */
void session_running_dumps(char *dumps, size_t size);

/* What the tracer records of each kind. */
const struct lane_capture_kind *session_running_kinds(const struct session_running *running);

/* True: a GPU's requests will be seen. Otherwise `why` says why not. */
bool session_running_sees_requests(const struct session_running *running, char *why, size_t size);

/* Recording begins. */
struct lane_error *session_running_start(struct session_running *running) LANE_MUST_CHECK;

/* Waits for events at most so long. *upto_ns: up to there all have come. */
struct lane_error *session_running_wait(struct session_running *running, int timeout_ms,
					uint64_t *upto_ns) LANE_MUST_CHECK;

/* The next event not newer than upto_ns, NULL when there is none; as of norm_live_next. */
struct lane_error *session_running_next(struct session_running *running, uint64_t upto_ns,
					const struct lane_event **event) LANE_MUST_CHECK;

/* At the end: says what was met and not handed out as it was. `command` is for the message. */
void session_running_say_counts(const struct session_running *running, const char *command);

/* Ends; what is still in the buffers is lost. NULL is allowed. */
void session_running_close(struct session_running *running);

#endif
