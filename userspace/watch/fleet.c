// SPDX-License-Identifier: MIT
// One host's rows and metrics, from one count of everything that has ended.
#include "watch/fleet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "watch/cgroups.h"
#include "watch/count.h"
#include "watch/pipe_lines.h"
#include "watch/metrics.h"
#include "watch/metrics_page.h"

#define MINUTE_NS 60000000000ll

struct fleet {
	char host[LANE_COUNT_TEXT], kernel[LANE_COUNT_TEXT];
	enum lane_fleet_by by;
	struct lane_cgroups *cgroups; /* by == LANE_FLEET_BY_CGROUP */
	struct lane_counts *counts;
	struct lane_counts *nameless;  /* what metrics tell; NULL: counts, with names */
	struct lane_pipe_lines *lines; /* NULL: no rows */
	struct lane_metrics *metrics;  /* NULL: none */
	int64_t minute;		       /* the one that is being counted, since 1970 */
	bool is_begun;
	struct lane_page_figures so_far; /* since the beginning */
	struct lane_page_figures told;	 /* of these, what rows have told */
};

static void fleet_print_text(FILE *to, const char *name, const char *text)
{
	fprintf(to, ",\"%s\":", name);
	lane_clean_json(to, text);
}

/* The fields that each line begins with. */
static void print_begin(const struct fleet *fleet, FILE *to, const char *type)
{
	fprintf(to, "{\"v\":1,\"t\":\"%s\"", type);
	fleet_print_text(to, "host", fleet->host);
	fleet_print_text(to, "kernel", fleet->kernel);
}

static void print_row(const struct fleet *fleet, FILE *to, const struct lane_count_row *row)
{
	const struct lane_count_engine *engine = watch_count_engine(fleet->counts, row->key.engine);
	const struct lane_count_sum *sum = &row->minute;

	print_begin(fleet, to, "row");
	fprintf(to, ",\"time\":%" PRId64, fleet->minute * 60);
	fleet_print_text(to, "driver", engine->driver);
	fleet_print_text(to, "gpu", engine->gpu);
	fleet_print_text(to, "engine", engine->engine);
	fleet_print_text(to, "process", watch_count_name(fleet->counts, row->key.process));
	fleet_print_text(to, "of", lane_row_what_names[row->key.what]);
	fleet_print_text(to, "stage", watch_count_stage(row->key.stage));
	fleet_print_text(to, "cause", watch_count_cause(row->key.cause));
	fleet_print_text(to, "culprit", watch_count_name(fleet->counts, row->key.culprit));
	fprintf(to,
		",\"count\":%" PRIu64 ",\"bounded\":%" PRIu64 ",\"unknown\":%" PRIu64
		",\"hits\":%" PRIu64 ",\"least_ns\":%" PRIu64 ",\"ns\":%" PRIu64
		",\"max_ns\":%" PRIu64 ",\"slots\":[",
		sum->count, sum->bounded, sum->unknown, sum->hits, sum->ns.lo, sum->ns.hi,
		sum->max_ns);
	for (uint32_t i = 0; i < row->n_buckets; i++)
		fprintf(to, "%s%" PRIu32, i ? "," : "", row->buckets[i].slot);
	fputs("],\"counts\":[", to);
	for (uint32_t i = 0; i < row->n_buckets; i++)
		fprintf(to, "%s%" PRIu32, i ? "," : "", row->buckets[i].count);
	fputs("]}\n", to);
}

/* How the minute was: what was seen, lost, and left out of rows. */
static void print_minute(const struct fleet *fleet, FILE *to, size_t rows)
{
	const struct lane_page_figures *now = &fleet->so_far, *told = &fleet->told;
	struct lane_count_figures figures;

	watch_counts_figures(fleet->counts, &figures);
	print_begin(fleet, to, "minute");
	fprintf(to,
		",\"time\":%" PRId64 ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"losses\":%" PRIu64 ",\"rows\":%zu,\"names\":%" PRIu64 ",\"unwritten\":%" PRIu64
		"}\n",
		fleet->minute * 60, now->events - told->events, now->lost - told->lost,
		now->losses - told->losses, rows, figures.names, now->unwritten - told->unwritten);
}

static bool is_of_minute(const struct lane_count_row *row)
{
	return row->minute.count || row->minute.unknown;
}

static struct lane_error *print_minute_rows(const struct fleet *fleet, FILE *to)
{
	LANE_CLEANUP(lane_free) const struct lane_count_row **rows = NULL;
	struct lane_error *err;
	size_t n, printed = 0;

	err = watch_counts_rows(fleet->counts, &rows, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!is_of_minute(rows[i]))
			continue;
		print_row(fleet, to, rows[i]);
		printed++;
	}
	print_minute(fleet, to, printed);
	return NULL;
}

/* Gives lines to the file, all or none. */
static void put_lines(struct fleet *fleet, const char *text, size_t bytes)
{
	if (watch_lines_add(fleet->lines, text, bytes))
		return;
	for (size_t i = 0; i < bytes; i++)
		fleet->so_far.unwritten += text[i] == '\n';
}

/* The minute is over. */
static struct lane_error *end_minute(struct fleet *fleet)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;
	size_t bytes = 0;
	FILE *to;

	if (fleet->nameless)
		watch_counts_next_minute(fleet->nameless);
	if (!fleet->lines) {
		watch_counts_next_minute(fleet->counts);
		return NULL;
	}
	to = open_memstream(&text, &bytes);
	if (!to)
		return &lane_enomem;
	err = print_minute_rows(fleet, to);
	if (fclose(to) && !err)
		err = &lane_enomem;
	if (err)
		return err;
	fleet->told = fleet->so_far;
	put_lines(fleet, text, bytes);
	watch_counts_next_minute(fleet->counts);
	return watch_lines_write(fleet->lines);
}

/*
 * What happens now belongs to this minute. A row may be told of a little late: it counts in the
 * minute that is open. A clock that was set back begins another one.
 */
static struct lane_error *see_time(struct fleet *fleet, int64_t epoch_ns)
{
	int64_t minute = epoch_ns / MINUTE_NS;
	struct lane_error *err = NULL;

	if (fleet->is_begun && (minute == fleet->minute || minute == fleet->minute - 1))
		return NULL;
	if (fleet->is_begun)
		err = end_minute(fleet);
	fleet->minute = minute;
	fleet->is_begun = true;
	return err;
}

static const char *counted_as(struct fleet *fleet, const struct lane_row *row)
{
	const char *cgroup = NULL;

	if (fleet->cgroups && row->pid > 0)
		cgroup = watch_cgroups_of(fleet->cgroups, row->pid, row->end_ns);
	return cgroup ? cgroup : row->process;
}

/* Whoever delayed a process, without a name. */
static const char *nameless(const char *culprit, const char *process)
{
	if (!*culprit)
		return culprit;
	return strcmp(culprit, process) ? "another" : "itself";
}

static struct lane_error *add_nameless(const struct fleet *fleet, const struct lane_row *row)
{
	struct lane_row told = *row;

	told.culprit = nameless(row->culprit, row->process);
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		told.culprits[i] = nameless(row->culprits[i], row->process);
	return watch_counts_add(fleet->nameless, &told, *row->process ? "any" : "");
}

static struct lane_error *fleet_put_row(void *arg, const struct lane_row *row)
{
	struct fleet *fleet = arg;
	struct lane_error *err = see_time(fleet, row->epoch_ns);

	if (!err && fleet->nameless)
		err = add_nameless(fleet, row);
	return err ? err : watch_counts_add(fleet->counts, row, counted_as(fleet, row));
}

static struct lane_error *put_hit(void *arg, const struct lane_row_hit *hit)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct fleet *fleet = arg;
	size_t bytes = 0;
	FILE *to;

	fleet->so_far.hits++;
	if (!fleet->lines)
		return NULL;
	to = open_memstream(&text, &bytes);
	if (!to)
		return &lane_enomem;
	print_begin(fleet, to, "hit");
	fprintf(to, ",\"time_ns\":%" PRId64, hit->of.epoch_ns);
	fleet_print_text(to, "driver", hit->of.driver);
	fleet_print_text(to, "gpu", hit->of.gpu);
	fleet_print_text(to, "engine", hit->of.engine);
	fleet_print_text(to, "process", counted_as(fleet, &hit->of));
	fleet_print_text(to, "of", lane_row_what_names[hit->of.what]);
	fleet_print_text(to, "cause", hit->of.cause);
	fleet_print_text(to, "culprit", hit->of.culprit);
	fprintf(to,
		",\"ns\":%" PRIu64 ",\"limit_ns\":%" PRIu64 ",\"repeats\":%" PRIu64
		",\"lost\":%" PRIu64,
		hit->of.total_known ? hit->of.total.hi : 0, hit->limit_ns, hit->group_count,
		hit->lost);
	fleet_print_text(to, "recording", hit->recording);
	fleet_print_text(to, "not_written", hit->not_written);
	fputs("}\n", to);
	if (fclose(to))
		return &lane_enomem;
	put_lines(fleet, text, bytes);
	return watch_lines_write(fleet->lines);
}

static struct lane_error *put_lost(void *arg, uint64_t count, uint64_t ns, int64_t epoch_ns)
{
	struct fleet *fleet = arg;

	(void)ns;
	fleet->so_far.lost += count;
	fleet->so_far.losses++;
	return see_time(fleet, epoch_ns);
}

static struct lane_error *tick(void *arg, uint64_t ns, int64_t epoch_ns, uint64_t events)
{
	struct fleet *fleet = arg;
	struct lane_error *err;

	fleet->so_far.events = events;
	err = see_time(fleet, epoch_ns);
	if (!err && fleet->lines)
		err = watch_lines_write(fleet->lines);
	if (fleet->metrics)
		watch_metrics_run(fleet->metrics, ns);
	return err;
}

static char *page(void *arg, size_t *bytes)
{
	struct fleet *fleet = arg;

	if (fleet->metrics)
		watch_metrics_figures(fleet->metrics, &fleet->so_far.answered,
				      &fleet->so_far.dropped);
	return watch_metrics_page(fleet->nameless ? fleet->nameless : fleet->counts, &fleet->so_far,
				  fleet->kernel, bytes);
}

static void close_fleet(void *arg)
{
	struct fleet *fleet = arg;

	if (fleet->lines && fleet->is_begun)
		lane_error_free(end_minute(fleet));
	watch_lines_close(fleet->lines);
	watch_metrics_close(fleet->metrics);
	watch_cgroups_destroy(fleet->cgroups);
	watch_counts_destroy(fleet->counts);
	watch_counts_destroy(fleet->nameless);
	free(fleet);
}

static void name_host(struct fleet *fleet, const struct lane_fleet_config *config)
{
	struct utsname machine;

	if (uname(&machine))
		memset(&machine, 0, sizeof(machine));
	lane_clean_copy(fleet->host, sizeof(fleet->host),
			config->host ? config->host : machine.nodename, LANE_CLEAN_LINE);
	lane_clean_copy(fleet->kernel, sizeof(fleet->kernel),
			config->kernel ? config->kernel : machine.release, LANE_CLEAN_LINE);
}

struct lane_error *watch_fleet_open(const struct lane_fleet_config *config, struct lane_rows *rows)
{
	struct fleet *fleet = calloc(1, sizeof(*fleet));
	struct lane_error *err;

	if (!fleet)
		return &lane_enomem;
	name_host(fleet, config);
	err = watch_counts_create(&fleet->counts);
	if (!err && config->by == LANE_FLEET_BY_CGROUP)
		err = watch_cgroups_create(&fleet->cgroups);
	if (!err && config->rows)
		err = watch_lines_open(config->rows, &fleet->lines);
	if (!err && config->metrics && !config->has_names)
		err = watch_counts_create(&fleet->nameless);
	if (!err && config->metrics)
		err = watch_metrics_open(config->metrics, page, fleet, &fleet->metrics);
	if (err) {
		close_fleet(fleet);
		return err;
	}
	*rows = (struct lane_rows){ .arg = fleet,
				    .row = fleet_put_row,
				    .hit = put_hit,
				    .lost = put_lost,
				    .tick = tick,
				    .fd = fleet->metrics ? watch_metrics_fd(fleet->metrics) : -1,
				    .close = close_fleet };
	return NULL;
}

unsigned int watch_fleet_port(const struct lane_rows *rows)
{
	const struct fleet *fleet = rows->arg;

	return fleet->metrics ? watch_metrics_port(fleet->metrics) : 0;
}
