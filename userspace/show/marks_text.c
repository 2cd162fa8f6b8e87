// SPDX-License-Identifier: MIT
// Frames of programs, and those that took longer than usual, as tables.
#include "show/report_parts.h"
#include "show/report_rows.h"

static void put_series(struct lane_cells *rows, const struct lane_mark_series *s)
{
	show_cell_text(rows, -24, "thread", SHOW_TASK(s->tid, s->comm));
	show_cell_text(rows, -24, "mark", s->name);
}

/* Not every late frame has it. */
static void put_known(struct lane_cells *rows, int width, const char *key, const char *text)
{
	show_json_text(rows->json, key, text);
	show_cell(rows, width, "%s", text ? text : "-");
}

static void series(const struct lane_tables *t)
{
	const struct lane_marks *marks = &t->latency->marks;
	struct lane_cells rows = show_table(
		t, "frames", marks->n_series, "Frames of programs, as they mark them",
		"thread                   mark                        frames  late frames "
		"      usual        max  in losses");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_mark_series *s = &marks->series[i];

		put_series(&rows, s);
		show_cell_uint(&rows, 9, "frames", s->n);
		show_cell_uint(&rows, 12, "late", s->late);
		show_cell_ns(&rows, 11, "usual_ns", s->usual_ns, s->usual_ns);
		show_cell_ns(&rows, 10, "max_ns", s->max_ns, s->n);
		show_cell_uint(&rows, 10, "in_losses", s->lost);
	}
	show_json_uint(t->tree, "frames_left_out", marks->left_out);
	if (!t->tree && marks->left_out)
		fprintf(t->to, "  (%" PRIu64 " more frames, which were not kept)\n",
			marks->left_out);
}

static void late(const struct lane_tables *t)
{
	const struct lane_marks *marks = &t->latency->marks;
	struct lane_cells rows = show_table(
		t, "late_frames", marks->n_late,
		"Late frames: what took most of what they took longer",
		"thread                   mark                       frames  cause       request of"
		"               stage          culprit                         more        max");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_late_frames *s = &marks->late[i];
		const char *by = s->behind	 ? SHOW_CLIENT(s->behind)
				 : s->by.tid > 0 ? SHOW_TASK(s->by.tid, s->by.comm)
						 : NULL;

		put_series(&rows, &marks->series[s->series]);
		show_cell_uint(&rows, 8, "frames", s->n);
		show_cell_text(&rows, -10, "at", lane_mark_part_names[s->part]);
		put_known(&rows, -24, "request_of", s->client ? SHOW_CLIENT(s->client) : NULL);
		put_known(&rows, -14, "stage", s->stage >= 0 ? lane_stage_names[s->stage] : NULL);
		put_known(&rows, -24, "by", by);
		show_cell_ns(&rows, 11, "more_ns", s->more_ns, true);
		show_json_uint(rows.json, "part_ns", s->part_ns);
		show_cell_ns(&rows, 11, "max_ns", s->max_ns, true);
		show_json_uint(rows.json, "begin_ns", s->at_ns);
		show_json_uint(rows.json, "end_ns", s->end_ns);
		if (s->context) {
			show_json_uint(rows.json, "context", s->context->ctx);
			show_json_uint(rows.json, "seqno", s->seqno);
		}
	}
}

/* So long a range took from its begin to its end, and of what that was: sums of all that are kept.
 */
void show_ranges_table(const struct lane_tables *t)
{
	static const char *const keys[LANE_MARK_PARTS] = { "computing_ns", "starved_ns",
							   "request_ns", "blocked_ns" };
	const struct lane_marks *marks = &t->latency->ranges;
	bool has_threads = t->latency->figures.by_kind[LANE_SWITCH];
	struct lane_cells rows;

	if (!marks->n_series)
		return;
	rows = show_table(
		t, "ranges", marks->n_series, "Ranges of programs, as they mark them",
		"thread                   range                       count     median    "
		"longest        sum  computing    starved    request    blocked  on the GPU  "
		"in losses");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_mark_series *s = &marks->series[i];

		show_cell_text(&rows, -24, "thread", SHOW_TASK(s->tid, s->comm));
		show_cell_text(&rows, -24, "range", s->name);
		show_cell_uint(&rows, 8, "count", s->n);
		show_cell_ns(&rows, 10, "median_ns", s->median_ns, s->n);
		show_cell_ns(&rows, 10, "max_ns", s->max_ns, s->n);
		show_cell_ns(&rows, 10, "sum_ns", s->sum_ns, s->n);
		for (int part = 0; part < LANE_MARK_PARTS; part++)
			show_cell_ns(&rows, 10, keys[part], s->parts_ns[part], s->n && has_threads);
		show_cell_ns(&rows, 11, "gpu_min_ns", s->gpu_ns,
			     s->n && latency_has_requests(&t->latency->requests));
		show_cell_uint(&rows, 10, "in_losses", s->lost);
	}
	show_json_uint(t->tree, "ranges_left_out", marks->left_out);
	if (!t->tree && marks->left_out)
		fprintf(t->to, "  (%" PRIu64 " more ranges, which were not kept)\n",
			marks->left_out);
}

void show_marks_table(const struct lane_tables *t)
{
	/* A recording without marks has no such lists. */
	if (!t->latency->marks.n_series)
		return;
	series(t);
	late(t);
}
