/* SPDX-License-Identifier: MIT */
/* What to change in a kernel, a part of `gpulane model pattern`. */
#ifndef LANE_MODEL_CMD_VERB_CHANGES_H
#define LANE_MODEL_CMD_VERB_CHANGES_H

#include <json-c/json.h>

#include "base/error.h"
#include "model/pattern.h"
#include "model/pipeline.h"

/* A row for each change of the kernel's mean launch, the largest gain first. */
struct lane_error *model_changes(json_object *result, const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device) LANE_MUST_CHECK;

/* One line on stderr where the device lacks something: what comes of that, and what to do. */
void model_tell_missing(const char *kernel, const char *so, const struct lane_lacking *missing);

#endif
