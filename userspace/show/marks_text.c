// SPDX-License-Identifier: MIT
// Frames of programs, and those that took longer than usual, as tables.
#include <inttypes.h>

#include "show/report_parts.h"
#include "show/report_rows.h"
#include "show/report_tables.def"

SHOW_TABLE(series, MARKS_TABLE, "frames", l->marks.n_series,
	   "Frames of programs, as they mark them")
SHOW_TABLE(late, LATE_FRAMES_TABLE, "late_frames", l->marks.n_late,
	   "Late frames: what took most of what they took longer")

/* So long a range took from its begin to its end, and of what that was: sums of all that are kept.
 */
SHOW_TABLE(ranges, RANGES_TABLE, "ranges", l->ranges.n_series,
	   "Ranges of programs, as they mark them")

static void left_out(const struct lane_tables *t, const char *key, const char *what, uint64_t n)
{
	show_json_uint(t->tree, key, n);
	if (!t->tree && n)
		fprintf(t->to, "  (%" PRIu64 " more %s, which were not kept)\n", n, what);
}

void show_ranges_table(const struct lane_tables *t)
{
	if (!t->latency->ranges.n_series)
		return;
	ranges(t);
	left_out(t, "ranges_left_out", "ranges", t->latency->ranges.left_out);
}

void show_marks_table(const struct lane_tables *t)
{
	/* A recording without marks has no such lists. */
	if (!t->latency->marks.n_series)
		return;
	series(t);
	left_out(t, "frames_left_out", "frames", t->latency->marks.left_out);
	late(t);
}
