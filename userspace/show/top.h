/* SPDX-License-Identifier: MIT */
/* What `gpulane top` shows: lines of text of a given width, from the sums of a sliding window. */
#ifndef LANE_SHOW_TOP_H
#define LANE_SHOW_TOP_H

#include "latency/latency.h"

enum lane_top_sort {
	LANE_TOP_GPU,
	LANE_TOP_WAIT,
	LANE_TOP_REQUESTS,
	LANE_TOP_PREEMPTED,
	LANE_TOP_WORST,
	LANE_TOP_PID,
	LANE_TOP_SORTS
};

/* How a line is to look. */
enum lane_top_look {
	LANE_TOP_PLAIN,
	LANE_TOP_TITLE,
	LANE_TOP_HEADING, /* a table's head: reversed over the whole width */
	LANE_TOP_BUSY,	  /* an engine that is busy for more than 90 % */
	LANE_TOP_BAD,	  /* events are lost */
};

/* What is to be shown; strings are the caller's. */
struct lane_top_view {
	const struct lane_window *window;
	const struct lane_timeline *timeline;
	const char *source; /* "this machine", or the recording's name */
	const char *state;  /* "paused", "ended", "" */
	const char *notice; /* what cannot be shown here, and why; "" */
	uint64_t lost;
	enum lane_top_sort sort;
	bool is_reversed;
	bool shows_help;
	unsigned int width;
	unsigned int height; /* lines at most; 0: any number */
};

/* Called for each line, without a newline; text is not wider than the view. */
typedef void lane_top_line_fn(void *arg, const char *text, enum lane_top_look look);

/* Draws the view. */
struct lane_error *show_top_draw(const struct lane_top_view *view, lane_top_line_fn *line,
				 void *arg) LANE_MUST_CHECK;

/* The sort key that a word ("gpu", "wait", ...) names; -1 when it is none. */
int show_top_sort_by_name(const char *name);

#endif
