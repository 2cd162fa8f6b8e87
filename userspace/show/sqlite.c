// SPDX-License-Identifier: MIT
// The tables of show/records.def as a database of SQLite: each row as the timeline tells it.
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "show/export.h"
#include "show/json.h"
#include "show/records.h"
#include "show/report_tables.h"
#include "show/sqlite_file.h"

struct sqlite_export {
	struct lane_records records;
	struct lane_select all;
	sqlite3 *db;
	sqlite3_stmt *insert[LANE_RECORD_COUNT];
	struct lane_error *err; /* the first one */
};

static void sqlite_fail(struct sqlite_export *e)
{
	if (!e->err)
		e->err = lane_error("SQLite: %s", sqlite3_errmsg(e->db));
}

static void sqlite_execute(struct sqlite_export *e, const char *sql)
{
	if (!e->err && sqlite3_exec(e->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		sqlite_fail(e);
}

/* --- rows --- */

/* A number that SQLite has no place for is text; what has no upper bound is not known. */
static int bind_uint(sqlite3_stmt *stmt, int at, uint64_t value)
{
	char text[24];

	if (value == LANE_NEVER)
		return sqlite3_bind_null(stmt, at);
	if (value <= INT64_MAX)
		return sqlite3_bind_int64(stmt, at, (int64_t)value);
	sqlite3_snprintf(sizeof(text), text, "%llu", (unsigned long long)value);
	return sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	char *clean = lane_clean_dup(text, LANE_CLEAN_LINE);

	return clean ? sqlite3_bind_text(stmt, at, clean, -1, free) : SQLITE_NOMEM;
}

static void bind_json(sqlite3_stmt *stmt, int at, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		bind_text(stmt, at, json_object_get_string(value));
	else if (json_object_is_type(value, json_type_double))
		sqlite3_bind_double(stmt, at, json_object_get_double(value));
	else
		sqlite3_bind_int64(stmt, at, json_object_get_int64(value));
}

/* Binds a value from place `at` on. Returns the next place. */
static int sqlite_bind(sqlite3_stmt *stmt, int at, const struct lane_column *column,
		       const struct lane_row_value *value)
{
	bool is_two = show_column_is_two(column);
	char text[24];

	if (!value->is_known)
		return at + 1 + is_two;
	switch (column->kind) {
	case LANE_COLUMN_BOUNDS:
	case LANE_COLUMN_SPAN:
		bind_uint(stmt, at, value->span.lo);
		bind_uint(stmt, at + 1, value->span.hi);
		break;
	case LANE_COLUMN_INT:
		sqlite3_bind_int64(stmt, at, value->sint);
		break;
	case LANE_COLUMN_TEXT:
		bind_text(stmt, at, value->text);
		break;
	case LANE_COLUMN_ANY:
		bind_json(stmt, at, value->json);
		break;
	case LANE_COLUMN_HANDLE:
		sqlite3_snprintf(sizeof(text), text, "0x%llx", (unsigned long long)value->uint);
		sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
		break;
	case LANE_COLUMN_LIST:
		bind_uint(stmt, at, value->list.n);
		break;
	default:
		bind_uint(stmt, at, value->uint);
	}
	return at + 1 + is_two;
}

static void on_row(void *arg, const struct lane_columns *table, const struct lane_row_value *values)
{
	struct sqlite_export *e = arg;
	sqlite3_stmt *stmt = e->insert[table - lane_records];
	int at = 1;

	if (e->err)
		return;
	sqlite3_clear_bindings(stmt);
	for (size_t i = 0; i < table->n; i++)
		at = sqlite_bind(stmt, at, &table->all[i], &values[i]);
	/* A value that could not be bound would be NULL. */
	if (sqlite3_errcode(e->db) == SQLITE_NOMEM || sqlite3_step(stmt) != SQLITE_DONE)
		sqlite_fail(e);
	sqlite3_reset(stmt);
}

/* --- tables --- */

static const char *type_of(const struct lane_column *column)
{
	if (column->kind == LANE_COLUMN_ANY)
		return ""; /* SQLite keeps the type that is bound */
	return column->kind == LANE_COLUMN_TEXT || column->kind == LANE_COLUMN_HANDLE ? "TEXT"
										      : "INTEGER";
}

/* Makes a table, and what writes its rows. */
static void make_table(struct sqlite_export *e, enum lane_record which)
{
	const struct lane_columns *table = &lane_records[which];
	LANE_CLEANUP(lane_free) char *make = NULL;
	LANE_CLEANUP(lane_free) char *insert = NULL;
	size_t make_bytes, insert_bytes, columns = 0;
	FILE *to = open_memstream(&make, &make_bytes);
	FILE *into = open_memstream(&insert, &insert_bytes);

	if (to && into) {
		fprintf(to, "CREATE TABLE \"%s\"", table->name);
		fprintf(into, "INSERT INTO \"%s\" VALUES", table->name);
	}
	for (size_t i = 0; to && into && i < table->n; i++) {
		const struct lane_column *column = &table->all[i];

		for (int k = 0; k <= show_column_is_two(column); k++) {
			fprintf(to, "%s\"%s\" %s", columns ? "," : "(",
				show_column_name(column, k, SHOW_ROOM(64)), type_of(column));
			fputs(columns++ ? ",?" : "(?", into);
		}
	}
	if (!to || !into || fputs(")", to) < 0 || fclose(LANE_TAKE(to)) || fputs(")", into) < 0 ||
	    fclose(LANE_TAKE(into))) {
		e->err = &lane_enomem;
		return;
	}
	sqlite_execute(e, make);
	if (!e->err && sqlite3_prepare_v2(e->db, insert, -1, &e->insert[which], NULL) != SQLITE_OK)
		sqlite_fail(e);
}

/* --- the exporter --- */

static void sqlite_destroy(void *export)
{
	struct sqlite_export *e = export;

	if (!e)
		return;
	for (int i = 0; i < LANE_RECORD_COUNT; i++)
		sqlite3_finalize(e->insert[i]);
	sqlite3_close(e->db);
	show_records_deinit(&e->records);
	lane_error_free(e->err);
	free(e);
}

static struct lane_error *sqlite_create(const struct lane_export_to *to, void **export,
					struct lane_hooks *hooks)
{
	struct sqlite_export *e = calloc(1, sizeof(*e));

	*export = e;
	if (!e)
		return &lane_enomem;
	e->all.to_ns = LANE_NEVER;
	e->records.to = (struct lane_row_sink){ e, on_row };
	e->records.info = to->info;
	e->records.select = &e->all;
	show_records_all(&e->records, hooks);
	if (show_sqlite_open(fileno(to->file), &e->db) != SQLITE_OK)
		sqlite_fail(e);
	/* The file is nobody's until it is complete; 8 MiB of it are in memory. */
	sqlite_execute(e, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			  "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; BEGIN");
	for (int i = 0; i < LANE_RECORD_COUNT && !e->err; i++)
		make_table(e, i);
	if (!e->err)
		show_records_columns(&e->records);
	return LANE_TAKE(e->err);
}

static struct lane_error *on_event(void *export, const struct lane_event *event)
{
	struct sqlite_export *e = export;

	(void)event;
	return LANE_TAKE(e->err);
}

static struct lane_error *sqlite_finish(void *export, const struct lane_export_figures *figures)
{
	struct sqlite_export *e = export;
	struct json_object *tree;
	struct lane_error *err;

	if (e->records.has_no_memory)
		return &lane_enomem;
	err = show_report_tree(figures->latency, &figures->options, &tree);
	if (err)
		return err;
	show_records_end(&e->records, figures->latency, tree);
	json_object_put(tree);
	sqlite_execute(e, "COMMIT");
	return LANE_TAKE(e->err);
}

const struct lane_exporter lane_export_sqlite = {
	.name = "sqlite",
	.help = "a database: requests, runs, waits and so on, a table each, and what the report "
		"says",
	.suffix = ".sqlite",
	.create = sqlite_create,
	.event = on_event,
	.finish = sqlite_finish,
	.destroy = sqlite_destroy,
};
