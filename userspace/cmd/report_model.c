// SPDX-License-Identifier: MIT
// `gpulane report --pattern`: what the models say of the kernels that a recording has.
#include "cmd/report_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/predict.h"
#include "model/shipped.h"

_Static_assert(LANE_PART_COUNT <= LANE_REPORT_PARTS, "a report's model has too few parts");
_Static_assert(sizeof(((struct lane_report_model *)0)->missing) == sizeof(struct lane_lacking),
	       "a report's model has too little room");

/* The lines' cycles as ns. */
static struct lane_error *keep_lines(const struct lane_pattern_kernel *known,
				     const struct lane_prediction *p,
				     struct lane_report_model *model)
{
	double ns = p->ns_a_cycle;

	model->line = calloc(p->n_lines + 1, sizeof(*model->line));
	if (!model->line)
		return &lane_enomem;
	for (uint32_t i = 0; i < p->n_lines; i++) {
		const struct lane_predicted_line *from = &p->line[i];
		const char *source = model_pattern_source(known, from->line);
		struct lane_report_line *to = &model->line[model->n_lines++];

		*to = (struct lane_report_line){ .line = from->line,
						 .saves_ns = ns * from->saves,
						 .conflicts_ns = ns * from->conflicts };
		to->source = source ? strdup(source) : NULL;
		if (source && !to->source)
			return &lane_enomem;
	}
	return NULL;
}

static struct lane_error *predict(const struct lane_kernel_stats *kernel,
				  const struct lane_pattern_kernel *known,
				  const struct lane_device *device, struct lane_report_model *model)
{
	uint64_t lanes = known->groups ? known->work_items / known->groups : 0;
	uint64_t items = kernel->runs ? kernel->items / kernel->runs : 0;
	struct lane_prediction p;
	struct lane_error *err;

	if (!lanes || !items)
		return lane_error("%s: how many work items its runs had is not known",
				  kernel->name);
	err = model_predict(known, device, (items + lanes - 1) / lanes, &p);
	if (err)
		return err;
	model->total_ns = p.ns;
	memcpy(model->missing, p.missing.text, sizeof(model->missing));
	if (model->missing[0]) { /* a bound from below, which the error lowers */
		model->total_ns = p.ns / (1 + p.error);
		return NULL;
	}
	model->n_parts = LANE_PART_COUNT;
	for (uint32_t i = 0; i < LANE_PART_COUNT; i++) {
		model->part[i].name = lane_part_names[i];
		model->part[i].ns = p.saves[i] * p.ns_a_cycle;
	}
	return keep_lines(known, &p, model);
}

static struct lane_error *predict_all(struct report_models *models,
				      const struct lane_commands *commands,
				      const struct lane_pattern *pattern,
				      const struct lane_device *device)
{
	models->device_name = strdup(device->name);
	models->model = calloc(commands->n_kernels + 1, sizeof(*models->model));
	models->n_models = models->model ? commands->n_kernels : 0;
	if (!models->device_name || !models->model)
		return &lane_enomem;
	for (uint32_t i = 0; i < commands->n_kernels; i++) {
		const struct lane_kernel_stats *kernel = &commands->kernels[i];
		const struct lane_pattern_kernel *known =
			model_pattern_kernel(pattern, kernel->name);
		LANE_CLEANUP(lane_drop_error) struct lane_error *err = NULL;

		if (known)
			err = predict(kernel, known, device, &models->model[i]);
		if (err)
			fprintf(stderr, "gpulane: report: %s (it is not modelled)\n",
				lane_error_message(err));
	}
	return NULL;
}

struct lane_error *cmd_report_models_make(struct report_models *models,
					  const struct lane_latency *latency,
					  struct lane_report_options *options)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *device = NULL;
	LANE_CLEANUP(model_pattern_drop) struct lane_pattern *pattern = NULL;
	struct lane_error *err;

	if (!models->pattern)
		return NULL;
	err = model_device_find(models->device ? models->device : "fermi", &device);
	if (!err)
		err = model_pattern_read(models->pattern, device, &pattern);
	if (err)
		return err;
	if (!latency->commands || !latency->commands->n_kernels) {
		fprintf(stderr, "gpulane: report: the recording has no OpenCL kernels to model "
				"(record it with its OpenCL layer)\n");
		return NULL;
	}
	err = predict_all(models, latency->commands, pattern, device);
	if (err)
		return err;
	options->models = models->model;
	options->n_models = latency->commands->n_kernels;
	options->model_device = models->device_name;
	return NULL;
}

void cmd_report_models_free(struct report_models *models)
{
	for (uint32_t i = 0; i < models->n_models; i++) {
		for (uint32_t j = 0; j < models->model[i].n_lines; j++)
			free(models->model[i].line[j].source);
		free(models->model[i].line);
	}
	free(models->device_name);
	free(models->model);
}
