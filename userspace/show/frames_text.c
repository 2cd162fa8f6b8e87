// SPDX-License-Identifier: MIT
// Refreshes of displays that were missed, as tables.
#include <inttypes.h>

#include "show/report_parts.h"
#include "show/report_rows.h"
#include "show/report_tables.def"

static void put_screen(struct lane_cells *rows, int width, const struct lane_screen_sum *s)
{
	show_cell(rows, width, "%s", SHOW_SCREEN(s));
	show_json_uint(rows->json, "device", s->dev);
	show_json_int(rows->json, "crtc", s->crtc);
	show_json_text(rows->json, "connector", *s->connector ? s->connector : NULL);
}

/* What the time until the refresh was spent on, the sums of all of them. */
static void put_parts(struct json_object *row, const struct lane_frame_parts *parts)
{
	struct json_object *to =
		parts->is_known && parts->whole_ns ? show_json_object(row, "parts") : NULL;

	if (!to)
		return;
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (parts->stages[i].hi)
			show_json_span(to, lane_stage_names[i], parts->stages[i]);
	show_json_uint(to, "handed_over_ns", parts->gpu_ns);
	show_json_uint(to, "update_ns", parts->update_ns);
	show_json_uint(to, "refresh_ns", parts->refresh_ns);
	show_json_uint(to, "whole_ns", parts->whole_ns);
}

/* What the thread did that was late. */
static void put_did(struct json_object *row, const struct lane_miss_sum *s)
{
	struct json_object *to = s->did_ns ? show_json_object(row, "thread") : NULL;

	if (!to)
		return;
	show_json_uint(to, "ran_ns", s->did.ran_ns);
	show_json_uint(to, "waited_ns", s->did.waited_ns);
	show_json_uint(to, "slept_ns", s->did.slept_ns);
	show_json_uint(to, "of_ns", s->did_ns);
	if (s->refused)
		show_json_int(row, "refused", s->refused);
}

SHOW_TABLE(screens, SCREENS_TABLE, "screens", l->frames.n_screens, "Displays")
SHOW_TABLE(misses, MISSES_TABLE, "missed_refreshes", l->frames.n_misses,
	   "Missed refreshes: what the picture waited for")

void show_frames_table(const struct lane_tables *t)
{
	const struct lane_frames *frames = &t->latency->frames;

	/* A recording without displays has no such lists. */
	if (frames->n_screens) {
		screens(t);
		misses(t);
		show_json_uint(t->tree, "missed_left_out", frames->left_out);
	}
	if (frames->n_screens && !t->tree && frames->left_out)
		fprintf(t->to, "  (%" PRIu64 " more, of further kinds)\n", frames->left_out);
	show_marks_table(t);
}
