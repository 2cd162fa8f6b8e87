/* SPDX-License-Identifier: MIT */
/* The parts of `gpulane top`: where events come from, and the terminal. */
#ifndef LANE_CMD_TOP_H
#define LANE_CMD_TOP_H

#include "norm/norm.h"

/* Events in order of time, as they come. */
struct lane_top_source {
	void *arg;
	bool live;
	char notice[256]; /* live: what cannot be shown on this machine, and why; "" */
	const struct lane_trace_info *info;
	/* Live: waits for events at most so long. *upto_ns: up to there all have come. */
	struct lane_error *(*wait)(void *arg, int timeout_ms, uint64_t *upto_ns);
	/* The next event not newer than upto_ns; *event is NULL when there is none, *ended true
	 * when there will be none. */
	struct lane_error *(*next)(void *arg, uint64_t upto_ns, const struct lane_event **event,
				   bool *ended);
	void (*close)(void *arg);
};

/* What to record live. */
struct lane_top_filter {
	int pid;	  /* 0: the whole system */
	const char *comm; /* NULL: all */
};

/*
 * This machine's events: opens what needs privileges, then gives them up, then begins. *source is
 * the caller's, to be closed with its close; untouched after an error.
 */
struct lane_error *lane_top_open_live(const struct lane_top_filter *filter,
				      struct lane_top_source *source) LANE_MUST_CHECK;

/* A recording's events; likewise. */
struct lane_error *lane_top_open_recording(const struct lane_place *place,
					   struct lane_top_source *source) LANE_MUST_CHECK;

struct lane_top_view;

/* The terminal, by ncurses. */
struct lane_error *lane_top_screen_begin(void) LANE_MUST_CHECK;
struct lane_error *lane_top_screen_show(struct lane_top_view *view) LANE_MUST_CHECK;
/* The key that has been pressed, -1: none. Waits at most so long. */
int lane_top_screen_key(int timeout_ms);
void lane_top_screen_end(void);

/* What lane_top_screen_key says when the terminal has another size. */
#define LANE_TOP_RESIZED 0x10000

#endif
