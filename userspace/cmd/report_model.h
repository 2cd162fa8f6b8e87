/* SPDX-License-Identifier: MIT */
/* Models of a report's kernels: from a pattern file and a device. */
#ifndef LANE_CMD_REPORT_MODEL_H
#define LANE_CMD_REPORT_MODEL_H

#include "show/report.h"

/* What --pattern and --device name, and what came of it. Zeroed by the caller. */
struct report_models {
	const char *pattern; /* NULL: no models */
	const char *device;  /* NULL: `fermi` */
	char *device_name;
	struct lane_report_model *model; /* per kernel of the figures */
	uint32_t n_models;
};

/*
 * Predicts every kernel of the figures that the pattern file knows, for as many work-groups as its
 * runs had in the mean, and points the report's options to the results, which
 * cmd_report_models_free() frees. A kernel that cannot be predicted is told on stderr and left out.
 */
struct lane_error *cmd_report_models_make(struct report_models *models,
					  const struct lane_latency *latency,
					  struct lane_report_options *options) LANE_MUST_CHECK;

void cmd_report_models_free(struct report_models *models);

#endif
