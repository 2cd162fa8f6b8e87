/* SPDX-License-Identifier: MIT */
/*
 * What every command that reads recordings says of damage on stderr, and when reading has failed:
 * one way for all, so that their exit codes agree.
 */
#ifndef LANE_SESSION_DAMAGE_H
#define LANE_SESSION_DAMAGE_H

#include "norm/norm.h"

/* Damaged places that were met. They do not end a command: what can still be read is read. */
struct session_damage {
	const char *command;	 /* for messages */
	struct lane_error *last; /* not told yet */
	uint64_t n;
	uint64_t before; /* so many were told by a reading that has been begun anew */
	bool is_quiet;	 /* all of it was told before, but for the last */
};

/*
 * Takes an error of norm_input_next; the one before is told. Returns the error where reading cannot
 * go on: it is no damage, or the command was interrupted.
 */
struct lane_error *session_damage_take(struct session_damage *damage,
				       struct lane_error *err) LANE_MUST_CHECK;

/* Tells an error that is not what the command ends with, and frees it; NULL: nothing. */
void session_damage_tell(const struct session_damage *damage, struct lane_error *err);

/*
 * What the command ends with when its work is done: the last place, NULL: there was none. A command
 * that has failed ends with err, and the last place is told before.
 */
struct lane_error *session_damage_end(struct session_damage *damage,
				      struct lane_error *err) LANE_MUST_CHECK;

#endif
