/* SPDX-License-Identifier: MIT */
/*
 * A recording, or several as one, read from its beginning to its end: opened, fed through the
 * timeline and the figures of latency/, and handed to whoever listens. It is read twice where what
 * comes late bounds what came early.
 */
#ifndef LANE_SESSION_SESSION_H
#define LANE_SESSION_SESSION_H

#include "latency/latency.h"
#include "session/source.h"

/* Who listens; the functions may be NULL. */
struct session_listener {
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

/* How far the events are followed. */
enum session_depth {
	/* To the figures. If the pass meets what changes results that were told already (a loss, a
	 * second ring of one name, a tighter bound on an OpenCL device's clock), they are
	 * discarded, and a second pass runs with that knowledge. After such a loss the rest of the
	 * first pass tells nothing. */
	SESSION_FIGURES,
	/* To the timeline. It is read twice and told once, with losses and devices' clocks known.
	 */
	SESSION_STORIES,
	SESSION_EVENTS, /* as they are, no timeline */
};

struct session {
	const struct lane_place *place; /* what is read, and on which clock */
	size_t n_places;		/* from place on, 0 is 1; several for SESSION_EVENTS only */
	enum session_depth depth;
	enum lane_prefer prefer;
	uint64_t base_ns; /* where its seconds begin, 0: with its first event */
	const struct lane_cgroup_list *groups; /* processes of one are one client; NULL: none are */
	struct lane_select select;	       /* its times are set by the next three */
	bool by_time;
	double from_s, to_s; /* seconds of the recording; to_s 0: its end */
	bool shows_progress; /* say on stderr how far it is, when that is a terminal */
	bool is_stoppable;   /* ^C ends it with an error, so that its caller can clean up */
	bool keeps_findings; /* what an export says that was found is handed out, too */
	bool is_strict;	     /* what is damaged ends it */
	const struct session_listener *listeners;
	size_t n_listeners;
	bool is_enough; /* set by a listener: the rest need not be read */
	/* When it is read for the second time: its losses, each CPU's, by their ends. */
	struct lane_loss *lost;
	size_t n_lost;
	uint64_t first_ns; /* its first event */
	/* What the reading leaves: the caller's, to be freed with session_deinit. */
	struct lane_trace_info info;	/* as it is known at the end */
	struct lane_latency latency;	/* of SESSION_FIGURES */
	struct lane_timeline *timeline; /* not of SESSION_EVENTS */
	struct session_damage damage;	/* quiet and command are set before, NULL: "report" */
};

/*
 * Reads the recording; after it the figures are complete. What of it is damaged is left out, and
 * told on stderr; but for the last such place, which is in session->damage, to be the command's
 * error (session_damage_end) when everything is written.
 */
struct lane_error *session_read(struct session *session) LANE_MUST_CHECK;

/* Reads it to one listener alone. */
struct lane_error *session_read_to(struct session *session,
				   const struct session_listener *listener) LANE_MUST_CHECK;

/* A session that reads the same again, and says nothing of what has been said. */
struct session session_again(const struct session *session);

/* Frees what a reading has left; safe after a failed one. */
void session_deinit(struct session *session);

#endif
