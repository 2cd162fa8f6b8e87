// SPDX-License-Identifier: MIT
// The page for scrapers. Durations are upper bounds, in seconds.
#include "watch/metrics_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"

/* The rows that have the same engine, process, what and stage: from `first` on. */
struct metric_group {
	const struct lane_count_row *const *rows;
	size_t n;
};

static void print_label(FILE *to, const char *name, const char *text)
{
	fprintf(to, "%s=\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

/* `NAME{what all have,` to which more may be added. */
static void print_series(FILE *to, const struct lane_counts *counts, const char *name,
			 const struct lane_count_key *key)
{
	const struct lane_count_engine *engine = watch_count_engine(counts, key->engine);

	fprintf(to, "%s{", name);
	print_label(to, "driver", engine->driver);
	print_label(to, ",gpu", engine->gpu);
	print_label(to, ",engine", engine->engine);
	print_label(to, ",process", watch_count_name(counts, key->process));
	print_label(to, ",of", lane_row_what_names[key->what]);
	print_label(to, ",stage", watch_count_stage(key->stage));
}

static void print_blame(FILE *to, const struct lane_counts *counts, const char *name,
			const struct lane_count_key *key)
{
	print_series(to, counts, name, key);
	print_label(to, ",cause", watch_count_cause(key->cause));
	print_label(to, ",culprit", watch_count_name(counts, key->culprit));
	fputs("} ", to);
}

static void print_seconds(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void metrics_page_head(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static bool same_group(const struct lane_count_key *a, const struct lane_count_key *b)
{
	return a->engine == b->engine && a->process == b->process && a->what == b->what &&
	       a->stage == b->stage;
}

/* The group that begins at `from`. */
static struct metric_group group_at(const struct lane_count_row *const *rows, size_t n, size_t from)
{
	struct metric_group group = { .rows = rows + from };

	while (from + group.n < n && same_group(&rows[from]->key, &rows[from + group.n]->key))
		group.n++;
	return group;
}

static struct lane_count_sum metrics_page_sum_of(const struct metric_group *group)
{
	struct lane_count_sum sum = {};

	for (size_t i = 0; i < group->n; i++) {
		sum.count += group->rows[i]->all.count;
		sum.unknown += group->rows[i]->all.unknown;
		timeline_span_add(&sum.ns, group->rows[i]->all.ns);
	}
	return sum;
}

static void print_histogram(FILE *to, const struct lane_counts *counts,
			    const struct metric_group *group)
{
	const struct lane_count_key *key = &group->rows[0]->key;
	const struct lane_count_sum sum = metrics_page_sum_of(group);
	uint64_t so_far = 0;

	for (unsigned int step = 0; step < LANE_COUNT_STEPS; step++) {
		for (size_t i = 0; i < group->n; i++)
			so_far += group->rows[i]->steps[step];
		print_series(to, counts, "gpulane_time_seconds_bucket", key);
		if (step == LANE_COUNT_STEPS - 1)
			fprintf(to, ",le=\"+Inf\"} %" PRIu64 "\n", sum.count);
		else
			fprintf(to, ",le=\"%.12g\"} %" PRIu64 "\n",
				(double)((1ull << (10 + 2 * step)) - 1) / 1e9, so_far);
	}
	print_series(to, counts, "gpulane_time_seconds_sum", key);
	fputs("} ", to);
	print_seconds(to, sum.ns.hi);
	print_series(to, counts, "gpulane_time_seconds_count", key);
	fprintf(to, "} %" PRIu64 "\n", sum.count);
}

static void print_histograms(FILE *to, const struct lane_counts *counts,
			     const struct lane_count_row *const *rows, size_t n)
{
	struct metric_group group;

	metrics_page_head(
		to, "gpulane_time_seconds", "histogram",
		"How long requests were in each stage, and all that has ended took in total.");
	for (size_t i = 0; i < n; i += group.n) {
		group = group_at(rows, n, i);
		print_histogram(to, counts, &group);
	}
	metrics_page_head(
		to, "gpulane_time_least_seconds_total", "counter",
		"The lower bounds of what gpulane_time_seconds_sum is the upper bounds of.");
	for (size_t i = 0; i < n; i += group.n) {
		group = group_at(rows, n, i);
		print_series(to, counts, "gpulane_time_least_seconds_total", &group.rows[0]->key);
		fputs("} ", to);
		print_seconds(to, metrics_page_sum_of(&group).ns.lo);
	}
	metrics_page_head(to, "gpulane_time_unknown_total", "counter",
			  "Those of which nobody knows how long they were in a stage.");
	for (size_t i = 0; i < n; i += group.n) {
		struct lane_count_sum sum;

		group = group_at(rows, n, i);
		sum = metrics_page_sum_of(&group);
		if (!sum.unknown)
			continue;
		print_series(to, counts, "gpulane_time_unknown_total", &group.rows[0]->key);
		fprintf(to, "} %" PRIu64 "\n", sum.unknown);
	}
}

static void print_culprits(FILE *to, const struct lane_counts *counts,
			   const struct lane_count_row *const *rows, size_t n)
{
	metrics_page_head(to, "gpulane_delayed_seconds_total", "counter",
			  "Time in a stage, or in total, by whom the culprit is.");
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->key.culprit == LANE_COUNT_NOBODY || !rows[i]->all.count)
			continue;
		print_blame(to, counts, "gpulane_delayed_seconds_total", &rows[i]->key);
		print_seconds(to, rows[i]->all.ns.hi);
	}
	metrics_page_head(to, "gpulane_delayed_total", "counter", "How many those were.");
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->key.culprit == LANE_COUNT_NOBODY || !rows[i]->all.count)
			continue;
		print_blame(to, counts, "gpulane_delayed_total", &rows[i]->key);
		fprintf(to, "%" PRIu64 "\n", rows[i]->all.count);
	}
	metrics_page_head(to, "gpulane_late_total", "counter",
			  "What a trigger has taken, by cause and culprit.");
	for (size_t i = 0; i < n; i++) {
		if (!rows[i]->all.hits)
			continue;
		print_blame(to, counts, "gpulane_late_total", &rows[i]->key);
		fprintf(to, "%" PRIu64 "\n", rows[i]->all.hits);
	}
}

static void metrics_page_one(FILE *to, const char *name, const char *type, const char *help,
			     uint64_t value)
{
	metrics_page_head(to, name, type, help);
	fprintf(to, "%s %" PRIu64 "\n", name, value);
}

static void print_figures(FILE *to, const struct lane_counts *counts,
			  const struct lane_page_figures *figures, const char *kernel)
{
	struct lane_count_figures count;

	watch_counts_figures(counts, &count);
	metrics_page_head(to, "gpulane_info", "gauge",
			  "1; which kernel and which gpulane these are.");
	print_label(to, "gpulane_info{kernel", kernel);
	print_label(to, ",version", GPULANE_VERSION);
	fputs("} 1\n", to);
	metrics_page_one(to, "gpulane_events_total", "counter", "Events seen.", figures->events);
	metrics_page_one(to, "gpulane_events_lost_total", "counter", "Events lost.", figures->lost);
	metrics_page_one(to, "gpulane_losses_total", "counter", "Times when events were lost.",
			 figures->losses);
	metrics_page_one(to, "gpulane_hits_total", "counter", "Hits, with a recording or without.",
			 figures->hits);
	metrics_page_one(to, "gpulane_rows", "gauge", "Rows that are counted in.", count.rows);
	metrics_page_one(to, "gpulane_names", "gauge", "Names that have rows of their own.",
			 count.names);
	metrics_page_one(to, "gpulane_names_moved_total", "counter",
			 "Names whose rows became those of \"other\".", count.moved);
	metrics_page_one(to, "gpulane_other_total", "counter", "Counts that went to \"other\".",
			 count.other);
	metrics_page_one(to, "gpulane_rows_unwritten_total", "counter",
			 "Lines of rows that found no room.", figures->unwritten);
	metrics_page_one(to, "gpulane_scrapes_total", "counter", "Answers to scrapers.",
			 figures->answered);
	metrics_page_one(to, "gpulane_scrapes_dropped_total", "counter",
			 "Connections closed because they took too long or were too many.",
			 figures->dropped);
}

char *watch_metrics_page(const struct lane_counts *counts, const struct lane_page_figures *figures,
			 const char *kernel, size_t *bytes)
{
	LANE_CLEANUP(lane_free) const struct lane_count_row **rows = NULL;
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;
	size_t n;
	FILE *to;

	err = watch_counts_rows(counts, &rows, &n);
	if (err) {
		lane_error_free(err);
		return NULL;
	}
	to = open_memstream(&text, bytes);
	if (!to)
		return NULL;
	print_figures(to, counts, figures, kernel);
	print_histograms(to, counts, rows, n);
	print_culprits(to, counts, rows, n);
	if (fclose(to))
		return NULL;
	return LANE_TAKE(text);
}
