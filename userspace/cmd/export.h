/* SPDX-License-Identifier: MIT */
/* The exporters, and exporting with one of them from another subcommand. */
#ifndef LANE_CMD_EXPORT_H
#define LANE_CMD_EXPORT_H

#include "cmd/read.h"
#include "cmd/report_model.h"
#include "show/export.h"

/*
 * Writes a recording to output ("-": the standard output), which is there when it is complete, or
 * not at all. models, or NULL: predictions of the kernels that it also shows. The recording, and
 * what its figures are to be of, are those of `of`.
 */
struct lane_error *lane_export_one(const struct lane_exporter *exporter,
				   const struct lane_reading *of, const char *output,
				   struct report_models *models) LANE_MUST_CHECK;

#endif
