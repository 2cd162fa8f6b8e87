// SPDX-License-Identifier: MIT
// The requests, commands or frames one by one: as CSV, or as JSON, an object a line.
#include "show/lists.h"

#include "base/cleanup.h"

struct written_list {
	struct lane_row_lines lines;
	struct lane_records records;
	enum lane_record of;
};

static struct lane_error *lists_begin(void *arg, const struct lane_trace_info *info,
				      struct lane_hooks *hooks)
{
	struct written_list *list = arg;

	list->records.info = info;
	show_records_hooks(&list->records, list->of, hooks);
	return NULL;
}

struct lane_error *show_list_write(FILE *to, struct session *session, enum lane_record of,
				   bool is_json, uint64_t *rows)
{
	struct written_list list = { .lines = { to, is_json, 0 },
				     .records = { .to = { &list.lines, show_lines_row },
						  .select = &session->select,
						  .has_lists = is_json },
				     .of = of };
	const struct session_listener listener = { &list, lists_begin, NULL };
	struct lane_error *err;

	session->depth = SESSION_STORIES;
	err = session_read_to(session, &listener);
	*rows = list.lines.rows;
	if (!err && !*rows && latency_selects_all(&session->select))
		show_lines_head(&list.lines, &lane_records[of]);
	if (!err && ferror(to))
		err = lane_error("the list could not be written");
	if (!err && list.records.has_no_memory)
		err = &lane_enomem;
	show_records_deinit(&list.records);
	return session_damage_end(&session->damage, err);
}
