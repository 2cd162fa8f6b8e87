/* SPDX-License-Identifier: MIT */
/*
 * Reading a recording from its beginning to its end through the timeline into the figures of
 * latency/, and into whoever else listens: what report and export have in common.
 */
#ifndef LANE_CMD_READ_H
#define LANE_CMD_READ_H

#include "cmd/damage.h"
#include "latency/latency.h"
#include "norm/norm.h"

/* Who listens beside the figures; any function may be NULL. */
struct lane_listener {
	void *arg;
	/*
	 * Reading begins, or begins again: *hooks is what the timeline is to tell (all NULL before
	 * the call). What an earlier reading told is void. info lives until the reading is over.
	 */
	struct lane_error *(*begin)(void *arg, const struct lane_trace_info *info,
				    struct lane_hooks *hooks);
	/* An event, before the timeline is given it. */
	struct lane_error *(*event)(void *arg, const struct lane_event *event);
};

struct lane_reading {
	const char *path;
	const struct lane_place *place; /* what of path is read, and on which clock; NULL: all */
	uint64_t base_ns;		/* where its seconds begin, 0: with its first event */
	struct lane_select select;	/* its times are set by the next three */
	bool by_time;
	double from_s, to_s; /* seconds of the recording; to_s 0: its end */
	bool verbose;	     /* say who reads each trace */
	bool progress;	     /* say on stderr how far it is, when that is a terminal */
	bool stoppable;	     /* ^C ends it with an error, so that its caller can clean up */
	const struct lane_listener *listeners;
	size_t n_listeners;
	/* When it is read for the second time: its losses, each CPU's, by their ends. */
	struct lane_loss *lost;
	size_t n_lost;
	uint64_t first_ns; /* its first event */
	/* What the reading leaves: the caller's, to be freed with lane_reading_deinit. */
	struct lane_latency latency;
	struct lane_timeline *timeline;
	struct lane_damage damage; /* quiet and command are set before, NULL: "report" */
};

/*
 * Reads the recording; after it the figures are complete. It is read twice when it has losses that
 * reach into what had been concluded already: then they are known beforehand. What of it is damaged
 * is left out, and told on stderr; but for the last such place, which is in reading->damage, to be
 * the command's error (lane_damage_end) when everything is written.
 */
struct lane_error *lane_read(struct lane_reading *reading) LANE_MUST_CHECK;

/* Frees what a reading has left; safe after a failed one. */
void lane_reading_deinit(struct lane_reading *reading);

#endif
