/* SPDX-License-Identifier: MIT */
/*
 * Errors as objects that travel up with context and come out as one line; only main prints and
 * exits.
 *
 * A function that can fail returns struct lane_error *: NULL is success, anything else is owned by
 * the caller, who hands it up, adds context, or frees it. The message reads `what: why (what to
 * do)`.
 */
#ifndef LANE_BASE_ERROR_H
#define LANE_BASE_ERROR_H

#define LANE_MUST_CHECK	  __attribute__((warn_unused_result))
#define LANE_PRINTF(f, a) __attribute__((format(printf, f, a)))

enum lane_error_code {
	LANE_ERROR_FAILED = 1, /* the work failed */
	LANE_ERROR_USAGE = 2,  /* the command line was wrong */
	LANE_ERROR_FOUND = 3,  /* the work is done, and found what it was to fail for */
};

struct lane_error;

/* For when there is no memory for an error; may be returned and freed like any other. */
extern struct lane_error lane_enomem;

/* A new error with a formatted message. Never NULL. */
struct lane_error *lane_error(const char *format, ...) LANE_PRINTF(1, 2) LANE_MUST_CHECK;

/* The same for a wrong command line: the exit code becomes 2. */
struct lane_error *lane_error_usage(const char *format, ...) LANE_PRINTF(1, 2) LANE_MUST_CHECK;

/* The same for what a command was asked to fail for: the exit code becomes 3. */
struct lane_error *lane_error_found(const char *format, ...) LANE_PRINTF(1, 2) LANE_MUST_CHECK;

/* A new error whose reason is errnum's text: `<formatted>: <strerror>`. */
struct lane_error *lane_error_errno(int errnum, const char *format, ...)
	LANE_PRINTF(2, 3) LANE_MUST_CHECK;

/* Puts `<formatted>: ` before the message of err, which is consumed. NULL stays NULL. */
struct lane_error *lane_error_context(struct lane_error *err, const char *format, ...)
	LANE_PRINTF(2, 3) LANE_MUST_CHECK;

/* The message, one line, owned by the error. */
const char *lane_error_message(const struct lane_error *err);

/* The exit code this error asks for. */
enum lane_error_code lane_error_code(const struct lane_error *err);

/* Frees an error; NULL is allowed. */
void lane_error_free(struct lane_error *err);

#endif
