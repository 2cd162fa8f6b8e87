// SPDX-License-Identifier: MIT
// Lines of trace_marker that begin or end a frame or a range: Android's slices, and what gpuvis
// reads.
#include "norm/marker_lines.h"

#include <ctype.h>
#include <string.h>

/*
 * Android's slices of a thread nest: `B|PID|NAME` begins one, `E|PID` or `E` ends the last one
 * (atrace's format, libcutils' trace.h; Mesa and others write it, too). The app's frame is
 * Choreographer's, that of its thread that draws DrawFrames', DrawFrame's in earlier versions; all
 * others are ranges.
 */
static const char *const slices[] = { "Choreographer#doFrame", "DrawFrames", "DrawFrame" };

/* gpuvis's lines say what they begin and end: gamescope writes these (paint_all() of its
 * steamcompmgr.cpp). */
#define PAINT	    "paint_all"
#define PAINT_BEGIN "paint_all (begin_ctx="
#define PAINT_END   "paint_all (end_ctx="

static bool marker_lines_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Nothing comes, or a number: behind other words it is a part of a frame ("- resynced to"). */
static bool is_numbered(const char *text)
{
	return !*text || *text == '\n' || (*text == ' ' && isdigit((unsigned char)text[1]));
}

static bool is_frame(const char *name)
{
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++)
		if (marker_lines_begins(name, slices[i]) && is_numbered(name + strlen(slices[i])))
			return true;
	return false;
}

static struct lane_frame_open *marker_lines_open_of(struct lane_frame_marks *marks, int32_t tid)
{
	for (int i = 0; i < LANE_MARKS_OPEN; i++)
		if (marks->open[i].is_open && marks->open[i].tid == tid)
			return &marks->open[i];
	return NULL;
}

static void set_text(struct lane_event *event, const char *text)
{
	char line[sizeof(event->u.gpulane_frame.text)] = "";

	memcpy(line, text, strnlen(text, sizeof(line) - 1));
	line[strcspn(line, "\n")] = 0;
	memcpy(event->u.gpulane_frame.text, line, sizeof(line));
}

/* A frame of the thread's that is open has lost its end: frames do not nest. */
static void begin_slice(struct lane_frame_marks *marks, struct lane_event *event, const char *name)
{
	struct lane_frame_open *open = marker_lines_open_of(marks, event->wire.tid);

	set_text(event, name);
	if (!is_frame(name)) {
		event->wire.kind = LANE_RANGE;
		event->u.gpulane_range.domain = event->u.gpulane_range.id = 0;
		if (open)
			open->depth++;
		return;
	}
	for (int i = 0; i < LANE_MARKS_OPEN && !open; i++)
		open = marks->open[i].is_open ? NULL : &marks->open[i];
	if (!open)
		open = &marks->open[marks->next++ % LANE_MARKS_OPEN];
	*open = (struct lane_frame_open){ .tid = event->wire.tid, .is_open = true };
	memcpy(open->text, event->u.gpulane_frame.text, sizeof(open->text));
}

static void end_slice(struct lane_frame_marks *marks, struct lane_event *event)
{
	struct lane_frame_open *open = marker_lines_open_of(marks, event->wire.tid);

	if (open && !open->depth) {
		open->is_open = false;
		event->wire.kind = LANE_FRAME_END;
		set_text(event, open->text);
		return;
	}
	if (open)
		open->depth--;
	event->wire.kind = LANE_RANGE_END;
	event->u.gpulane_range.domain = event->u.gpulane_range.id = 0;
	set_text(event, "");
}

bool norm_marker_line(struct lane_frame_marks *marks, struct lane_event *event)
{
	char line[sizeof(event->u.gpulane_frame.text) + 1] = "";
	const char *name;

	memcpy(line, event->u.gpulane_frame.text, sizeof(event->u.gpulane_frame.text));
	if (marker_lines_begins(line, "B|")) {
		name = strchr(line + 2, '|');
		if (name)
			begin_slice(marks, event, name + 1);
		return name;
	}
	if (line[0] == 'E' && (!line[1] || line[1] == '|' || line[1] == '\n')) {
		end_slice(marks, event);
		return true;
	}
	if (!marker_lines_begins(line, PAINT_BEGIN) && !marker_lines_begins(line, PAINT_END))
		return false;
	event->wire.kind = marker_lines_begins(line, PAINT_END) ? LANE_FRAME_END : LANE_FRAME;
	set_text(event, PAINT);
	return true;
}
