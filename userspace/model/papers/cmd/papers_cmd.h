/* SPDX-License-Identifier: MIT */
/* What the verbs of gpulane-papers share, besides what they have from gpulane-model. */
#ifndef LANE_MODEL_PAPERS_CMD_H
#define LANE_MODEL_PAPERS_CMD_H

#include "model/cmd/verb.h"

/* model_run() with a device of the papers', a file beside this program's source, as preset. */
struct lane_error *model_papers_run(const struct model_common *common, const char *model,
				    const char *file, model_fn *run, void *arg) LANE_MUST_CHECK;

/* The verbs; argv[0] is their name. */
struct lane_error *model_warp(int argc, char **argv);
struct lane_error *model_histogram(int argc, char **argv);
struct lane_error *model_global(int argc, char **argv);
struct lane_error *model_softgpu(int argc, char **argv);

#endif
