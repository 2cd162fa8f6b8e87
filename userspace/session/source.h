/* SPDX-License-Identifier: MIT */
/* The events of a recording, and what is said on stderr of how it can be read. */
#ifndef LANE_SESSION_SOURCE_H
#define LANE_SESSION_SOURCE_H

#include "session/damage.h"

/* Set before it is opened: damage.command, damage.quiet, and what follows input. */
struct session_source {
	struct session_damage damage; /* the last place is not told: session_damage_end */
	struct lane_input *input;
	enum lane_prefer prefer;
	bool is_strict;	    /* a damaged place is the end */
	bool has_foresight; /* losses are known before they are told: norm.h */
	size_t n_places;
	const char *path; /* for messages */
};

/* Opens the places as one. *source is to be closed in any case. */
struct lane_error *session_source_open(struct session_source *source,
				       const struct lane_place *places, size_t n) LANE_MUST_CHECK;

/* The next event behind what is damaged; as session_source_next. err is taken. */
struct lane_error *session_source_go_on(struct session_source *source, struct lane_error *err,
					const struct lane_event **event) LANE_MUST_CHECK;

/*
 * The next event, NULL at the end; as of norm_input_next. What is damaged is left out, unless the
 * command was interrupted.
 */
static inline LANE_MUST_CHECK struct lane_error *
session_source_next(struct session_source *source, const struct lane_event **event)
{
	struct lane_error *err = norm_input_next(source->input, event);

	return err ? session_source_go_on(source, err, event) : NULL;
}

/* Says how the recordings were cut short, those that were. */
void session_source_say_endings(const struct session_source *source);

/* At the end: says what was met and not handed out as it was. */
void session_source_say_counts(const struct session_source *source);

/* At the end: an error when there are events and not one of a kind that is known. */
struct lane_error *session_source_check_known(const struct session_source *source) LANE_MUST_CHECK;

/* Closes it; what of damage was not told stays the caller's. */
void session_source_close(struct session_source *source);

/* Says all there is to be said, and closes it. */
void session_source_end(struct session_source *source);

#endif
