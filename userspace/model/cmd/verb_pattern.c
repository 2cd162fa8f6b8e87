// SPDX-License-Identifier: MIT
// `gpulane model pattern`: runs an OpenCL program in Oclgrind or reads what such a run wrote, and
// says per source line which conflicts its atomics have, what they cost, what would change that.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cmd/verb.h"
#include "model/cmd/verb_oclgrind.h"
#include "model/number.h"
#include "model/pattern.h"
#include "model/predict.h"

#define PRESET "fermi"

struct options {
	struct model_common common;
	const char *graph;
	struct model_oclgrind oclgrind;
	int all;
	int times;
	int lines;
};

static const struct model_option options[] = {
	MODEL_OPTION(NULL, 0, model_word, oclgrind.file, "file", "a program goes behind `--'"),
	MODEL_OPTION("all", 0, model_flag, all, NULL, "loads and stores, too, not only atomics"),
	MODEL_OPTION("graph", 0, model_word, graph, "KERNEL",
		     "print the graph of what a warp executed, instead"),
	MODEL_OPTION("times", 0, model_flag, times, NULL,
		     "instead: each kernel's time on the device, and what it would save without "
		     "each part"),
	MODEL_OPTION("lines", 0, model_flag, lines, NULL,
		     "instead: what each kernel would save without each source line"),
	MODEL_OCLGRIND_OPTIONS,
	MODEL_OPTIONS,
	{ 0 },
};

/* A mean per warp. */
static void put_mean(json_object *row, const char *key, double sum, uint64_t warps)
{
	if (isnan(sum) || !warps)
		model_put_nothing(row, key);
	else
		model_put_real(row, key, sum / (double)warps, 2);
}

/* What may not be known. */
static void put_real(json_object *row, const char *key, double value, int digits)
{
	if (isnan(value))
		model_put_nothing(row, key);
	else
		model_put_real(row, key, value, digits);
}

static void verb_pattern_put_changes(json_object *row, const struct lane_pattern_line *line)
{
	enum lane_layout layout;
	uint32_t copies;
	int best = model_pattern_best(line, &layout, &copies);

	put_mean(row, "with_xor", line->what_if[LANE_IF_XOR], line->warps);
	put_mean(row, "with_add", line->what_if[LANE_IF_ADD], line->warps);
	put_mean(row, "with_padding", line->what_if[LANE_IF_ROWS], line->warps);
	if (best < 0) {
		model_put_nothing(row, "with_copies");
		model_put_nothing(row, "copies");
		model_put_nothing(row, "layout");
		return;
	}
	put_mean(row, "with_copies", line->what_if[best], line->warps);
	model_put_whole(row, "copies", copies);
	model_put_text(row, "layout", lane_layout_names[layout]);
}

static void put_line(json_object *row, const char *kernel, const struct lane_pattern_line *line,
		     const struct lane_pattern *pattern)
{
	int costs = line->local && line->access == LANE_ACCESS_ATOMIC;
	struct lane_pattern_line empty = { .warps = 0 };
	const struct lane_pattern_line *cost = costs ? line : &empty;

	model_put_text(row, "kernel", kernel);
	model_put_whole(row, "line", line->line);
	model_put_whole(row, "column", line->column);
	model_put_text(row, "access", lane_access_names[line->access]);
	model_put_text(row, "op", line->op);
	model_put_text(row, "memory", line->local ? "local" : "global");
	model_put_whole(row, "warps", (int64_t)line->warps);
	put_mean(row, "lanes", (double)line->lanes, line->warps);
	put_mean(row, "position", (double)line->position_sum, line->warps);
	put_mean(row, "bank", line->local ? (double)line->bank_sum : NAN, line->warps);
	put_mean(row, "lock", (double)line->lock_sum, line->warps);
	model_put_whole(row, "position_most", line->position_degree);
	if (line->local)
		model_put_whole(row, "bank_most", line->bank_degree);
	else
		model_put_nothing(row, "bank_most");
	model_put_whole(row, "lock_most", line->lock_degree);
	put_mean(row, "segments", line->local ? NAN : (double)line->segments, line->warps);
	put_mean(row, "cycles", cost->cycles, cost->warps);
	put_mean(row, "base_cycles", cost->base_cycles, cost->warps);
	put_mean(row, "position_cycles", cost->position_cycles, cost->warps);
	put_mean(row, "bank_cycles", cost->bank_cycles, cost->warps);
	put_mean(row, "lock_cycles", cost->lock_cycles, cost->warps);
	put_mean(row, "collision_cycles",
		 line->local || line->access != LANE_ACCESS_ATOMIC ? NAN : line->collision_cycles,
		 line->warps);
	verb_pattern_put_changes(row, cost);
	if (pattern->message && line->access == LANE_ACCESS_ATOMIC)
		model_put_whole(row, "messages", (int64_t)line->messages);
	else if (pattern->message)
		model_put_nothing(row, "messages");
	if (pattern->a_cycle > 0)
		put_mean(row, "least_cycles", costs ? (double)line->lanes / pattern->a_cycle : NAN,
			 line->warps);
}

static int by_line(const void *a, const void *b)
{
	const struct lane_pattern_line *const *x = a;
	const struct lane_pattern_line *const *y = b;

	if ((*x)->line != (*y)->line)
		return (*x)->line < (*y)->line ? -1 : 1;
	if ((*x)->column != (*y)->column)
		return (*x)->column < (*y)->column ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static struct lane_error *put_kernel(json_object *result, const struct options *o,
				     const struct lane_pattern_kernel *kernel,
				     const struct lane_pattern *pattern)
{
	LANE_CLEANUP(lane_free)
	const struct lane_pattern_line **line = calloc(kernel->n_lines + 1, sizeof(*line));

	if (!line)
		return &lane_enomem;
	for (size_t i = 0; i < kernel->n_lines; i++)
		line[i] = &kernel->line[i];
	qsort(line, kernel->n_lines, sizeof(*line), by_line);
	for (size_t i = 0; i < kernel->n_lines; i++)
		if (line[i]->warps && (o->all || line[i]->access == LANE_ACCESS_ATOMIC))
			put_line(model_row(result), kernel->name, line[i], pattern);
	return NULL;
}

/* A kernel's mean launch. */
/* One line on stderr where the device lacks something: what comes of that, and what to do. */
static void tell_missing(const char *kernel, const char *so, const struct lane_lacking *missing)
{
	if (missing->text[0])
		fprintf(stderr,
			"gpulane: model pattern: %s: %s, because the device does not know %s "
			"(gpulane calibrate measures it; where that was refused, calibrate again "
			"with more --rounds)\n",
			kernel, so, missing->text);
}

static struct lane_error *verb_pattern_put_times(json_object *row,
						 const struct lane_pattern_kernel *kernel,
						 const struct lane_device *device)
{
	uint64_t groups = kernel->groups / (kernel->launches ? kernel->launches : 1);
	struct lane_prediction p;
	struct lane_error *err = model_predict(kernel, device, groups, &p);
	int is_bound = p.missing.text[0] != 0;

	if (err)
		return err;
	tell_missing(kernel->name, "its time is a bound from below", &p.missing);
	model_put_text(row, "kernel", kernel->name);
	model_put_whole(row, "launches", (int64_t)kernel->launches);
	model_put_whole(row, "groups", (int64_t)groups);
	model_put_whole(row, "group_warps", kernel->group_warps);
	put_real(row, "time_ms", is_bound ? NAN : p.ns / 1e6, 6);
	if (!is_bound && p.unbounded[0])
		fprintf(stderr, "gpulane: model pattern: %s: most_ms is not known: %s\n",
			kernel->name, p.unbounded);
	put_real(row, "least_ms", p.least_ns / 1e6, 6);
	put_real(row, "most_ms", is_bound ? NAN : p.most_ns / 1e6, 6);
	model_put_text(row, "missing", is_bound ? p.missing.text : "-");
	put_real(row, "cycles", is_bound ? NAN : p.total, 2);
	for (int i = 0; i < LANE_PART_COUNT; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_cycles", lane_part_names[i]);
		put_real(row, key, p.saves[i], 2);
	}
	model_put_whole(row, "warps", p.warps);
	put_real(row, "local_atomics_utilisation", is_bound ? NAN : p.local_utilisation, 4);
	model_put_text(row, "busiest", is_bound ? "-" : p.busiest);
	put_real(row, "busiest_utilisation", is_bound ? NAN : p.busiest_utilisation, 4);
	return NULL;
}

/* A row for each source line of a kernel's mean launch. */
static struct lane_error *put_source_lines(json_object *result,
					   const struct lane_pattern_kernel *kernel,
					   const struct lane_device *device)
{
	uint64_t groups = kernel->groups / (kernel->launches ? kernel->launches : 1);
	struct lane_prediction p;
	struct lane_error *err = model_predict(kernel, device, groups, &p);

	if (!err)
		tell_missing(kernel->name, "nothing is said of its lines", &p.missing);
	for (uint32_t i = 0; !err && i < p.n_lines; i++) {
		const struct lane_predicted_line *line = &p.line[i];
		const char *source = model_pattern_source(kernel, line->line);
		json_object *row = model_row(result);

		model_put_text(row, "kernel", kernel->name);
		model_put_whole(row, "line", line->line);
		put_real(row, "share", p.total > 0 ? line->saves / p.total : 0, 4);
		put_real(row, "saves_cycles", line->saves, 2);
		put_real(row, "conflicts_cycles", line->conflicts, 2);
		model_put_text(row, "source", source ? source : "-");
	}
	return err;
}

static struct lane_error *print_graph(const struct lane_pattern *pattern, const char *name)
{
	const struct lane_pattern_kernel *kernel = model_pattern_kernel(pattern, name);

	if (!kernel)
		return lane_error("%s: no kernel `%s' in it", pattern->what, name);
	if (!kernel->graph)
		return lane_error("%s: no graph of `%s' (its first warp executed too much)",
				  pattern->what, name);
	fputs(kernel->graph, stdout);
	return NULL;
}

static struct lane_error *verb_pattern_judge(void *arg, const char *file)
{
	const struct options *o = arg;
	const char *only = o->oclgrind.kernel;
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	LANE_CLEANUP(model_pattern_drop) struct lane_pattern *pattern = NULL;
	LANE_CLEANUP(model_drop) json_object *result = NULL;
	struct lane_error *err = model_device(&o->common, PRESET, &device);
	uint64_t left_out = 0;

	if (!err)
		err = model_pattern_read(file, device, &pattern);
	if (err)
		return err;
	if (o->graph)
		return print_graph(pattern, o->graph);
	if (only && !model_pattern_kernel(pattern, only))
		return lane_error("%s: no kernel `%s' in it", pattern->what, only);
	result = model_result("pattern");
	model_put_text(result, "device", device->name);
	model_put_whole(result, "kernels", (int64_t)pattern->n_kernels);
	model_put_whole(result, "accesses", (int64_t)pattern->warps);
	for (size_t i = 0; i < pattern->n_kernels; i++)
		left_out += pattern->kernel[i].left_out;
	model_put_whole(result, "left_out", (int64_t)left_out);
	for (size_t i = 0; !err && i < pattern->n_kernels; i++)
		if (!only || !strcmp(only, pattern->kernel[i].name))
			err = o->lines	 ? put_source_lines(result, &pattern->kernel[i], device)
			      : o->times ? verb_pattern_put_times(model_row(result),
								  &pattern->kernel[i], device)
					 : put_kernel(result, o, &pattern->kernel[i], pattern);
	if (!err)
		model_print(result, (enum model_format)o->common.format);
	return err;
}

struct lane_error *model_pattern(int argc, char **argv)
{
	struct options o = { .oclgrind = {
				     .verb = "model pattern",
				     .which = "either a pattern file, or `--' and a program" } };
	struct lane_error *err;
	int n = model_oclgrind_split(&o.oclgrind, argc, argv);
	int done;

	err = model_parse(
		options, "FILE\n-- PROGRAM [ARG...]",
		"The access patterns of an OpenCL program's kernels: conflicts per source line, "
		"the atomics' cycles, and what padding, copies or a hash would change.",
		n, argv, &o, &done);
	if (err || done)
		return err;
	return model_oclgrind_judge(&o.oclgrind, &o.common, PRESET, verb_pattern_judge, &o);
}
