// SPDX-License-Identifier: MIT
// Refreshes of displays that were missed, as tables.
#include "show/report_parts.h"
#include "show/report_rows.h"

#include <inttypes.h>

static void put_screen(struct lane_cells *rows, const struct lane_screen_sum *s)
{
	show_cell(rows, -20, "%s", SHOW_SCREEN(s));
	show_json_uint(rows->json, "device", s->dev);
	show_json_int(rows->json, "crtc", s->crtc);
	show_json_text(rows->json, "connector", *s->connector ? s->connector : NULL);
}

static void screens(const struct lane_tables *t)
{
	const struct lane_frames *frames = &t->latency->frames;
	struct lane_cells rows =
		show_table(t, "screens", frames->n_screens, "Displays",
			   "display                  shown  late commits     missed  a refresh");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_screen_sum *s = &frames->screens[i];

		put_screen(&rows, s);
		show_cell_uint(&rows, 9, "shown", s->shown);
		show_cell_uint(&rows, 14, "late", s->late);
		show_cell_uint(&rows, 10, "missed", s->missed);
		show_cell_ns(&rows, 11, "refresh_ns", s->period_ns, s->period_ns);
		show_json_uint(rows.json, "unknown", s->unknown);
		show_json_uint(rows.json, "not_shown", s->lost);
	}
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

static void misses(const struct lane_tables *t)
{
	const struct lane_frames *frames = &t->latency->frames;
	struct lane_cells rows = show_table(
		t, "missed_refreshes", frames->n_misses,
		"Missed refreshes: what the picture waited for",
		"display               missed  commits  cause       asked by                 "
		"request "
		"of               stage          culprit                         max  the latest");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_miss_sum *s = &frames->misses[i];
		const struct lane_screen_sum *screen = &frames->screens[s->screen];
		const char *by = s->behind	  ? SHOW_CLIENT(s->behind)
				 : s->by.tid >= 0 ? SHOW_TASK(s->by.tid, s->by.comm)
						  : NULL;
		const char *client = s->client ? SHOW_CLIENT(s->client) : NULL;
		const char *stage = s->stage >= 0 ? lane_stage_names[s->stage] : NULL;

		put_screen(&rows, screen);
		show_cell_uint(&rows, 7, "missed", s->missed);
		show_cell_uint(&rows, 8, "commits", s->count);
		show_cell_text(&rows, -11, "at", lane_miss_names[s->cause]);
		show_cell_text(&rows, -24, "asked_by", SHOW_TASK(s->tid, s->comm));
		show_json_text(rows.json, "request_of", client);
		show_cell(&rows, -24, "%s", client ? client : "-");
		show_json_text(rows.json, "stage", stage);
		show_cell(&rows, -14, "%s", stage ? stage : "-");
		show_json_text(rows.json, "by", by);
		show_cell(&rows, -24, "%s", by ? by : "-");
		show_cell_ns(&rows, 11, "max_ns", s->max_ns, true);
		show_json_uint(rows.json, "max_at_ns", s->max_at_ns);
		show_json_uint(rows.json, "refresh", s->refresh);
		if (rows.json) {
			put_parts(rows.json, &s->parts);
			put_did(rows.json, s);
		}
		show_cell(&rows, 0, "  flip:%d:%" PRIu32, screen->crtc, s->refresh);
		if (s->context) {
			show_json_uint(rows.json, "context", s->context->ctx);
			show_json_uint(rows.json, "seqno", s->seqno);
		}
	}
	show_json_uint(t->tree, "missed_left_out", frames->left_out);
	if (!t->tree && frames->left_out)
		fprintf(t->to, "  (%" PRIu64 " more, of further kinds)\n", frames->left_out);
}

void show_frames_table(const struct lane_tables *t)
{
	/* A recording without displays has no such lists. */
	if (t->latency->frames.n_screens) {
		screens(t);
		misses(t);
	}
	show_marks_table(t);
}
