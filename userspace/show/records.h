/* SPDX-License-Identifier: MIT */
/* What the timeline tells, as rows of the tables that show/records.def describes. */
#ifndef LANE_SHOW_RECORDS_H
#define LANE_SHOW_RECORDS_H

#include "base/table.h"
#include "show/columns.h"
#include "show/records.def"

struct json_object;

enum lane_record {
#define T(id, name) LANE_RECORD_##id,
	LANE_RECORDS(T)
#undef T
	LANE_RECORD_COUNT
};

/* The tables, by enum lane_record. */
extern const struct lane_columns lane_records[LANE_RECORD_COUNT];

/* A subscriber of a timeline; set up with what stands first. */
struct lane_records {
	struct lane_row_sink to;
	const struct lane_trace_info *info;
	const struct lane_select *select; /* of requests, commands and frames */
	bool has_lists;			  /* a column that is a list is wanted as JSON */
	/* All tables are told: a command once, its requests in a table of their own. */
	bool is_whole;
	struct lane_preemption *pending; /* of requests whose rows have not been told yet */
	size_t n, cap;
	char *list; /* those of a request, as JSON */
	size_t list_bytes;
	struct lane_table threads; /* that rows have named, by number */
	uint64_t idles;
	bool has_no_memory;
};

/* What it is to be told for one table: requests, commands (a row for each request) or frames. */
void show_records_hooks(struct lane_records *records, enum lane_record only,
			struct lane_hooks *hooks);

/* The same for all tables. */
void show_records_all(struct lane_records *records, struct lane_hooks *hooks);

/* Tells the rows of the table of columns: those of all tables. */
void show_records_columns(const struct lane_records *records);

/* The reading is over: tells what it has named, and what the report says (report_tables.h). */
void show_records_end(const struct lane_records *records, const struct lane_latency *latency,
		      struct json_object *report);

void show_records_deinit(struct lane_records *records);

#endif
