/* SPDX-License-Identifier: MIT */
/* Frames and ranges in what programs write to trace_marker themselves, as other tracers record it.
 */
#ifndef LANE_NORM_MARKER_LINES_H
#define LANE_NORM_MARKER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"

#define LANE_MARKS_OPEN 64 /* threads with a frame that is open */

struct lane_frame_marks {
	struct lane_frame_open {
		int32_t tid;
		bool is_open;
		uint32_t depth; /* further slices that have begun in it */
		char text[sizeof(((struct lane_p_gpulane_frame *)0)->text)];
	} open[LANE_MARKS_OPEN];
	uint32_t next;
};

/* The event's line becomes the begin or the end of a frame or of a range. False: it is none. */
bool norm_marker_line(struct lane_frame_marks *marks, struct lane_event *event);

#endif
