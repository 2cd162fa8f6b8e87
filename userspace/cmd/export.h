/* SPDX-License-Identifier: MIT */
/* The exporters, and exporting with one of them from another subcommand. */
#ifndef LANE_CMD_EXPORT_H
#define LANE_CMD_EXPORT_H

#include "out/export.h"

/*
 * Writes the recording to output (NULL: the recording's name with the exporter's suffix; "-": the
 * standard output), which is there when it is complete, or not at all.
 */
struct lane_error *lane_export_one(const struct lane_exporter *exporter, const char *recording,
				   const char *output) LANE_MUST_CHECK;

#endif
