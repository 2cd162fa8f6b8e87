/* SPDX-License-Identifier: MIT */
/*
 * What every command that reads recordings says of them on stderr, and when reading has failed: one
 * way for all, so that their exit codes agree.
 */
#ifndef LANE_CMD_DAMAGE_H
#define LANE_CMD_DAMAGE_H

#include "norm/norm.h"

/* Damaged places that were met. They do not end a command: what can still be read is read. */
struct lane_damage {
	const char *command;	 /* for messages */
	struct lane_error *last; /* not told yet */
	uint64_t n;
	uint64_t before; /* so many were told by a reading that has been begun anew */
	bool quiet;	 /* all of it was told before */
};

/*
 * Takes an error of lane_input_next; the one before is told. Returns the error where reading cannot
 * go on: it is no damage, or the command was interrupted.
 */
struct lane_error *lane_damage_take(struct lane_damage *damage,
				    struct lane_error *err) LANE_MUST_CHECK;

/* The last one, to be the command's error when its work is done; NULL: there was none. */
struct lane_error *lane_damage_end(struct lane_damage *damage) LANE_MUST_CHECK;

/* Says how the n recordings were cut short, those that were. */
void lane_say_endings(const struct lane_input *input, size_t n, const char *command);

/* For --verbose: says by whom each trace is read, and why. */
void lane_say_readers(const struct lane_input *input, const char *command);

/* Says what was met and not handed out as it was. */
void lane_say_counts(const struct lane_input *input, const char *command);

/* An error when there are events at path and not one of a kind that is known. */
struct lane_error *lane_check_known(const struct lane_input *input,
				    const char *path) LANE_MUST_CHECK;

#endif
