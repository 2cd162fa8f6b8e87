// SPDX-License-Identifier: MIT
// Kernels from the call to the program's knowing, with what `running` would save as a model says.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "show/json.h"
#include "show/report_parts.h"

typedef struct json_object json;

/* Nanoseconds as a whole number; none is negative. */
static int64_t opencl_model_whole(double ns)
{
	return (int64_t)(ns + 0.5);
}

/* The part of a run in which it was off the engine: the mean of the runs of which that is known. */
static double preempted(const struct lane_kernel_stats *kernel)
{
	return kernel->preempted_runs
		       ? ((double)kernel->preempted.lo + (double)kernel->preempted.hi) / 2 /
				 (double)kernel->preempted_runs
		       : 0;
}

/* The kernel's mean run on the device, less what it was off it; 0 without runs that have times. */
static double measured(const struct lane_kernel_stats *kernel)
{
	double mean = kernel->running.count
			      ? (double)kernel->running.sum_ns / (double)kernel->running.count
			      : 0;

	return mean > preempted(kernel) ? mean - preempted(kernel) : 0;
}

static void text_row(FILE *to, const char *indent, const char *name, int64_t ns, double total)
{
	fprintf(to, "  %s%-*s %12s %6.1f %%\n", indent, 24 - (int)strlen(indent), name,
		SHOW_DURATION((uint64_t)ns), total > 0 ? 100 * (double)ns / total : 0);
}

/* The lines that would save a part in a hundred or more, in the order of the source. */
static void text_lines(FILE *to, const struct lane_report_model *model)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < model->n_lines; i++) {
		const struct lane_report_line *line = &model->line[i];
		char number[16];

		if (model->total_ns <= 0 || line->saves_ns < model->total_ns / 100)
			continue;
		if (!shown++)
			fprintf(to,
				"    modelled, what it would save without a source line\n"
				"    %6s %7s %11s %11s\n",
				"line", "", "saves", "conflicts");
		snprintf(number, sizeof(number), line->line ? "%" PRIu32 : "-", line->line);
		fprintf(to, "    %6s %5.1f %% %11s %11s  %s\n", number,
			100 * line->saves_ns / model->total_ns,
			SHOW_DURATION((uint64_t)opencl_model_whole(line->saves_ns)),
			SHOW_DURATION((uint64_t)opencl_model_whole(line->conflicts_ns)),
			line->source ? lane_clean_copy(SHOW_ROOM(96), line->source, LANE_CLEAN_LINE)
				     : "");
	}
}

/* Which command says what to do about it, of a kernel that has atomics. */
static void text_advice(FILE *to, const char *kernel, const struct lane_report_model *model)
{
	for (uint32_t i = 0; i < model->n_parts; i++)
		if (!strcmp(model->part[i].name, "atomics") && model->part[i].ns > 0)
			fprintf(to,
				"    what to change: gpulane atomics --kernel %s FILE, the file of "
				"--pattern\n",
				lane_clean_copy(SHOW_ROOM(64), kernel, LANE_CLEAN_LINE));
}

/* One kernel: its stages one below the other, what the model says of `running` in its place. */
static void text_kernel(FILE *to, const struct lane_latency *l,
			const struct lane_kernel_stats *kernel,
			const struct lane_report_model *model, const char *device)
{
	double runs = kernel->total.count ? (double)kernel->total.count : 1;
	double total = (double)kernel->total.sum_ns / runs;

	fprintf(to, "  %s of %s, mean of %" PRIu64 " runs\n",
		lane_clean_copy(SHOW_ROOM(64), kernel->name, LANE_CLEAN_LINE),
		SHOW_PROCESS(l, kernel->pid), kernel->running.count);
	for (int s = 0; s < LANE_CSTAGE_COUNT; s++) {
		text_row(to, "  ", lane_command_stage_names[s],
			 opencl_model_whole((double)kernel->stage_ns[s] / runs), total);
		if (s != LANE_CSTAGE_RUNNING)
			continue;
		if (kernel->preempted_runs)
			text_row(to, "      ", "preempted", opencl_model_whole(preempted(kernel)),
				 total);
		for (uint32_t i = 0; i < model->n_parts; i++)
			text_row(to, "      ", model->part[i].name,
				 opencl_model_whole(model->part[i].ns), total);
		fprintf(to, "        modelled on %s: %s%s",
			lane_clean_copy(SHOW_ROOM(64), device, LANE_CLEAN_LINE),
			model->missing[0] ? "at least " : "",
			SHOW_DURATION((uint64_t)opencl_model_whole(model->total_ns)));
		if (model->missing[0])
			fprintf(to, "; the device does not know %s\n", model->missing);
		else
			fprintf(to, ", error %+.1f %%\n",
				100 * (model->total_ns / measured(kernel) - 1));
	}
	text_row(to, "  ", "in all", opencl_model_whole(total), total);
	text_lines(to, model);
	text_advice(to, kernel->name, model);
}

static void add_parts(json *to, const struct lane_report_model *model)
{
	for (uint32_t i = 0; i < model->n_parts; i++)
		show_json_ns(to, model->part[i].name,
			     (uint64_t)opencl_model_whole(model->part[i].ns));
	show_json_int(to, model->missing[0] ? "least_ns" : "total_ns",
		      opencl_model_whole(model->total_ns));
}

static void add_lines(json *at, const struct lane_report_model *model)
{
	json *rows = show_json_list(at, "lines");

	for (uint32_t i = 0; i < model->n_lines; i++) {
		const struct lane_report_line *line = &model->line[i];
		json *row = show_json_row(rows);

		show_json_known(row, "line", line->line, line->line);
		show_json_int(row, "saves_ns", opencl_model_whole(line->saves_ns));
		show_json_int(row, "conflicts_ns", opencl_model_whole(line->conflicts_ns));
		show_json_text(row, "source", line->source);
	}
}

static void kernel_row(json *at, const struct lane_latency *l,
		       const struct lane_kernel_stats *kernel,
		       const struct lane_report_model *model, const char *device)
{
	double runs = kernel->total.count ? (double)kernel->total.count : 1;
	double error = model->total_ns / measured(kernel) - 1;
	json *stages;
	char text[32];

	show_json_text(at, "process", SHOW_PROCESS(l, kernel->pid));
	show_json_text(at, "kernel", kernel->name);
	show_json_text(at, "device", device);
	show_json_int(at, "runs", (int64_t)kernel->running.count);
	show_json_int(at, "running_mean_ns", opencl_model_whole(measured(kernel)));
	show_json_known(at, "preempted_mean_ns", (uint64_t)opencl_model_whole(preempted(kernel)),
			kernel->preempted_runs);
	stages = show_json_object(at, "stage_means");
	for (int s = 0; s < LANE_CSTAGE_COUNT; s++)
		show_json_ns(stages, lane_command_stage_names[s],
			     opencl_model_whole((double)kernel->stage_ns[s] / runs));
	add_parts(show_json_object(at, "modelled"), model);
	add_lines(at, model);
	snprintf(text, sizeof(text), "%.4f", error);
	json_object_object_add(at, "error",
			       model->missing[0] ? NULL : json_object_new_double_s(error, text));
	show_json_text(at, "missing", model->missing[0] ? model->missing : NULL);
}

void show_opencl_models(const struct lane_tables *t)
{
	const struct lane_report_options *options = t->options;
	const struct lane_commands *c = t->latency->commands;
	json *rows = t->tree ? show_json_list(t->tree, "kernels_modelled") : NULL;
	bool is_first = !rows;

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		const struct lane_kernel_stats *kernel = &c->kernels[i];

		if (i >= options->n_models || options->models[i].total_ns <= 0 ||
		    measured(kernel) <= 0)
			continue;
		if (is_first)
			show_title(t, "Kernels from call to answer, and what running would save "
				      "without each part, as the model says");
		is_first = false;
		if (rows)
			kernel_row(show_json_row(rows), t->latency, kernel, &options->models[i],
				   options->model_device);
		else
			text_kernel(t->to, t->latency, kernel, &options->models[i],
				    options->model_device);
	}
}
