// SPDX-License-Identifier: MIT
// Who kept the GPUs awake: a table, JSON.
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "show/report_parts.h"
#include "show/report_rows.h"

/* What the kernel says of who keeps it: "2..3 uses, asleep 100 ms after the last". */
static const char *held_text(const struct lane_awake_device *device, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "-");
	if (device->uses)
		used = (size_t)snprintf(text, size, "%" PRIu64 "..%" PRIu64 " uses",
					device->uses->least, device->uses->most);
	if (device->kept && device->kept->least)
		snprintf(text + used, size - used, "%spower/control is on", used ? ", " : "");
	else if (device->delay)
		snprintf(text + used, size - used, "%sasleep %" PRIu64 " ms after the last",
			 used ? ", " : "", device->delay->last);
	used = strlen(text);
	if (device->left_out)
		snprintf(text + used, size - used,
			 "; %" PRIu64 " requests of further processes are in no row",
			 device->left_out);
	return text;
}

static void held_members(struct json_object *to, const struct lane_awake_device *device)
{
	if (device->uses) {
		show_json_uint(to, "uses_min", device->uses->least);
		show_json_uint(to, "uses_max", device->uses->most);
	}
	if (device->kept)
		show_json_bool(to, "may_sleep", !device->kept->least);
	if (device->delay)
		show_json_uint(to, "sleep_after_ms", device->delay->last);
	show_json_uint(to, "requests_left_out", device->left_out);
}

/* All but its last cell. */
static void awake_text_put_row(struct lane_cells *rows, const struct lane_awake_device *device,
			       const char *who, struct lane_span ns)
{
	const struct lane_timeline_figures *figures = &rows->t->latency->figures;
	char dev[33];

	lane_clean_copy(dev, sizeof(dev), device->dev, LANE_CLEAN_LINE);
	show_cell_text(rows, -14, "device", dev);
	show_cell_text(rows, -24, "who", who);
	show_cell_span(rows, 24, "awake", ns, true);
	show_cell(rows, 14, "%s",
		  SHOW_SHARE(ns, timeline_span_exact(figures->end_ns - figures->begin_ns)));
}

void show_awake_table(const struct lane_tables *t)
{
	const struct lane_awakes *awakes = &t->latency->awakes;
	struct lane_cells rows;
	uint32_t row = 0, n = 2 * awakes->n_devices + awakes->n_clients;

	if (!n)
		return;
	rows = show_table(t, "awake", n, "Who kept the GPUs awake",
			  "device         who                                         awake"
			  "          share  held by");
	rows.is_whole = true;
	for (uint32_t d = 0; d < awakes->n_devices; d++) {
		const struct lane_awake_device *device = &awakes->devices[d];

		show_row(&rows, row++);
		awake_text_put_row(&rows, device, "all", device->ns);
		held_members(rows.json, device);
		show_cell(&rows, 0, "%s", held_text(device, SHOW_ROOM(160)));
		for (uint32_t i = 0; i < awakes->n_clients; i++) {
			if (awakes->clients[i].device != d)
				continue;
			show_row(&rows, row++);
			awake_text_put_row(&rows, device, SHOW_CLIENT(awakes->clients[i].client),
					   awakes->clients[i].is.ns);
		}
		show_row(&rows, row++);
		awake_text_put_row(&rows, device, "no request", device->idle_ns);
	}
	show_row(&rows, row);
}
